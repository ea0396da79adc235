"""What EW measures, in sentences that people wrote: statements N1 to N7, each with its statistic and its verdict.

They were found on two treebanks (EWT, GUM) and fixed here before a model was run on the treebanks on which they are
judged (ParTUT; German PUD and French Sequoia where a statement names a language). A statement says that a number lies
above or below a bound. Its interval (95 %) is for other documents of the kind. The tests of the list, over all models,
are one family (`family_size`), and a verdict is read from the interval that is corrected for their number (Bonferroni):

* **holds**: the whole corrected interval lies on the side that the statement names;
* **does not hold**: it lies on the other side;
* **undecided**: anything else;
* **described**: fewer than three documents, a group without sites or verbs, or no document that moves the number.

Beside the interval of `tse_core.uncertainty` stand the percentile bootstrap over documents with which the statements
were found, and, where a group of more than ten verbs is compared, an interval that also draws verbs. A treebank brings
new sentences and no new verbs: on another treebank N3, N4 and N7 are repetitions over sentences.

N6 can be read in two ways, and both were seen on EWT and GUM before one was taken. Judged is m at both numbers. In nats
of the form that agrees, the sign turns at plural sites, so that a noun reading of the same strength after every subject
would pass, too; it is printed beside.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from tse_book.claims import verdicts
from tse_book.claims.choices import Part, by_rule, each_half, each_left_out
from tse_book.claims.panels import (
    ACROSS,
    GROUPS,
    NOUN,
    PLURAL,
    PRONOUN,
    SINGULAR,
    Panel,
    Sums,
    VerbMeans,
    checked,
    cleaned,
    site_groups,
    sums_of,
)
from tse_book.studies.treebank_verbs import ALSO, NEVER, PAIRS, lexicon_shares
from tse_core.uncertainty.intervals import Interval, combine, corrected_level
from tse_core.uncertainty.statistics import statistic_sample

SIGNIFICANCE, DRAWS, SEED = 0.05, 2000, 0
FEWEST_CLUSTERS, MANY_VERBS = 3, 10
FIFTHS = 5
BOUNDS = ("low", "high", "low_corrected", "high_corrected", "low_crossed", "high_crossed")
HOLDS, FAILS = "holds", "does not hold"
AUXILIARIES = ("be", "have")
ENGLISH_MODELS = 2  # SmolLM2 and Gemma, on ParTUT
OTHER_LANGUAGES = 2  # German PUD and French Sequoia, Gemma alone
COLUMNS = [
    "id", "statement", "unit", "role", "value", "low", "high", "side", "bound", "p_value", "p_corrected",
    "low_corrected", "high_corrected",
    "low_crossed", "high_crossed", "low_bootstrap", "high_bootstrap", "low_both_bootstrap", "high_both_bootstrap",
    "documents", "sites", "verbs", "verdict",
]  # fmt: skip


class Statement(NamedTuple):
    """A number of a panel that lies above or below a bound.

    Attributes
    ----------
    id, words, unit : the name, what is said, and the unit of the number
    side, bound : "above" or "below" which bound it is said to lie
    statistic : the number, of the means of a panel
    places : where the sites stand that it needs, of both numbers unless `number` names one; () for all sites
    kinds : the kinds of verbs that it compares or pools; () for all
    role : "judged", or "beside" a statement, to show what it does not rest on
    with_verbs : whether an interval that also draws verbs is given
    """

    id: str
    words: str
    unit: str
    side: Literal["above", "below"]
    bound: float
    statistic: Callable[[VerbMeans], float]
    places: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    role: str = "judged"
    with_verbs: bool = True


def gap(means: VerbMeans) -> float:
    """N1. EW less TSE."""
    return means.gap


def noun_reading(means: VerbMeans, number: str = SINGULAR, nats: bool = False) -> float:
    """N2. After a pronoun less after a noun, of also-nouns less that of never-nouns: EW, or m in nats."""
    values = means.log_odds if nats else means.right
    changes = []
    for kind in (ALSO, NEVER):
        of_kind = np.isin(means.verbs["kind"], kind)
        after_pronoun = means.average(values[PRONOUN, number][of_kind])
        after_noun = means.average(values[NOUN, number][of_kind])
        changes.append(after_pronoun - after_noun)
    return changes[0] - changes[1]


def by_noun_share(means: VerbMeans, kinds: Sequence[str]) -> float:
    """N3. Spearman's correlation, over verbs, of the sensitivity after nouns with the base form's noun share."""
    some = means.kind(*kinds)
    return spearman(some.sensitivity(NOUN), some.verbs["noun_share"].astype(float))


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """The correlation of ranks; NaN for fewer than three values, or where all of one side are equal."""
    if len(first) < 3:
        return np.nan
    ranks = rankdata(first), rankdata(second)
    if min(np.ptp(ranks[0]), np.ptp(ranks[1])) == 0:
        return np.nan
    return float(np.corrcoef(*ranks)[0, 1])


def strength(means: VerbMeans, stronger: str, weaker: str) -> float:
    """N4. The sensitivity after nouns of one group of verbs less that of another (`strength_groups`)."""
    sensitivity = means.sensitivity(NOUN)
    groups = strength_groups(means)
    of_stronger = means.average(sensitivity[groups[stronger]])
    return of_stronger - means.average(sensitivity[groups[weaker]])


def strength_groups(means: VerbMeans) -> dict[str, np.ndarray]:
    """The groups of verbs of N4, as masks: be and have are no never-nouns here; targeted are the verbs of sites."""
    kinds = means.verbs["kind"]
    auxiliaries = np.isin(means.verbs["lemma"], AUXILIARIES)
    verbs = kinds != PAIRS
    return {
        "be, have": auxiliaries,
        NEVER: (kinds == NEVER) & ~auxiliaries,
        ALSO: kinds == ALSO,
        PAIRS: kinds == PAIRS,
        "targeted": verbs & means.verbs["targeted"],
        "all": verbs,
    }


def across(means: VerbMeans, kinds: Sequence[str] = ()) -> float:
    """N5. The sensitivity at sites with a noun of the other number between; of all verbs without kinds."""
    some = means.kind(*kinds) if kinds else means.of(means.verbs["kind"] != PAIRS)
    return some.average(some.sensitivity(ACROSS))


def noun_reading_of_singulars(means: VerbMeans, of_agreeing: bool = False) -> float:
    """N6. N2 in nats at singular sites less the same at plural ones.

    A noun in the verb's place lowers m, whatever the subject: if a bare noun could follow plural subjects as easily as
    singular ones, this would be 0. With `of_agreeing` nats are those of the form that agrees, -m at plural sites.
    """
    singular = noun_reading(means, SINGULAR, nats=True)
    plural = noun_reading(means, PLURAL, nats=True)
    return singular + plural if of_agreeing else singular - plural


def rise(
    means: VerbMeans, kind: str, without_noun_share: bool = False, parts: int = FIFTHS
) -> float:
    """The rise of the sensitivity after nouns from the least to the most likely fifth of verbs, over their mean.

    Likely are verbs whose two forms are likely after pronouns of both numbers. Other `parts` than fifths may be asked
    for.
    """
    some = means.kind(kind)
    sensitivity = some.sensitivity(NOUN)
    if len(sensitivity) < parts or np.isnan(some.likelihood).any():  # no pronoun of one number
        return np.nan
    mean = means.average(sensitivity)
    if not mean:  # or it is NaN, and so is the rise
        return np.nan
    if without_noun_share:
        share = some.verbs["noun_share"].astype(float)
        slope = np.polyfit(share, sensitivity, 1)[0] if np.ptp(share) else 0.0
        sensitivity = sensitivity - slope * (share - share.mean())
    in_order = np.array_split(np.argsort(some.likelihood, kind="stable"), parts)
    last, first = means.average(sensitivity[in_order[-1]]), means.average(sensitivity[in_order[0]])
    return (last - first) / mean


def rise_of_also_nouns(
    means: VerbMeans, without_noun_share: bool = False, parts: int = FIFTHS
) -> float:
    """N7. The rise of also-nouns less that of never-nouns."""
    of_also = rise(means, ALSO, without_noun_share, parts)
    return of_also - rise(means, NEVER, without_noun_share, parts)


BOTH = (ALSO, NEVER)
AFTER_NOUNS, AFTER_BOTH = (NOUN,), (NOUN, PRONOUN)
STATEMENTS = [
    Statement("N1", "EW lies below TSE (all sites whose own verb is listed)", "EW", "below", 0.0, gap, (),
              with_verbs=False),
    Statement("N2", "He, she and it help EW of also-nouns more than that of never-nouns (singular subjects)", "EW",
              "above", 0.0, noun_reading, AFTER_BOTH, BOTH),
    Statement("N2.nats", "The same in nats", "nats", "above", 0.0, partial(noun_reading, nats=True), AFTER_BOTH, BOTH),
    Statement("N3", "The larger a verb's noun share, the less it moves: all verbs", "correlation", "below", -0.5,
              partial(by_noun_share, kinds=BOTH), AFTER_NOUNS, BOTH),
    Statement("N3.also", "The same within verbs that are also nouns", "correlation", "below", 0.0,
              partial(by_noun_share, kinds=(ALSO,)), AFTER_NOUNS, (ALSO,)),
    Statement("N4.auxiliaries", "Be and have move farther than never-nouns", "nats", "above", 0.0,
              partial(strength, stronger="be, have", weaker=NEVER), AFTER_NOUNS, with_verbs=False),
    Statement("N4.never", "Never-nouns move farther than also-nouns", "nats", "above", 0.0,
              partial(strength, stronger=NEVER, weaker=ALSO), AFTER_NOUNS, BOTH),
    Statement("N4.pairs", "Also-nouns move farther than pairs of nouns that are no verbs", "nats", "above", 0.0,
              partial(strength, stronger=ALSO, weaker=PAIRS), AFTER_NOUNS, (ALSO, PAIRS)),
    Statement("N4.targeted", "The verbs of the sites move farther than the list's mean", "nats", "above", 0.0,
              partial(strength, stronger="targeted", weaker="all"), AFTER_NOUNS, BOTH),
    Statement("N5.never", "Never-nouns agree across a noun of the other number", "nats", "above", 0.0,
              partial(across, kinds=(NEVER,)), (ACROSS,), (NEVER,)),
    Statement("N5.also", "So do also-nouns", "nats", "above", 0.0, partial(across, kinds=(ALSO,)), (ACROSS,), (ALSO,)),
    Statement("N6", "N2 in nats is larger at singular sites than at plural ones", "nats", "above", 0.0,
              noun_reading_of_singulars, AFTER_BOTH, BOTH),
    Statement("N6.agreeing", "The same in nats of the form that agrees", "nats", "above", 0.0,
              partial(noun_reading_of_singulars, of_agreeing=True), AFTER_BOTH, BOTH, role="beside"),
    Statement("N7", "Also-nouns' sensitivity rises more over fifths of likelihood than never-nouns'", "of the mean",
              "above", 0.0, rise_of_also_nouns, AFTER_NOUNS, BOTH),
    Statement("N7.share", "The same with noun shares taken out", "of the mean", "above", 0.0,
              partial(rise_of_also_nouns, without_noun_share=True), AFTER_NOUNS, BOTH, role="beside"),
]  # fmt: skip
# Of a language whose list does not say which verbs are nouns.
OF_LISTS = [
    Statement("N5", "Verbs agree across a noun of the other number", "nats", "above", 0.0, across, (ACROSS,)),
    # Computed after the models had run, and so none of the tests.
    Statement("N1.afterwards", "EW lies below TSE", "EW", "below", 0.0, gap, (), role="beside", with_verbs=False),
]  # fmt: skip


def family_size() -> int:
    """How many tests the list makes: of two models on English, of one on each of two other languages."""
    of_english = sum(statement.role == "judged" for statement in STATEMENTS)
    of_lists = sum(statement.role == "judged" for statement in OF_LISTS)
    return of_english * ENGLISH_MODELS + of_lists * OTHER_LANGUAGES


def judge(
    panel: Panel,
    statements: Sequence[Statement] = tuple(STATEMENTS),
    *,
    draws: int = DRAWS,
    crossed: bool = True,
) -> pd.DataFrame:
    """Every statement on a panel: a row each, with `COLUMNS`.

    `draws` are those of the bootstrap, 0 for none; `crossed` asks for intervals that also draw verbs.
    """
    sums = sums_of(checked(panel))
    without_each = _without_each(sums)
    drawn = _Draws(sums, draws)
    rows = []
    for statement in statements:
        row = statement._asdict() | {"statement": statement.words}
        row |= _measured(sums, without_each, statement, crossed) | drawn.bounds(statement)
        rows.append(row)
    table = pd.DataFrame(rows)
    table["p_corrected"] = np.minimum(1.0, table["p_value"] * family_size())
    table["verdict"] = [verdict(row) for row in table.to_dict("records")]
    return table[COLUMNS]


def verdict(row: dict) -> str:
    """The verdict on a statement, by the rule at the head of this module.

    >>> beyond = {"low_corrected": 0.1, "high_corrected": 0.3, "bound": 0.0, "role": "judged"}
    >>> verdict(beyond | {"side": "above"}), verdict(beyond | {"side": "below"})
    ('holds', 'does not hold')
    >>> verdict(beyond | {"side": "above", "low_corrected": -0.1})
    'undecided'
    """
    low, high = row["low_corrected"], row["high_corrected"]
    if np.isnan(low) or row["role"] != "judged":
        return verdicts.DESCRIBED
    if low <= row["bound"] <= high:
        return verdicts.UNDECIDED
    side = "above" if low > row["bound"] else "below"
    return HOLDS if side == row["side"] else FAILS


def _measured(
    sums: Sums, without_each: Sequence[VerbMeans], statement: Statement, crossed: bool
) -> dict:
    """The value of a statement with its intervals and its p-value, and what it rests on."""
    means = sums.means()
    value = statement.statistic(means)
    documents = _documents(sums, statement)
    verbs = _verbs(sums, statement)
    row = {
        "value": value,
        "documents": int(documents.sum()),
        "sites": int(_sites(sums, statement).sum()),
        "verbs": len(verbs),
        **dict.fromkeys(BOUNDS, np.nan),
        "p_value": np.nan,
    }
    if row["documents"] < FEWEST_CLUSTERS or np.isnan(value):
        return row
    without = [statement.statistic(without_each[row]) for row in np.flatnonzero(documents).tolist()]
    ways = [(sums.clusters[documents], np.array(without))]
    interval = _interval(value, ways)
    row |= {
        "low": interval.low,
        "high": interval.high,
        "p_value": interval.p_value(statement.bound),
    }
    wide = interval.at(corrected_level(family_size()))
    row |= {"low_corrected": wide.low, "high_corrected": wide.high}
    if crossed and statement.with_verbs and len(verbs) > MANY_VERBS:
        ways.append((verbs, _without_verbs(means, statement, verbs)))
        of_both = _interval(value, ways)
        row |= {"low_crossed": of_both.low, "high_crossed": of_both.high}
    return row


def _interval(value: float, ways: Sequence[tuple[np.ndarray, np.ndarray]]) -> Interval:
    """The interval of a statistic, by its values without each cluster of each way."""
    return combine([statistic_sample(value, ways)], [1.0])


def _sites(sums: Sums, statement: Statement) -> np.ndarray:
    """How many sites of each document a statement counts, (documents,)."""
    if not statement.places:
        return sums.own[:, 0]
    return np.sum([sums.sites[group] for group in GROUPS if group[0] in statement.places], axis=0)


def _documents(sums: Sums, statement: Statement) -> np.ndarray:
    """The documents that have a site that counts, a mask."""
    return _sites(sums, statement) > 0


def _verbs(sums: Sums, statement: Statement) -> np.ndarray:
    """The rows of the verbs that a statement compares."""
    kinds = sums.verbs["kind"]
    chosen = np.isin(kinds, statement.kinds) if statement.kinds else kinds != PAIRS
    return np.flatnonzero(chosen)


def _without_each(sums: Sums) -> list[VerbMeans]:
    """The means without each document."""
    means = []
    for document in range(len(sums.clusters)):
        weights = np.ones(len(sums.clusters))
        weights[document] = 0
        means.append(sums.means(weights))
    return means


def _without_verbs(means: VerbMeans, statement: Statement, verbs: np.ndarray) -> np.ndarray:
    """The statistic without each of some verbs."""
    values = []
    for verb in verbs:
        others = np.arange(len(means.likelihood)) != verb
        values.append(statement.statistic(means.of(others)))
    return np.array(values)


class _Draws:
    """Draws of documents with replacement, the same for every statement, and of verbs within their kinds."""

    def __init__(self, sums: Sums, draws: int):
        random = np.random.default_rng(SEED)
        documents = len(sums.clusters)
        weights = random.multinomial(documents, np.full(documents, 1 / documents), size=draws)
        self.means = [sums.means(of_draw.astype(float)) for of_draw in weights]
        kinds = pd.Series(sums.verbs["kind"])
        rows_of_kinds = [rows.to_numpy() for rows in kinds.groupby(kinds).groups.values()]
        self.verbs = []
        for _ in range(draws):
            drawn = [random.choice(rows, len(rows)) for rows in rows_of_kinds]
            self.verbs.append(np.concatenate(drawn))

    def bounds(self, statement: Statement) -> dict[str, float]:
        """The percentile bootstrap of a statement, over documents and over documents and verbs."""
        bounds = {}
        values = [statement.statistic(means) for means in self.means]
        bounds["low_bootstrap"], bounds["high_bootstrap"] = _quantiles(values)
        of_both: list[float] = []
        if statement.with_verbs:
            for means, verbs in zip(self.means, self.verbs, strict=True):
                of_both.append(statement.statistic(means.of(verbs)))
        bounds["low_both_bootstrap"], bounds["high_both_bootstrap"] = _quantiles(of_both)
        return bounds


def _quantiles(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 % of the defined values; NaN where there are none."""
    defined = np.array([value for value in values if not np.isnan(value)])
    if not len(defined):
        return np.nan, np.nan
    low, high = np.quantile(defined, [SIGNIFICANCE / 2, 1 - SIGNIFICANCE / 2])
    return float(low), float(high)


# Other choices


FEW_WORDS = 3
ZIPF_BANDS = {"rare (Zipf up to 4)": (-np.inf, 4.0), "middle (4 to 5)": (4.0, 5.0), "frequent": (5.0, np.inf)}  # fmt: skip
BE = ("be", "sein", "\u00eatre")
SITE_UNITS = {"document": "document", "genre": "genre", "kind of subject": "kind"}  # their columns
OTHER_PARTS = {"thirds for fifths": 3, "tenths for fifths": 10}
SAME = 1e-6  # nats or shares by which a number may differ that no choice changed


def panels_by_choice(panel: Panel) -> dict[str, Panel]:
    """The panel under other decisions than ours, by what each is; it has all words of the list.

    A decision that leaves no verb, such as a band of a list without frequencies, is left out.
    """
    words_before = panel.sites["words_before"]
    whole_list, panel = panel, cleaned(panel)
    by_lexicon = panel.verbs.assign(noun_share=lexicon_shares(panel.verbs["lemma"]))
    panels = {
        "also words that no text has as verbs": whole_list,
        f"at most {FEW_WORDS} words before the verb": panel.of_sites((words_before <= FEW_WORDS).to_numpy()),
        "without verbs whose base is their past": panel.of_verbs(~panel.verbs["homograph"].to_numpy(bool)),
        "without be": panel.of_verbs(~panel.verbs["lemma"].isin(BE).to_numpy()),
        "names for nouns": panel._replace(kind="name"),
        "every distance": panel._replace(distance=np.inf),
        "EW for nats, nats for EW": panel._replace(swapped=True),
        "noun shares of WordNet's sense counts": panel._replace(verbs=by_lexicon),
    }  # fmt: skip
    is_pair = (panel.verbs["kind"] == PAIRS).to_numpy()
    for words, (low, high) in ZIPF_BANDS.items():
        zipf = panel.verbs["zipf"].astype(float)
        in_band = ((zipf > low) & (zipf <= high)).to_numpy()
        if in_band.any():
            panels[words] = panel.of_verbs(in_band | is_pair)
    return panels


def panels_by_rule(panel: Panel) -> Iterator[tuple[Part, Panel]]:
    """The parts of a panel that `tse_book.claims.choices` names by rule: of its sites, and the halves of its verbs."""
    for unit, column in SITE_UNITS.items():
        units = panel.sites[column] if column in panel.sites else pd.Series()
        for part in (*each_left_out(units, unit), *each_half(units, unit)):
            yield part, panel.of_sites(part.rows)
    # By kind first, so that each half has half of every kind.
    verbs = panel.verbs["kind"] + " " + panel.verbs["lemma"]
    for part in each_half(verbs, "verb"):
        yield part, panel.of_verbs(part.rows)


def under_choices(
    panel: Panel, statements: Sequence[Statement] = tuple(STATEMENTS)
) -> pd.DataFrame:
    """What other choices make of every judged statement: `COLUMNS` and choice, in words.

    A row is a choice that changes the number and gives a verdict, unless it makes another statement of the list: N2 in
    nats is N2.nats, which has a verdict of its own. Of the parts that a rule makes, the row is of one that turns the
    verdict, or else of the one with the largest p-value.
    """
    judged = [statement for statement in statements if statement.role == "judged"]
    ours = _judged_alone(cleaned(panel), judged)
    tables = []
    for words, of_choice in panels_by_choice(panel).items():
        tables.append(_judged_alone(of_choice, judged).assign(choice=words))
    for words, others in _statements_by_choice(judged).items():
        tables.append(_judged_alone(cleaned(panel), others).assign(choice=words))
    changed = [_that_change(ours, table) for table in tables]
    table = pd.concat([*changed, *_under_rules(cleaned(panel), judged, ours)])
    return table.reset_index()[[*COLUMNS, "choice"]]


def _under_rules(
    panel: Panel, statements: Sequence[Statement], ours: pd.DataFrame
) -> list[pd.DataFrame]:
    """The rows of `under_choices` that rules make."""
    parts, tables = [], []
    for number, (part, of_part) in enumerate(panels_by_rule(panel)):
        parts.append(part)
        changed = _that_change(ours, _judged_alone(of_part, statements))
        tables.append(changed.assign(part=number))
    rows = []
    for name, table in pd.concat(tables).groupby(level=0, sort=False):
        part_of = [parts[number] for number in table["part"]]
        answers = list(zip(part_of, table["verdict"], strict=True))
        about = np.array([part.about for part in part_of])
        for choice in by_rule(ours["verdict"][name], answers):
            said = table[(about == choice.about) & (table["verdict"] == choice.answer)]
            weakest = said.iloc[[said["p_value"].to_numpy().argmax()]]
            rows.append(weakest.assign(choice=choice.words))
    return rows


def _judged_alone(panel: Panel, statements: Sequence[Statement]) -> pd.DataFrame:
    """Statements on a panel, by their ids, with the interval that decides alone."""
    return judge(panel, statements, draws=0, crossed=False).set_index("id")


def _that_change(ours: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """The rows that have a verdict, and another number than any statement has by our choices."""
    distances = np.abs(np.subtract.outer(others["value"].to_numpy(), ours["value"].to_numpy()))
    is_stated = (distances <= SAME).any(axis=1)
    has_verdict = ours["value"].reindex(others.index).notna() & (
        others["verdict"] != verdicts.DESCRIBED
    )
    return others[has_verdict & ~is_stated]


def _statements_by_choice(statements: Sequence[Statement]) -> dict[str, list[Statement]]:
    """The statements with other statistics, by what each is."""
    medians = [
        statement._replace(statistic=partial(_of_medians, statement.statistic))
        for statement in statements
    ]
    others = {"medians over verbs": medians}
    for words, parts in OTHER_PARTS.items():
        rises = [statement for statement in statements if statement.statistic is rise_of_also_nouns]
        others[words] = [
            statement._replace(statistic=partial(rise_of_also_nouns, parts=parts))
            for statement in rises
        ]
    return {words: changed for words, changed in others.items() if changed}


def _of_medians(statistic: Callable[[VerbMeans], float], means: VerbMeans) -> float:
    return statistic(means._replace(centre=np.median))


# Beside the statements


def first_word_rival(panel: Panel) -> float:
    """Beside N5: the sensitivity of a rule that reads the -s of the word before the site, in units of its certainty.

    1 where it always follows the subject, -1 where it always follows the noun between.
    """
    sites = panel.sites[site_groups(panel)[ACROSS, SINGULAR] | site_groups(panel)[ACROSS, PLURAL]]
    plural = sites["number"] == PLURAL
    reading = np.where(sites["ends_in_s"], -1.0, 1.0)
    return float(reading[~plural].mean() - reading[plural].mean()) / 2


def irregular_plurals(panel: Panel, kinds: Sequence[str] = ()) -> float:
    """Beside N5: the sensitivity right after nouns where the word before the site never ends in -s (*people*, *men*)."""
    without = panel.of_sites(~panel.sites["ends_in_s"].to_numpy(bool))
    means = sums_of(without).means()
    some = means.kind(*kinds) if kinds else means.of(means.verbs["kind"] != PAIRS)
    return float(np.mean(some.sensitivity(NOUN)))
