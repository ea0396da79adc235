"""The tables of the chapter *In real sentences*: how far each verb moves in treebanks."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from tse_book.charts.verbs import ALSO as ALSO_ROW
from tse_book.charts.verbs import NEVER as NEVER_ROW
from tse_book.claims.panels import (
    ACROSS,
    NOUN,
    PLURAL,
    SINGULAR,
    Panel,
    cleaned,
    panel_of,
    site_groups,
    sums_of,
)
from tse_book.claims.real_sentences import (
    AUXILIARIES,
    FIFTHS,
    first_word_rival,
    irregular_plurals,
)
from tse_book.pages.newman import label, opened
from tse_book.recorded import recorded_details
from tse_book.recorded.treebanks import recorded_treebank
from tse_book.studies.controls import controlled_verbs
from tse_book.studies.treebank_verbs import ALSO, NEVER, PAIRS
from tse_book.studies.treebanks import treebank_scores, word_scores
from tse_core.errors import InputError, warn
from tse_core.metrics.movement import cluster_sums, relative_spread
from tse_core.paths import data_folder

PAIR_ROW, AUXILIARY_ROW = "pairs of nouns (cannot agree)", "be and have"
LIST_ROW, RULE_ROW = "laboratory: learned verb by verb", "laboratory: learned the rule"
ROWS = [PAIR_ROW, ALSO_ROW, NEVER_ROW, AUXILIARY_ROW, LIST_ROW, RULE_ROW]
OF_KINDS = {PAIRS: PAIR_ROW, ALSO: ALSO_ROW, NEVER: NEVER_ROW, "": "verbs"}
LABORATORY = {"lab-lexical-causal": LIST_ROW, "lab-systematic-causal": RULE_ROW}
TO_COMPARE = [PAIR_ROW, LIST_ROW, RULE_ROW]
EVERY_THIRD = 3  # verb of the laboratory is drawn
BANDS = {  # of Zipf's scale: the logarithm of how often a word occurs in a billion words
    "up to 2": (-np.inf, 2.0),
    "2 to 3": (2.0, 3.0),
    "3 to 4": (3.0, 4.0),
    "above 4": (4.0, np.inf),
}
SUBJECTS = {"The N": "The + noun", "He, she or they": "he, she, they"}


def panels_of(
    models: Iterable[str], treebank: str, recorded: Iterable[str] = ()
) -> dict[str, Panel]:
    """What each model says in a treebank: recorded, where it is, else measured now; by the model's label.

    Those of `recorded` come first, where they are recorded on this treebank; none of them is measured. Raises
    InputError: the treebank cannot be fetched, or a model not opened.
    """
    models = list(models)
    panels = {}
    for model in dict.fromkeys([*recorded, *models]):
        scores = recorded_treebank(label(model), treebank)
        if scores is None and model in models:
            scores = treebank_scores(opened(model), treebank)
        if scores is not None:
            panels[label(model)] = cleaned(panel_of(scores))
    return panels


def verb_table(panels: Mapping[str, Panel]) -> pd.DataFrame:
    """How far each verb moves right after nouns: a row for each model and verb or pair of nouns.

    Returns a table: model, lemma, kind, row (one of `ROWS`), noun_share, likelihood (mean log-probability of both forms
    after pronouns, nats), sensitivity and bias (nats), EW_singular and EW_plural (the share of sites where it is
    right), across (sensitivity with a noun of the other number between, nats). Rows are in the order of `ROWS`.
    """
    tables = []
    for model, panel in panels.items():
        means = sums_of(panel).means()
        table = panel.verbs[["lemma", "kind", "noun_share"]].assign(model=model)
        table["row"] = table["kind"].map(OF_KINDS)
        table.loc[table["lemma"].isin(AUXILIARIES), "row"] = AUXILIARY_ROW
        table["likelihood"] = means.likelihood
        table["sensitivity"], table["bias"] = means.sensitivity(NOUN), means.bias(NOUN)
        table["EW_singular"] = means.right[NOUN, SINGULAR]
        table["EW_plural"] = means.right[NOUN, PLURAL]
        table["across"] = means.sensitivity(ACROSS)
        tables.append(table)
    table = pd.concat(tables, ignore_index=True)
    order = table["row"].map({row: place for place, row in enumerate(ROWS)})
    return table.iloc[order.argsort(kind="stable")].reset_index(drop=True)


def laboratory_rows(models: Iterable[str]) -> pd.DataFrame:
    """A third of the laboratory's verbs, beside each model: model, lemma, row (`LIST_ROW`, `RULE_ROW`), sensitivity, bias.

    In the language of the list 200 of 900 verbs agree, 200 agree in half of their uses, and 500 never do; in that of
    the rule all agree.
    """
    verbs = pd.read_csv(data_folder() / "recorded" / "laboratory" / "verbs.csv")
    verbs["row"] = verbs["model"].map(LABORATORY)
    ordered = verbs.sort_values(["row", "sensitivity"], ignore_index=True)
    third = ordered.iloc[::EVERY_THIRD].drop(columns=["model", "band"])
    return pd.concat([third.assign(model=model) for model in models], ignore_index=True)


def summary(panel: Panel, *kinds: str) -> dict[str, float]:
    """A panel's verbs of some kinds, by default all: the numbers of a row of a table.

    Returns verbs (how many), sensitivity (their mean right after nouns, nats), sd/mean (without what few sites add),
    bias (nats), EW singular, EW plural, across (mean sensitivity with a noun of the other number between, nats).
    """
    chosen = panel.verbs["kind"] != PAIRS
    if kinds:
        chosen = panel.verbs["kind"].isin(kinds)
    some = panel.of_verbs(chosen.to_numpy())
    groups = site_groups(some)
    near = some.of_sites(groups[NOUN, SINGULAR] | groups[NOUN, PLURAL])
    scores = cluster_sums(near.log_odds, near.plural, near.sites["document"]).scores()
    means = sums_of(some).means()
    return {
        "verbs": len(some.verbs),
        "sensitivity": scores.sensitivity.mean(),
        "sd/mean": relative_spread(scores),
        "bias": scores.bias.mean(),
        "EW singular": scores.ew_singular.mean(),
        "EW plural": scores.ew_plural.mean(),
        "across": means.sensitivity(ACROSS).mean(),
    }


def gaps(panels: Mapping[str, Panel]) -> pd.DataFrame:
    """TSE and EW of each model at the sites whose own verb is listed: all verbs, and each kind alone.

    Returns a table by model: TSE (the verb in the text), EW, EW, never nouns, EW, also nouns.
    """
    rows = {}
    for model, panel in panels.items():
        verbs = panel.verbs["kind"].to_numpy()
        listed = panel.own_verbs >= 0
        is_right = np.where(panel.plural[:, None], panel.log_odds < 0, panel.log_odds > 0)[listed]
        rows[model] = {
            "TSE": is_right[np.arange(len(is_right)), panel.own_verbs[listed]].mean(),
            "EW": is_right[:, verbs != PAIRS].mean(),
            "EW, never nouns": is_right[:, verbs == NEVER].mean(),
            "EW, also nouns": is_right[:, verbs == ALSO].mean(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")


def fifths(verbs: pd.DataFrame) -> pd.DataFrame:
    """The mean sensitivity over fifths of the verbs, from the least likely to the likeliest.

    Returns a table: model, verbs (the row), fifth (1 to 5), sensitivity (nats).
    """
    kinds = verbs[verbs["kind"].isin([ALSO, NEVER])]
    rows = []
    for (model, kind), table in kinds.groupby(["model", "kind"], sort=False):
        ordered = table.sort_values("likelihood", kind="stable")
        parts = np.array_split(ordered["sensitivity"].to_numpy(), FIFTHS)
        for fifth, part in enumerate(parts, start=1):
            row = {"model": model, "verbs": OF_KINDS[kind], "fifth": fifth}
            rows.append(row | {"sensitivity": part.mean()})
    return pd.DataFrame(rows)


def rare_verbs(models: Iterable[str], treebank: str, recorded: Iterable[str] = ()) -> pd.DataFrame:
    """Verbs of every frequency by whole words, at a sample of sites right after nouns.

    The models are those of `panels_of`; a warning says why one that is measured has none.

    Returns a table: model, kind, Zipf (a band of `BANDS`), and the columns of `summary` but for across.
    """
    models = list(models)
    rows = []
    for model in dict.fromkeys([*recorded, *models]):
        scores = recorded_treebank(label(model), treebank, by_words=True)
        if scores is None and model in models:
            try:
                scores = word_scores(opened(model), treebank)
            except InputError as error:
                warn(f"no rare verbs of {label(model)}: {error}")
        if scores is None:
            continue
        panel = cleaned(panel_of(scores))
        for kind in (NEVER, ALSO):
            for frequency, (low, high) in BANDS.items():
                zipf = panel.verbs["zipf"].astype(float)
                in_band = (zipf > low) & (zipf <= high) & (panel.verbs["kind"] == kind)
                if in_band.sum() < 2:  # no spread
                    continue
                numbers = summary(panel.of_verbs(in_band.to_numpy()))
                del numbers["across"]
                names = {"model": label(model), "kind": OF_KINDS[kind], "Zipf": frequency}
                rows.append(names | numbers)
    return pd.DataFrame(rows)


def beyond_the_word_before(panels: Mapping[str, Panel]) -> pd.DataFrame:
    """Whether the cue is the word before the verb: a row for each model and kind of verb.

    Returns a table, in nats: model, verbs, after nouns, after plurals without -s (and singulars without), across (a
    noun of the other number between), and the rule of the word before: the sensitivity there of a rule that takes an
    -s for a plural, of 1 where it is always right and -1 where it never is.
    """
    rows = []
    for model, panel in panels.items():
        rule = first_word_rival(panel)
        kinds = [kind for kind in (ALSO, NEVER) if (panel.verbs["kind"] == kind).any()]
        for kind in kinds:
            numbers = summary(panel, kind)
            rows.append(
                {
                    "model": model,
                    "verbs": OF_KINDS[kind],
                    "after nouns": numbers["sensitivity"],
                    "no -s before the verb": irregular_plurals(panel, [kind]),
                    "across a noun": numbers["across"],
                    "the rule of -s": rule,
                }
            )
    return pd.DataFrame(rows)


def languages(runs: Iterable[tuple[str, str, str]]) -> pd.DataFrame:
    """The verbs of recorded treebanks: language, treebank, the columns of `summary`, and EW - TSE.

    `runs`: language, model and the name of the treebank. EW - TSE is over all sites whose own verb is listed.
    """
    rows = []
    for language, model, treebank in runs:
        [panel] = panels_of([model], treebank).values()
        names = {"language": language, "treebank": treebank.rpartition("-")[2]}
        rows.append(names | summary(panel) | {"EW − TSE": sums_of(panel).means().gap})
    return pd.DataFrame(rows)


def designed_test(models: Iterable[str]) -> pd.DataFrame:
    """Sensitivity and bias in `agreement-controls`, whole words: subject, verbs, and both for each recorded model."""
    kinds = controlled_verbs().set_index("lemma")["also_noun"]
    columns = {}
    for model in models:
        detail = recorded_details(label(model), "controls")
        if detail is None:
            continue
        table = detail.table
        table = table[table["construction"].isin(list(SUBJECTS))]
        table = table.assign(
            subject=table["construction"].map(SUBJECTS),
            verbs=np.where(table["lemma"].map(kinds), ALSO_ROW, NEVER_ROW),
        )
        means = table.groupby(["subject", "verbs", "lemma", "number"])["log_odds"].mean().unstack()
        columns[model, "sensitivity"] = (means[SINGULAR] - means[PLURAL]) / 2
        columns[model, "bias"] = -(means[SINGULAR] + means[PLURAL]) / 2
    if not columns:
        return pd.DataFrame()
    by_verb = pd.DataFrame(columns)
    rows = by_verb.groupby(["subject", "verbs"]).mean()
    return rows.reindex(
        [(subject, kind) for subject in SUBJECTS.values() for kind in (NEVER_ROW, ALSO_ROW)]
    )
