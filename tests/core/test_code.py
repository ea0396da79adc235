"""The store's keys hold a digest of the scoring code; signatures hold a version, which golden scores guard."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from book.make.scores import FURTHER
from tse_book.studies.learning_curves import CODE as LEARNING
from tse_core import evaluate
from tse_core.agreement import scoring
from tse_core.blimp.scores import CODE as BLIMP
from tse_core.results import code
from tse_core.results.code import code_digest, same_code, source_digest
from tse_core.results.signature import PROTOCOL_VERSION
from tse_core.syntaxgym.outcomes import CODE as SUITES

sys.path.insert(0, str(Path(__file__).parents[1]))
from golden_scores import GOLDEN, measured

PACKAGE = Path(code.__file__).parents[1]
SOURCE = '''
class Score:
    """How good."""

    def half(self, x):  # of it
        "Half."
        return x / 2
'''


def test_comments_docstrings_and_layout_play_no_part_everything_else_does():
    same = "class Score:\n  def half( self,x ):\n\n    return (x/2)"
    assert source_digest(SOURCE) == source_digest(same)
    assert len({source_digest(SOURCE.replace("x / 2", other)) for other in ("x / 2", "x / 2.0", "x // 2", "x")}) == 4


def test_a_digest_covers_the_rooms_that_it_names_and_what_all_work_shares(tmp_path, monkeypatch):
    shutil.copytree(PACKAGE, tmp_path / "tse_core")
    shutil.copytree(PACKAGE.parent / "tse_book" / "laboratory", tmp_path / "tse_book" / "laboratory")
    monkeypatch.setattr(code, "PACKAGE", tmp_path / "tse_core")
    monkeypatch.setattr(code, "BESIDE", tmp_path)
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    digest = code_digest.__wrapped__
    before = {part: digest(part) for part in ("agreement", "blimp", "tse_book/laboratory")}
    assert before == {part: code_digest(part) for part in before}

    def changed(file: str) -> set[str]:
        place = tmp_path / file
        source = place.read_text()
        place.write_text(source + "\nNEW = 1\n")
        found = {part for part in before if digest(part) != before[part]}
        place.write_text(source)
        return found

    assert changed("tse_core/agreement/shards.py") == {"agreement"}
    assert changed("tse_core/blimp/scores.py") == {"blimp"}
    assert changed("tse_book/laboratory/corpus.py") == {"tse_book/laboratory"}
    assert changed("tse_core/forward/passes.py") == set(before) == changed("tse_core/models/language_model.py")
    assert changed("tse_core/cli/listing.py") == set()
    assert before == {part: digest(part) for part in before}


def test_every_part_that_code_names_is_there_and_one_that_is_gone_is_not_the_same():
    for parts in (scoring.CODE, BLIMP, SUITES, LEARNING, FURTHER):
        assert same_code(parts, code_digest(*parts))
    assert not same_code(["studies/gone.py"], "0" * 12)
    with pytest.raises(FileNotFoundError, match="no part of the code is called 'studies/gone.py'"):
        code_digest("studies/gone.py")


RUN = """
import json, sys
from tse_core import evaluate
found = evaluate(sys.argv[1], "marvin-linzen/simple", store=sys.argv[2])
print(json.dumps(found.table().iloc[0].to_dict()))
"""


def test_one_line_changed_inside_cutoff_scores_makes_the_store_miss(tiny_causal, tmp_path):
    """A copy of the package in which EW is halved finds nothing in a store that the original has filled."""
    store, root = tmp_path / "store", tmp_path / "copy"
    original = evaluate(tiny_causal, "marvin-linzen/simple", store=store).table().iloc[0].to_dict()
    shutil.copytree(PACKAGE, root / "src" / "tse_core", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "data").symlink_to(PACKAGE.parents[1] / "data")
    place = root / "src" / "tse_core" / "metrics" / "scores.py"
    line, source = "    return CutoffScores(dict(zip(names, arrays, strict=True)))\n", place.read_text()
    assert source.count(line) == 1
    halved = "{name: array / (1 + (name == 'ew_top')) for name, array in zip(names, arrays)}"
    place.write_text(source.replace(line, f"    return CutoffScores({halved})\n"))
    call = [sys.executable, "-c", RUN, str(tiny_causal), str(store)]
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=True)
    changed = json.loads(done.stdout)
    assert changed["EW"] == pytest.approx(original["EW"] / 2) and original["EW"] > 0
    assert changed["TSE"] == original["TSE"]


def test_the_version_is_raised_when_scores_move():
    golden, found = json.loads(GOLDEN.read_text()), measured()
    assert found.keys() == golden["scores"].keys()
    moved = [name for name, score in golden["scores"].items() if found[name] != pytest.approx(score, abs=1e-3)]
    assert golden["version"] == PROTOCOL_VERSION, "the version was raised: write the scores with tests/golden_scores.py"
    assert not moved, f"scores moved: raise the version (PROTOCOL_VERSION), then run tests/golden_scores.py: {moved}"
