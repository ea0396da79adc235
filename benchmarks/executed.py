"""What of the core a whole run of the mission executes, and the longest stretches that it never reaches.

The run: TSE, EW and MW of a causal and a masked model under both protocols, with curves, intervals and cells; whole
words; sentence pairs by each method; a suite; a comparison; scores written and read back. `tse_core.cli` is left out.

    pip install coverage
    python -m benchmarks.executed
"""

import tempfile
import warnings
from contextlib import redirect_stdout
from io import StringIO
from itertools import groupby
from pathlib import Path

import coverage

SOURCE = Path(__file__).parents[1] / "src" / "tse_core"
LONGEST = 10
PREFIXES = {"one-prefix": "one_prefix_prefix", "two-prefix": "two_prefix_prefix_good"}


def mission(folder: Path) -> None:
    import tse_core
    from tse_core.agreement.comparison import compare_evaluations, compare_metrics

    pairs = tse_core.load_pairs("marvin-linzen")
    few = pairs.iloc[::487].reset_index(drop=True)
    few.attrs = pairs.attrs
    evaluations = []
    for name in ("lab-lexical-causal", "lab-lexical-masked"):
        model = tse_core.load_model(name, device="cpu")
        for protocol in ("exact", "released"):
            scores = tse_core.evaluate(model, few, protocol=protocol, detail="forms", store=folder)
            print(scores, len(scores.table(intervals=True)), len(scores.curves()))
        evaluations.append(tse_core.evaluate(model, few, detail="lemmas", store=folder))
        compare_metrics(evaluations[-1], "TSE", "EW")
        evaluations[-1].verbs()
        tse_core.slot_distribution(model, "The author", "here.")
    compare_evaluations(*evaluations)
    file = folder / "scores.parquet"
    evaluations[0].save(file)
    tse_core.load_scores(file).tidy()
    whole = tse_core.load_model("lab-lexical-causal-bpe", device="cpu")
    tse_core.evaluate(whole, few.head(1), verbs="all", sample="all", store=folder).table()
    sentences = tse_core.load_sentence_pairs("laboratory").groupby("paradigm").head(3)
    for name, methods in (
        ("lab-lexical-causal", ("full-sentence", "one-prefix", "two-prefix")),
        ("lab-lexical-masked", ("pll", "pll-l2r")),
    ):
        model = tse_core.load_model(name, device="cpu")
        for method in methods:
            prefix = PREFIXES.get(method)
            has_prefix = sentences[sentences[prefix] != ""] if prefix else sentences
            tse_core.score_pairs(model, has_prefix, method)
        tse_core.evaluate_blimp(model, sentences, store=folder).accuracy("paradigm")
    suite = tse_core.evaluate_suite(tse_core.load_model("lab-lexical-causal"), "lab_number_prep")
    print(suite)
    print(tse_core.surprisals(model, ["The author laughs."], unit="word"))


def never_run(measured: coverage.Coverage, file: str) -> tuple[int, list[list[int]]]:
    """Executable lines of a file, and the stretches of them that never ran."""
    _, executable, _, missing, _ = measured.analysis2(file)
    is_missing = set(missing)
    stretches = [
        list(lines) for ran, lines in groupby(executable, lambda n: n not in is_missing) if not ran
    ]
    return len(executable), stretches


def main() -> None:
    measured = coverage.Coverage(
        source=[str(SOURCE)], omit=[str(SOURCE / "cli" / "*")], data_file=None
    )
    quiet = redirect_stdout(StringIO())
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), quiet:
        warnings.simplefilter("ignore")
        measured.start()
        mission(Path(folder))
        measured.stop()
    rooms: dict[str, list[int]] = {}
    stretches = []
    for path in sorted(SOURCE.rglob("*.py")):
        if "cli" in path.parts:
            continue
        count, missing = never_run(measured, str(path))
        name = path.relative_to(SOURCE)
        room = rooms.setdefault(name.parts[0] if len(name.parts) > 1 else "top", [0, 0])
        room[0] += count
        room[1] += sum(map(len, missing))
        stretches += [(len(lines), f"{name}:{lines[0]}-{lines[-1]}") for lines in missing]
    lines, missed = map(sum, zip(*rooms.values(), strict=True))
    for room, (count, without) in rooms.items():
        print(f"{room:12} {count:6} lines, {1 - without / max(1, count):.0%} run")
    print(f"{'all':12} {lines:6} lines, {1 - missed / lines:.0%} run\n")
    for count, place in sorted(stretches, reverse=True)[:LONGEST]:
        print(f"{count:4} {place}")


if __name__ == "__main__":
    main()
