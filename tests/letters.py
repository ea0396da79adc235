"""A model behind a command: a token is a word, its surprisal its number of letters; ``Ra`` is unknown to it."""

import os
import sys
from pathlib import Path

import pytest

SCRIPT = f"""#!{sys.executable}
import sys
action, file = sys.argv[-2:]
if action == "get_surprisals":
    open(__file__ + ".log", "a").write(open(file, encoding="utf-8").read())
    print("sentence_id", "token_id", "token", "surprisal", sep="\\t")
for number, line in enumerate(open(file, encoding="utf-8"), 1):
    words = line.split()
    if action == "tokenize":
        print(*words)
    elif action == "unkify":
        print(*[int(word == "Ra") for word in words])
    else:
        for i, word in enumerate(words, 1):
            print(number, i, word, float(len(word)), sep="\\t")
"""


def write_letters(path: Path, bits: str = "float(len(word))") -> Path:
    """The program, which notes what it is asked in a file beside it; with another surprisal if one is given."""
    if os.name == "nt":
        pytest.skip("Windows runs no script by its first line")
    path.write_text(SCRIPT.replace("float(len(word))", bits))
    path.chmod(0o755)
    return path
