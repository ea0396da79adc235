"""Whole words: the chain rule by hand, sums to one, what changes nothing, which entries end a word, evaluations."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
import torch
from tokenizers import Regex, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE, WordLevel, WordPiece
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from tiny import save_unigram_model
from tse_book.recorded import recorded_details
from tse_book.recorded.detail_measurements import words_for
from tse_book.recorded.recording import record_details
from tse_core import InputError, evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement.comparison import shared_lemmas
from tse_core.agreement.contexts import stratified_sample
from tse_core.agreement.scoring import pair_forms
from tse_core.agreement.settings import VerbPolicy
from tse_core.agreement.verbs import CountedVerbs, counted_verbs
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import TseWarning
from tse_core.forward.passes import target_log_probabilities
from tse_core.forward.word_forms import form_log_probabilities, form_steps
from tse_core.models.language_model import LanguageModel
from tse_core.models.network import Network
from tse_core.models.slots import Prompt, all_read, read, slot
from tse_core.results.store import Store
from tse_core.results.tidy import read_results
from tse_extras.sweep.curves import scores_over

SIX = ["<end>", "Ġ", "a", "b", "Ġa", "."]


class Given(Network):
    """A network whose distribution after each sequence is a function of that sequence."""

    def __init__(self, size, probabilities):
        self.vocabulary_size, self.probabilities = size, probabilities

    def states(self, ids, rows, columns):
        prefixes = [
            tuple(ids[row, : column + 1].tolist())
            for row, column in zip(rows, columns, strict=True)
        ]
        return torch.from_numpy(
            np.log(np.stack([self.probabilities(prefix) for prefix in prefixes]))
        )

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
    return LanguageModel(
        "toy", "causal", byte_level(SIX, [("Ġ", "a")]), Given(6, drawn), bos="none"
    )


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """A tiny random causal model that knows the templates' words as single entries and spells all others."""
    return load_model(
        save_unigram_model(tmp_path_factory.mktemp("pieces") / "pieces-causal", "causal")
    )


@pytest.fixture(scope="module")
def masked_pieces(tmp_path_factory):
    return load_model(
        save_unigram_model(tmp_path_factory.mktemp("pieces") / "pieces-masked", "masked")
    )


@pytest.fixture(scope="module")
def simple():
    return load_pairs("marvin-linzen/simple")


@pytest.fixture(scope="module")
def few():
    """Verbs of one piece and of several: laugh, smile and 20 of the list."""
    table = load_lemmas("newman-clean").table
    return Lemmas(
        "few", pd.concat([table[table["lemma"].isin(["laugh", "smile"])], table.iloc[5::100]])
    )


@pytest.fixture(scope="module")
def single(pieces, simple, few):
    return evaluate(pieces, simple, few, sample=6)


@pytest.fixture(scope="module")
def whole(pieces, simple, few):
    return evaluate(pieces, simple, few, verbs="all", sample=6, detail="forms")


def test_whole_words_of_six_entries_are_those_of_an_enumeration_by_hand(toy):
    words = ["a", "ab", "abb", "b", "ba"]
    forms = toy.spellings(words)
    assert [toy.tokenizer.convert_ids_to_tokens(list(form)) for form in forms] == [
        ["Ġa"], ["Ġa", "b"], ["Ġa", "b", "b"], ["Ġ", "b"], ["Ġ", "b", "a"],
    ]  # fmt: skip
    slots = all_read(read(toy, [("a", ""), ("a b", "")]))
    found = form_log_probabilities(toy, slots, forms, ends=toy.word_ends)
    ends = [0, 1, 4, 5]  # all but the two letters, which would make another word
    assert np.flatnonzero(toy.word_ends).tolist() == ends
    for i, prompt in enumerate(slots):
        for j, form in enumerate(forms):
            chain = np.prod([drawn(prompt.ids + form[:k])[token] for k, token in enumerate(form)])
            assert found.log_probability[i, j] == pytest.approx(np.log(chain), abs=1e-9)
            assert found.log_end[i, j] == pytest.approx(
                np.log(drawn(prompt.ids + form)[ends].sum()), abs=1e-9
            )


class Single(Given):
    """The same in single precision, as networks give their logits."""

    def states(self, ids, rows, columns):
        return super().states(ids, rows, columns).float()


@pytest.mark.parametrize("exponent", [-1, -27, -80, -300])
def test_the_end_of_a_word_is_counted_however_rare_it_is(exponent):
    end = np.exp(float(exponent))
    shares = np.array([end / 4, end / 4, 1 - end, 0, end / 4, end / 4])
    network = Single(6, lambda prefix: shares)
    model = LanguageModel("rare", "causal", byte_level(SIX, [("Ġ", "a")]), network, bos="none")
    scores = form_log_probabilities(model, [Prompt((2,), 0)], [(2,)], ends=model.word_ends)
    assert scores.log_end[0, 0] == pytest.approx(exponent, abs=1e-6, rel=1e-7)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_all_words_of_at_most_n_tokens_and_all_unfinished_ones_sum_to_one(toy, most):
    letters = np.flatnonzero(~toy.word_ends).tolist()
    forms = [
        (first, *rest)
        for n in range(most)
        for first in range(6)
        for rest in itertools.product(letters, repeat=n)
    ]
    found = form_log_probabilities(toy, [Prompt((2,), 0)], forms, ends=toy.word_ends)
    reached, over = np.exp(found.log_probability[0]), np.exp(found.log_end[0])
    longest = np.array([len(form) == most for form in forms])
    assert (reached * over).sum() + (reached * (1 - over))[longest].sum() == pytest.approx(
        1, abs=1e-9
    )


@pytest.fixture(scope="module")
def usual(pieces, few):
    """Forms, slots, and the scores with the default options."""
    forms = pieces.spellings([*few.table["singular"], *few.table["plural"]])
    contexts = [
        ("The author", ""),
        ("The authors that the guard likes", ""),
        ("The author", ""),
        ("The pilots", ""),
    ]
    slots = all_read(read(pieces, contexts))
    return forms, slots, form_log_probabilities(pieces, slots, forms, ends=pieces.word_ends)


def alone(model, slot, form):
    """The log-probability of a form of several tokens, each scored by itself."""
    places = list(range(slot.position, slot.position + len(form)))
    sequence = slot.ids + form[:-1]
    return target_log_probabilities(model, [sequence], [places], [list(form)]).sum()


def test_forms_of_several_tokens_are_those_of_scoring_each_alone(pieces, usual):
    forms, slots, scores = usual
    for form, value in zip(forms, scores.log_probability[1], strict=True):
        assert value == pytest.approx(alone(pieces, slots[1], form), abs=2e-5)


@pytest.mark.slow
def test_single_entries_with_their_ends_are_those_of_whole_words(
    pieces, simple, few, single, whole
):
    ended = evaluate(pieces, simple, few, word_end=True, sample=6)
    assert len(ended.lemmas) < len(whole.lemmas) and set(ended.lemmas["tokens"]) == {1}
    assert (
        ended.signature.policy["forms"] == "single-end"
        and "contexts drawn: 6 of 20 (seed 0)" in ended.scored
    )
    rare = simple.head(2).assign(
        lemma=["", "bring"], correct=["is", "brings"], wrong=["are", "bring"]
    )
    one = evaluate(pieces, rare, few, word_end=True, sample="all")
    assert "pairs whose verb has no form that counts: 1" in one.scored
    of_these = scores_over(whole, ended.lemmas["lemma"])
    assert ended.contexts["ew"].mean() == pytest.approx(of_these["ew"].mean())
    assert (ended.pairs["log_probability_correct"] < single.pairs["log_probability_correct"]).all()
    assert set(ended.curves()["share"]) == {"of the list"} and set(single.curves()["share"]) == {
        "of the distribution"
    }


def filled_in(model, slot, form, behind):
    """The log-probability of a form by hand: as many masks as tokens, filled from left to right."""
    total, mask = 0.0, model.tokenizer.mask_token_id
    for k, token in enumerate(form):
        filled = [*slot.ids[: slot.position], *form[:k], *[mask] * (len(form) - k), *behind]
        logits = model.network.logits(
            torch.tensor([filled]), torch.tensor([0]), torch.tensor([slot.position + k])
        )
        total += float(logits.double().log_softmax(-1)[0, token])
    return total


def test_a_masked_model_fills_as_many_masks_as_a_form_has_tokens_from_left_to_right(masked_pieces):
    form = masked_pieces.spellings(["abandons"])[0][:3]
    prompt = slot(masked_pieces, "The author", "it .")
    found = form_log_probabilities(masked_pieces, [prompt], [form]).log_probability[0, 0]
    behind = prompt.ids[prompt.position + 1 :]
    assert found == pytest.approx(filled_in(masked_pieces, prompt, form, behind), abs=1e-5)


WAYS = {
    "words": ("all", True),
    "words-no-end": ("all", False),
    "single-end": ("single-token", True),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ways"),
    [
        ("tiny_causal", ["words", "words-no-end", "single-end"]),
        ("tiny_masked", ["words", "single-end"]),
    ],
)
def test_lists_of_single_entries_give_the_numbers_of_single_entries(kind, ways, simple, request):
    """The tiny models know whole words alone: every entry ends the word before it, so the end is certain too."""
    folder = request.getfixturevalue(kind)
    single = evaluate(folder, simple, detail="lemmas")
    for verbs, end in map(WAYS.get, ways):
        whole = evaluate(folder, simple, verbs=verbs, word_end=end, sample="all", detail="lemmas")
        assert whole.lemmas.equals(single.lemmas)
        for column, within in (("ew", 1e-6), ("mw", 1e-6), ("margin", 1e-4)):
            np.testing.assert_allclose(whole.contexts[column], single.contexts[column], atol=within)
        for column in ("tse", "log_probability_correct", "log_probability_wrong"):
            np.testing.assert_allclose(whole.pairs[column], single.pairs[column], atol=2e-5)
        pd.testing.assert_frame_equal(whole.by_lemma, single.by_lemma, rtol=1e-4, atol=2e-5)


def test_list_cutoffs_rank_the_forms_of_the_list_by_their_share_of_its_probability(whole, few):
    assert len(whole.lemmas) == len(few)
    context = whole.contexts.iloc[0]
    at = whole.at_cutoffs[whole.at_cutoffs["context"] == 0].set_index(["metric", "side", "cutoff"])
    p = np.exp(
        np.stack(
            [whole.log_probabilities(form)[0] for form in ("singular", "plural")], axis=1
        ).astype(float)
    )
    correct, wrong = (p if context["number"] == "singular" else p[:, ::-1]).T
    total = p.sum()
    assert context["ew"] == pytest.approx((correct > wrong).mean(), abs=1e-9)
    assert context["mw"] == pytest.approx(correct.sum() / total, abs=1e-6)
    assert at.loc[("EW", "top", 1), "coverage"] == pytest.approx(total, rel=1e-5)
    ranked = np.sort(p.ravel())[::-1]
    for cutoff in (0.5, 0.9):
        edge = ranked[
            np.searchsorted(ranked.cumsum(), cutoff * total)
        ]  # the form on which the cut-off falls
        either = np.maximum(correct, wrong)
        before, after = (
            (correct > wrong)[inside].mean() for inside in (either > edge, either >= edge)
        )
        score, coverage = at.loc[("EW", "top", cutoff), ["score", "coverage"]]
        assert min(before, after) - 1e-6 <= score <= max(before, after) + 1e-6
        assert coverage <= total * (1 + 1e-6)


@pytest.mark.slow
def test_a_masked_model_counts_lemmas_of_equally_long_forms(masked_pieces, simple, few):
    found = evaluate(masked_pieces, simple, few, verbs="all", sample="all")
    lengths = [
        list(map(len, masked_pieces.spellings(list(few.table[c])))) for c in ("singular", "plural")
    ]
    even = sum(a == b for a, b in zip(*lengths, strict=True))
    assert 0 < even < len(few) and len(found.lemmas) == even
    assert found.signature.policy["forms"] == "words"
    lemma = few.table.iloc[[a != b for a, b in zip(*lengths, strict=True)]].iloc[0]
    some = simple.head(6).copy()
    some.loc[:1, ["correct", "wrong", "lemma"]] = lemma[["singular", "plural", "lemma"]].tolist()
    with pytest.warns(
        TseWarning, match="2 of 6 pairs have .* unequal numbers of tokens.*tse blimp"
    ):
        found = evaluate(masked_pieces, some, few, verbs="all", sample="all")
    assert found.pairs["tse"].isna().tolist() == [True, True] + 4 * [False]
    assert "pairs of forms with unequal numbers of tokens (see tse blimp): 2" in found.scored
    assert "no form that counts" not in found.scored


def test_a_sample_is_drawn_by_number_whatever_the_order_and_grows_with_its_size():
    pairs = load_pairs("marvin-linzen")
    contexts = (
        pairs[["construction", "left", "number"]]
        .drop_duplicates(ignore_index=True)
        .assign(right="")
    )
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


@pytest.mark.slow
def test_a_larger_sample_goes_on_where_a_smaller_one_ended(pieces, simple, few, tmp_path):
    store = Store(tmp_path)
    evaluate(pieces, simple, few, verbs="all", sample=8, store=store)
    shards = set(tmp_path.glob("*/*/*.parquet"))
    resumed = evaluate(pieces, simple, few, verbs="all", sample=16, store=store)
    assert len(shards) == 2 and len(set(tmp_path.glob("*/*/*.parquet")) - shards) == 2
    pd.testing.assert_frame_equal(
        resumed.contexts, evaluate(pieces, simple, few, verbs="all", sample=16).contexts
    )


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
        return [
            entry
            for entry, i in sorted(fast.get_vocab().items(), key=lambda item: item[1])
            if not found[i]
        ]

    entries = {
        entry: i
        for i, entry in enumerate(["[UNK]", "walk", "##s", "▁walk", "s", ".", "<0x73>", "<0x0A>"])
    }
    assert ends(WordPiece(entries, unk_token="[UNK]")) == ["##s"]
    assert ends(WordLevel(entries, unk_token="[UNK]")) == []
    assert ends(BPE(entries, [], unk_token="[UNK]", end_of_word_suffix="</w>")) == []
    spaces = {"pre_tokenizer": pre_tokenizers.Metaspace(), "decoder": decoders.Metaspace()}
    assert ends(BPE(entries, [], unk_token="[UNK]"), **spaces) == ["walk", "s", "<0x73>"]
    with pytest.raises(InputError, match="other does not show in its entries where a word begins"):
        ends(BPE(entries, [], unk_token="[UNK]"), pre_tokenizer=pre_tokenizers.Whitespace())


def characters(*spaces):
    entries = ["<end>", "[UNK]", *spaces, *"Aaeghnorstu", "."]
    text = pre_tokenizers.Split(Regex("."), "isolated")
    if not spaces:
        text = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), text])
    tokenizer = Tokenizer(
        WordLevel({entry: i for i, entry in enumerate(entries)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = text
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", eos_token="<end>")
    torch.manual_seed(0)
    size = {
        "vocab_size": len(entries),
        "n_layer": 1,
        "n_head": 1,
        "n_embd": 8,
        "initializer_range": 0.5,
    }
    network = GPT2LMHeadModel(GPT2Config(**size, bos_token_id=0, eos_token_id=0)).eval()
    return load_model(network, fast, bos="none")


def test_a_list_of_characters_ends_words_at_spaces_and_marks():
    model = characters(" ")
    ends = [
        0,
        1,
        2,
        len(model.tokenizer) - 1,
    ]  # the end of the text, an unknown one, a space, the full stop
    assert model.word_ends.nonzero()[0].tolist() == ends
    pair = {
        "left": "An author",
        "right": ".",
        "correct": "goes",
        "wrong": "go",
        "number": "singular",
    }
    verbs = pd.DataFrame(
        {"lemma": ["go", "run"], "singular": ["goes", "runs"], "plural": ["go", "run"]}
    )
    found = evaluate(model, pd.DataFrame([pair]), verbs, verbs="all", store=None).table()["MW"][0]
    left, p = model.tokenizer("An author")["input_ids"], {}
    for word in ("goes", "runs", "go", "run"):
        ids = left + model.tokenizer(f" {word}")["input_ids"]
        with torch.no_grad():
            shares = model.network.module(torch.tensor([ids])).logits[0].double().softmax(-1)
        of_tokens = shares[range(len(left) - 1, len(ids) - 1), ids[len(left) :]].prod()
        p[word] = float(of_tokens * shares[-1, ends].sum())
    assert found == pytest.approx((p["goes"] + p["runs"]) / sum(p.values()), abs=1e-6)


def test_a_list_of_characters_without_a_space_shows_no_words_end():
    with pytest.raises(InputError, match="does not show in its entries where a word begins"):
        _ = characters().word_ends


def test_what_cannot_be_scored_as_whole_words(simple, few, pieces, masked_pieces, toy):
    with pytest.raises(InputError, match="sees where a word ends; its forms need no ends"):
        form_log_probabilities(
            masked_pieces, [slot(masked_pieces, "The")], [(5,)], ends=masked_pieces.word_ends
        )
    with pytest.raises(InputError, match=r"ends has shape \(2,\); it must be \(6,\)"):
        form_log_probabilities(toy, [slot(toy, "a")], [(3,)], ends=np.ones(2, bool))
    with pytest.raises(InputError, match="sees where a word ends; leave word_end out"):
        shared_lemmas([pieces, masked_pieces], few, verbs="all", word_end=False)
    assert len(shared_lemmas([pieces, masked_pieces], few, verbs="all")) < len(few)
    with pytest.raises(InputError, match="unknown choice of verbs 'word'"):
        shared_lemmas([pieces], few, verbs="word")
    with pytest.raises(InputError, match="at least one form"):
        form_log_probabilities(pieces, [slot(pieces, "The")], [])
    strange = Lemmas(
        "strange", pd.DataFrame({"lemma": ["日"], "singular": ["日本"], "plural": ["日"]})
    )
    with pytest.raises(InputError, match="holds no lemma of strange .* that it can spell"):
        evaluate(pieces, simple, strange, verbs="all")


@pytest.mark.slow
def test_smollm2_counts_twice_as_many_lemmas_as_whole_words():
    model, lemmas = load_model("smollm2-135m-instruct"), load_lemmas("newman-clean")
    single, whole = (
        counted_verbs(model, lemmas, VerbPolicy.parse(text)) for text in ("single", "words")
    )
    assert (len(single.lemmas), len(whole.lemmas)) == (962, 1945)
    steps = {step for form in whole.spellings[: whole.listed] for step in form_steps(form)}
    assert (len({step.beginning for step in steps}), len(steps)) == (866, 4617)
    both = Lemmas("both", single.lemmas.drop(columns="tokens").iloc[::20].reset_index(drop=True))
    one, other = (
        evaluate(model, "marvin-linzen/simple", both, verbs=verbs, word_end=False, sample=4)
        for verbs in ("single-token", "all")
    )
    np.testing.assert_allclose(one.contexts[["ew", "mw"]], other.contexts[["ew", "mw"]], atol=1e-6)


@pytest.mark.slow
def test_recorded_whole_words_are_those_measured_in_the_same_contexts(tmp_path, pieces, few, whole):
    home = tmp_path / "pieces"
    home.mkdir()
    made = {"date": "2026-01-01", "hardware": "cpu", "versions": {}, "files": {}, "left_out": {}}
    (home / "provenance.json").write_text(json.dumps(made))
    record_details(home, words_for(pieces, few, ["marvin-linzen/simple"], sample=6))
    words, signatures = recorded_details("pieces", "words", tmp_path)
    assert list(signatures) == [
        f"{forms} marvin-linzen/simple" for forms in ("words-no-end", "words", "single")
    ]
    assert read_results(home / "words.parquet")["signature"].nunique() == 3 and set(
        words["contexts"]
    ) == {6}
    recorded = words[words["signature"].str.contains("forms:words ")]
    assert recorded["score"].tolist() == pytest.approx(whole.tidy()["score"].tolist(), nan_ok=True)
    verbs = recorded_details("pieces", "verbs", tmp_path).table
    verbs = verbs[verbs["forms"] == "words"]
    assert (verbs["correct"].sum() / verbs["contexts"].sum()) == pytest.approx(
        whole.table()["EW"][0]
    )
    assert verbs.set_index("lemma").loc["laugh", ["tokens_singular", "tokens_plural"]].tolist() == [
        1,
        1,
    ]
    assert len(verbs) == len(few) and verbs["tokens_singular"].max() > 1


@pytest.mark.parametrize("order", [["runs", "run", "smile"], ["smile", "runs", "run"]])
def test_a_form_counts_for_a_masked_model_whether_or_not_the_other_form_can_be_spelled(
    order, masked_pieces
):
    spellings = {"runs": (7,), "run": (8,), "smile": (5, 6)}  # no "smiles"
    runs, run, smile = map(order.index, spellings)
    where = {word: order.index(word) for word in order}
    spelled = [spellings[word] for word in order]
    verbs = CountedVerbs(
        pd.DataFrame(), np.empty((0, 2)), where, VerbPolicy("any", word_end=True), spelled
    )
    asked = [
        ("runs", "run"),
        ("runs", "smile"),
        ("runs", "smiles"),
        ("smiles", "run"),
        ("smile", "smiles"),
    ]
    known = [[runs, run], [-1, -1], [runs, -1], [-1, run], [smile, -1]]
    assert (
        pair_forms(
            verbs,
            pd.DataFrame(asked, columns=["correct", "wrong"]),
            masked_pieces.compares_lengths,
        ).tolist()
        == known
    )


@pytest.mark.parametrize("kind", ["tiny_causal", "tiny_masked"])
def test_the_mass_above_a_form_is_that_of_the_list_whatever_other_verbs_pairs_have(kind, request):
    model = load_model(request.getfixturevalue(kind), device="cpu")
    verbs = pd.DataFrame(
        {"lemma": ["laugh", "swim"], "singular": ["laughs", "swims"], "plural": ["laugh", "swim"]}
    )
    pairs = pd.DataFrame(
        {"left": ["The author"], "correct": ["laughs"], "wrong": ["laugh"], "number": ["singular"]}
    )
    more = pd.concat([pairs, pairs.assign(correct="smiles", wrong="smile")])
    how = {"verbs": "all", "detail": "forms", "sample": "all", "store": None}
    one, two = (
        evaluate(model, each, verbs, **how).mass_above("singular") for each in (pairs, more)
    )
    assert np.allclose(one, two, atol=1e-7)
