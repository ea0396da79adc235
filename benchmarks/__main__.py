"""`make bench`: how much faster than plain loops and other tools, and how near to the machine's own limit.

Every side computes the same thing for the same sample; sides take turns, three times each, and the medians are
compared. One model is real, smollm2-135m-instruct; two have the shapes of GPT-2 small and BERT base and random weights,
with their real tokenizers where these can be had.

    python -m benchmarks                 the samples (minutes)
    python -m benchmarks --full          all of Table 2 and of BLiMP, once (an hour)
    python -m benchmarks --only causal   one job
    python -m benchmarks --threads 1     the time of the processor, where others use the machine, too
    python -m benchmarks.treebank_time   where the time of a treebank goes: benchmarks/treebank_time.csv
"""

import argparse
import statistics
import subprocess
import sys

import torch

from benchmarks import jobs, machine
from benchmarks.sides import UnavailableError
from tse_core.errors import InputError


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--full", action="store_true", help="all of Table 2 and of BLiMP once, with the peak memory"
    )
    parser.add_argument(
        "--only", choices=[*jobs.JOBS, *jobs.WHOLE], help="one job; with --full one model"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, help="threads of torch; all cores by default")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    names = list(jobs.WHOLE if arguments.full else jobs.JOBS)
    if (
        not arguments.only
    ):  # each in a process of its own, so that none inherits the memory of another
        print(f"{machine.describe(arguments.device)}", flush=True)
        again = [sys.executable, "-m", "benchmarks", *sys.argv[1:], "--only"]
        sys.exit(max(subprocess.run([*again, name]).returncode for name in names))
    if arguments.only not in names:
        parser.error(f"--only takes one of {', '.join(names)} here")
    try:
        if arguments.full:
            print(jobs.WHOLE[arguments.only](arguments.device), flush=True)
            return
        job = jobs.JOBS[arguments.only](arguments.device)
    except InputError as reason:  # the model's file cannot be had here
        print(f"\n{arguments.only}: left out: {reason}", flush=True)
        return
    times, rates = {side: [] for side in job.sides}, []
    for _ in range(arguments.repeats):
        if job.rates:
            rates.append(job.rates())
        for side, run in job.sides.items():
            try:
                times[side].append(run())
                print(
                    f"{arguments.only}: {side}: {times[side][-1]:.2f} s",
                    file=sys.stderr,
                    flush=True,
                )
            except UnavailableError as reason:
                print(f"{arguments.only}: {side} left out: {reason}", file=sys.stderr)
                times[side].append(None)
    sys.exit(bool(report(job, times, rates)))


def report(job, times, rates) -> int:
    """Print a job's rows; the number of targets missed."""
    medians = {side: statistics.median(t) for side, t in times.items() if None not in t}
    ours = medians["tse_core"]
    print(f"\n{job.title}")
    missed = 0
    for side, median in medians.items():
        spread = f"{min(times[side]):.2f} to {max(times[side]):.2f}"
        line = f"  {side:34} {median:8.2f} s  ({spread})  {median / ours:5.2f}x"
        if target := job.targets.get(side):
            reached = median / ours >= target if not job.inverted else median / ours >= 1 / target
            missed += not reached
            line += f"  target {target:g}x {'reached' if reached else 'MISSED'}"
        print(line)
    if job.rates:
        layers, vocabulary, spared = job.flops
        fast, slow = map(statistics.median, zip(*rates, strict=True))
        bound, least = (
            layers / fast + vocabulary / slow,
            (layers - spared) / fast + vocabulary / slow,
        )
        parts = " and ".join(
            f"{flops / 1e9:,.0f} GFLOP at {rate / 1e9:.0f} GFLOP/s"
            for flops, rate in ((layers, fast), (vocabulary, slow))
        )
        print(f"  tokens: {job.tokens:,} computed, {job.fewest:,} the fewest possible")
        enough = bound / ours >= job.share_of_bound
        missed += not enough
        print(
            f"  bound: {parts} (layers, vocabulary): {bound:.2f} s; reached {bound / ours:.0%} of it"
            f"  target {job.share_of_bound:.0%} {'reached' if enough else 'MISSED'}"
        )
        if job.earlier:
            print(f"  {job.earlier}: reached {bound / medians[job.earlier]:.0%} of it")
        if spared:
            print(
                f"  with the last feed-forward only where asked: {least:.2f} s; reached {least / ours:.0%} of it"
            )
    if job.loop:
        loop, own = (machine.product_flops(work) for work in (job.loop, job.sides["tse_core"]))
        print(
            f"  products of the padded loop: {loop / 1e9:,.0f} GFLOP, {loop / own:.2f} times those of tse_core"
        )
    if missed:
        print(f"  where tse_core's time goes: {machine.shares_of_time(job.sides['tse_core'])}")
    for other, difference in job.differences.items():
        print(f"  largest difference of log-probabilities to {other}: {difference():.1e}")
    return missed


if __name__ == "__main__":
    main()
