"""What tests/slurm/run.sh runs: a plan as jobs of SLURM and in this process; the shards must be the same bytes."""

import sys
from pathlib import Path

from tiny import save_model
from tse_core.sweep.running import plan_sweep, sweep
from tse_core.sweep.tasks import score_task

work = Path(sys.argv[1])
for seed, step in enumerate((1, 2, 4)):
    save_model(work / "trained" / f"step-{step}", "causal", seed)
plan = {
    "models": [{"folders": f"{work}/trained/step-*", "name": "tiny"}],
    "data": ["marvin-linzen/simple", "marvin-linzen/vp-coordination"],
    "lemmas": ["newman-clean"],
}
where = {"name": "slurm", "workers": 2, "options": {"slurm_partition": "here", "timeout_min": 10}}


def files(store: Path) -> set[str]:
    return {str(path.relative_to(store)) for path in store.glob("[0-9a-f]*/*.parquet")}


done = sweep(plan, store=work / "slurm", **where)
for failure in done.failures:
    print("failed:", failure)
for task in plan_sweep(plan, store=work / "plain").tasks:
    score_task(task)
same = files(work / "slurm") == files(work / "plain") != set()
nothing = not sweep(plan, store=work / "slurm", **where).planned.tasks
workers = {report.worker for report in done.reports}
print(f"{len(done.reports)} tasks on SLURM in {len(workers)} jobs")
print(f"the same bytes as without it: {same}; a second run computes nothing: {nothing}")
sys.exit(0 if same and nothing and not done.failures else 1)
