"""Whole words: the chain rule by hand, sums to one, what changes nothing, which entries end a word, evaluations."""

import copy
import itertools
import json

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE, WordLevel, WordPiece
from transformers import PreTrainedTokenizerFast

from tiny import save_unigram_model
from tse_book.baselines.baselines import train_baseline
from tse_book.claims.results import preferred
from tse_book.studies import record_details, recorded_details, words_for
from tse_book.studies.some_lemmas import scores_over
from tse_core import InputError, evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement.comparison import compare_evaluations, shared_lemmas
from tse_core.agreement.counted_forms import WordList
from tse_core.agreement.prepare import prepare
from tse_core.agreement.samples import stratified_sample
from tse_core.agreement.shards import job_work
from tse_core.agreement.word_distributions import tokens_read
from tse_core.cli import main
from tse_core.datasets.lemmas import Lemmas
from tse_core.forward.likely_words import likely_words
from tse_core.forward.passes import target_log_probabilities
from tse_core.forward.word_forms import form_log_probabilities, form_tree
from tse_core.metrics.scores import cutoff_scores
from tse_core.metrics.table import PAPER_CUTOFFS, Cutoffs
from tse_core.models.language_model import LanguageModel, Prompt
from tse_core.models.network import Network
from tse_core.results.store import Store
from tse_core.results.tidy import read_results
from tse_core.results.work import unfinished
from tse_core.sentences.tokens import surprisals

SIX = ["<end>", "Ġ", "a", "b", "Ġa", "."]


class Given(Network):
    """A network whose distribution after each sequence is a function of that sequence."""

    def __init__(self, size, probabilities):
        self.vocabulary_size, self.probabilities = size, probabilities

    def states(self, ids, rows, columns):
        prefixes = [tuple(ids[row, : column + 1].tolist()) for row, column in zip(rows, columns, strict=True)]
        return torch.from_numpy(np.log(np.stack([self.probabilities(prefix) for prefix in prefixes])))

    def tensors(self):
        return []


def drawn(prefix):
    """A distribution over six entries, another one after each sequence."""
    shares = np.random.default_rng(prefix).exponential(size=len(SIX))
    return shares / shares.sum()


def byte_level(entries, merges):
    tokenizer = Tokenizer(BPE({entry: i for i, entry in enumerate(entries)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")


@pytest.fixture(scope="module")
def toy():
    """A model of six entries: the end of the text, a space, two letters, one of them after a space, and a full stop."""
    return LanguageModel("toy", "causal", byte_level(SIX, [("Ġ", "a")]), Given(6, drawn), bos="none")


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """A tiny random causal model that knows the templates' words as single entries and spells all others."""
    return load_model(save_unigram_model(tmp_path_factory.mktemp("pieces") / "pieces-causal", "causal"))


@pytest.fixture(scope="module")
def masked_pieces(tmp_path_factory):
    return load_model(save_unigram_model(tmp_path_factory.mktemp("pieces") / "pieces-masked", "masked"))


@pytest.fixture(scope="module")
def simple():
    return load_pairs("marvin-linzen/simple")


@pytest.fixture(scope="module")
def few():
    """Verbs of one piece and of several: laugh, smile and 20 of the list."""
    table = load_lemmas("newman-clean").table
    return Lemmas("few", pd.concat([table[table["lemma"].isin(["laugh", "smile"])], table.iloc[5::100]]))


@pytest.fixture(scope="module")
def single(pieces, simple, few):
    return evaluate(pieces, simple, few, sample=6)


@pytest.fixture(scope="module")
def whole(pieces, simple, few):
    return evaluate(pieces, simple, few, forms="words", sample=6, keep="forms")


def test_whole_words_of_six_entries_are_those_of_an_enumeration_by_hand(toy):
    words = ["a", "ab", "abb", "b", "ba"]
    forms = toy.spellings(words)
    assert [toy.tokenizer.convert_ids_to_tokens(list(form)) for form in forms] == [
        ["Ġa"], ["Ġa", "b"], ["Ġa", "b", "b"], ["Ġ", "b"], ["Ġ", "b", "a"],
    ]  # fmt: skip
    slots = toy.slots([("a", ""), ("a b", "")])
    found = form_log_probabilities(toy, slots, forms, ends=toy.word_ends)
    ends = [0, 1, 4, 5]  # all but the two letters, which would make another word
    assert np.flatnonzero(toy.word_ends).tolist() == ends
    for i, slot in enumerate(slots):
        for j, form in enumerate(forms):
            chain = np.prod([drawn(slot.ids + form[:k])[token] for k, token in enumerate(form)])
            assert found.log_probability[i, j] == pytest.approx(np.log(chain), abs=1e-9)
            assert found.log_end[i, j] == pytest.approx(np.log(drawn(slot.ids + form)[ends].sum()), abs=1e-9)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_all_words_of_at_most_n_tokens_and_all_unfinished_ones_sum_to_one(toy, most):
    letters = np.flatnonzero(~toy.word_ends).tolist()
    forms = [(first, *rest) for n in range(most) for first in range(6) for rest in itertools.product(letters, repeat=n)]
    found = form_log_probabilities(toy, [Prompt((2,), 0)], forms, ends=toy.word_ends)
    reached, over = np.exp(found.log_probability[0]), np.exp(found.log_end[0])
    longest = np.array([len(form) == most for form in forms])
    assert (reached * over).sum() + (reached * (1 - over))[longest].sum() == pytest.approx(1, abs=1e-9)


@pytest.fixture(scope="module")
def usual(pieces, few):
    """Forms, slots, and the scores with the default options."""
    forms = pieces.spellings([*few.table["singular"], *few.table["plural"]])
    contexts = [("The author", ""), ("The authors that the guard likes", ""), ("The author", ""), ("The pilots", "")]
    slots = pieces.slots(contexts)
    return forms, slots, form_log_probabilities(pieces, slots, forms, ends=pieces.word_ends)


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.sampled_from([None, 9, 64]), st.booleans())
def test_order_batches_and_packing_do_not_matter(pieces, usual, random, batch_tokens, share_prefixes):
    forms, slots, scores = usual
    order, rows = random.sample(range(len(forms)), len(forms)), random.sample(range(4), 4)
    options = {"ends": pieces.word_ends, "batch_tokens": batch_tokens, "share_prefixes": share_prefixes}
    found = form_log_probabilities(pieces, [slots[i] for i in rows], [forms[i] for i in order], **options)
    for one, other in zip(found, scores, strict=True):
        np.testing.assert_allclose(one, other[np.ix_(rows, order)], atol=2e-5)


def alone(model, slot, form):
    """The log-probability of a form of several tokens, each scored by itself."""
    places = list(range(slot.position, slot.position + len(form)))
    sequence = slot.ids + form[:-1]
    return target_log_probabilities(model, [sequence], [places], [list(form)], share_prefixes=False).sum()


def test_forms_of_several_tokens_are_those_of_scoring_each_alone(pieces, usual):
    forms, slots, scores = usual
    for form, value in zip(forms, scores.log_probability[1], strict=True):
        assert value == pytest.approx(alone(pieces, slots[1], form), abs=2e-5)


def all_words(context, most):
    """Every word of at most `most` tokens after a context of the toy, with its probability, by enumeration."""
    letters, ends = [2, 3], [0, 1, 4, 5]
    found = {}
    for length in range(1, most + 1):
        for form in itertools.product(range(6), *[letters] * (length - 1)):
            chain = np.prod([drawn(context + form[:k])[token] for k, token in enumerate(form)])
            found[form] = chain * drawn(context + form)[ends].sum()
    return found


def test_the_likeliest_words_are_those_of_an_enumeration(toy):
    slot = toy.slot("a b")
    known = sorted(all_words(slot.ids, 8).items(), key=lambda item: -item[1])
    for mass in (0.3, 0.6, 0.8):
        spellings, probabilities = likely_words(toy, slot, mass)
        assert spellings == [form for form, _ in known[: len(spellings)]]
        np.testing.assert_allclose(probabilities, [p for _, p in known[: len(spellings)]], rtol=1e-6)
        assert probabilities.sum() >= mass
        assert max(map(len, spellings)) < 8  # so that no longer word was missed
    with pytest.raises(InputError, match=r"hold 99\.9.* % of the probability, less than the top 99\.9999 % needed"):
        likely_words(toy, slot, 0.999999)


def test_top_p_of_all_words_is_top_p_of_a_vocabulary_that_lists_them_all(toy):
    """Every word has an entry of its own in a made-up vocabulary, and so has what is too long to be listed."""
    pairs = pd.DataFrame(
        [("toy", left, "", "ab", "a", "singular") for left in ("a", "a b", "b")],
        columns=["construction", "left", "right", "correct", "wrong", "number"],
    )
    verbs = Lemmas("toy", pd.DataFrame([("a", "ab", "a"), ("b", "ba", "b"), ("bb", "bba", "bb")],
                                       columns=["lemma", "singular", "plural"]))  # fmt: skip
    cutoffs = Cutoffs((0.2, 0.5, 0.7, 1.0), ())
    found = evaluate(toy, pairs, verbs, forms="words", cut="all-words", cutoffs=cutoffs, sample="all")
    assert found.signature.policy["cut"] == "all-words" and set(found.curves()["share"]) == {"of all words"}
    for row in found.contexts.to_dict("records"):
        listed = all_words(toy.slot(row["left"]).ids, 7)
        rest = np.full(10_000, (1 - sum(listed.values())) / 10_000)
        places = {form: i for i, form in enumerate(listed)}
        pairs = found.lemmas[["singular", "plural"]].to_numpy().tolist()
        ids = [[places[form] for form in toy.spellings(pair)] for pair in pairs]
        logits = np.log(np.concatenate([list(listed.values()), rest]))[None]
        expected = cutoff_scores(logits, ids, [0], top=cutoffs.top, bottom=[])
        for kind in ("ew", "mw", "mass"):
            got = [row[f"{kind}_top_{cutoff:g}"] for cutoff in cutoffs.top]
            np.testing.assert_allclose(got, getattr(expected, f"{kind}_top")[0], atol=1e-4)  # float32


def test_single_entries_with_their_ends_are_those_of_whole_words(pieces, simple, few, single, whole):
    ended = evaluate(pieces, simple, few, forms="single-end", sample=6)
    assert len(ended.lemmas) < len(whole.lemmas) and set(ended.lemmas["tokens"]) == {1}
    assert ended.signature.policy["forms"] == "single-end"
    rare = simple.head(2).assign(lemma=["", "bring"], correct=["is", "brings"], wrong=["are", "bring"])
    one = evaluate(pieces, rare, few, forms="single-end", sample="all")
    assert "; 1 pair: the verb's forms are not one token each" in one.scored
    of_these = scores_over(whole, ended.lemmas["lemma"])
    assert ended.contexts["ew"].mean() == pytest.approx(of_these["ew"].mean())
    assert (ended.pairs["log_probability_correct"] < single.pairs["log_probability_correct"]).all()
    assert set(ended.curves()["share"]) == {"of the list"} and set(single.curves()["share"]) == {"of the distribution"}


def filled_in(model, slot, form, behind):
    """The log-probability of a form by hand: as many masks as tokens, filled from left to right."""
    total, mask = 0.0, model.tokenizer.mask_token_id
    for k, token in enumerate(form):
        filled = [*slot.ids[: slot.position], *form[:k], *[mask] * (len(form) - k), *behind]
        logits = model.network.logits(torch.tensor([filled]), torch.tensor([0]), torch.tensor([slot.position + k]))
        total += float(logits.double().log_softmax(-1)[0, token])
    return total


def test_the_word_behind_the_masks_is_the_sentences_own_and_ends_the_word(masked_pieces, simple, few):
    found = evaluate(masked_pieces, simple, few, forms="words", sample="all")
    pair = found.pairs[found.pairs["tse"].notna()].iloc[0]
    (form,) = masked_pieces.spellings([pair["correct"]])
    slot = masked_pieces.slot(pair["left"], pair["right"])
    behind = slot.ids[slot.position + 1 :]
    assert masked_pieces.word_ends[behind[0]]
    expected = filled_in(masked_pieces, slot, form, behind)
    assert pair["log_probability_correct"] == pytest.approx(expected, abs=1e-5)


def test_a_whole_form_and_the_surprisal_of_the_word_have_one_end(pieces):
    """What a word costs with its boundary is less log P(tokens) less log P(end), but for the end of the word before."""
    (form,) = pieces.spellings(["brings"])
    slot, ends = pieces.slot("The author"), pieces.word_ends
    found = form_log_probabilities(pieces, [slot], [form], ends=ends)
    before = form_log_probabilities(pieces, [pieces.slot("The")], pieces.spellings(["author"]), ends=ends)
    last = surprisals(pieces, ["The author brings"], unit="word", boundary=True)["surprisal"].iloc[-1]
    expected = found.log_probability + found.log_end - before.log_end
    assert last == pytest.approx(-expected[0, 0] / np.log(2), abs=1e-4)


def test_a_masked_model_fills_as_many_masks_as_a_form_has_tokens_from_left_to_right(masked_pieces):
    form, slot = masked_pieces.spellings(["abandons"])[0][:3], masked_pieces.slot("The author", "it .")
    found = form_log_probabilities(masked_pieces, [slot], [form]).log_probability[0, 0]
    assert found == pytest.approx(filled_in(masked_pieces, slot, form, slot.ids[slot.position + 1 :]), abs=1e-5)


@pytest.mark.parametrize("kind", ["ngram", "lstm"])
def test_baselines_score_whole_words_too(pieces, kind):
    sentences = ["the author laughs .", "the authors bring it .", "the author brings it ."]
    tokenizer = copy.deepcopy(pieces.tokenizer)
    tokenizer.eos_token = "[SEP]"
    model = train_baseline(kind, sentences, tokenizer, name=kind, **({"epochs": 1} if kind == "lstm" else {}))
    form = model.spellings(["brings"])[0]
    slot = model.slot("the author")
    found = form_log_probabilities(model, [slot], [form], ends=model.word_ends)
    assert len(form) > 1
    assert found.log_probability[0, 0] == pytest.approx(alone(model, slot, form), abs=1e-5)
    assert -20 < found.log_end[0, 0] < 0


@pytest.mark.parametrize(
    ("kind", "ways"),
    [("tiny_causal", ["words", "words-no-end", "single-end"]), ("tiny_masked", ["words", "single-end"])],
)
def test_lists_of_single_entries_give_the_numbers_of_single_entries(kind, ways, simple, request):
    """The tiny models know whole words alone: every entry ends the word before it, so the end is certain too."""
    folder = request.getfixturevalue(kind)
    single = evaluate(folder, simple, keep="lemmas")
    for forms in ways:
        whole = evaluate(folder, simple, forms=forms, sample="all", keep="lemmas")
        assert whole.lemmas.equals(single.lemmas)
        for column in ("ew", "mw", "mass_top_1"):
            np.testing.assert_allclose(whole.contexts[column], single.contexts[column], atol=1e-6)
        for column in ("tse", "log_probability_correct", "log_probability_wrong"):
            np.testing.assert_allclose(whole.pairs[column], single.pairs[column], atol=2e-5)
        pd.testing.assert_frame_equal(whole.by_lemma, single.by_lemma, atol=1e-6)


def test_list_cutoffs_rank_the_forms_of_the_list_by_their_share_of_its_probability(whole, few):
    assert len(whole.lemmas) == len(few)
    context = whole.contexts.iloc[0]
    rows = whole.forms[whole.forms["context"] == 0].merge(whole.lemmas, left_on="lemma", right_index=True)
    p = np.exp(rows[["log_probability_singular", "log_probability_plural"]].to_numpy())
    correct, wrong = (p if context["number"] == "singular" else p[:, ::-1]).T
    total = p.sum()
    assert context["ew"] == pytest.approx((correct > wrong).mean(), abs=1e-9)
    assert context["mw"] == pytest.approx(correct.sum() / total, abs=1e-6)
    assert context["mass_top_1"] == pytest.approx(total, rel=1e-5)
    ranked = np.sort(p.ravel())[::-1]
    for cutoff in (0.5, 0.9):
        at = ranked[np.searchsorted(ranked.cumsum(), cutoff * total)]  # the form on which the cut-off falls
        either = np.maximum(correct, wrong)
        before, after = ((correct > wrong)[inside].mean() for inside in (either > at, either >= at))
        assert min(before, after) - 1e-6 <= context[f"ew_top_{cutoff}"] <= max(before, after) + 1e-6
        assert context[f"mass_top_{cutoff}"] <= total * (1 + 1e-6)


def test_the_coverage_of_whole_words_is_the_probability_of_all_their_forms(whole):
    of_forms = whole.by_lemma[["probability_correct", "probability_wrong"]].sum(axis=1) * whole.by_lemma["contexts"]
    assert 0 < of_forms.sum() < len(whole.contexts)
    assert whole.contexts["mass_top_1"].sum() == pytest.approx(of_forms.sum(), rel=1e-6)  # single precision


def test_more_lemmas_count_as_whole_words_and_the_line_says_so(pieces, simple, few, whole):
    single = evaluate(pieces, simple, few)
    assert len(single.lemmas) < len(whole.lemmas) == len(few)
    assert whole.scored == (
        f"counted: {len(whole.pairs)} of 140 pairs, {len(few)} of {len(few)} lemmas as whole words "
        f"({len(single.lemmas)} of them single entries); {140 - len(whole.pairs)} pairs: their contexts are not in the "
        "sample; a sample of 6 of 20 contexts (seed 0)"
    )
    policy = whole.signature.policy
    assert (policy["forms"], policy["sample"]) == ("words", "6@0")
    assert not {"forms", "sample"} & set(single.signature.policy)
    assert whole.tidy()["contexts"].unique().tolist() == [6]


def test_what_the_words_cost_is_said_in_tokens(pieces, simple, few):
    """Each distinct beginning is computed once; a whole form only where its end is asked for."""
    spelled = pieces.spellings([*few.table["singular"], *few.table["plural"], *simple["correct"], *simple["wrong"]])
    wholes = {spelling for spelling in spelled if spelling}
    beginnings = {spelling[:end] for spelling in wholes for end in range(1, len(spelling))}
    for forms, expected in (("words", wholes | beginnings), ("words-no-end", beginnings)):
        job = prepare(pieces, simple, few, cutoffs=PAPER_CUTOFFS, protocol="exact", keep="contexts", forms=forms)
        assert tokens_read(7, job.words, masked=False) == 7 + len(expected)


def test_a_masked_model_reads_the_context_again_for_each_beginning_and_length():
    """By hand: one mask alone; two masks, and one behind each of two first tokens."""
    words = WordList([(5,), (5, 7), (6, 7), (6, 8)], listed=4, forms="words", end=False)
    assert tokens_read(10, words, masked=True) == 40 and tokens_read(10, words, masked=False) == 12
    assert tokens_read(10, None, masked=True) == 10


def test_a_masked_model_counts_lemmas_of_equally_long_forms(masked_pieces, simple, few):
    found = evaluate(masked_pieces, simple, few, forms="words", sample="all")
    lengths = [list(map(len, masked_pieces.spellings(list(few.table[c])))) for c in ("singular", "plural")]
    even = sum(a == b for a, b in zip(*lengths, strict=True))
    assert 0 < even < len(few) and len(found.lemmas) == even
    assert f"{len(few) - even} lemmas: their two forms are not equally long in tokens" in found.scored
    assert found.signature.policy["forms"] == "words"
    uneven = simple["correct"].isin(["brings", "bring"])
    assert found.pairs["tse"].isna().tolist() == uneven.tolist()


def test_a_sample_is_drawn_by_number_whatever_the_order_and_grows_with_its_size():
    pairs = load_pairs("marvin-linzen")
    contexts = pairs[["construction", "left", "number"]].drop_duplicates(ignore_index=True).assign(right="")
    rows = stratified_sample(contexts, 12)
    drawn = contexts.iloc[rows]
    counts = drawn.groupby(["construction", "number"]).size()
    assert (counts == 6).all() and len(counts) == 18
    shuffled = contexts.sample(frac=1, random_state=1)
    again = shuffled.iloc[stratified_sample(shuffled, 12)]
    assert set(again.index) == set(drawn.index)
    larger = contexts.iloc[stratified_sample(contexts, 30)]
    for construction, group in drawn.groupby("construction"):
        begun = larger[larger["construction"] == construction].head(12)
        assert begun.index.tolist() == group.index.tolist()
    assert len(larger) == 8 * 30 + 20
    other = stratified_sample(contexts, 12, seed=1)
    assert set(other) != set(rows)


def test_single_entries_and_whole_words_are_measured_on_the_same_contexts(single, whole):
    assert single.contexts["left"].tolist() == whole.contexts["left"].tolist()
    with pytest.raises(InputError, match="forms: none against words"):
        compare_evaluations(single, whole)


def test_a_larger_sample_goes_on_where_a_smaller_one_ended(pieces, simple, few, tmp_path):
    store = Store(tmp_path)
    evaluate(pieces, simple, few, forms="words", sample=8, store=store)
    how = {"cutoffs": PAPER_CUTOFFS, "protocol": "exact", "keep": "contexts", "forms": "words", "sample": 16}
    work = job_work(prepare(pieces, simple, few, **how))
    assert (len(work.shards), len(unfinished(work, store))) == (4, 2)
    resumed = evaluate(pieces, simple, few, forms="words", sample=16, store=store)
    pd.testing.assert_frame_equal(resumed.contexts, evaluate(pieces, simple, few, forms="words", sample=16).contexts)


def test_two_models_with_other_tokens_are_compared_over_the_verbs_that_both_can_spell(pieces, toy_letters, simple, few):
    with pytest.raises(InputError, match="share no lemma of few with both forms as single entries"):
        shared_lemmas([pieces, toy_letters], few)
    shared = shared_lemmas([pieces, toy_letters], few, "words")
    assert len(shared) == len(few)
    found = [evaluate(model, simple, shared, forms="words", sample=6) for model in (pieces, toy_letters)]
    difference = compare_evaluations(*found).set_index("metric").loc["EW", "difference"]
    assert difference == pytest.approx(found[0].contexts["ew"].mean() - found[1].contexts["ew"].mean())


@pytest.fixture(scope="module")
def toy_letters():
    """An LSTM that reads letters: no verb is a single entry."""
    letters = ["<unk>", "<end>", "Ġ", *"abcdefghijklmnopqrstuvwxyzT-'."]
    tokenizer = Tokenizer(BPE({letter: i for i, letter in enumerate(letters)}, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<end>", eos_token="<end>")
    return train_baseline("lstm", ["The author laughs."] * 8, fast, name="letters", epochs=1, hidden=8, embedding=8)


def test_byte_level_entries_that_go_on_with_a_word():
    goes_on = {"s": True, "ing": True, "Ġwalk": False, "Ċ": False, "'s": False, "-": False, "2": True, "Ã©": True,
               "Ã": True, "©": True, "âĢĻ": False, "âĢ": False, "ãģ": True, "ÌĢ": True, "Â": False}  # fmt: skip
    entries = ["<end>", *goes_on, "padding"]
    tokenizer = Tokenizer(BPE({entry: i for i, entry in enumerate(entries)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")
    ends = LanguageModel("bytes", "causal", fast, Given(len(entries) + 3, drawn)).word_ends
    assert dict(zip(goes_on, ~ends[1:-4], strict=True)) == goes_on
    assert ends[0] and ends[-3:].all()  # the end of the text, and logits without an entry


def test_other_tokenizers_entries_that_go_on_with_a_word():
    def ends(model, **parts):
        tokenizer = Tokenizer(model)
        for name, part in parts.items():
            setattr(tokenizer, name, part)
        fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]")
        found = LanguageModel("other", "causal", fast, Given(len(fast), drawn)).word_ends
        return [entry for entry, i in sorted(fast.get_vocab().items(), key=lambda item: item[1]) if not found[i]]

    entries = {entry: i for i, entry in enumerate(["[UNK]", "walk", "##s", "▁walk", "s", ".", "<0x73>", "<0x0A>"])}
    assert ends(WordPiece(entries, unk_token="[UNK]")) == ["##s"]
    assert ends(WordLevel(entries, unk_token="[UNK]")) == []
    assert ends(BPE(entries, [], unk_token="[UNK]", end_of_word_suffix="</w>")) == []
    spaces = {"pre_tokenizer": pre_tokenizers.Metaspace(), "decoder": decoders.Metaspace()}
    assert ends(BPE(entries, [], unk_token="[UNK]"), **spaces) == ["walk", "s", "<0x73>"]
    with pytest.raises(InputError, match="other does not show in its entries where a word begins"):
        ends(BPE(entries, [], unk_token="[UNK]"), pre_tokenizer=pre_tokenizers.Whitespace())


def test_the_papers_tokenizers_mark_their_words(small_models):
    gpt2, bert = (load_model(small_models / f"random-{name}") for name in ("gpt2", "bert-cased"))
    for model, entry, ending in (
        (gpt2, "Ġlaugh", True),
        (gpt2, "ing", False),
        (bert, "##ing", False),
        (bert, "laugh", True),
    ):
        assert model.word_ends[model.tokenizer.get_vocab()[entry]] == ending
    assert gpt2.word_ends[gpt2.tokenizer.eos_token_id]


def test_spellings_agree_with_single_entries(pieces):
    words = ["laughs", "brings", "two words", "", "日本"]
    spelled, single = pieces.spellings(words), pieces.word_ids(words)
    assert single == [spelled[0][0], None, None, None, None]
    assert len(spelled[1]) > 1 and spelled[2] and spelled[3] is None and spelled[4] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forms": "word"}, "unknown forms 'word'.*did you mean 'words'"),
        ({"sample": 0}, "a sample is a number of contexts of each construction, from 1 on, or 'all'.*not 0 and 0"),
        ({"sample": "some"}, "not 'some' and 0"),
        ({"sample": 4, "seed": -1}, "not 4 and -1"),
        ({"cut": "words"}, "unknown cut 'words'"),
        ({"cut": "all-words"}, "cut='all-words' goes with forms='words', not 'single'"),
        ({"cut": "all-words", "forms": "words"}, "bottom p over all words cannot be computed"),
    ],
)
def test_wrong_choices(tiny_causal, simple, options, message):
    with pytest.raises(InputError, match=message):
        evaluate(tiny_causal, simple, **options)


def test_what_cannot_be_scored_as_whole_words(simple, few, pieces, masked_pieces, toy):
    with pytest.raises(InputError, match="sees where a word ends; its forms need no ends"):
        form_log_probabilities(masked_pieces, [masked_pieces.slot("The")], [(5,)], ends=masked_pieces.word_ends)
    with pytest.raises(InputError, match=r"ends has shape \(2,\); it must be \(6,\)"):
        form_log_probabilities(toy, [toy.slot("a")], [(3,)], ends=np.ones(2, bool))
    with pytest.raises(InputError, match="sees where a word ends; count with forms='words'"):
        shared_lemmas([pieces, masked_pieces], few, "words-no-end")
    assert len(shared_lemmas([pieces, masked_pieces], few, "words")) < len(few)
    with pytest.raises(InputError, match="unknown forms 'word'"):
        shared_lemmas([pieces], few, "word")
    with pytest.raises(InputError, match="at least one form"):
        form_tree([])
    strange = Lemmas("strange", pd.DataFrame({"lemma": ["日"], "singular": ["日本"], "plural": ["日"]}))
    with pytest.raises(InputError, match="has no lemma of strange \\(1 lemmas\\) whose forms it can spell"):
        evaluate(pieces, simple, strange, forms="words")


def test_the_command(pieces, tmp_path, capsys):
    verbs = tmp_path / "verbs.csv"
    verbs.write_text("lemma,singular,plural\nlaugh,laughs,laugh\nabandon,abandons,abandon\n")
    out = tmp_path / "out.parquet"
    arguments = ["--data", "marvin-linzen/simple", "--lemmas", str(verbs), "--forms", "words", "--sample", "4"]
    with pytest.raises(SystemExit, match="0"):
        main(["evaluate", pieces.name, *arguments, "--no-store", "--out", str(out)])
    shown = capsys.readouterr().out
    assert "2 of 2 lemmas as whole words (1 of them single entries)" in shown
    assert "forms:words cut:list sample:4@0" in shown
    assert set(pd.read_parquet(out)["contexts"]) == {4}


@pytest.mark.slow
def test_smollm2_counts_twice_as_many_lemmas_as_whole_words():
    model, lemmas = load_model("smollm2-135m-instruct"), load_lemmas("newman-clean")
    how = {"cutoffs": PAPER_CUTOFFS, "protocol": "exact", "keep": "contexts"}
    single = prepare(model, "marvin-linzen/simple", lemmas, **how)
    whole = prepare(model, "marvin-linzen/simple", lemmas, **how, forms="words", sample=2)
    assert (len(single.lemmas), len(whole.lemmas)) == (962, 1945)
    tree = form_tree(whole.words.spellings[: whole.words.listed])
    assert (len(tree.inner), len(tree.beginnings)) == (866, 4618)
    both = Lemmas("both", single.lemmas.drop(columns="tokens").iloc[::20].reset_index(drop=True))
    one, other = (
        evaluate(model, "marvin-linzen/simple", both, forms=forms, sample=4) for forms in ("single", "words-no-end")
    )
    np.testing.assert_allclose(one.contexts[["ew", "mw"]], other.contexts[["ew", "mw"]], atol=1e-6)


def test_numbers_of_whole_words_and_of_samples_are_not_taken_for_the_papers():
    made = "gpt2-xl@1f3c9a27 simple@9f3e22ab | newman-appendix@77aa01c2(948) bos:none {}protocol:released/1"
    row = {"hf_name": "gpt2-xl", "construction": "Simple", "metric": "EW", "side": "top", "cutoff": 1.0, "lemmas": 948}
    ways = {"forms:words sample:24@0 ": 0.5, "sample:24@0 ": 0.6, "": 0.7}
    results = pd.DataFrame(
        [row | {"score": score, "protocol": "released", "signature": made.format(way)} for way, score in ways.items()]
    )
    assert preferred(results)["score"].tolist() == [0.7]


def test_recorded_whole_words_are_those_measured_in_the_same_contexts(tmp_path, pieces, few, whole):
    home = tmp_path / "pieces"
    home.mkdir()
    made = {"date": "2026-01-01", "hardware": "cpu", "versions": {}, "files": {}, "left_out": {}}
    (home / "provenance.json").write_text(json.dumps(made))
    record_details(home, words_for(pieces, few, ["marvin-linzen/simple"], sample=6))
    words, signatures = recorded_details("pieces", "words", tmp_path)
    assert list(signatures) == [f"{forms} marvin-linzen/simple" for forms in ("words-no-end", "words", "single")]
    assert read_results(home / "words.parquet")["signature"].nunique() == 3 and set(words["contexts"]) == {6}
    recorded = words[words["signature"].str.contains("forms:words ")]
    assert recorded["score"].tolist() == pytest.approx(whole.tidy()["score"].tolist(), nan_ok=True)
    verbs = recorded_details("pieces", "verbs", tmp_path).table
    verbs = verbs[verbs["forms"] == "words"]
    assert (verbs["correct"].sum() / verbs["contexts"].sum()) == pytest.approx(whole.table()["EW"][0])
    assert verbs.set_index("lemma").loc["laugh", ["tokens_singular", "tokens_plural"]].tolist() == [1, 1]
    assert len(verbs) == len(few) and verbs["tokens_singular"].max() > 1
