"""What a model says at the verb slot after nouns, names and pronouns.

    controls.parquet  a context of agreement-controls and a verb: log-odds by whole words

`controlled_verbs` says which verbs count. Log-odds, of the singular form against the plural one, are in nats.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from tse_book.studies.details import Detail, small_detail
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import DEFAULT, load_lemmas
from tse_core.metrics.definitions import Cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder

SUBJECTS = "agreement-controls"
WHOLE = Cutoffs((1.0,), ())


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


def controls_for(model: LanguageModel, lemmas: str = DEFAULT) -> dict[str, Callable[[], Detail]]:
    """The table of a recorded run, as ``record_details`` takes it."""
    return {"controls": partial(subject_table, model, lemmas)}


def subject_table(model: LanguageModel, lemmas: str = DEFAULT) -> Detail:
    """Every verb after every subject of agreement-controls: a row for each, with its ``log_odds``.

    These are by whole words: each form's probability is times that of the word's end there.
    """
    found = evaluate(
        model, SUBJECTS, lemmas, word_end=True, cutoffs=WHOLE, detail="forms", sample="all"
    )
    return small_detail(by_verb(found, lemmas), {"whole words": found.signature})


def by_verb(found: Evaluation, lemmas: str) -> pd.DataFrame:
    """A row for each context and verb that counts, with ``log_odds``."""
    counted = found.lemmas["lemma"].isin(controlled_verbs(lemmas)["lemma"]).to_numpy()
    contexts = found.contexts[["construction", "opener", "noun", "number", "left", "right"]]
    table = contexts.loc[np.repeat(contexts.index, counted.sum())].reset_index(drop=True)
    lemma = np.tile(found.lemmas["lemma"][counted], len(contexts))
    return table.assign(lemma=lemma, log_odds=found.log_odds[:, counted].ravel().round(4))
