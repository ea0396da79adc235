"""The verbs that are asked about in treebanks, with pairs of nouns beside them, and what is known of each.

Pairs of nouns (*problems*, *problem*) are no verbs: what they move with the subject's number is not agreement. They are
the nouns of data/nouns/key.csv whose plural is there, known to an inflection library as nouns and as nothing else.
"""

import numpy as np
import pandas as pd

from tse_core.datasets.lemmas import DEFAULT, REQUIRED, Lemmas, load_lemmas
from tse_core.paths import data_folder

ALSO, NEVER, PAIRS = "also", "never", "noun pairs"
OTHER_USES = 5  # tagged so often, and never as a verb, a word is taken for none


def treebank_verbs(lemmas: Lemmas | str = DEFAULT) -> pd.DataFrame:
    """The verbs of a list and the pairs of nouns: what `tse_book.claims.panels.Panel` takes as its verbs.

    Returns a table: lemma, singular, plural, kind ("also", "never"; "noun pairs", of which singular is the form in -s;
    "" where the list does not say which verbs are nouns), noun_share (NOUN + .5) / (NOUN + VERB + AUX + 1) of the base
    form in English treebanks (data/tag_counts.csv), zipf, homograph (the base is the past form, too), attested.

    A verb is attested unless its two forms are tagged five times or more in these treebanks, never as a verb, and
    WordNet's sense counts have no use of it as one (*team/teams*, *wall/walls*). Of a list that does not say which
    verbs are nouns, such as that of another language, every verb is.
    """
    table = load_lemmas(lemmas).table.copy()
    says_nouns = "noun" in table
    table["kind"] = np.where(table["noun"], ALSO, NEVER) if says_nouns else ""
    table["homograph"] = table["homograph"] == "past" if "homograph" in table else False
    table["zipf"] = table["zipf"].astype(float) if "zipf" in table else np.nan
    table["attested"] = _attested(table) if says_nouns else True
    columns = [*REQUIRED, "kind", "zipf", "homograph", "attested"]
    joined = pd.concat([table[columns], noun_pairs()[columns]], ignore_index=True)
    joined["noun_share"] = noun_shares(joined["plural"])
    return joined


def treebank_list(lemmas: Lemmas | str = DEFAULT) -> Lemmas:
    """These verbs and pairs of nouns as a list for `tse_core.evaluate`, in the order of `treebank_verbs`."""
    listed = load_lemmas(lemmas)
    return Lemmas(f"{listed.name}-and-nouns", treebank_verbs(listed)[list(REQUIRED)])


def noun_pairs() -> pd.DataFrame:
    """The pairs of nouns: the columns of `treebank_verbs`, without noun_share."""
    nouns = pd.read_csv(data_folder() / "nouns" / "key.csv", keep_default_na=False)
    nouns = nouns[nouns["plural"] != ""]
    pairs = {"lemma": nouns["word"], "singular": nouns["plural"], "plural": nouns["word"]}
    known = {
        "kind": PAIRS,
        "zipf": nouns["zipf"].astype(float),
        "homograph": False,
        "attested": True,
    }
    return pd.DataFrame(pairs | known)


def tag_counts() -> pd.DataFrame:
    """How often each form is tagged noun, verb, aux and other in English treebanks, by the form."""
    return pd.read_csv(data_folder() / "tag_counts.csv", keep_default_na=False).set_index("form")


def noun_shares(forms: pd.Series) -> np.ndarray:
    """The share of noun uses of each form among those as noun or verb, (n,); .5 where neither is met."""
    counts = tag_counts().reindex(forms, fill_value=0)
    nouns = counts["noun"] + 0.5
    return (nouns / (nouns + counts["verb"] + counts["aux"] + 0.5)).to_numpy()


def lexicon_shares(lemmas: pd.Series) -> np.ndarray:
    """The same shares of verbs among WordNet's sense counts, (n,); .5 where it has none."""
    uses = _lexicon().reindex(lemmas, fill_value=0)
    nouns = uses["noun_uses"] + 0.5
    return (nouns / (nouns + uses["verb_uses"] + 0.5)).to_numpy()


def _lexicon() -> pd.DataFrame:
    """The uses of each lemma as a verb and as a noun, in WordNet's sense counts."""
    lexicon = pd.read_csv(data_folder() / "lexicon.csv", keep_default_na=False)
    return lexicon.drop_duplicates("lemma").set_index("lemma")


def _attested(verbs: pd.DataFrame) -> np.ndarray:
    """Whether nothing speaks against each verb's being one, bool (verbs,)."""
    counts = tag_counts()
    of_forms = [counts.reindex(verbs[form], fill_value=0).to_numpy() for form in REQUIRED[1:]]
    both = pd.DataFrame(sum(of_forms), columns=counts.columns)
    in_lexicon = _lexicon()["verb_uses"].reindex(verbs["lemma"], fill_value=0).to_numpy() > 0
    as_verb = (both["verb"] + both["aux"]).to_numpy()
    otherwise = (both["noun"] + both["other"]).to_numpy()
    return in_lexicon | (as_verb > 0) | (otherwise < OTHER_USES)
