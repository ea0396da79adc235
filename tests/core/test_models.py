"""Models: opening them, telling their kind, turning words and slots into token ids."""

import json
import re
import shutil
from pkgutil import resolve_name

import pytest

from tiny import save_unigram_model
from tse_core import InputError, load_model, surprisals
from tse_core.models.kinds import KINDS
from tse_core.words import join

WORDS = ["laughs", "is", "brings", "are", "was", "said"]
SENTENCES = [("The author", "."), ("The keys to the cabinet", "on the table."), ("Le café", "très bon.")]


def test_the_kind_is_read_from_the_configuration_or_must_be_said(tiny_causal, tiny_masked, tmp_path):
    assert load_model(tiny_causal).kind == "causal"
    assert load_model(tiny_masked).kind == "masked"
    folder = shutil.copytree(tiny_masked, tmp_path / "open")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"architectures": None}))
    with pytest.raises(InputError, match="masked or causal; say kind='masked'"):
        load_model(folder)
    assert load_model(folder, kind="masked").kind == "masked"


def test_bos_is_a_policy(tiny_causal):
    model = load_model(tiny_causal)
    plain = model.encode("The author laughs.")
    added = model.with_policies(bos="add").encode("The author laughs.")
    assert added.ids == (model.tokenizer.bos_token_id, *plain.ids)
    assert added.special == (True, *plain.special)
    assert model.policies()["bos"] == "none"


def test_words_that_the_vocabulary_lacks_have_no_id(tiny_causal):
    assert load_model(tiny_causal).word_ids(["laughs", "Laughs", "xylophones", "", "two words"])[2:] == [None] * 3


SENTENCE = "The keys to the cabinet are here."


@pytest.fixture(params=["random-bert-cased", "random-gpt2", "random-roberta", "stories260K", "causal", "masked"])
def family(request, small_models, tmp_path):
    """A model with each kind of tokenizer: WordPiece, byte-level BPE, SentencePiece, Unigram."""
    if request.param in ("causal", "masked"):
        model = load_model(save_unigram_model(tmp_path, request.param))
        assert any(len(ids) > 3 for ids in model.tokenizer(WORDS, add_special_tokens=False)["input_ids"])
        return model
    return load_model(small_models / request.param)


def test_the_slot_and_its_surroundings_give_back_the_sentence(family):
    filled = filled_slots(family)
    assert filled and all(decoded == expected for decoded, expected in filled)


def filled_slots(model) -> list[tuple[str, str]]:
    """Every slot filled with a known word: what the tokenizer makes of it, and the sentence, both without spaces."""
    filled = []
    for left, right in SENTENCES:
        for word in WORDS:
            slot, entry = model.slot(left, right), model.word_id(word)
            if entry is None:
                continue
            if model.kind == "masked":
                ids = [entry if i == slot.position else t for i, t in enumerate(slot.ids)]
                expected = join(left, word, right)
            else:
                ids, expected = [*slot.ids, entry], f"{left} {word}"
            decoded = model.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
            filled.append(tuple(s.replace(" ", "").removeprefix("▁") for s in (decoded, expected)))
    return filled


def test_offsets_point_at_the_words(family):
    covered = {i for start, end in family.encode(SENTENCE).offsets for i in range(start, end)}
    assert covered == {i for i, character in enumerate(SENTENCE) if character != " "}


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ('{"weight_map": {"a": "../outside.safetensors"}}', "which does not lie beside it"),
        ('{"weight_map": {"a": "/etc/passwd"}}', "which does not lie beside it"),
        ('{"weight_map": {"a": 5}}', "which does not lie beside it"),
        ('{"weight_map": []}', "no index of weights"),
        ("{", "no index of weights"),
        ("[" * 5000, "no index of weights"),
    ],
)
def test_an_index_of_weights_names_files_beside_it(tiny_causal, tmp_path, index, message):
    folder = tmp_path / "model"
    shutil.copytree(tiny_causal, folder)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(InputError, match=message):
        load_model(folder).identity()


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        (-1, "config.json says -1 layers, and the weights are 28 tensors"),
        (0, "config.json says 0 layers, and the weights are 28 tensors"),
        (10**8, "config.json says 100,000,000 layers, and the weights are 28 tensors"),
        (3, "the weights lack 12 of the tensors that config.json asks for, e.g. transformer.h.2.attn.c_attn.bias"),
        (1, "the weights have more layers than config.json says, e.g. transformer.h.1."),
    ],
)
def test_layers_are_as_many_as_the_weights_have(tiny_causal, tmp_path, layers, message):
    folder = tmp_path / "model"
    shutil.copytree(tiny_causal, folder)
    config = json.loads((folder / "config.json").read_text()) | {"n_layer": layers}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=f"model: {message}"):
        surprisals(load_model(folder), ["The author laughs."])


def test_a_model_is_called_as_its_folder_however_that_is_written(tiny_causal, tmp_path, monkeypatch):
    shutil.copytree(tiny_causal, tmp_path / "mine")
    (tmp_path / "mine" / "inside").mkdir()
    for place, path in (("mine", "."), ("mine", "./"), ("mine/inside", ".."), ("", "mine/"), ("", "./mine")):
        monkeypatch.chdir(tmp_path / place)
        model = load_model(path)
        assert model.label == "mine" and model.identity().startswith("mine@")


def test_each_kind_of_model_names_a_function_that_is_there():
    for place in KINDS.values():
        assert callable(resolve_name(place))
    first = next(place for names, place in KINDS.items() if re.fullmatch(names, "SmolLM2.GGUF"))
    assert first.endswith(":open_gguf")
