"""What of the core a run of the whole mission executes, and the longest stretches that it never reaches.

The run: TSE, EW and MW of a causal and a masked model on the templates and on Newman et al.'s BLiMP pairs, under both
protocols and over two verb lists, with tables, curves and intervals; whole words; BLiMP's paradigms by each method;
suites with accuracies by circuit; comparisons of models and of metrics; scores written and read back. `tse_core.cli`
is left out.

    pip install coverage
    TSE_MIRROR=FOLDER python -m benchmarks.executed [--treebank] [MODEL ...]

Data are fetched from TSE_MIRROR into a new cache, as by a new user; without it, data sets that are not downloaded yet
are left out, and a line says so. Each MODEL is a small one to evaluate beside the laboratory's, such as one with the
tokenizer of BERT, RoBERTa or GPT-2. With --treebank the run has sites of agreement in a treebank (ud/English-EWT), too.
"""

import argparse
import os
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from io import StringIO
from itertools import groupby
from pathlib import Path

import coverage
import pandas as pd

SOURCE = Path(__file__).parents[1] / "src" / "tse_core"
LONGEST = 10
CAUSAL, MASKED = "lab-lexical-causal", "lab-lexical-masked"
METHODS = {CAUSAL: ("full-sentence", "one-prefix", "two-prefix"), MASKED: ("pll", "pll-l2r")}
PREFIXES = {"one-prefix": "one_prefix_prefix", "two-prefix": "two_prefix_prefix_good"}


def mission(folder: Path, further: list[str], *, treebank: bool) -> None:
    agreement(folder, further)
    whole_words(folder, further)
    for name in ("laboratory", "blimp"):
        sentence_pairs(name, folder)
    suites(folder)
    if treebank:
        sites()


def agreement(folder: Path, further: list[str]) -> None:
    import tse_core
    from tse_core.agreement.movement import kind_table, least_moving
    from tse_core.agreement.slots import marked_distribution
    from tse_core.results.tidy import read_results, write_results

    data = [few(tse_core.load_pairs("marvin-linzen"), "construction", 3)]
    lemmas = None
    if has("newman-blimp"):
        data.append(few(tse_core.load_pairs("newman-blimp"), "construction", 3))
    if has("newman-verbs"):
        lemmas = "newman-released"
    for protocol in ("released", "exact"):
        runs = tse_core.evaluate_models(
            [CAUSAL, MASKED], data, shared=True, protocol=protocol, detail="lemmas", store=None
        )
        print(runs, runs.table(), runs.curves(), runs.item_table())
        for name in further:
            some = few(data[-1], "construction", 1)
            print(tse_core.evaluate(name, some, lemmas, protocol=protocol, store=None))
    print(runs.compare("TSE", "EW"), runs.compare_models(CAUSAL, MASKED))
    print(runs.intervals(("subjects", "verbs")))
    write_results(runs.tidy(), folder / "results.parquet")
    print(read_results(folder / "results.parquet"))
    simple = tse_core.load_pairs("marvin-linzen/simple")
    for name in (CAUSAL, MASKED):
        model = tse_core.load_model(name)
        for _ in range(2):  # computed, then from the store
            scores = tse_core.evaluate(model, simple, detail="forms", store=folder)
        print(scores._repr_html_(), scores.table(intervals=True), scores.curves(intervals=True))
        print(scores.table("noun"), scores.intervals(("subjects", "verbs")), scores.verbs())
        print(kind_table(scores), least_moving(scores))  # as `tse evaluate` prints them
        print(read_back(scores, folder).tidy())
        print(tse_core.slot_distribution(model, "The author", "here."))
        print(marked_distribution(model, "The author ___ here.", "singular"))
        print(tse_core.score_context(model, "The author", "here.", number="singular"))


def whole_words(folder: Path, further: list[str]) -> None:
    import tse_core

    pairs = tse_core.load_pairs("marvin-linzen/simple").head(2)
    for name in ("lab-lexical-causal-bpe", MASKED, *further):
        scores = tse_core.evaluate(name, pairs, verbs="all", store=folder)
        print(scores.table(intervals=True), scores.curves())


def sentence_pairs(name: str, folder: Path) -> None:
    import tse_core
    from tse_core.sentences.accuracies import compare
    from tse_core.sentences.evaluate import accuracies, evaluate_blimp

    if name != "laboratory" and not has(name):
        return
    pairs = few(tse_core.load_sentence_pairs(name), "paradigm", 1)
    for model_name, methods in METHODS.items():
        model = tse_core.load_model(model_name)
        for method in methods:
            with_prefix = pairs
            if method in PREFIXES:
                with_prefix = few(pairs[pairs[PREFIXES[method]] != ""], "paradigm", 1)
                with_prefix.attrs = pairs.attrs
            scores = evaluate_blimp(model, with_prefix, method=method, store=None)
    print(scores._repr_html_(), scores.item_table(), read_back(scores, folder).tidy())
    for by in ("paradigm", "phenomenon", "all"):
        print(scores.accuracy(by))
    models = (CAUSAL, "lab-systematic-causal")
    runs = {model: evaluate_blimp(model, pairs, store=folder) for model in models}
    first, second = runs.values()
    print(accuracies(runs), compare(first.pairs, second.pairs))
    print(tse_core.score_pairs(CAUSAL, pairs.head(4), normalise="token"))


def suites(folder: Path) -> None:
    import tse_core
    from tse_core.syntaxgym.accuracies import accuracy_table, circuit_table
    from tse_core.syntaxgym.library import load_suites

    chosen = load_suites("laboratory")[::4]
    if has("syntaxgym"):
        chosen += load_suites("public")[::11]
    outcomes = []
    for name in (CAUSAL, MASKED):
        model = tse_core.load_model(name)
        outcomes += [tse_core.evaluate_suite(model, suite, store=folder) for suite in chosen]
    table = accuracy_table(outcomes)
    print(table, circuit_table(table), outcomes[0].by_region(), outcomes[0]._repr_html_())
    print(read_back(outcomes[0], folder).tidy())
    print(tse_core.surprisals(CAUSAL, ["The author laughs."], unit="word"))


def sites() -> None:
    import tse_core

    if has("ud/English-EWT"):
        pairs = tse_core.load_pairs("ud/English-EWT").head(300)
        scores = tse_core.evaluate(CAUSAL, pairs, detail="forms", store=None)
        print(scores.table("kind,between", intervals=True), scores.verbs())


def few(pairs: pd.DataFrame, column: str, count: int) -> pd.DataFrame:
    """The first pairs of each value of a column, under the name of all."""
    first = pairs.groupby(column, sort=False).head(count).reset_index(drop=True)
    first.attrs = pairs.attrs
    return first


def has(name: str) -> bool:
    """Whether a data set can be read, fetched from a mirror if there is one; else a line says so."""
    from tse_core.datasets import downloads
    from tse_core.errors import InputError
    from tse_core.paths import mirror_folder

    try:
        if mirror_folder():
            downloads.fetch([name])
        downloads.files([name])
    except InputError as error:
        print(f"left out: {error}", file=sys.stderr)
        return False
    return True


def read_back(scores, folder: Path):
    """Scores as a file has them."""
    import tse_core

    file = folder / "scores.parquet"
    scores.save(file)
    return tse_core.load_scores(file)


def never_run(measured: coverage.Coverage, file: str) -> tuple[int, list[list[int]]]:
    """Executable lines of a file, and the stretches of them that never ran."""
    _, executable, _, missing, _ = measured.analysis2(file)
    is_missing = set(missing)
    stretches = [
        list(lines) for ran, lines in groupby(executable, lambda n: n not in is_missing) if not ran
    ]
    return len(executable), stretches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--treebank", action="store_true", help="sites in a treebank, too")
    parser.add_argument("models", nargs="*", help="models to evaluate beside the laboratory's")
    arguments = parser.parse_args()
    measured = coverage.Coverage(
        source=[str(SOURCE)], omit=[str(SOURCE / "cli" / "*")], data_file=None
    )
    quiet = redirect_stdout(StringIO())
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), quiet:
        warnings.simplefilter("ignore")
        if os.environ.get("TSE_MIRROR"):
            os.environ["TSE_CACHE"] = str(Path(folder) / "cache")
        measured.start()
        mission(Path(folder), arguments.models, treebank=arguments.treebank)
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
