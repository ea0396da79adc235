"""Agreement pairs from treebanks: a pair for each site, its form against the verb's other form.

The other form comes from the verb list of the language, where there is one here, else from the
treebank itself. A site whose verb no list holds has no other form: EW and MW count its context, TSE
does not.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import DEFAULT, LANGUAGES, Lemmas, load_lemmas
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, OTHER, SITE, shape
from tse_core.datasets.treebank_sites import no_sites_error, sites
from tse_core.datasets.treebank_verbs import attested_verbs
from tse_core.datasets.treebanks import language_of, read_sentences
from tse_core.errors import InputError, warn
from tse_core.words import First, Period, left_part, plain, right_part

TREEBANK = "treebank"  # the name of the verb list that is drawn from the data
# What pairs of a treebank have in ``attrs`` besides their name:
# lemmas, the name of the verb list; attested, the rows of the treebank's own;
# clusters, what the documents are; left_out, how many verbs failed each rule.
ATTRIBUTES = ("lemmas", "attested", "clusters", "left_out")
_SITE_COLUMNS = [*SITE, "document", "genre", "kind", "distance", "between", "form"]


def treebank_pairs(
    files: Sequence[Path], name: str, first: First = "as-is", period: Period = "as-is"
) -> pd.DataFrame:
    """The agreement pairs of the files of a treebank: a row for each site.

    Columns: those of agreement pairs, then ``sent_id``, ``token``, ``document``, ``genre`` (if a
    sentence states one), ``kind``, ``distance``, ``between`` and ``form``
    (``datasets/treebank_sites.py``); wrong is "" where no verb list has the other form. `name`
    is the construction. A warning counts the verbs that are no sites. Raises InputError: no site;
    what `read_sentences` raises.
    """
    sentences, clusters = read_sentences(files)
    language = language_of(files)
    table, left_out = sites(sentences, language)
    if table.empty:
        where = str(files[0]) if len(files) == 1 else name
        raise no_sites_error(where, sentences)
    _warn_of_others(name, len(table), left_out)
    pairs = _as_pairs(table, name)
    both_sides = zip(pairs["left"], pairs["right"], strict=True)
    pairs[["left", "right"]] = [
        shape(left, right, first=first, period=period) for left, right in both_sides
    ]
    attested = attested_verbs(sentences, language)
    pairs.attrs = {
        "lemmas": LANGUAGES.get(language, TREEBANK),
        "attested": tuple(attested.itertuples(index=False, name=None)),
        "clusters": clusters,
        "left_out": dict(left_out),
    }
    if pairs.attrs["lemmas"] != TREEBANK:
        return with_other_forms(pairs, load_lemmas(pairs.attrs["lemmas"] or DEFAULT))
    if attested.empty:
        return pairs
    return with_other_forms(pairs, verbs_of_treebank(pairs))


def _warn_of_others(name: str, count: int, left_out: Mapping[str, int]) -> None:
    """One line with the number of verbs that each rule left out."""
    reasons = "; ".join(f"{rule}: {number:,}" for rule, number in left_out.items())
    verbs = count + sum(left_out.values())
    warn(f"{name}: {count:,} of {verbs:,} verbs are sites of agreement; left out: {reasons}")


def _as_pairs(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Sites as agreement pairs without their other forms."""
    columns = [column for column in _SITE_COLUMNS if column != "genre" or table["genre"].any()]
    pairs = table.assign(
        left=table["left"].map(left_part),
        right=table["right"].map(right_part),
        id=table["sent_id"] + ":" + table["token"],
        construction=name,
        template=name,
        noun=table["subject_lemma"].str.lower(),
        correct=table["form"].map(plain),
    )
    return pairs.reindex(columns=[*AGREEMENT_COLUMNS, *columns], fill_value="")


def verbs_of_treebank(pairs: pd.DataFrame) -> Lemmas:
    """The verb list that is drawn from the treebank of some pairs. Raises InputError: no verb."""
    attested = pairs.attrs.get("attested")
    name = pairs.attrs.get("name", "the pairs")
    if attested is None:
        raise InputError(
            f"{name} is no treebank, so that no verb list can be drawn from it; name one (tse list "
            "lemmas) or give a file with the columns lemma, singular, plural"
        )
    if not attested:
        raise InputError(
            f"{name}: no verb is attested in both numbers, so that no verb list can be drawn from "
            "it; give more of the treebank, or a list: --lemmas, in Python the argument lemmas"
        )
    return Lemmas(TREEBANK, pd.DataFrame(attested, columns=["lemma", "singular", "plural"]))


def with_other_forms(pairs: pd.DataFrame, lemmas: Lemmas) -> pd.DataFrame:
    """The pairs with the other forms of a verb list where they have none.

    Of several verbs with a form the one with the pair's lemma counts, else the first of the list.
    """
    other_form: dict[tuple[str, ...], str] = {}
    for verb in lemmas.table.itertuples():
        for number in OTHER:
            form, other = getattr(verb, number), getattr(verb, OTHER[number])
            other_form.setdefault((number, form), other)
            other_form.setdefault((number, form, verb.lemma), other)
    others = []
    for pair in pairs.itertuples():
        by_form = other_form.get((pair.number, pair.correct), "")
        others.append(other_form.get((pair.number, pair.correct, pair.lemma), by_form))
    wrong = pairs["wrong"].where(pairs["wrong"] != "", pd.Series(others, pairs.index, dtype="str"))
    return pairs.assign(wrong=wrong)


def distinct_sites(pairs: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Pairs with the first site of each text and number alone; other pairs stay as they are.

    The text is that before the verb, for a masked model that on both sides.
    """
    if not is_of_treebank(pairs):
        return pairs
    text = ["left", "right"] if kind == "masked" else ["left"]
    return pairs.drop_duplicates(["construction", *text, "number"])


def is_of_treebank(pairs: pd.DataFrame) -> bool:
    """Whether pairs are sites of a treebank, also where they come from a table of these."""
    return set(SITE) <= set(pairs)
