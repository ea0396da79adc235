"""Measured results for checking claims: each number once, looked up by model, construction, metric and cut-off."""

from collections.abc import Mapping

import pandas as pd

from tse_book.claims.choices import POLICIES
from tse_book.published import lemmas_in_vocabulary
from tse_core.errors import InputError
from tse_core.results.signature import Signature

# How Newman et al., BLiMP and SyntaxGym made their numbers:
# protocol or method -> BOS, if any.
PAPERS_WAY = {"released": "", "full-sentence": "", "syntaxgym": "<|endoftext|>"}
_KEY = ["hf_name", "construction", "metric", "side"]


class Results:
    """A table of results (in the schema `tse_book.claims.judging.RESULTS`), reduced to the `preferred` ones."""

    def __init__(self, table: pd.DataFrame):
        self.whole = table
        self.table = preferred(table)
        numbers = self.table.dropna(subset="score").to_dict("records")
        self._numbers = {self._key(number): number for number in numbers}
        self._of_model = dict(list(self.table.groupby("hf_name")))

    @staticmethod
    def _key(number: Mapping) -> tuple:
        names = [number[name] for name in _KEY]
        return (*names, f"{number['cutoff']:.5g}")

    def of(self, model: str, *metrics: str) -> pd.DataFrame:
        """The numbers of one model, of these metrics where some are named."""
        numbers = self._of_model.get(model, self.table.iloc[:0])
        if not metrics or numbers.empty:
            return numbers
        return numbers[numbers["metric"].isin(metrics)]

    def one(self, case: dict) -> dict | None:
        """The number of a case's model, construction, metric, side and cut-off; None if missing.

        By default of the whole distribution: side top, cut-off 1.
        """
        number = {"side": "top", "cutoff": 1.0, **case, "hf_name": case["model"]}
        return self._numbers.get(self._key(number))

    def switched(self, signature: str) -> list[tuple[str, str, "Results"]]:
        """The same model's results where one policy is another: its name, value there, results."""
        ours = policy(signature)
        if not ours:
            return []
        model = Signature.parse(signature).model
        signatures: dict[tuple[str, str], list[str]] = {}
        for text in self.whole["signature"].unique():
            theirs = policy(text)
            if not theirs or Signature.parse(text).model != model:
                continue
            differing = [name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)]
            if len(differing) == 1 and differing[0] in POLICIES:
                value = theirs.get(differing[0], "as usual")
                signatures.setdefault((differing[0], value), []).append(text)
        switched = []
        for (name, value), texts in signatures.items():
            numbers = self.whole[self.whole["signature"].isin(texts)]
            switched.append((name, value, Results(numbers)))
        return switched


def preferred(results: pd.DataFrame) -> pd.DataFrame:
    """Each number once, a model's numbers of one kind all under the same policies.

    Preferred are numbers with the paper's lemma count, then those made in the paper's way, then the
    largest group. Those of whole words or of a sample of contexts are left out: they answer other
    questions than the paper's.
    """
    policies_of = {text: policy(text) for text in results["signature"].unique()}
    of_paper = [text for text, names in policies_of.items() if not {"forms", "sample"} & set(names)]
    table = results[results["signature"].isin(of_paper)]
    policies = [policies_of[text] for text in table["signature"]]
    how = table["protocol"] + table["method"]
    bos = [names.get("bos", "none") for names in policies]
    table = table.assign(
        same_list=table["lemmas"] == table["hf_name"].map(lemmas_in_vocabulary()),
        released=list(map(_is_papers_way, how, bos)),
        kind=[_kind(names) for names in policies],
        way=[f"{way} {names}" for way, names in zip(how, policies, strict=True)],
    )
    question = ["hf_name", "metric", "kind"]
    table["numbers"] = table.groupby([*question, "way"])["score"].transform("size")
    table = table.sort_values(["same_list", "released", "numbers"], ascending=False, kind="stable")
    best = table.groupby(question)["way"].transform("first")
    return table[table["way"] == best].drop_duplicates([*_KEY, "cutoff"])


def _is_papers_way(way: str, bos: str) -> bool:
    """Whether numbers of this protocol or method, with this BOS token, are made as a paper's were."""
    return way in PAPERS_WAY and PAPERS_WAY[way] in ("", bos)


def _kind(policies: Mapping[str, str]) -> str:
    """The names of the policies, but for the lemma list."""
    return " ".join(name for name in policies if name != "lemmas")


def policy(signature: str) -> Mapping[str, str]:
    """The policies that a signature's line names; none in any other text."""
    try:
        return Signature.parse(signature).policy
    except InputError:
        return {}
