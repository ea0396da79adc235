"""A model on a treebank: m at every site for every verb, summed so that clusters and verbs can be drawn anew.

m is the log-odds (nats) of a verb's singular form against its plural one. A `Panel` is what was measured; `Sums` adds it
up for each group of sites (`GROUPS`), document and verb; `VerbMeans` is what a statistic takes: each verb's means, of
all documents or of a draw of them.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book.studies.treebank_verbs import PAIRS
from tse_book.studies.treebanks import TreebankScores
from tse_core.errors import InputError

SINGULAR, PLURAL = "singular", "plural"
NOUN, PRONOUN, ACROSS = "noun", "pronoun", "across"
GROUPS = [(place, number) for place in (NOUN, PRONOUN, ACROSS) for number in (SINGULAR, PLURAL)]
SITE_COLUMNS = (
    "document", "kind", "number", "distance", "between", "lemma", "words_before", "ends_in_s",
)  # fmt: skip
VERB_COLUMNS = (
    "lemma",
    "singular",
    "plural",
    "kind",
    "noun_share",
    "zipf",
    "homograph",
    "attested",
)

Group = tuple[str, str]  # a place and a number


class Panel(NamedTuple):
    """What a model said in a treebank.

    Attributes
    ----------
    sites : `SITE_COLUMNS`, a row for each site; document is its cluster, distance the words between subject and site,
        between the nouns there ("none", "same" or "other" number), lemma its own verb, words_before how many words
        stand before it, ends_in_s whether the last of them ends in -s
    verbs : `VERB_COLUMNS`, a row for each verb and pair of nouns: kind "also", "never" (or "" where a list does not
        say it) or "noun pairs", noun_share, zipf, homograph and attested (`tse_book.studies.treebank_verbs`)
    log_odds : m, (sites, verbs)
    likelihoods : mean log-probability of the two forms (sites, verbs), NaN where it was not kept
    kind, distance : which subjects count as nouns ("noun" or "name"), and how many words may stand behind them
    swapped : whether nats and right or wrong change places: what counts m then counts whether the singular form is
        ahead (.5 or -.5), and what counts whether a verb is right, by how much its right form is ahead (nats)
    """

    sites: pd.DataFrame
    verbs: pd.DataFrame
    log_odds: np.ndarray
    likelihoods: np.ndarray
    kind: str = NOUN
    distance: float = 0
    swapped: bool = False

    def of_sites(self, chosen: np.ndarray) -> "Panel":
        """The panel of some sites: their rows, or a mask of all."""
        return self._replace(
            sites=self.sites.iloc[chosen].reset_index(drop=True),
            log_odds=self.log_odds[chosen],
            likelihoods=self.likelihoods[chosen],
        )

    def of_verbs(self, chosen: np.ndarray) -> "Panel":
        """The panel of some verbs: their rows, or a mask of all."""
        return self._replace(
            verbs=self.verbs.iloc[chosen].reset_index(drop=True),
            log_odds=self.log_odds[:, chosen],
            likelihoods=self.likelihoods[:, chosen],
        )

    @property
    def plural(self) -> np.ndarray:
        """Whether each site's subject is plural, bool (sites,)."""
        return (self.sites["number"] == PLURAL).to_numpy()

    @property
    def own_verbs(self) -> np.ndarray:
        """The verb of each site among the panel's, by its lemma; -1 if it is none of them."""
        verbs = self.verbs[self.verbs["kind"] != PAIRS]
        rows = pd.Series(verbs.index, verbs["lemma"])
        rows = rows[~rows.index.duplicated()]
        return self.sites["lemma"].map(rows).fillna(-1).to_numpy(int)


def panel_of(scores: TreebankScores) -> Panel:
    """The panel of a model's scores on a treebank, measured now or recorded."""
    return Panel(scores.sites, scores.verbs, scores.log_odds, scores.likelihoods)


def checked(panel: Panel) -> Panel:
    """The panel. Raises InputError: a column is missing, or tables and arrays do not fit together."""
    for table, columns, name in (
        (panel.sites, SITE_COLUMNS, "sites"),
        (panel.verbs, VERB_COLUMNS, "verbs"),
    ):
        missing = [column for column in columns if column not in table]
        if missing:
            raise InputError(f"the {name} of a panel lack the column {missing[0]!r}")
    shape = len(panel.sites), len(panel.verbs)
    for name in ("log_odds", "likelihoods"):
        actual = getattr(panel, name).shape
        if actual != shape:
            raise InputError(f"{name} has the shape {actual}; sites and verbs make {shape}")
    return panel


def cleaned(panel: Panel) -> Panel:
    """The panel without words of the list that no text has as verbs; statements are about these verbs."""
    return panel.of_verbs(panel.verbs["attested"].to_numpy(bool))


def site_groups(panel: Panel) -> dict[Group, np.ndarray]:
    """The sites of each group, as masks.

    Right after a noun, or a name where the panel says so; right after a pronoun; and across: a noun as the subject, at
    any distance, with a noun of the other number between.
    """
    sites = panel.sites
    near = sites["distance"] <= panel.distance
    places = {
        NOUN: near & (sites["kind"] == panel.kind),
        PRONOUN: near & (sites["kind"] == PRONOUN),
        ACROSS: (sites["between"] == "other") & (sites["kind"] == panel.kind),
    }
    groups = {}
    for place, number in GROUPS:
        groups[place, number] = (places[place] & (sites["number"] == number)).to_numpy()
    return groups


class VerbMeans(NamedTuple):
    """Means over sites, each of which counts once. All arrays are (verbs,), NaN where a group has no site.

    Attributes
    ----------
    log_odds : m by group, nats
    right : the share of sites at which the verb is right, by group
    likelihood : the mean log-probability of both forms after singular and plural pronouns, nats
    verbs : kind, noun_share and so on, as arrays; targeted: it is the verb of a site
    gap : EW less TSE over all sites whose own verb is among the verbs
    centre : what is taken over verbs, their mean or median
    """

    log_odds: Mapping[Group, np.ndarray]
    right: Mapping[Group, np.ndarray]
    likelihood: np.ndarray
    verbs: Mapping[str, np.ndarray]
    gap: float
    centre: Callable[[np.ndarray], float] = np.mean  # type: ignore[assignment]

    def of(self, chosen: np.ndarray) -> "VerbMeans":
        """The means of some verbs: their rows, which may repeat, or a mask."""
        return self._replace(
            log_odds={group: values[chosen] for group, values in self.log_odds.items()},
            right={group: values[chosen] for group, values in self.right.items()},
            likelihood=self.likelihood[chosen],
            verbs={name: values[chosen] for name, values in self.verbs.items()},
        )

    def kind(self, *kinds: str) -> "VerbMeans":
        """The means of the verbs of some kinds."""
        return self.of(np.isin(self.verbs["kind"], kinds))

    def average(self, values: np.ndarray) -> float:
        """The mean or median over verbs; NaN where there are none."""
        return float(self.centre(values)) if len(values) else np.nan

    def sensitivity(self, place: str) -> np.ndarray:
        """How far the subject's number moves each verb at a place, nats."""
        return (self.log_odds[place, SINGULAR] - self.log_odds[place, PLURAL]) / 2

    def bias(self, place: str) -> np.ndarray:
        """How far each verb is from being moved equally to both sides, nats; above 0 it favours the plural."""
        return -(self.log_odds[place, SINGULAR] + self.log_odds[place, PLURAL]) / 2


class Sums(NamedTuple):
    """A panel's sums over the sites of each group and cluster: arrays (clusters,) or (clusters, verbs)."""

    clusters: np.ndarray  # their names
    sites: Mapping[Group, np.ndarray]  # how many
    log_odds: Mapping[Group, np.ndarray]
    right: Mapping[Group, np.ndarray]
    likelihood: Mapping[Group, np.ndarray]  # after pronouns alone
    own: (
        np.ndarray
    )  # (clusters, 2): how many sites have an own verb, and the sum of their EW less TSE
    verbs: Mapping[str, np.ndarray]
    centre: Callable[[np.ndarray], float]

    def means(self, weights: np.ndarray | None = None) -> VerbMeans:
        """The means of all clusters, or of some: how often each counts, (clusters,)."""
        if weights is None:
            weights = np.ones(len(self.clusters))
        log_odds, right = {}, {}
        likelihoods = []
        for group, sites in self.sites.items():
            total = weights @ sites or np.nan
            log_odds[group] = weights @ self.log_odds[group] / total
            right[group] = weights @ self.right[group] / total
            if group in self.likelihood:
                likelihoods.append(weights @ self.likelihood[group] / total)
        own_sites, gap = weights @ self.own
        return VerbMeans(
            log_odds,
            right,
            np.mean(likelihoods, axis=0),
            self.verbs,
            gap / own_sites if own_sites else np.nan,
            self.centre,
        )


def sums_of(panel: Panel, centre: Callable[[np.ndarray], float] = np.mean) -> Sums:  # type: ignore[assignment]
    """The sums of a panel."""
    codes, clusters = pd.factorize(panel.sites["document"])
    m = panel.log_odds
    right = np.where(panel.plural[:, None], m < 0, m > 0).astype(float)
    if panel.swapped:
        right = np.where(panel.plural[:, None], -m, m).astype(float)
        m = np.where(m > 0, 0.5, -0.5)
    sites, log_odds, right_sums, likelihood = {}, {}, {}, {}
    for group, chosen in site_groups(panel).items():
        of_group = codes[chosen]
        sites[group] = np.bincount(of_group, minlength=len(clusters)).astype(float)
        log_odds[group] = _added(m[chosen], of_group, len(clusters))
        right_sums[group] = _added(right[chosen], of_group, len(clusters))
        if group[0] == PRONOUN:
            likelihood[group] = _added(panel.likelihoods[chosen], of_group, len(clusters))
    own_verbs = panel.own_verbs
    has_own = own_verbs >= 0
    is_verb = (panel.verbs["kind"] != PAIRS).to_numpy()
    ew = right[:, is_verb].mean(axis=1)
    tse = right[np.arange(len(right)), own_verbs]
    gaps = np.where(has_own, ew - tse, 0.0)
    own = np.stack([has_own.astype(float), gaps], axis=1)
    verbs = {name: panel.verbs[name].to_numpy() for name in VERB_COLUMNS}
    verbs["targeted"] = np.isin(np.arange(len(panel.verbs)), own_verbs)
    return Sums(
        np.asarray(clusters),
        sites,
        log_odds,
        right_sums,
        likelihood,
        _added(own, codes, len(clusters)),
        verbs,
        centre,
    )


def _added(values: np.ndarray, codes: np.ndarray, clusters: int) -> np.ndarray:
    """The sums of rows by cluster: (clusters, columns)."""
    is_in = codes == np.arange(clusters)[:, None]
    return is_in.astype(float) @ values.astype(float)
