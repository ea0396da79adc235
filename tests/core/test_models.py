"""Models: opening them, telling their kind, turning words and slots into token ids."""

import json
import shutil

import pytest
from safetensors.torch import load_file, save_file

from tiny import save_unigram_model
from tse_core import InputError, load_model, surprisals
from tse_core.models.loading import as_model
from tse_core.models.slots import slot
from tse_core.paths import data_folder
from tse_core.words import join

WORDS = ["laughs", "is", "brings", "are", "was", "said"]
SENTENCES = [
    ("The author", "."),
    ("The keys to the cabinet", "on the table."),
    ("Le café", "très bon."),
]


def rewritten(folder, place, **changed):
    """A copy of a model's folder in which its configuration says something else."""
    shutil.copytree(folder, place)
    config = json.loads((place / "config.json").read_text())
    (place / "config.json").write_text(json.dumps(config | changed))
    return place


def test_a_model_by_name_by_path_and_as_an_object_is_the_same(tiny_causal):
    by_path, as_object = surprisals(tiny_causal, "The author laughs."), load_model(tiny_causal)
    assert by_path.equals(surprisals(str(tiny_causal), "The author laughs."))
    assert by_path.equals(surprisals(as_object, "The author laughs."))
    assert as_model(as_object) is as_object
    assert surprisals("lab-systematic-causal", "The author laughs.")["scored"].tolist() == [
        False,
        True,
        True,
        True,
    ]


def test_the_kind_is_read_from_the_configuration(tiny_causal, tiny_masked, tmp_path):
    assert load_model(tiny_causal).kind == "causal"
    assert load_model(tiny_masked).kind == "masked"
    assert load_model(rewritten(tiny_masked, tmp_path / "any", architectures=None)).kind == "masked"
    decoder = rewritten(tiny_masked, tmp_path / "decoder", is_decoder=True)
    assert load_model(decoder).kind == "causal"
    for folder, kind in ((decoder, "masked"), (tiny_masked, "causal"), (tiny_causal, "masked")):
        with pytest.raises(InputError, match=f"by its configuration, and cannot be read as {kind}"):
            load_model(folder, kind=kind)


def test_the_weights_are_read_for_the_first_logits_and_not_before(tiny_causal):
    network = load_model(tiny_causal).network
    assert network.vocabulary_size and network._module is None
    assert network.module is network._module


SENTENCE = "The keys to the cabinet are here."


@pytest.fixture(
    params=["random-bert-cased", "random-gpt2", "random-roberta", "stories260K", "causal", "masked"]
)
def family(request, small_models, tmp_path):
    """A model with each kind of tokenizer: WordPiece, byte-level BPE, SentencePiece, Unigram."""
    if request.param in ("causal", "masked"):
        model = load_model(save_unigram_model(tmp_path, request.param))
        assert any(
            len(ids) > 3 for ids in model.tokenizer(WORDS, add_special_tokens=False)["input_ids"]
        )
        return model
    return load_model(small_models / request.param)


def test_the_slot_and_its_surroundings_give_back_the_sentence(family):
    filled = filled_slots(family)
    assert filled and all(decoded == expected for decoded, expected in filled)


def test_a_causal_slot_has_the_space_before_it_with_which_its_entries_begin(small_models):
    """Byte-level BPE writes the space into a word's entry, so that behind ( or a line break its entries are others."""
    model = load_model(small_models / "random-gpt2")
    for left in ("The author... ", "Il dit « "):
        assert slot(model, left).ids == model.encode(left.rstrip()).ids
    for left in ("The author (", "Who left?\n", 'The author "'):
        with pytest.raises(InputError, match="random-gpt2 does not spell words as after a space"):
            slot(model, left)


def filled_slots(model) -> list[tuple[str, str]]:
    """Every slot filled with a known word: what the tokenizer makes of it, and the sentence, both without spaces."""
    filled = []
    for left, right in SENTENCES:
        for word in WORDS:
            prompt, entry = slot(model, left, right), model.word_ids([word])[0]
            if entry is None:
                continue
            if model.kind == "masked":
                ids = [entry if i == prompt.position else t for i, t in enumerate(prompt.ids)]
                expected = join(left, word, right)
            else:
                ids, expected = [*prompt.ids, entry], f"{left} {word}"
            decoded = model.tokenizer.decode(
                ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
            filled.append(tuple(s.replace(" ", "").removeprefix("▁") for s in (decoded, expected)))
    return filled


def test_offsets_point_at_the_words(family):
    covered = {i for start, end in family.encode(SENTENCE).offsets for i in range(start, end)}
    assert covered == {i for i, character in enumerate(SENTENCE) if character != " "}


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        (
            3,
            "the weights lack 12 of the tensors that config.json asks for, e.g. transformer.h.2.attn.c_attn.bias",
        ),
        (1, "the weights have more layers than config.json says, e.g. transformer.h.1."),
        (0, "config.json says 0 layers, and its files hold 28 tensors"),
        (100, "config.json says 100 layers, and its files hold 28 tensors"),
    ],
)
def test_layers_are_as_many_as_the_weights_have(tiny_causal, tmp_path, layers, message):
    folder = rewritten(tiny_causal, tmp_path / "model", n_layer=layers)
    with pytest.raises(InputError, match=f"model: {message}"):
        surprisals(load_model(folder), ["The author laughs."])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_layer": -1}, "config.json: n_layer is -1, as in no model"),
        ({"num_labels": 10**9}, "config.json: num_labels is 1000000000, as in no model"),
        ({"text_config": {"num_experts": -1}}, "config.json: num_experts is -1"),
        ({"architectures": 5}, "cannot be opened as a model .*int"),
        ({"text_config": 5}, "cannot be opened as a model .*AttributeError"),
        ({"return_dict": False}, "its network cannot be computed .*AttributeError"),
        ({"sliding_window": "x"}, "config.json says 'x' of attention's window, no number"),
        ({"max_seq_len": "x"}, "its config.json says no length that can be read"),
        ({"bos": "non"}, "config.json says bos: 'non'; there it can be 'none' alone"),
    ],
)
def test_settings_that_no_model_has_are_one_line(tiny_causal, tmp_path, settings, message):
    folder = rewritten(tiny_causal, tmp_path / "model", **settings)
    with pytest.raises(InputError, match=message):
        surprisals(load_model(folder), ["The author laughs."])


def test_a_normaliser_that_multiplies_a_text_is_refused(tiny_causal, tmp_path):
    shutil.copytree(tiny_causal, tmp_path / "model")
    file = tmp_path / "model" / "tokenizer.json"
    step = {"type": "Replace", "pattern": {"Regex": "[a-z]"}, "content": "a" * 10}
    normaliser = {"type": "Sequence", "normalizers": [step] * 9}
    file.write_text(json.dumps(json.loads(file.read_text()) | {"normalizer": normaliser}))
    with pytest.raises(InputError, match="tokenizer.json: its normaliser may make more than 100"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize("times", [0, 2])
def test_a_template_of_special_tokens_has_the_text_once(tmp_path, times):
    shutil.copytree(data_folder() / "models" / "lab-lexical-causal-bpe", tmp_path / "model")
    file = tmp_path / "model" / "tokenizer.json"
    content = json.loads(file.read_text())
    token = content["added_tokens"][0]
    mark = {"id": token["content"], "ids": [token["id"]], "tokens": [token["content"]]}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    content["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": token["content"], "type_id": 0}}] + [text] * times,
        "pair": [],
        "special_tokens": {token["content"]: mark},
    }
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match="leaves a text out, or repeats it"):
        load_model(tmp_path / "model")


def test_a_tensor_under_two_names_is_refused(tiny_causal, tmp_path):
    shutil.copytree(tiny_causal, tmp_path / "model")
    file = tmp_path / "model" / "model.safetensors"
    tensors = load_file(file)
    tensors["h.0.ln_1.weight"] = tensors["transformer.h.0.ln_1.weight"] * 2
    save_file(tensors, file, {"format": "pt"})
    message = "both h.0.ln_1.weight and transformer.h.0.ln_1.weight"
    with pytest.raises(InputError, match=message):
        surprisals(load_model(tmp_path / "model"), ["The author laughs."])
    file.rename(file.with_name("a.safetensors"))
    save_file({"h.0.ln_1.weight": tensors["h.0.ln_1.weight"]}, file.with_name("b.safetensors"))
    index = {"weight_map": {"a": "a.safetensors", "b": "b.safetensors"}}
    file.with_name("model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(InputError, match="two of its files of weights hold h.0.ln_1.weight"):
        surprisals(load_model(tmp_path / "model"), ["The author laughs."])


def test_a_model_is_called_as_its_folder_however_that_is_written(
    tiny_causal, tmp_path, monkeypatch
):
    shutil.copytree(tiny_causal, tmp_path / "mine")
    (tmp_path / "mine" / "inside").mkdir()
    for place, path in (
        ("mine", "."),
        ("mine", "./"),
        ("mine/inside", ".."),
        ("", "mine/"),
        ("", "./mine"),
    ):
        monkeypatch.chdir(tmp_path / place)
        model = load_model(path)
        assert model.label == "mine" and model.identity().startswith("mine@")
