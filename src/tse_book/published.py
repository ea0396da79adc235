"""The papers' own numbers, as tidy tables: what measured values are compared with.

Each function names its source. Scores are fractions of 1. Printed, corrected and recomputed values of the same
quantity are in separate rows with a column that says which is which. Origins and licences: data/README.md.
"""

from functools import cache

import pandas as pd

from tse_core.datasets.pairs import PREFIX_FIELDS
from tse_core.paths import data_folder
from tse_core.results.tidy import of_everything

MODELS = {
    "BERT cased": "bert-large-cased",
    "BERT uncased": "bert-large-uncased",
    "RoBERTa": "roberta-large",
    "GPT2": "gpt2-xl",
}
CONSTRUCTIONS = (
    "Simple",
    "In a sentential complement",
    "VP coordination",
    "Across prepositional phrase",
    "Across subject relative clause",
    "Across object relative clause",
    "Across object relative (no that)",
    "In object relative clause",
    "In object relative (no that)",
    "BLiMP",
)
BETWEEN = CONSTRUCTIONS[3:7]  # those with a noun between subject and verb
BLIMP_MODELS = ("5-gram", "LSTM", "Transformer-XL", "GPT-2", "human")
_PHENOMENA = {
    "ANA. AGR": "ANAPHOR AGREEMENT", "ARG. STR": "ARGUMENT STRUCTURE", "CTRL. RAIS.": "CONTROL/RAISING",
    "D-N AGR": "DETERMINER-NOUN AGR.", "IRREGULAR": "IRREGULAR FORMS", "ISLAND": "ISLAND EFFECTS",
    "NPI": "NPI LICENSING", "S-V AGR": "SUBJECT-VERB AGR.",
}  # fmt: skip


def table2() -> pd.DataFrame:
    """Newman et al. 2021, Table 2: construction, model, hf_name, metric (MW, EW, TSE), score (two decimals)."""
    wide = _read("newman_table2", template="construction")
    return wide.melt(
        ["construction", "model", "hf_name"],
        ["MW", "EW", "TSE"],
        var_name="metric",
        value_name="score",
    )


def table3() -> pd.DataFrame:
    """Newman et al. 2021, Table 3: hf_name, sentence, rank (1 to 10), subword, probability of BERT cased."""
    return _read("newman_table3", model="hf_name")


def figures(figure: int | None = None) -> pd.DataFrame:
    """Newman et al. 2021, Figures 1 and 2 (scores), 3 (coverage), 4 (share of contexts without an eligible lemma).

    Digitised. Figure 1, of BERT cased alone, is good to about 0.003. The others are rough, since curves overlap:
    `quality` is "ok", "partial", "hidden" or "impossible", and the last two have no estimate. Impossible are readings
    that break a rule which the figure must obey (newman_figures_impossible.csv; data/README.md has the rules).

    Columns: figure (1 to 4), model (its name on the hub), metric (EW, MW), construction, side (top, bottom), cutoff (a
    fraction), estimate, quality.
    """
    first = _read("newman_fig1_digitised_bert-large-cased", score_estimate="estimate").assign(
        figure=1, quality="ok"
    )
    others = _without_the_impossible(_read("newman_fig2_3_4_digitised"))
    others = others.replace({"metric": {"EW-run": "EW"}, "model": MODELS})
    others["figure"] = others["figure"].str[len("fig")].astype(int)
    columns = ["figure", "model", "metric", "construction", "side", "cutoff", "estimate", "quality"]
    table = pd.concat([first, others], ignore_index=True)[columns]
    return table if figure is None else table[table["figure"] == figure]


def _without_the_impossible(readings: pd.DataFrame) -> pd.DataFrame:
    """The readings of Figures 2 to 4; those that cannot be right have no estimate."""
    place = ["figure", "model", "metric", "construction", "side", "cutoff"]
    readings = readings.merge(_read("newman_figures_impossible"), on=place, how="left")
    wrong = readings["why"].notna()
    estimate = readings["estimate"].mask(wrong)
    quality = readings["quality"].mask(wrong, "impossible")
    return readings.assign(estimate=estimate, quality=quality)


def with_table2(curves: pd.DataFrame) -> pd.DataFrame:
    """Published curves of EW and MW with the points at top 100 % from Table 2, where they are printed and complete."""
    cells = table2().assign(
        model=lambda table: table["hf_name"], side="top", cutoff=1.0, source="published"
    )
    for column in ("metric", "model", "construction"):
        cells = cells[cells[column].isin(curves[column])]
    return pd.concat(
        [curves[~of_everything(curves)], cells.reindex(columns=curves.columns)], ignore_index=True
    )


def quoted_values() -> pd.DataFrame:
    """Newman et al. 2021, numbers in the text: where, model, construction, metric, side, p_percent, value, kind."""
    return _read("newman_quoted_values")


def constants() -> dict[str, str]:
    """Newman et al. 2021: cut-offs in percent, numbers of lemmas, the toy example's scores, by name."""
    return dict(_read("newman_constants").itertuples(index=False, name=None))


def lemmas_in_vocabulary() -> dict[str, int]:
    """Newman et al. 2021, section 3: hf_name -> number of lemmas with both forms in that model's vocabulary."""
    names = ("bert_cased", "bert_uncased", "gpt2_roberta", "gpt2_roberta")
    counts = [int(constants()[f"lemmas_in_vocab_{name}"]) for name in names]
    return dict(zip(MODELS.values(), counts, strict=True))


def template_counts() -> pd.DataFrame:
    """Counts of the released pair files, one row per row of Table 2.

    Columns: row, files, pairs, singular, plural, contexts (left and right), left_contexts, verb_pairs.
    """
    columns = [
        "row",
        "files",
        "pairs",
        "singular",
        "plural",
        "contexts",
        "left_contexts",
        "verb_pairs",
    ]
    return _read("newman_template_counts").set_axis(columns, axis=1)


def blimp_table3() -> pd.DataFrame:
    """Warstadt et al. 2020, Table 3: source, model, phenomenon ("Overall" too), accuracy.

    source: "printed" (the journal), "corrected" (the authors' erratum of 2021-08-16), "recomputed" (from the data
    repository's summary; the one to compare with).
    """
    table = _read("blimp_table3")
    table["source"] = table["source"].str.split(r"[_(]").str[0].replace({"TACL": "printed"})
    long = table.melt(["source", "model"], var_name="phenomenon", value_name="accuracy")
    long["accuracy"] = (long["accuracy"] / 100).round(6)
    long = long.replace(
        {"phenomenon": _PHENOMENA, "model": {"TXL": "Transformer-XL", "Human": "human"}}
    )
    paradigms = blimp_table4().query(
        "source == 'recomputed'"
    )  # not rounded, as the file's own recomputed rows are
    means = paradigms.groupby(["phenomenon", "model"])["accuracy"].mean()
    overall = paradigms.groupby("model")["accuracy"].mean()
    places = zip(long["phenomenon"], long["model"], strict=True)
    mean = [
        overall[model] if phenomenon == "Overall" else means[phenomenon, model]
        for phenomenon, model in places
    ]
    return long.assign(accuracy=long["accuracy"].where(long["source"] != "recomputed", mean))


def blimp_table4() -> pd.DataFrame:
    """Warstadt et al. 2020, Table 4: source, UID, phenomenon, model, accuracy; sources as in `blimp_table3`."""
    table, parts = _read("blimp_table4"), []
    for source, prefix, names, scale in (
        ("printed", "tacl", ("5gram", "LSTM", "TXL", "GPT2", "Human"), 100),
        ("corrected", "corrected", ("5gram", "LSTM", "TXL", "GPT2", "Human"), 100),
        ("recomputed", "repo", ("ngram", "lstm", "txl", "gpt2", "human"), 1),
    ):
        for model, name in zip(BLIMP_MODELS, names, strict=True):
            accuracy = table[f"{prefix}_{name}"] / scale
            parts.append(
                table[["UID", "phenomenon"]].assign(source=source, model=model, accuracy=accuracy)
            )
    return pd.concat(parts, ignore_index=True)[["source", "UID", "phenomenon", "model", "accuracy"]]


def blimp_human() -> pd.DataFrame:
    """Warstadt et al. 2020: UID, judgments (single judgments counted), items_accepted (of 5, by majority), accuracy."""
    columns = {
        "human_n": "judgments",
        "human_items_accepted_of_5": "items_accepted",
        "repo_human": "accuracy",
    }
    return _read("blimp_table4", **columns)[["UID", *columns.values()]]


def blimp_methods_compared() -> pd.DataFrame:
    """Figure 6: accuracy of each paradigm by method, where a prefix method was used, and by full sentences beside it.

    From the data repository's summary by method, which is of an older GPT-2 run than its other numbers.
    Columns: model, paradigm, linguistics_term, compared ("one-prefix", "two-prefix"), full_sentence, prefix.
    """
    models = {
        "N-Gram": "5-gram",
        "LSTM": "LSTM",
        "TXL": "Transformer-XL",
        "GPT2": "GPT-2",
        "human": "human",
    }
    table = _read("blimp_prefix_methods_summary", UID="paradigm", **models)
    table = table.melt(
        ["paradigm", "type", "linguistics_term"], [*models.values()], "model", "accuracy"
    )
    wide = table.pivot_table("accuracy", ["model", "paradigm", "linguistics_term"], "type")
    parts = []
    for method in PREFIX_FIELDS:
        both = wide[["sentence", method]].dropna().set_axis(["full_sentence", "prefix"], axis=1)
        parts.append(both.assign(compared=method).reset_index())
    return pd.concat(parts, ignore_index=True)


def blimp_slopes() -> pd.DataFrame:
    """BLiMP, section 6.3: model, phenomenon, slope (accuracy gained by each doubling of the training text)."""
    return _read("blimp_slopes")


def blimp_perplexities() -> pd.DataFrame:
    """BLiMP, section 6.3, footnote 16: tokens_millions (of the training text), perplexity (on another test text)."""
    return _read("blimp_perplexities")


def syntaxgym_models() -> pd.DataFrame:
    """Gauthier et al. 2020, Table 1: model, reference, training_data, tokens_millions, recorded_as (by Hu et al.)."""
    return _read("syntaxgym_models")


def syntaxgym_figure5() -> pd.DataFrame:
    """Gauthier et al. 2020, Figure 5: part (a, b), step, command, printed (what the figure shows of its output)."""
    return _read("syntaxgym_figure5")


def hu2020_suites() -> pd.DataFrame:
    """Hu et al. 2020, raw data: accuracy of each recorded run on each suite.

    Columns: model, corpus, seed, suite, tag, circuit, items, in_31, accuracy.
    """
    table = _read("hu2020_suite_accuracy_from_raw", n_items="items", in_hu2020_31_suites="in_31")
    return table.astype({"in_31": bool})


def hu2020_circuits() -> pd.DataFrame:
    """Hu et al. 2020, raw data: model, corpus, seed, circuit ("SG score": mean over 31 suites), accuracy."""
    table = _read("hu2020_model_circuit_from_raw", SG_score="SG score")
    return table.melt(["model", "corpus", "seed"], var_name="circuit", value_name="accuracy")


def _read(name: str, **columns: str) -> pd.DataFrame:
    return _table(name).rename(columns=columns)


@cache
def _table(name: str) -> pd.DataFrame:
    return pd.read_csv(data_folder() / "published" / f"{name}.csv")
