"""Rows for the ledger: what a model did, as numbers with the names that the claims use.

`Evaluation.tidy` gives the ledger Table 2 and the curves, `PairScores.tidy` BLiMP; the other claims need other
numbers, made here from suite outcomes and distributions at the verb slot. Every function returns a table of
`TIDY_COLUMNS`, which results files and the store hold as well; ``lemmas`` is 0 where no lemma list is involved.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.studies.slot_shares import form_shares, slot_scores
from tse_book.studies.some_lemmas import scores_over
from tse_core.agreement.slots import marked_distribution
from tse_core.datasets.lemmas import DEFAULT, Lemmas, load_lemmas
from tse_core.datasets.names import data_hash
from tse_core.results.signature import PROTOCOL_VERSION, Signature, provenance
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.syntaxgym.library import public_suites
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.shares import joined, wilson
from tse_core.uncertainty.tables import subject_clusters

BLANK = "[mask]"  # as Table 3 prints the verb's place
TEMPLATE_VERBS = ("like", "hate", "love")  # TSE's verbs in Table 3's first sentence
LIKE = ("like", "likes")  # the text says that the first (wrong) form is more probable in both sentences
_WHOLE = {"side": "top", "cutoff": 1.0, "low": np.nan, "high": np.nan, "coverage": np.nan, "invalid": np.nan}
_NO_LIST = {"lemmas": 0, "contexts": 0, "pairs": 0}


def suite_rows(outcomes: Iterable) -> pd.DataFrame:
    """Accuracy of one model on each suite (first prediction, as recorded by Hu et al. 2020), circuit, and SG score.

    The value of a circuit, or the SG score, is the mean over its suites among the 31 analysed, if all of them ran.
    """
    outcomes = list(outcomes)
    rows = []
    for outcome in outcomes:
        first = outcome.items.loc[outcome.items["prediction"] == 1, "holds"]
        share = wilson(int(first.sum()), len(first))
        bounds = {"score": share.estimate, "low": share.low, "high": share.high}
        rows.append({"construction": outcome.suite.name, **bounds, "pairs": len(first)})
    suites = pd.DataFrame(rows)
    if suites.empty:
        return pd.DataFrame(columns=TIDY_COLUMNS)
    public = public_suites().query("in_31")
    groups = {**dict(list(public.groupby("circuit"))), "SG score": public}
    means = [
        _mean_of(name, suites[suites["construction"].isin(group["suite"])])
        for name, group in groups.items()
        if set(group["suite"]) <= set(suites["construction"])
    ]
    signature = suites_signature([outcome.signature for outcome in outcomes])
    table = pd.concat([suites, pd.DataFrame(means)], ignore_index=True).assign(metric="accuracy")
    return _tidy(table, signature, method="syntaxgym")


def suites_signature(signatures: Sequence[Signature]) -> Signature:
    """One signature for a model's outcomes on several suites."""
    made = signatures[0]
    data = pd.DataFrame({"suite": [signature.identity["data"] for signature in signatures]})
    return Signature({"model": made.identity["model"], "data": f"suites@{data_hash(data)}"}, made.policy)


def sentence_rows(model, lemmas: Lemmas | str = DEFAULT) -> pd.DataFrame:
    """Table 3 from a model: probabilities of the printed subwords and of `LIKE`, their share in its top 10, TSE."""
    lemmas = load_lemmas(lemmas)
    printed = published.table3()
    parts = []
    for number, (sentence, rows) in enumerate(printed.groupby("sentence", sort=False)):
        marked = marked_distribution(model, sentence.replace(BLANK, "___"), "singular", lemmas)
        words = marked["token"].str.strip()
        found = marked.assign(word=words).drop_duplicates("word").set_index("word")["probability"]
        shared = len(set(words.head(10)) & set(rows["subword"])) / len(rows)
        asked = [*rows["subword"], *LIKE]
        numbers = {f"P({word})": float(found.get(word, 0.0)) for word in asked} | {"top-10 overlap": shared}
        if number == 0:
            numbers["TSE"] = slot_scores(marked, TEMPLATE_VERBS)["tse"]
        parts.append(pd.DataFrame({"construction": sentence, "metric": list(numbers), "score": list(numbers.values())}))
    table = pd.concat(parts, ignore_index=True).dropna(subset="score").assign(contexts=1)
    data = f"table3@{data_hash(printed[['sentence']])}"
    return _tidy(table, _signature(model, data, lemmas))


def past_rows(model, contexts: pd.DataFrame, lemmas: Lemmas | str = DEFAULT, *, sample: int = 200) -> pd.DataFrame:
    """The mean probability on past forms in each construction, over a fixed sample of contexts (or pairs).

    A list without past forms gets those of the appendix.
    """
    shares = sampled_forms(model, contexts, lemmas, sample)
    rows = [_bounded(group, "past") for _, group in shares.groupby("construction", sort=False)]
    data = f"sample-{sample}@{data_hash(shares[['left', 'right', 'number']])}"
    lemmas = _with_past(load_lemmas(lemmas))
    return _tidy(pd.DataFrame(rows).assign(metric="past"), _signature(model, data, lemmas))


def sampled_forms(model, contexts: pd.DataFrame, lemmas: Lemmas | str, sample: int) -> pd.DataFrame:
    """How the probability at the verb slot divides, past forms apart, in a fixed sample of each construction."""
    lemmas = _with_past(load_lemmas(lemmas))
    contexts = contexts.drop_duplicates(["construction", "left", "right", "number"])
    groups = contexts.groupby("construction", sort=False)
    chosen = pd.concat([group.sample(min(sample, len(group)), random_state=0) for _, group in groups])
    return form_shares(model, chosen, lemmas)


def not_nouns_rows(evaluation) -> pd.DataFrame:
    """EW over the lemmas that are not nouns, from an evaluation made with detail="lemmas".

    The appendix' table says which lemmas are nouns; lemmas that are not in it are left out.
    """
    groups = [group for _, group in scores_over(evaluation, only_verbs()).groupby("construction", sort=False)]
    rows = [_bounded(group, "ew") | {"lemmas": group["lemmas"].max()} for group in groups]
    table = pd.DataFrame(rows).assign(metric="EW, not nouns", pairs=0)
    return _tidy(table, evaluation.signature)


def only_verbs() -> set[str]:
    """The lemmas of the paper's appendix that are no nouns too."""
    table = load_lemmas("newman-appendix").table
    return set(table.loc[~table["noun"], "lemma"])


def _bounded(group: pd.DataFrame, column: str) -> dict:
    """A construction's row: the mean of a column over its contexts, and its interval."""
    found = interval(group[column], subject_clusters(group))
    bounds = {"score": found.estimate, "low": found.low, "high": found.high}
    return {"construction": group["construction"].iloc[0], **bounds, "contexts": len(group)}


def _mean_of(name: str, suites: pd.DataFrame) -> dict:
    """The plain mean of some suites; its bounds join theirs."""
    found = joined(*(suites[end] for end in ("score", "low", "high")))
    bounds = dict(zip(("score", "low", "high"), found, strict=True))
    return {"construction": name, **bounds, "pairs": int(suites["pairs"].sum())}


def _signature(model, data: str, lemmas: Lemmas) -> Signature:
    counted = f"{lemmas.name}@{lemmas.hash}({len(lemmas.single_entries(model)[0])})"
    policy = {"lemmas": counted, **model.policies(), "protocol": f"exact/{PROTOCOL_VERSION}"}
    return Signature({"model": model.identity(), "data": data}, policy, provenance(model.device))


def _with_past(lemmas: Lemmas) -> Lemmas:
    if "past" in lemmas.table:
        return lemmas
    past = load_lemmas("newman-appendix").table.drop_duplicates("plural").set_index("plural")["past"]
    return Lemmas(lemmas.name, lemmas.table.assign(past=lemmas.table["plural"].map(past)))


def _tidy(table: pd.DataFrame, signature: Signature, method: str = "") -> pd.DataFrame:
    """Rows in the columns of result files: of agreement under a protocol, or by another benchmark's method."""
    made = {
        "model": signature.model,
        "protocol": "" if method else signature.protocol,
        "method": method,
        "signature": str(signature),
    }
    for column, value in {**_WHOLE, **_NO_LIST}.items():
        if column not in table:
            table = table.assign(**{column: value})
    return table.assign(**made)[TIDY_COLUMNS].astype({"lemmas": int, "contexts": int, "pairs": int})
