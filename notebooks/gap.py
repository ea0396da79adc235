# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: -jupytext.text_representation
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # What the gap is made of
#
# :::{admonition} This notebook
# :class: tse-plan
#
# You will
# : see how much of a low EW is about agreement
#
# You need
# : [Table 2](table2.ipynb)
#
# Time
# : 10 minutes to read, a minute to run (from recorded results)
#
# Run it
# : {download}`this notebook <../_build/colab/notebooks/gap.ipynb>` with {download}`the package <../_build/wheel/tse_core-0.1.0-py3-none-any.whl>`, on Colab or at home; the steps are in [Score your own model](../book/quickstart.md). With another model: `papermill gap.ipynb mine.ipynb -p models gpt2`
# :::

# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "tse_core-0.1.0-py3-none-any.whl"
    get_ipython().run_line_magic("pip", f"install --quiet {package}")

# %% tags=["parameters"]
models = ["smollm2-135m-instruct"]  # without recorded results a model takes hours
recorded = ["gemma-3-270m"]  # shown beside them, from results kept with the book
lemmas = "newman-clean"  # the list of verbs

# %%
from tse_book.pages import as_list

models = as_list(models)  # one string works, too: "gpt2, roberta-base"
recorded = as_list(recorded)

# %% [markdown] tags=["explains"]
# ## A question and a prediction
#
# Why is {term}`EW` mostly below {term}`TSE`? Many of the verbs that EW asks about are nouns as well: *plan*, *need*, *order*. After *The student* a noun may follow (*the student plan was rejected*), and the probability of this {term}`noun reading` is counted for a wrong form. {cite:t}`newman2021refining` call this a potential confounder for models that read only the left context, as both models here do. No bare noun can follow *he*, *she* or *who*. So change the subject.
#
# ```{dropdown} Predict: what happens to EW of verbs that are also nouns when *I think that the customer* becomes *I think that he*?
# If the model cannot conjugate them, EW stays low. If the form without *-s* was mostly read as a noun, EW rises. It also rises after a name such as *Mary*, if hardly any noun follows a name.
# ```
#
# The data set `agreement-controls` has seven kinds of subject. It leaves out verbs whose base is also their past form (*cut*), since after *he* a past form is correct. A form is scored as a {term}`whole word`: its probability includes the probability that the word ends there, because after *he* the token *pot* is mostly the beginning of *potted*. Both forms must be single tokens. Of the 896 verbs that are never nouns, this leaves 292 on SmolLM2 and 402 on Gemma; of the 998 that are also nouns, 648 and 785.

# %%
from tse_book.pages import real_models, statements

tables = statements.tables_of([*real_models(models), *recorded], lemmas)

# %% [markdown]
# ## Change the subject
#
# First by hand: one model after one noun and after one pronoun, by single tokens.

# %%
from tse_core import load_lemmas, score_context

kinds = load_lemmas(lemmas).table[["lemma", "noun"]]  # noun: is the verb also a noun?
by_hand = {}
for name in real_models(models)[:1]:
    for beginning in ("I think that the customer", "I think that he"):
        forms = score_context(name, beginning, number="singular").forms
        agrees = forms.merge(kinds).groupby("noun")["agrees"]
        by_hand[beginning] = agrees.mean().round(2).to_dict()
by_hand

# %% [markdown]
# After *the customer*, the agreeing form wins for .39 of SmolLM2's verbs that are also nouns; after *he*, for .89 (verbs such as *cut* are still among them). Now the same over many subjects, for both models, and by whole words.
#
# Twenty nouns, ten of the paper's and ten new ones, were scored with and without an *opener*, one of five beginnings such as *I think that*. Ten names, two pronouns, *it*, *everyone* and *nobody* were all scored after an opener. The large marks are means, and the small dots below them are single nouns or names. The lines are 95 % intervals over nouns (or names), openers and verbs; where every verb is right in all contexts there is none, since nothing varies.

# %%
from tse_book import charts

subjects = statements.subject_scores(tables)
nouns = statements.noun_scores(tables)
charts.subject_dots(subjects, nouns, "EW by kind of subject and of verb")

# %% [markdown]
# The table has two more measures, in {term}`nats <nat>`. The *margin*, the mean lead of the agreeing form in log-probability, still tells verbs apart where EW is near 1. The *shift* is how much the lead of the form in *-s* grows when a plural subject becomes singular (a dash: no plural subject was scored); the share of verbs with a positive shift is the {term}`number sensitivity`. By hand, for two verbs and by tokens:

# %%
import numpy as np
import pandas as pd

by_verb = pd.DataFrame()
for name in real_models(models)[:1]:
    one = score_context(name, "The student", number="singular").forms
    many = score_context(name, "The students", number="plural").forms
    one, many = one.set_index("lemma"), many.set_index("lemma")
    by_verb["margin"] = np.log(one["p_correct"]) - np.log(one["p_wrong"])
    lead = np.log(many["p_wrong"]) - np.log(many["p_correct"])  # of the form in -s
    by_verb["shift"] = by_verb["margin"] - lead
by_verb.reindex(["plan", "write"]).round(2)

# %% [markdown]
# EW counts *plan* as wrong, since its margin is below 0. And yet SmolLM2 takes note of the subject: from *The students* to *The student* the form *plans* gains 3.28 nats on *plan*.

# %%
from tse_book.pages import folded, table

shifts = statements.twin_shifts(tables)
beside = subjects.rename(columns={"nats": "margin"}).merge(shifts, how="left")
wide = statements.side_by_side(beside, ["EW", "margin", "shift"])
table(wide, "EW, margin and shift (nats) by whole words, singular subjects", digits=3)

# %% tags=["hide-input"]
columns = ["model", "subject", "verbs", "contexts", "EW", "EW of tokens", "ends"]
caption = "ends: the mean probability that the word ends after its token"
counted = table(subjects[columns], caption, digits=3)
folded(counted, "EW by whole words and by tokens, with the number of contexts")

# %% [markdown] tags=["explains"]
# After an opener and a noun, on average over 20 nouns, SmolLM2 prefers the agreeing form for 99.3 % of the verbs that are never nouns and for 75.6 % [64.2, 84.3] of those that are also nouns; Gemma does so for 97.7 % and 63.0 % [48.5, 75.5]. After an opener and *he* or *she* the shares are 100 % and 97.4 % on SmolLM2, 100 % and 93.1 % on Gemma. After *everyone*, *it* and a noun with *who* EW is about as high. So on average most apparent agreement failures after a singular noun disappear after a pronoun. Both models pass the test of this statement (S1 below), but with three openers, with one half of the nouns, or (on Gemma) with an interval by the {term}`jackknife` it is undecided. Why is SmolLM2's interval so wide? Three nouns (*tourist*, *pilot*, *customer*) lie far below the others. They also pull the mean down: the median noun has an EW of .81 (.64 on Gemma).
#
# Single nouns differ more than the means of nouns and pronouns do: EW of verbs that are also nouns runs from .32 (*tourist*) to .96 (*farmer*) on SmolLM2 and from .25 (*tourist*) to .87 (*doctor*) on Gemma. Each noun stands after one opener, but without openers the range is about as wide: from .32 (*pilot*) to .93 (*farmer*), and from .17 (*tourist*) to .90 (*author*). *Author*, the noun in most examples of this book, is near the top (.93 and .90), *customer* (.44 and .33) and *student* (.55 and .41) near the bottom. Yet all twenty nouns lie below the mean of *he* and *she*.
#
# What remains is a weaker preference. After *he* or *she* verbs that are also nouns have a smaller margin than the others, by 2.1 nats on SmolLM2 and by 2.4 on Gemma. When *they* becomes *he*, the form in *-s* gains for nearly every verb, but less if the verb is also a noun: 10.2 nats against 13.2, and 8.6 against 12.8.

# %% [markdown] tags=["explains"]
# ## Is the noun the only reason?
#
# Over ten names, EW of verbs that are also nouns is only .845 on SmolLM2 and .664 on Gemma; for verbs that are never nouns it is .993 and .939. Over the five openers, EW after a name is lower than after *he* or *she* by .13 [.03, .22] on SmolLM2 and by .27 [.11, .42] on Gemma (a post-hoc comparison). So the contrast is between nouns or names and pronouns, and the noun reading is one explanation of it. How likely a noun is after a name is measured further below.
#
# The paper adds that the confounder is no issue where words stand between subject and verb. Yet in the row *Across prepositional phrase*, after singular subjects, EW of verbs that are also nouns is .56 on SmolLM2 and .39 on Gemma, that of the others .95 and .88: the two kinds differ no less there than in *Simple* (.71 and .54, .99 and .98).
#
# Nor can we say how much it explains. After a noun the two kinds of verb differ; on SmolLM2 from 9 % to 89 % of this difference disappears, depending on the new subject after the opener (a name, *everyone*, *it*, *he*) and the measure (EW, margin).

# %% [markdown] tags=["explains"]
# ## Are likely verbs conjugated better?
#
# If a verb's likelihood were read off the forms that EW compares, the answer would be built in. So it is measured after a modal (*I believe that you will ...*), where all subjects take the same form. The verbs of each kind are divided into fifths by this likelihood, and EW is a mean over the nine rows of Table 2.
#
# ```{dropdown} Predict: for which verbs does EW rise over the fifths?
# For all, if the model does not conjugate rare verbs. If nouns get in the way, only for verbs that are also nouns: those that are rarely used as verbs are mostly nouns.
# ```

# %% [markdown]
# By hand, for the first model, the verbs that are also nouns, and one row, *Simple* with a singular subject:

# %%
first = next(iter(tables.values()))
simple = first.rows.query("construction == 'Simple' and number == 'singular'")
also_nouns = first.verbs.loc[first.verbs["also_noun"], ["lemma"]]
simple = simple.merge(also_nouns).merge(first.likelihoods)
simple["fifth"] = pd.qcut(simple["modal"], 5, labels=False, duplicates="drop") + 1
sums = simple.groupby("fifth")[["correct", "contexts"]].sum()
fifths_by_hand = sums["correct"] / sums["contexts"]
fifths_by_hand.round(2).to_dict()

# %% [markdown]
# From the least likely fifth to the likeliest, EW rises from .52 to .90 on SmolLM2. Now over all nine rows, for both kinds of verb and both models:

# %%
over_fifths = statements.fifth_scores(tables)
charts.fifth_lines(over_fifths, "EW over fifths of verbs, from unlikely to likely")

# %% [markdown] tags=["explains"]
# After singular subjects EW of verbs that are also nouns rises from .52 to .82 on SmolLM2 and from .37 to .74 on Gemma. For the other verbs it hardly moves: from .93 to .95 and from .92 to .88. With fifths by the probability of the past form, or by a lexicon's count of uses as a verb, the picture is much the same. But with fifths by the word form's frequency in any use, EW of verbs that are also nouns does not rise: it is .70 and .66 at the two ends on SmolLM2, .56 and .57 on Gemma.

# %% [markdown] tags=["explains"]
# ## Nouns by degrees
#
# Which verbs are *also nouns* was decided by the library lemminflect and, for 44 verbs, by hand. But being a noun is a matter of degree: *pot* is mostly a noun, *look* seldom. Here the verbs are divided into fifths by how often they are nouns, as a share of the uses that WordNet counts.

# %%
graded = statements.noun_share_scores(tables)
charts.share_lines(graded, "EW over fifths of the noun share, by whole words")

# %% [markdown] tags=["explains"]
# After a noun EW falls with every step, from .91 to .53 on SmolLM2 and from .83 to .29 on Gemma. After a pronoun it falls mainly in the last fifth, among words that are mostly nouns: from 1.00 to .92, and from .99 to .76. Two thirds of the errors after a pronoun are in this fifth.

# %% [markdown] tags=["explains"]
# ## A noun in between
#
# {term}`Attraction`, a second reason for a low EW, concerns all verbs. The chart shows verbs that are never nouns, after subjects such as *The author near the guard* and *The author near the guards*, with 22 prepositions and six pairs of nouns.

# %%
between = statements.preposition_scores(tables)
charts.preposition_dots(between, "EW after a singular and a plural attractor")

# %% [markdown] tags=["explains"]
# A plural attractor lowers EW after all 22 prepositions, on SmolLM2 by .13 on average and on Gemma by .23. The loss depends on the pair of nouns: it ranges from .06 to .31 on SmolLM2 and from .05 to .36 on Gemma. Without a {term}`BOS token` Gemma fails after either attractor (EW .19 and .20).

# %% [markdown] tags=["explains"]
# ## What was stated beforehand
#
# The statements below came from SmolLM2's results. They and their tests were written down before Gemma 3 270M was run on these sentences, so Gemma's verdicts are a replication, but not an independent one: both models learned from the same kind of web text. A statement *extends* to a model if its whole interval lies above 0 and its p-value, corrected over the model's statements (Holm 1979), is below .05. The last column names choices of method that would change the verdict, such as the jackknife; choices that only change the correction are left out.

# %% tags=["full-width"]
verdicts = statements.verdict_table(tables)
judged = table(verdicts, "Statements S1 to S6b: measured, tested, verdict", digits=3)
judged

# %% [markdown] tags=["explains"]
# - **Nouns and pronouns.** S1 (a difference of .22 on SmolLM2 and of .30 on Gemma) and S2 extend to both models. But S1 rests on five openers with four nouns each: with three openers, with one half of the nouns alone (on SmolLM2 the paper's, on Gemma the new ones) or, on Gemma, by the jackknife it is undecided.
# - **Likely verbs.** S3a and S4 extend to both models; S3b, which is about verbs that are never nouns, extends to neither. With fifths by the word form's frequency, S3a is undecided on both, and S4 is undecided on SmolLM2 and reversed on Gemma.
# - **Attraction.** S6 extends to Gemma alone, and there not by the jackknife, without a BOS token, or without the two prepositions that can begin a clause. On SmolLM2 it is undecided, but extends by the jackknife or without a BOS token. S6b, that an adverb makes attraction worse, extends to SmolLM2 alone: there the adverb *probably* raises the margin after a singular attractor and hardly changes it after a plural one (1.62 nats without it, 1.59 with it).
#
# No choice in the last column changes S2, S3a or S4.

# %% [markdown] tags=["explains"]
# ## Why do nouns differ?
#
# Some nouns invite another noun: *the tourist attraction*, but seldom *the author attraction*. If this is why verbs that are also nouns do so badly after *The tourist*, then EW should be lower where a noun is more probable. So for each noun *N* let *M* be the summed probability, after *The N*, of 600 nouns such as *flight* or *music*, each scored as a whole word. None of these 600 nouns, called the *key*, is a form of a verb, so *M* and EW share no word.
#
# Again two statements, S7 and S7b, were fixed, with the words, the tests and 64 new nouns for persons, before any model was run on these nouns:
#
# - **S7**: over the nouns, EW of verbs that are also nouns falls as *M* grows. That is nearly built in, since the wrong form of such a verb is itself a bare noun. It says no more than that the noun reading *could* explain the order of the nouns.
# - **S7b** decides: verbs that are also nouns lose *more* of their margin than the others as *M* grows. Otherwise *M* may only say that the subject is not finished yet, which lowers the margin of every verb.
#
# ```{dropdown} Predict: do the margins of verbs that are never nouns fall with M, too?
# If a likely noun competes only with verbs that are nouns themselves, they do not. If after *The tourist* the subject is often not finished, no verb agrees with *tourist* yet, and they fall.
# ```

# %% [markdown]
# By hand, with three words of the key, each a single token:

# %%
from tse_core import load_model, slot_distribution

few = ["information", "company", "population"]
key_by_hand = {}
for name in real_models(models)[:1]:
    model = load_model(name)
    for beginning in ("The tourist", "The author"):
        entries = slot_distribution(model, beginning).set_index("id")
        chosen = entries["probability"].reindex(model.word_ids(few))
        key_by_hand[beginning] = chosen.sum()
        print(f"{beginning}: {chosen.sum():.5f}")

# %% [markdown]
# After *The tourist* these three words alone have a probability of .024 on SmolLM2, after *The author* of less than .0001. Now the whole key, after 64 new nouns:

# %%
from tse_book.pages import expected_nouns

noun_tables = expected_nouns.tables_of([*real_models(models), *recorded], lemmas)
three = ["researcher", "guardian", "deputy"]
by_noun = expected_nouns.noun_scores(noun_tables, three)
charts.noun_dots(by_noun, "EW by how likely another noun is")

# %% [markdown]
# Each dot is a noun. The nouns at the ends are named, and so are three whose likeliest words are in the table.

# %%
expected = expected_nouns.likeliest_words(noun_tables, three)
table(
    expected,
    "The three likeliest words of the key, and the probability of the first",
    digits=5,
)

# %% tags=["full-width"]
noun_verdicts = expected_nouns.verdict_table(noun_tables)
noun_judged = table(
    noun_verdicts, "S7 and S7b: Spearman's rho over nouns, with its 95 % interval"
)
noun_judged

# %% tags=["hide-input", "full-width"]
variants = table(
    expected_nouns.variant_table(noun_tables), "As fixed, and with one choice changed"
)
folded(variants, "Rho under eight other choices")

# %% [markdown] tags=["explains"]
# After *The guardian* both models expect *angel*, after *The researcher* no noun in particular. S7 extends to both models: rho is −.85 [−.92, −.74] on SmolLM2 and −.76 [−.84, −.63] on Gemma. Where *M* is smallest, EW of verbs that are also nouns is .85 on SmolLM2 and .64 on Gemma (*winner*, *chairman*); where it is largest, .09 and .21 (*socialist*, *deputy*).
#
# S7b extends to SmolLM2 alone: there rho is .37 [.10, .62]; on Gemma it is .18 [−.07, .42], undecided. So EW falls with *M* on both models, but we can say only of SmolLM2 that the verbs that are also nouns lose more than the others. (The two intervals overlap, so the models need not differ.) The others lose, too: their margin falls with *M*, with a rho of −.69 on SmolLM2 and −.59 on Gemma. After *The socialist*, which reads like an adjective, even verbs that are never nouns have an EW of .40 and .55. Where a noun is likely, the subject may not be finished yet, which would lower every verb's margin. So the noun reading could explain the order of the nouns, but these results do not show that it does.
#
# None of the eight other choices changes the verdict on S7. S7b becomes undecided on SmolLM2 if margins are counted by tokens (*EW by tokens*), and extends to Gemma if the probability of the forms in *-s* is held fixed. Rows marked *described* have no verdict; they show the two margins of S7b separately.
#
# Two faults of the design were found before it was carried out. The first list of words contained *that*, *this* and *himself*, which the inflection library counts among the nouns, and these words decided the order of the nouns. And S7 was to decide by itself, although it is nearly built in.

# %% [markdown] tags=["explains"]
# ## Does a noun follow a name?
#
# After a name EW is lower than after a pronoun. Is a noun likelier there? The table has the summed probability of the key's words, here by tokens, after an opener and each kind of subject: the mean, the median and the highest of 20 nouns, ten names, and two pronouns after five openers. This was measured after all other results were known.

# %%
chances = expected_nouns.subject_chances(noun_tables)
kinds_of_subject = ["opener + the + noun", "opener + name", "opener + he or she"]
chances = chances[chances["subject"].isin(kinds_of_subject)]
by_subject = chances.groupby(["model", "subject"], sort=False)["P"]
likely = by_subject.agg(mean="mean", median="median", highest="max").reset_index()
table(likely, "Probability of a noun of the key", digits=4)

# %% [markdown] tags=["explains"]
# Hardly any noun follows a name: after each of the ten, the key has a probability of .0022 or less. On Gemma the mean is .0002, as after *he* or *she*; after a noun it is .0232. Yet EW after names is only .664 there, so the noun reading is hardly the only reason. On SmolLM2 the means are .0009 after a name, .0001 after *he* or *she* and .0121 after a noun. But a few nouns such as *pilot* make up most of the last one: after 13 of the 20 nouns the key is no likelier than after *Peter*, the highest name, and EW after these 13 is .87, not far from .845 after names. So SmolLM2's names do not show that there is another reason.

# %% [markdown] tags=["explains"]
# ## Exercises
#
# {download}`A notebook checks your answers <../_build/exercises/gap.ipynb>`.

# %% tags=["hide-input", "exercise-setup"]
import pandas as pd

from tse_book.pages import expected_nouns

verbs = ["walk", "plan", "see", "rust"]
after_singular = pd.DataFrame(index=verbs)  # log-probabilities after The author
after_singular["form in -s"] = [-7.0, -8.0, -6.5, -12.0]
after_singular["base form"] = [-8.5, -6.0, -9.0, -11.0]
after_plural = pd.DataFrame(index=verbs)  # log-probabilities after The authors
after_plural["form in -s"] = [-9.0, -9.5, -9.5, -12.0]
after_plural["base form"] = [-6.5, -5.5, -6.0, -11.0]
of_smollm = expected_nouns.tables_of(["smollm2-135m-instruct"], "newman-clean")
nouns = expected_nouns.noun_scores(of_smollm).sort_values("noun")
seen, apart = nouns[::2], nouns[1::2]

# %% [markdown]
# ````{exercise} ★ Does it know, or does it prefer?
# :label: 18-sensitivity
#
# `after_singular` and `after_plural` have log-probabilities of four verbs. Give `ew`, the {term}`EW` after *The author*, and `ns`, the {term}`number sensitivity`. Which verb does the model know although EW calls it wrong?
#
# ```{dropdown} Hint
# By how much is the form in *-s* ahead after the singular, and after the plural?
# ```
# ````

# %% tags=["hide-cell", "solution"]
# "plan" is wrong after the singular, and its form in -s still gains there.
ahead = after_singular["form in -s"] - after_singular["base form"]
ahead_after_plural = after_plural["form in -s"] - after_plural["base form"]
ew = (ahead > 0).mean()
ns = (ahead > ahead_after_plural).mean()

# %% tags=["hide-cell", "check"]
lead = after_singular["form in -s"] - after_singular["base form"]
gain = lead - (after_plural["form in -s"] - after_plural["base form"])
assert ew == (lead > 0).mean(), "ew: for which share is the form in -s ahead?"
assert ns == (gain > 0).mean(), "ns: for which share does the form in -s gain?"
print(f"EW {ew:.2f}, number sensitivity {ns:.2f}: a preference is not ignorance.")

# %% [markdown]
# ````{exercise} ★★ Look on one half, test on the other
# :label: 18-apart
#
# `seen` and `apart` each hold half of the 64 nouns in SmolLM2's chart. Their column `P` has the summed probability, after *The* and the noun, of the 600 nouns that are no verb forms (the *key*); `EW` is that of verbs that are also nouns. A pattern that you notice in `seen` may be chance, so test it in `apart`. Give `rho`, Spearman's correlation of P and EW in `apart`, and the ends `low` and `high` of its 95 % interval: draw the nouns of `apart` anew 1,000 times, with replacement. Is 0 inside the interval?
#
# Then, without a check: do the same for the twenty nouns of `agreement-controls`, with P from {py:func}`tse_core.slot_distribution` (`of_smollm["smollm2-135m-instruct"].key` has the key's words). This part needs SmolLM2, which is downloaded (98 MB). These nouns prompted the question, so describe what you find; only nouns that you held apart, ten or more, can decide.
#
# ```{dropdown} Hint
# `apart.sample(frac=1, replace=True, random_state=i)` is a draw, and `x.corr(y, "spearman")` a correlation.
# ```
# ````

# %% tags=["hide-cell", "solution"]
import numpy as np

rho = apart["P"].corr(apart["EW"], "spearman")
rhos = []
for i in range(1000):
    draw = apart.sample(frac=1, replace=True, random_state=i)
    rhos.append(draw["P"].corr(draw["EW"], "spearman"))
low, high = np.quantile(rhos, [0.025, 0.975])

# %% tags=["hide-cell", "check"]
correlation = nouns[1::2]["P"].corr(nouns[1::2]["EW"], "spearman")
assert isinstance(rho, (int, float)), "rho should be a number"
assert abs(rho - correlation) < 0.005, (
    "rho: is it of the nouns of `apart` alone, and a correlation of ranks ('spearman')?"
)
assert low < rho < high, "low and high: the quantiles .025 and .975 of the draws"
assert 0.1 < high - low < 1, "low and high: draw as many nouns as `apart` has"
print(f"rho {rho:.2f} [{low:.2f}, {high:.2f}] over {len(apart)} nouns held apart")

# %% [markdown] tags=["explains"]
# ````{exercise} ★★ A subject of your own (no Python)
# :label: 18-subject
#
# On [Try it](../book/try.md) type *The customer*, choose *singular*, and note which verbs are wrong. Then type *I think that he*. Which are right now, which stay wrong, and why?
#
# ```{dropdown} Hint
# Is the verb also a noun, and how often is it used as a verb?
# ```
# ````
#
# ```{solution} 18-subject
# :class: dropdown
# A verb that has become right was probably read as a noun before. Those that stay wrong are mostly beginnings of other words (the page scores tokens), past forms, or words hardly used as verbs.
# ```

# %% [markdown] tags=["explains"]
# ## Takeaways
#
# A low EW can come from nouns, from attraction or from not knowing the subject's number: [report it](pitfalls.ipynb) by kind of verb and of subject, with the margin beside it.
#
# Functions: {py:func}`tse_book.pages.statements.subject_scores`, {py:func}`tse_book.pages.statements.fifth_scores` and {py:func}`tse_book.claims.statements.judge`.
