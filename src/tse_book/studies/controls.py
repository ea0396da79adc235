"""What a model says at the verb slot after nouns, names and pronouns, after 22 prepositions and in Table 2's rows.

    controls.parquet     a context of agreement-controls and a verb: margins, by words and by tokens
    attractors.parquet   a context of agreement-attractors and a kind of verb
    rows.parquet         a row of Table 2, a noun, a number and a verb
    likelihoods.parquet  a verb: how likely it is where no subject decides its form
    bare_controls.parquet, bare_attractors.parquet  the first two without a BOS token, by single tokens

`controlled_verbs` says which verbs count, `tse_book.claims.statements` what these tables are asked. All log-odds and
log-probabilities are in nats; log-odds are those of the singular form against the plural one.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from tse_book.studies.details import Detail, small_detail
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.slots import slot_distribution
from tse_core.agreement.verbs import counted_verbs
from tse_core.datasets.grammar import load_grammar
from tse_core.datasets.lemmas import DEFAULT, load_lemmas
from tse_core.datasets.loading import data_hash
from tse_core.metrics.definitions import Cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder
from tse_core.results.signature import Signature

SUBJECTS, ATTRACTORS, ROWS = "agreement-controls", "agreement-attractors", "marvin-linzen"
WHOLE = Cutoffs((1.0,), ())
# Places in which no subject decides the verb's form. None of the openers stands in agreement-controls.
OPENERS = (
    "I believe that",
    "People say that",
    "He told us that",
    "It is likely that",
    "She hopes that",
)
MODALS = ("will", "can", "must", "should", "would")
PAST = "last week you"
NOUN_PLACE = "The"
RIGHTS = (
    "it.",
    "them.",
    "now.",
    ".",
)  # what a masked model reads after the verb, one after the other


def controlled_verbs(lemmas: str = DEFAULT) -> pd.DataFrame:
    """The verbs of a list that count in the controls, and what is known of each.

    Left out are verbs whose base is a past form too (*cut*: after *he* a past is no error), modals, and hyphenated
    ones. ``also_noun`` comes from the inflection library lemminflect and 44 verbs added by hand
    (data/lemmas/exceptions.yaml), not from the paper; ``noun_share`` is the share of noun uses among the verb's and
    the noun's in WordNet's sense counts (missing where neither is counted).

    Returns a table: lemma, singular, plural, past, also_noun, zipf, verb_uses, noun_uses, noun_share.
    """
    table = load_lemmas(lemmas).table.drop_duplicates("lemma")
    ambiguous = (table["homograph"] != "") | table["plural"].str.contains("-")
    lexicon = pd.read_csv(data_folder() / "lexicon.csv", keep_default_na=False)
    known = (
        table[~ambiguous]
        .merge(lexicon, on="lemma", how="left")
        .rename(columns={"noun": "also_noun"})
    )
    uses = known["noun_uses"] + known["verb_uses"]
    known["noun_share"] = known["noun_uses"] / uses.where(uses > 0)
    return known[
        [
            "lemma",
            "singular",
            "plural",
            "past",
            "also_noun",
            "zipf",
            "verb_uses",
            "noun_uses",
            "noun_share",
        ]
    ].reset_index(drop=True)


def controls_for(
    model: LanguageModel, lemmas: str = DEFAULT, tables=None
) -> dict[str, Callable[[], Detail]]:
    """The tables of a recorded run, as ``record_details`` takes them: those given, or all."""
    return {
        name: partial(measure, model, lemmas)
        for name, measure in (tables or MEASURES | BARE).items()
    }


def subject_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """Every verb after every subject of agreement-controls: a row for each.

    ``log_odds`` is by whole words, each form's probability times that of the word's end there; ``log_odds_tokens``
    without the ends; ``end_singular`` and ``end_plural`` are the log-probabilities of the ends.
    """
    words = evaluate(
        model, SUBJECTS, lemmas, word_end=True, cutoffs=WHOLE, detail="forms", sample="all"
    )
    tokens = evaluate(model, SUBJECTS, lemmas, cutoffs=WHOLE, detail="forms")
    if tokens.lemmas["lemma"].tolist() != words.lemmas["lemma"].tolist():
        raise AssertionError("verbs by whole words and by tokens differ")
    columns = {"log_odds": words.log_odds, "log_odds_tokens": tokens.log_odds}
    for form in ("singular", "plural"):
        columns[f"end_{form}"] = (
            words.log_probabilities(form) - tokens.log_probabilities(form)
        ).round(2)
    signatures = {"whole words": words.signature, "single tokens": tokens.signature}
    return small_detail(by_verb(words, columns, lemmas), signatures)


def bare_subject_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """As `subject_table`, by single tokens alone, without a BOS token, after an opener and *the N*, *he* or *she*."""
    bare, tables, signatures = model.with_policies(bos="none"), [], {}
    for slug in ("opener-noun", "he-she-they"):
        found = evaluate(bare, f"{SUBJECTS}/{slug}", lemmas, cutoffs=WHOLE, detail="forms")
        tables.append(by_verb(found, {"log_odds_tokens": found.log_odds}, lemmas))
        signatures[slug] = found.signature
    return small_detail(
        pd.concat(tables, ignore_index=True).drop(columns=["left", "right"]), signatures
    )


def attractor_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """Every context of agreement-attractors and kind of verb: a row for each.

    ``verbs`` of the kind, how many are ``correct``, and their mean ``margin`` of the form that agrees.
    """
    found = evaluate(model, ATTRACTORS, lemmas, cutoffs=WHOLE, detail="forms")
    contexts = found.contexts[
        ["preposition", "adverb", "noun", "attractor", "attractor_number", "number"]
    ]
    tables = []
    for also_noun in (False, True):
        margins = _margins(found)[
            :, counted_lemmas(found, lemmas) & (found.lemmas["noun"] == also_noun).to_numpy()
        ]
        counts = {
            "verbs": margins.shape[1],
            "correct": (margins > 0).sum(axis=1),
            "margin": margins.mean(axis=1),
        }
        tables.append(contexts.assign(also_noun=also_noun, **counts))
    return small_detail(pd.concat(tables, ignore_index=True), {ATTRACTORS: found.signature})


def row_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """Every row of Table 2, noun, number and verb: in how many ``contexts`` it agrees and its mean ``log_odds``.

    Rows are scored one by one, so that only the forms of one are in memory.
    """
    tables, signatures = [], {}
    for slug in load_grammar(ROWS).constructions:
        found = evaluate(model, f"{ROWS}/{slug}", lemmas, cutoffs=WHOLE, detail="forms")
        counted = counted_lemmas(found, lemmas)
        right, odds = _margins(found)[:, counted] > 0, found.log_odds[:, counted]
        cells = found.contexts.groupby(["construction", "noun", "number"], sort=False).indices
        for cell, rows in cells.items():
            about = dict(zip(["construction", "noun", "number"], cell, strict=True))
            about |= {"lemma": found.lemmas["lemma"][counted], "contexts": len(rows)}
            sums = {
                "correct": right[rows].sum(axis=0),
                "log_odds": odds[rows].mean(axis=0).round(4),
            }
            tables.append(pd.DataFrame(about | sums))
        signatures[slug] = found.signature
    return small_detail(pd.concat(tables, ignore_index=True), signatures)


def likelihood_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """Every verb of the vocabulary and its mean log-probability where no subject decides its form.

    ``modal``: of its base after an opener, *you* and a modal. ``past``: of its past form after an opener and *last week
    you* (missing where it is no single token). ``as_noun``: of its base after *The*.
    """
    counted = counted_verbs(model, load_lemmas(lemmas)).lemmas
    verbs = controlled_verbs(lemmas).merge(counted[["lemma"]], on="lemma")
    places = {
        "modal": [f"{opener} you {modal}" for opener in OPENERS for modal in MODALS],
        "past": [f"{opener} {PAST}" for opener in OPENERS],
        "as_noun": [NOUN_PLACE],
    }
    table = verbs[["lemma"]].copy()
    for name, lefts in places.items():
        ids = model.word_ids(verbs["past" if name == "past" else "plural"].tolist())
        rights = RIGHTS if model.kind == "masked" else ("",)
        slots = [slot_distribution(model, left, right) for left in lefts for right in rights]
        logs = [slot.set_index("id")["log_probability"] for slot in slots]
        known = [np.nan if i is None else np.mean([log[i] for log in logs]) for i in ids]
        table[name] = np.array(known, dtype="float32").round(4)
    signature = evaluate(model, f"{SUBJECTS}/it", lemmas, cutoffs=WHOLE).signature
    asked = pd.DataFrame(
        [(name, left) for name, of in places.items() for left in of], columns=["key", "left"]
    )
    identity = {"model": signature.identity["model"], "data": f"likelihoods@{data_hash(asked)}"}
    return Detail(table, {"likelihoods": Signature(identity, signature.policy)})


def by_verb(found: Evaluation, columns: dict[str, np.ndarray], lemmas: str) -> pd.DataFrame:
    """A row for each context and verb that counts, with arrays (contexts, lemmas) as its columns."""
    counted = counted_lemmas(found, lemmas)
    contexts = found.contexts[["construction", "opener", "noun", "number", "left", "right"]]
    table = contexts.loc[np.repeat(contexts.index, counted.sum())].reset_index(drop=True)
    table["lemma"] = np.tile(found.lemmas["lemma"][counted], len(contexts))
    return table.assign(
        **{name: values[:, counted].ravel().round(4) for name, values in columns.items()}
    )


def counted_lemmas(found: Evaluation, lemmas: str) -> np.ndarray:
    """Which of an evaluation's lemmas count in the controls: bool (lemmas,)."""
    return found.lemmas["lemma"].isin(controlled_verbs(lemmas)["lemma"]).to_numpy()


def _margins(found: Evaluation) -> np.ndarray:
    """Log-probability of the form that agrees less that of the other: (contexts, lemmas)."""
    return np.where(found.plural, -found.log_odds, found.log_odds)


MEASURES = {
    "controls": subject_table,
    "attractors": attractor_table,
    "rows": row_table,
    "likelihoods": likelihood_table,
}
BARE = {
    "bare_controls": bare_subject_table,
    "bare_attractors": lambda model, lemmas: attractor_table(
        model.with_policies(bos="none"), lemmas
    ),
}
