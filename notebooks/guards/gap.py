# %% [markdown]
# ## Change the subject

# %%
from itertools import product

import pandas as pd

from tse_book.pages import glue, guard, quotes

S, G, ALSO, NEVER = statements.FOUND_ON, statements.SECOND, "also nouns", "never nouns"
NOUN, HE = "opener + the + noun", "opener + he or she"
PLAIN, NAME, WHO = "the + noun", "opener + name", "the + noun + who"
both = {S, G} <= set(tables)
found = beside.set_index(["subject", "model", "verbs"]).sort_index()
ew = found["EW"].unstack("subject")

# %%
if models[:1] == [S]:
    shares = [by_hand[f"I think that {one}"][True] for one in ("the customer", "he")]
    quotes("wins for .39; after *he*, for .89", *shares)
    guard("EW counts *plan* as wrong", by_verb.loc["plan", "margin"] < 0)
    quotes("*plans* gains 3.28 nats on *plan*", by_verb.loc["plan", "shift"])

# %%
if both:
    cells = product((NOUN, HE), (S, G), (NEVER, ALSO))
    said = "99.3 % and 75.6 %; Gemma 97.7 % and 63.0 %; 100 and 97.4; 100 and 93.1"
    quotes(said, *found.loc[list(cells), "EW"] * 100)
    ends = found.loc[[(NOUN, S, ALSO), (NOUN, G, ALSO)], ["low", "high"]]
    quotes("[64.2, 84.3], [48.5, 75.5]", *ends.to_numpy().ravel() * 100)
    said = "64 to 84 % on SmolLM2, 48 to 75 % on Gemma"
    quotes(said, *ends.to_numpy().ravel() * 100)  # the front page
    low = ew.drop(columns=[PLAIN, NOUN, NAME]).min(axis=None)
    guard("After *everyone*, *it* and a noun with *who* EW is about as high", low > 0.9)
    missing = ew.xs(NEVER, level="verbs") - ew.xs(ALSO, level="verbs")
    guard("most is not seen after a pronoun", (missing[HE] < missing[NOUN] / 2).all())
    less = found.loc[HE, "margin"].unstack()
    less = (less[NEVER] - less[ALSO])[[S, G]]
    quotes("by 2.1 nats on SmolLM2 and by 2.4 on Gemma", *less)
    moves = found.loc[list(product([HE], (S, G), (ALSO, NEVER))), "shift"]
    quotes("10.2 nats against 13.2, and 8.6 against 12.8", *moves)
    guard("gains for nearly every verb", found.loc[HE, "share"].min() > 0.99)

# %%
if both:
    from tse_book.claims.statements import OPENER_NOUN, subject_verbs

    scored = pd.concat([subject_verbs(tables[m]).assign(model=m) for m in (S, G)])
    asked = scored.groupby(["also_noun", "model"])["lemma"].nunique()
    listed = tables[S].verbs["also_noun"].value_counts()
    said = "Of the 896, 292 and 402; of the 998, 648 and 785"
    never, also = asked[False][[S, G]], asked[True][[S, G]]
    quotes(said, listed[False], *never, listed[True], *also)

# %%
if both:
    crossed = scored[scored["construction"] == OPENER_NOUN]
    by_noun = nouns[nouns["verbs"] == ALSO].set_index(["subject", "model", "noun"])[
        "EW"
    ]
    with_opener, plain = by_noun[NOUN], by_noun[PLAIN]
    quotes(
        "from .32 (*tourist*) to .96 (*farmer*) on SmolLM2",
        *with_opener[S].agg(["min", "max"]),
    )
    quotes(
        "from .25 (*tourist*) to .87 (*doctor*) on Gemma",
        *with_opener[G].agg(["min", "max"]),
    )
    quotes(
        "without openers from .32 (*pilot*) to .93 (*farmer*)",
        *plain[S].agg(["min", "max"]),
    )
    quotes("and from .17 (*tourist*) to .90 (*author*)", *plain[G].agg(["min", "max"]))
    ends = [
        one[m].index[[0, -1]].tolist() for one in (with_opener, plain) for m in (S, G)
    ]
    lowest, highest = zip(*ends, strict=True)
    guard("the lowest noun", lowest == ("tourist", "tourist", "pilot", "tourist"))
    guard("the highest noun", highest == ("farmer", "doctor", "farmer", "author"))
    own = [plain[m][noun] for noun in ("author", "customer", "student") for m in (S, G)]
    quotes(
        "near the top (.93 and .90), *customer* (.44 and .33) and *student* (.55 and .41)",
        *own,
    )
    above = ew.xs(ALSO, level="verbs")[HE]
    under = [(with_opener[m] < above[m]).all() for m in (S, G)]
    guard("all twenty nouns lie below the mean of he and she", all(under))
    wider = [with_opener[m].max() - with_opener[m].min() for m in (S, G)]
    rise = (above - ew.xs(ALSO, level="verbs")[NOUN])[[S, G]]
    guard(
        "Single nouns differ more than the means of nouns and pronouns do",
        (wider > rise).all(),
    )
    below = with_opener[S][with_opener[S] < 0.5]
    three = {"tourist", "pilot", "customer"}
    guard("Three nouns far below the others", set(below.index) == three)
    others = with_opener[S].drop(list(three)).min()
    guard("far below", others - below.max() > 0.15)
    medians = [with_opener[m].median() for m in (S, G)]
    quotes("the median noun has an EW of .81 (.64 on Gemma)", *medians)
    places = [plain[m].rank()[["author", "customer", "student"]] for m in (S, G)]
    guard("author near the top", all(place["author"] >= 19 for place in places))
    low = [place[["customer", "student"]].max() <= 4 for place in places]
    guard("customer and student near the bottom", all(low))
    per_opener = crossed.groupby(["model", "opener"])["noun"].nunique()
    guard("five openers with four nouns each", per_opener.tolist() == [4] * 10)

# %%
if both:  # the front page
    ends = (ew * 100).groupby("verbs").agg(["min", "max"])
    said = "98 to 99 % of those never nouns, 63 to 76 % of those that are also nouns"
    quotes(said, *ends.loc[NEVER, NOUN], *ends.loc[ALSO, NOUN])
    quotes("93 to 100 %", ends[HE].min(axis=None), ends[HE].max(axis=None))
    nouns_of = scored.groupby(["construction", "model"])["noun"].nunique().unstack()
    guard("twenty nouns", (nouns_of.loc[OPENER_NOUN] == 20).all())
    guard("ten names", (nouns_of.loc["Opener + a name"] == 10).all())
    guard("fewer than half never nouns", never.max() < listed[False] / 2)
    after_noun, after_he = (ew.loc[[(S, ALSO), (G, ALSO)], one] for one in (NOUN, HE))
    said = ".76 and .63, after he or she .97 and .93"
    quotes(said, *after_noun, *after_he)  # the page The paper said, we found
    quotes(".85 on SmolLM2 and .66 on Gemma", *ew.loc[[(S, ALSO), (G, ALSO)], NAME])

# %% [markdown]
# ## Is the noun the only reason?

# %%
if both:
    said = "only .845 on SmolLM2 and .664 on Gemma; never nouns: .993 and .939"
    quotes(said, *ew.loc[[(S, ALSO), (G, ALSO), (S, NEVER), (G, NEVER)], NAME])
    kinds = scored[scored["also_noun"] & (scored["number"] == "singular")]
    kinds = kinds.pivot_table("correct", ["model", "opener"], "construction")
    loss = kinds["He, she or they"] - kinds["Opener + a name"]
    half = loss.groupby("model").sem() * 2.776  # t, 4 degrees of freedom: five openers
    mean = loss.groupby("model").mean()
    said = "by .13 [.03, .22] on SmolLM2 and by .27 [.11, .42] on Gemma"
    quotes(said, *[end[m] for m in (S, G) for end in (mean, mean - half, mean + half)])
    wide = found.xs(S, level="model")[["EW", "margin"]].unstack("verbs")
    deficit = wide.xs(NEVER, level=1, axis=1) - wide.xs(ALSO, level=1, axis=1)
    gone = 1 - deficit.drop([PLAIN, NOUN, WHO]) / deficit.loc[NOUN]
    quotes("from 9 % to 89 %", 100 * gone.min(axis=None), 100 * gone.max(axis=None))

# %%
if both:
    from tse_book.claims.statements import row_verbs

    of_rows = pd.concat({m: row_verbs(tables[m]) for m in (S, G)}, names=["model"])
    of_rows = of_rows[of_rows["number"] == "singular"]
    of_rows["sum"] = of_rows["correct"] * of_rows["contexts"]
    by_row = of_rows.groupby(["construction", "also_noun", "model"])
    by_row = by_row[["sum", "contexts"]].sum().eval("sum / contexts")
    between_them = by_row["Across prepositional phrase"]
    said = "is .56 on SmolLM2 and .39 on Gemma, that of the others .95 and .88"
    quotes(said, *between_them[True][[S, G]], *between_them[False][[S, G]])
    simple_row = by_row["Simple"]
    said = "in *Simple* (.71 and .54, .99 and .98)"
    quotes(said, *simple_row[True][[S, G]], *simple_row[False][[S, G]])
    loss = by_row.unstack("also_noun")
    loss = (loss[False] - loss[True]).unstack("model")
    far, near = loss.loc["Across prepositional phrase"], loss.loc["Simple"]
    guard("the two kinds differ no less there than in *Simple*", (far > near).all())

# %% [markdown]
# ## Are likely verbs conjugated better?

# %%
if models[:1] == [S]:
    said = "EW rises from .52 to .90 on SmolLM2"
    quotes(said, *fifths_by_hand.iloc[[0, -1]])

# %%
if both:
    ends = {}
    for key in ("modal", "past", "verb_uses", "zipf"):
        by_key = statements.fifth_scores(tables, key).query("number == 'singular'")
        ends[key] = by_key.set_index(["verbs", "model", "fifth"])["EW"].unstack()
    order = [(ALSO, S), (ALSO, G), (NEVER, S), (NEVER, G)]
    said = "from .52 to .82, .37 to .74; never nouns from .93 to .95, from .92 to .88"
    quotes(said, *ends["modal"].loc[order, [1, 5]].to_numpy().ravel())
    rise = pd.DataFrame({key: ends[key][5] - ends[key][1] for key in ends})
    said = "it is .70 and .66 at the two ends on SmolLM2, .56 and .57 on Gemma"
    quotes(said, *ends["zipf"].loc[order[:2], [1, 5]].to_numpy().ravel())
    guard(
        "much the same picture",
        rise.drop(columns="zipf").loc[ALSO].min(axis=None) > 0.2,
    )
    guard("the others hardly move", rise.loc[NEVER].abs().max(axis=None) < 0.045)

# %% [markdown]
# ## Nouns by degrees

# %%
if both:
    by_share = graded.pivot(index=["model", "subject"], columns="fifth", values="EW")
    fell = by_share.loc[list(product((S, G), (NOUN, HE))), [1, 5]].to_numpy().ravel()
    said = "from .91 to .53 and from 1.00 to .92; from .83 to .29 and from .99 to .76"
    quotes(said, *fell)
    steps = by_share.xs(NOUN, level="subject").diff(axis=1).iloc[:, 1:]
    guard("After a noun EW falls with every step", (steps < 0).all(axis=None))
    left_over = 1 - by_share.xs(HE, level="subject")
    last = left_over[5] / left_over.sum(axis=1)
    guard("Two thirds of what is left", last.between(0.63, 0.71).all())

# %%
if both:  # the front page
    of_pronoun = by_share.xs(HE, level="subject").loc[[S, G]]
    quotes("EW after he or she is .92 on SmolLM2 and .76 on Gemma", *of_pronoun[5])
    guard("weakest for the most noun-like", (of_pronoun.idxmin(axis=1) == 5).all())

# %% [markdown]
# ## A noun in between

# %%
if both:
    costs = between.set_index(["attractor", "model", "preposition"])["EW"]
    costs = (costs["singular"] - costs["plural"]).unstack("model")[[S, G]]
    said = "lowers EW after all 22 prepositions, on SmolLM2 by .13 and on Gemma by .23"
    quotes(said, (costs > 0).all(axis=1).sum(), *costs.mean())

# %%
if both:
    from tse_book.recorded import control_tables

    bare = control_tables(G, bare=True)["attractors"]
    cells = {S: tables[S].attractors, G: tables[G].attractors, "bare": bare}
    cells = pd.concat(cells, names=["model"]).query(
        "adverb == 'none' and not also_noun"
    )
    cells = cells[cells["number"] == "singular"].eval("EW = correct / verbs")
    means = cells.groupby(["model", "noun", "attractor_number"])["EW"].mean().unstack()
    cost = (means["singular"] - means["plural"]).groupby("model").agg(["min", "max"])
    said = "from .06 to .31 on SmolLM2 and from .05 to .36 on Gemma"
    quotes(said, *cost.loc[S], *cost.loc[G])
    quotes("EW .19 and .20", *means.loc["bare"].mean()[["singular", "plural"]])

# %% [markdown]
# ## What was stated beforehand

# %%
glue("statements_table", judged)
ROBUST = ["S2", "S3a", "S4.ew", "S4.nats"]
if both:
    said = verdicts.pivot(index="id", columns="model", values="verdict")[[S, G]]
    guard(
        "S1 and S2, S3a and S4 extend to both",
        (said.loc[["S1", *ROBUST]] == "extends").all(axis=None),
    )
    guard("S3b extends to neither", (said.loc["S3b"] == "undecided").all())
    smol, gemma = ["extends", "undecided"], ["undecided", "extends"]
    one_model = said.loc[["S6", "S6b.often", "S6b.probably"]].to_numpy().tolist()
    guard("S6 and S6b extend to one model", one_model == [gemma, smol, smol])
    above = (ew[HE] - ew[NOUN]).xs(ALSO, level="verbs")[[S, G]]
    quotes("S1 (a difference of .22 on SmolLM2 and of .30 on Gemma)", *above)
    measured = verdicts.pivot(index="id", columns="model", values="measured")
    first = measured.loc["S1"].str.split().str[0].astype(float)
    guard("S1 is what the table of subjects says", (above - first).abs().max() < 0.001)

# %%
if both:
    cells = tables[S].attractors.query("number == 'singular' and not also_noun")
    margin = cells.groupby(["attractor_number", "adverb"])["margin"].mean()
    quotes(
        "(1.62 nats without it, 1.59 with it)", *margin["plural"][["none", "probably"]]
    )
    singular = margin["singular"]
    guard("raises it after a singular one", singular["probably"] > singular["none"] + 1)

# %%
if both:
    turns = verdicts.pivot(index="id", columns="model", values="another verdict by")
    guard(
        "No choice in the last column changes S2, S3a or S4",
        (turns.loc[ROBUST] == "").all(axis=None),
    )
    changed = turns.map(lambda text: set(text.split("; ")))
    jackknife = "the package's jackknife"
    guard(
        "On SmolLM2 S1 is undecided with three openers, the paper's nouns",
        changed.loc["S1", S] == {"three openers", "the paper's nouns alone"},
    )
    guard(
        "On Gemma S1 is undecided with three openers, the new nouns, by the jackknife",
        changed.loc["S1", G] == {"three openers", "the new nouns alone", jackknife},
    )
    bare = "single tokens, no BOS token"
    clauses = "no preposition that can begin a clause"
    guard("S6 on SmolLM2", changed.loc["S6", S] == {jackknife, bare})
    guard("S6 on Gemma", changed.loc["S6", G] == {jackknife, bare, clauses})

# %%
if both:
    from tse_book.claims.statements import rises_after_pronoun, rises_in_rows

    in_rows = [rises_in_rows(tables[m], "zipf") for m in (S, G)]
    guard("S3a is undecided on both", all(one.low < 0 < one.high for one in in_rows))
    for score in ("correct", "margin"):
        on_s = rises_after_pronoun(tables[S], score, "zipf")
        on_g = rises_after_pronoun(tables[G], score, "zipf")
        guard("S4 is undecided on SmolLM2", on_s.low < 0 < on_s.high)
        guard("S4 is reversed on Gemma", on_g.high < 0)

# %% [markdown]
# ## Why do nouns differ?

# %%
glue("noun_statements_table", noun_judged)
if models[:1] == [S]:
    said = "these three words alone have a probability of .024 on SmolLM2"
    quotes(said, key_by_hand["The tourist"])
    guard("after *The author* of less than .0001", key_by_hand["The author"] < 0.0001)

# %%
if {S, G} <= set(noun_tables):
    rhos = expected_nouns.judged(noun_tables).set_index(["id", "model", "choice"])
    fixed = rhos.xs("as fixed", level="choice")

    def with_interval(statement, model):
        return fixed.loc[(statement, model), ["value", "low", "high"]]

    said = "rho is −.85 [−.92, −.74] on SmolLM2 and −.76 [−.84, −.63] on Gemma"
    quotes(said, *-with_interval("S7", S), *-with_interval("S7", G))
    said = "rho is .37 [.10, .62]; on Gemma it is .18 [−.07, .42]"
    s7b = [*with_interval("S7b", S), *with_interval("S7b", G)]
    quotes(said, *(abs(number) for number in s7b))
    guard("on Gemma the interval begins below 0", s7b[4] < 0 < s7b[1])
    quotes("64 new nouns for persons", by_noun["noun"].nunique())
    never = [-fixed.loc[("S7b.never", model), "value"] for model in (S, G)]
    quotes("with a rho of −.69 on SmolLM2 and −.59 on Gemma", *never)

# %%
if {S, G} <= set(noun_tables):
    outcome = noun_verdicts.pivot(index="id", columns="model", values="verdict")
    guard("S7 extends to both", (outcome.loc["S7"] == "extends").all())
    guard("S7b extends to SmolLM2 alone", outcome.loc["S7b", S] == "extends")
    guard("undecided on Gemma", outcome.loc["S7b", G] == "undecided")
    turned = noun_verdicts.pivot(
        index="id", columns="model", values="another verdict by"
    )
    guard(
        "None of the eight other choices changes the verdict on S7",
        (turned.loc["S7"] == "").all(),
    )
    guard("S7b on SmolLM2 turns by tokens", turned.loc["S7b", S] == "EW by tokens")
    gemma_turns = turned.loc["S7b", G] == "given the forms in -s"
    guard("S7b on Gemma turns given the forms in -s", gemma_turns)

# %%
if {S, G} <= set(noun_tables):
    ends = []
    for part in ("smallest", "largest"):
        for model in (S, G):
            of_model = by_noun[by_noun["model"] == model].sort_values("P")
            ends.append(of_model.iloc[0 if part == "smallest" else -1])
    named = [end["noun"] for end in ends]
    guard("the ends of M", named == ["winner", "chairman", "socialist", "deputy"])
    said = "where M is smallest, EW is .85 on SmolLM2 and .64 on Gemma; where it is largest, .09 and .21"
    quotes(said, *(end["EW"] for end in ends))
    socialist = by_noun[by_noun["noun"] == "socialist"].set_index("model")
    never = socialist.loc[[S, G], "EW of never-nouns"]
    quotes("never nouns have an EW of .40 and .55", *never)
    guard("64 new nouns", (by_noun.groupby("model").size() == 64).all())
    words = noun_tables[S].key
    guard("600 nouns", (words["number"] == "singular").sum() == 600)
    first = expected[expected["noun"] == "guardian"]["words"].str.split(", ").str[0]
    guard("After The guardian both models expect angel", set(first) == {"angel"})
    none = expected[expected["noun"] == "researcher"]["P"].max() < 0.0001
    guard("after The researcher no noun in particular", none)

# %% [markdown]
# ## Does a noun follow a name?

# %%
if {S, G} <= set(noun_tables) and both:
    by_kind = likely.set_index(["model", "subject"])
    highest = by_kind["highest"].unstack()[NAME]
    quotes("a probability of .0022 or less", highest.max())
    on_gemma = [by_kind.loc[(G, one), "mean"] for one in (NAME, HE, NOUN)]
    said = "On Gemma .0002 after names, .0002 after *he* or *she*, .0232 after a noun"
    quotes(said, *on_gemma)
    on_smollm = [by_kind.loc[(S, one), "mean"] for one in (NAME, HE, NOUN)]
    said = ".0009 after a name, .0001 after *he* or *she* and .0121 after a noun"
    quotes(said, *on_smollm)
    quotes("EW after names is only .664", ew.loc[(G, ALSO), NAME])
    of_s = chances[chances["model"] == S].set_index(["subject", "noun"])["P"]
    guard("*Peter*, the highest name", of_s[NAME].idxmax() == "Peter")
    guard("such as *pilot*", of_s[NOUN].idxmax() == "pilot")
    most = of_s[NOUN].nlargest(5).sum() / of_s[NOUN].sum()
    guard("a few nouns make up most", most > 0.8)
    as_low = of_s[NOUN][of_s[NOUN] <= of_s[NAME].max()].index
    ew_of_these = with_opener[S].loc[as_low].mean()
    said = "after 13 of the 20 nouns EW is .87, not far from .845"
    quotes(said, len(as_low), len(of_s[NOUN]), ew_of_these, ew.loc[(S, ALSO), NAME])
    medians = by_kind["median"].unstack()
    is_alike = medians.loc[S, NAME] > medians.loc[S, NOUN] / 2
    guard("about as likely after a name as after most of the twenty nouns", is_alike)
    means = by_kind["mean"].unstack().loc[G]
    apart = (means[NOUN] - means[NAME]) / (means[NAME] - means[HE])
    guard(
        "On Gemma a noun is as unlikely after a name as after *he* or *she*",
        apart > 100,
    )
    sizes = chances.groupby(["model", "subject"]).size().unstack()
    guard(
        "20 nouns, ten names", (sizes[[NOUN, NAME, HE]] == [20, 10, 10]).all(axis=None)
    )
