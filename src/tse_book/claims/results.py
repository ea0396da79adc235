"""Measured results for checking claims: each number once, looked up by model, construction, metric and cut-off."""

from collections.abc import Mapping

import pandas as pd

from tse_book.claims.choices import POLICIES
from tse_book.published import lemmas_in_vocabulary
from tse_core.errors import InputError
from tse_core.results.signature import Signature

# How Newman et al., BLiMP and SyntaxGym made their numbers:
PAPERS_WAY = {
    "released": "",
    "full-sentence": "",
    "syntaxgym": "<|endoftext|>",
}  # protocol or method -> BOS, if any
_KEY = ["hf_name", "construction", "metric", "side"]


class Results:
    """A table of results (in the schema `tse_book.claims.judging.RESULTS`), reduced to the `preferred` ones."""

    def __init__(self, table: pd.DataFrame):
        self.whole = table
        self.table = preferred(table)
        self._numbers = {
            self._key(row): row for row in self.table.dropna(subset="score").to_dict("records")
        }

    @staticmethod
    def _key(row: Mapping) -> tuple:
        return (*(row[name] for name in _KEY), f"{row['cutoff']:.5g}")

    def of(self, model: str, *metrics: str) -> pd.DataFrame:
        """The numbers of one model, of these metrics where some are named."""
        here = self.table["hf_name"] == model
        return (
            self.table[here & self.table["metric"].isin(metrics)] if metrics else self.table[here]
        )

    def one(self, case: dict) -> dict | None:
        """The number that a case names: its model, construction, metric, side (top) and cutoff (1); None if missing."""
        return self._numbers.get(
            self._key({"side": "top", "cutoff": 1.0, **case, "hf_name": case["model"]})
        )

    def switched(self, signature: str) -> list[tuple[str, str, "Results"]]:
        """The same model's results where one policy is another: its name, its value there, the results."""
        ours = policy(signature)
        texts = [text for text in self.whole["signature"].unique() if ours and policy(text)]
        found: dict[tuple[str, str], list[str]] = {}
        for text in texts:
            theirs = policy(text)
            differing = [name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)]
            same_model = Signature.parse(text).model == Signature.parse(signature).model
            if same_model and len(differing) == 1 and differing[0] in POLICIES:
                value = theirs.get(differing[0], "as usual")
                found.setdefault((differing[0], value), []).append(text)
        return [
            (name, value, Results(self.whole[self.whole["signature"].isin(texts)]))
            for (name, value), texts in found.items()
        ]


def preferred(results: pd.DataFrame) -> pd.DataFrame:
    """Each number once, and a model's numbers of one kind all under the same policies, so that none are mixed.

    Preferred are numbers with the paper's lemma count, then those made in the paper's way, then the largest group.
    Those of whole words or of a sample of contexts are left out: they answer other questions than the paper's.
    """
    policies_of = {text: policy(text) for text in results["signature"].unique()}
    asked = results["signature"].map(lambda text: not {"forms", "sample"} & set(policies_of[text]))
    table = results[asked.astype(bool)]
    policies = [policies_of[text] for text in table["signature"]]
    how = table["protocol"] + table["method"]
    bos = [names.get("bos", "none") for names in policies]
    table = table.assign(
        same_list=table["lemmas"] == table["hf_name"].map(lemmas_in_vocabulary()),
        released=[
            way in PAPERS_WAY and PAPERS_WAY[way] in ("", read)
            for way, read in zip(how, bos, strict=True)
        ],
        kind=[" ".join(name for name in names if name != "lemmas") for names in policies],
        way=[f"{way} {names}" for way, names in zip(how, policies, strict=True)],
    )
    question = ["hf_name", "metric", "kind"]
    table["numbers"] = table.groupby([*question, "way"])["score"].transform("size")
    table = table.sort_values(["same_list", "released", "numbers"], ascending=False, kind="stable")
    best = table.groupby(question)["way"].transform("first")
    return table[table["way"] == best].drop_duplicates([*_KEY, "cutoff"])


def policy(signature: str) -> Mapping[str, str]:
    """The policies that a signature's line names; none in any other text."""
    try:
        return Signature.parse(signature).policy
    except InputError:
        return {}
