"""Rows for the ledger: what a model did, as numbers with the names that the claims use.

`Evaluation.tidy` gives the ledger Table 2 and the curves, `PairScores.tidy` BLiMP; the other claims need other
numbers, made here from suite outcomes and distributions at the verb slot. Every function returns a table of
`TIDY_COLUMNS`, which results files and the store hold as well; ``lemmas`` is 0 where no lemma list is involved.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

from tse_book import published
from tse_book.studies.slot_shares import form_shares, slot_scores
from tse_core.agreement.slots import marked_distribution
from tse_core.agreement.verbs import counted_verbs
from tse_core.datasets.lemmas import DEFAULT, Lemmas, load_lemmas
from tse_core.datasets.loading import data_hash
from tse_core.models.slots import all_read, read, slot_policy
from tse_core.results.signature import Signature, signature_of
from tse_core.results.tidy import tidied
from tse_core.syntaxgym.library import public_suites
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.shares import joined, wilson
from tse_core.uncertainty.subject_nouns import subject_clusters
from tse_extras.sweep.curves import scores_over

BLANK = "[mask]"  # as Table 3 prints the verb's place
TEMPLATE_VERBS = ("like", "hate", "love")  # TSE's verbs in Table 3's first sentence
LIKE = (
    "like",
    "likes",
)  # the text says that the first (wrong) form is more probable in both sentences
BOUNDS = ["score", "low", "high"]


def suite_rows(outcomes: Sequence) -> pd.DataFrame:
    """Accuracy of one model on each suite (first prediction, as recorded by Hu et al. 2020), circuit, and SG score.

    The value of a circuit, or the SG score, is the mean over its suites among the 31 analysed, if all of them ran.
    """
    rows = []
    for outcome in outcomes:
        first = outcome.items.loc[outcome.items["prediction"] == 1, "holds"]
        rows.append((outcome.suite.name, *wilson(int(first.sum()), len(first)), len(first)))
    suites = pd.DataFrame(rows, columns=["construction", *BOUNDS, "pairs"])
    public = public_suites().query("in_31")
    for name, group in [*public.groupby("circuit"), ("SG score", public)]:
        own = suites[suites["construction"].isin(group["suite"])]
        if len(own) == len(group):
            rows.append((name, *joined(*(own[end] for end in BOUNDS)), own["pairs"].sum()))
    table = pd.DataFrame(rows, columns=suites.columns).assign(metric="accuracy")
    return _tidy(
        table, suites_signature([outcome.signature for outcome in outcomes]), method="syntaxgym"
    )


def suites_signature(signatures: Sequence[Signature]) -> Signature:
    """One signature for a model's outcomes on several suites."""
    made = signatures[0]
    data = pd.DataFrame({"suite": [signature.identity["data"] for signature in signatures]})
    return Signature(
        {"model": made.identity["model"], "data": f"suites@{data_hash(data)}"}, made.policy
    )


def sentence_rows(model, lemmas: Lemmas | str = DEFAULT) -> pd.DataFrame:
    """Table 3 from a model: probabilities of the printed subwords and of `LIKE`, their share in its top 10, TSE."""
    lemmas = load_lemmas(lemmas)
    printed = published.table3()
    rows, contexts = [], []
    for sentence, group in printed.groupby("sentence", sort=False):
        left, _, right = sentence.partition(BLANK)
        contexts.append((left.strip(), right.strip()))
        marked = marked_distribution(model, sentence.replace(BLANK, "___"), "singular", lemmas)
        words = marked["token"].str.strip()
        found = marked.assign(word=words).drop_duplicates("word").set_index("word")["probability"]
        rows += [
            (sentence, f"P({word})", float(found.get(word, 0.0)))
            for word in (*group["subword"], *LIKE)
        ]
        rows.append(
            (
                sentence,
                "top-10 overlap",
                len(set(words.head(10)) & set(group["subword"])) / len(group),
            )
        )
        if sentence == printed["sentence"].iloc[0]:
            rows.append((sentence, "TSE", slot_scores(marked, TEMPLATE_VERBS)["tse"]))
    table = pd.DataFrame(rows, columns=["construction", "metric", "score"]).drop_duplicates(
        ["construction", "metric"]
    )
    data = f"table3@{data_hash(printed[['sentence']])}"
    made = _signature(model, data, lemmas, contexts)
    return _tidy(table.dropna(subset="score").assign(contexts=1), made)


def past_rows(
    model, contexts: pd.DataFrame, lemmas: Lemmas | str = DEFAULT, *, sample: int = 200
) -> pd.DataFrame:
    """The mean probability on past forms in each construction, over a fixed sample of contexts (or pairs)."""
    shares = sampled_forms(model, contexts, lemmas, sample)
    data = f"sample-{sample}@{data_hash(shares[['left', 'right', 'number']])}"
    sides = shares[["left", "right"]].itertuples(index=False, name=None)
    made = _signature(model, data, _with_past(lemmas), sides)
    return _tidy(_means(shares, "past").assign(metric="past"), made)


def sampled_forms(model, contexts: pd.DataFrame, lemmas: Lemmas | str, sample: int) -> pd.DataFrame:
    """How the probability at the verb slot divides, past forms apart, in a fixed sample of each construction.

    A list without past forms gets those of the appendix.
    """
    contexts = contexts.drop_duplicates(["construction", "left", "right", "number"])
    groups = contexts.groupby("construction", sort=False)
    chosen = pd.concat(
        [group.sample(min(sample, len(group)), random_state=0) for _, group in groups]
    )
    return form_shares(model, chosen, _with_past(lemmas))


def not_nouns_rows(evaluation) -> pd.DataFrame:
    """EW over the lemmas that are not nouns, from an evaluation made with detail="lemmas".

    The appendix' table says which lemmas are nouns; lemmas that are not in it are left out.
    """
    table = load_lemmas("newman-appendix").table
    scores = scores_over(evaluation, set(table.loc[~table["noun"], "lemma"]))
    counted = scores.groupby("construction")["lemmas"].max()
    found = _means(scores, "ew")
    found = found.assign(metric="EW, not nouns", lemmas=found["construction"].map(counted))
    return _tidy(found, evaluation.signature)


def _means(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Each construction's mean of a column over its contexts, and its interval."""
    rows = []
    for name, group in table.groupby("construction", sort=False):
        found = interval(group[column], subject_clusters(group))
        rows.append((name, found.estimate, found.low, found.high, len(group)))
    return pd.DataFrame(rows, columns=["construction", *BOUNDS, "contexts"])


def _signature(model, data: str, lemmas: Lemmas, contexts: Iterable[tuple[str, str]]) -> Signature:
    counted = f"{lemmas.name}@{lemmas.hash}({len(counted_verbs(model, lemmas).lemmas)})"
    slot = slot_policy(all_read(read(model, list(contexts))))
    return signature_of(model, data, "exact", before={"lemmas": counted}, behind=slot)


def _with_past(lemmas: Lemmas | str) -> Lemmas:
    lemmas = load_lemmas(lemmas)
    if "past" in lemmas.table:
        return lemmas
    past = (
        load_lemmas("newman-appendix").table.drop_duplicates("plural").set_index("plural")["past"]
    )
    return Lemmas(lemmas.name, lemmas.table.assign(past=lemmas.table["plural"].map(past)))


def _tidy(table: pd.DataFrame, signature: Signature, method: str = "") -> pd.DataFrame:
    """Numbers over everything in the columns of result files."""
    return tidied(table.assign(side="top", cutoff=1.0), signature, method)
