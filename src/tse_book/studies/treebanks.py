"""A model on a treebank: m at every site for every verb, without any of the treebank's text.

m is the log-odds (nats) of a verb's singular form against its plural one.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book.studies.treebank_verbs import treebank_list, treebank_verbs
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import DEFAULT, REQUIRED, Lemmas
from tse_core.datasets.loading import load_pairs, verb_list
from tse_core.datasets.pairs import SITE
from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import Signature
from tse_core.results.store import Store

NOUN, PRONOUN = "noun", "pronoun"
WORD_SITES = 16  # of each number, at which verbs are scored by whole words
SITE_COLUMNS = (
    *SITE, "document", "genre", "kind", "number", "distance", "between", "lemma", "words_before", "ends_in_s",
)  # fmt: skip


class TreebankScores(NamedTuple):
    """What a model said at the sites of a treebank.

    Attributes
    ----------
    sites : `SITE_COLUMNS`, a row for each site: those of `tse_core.datasets.formats.conllu.sites`, distance a number; lemma
        its own verb; words_before, how many words stand before it; ends_in_s, whether the last of them ends in -s
    verbs : the rows of `tse_book.studies.treebank_verbs.treebank_verbs` that count for the model
    log_odds : m, (sites, verbs)
    likelihoods : mean log-probability (nats) of the two forms, (sites, verbs); NaN but after pronouns
    signature : how they were made
    left_out : how many verbs of the treebank are no sites, by the rule that each fails
    """

    sites: pd.DataFrame
    verbs: pd.DataFrame
    log_odds: np.ndarray
    likelihoods: np.ndarray
    signature: Signature
    left_out: dict[str, int]


def treebank_scores(model: LanguageModel, data: str, store: Store | None = None) -> TreebankScores:
    """A model on a treebank, with the verb list of its language; in English with pairs of nouns beside the verbs.

    Raises InputError: what `load_pairs` and `evaluate` raise.
    """
    pairs = load_pairs(data)
    listed = list_of(pairs)
    english = listed.name == DEFAULT
    scored = treebank_list(listed) if english else listed
    evaluation = evaluate(model, pairs, scored, detail="forms", store=store)
    return scores_of(evaluation, listed)


def word_scores(model: LanguageModel, data: str, store: Store | None = None) -> TreebankScores:
    """The same by whole words with their ends, so that rare verbs count, too, at a few sites right after a noun.

    These are `WORD_SITES` sites of each number, drawn once. Raises InputError: as `treebank_scores`, or there are fewer.
    """
    pairs = load_pairs(data)
    after_noun = (pairs["kind"] == NOUN) & (pairs["distance"].astype(int) == 0)
    sites = pairs[after_noun]
    fewest = sites["number"].value_counts().reindex(["singular", "plural"], fill_value=0).min()
    if fewest < WORD_SITES:
        raise InputError(
            f"{data}: {fewest} sites after nouns of one number; {WORD_SITES} are drawn"
        )
    drawn = sites.groupby("number").sample(WORD_SITES, random_state=0).index
    listed = list_of(pairs)
    evaluation = evaluate(
        model,
        pairs.loc[sorted(drawn)],
        listed,
        verbs="all",
        sample="all",
        detail="forms",
        store=store,
    )
    return scores_of(evaluation, listed)


def list_of(pairs: pd.DataFrame) -> Lemmas:
    """The verb list of the language of a treebank's pairs."""
    return verb_list(pairs, None, "exact")


def scores_of(evaluation: Evaluation, lemmas: Lemmas) -> TreebankScores:
    """The scores of a treebank from an evaluation with detail "forms", of these verbs and perhaps pairs of nouns."""
    sites = site_table(evaluation)
    after_pronoun = (sites["kind"] == PRONOUN).to_numpy()
    of_forms = evaluation.log_probabilities("singular"), evaluation.log_probabilities("plural")
    likelihoods = np.full(evaluation.log_odds.shape, np.nan, dtype="float32")
    likelihoods[after_pronoun] = (of_forms[0][after_pronoun] + of_forms[1][after_pronoun]) / 2
    return TreebankScores(
        sites,
        known_verbs(evaluation.lemmas, lemmas),
        evaluation.log_odds,
        likelihoods,
        evaluation.signature,
        dict(evaluation.left_out),
    )


def site_table(evaluation: Evaluation) -> pd.DataFrame:
    """`SITE_COLUMNS` of the contexts of an evaluation; each has one pair, whose verb is its lemma."""
    contexts = evaluation.contexts
    lemma_of = evaluation.pairs.set_index("context")["lemma"]
    sites = contexts.reindex(columns=list(SITE_COLUMNS), fill_value="")
    words = contexts["left"].str.split()
    return sites.assign(
        token=contexts["token"].astype(int),
        distance=contexts["distance"].astype(int),
        lemma=contexts.index.map(lemma_of),
        words_before=words.str.len(),
        ends_in_s=words.str[-1].str.lower().str.endswith("s"),
    )


def known_verbs(counted: pd.DataFrame, lemmas: Lemmas) -> pd.DataFrame:
    """What is known of the verbs that counted, in their order: rows of `treebank_verbs`."""
    known = treebank_verbs(lemmas).drop_duplicates(list(REQUIRED))
    return counted[list(REQUIRED)].merge(known, on=list(REQUIRED), how="left", validate="1:1")
