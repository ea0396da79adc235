"""BLiMP: 67 paradigms of 1,000 minimal pairs in 12 phenomena, or any other paradigms.

sentence pairs -> log-probabilities of both sides -> per-pair table
               -> accuracy per paradigm, per phenomenon, overall

Finished paradigms go into the store one by one: a stopped run resumes where it was, and a
paradigm's scores do not depend on which others ran with it. BLiMP is by Warstadt et al. (2020).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from tse_core.datasets.completions import completed
from tse_core.datasets.loading import (
    blimp_paradigms,
    data_hash,
    load_sentence_pairs,
)
from tse_core.datasets.pairs import FURTHER_BAD, PREFIX_FIELDS, origin_of
from tse_core.datasets.plain_tables import sound_rows
from tse_core.errors import InputError, check_known
from tse_core.files import safe_name
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import AnyModel, as_model
from tse_core.results.running import tables_of_pieces
from tse_core.results.saved import Saved, write_saved
from tse_core.results.signature import Signature, signature_of
from tse_core.results.store import Store, store_for
from tse_core.results.tidy import tidied
from tse_core.sentences.accuracies import GROUPS, Accuracies, accuracy
from tse_core.sentences.columns import CLUSTER, ITEM, MACRO, OF_PAIRS, names_beside
from tse_core.sentences.preferences import (
    Normalise,
    Ties,
    UnknownWords,
    check_normalise,
    check_policies,
    further_bad,
    judged,
    name_of_pair,
    scored_pairs,
    usual_method_of,
)
from tse_core.sentences.tokens import Advance, Method, check_method
from tse_core.words import First

ITEM_COLUMNS = [  # that a mixed model needs, in front of the others
    "model", "data", "phenomenon", "paradigm", "pair_id", "good", "bad", "correct", "margin",
]  # fmt: skip


@dataclass(frozen=True, repr=False)
class PairScores:
    """Every pair's scores and the signature of the run.

    It prints its accuracy and its signature, in a notebook as a table.

    The columns are those of :func:`score_pairs`, phenomenon, distinct_pair (the item: the same
    number for rows of one paradigm in which the method reads the same texts) and, where pairs are
    clustered, cluster; then good and bad, the sentences, and the data's further columns. One that
    is called like a column of scores or accuracies stands there as ``data_NAME``. By one prefix
    completion_good and completion_bad are the words after it; of several wrong ones the likeliest
    stands there, and in bad.
    """

    pairs: pd.DataFrame
    signature: Signature

    def __repr__(self) -> str:
        correct = self.pairs["correct"]
        scores = f"accuracy {correct.mean():.3f}"
        if self.has_macro_mean:
            scores += f"  macro mean {self.accuracy(MACRO)['accuracy'].item():.3f}"
        return f"{scores}  over {correct.count():,} pairs | {self.signature}"

    def _repr_html_(self) -> str:
        accuracies = self.accuracy()[["paradigm", "accuracy", "low", "high", "pairs"]]
        table = accuracies.to_html(index=False, float_format="%.3f")
        return f"{table}<p><code>{escape(str(self.signature))}</code></p>"

    @property
    def has_macro_mean(self) -> bool:
        """Whether there are several paradigms, so that their mean is not that of all pairs."""
        return self.pairs["paradigm"].nunique() > 1

    def accuracy(self, by: str = "paradigm") -> pd.DataFrame:
        """See :func:`accuracy`."""
        return accuracy(self.pairs, by)

    def item_table(self) -> pd.DataFrame:
        """A row for each pair, as a mixed model takes them.

        Returns
        -------
        DataFrame with model, data, phenomenon, paradigm, pair_id, good and bad (the sentences),
        correct (1.0, 0.0, a half, or NaN), margin (nats, or nats per unit of `normalise`), then the
        other columns of `pairs`.
        """
        named = self.pairs.assign(model=self.signature.model, data=self.signature.data_name)
        first = [name for name in ITEM_COLUMNS if name in named]
        others = [name for name in named if name not in first]
        return named[[*first, *others]]

    def save(self, path: str | Path) -> None:
        """All of it in one .parquet file, which `tse_core.load_scores` reads.

        Raises InputError: another ending; the file cannot be written.
        """
        write_saved(path, self.tidy(), {"pairs": self.pairs}, {})

    @classmethod
    def of_saved(cls, saved: Saved) -> Self:
        """The scores in a file of saved ones."""
        return cls(saved.tables["pairs"], saved.signature)

    def tidy(self, by: str | None = None) -> pd.DataFrame:
        """Accuracies of all pairs, phenomena and paradigms, a row each, in columns of result files.

        The row "macro mean" is the mean over paradigms, where there are several.

        ``by`` is a further column of the pairs whose values get a row each, too; one that is the
        name of another row stands as ``by=value``.
        All pairs are called "Overall" where they are BLiMP's 67 paradigms; a phenomenon of BLiMP
        with a paradigm missing has no row, so that no part stands for the whole.
        """
        published, paradigms = blimp_paradigms(), set(self.pairs["paradigm"])
        incomplete = []
        for phenomenon, group in published.groupby("phenomenon"):
            if not set(group["UID"]) <= paradigms:
                incomplete.append(phenomenon)
        name = "Overall" if paradigms == set(published["UID"]) else "all pairs"
        taken = {name, "macro mean", *incomplete, *paradigms, *self.pairs["phenomenon"]}
        accuracies = Accuracies(self.pairs)
        parts = [accuracies.by("all").assign(construction=name)]
        if len(paradigms) > 1:
            parts.append(accuracies.by(MACRO).assign(construction="macro mean"))
        groupings = [by] if by else []
        for grouping in dict.fromkeys([*groupings, "phenomenon", "paradigm"]):
            part = accuracies.by(grouping).rename(columns={grouping: "construction"})
            if grouping in GROUPS:
                part = part[~part["construction"].isin(incomplete)]
            else:
                part["construction"] = _told_apart(grouping, part["construction"], taken)
            parts.append(part)
        table = pd.concat(parts, ignore_index=True).dropna(subset=["construction"])
        table = table.drop_duplicates("construction")
        table = table.rename(columns={"accuracy": "score"})
        table = table.assign(metric="accuracy", contexts=table["pairs"])
        table["invalid"] = 1 - table["judged"] / table["pairs"]
        return tidied(table, self.signature, self.signature.policy["method"])


def evaluate_blimp(
    model: AnyModel | str | Path,
    pairs: pd.DataFrame | str | Path = "blimp",
    *,
    method: Method | None = None,
    bos: str | None = None,
    space: bool | None = None,
    first: First = "as-is",
    ties: Ties = "wrong",
    unknown_words: UnknownWords = "flag",
    normalise: Normalise | None = None,
    cluster: str | None = None,
    store: Store | str | Path | None = "default",
) -> PairScores:
    """Score all paradigms that the method suits.

    Parameters
    ----------
    model : LanguageModel, a model that gives surprisals only, or what `load_model` takes
    pairs : sentence pairs, or a name or file that :func:`tse_core.load_sentence_pairs` knows
        The prefix methods take the paradigms that allow them: 20 of BLiMP's 67 each, of which 8
        repeat what they read. `irregular_plural_subject_verb_agreement_2` has 573 distinct items
        by two prefixes, which are worth 201 of equal weight.
    method, bos, space, first, ties, unknown_words, normalise : as in :func:`tse_core.score_pairs`
        The signature names `normalise` where there is one. Per token the sums of an earlier run
        serve; per character or byte pairs are scored anew.
    cluster : a column of the pairs whose values are sampled, such as the item of several pairs
        By default rows in which the method reads the same texts are one: the sentences, or by a
        prefix method the prefixes and words. A value is one cluster in all paradigms. It changes
        intervals, no score; the signature names it.
    store : where finished paradigms and accuracies are kept and looked up
        As in :func:`tse_core.evaluate`.

    Raises
    ------
    InputError : before anything is scored an unknown name, policy or column, a missing or empty
        field; then the paradigm in which the model gave NaN, while those before it are in the
        store.
    """
    check_policies(first=first, ties=ties, unknown_words=unknown_words)
    model = as_model(model).with_policies(bos=bos, space=space)
    if method is not None:
        check_method(model.kind, model.label, method)  # before a large set is read
    pairs = load_sentence_pairs(pairs)
    if method is None:
        method = usual_method_of(pairs.columns, pairs.get("methods"))
    method = check_method(model.kind, model.label, method)
    check_normalise(normalise, method)
    origin = origin_of(pairs)
    name = origin.name or "sentence-pairs"
    pairs = _scorable(model, pairs, method, origin.name)
    beside = _beside(pairs, method, cluster)
    # Further columns, such as the cluster's, are no part of the data: they change no score.
    pairs = pairs[[column for column in pairs if column in OF_PAIRS]]

    after: dict[str, str] = {"ties": ties, "unknown": unknown_words}
    if normalise is not None:
        after["normalise"] = normalise
    if method in PREFIX_FIELDS and model.kind == "masked":
        after["completion"] = "pll"
    if cluster is not None:
        after["cluster"] = f"{cluster}@{data_hash(beside[[CLUSTER]])}"
    signature = signature_of(
        model,
        f"{name}@{data_hash(pairs)}",
        "pairs",
        before={"method": method, "first": first},
        after=after,
    )
    store = store_for(model, store)
    request = _piece_signature(signature, name)
    # Pairs are scored paradigm by paradigm, and their scores stay in this order.
    order = np.argsort(pairs.groupby("paradigm", sort=False).ngroup(), kind="stable")
    pairs, beside = pairs.iloc[order], beside.iloc[order].reset_index(drop=True)
    paradigms = dict(list(pairs.groupby("paradigm", sort=False)))
    of_paradigms, scores_provenance = _scores_of_paradigms(model, paradigms, request, store)
    scores = pd.concat(of_paradigms, ignore_index=True)
    phenomena = beside.pop("phenomenon")
    scores = pd.concat([phenomena, scores, beside], axis=1)
    if method == "one-prefix":
        scores = _with_completions(scores, pairs)
    scores = judged(scores, ties=ties, unknown_words=unknown_words, normalise=normalise)
    if origin.source:
        scores_provenance = {**scores_provenance, "source": origin.source}
    signature = replace(signature, provenance=scores_provenance)
    evaluation = PairScores(scores, signature)
    if store:
        store.keep_numbers(evaluation.signature, evaluation.tidy)
    return evaluation


def _piece_signature(signature: Signature, name: str) -> Signature:
    """The signature of the log-probabilities of a paradigm, from that of the whole run.

    Paradigms that several data sets share have their scores in common: no hash of all pairs.
    """
    policy = dict(signature.policy)
    for judgement in ("ties", "unknown", "cluster"):
        policy.pop(judgement, None)
    # The lengths that are kept are in tokens, unless another unit is asked for.
    if policy.get("normalise") == "token":
        policy.pop("normalise")
    identity = {**signature.identity, "data": name.split("/")[0]}
    return replace(signature, identity=identity, policy=policy)


def _scores_of_paradigms(
    model: AnyModel, paradigms: Mapping[str, pd.DataFrame], request: Signature, store: Store | None
) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """The scores of the pairs of each paradigm, from the store or fresh, and their provenance."""
    policy: Mapping[str, Any] = request.policy
    method, first, normalise = policy["method"], policy["first"], policy.get("normalise")

    def score(group: pd.DataFrame, advance: Advance) -> dict[str, pd.DataFrame]:
        try:
            scores = scored_pairs(
                model, group, method, first=first, normalise=normalise, advance=advance
            )
        except InputError as error:
            raise InputError(f"paradigm {group['paradigm'].iloc[0]}: {error}") from error
        return {"pairs": judged(scores, normalise=normalise).reset_index(drop=True)}

    # Named after its pairs, a paradigm serves every run that has the same ones.
    pieces = {}
    for paradigm, group in paradigms.items():
        pieces[f"{safe_name(paradigm)}-{data_hash(group)}"] = (group, len(group))
    tables, scores_provenance = tables_of_pieces(
        request,
        pieces,
        score,
        ["pairs"],
        store=store,
        title=f"{model.label} {method}",
        unit="pairs",
        probe=model.probe,
    )
    return [piece["pairs"] for piece in tables.values()], scores_provenance


def _with_completions(scores: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Scores by one prefix with its two completions: the right and the likeliest wrong one."""
    prefix, good, bad = PREFIX_FIELDS["one-prefix"]
    words = pairs[bad].tolist()
    if "bad_option" in scores:
        for number, option in enumerate(scores["bad_option"]):
            words[number] = [words[number], *further_bad(pairs, number)][option]
        scores = scores.assign(bad=list(map(completed, pairs[prefix], words)))
    return scores.assign(completion_good=pairs[good].to_numpy(), completion_bad=words)


def _told_apart(column: str, values: pd.Series, taken: set[str]) -> list[str]:
    """The values of a column as labels, with its name before those that are `taken`."""
    return [f"{column}={value}" if value in taken else value for value in values]


def accuracies(runs: Mapping[str, PairScores], by: str = "paradigm") -> pd.DataFrame:
    """:func:`accuracy` of several runs in one table, with the run's name in the column model."""
    tables = [evaluation.accuracy(by).assign(model=name) for name, evaluation in runs.items()]
    return pd.concat(tables, ignore_index=True)


def _beside(pairs: pd.DataFrame, method: str, cluster: str | None) -> pd.DataFrame:
    """What stands beside the scores of pairs: phenomenon, item, cluster, sentences, other columns.

    The item is in the column `ITEM`: pairs whose fields are the same, as far as the method reads
    them, are one. A cluster, if they are clustered, is in `CLUSTER`. Raises InputError: no such
    column, or a pair without a value in it.
    """
    fields = _fields(method, pairs.columns)
    columns = {"phenomenon": pairs.get("phenomenon")}
    columns[ITEM] = pairs.groupby(["paradigm", *fields], sort=False).ngroup()
    if cluster is not None:
        check_known("column to cluster by", cluster, pairs.columns)
        empty = np.flatnonzero(pairs[cluster] == "")
        if len(empty):
            raise InputError(
                f"{len(empty):,} of {len(pairs):,} pairs have nothing in the column {cluster!r}, "
                f"by which they are clustered, first pair {empty[0] + 1}; fill it or leave these "
                "out"
            )
        columns[CLUSTER] = pairs[cluster]
    for name, new_name in names_beside(pairs.columns).items():
        columns[new_name] = pairs[name]
    return pd.DataFrame(columns, pairs.index).reset_index(drop=True)


def _fields(method: str, columns: Collection[str]) -> list[str]:
    """The columns of pairs that a method reads."""
    fields = list(PREFIX_FIELDS.get(method, ("good", "bad")))
    if method == "one-prefix" and FURTHER_BAD in columns:
        fields.append(FURTHER_BAD)
    return fields


def _scorable(model: AnyModel, pairs: pd.DataFrame, method: str, name: str) -> pd.DataFrame:
    """The pairs that allow a method and whose texts the model can read, each with a paradigm.

    Whole sentences can always be compared. A text that spells a special token of the model cannot
    be read; a warning counts such pairs. Raises InputError where no pair is left.
    """
    if "paradigm" not in pairs:
        pairs = pairs.assign(paradigm=name or "pairs")
    if method in PREFIX_FIELDS and "methods" in pairs:
        is_allowed = np.array([method in methods.split() for methods in pairs["methods"]])
        if not is_allowed.any():
            some = ", ".join(pairs["paradigm"].unique()[:5])
            raise InputError(f"no pair allows the {method} method: {some}")
        pairs = pairs[is_allowed]
    if not isinstance(model, LanguageModel):
        return pairs
    faults = [""] * len(pairs)
    for field in _fields(method, pairs.columns):
        if field not in pairs:
            continue  # which is an error of its own
        for row, error in enumerate(model.unreadable(list(map(str, pairs[field])))):
            if error and not faults[row]:
                faults[row] = f"{name_of_pair(pairs, row)}: {error}"
    what = f"the model {model.label} cannot read them"
    faults_of_pairs = pd.Series(faults, pairs.index, dtype="str")
    is_sound = sound_rows(faults_of_pairs, name or "sentence-pairs", what)
    return pairs if is_sound.all() else pairs[is_sound]
