"""A treebank of our own: sentences in a short notation, written as CoNLL-U.

A word is ``form lemma TAG features head relation`` with spaces between; ``_`` for nothing. A form that ends in ``+``
touches the word behind it. ``2-3 form`` is a multiword token, ``3.1 form`` an empty node.
"""

from pathlib import Path

SING = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
PLUR = "Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin"
IT = "Number=Sing|Person=3|PronType=Prs"
THEY = "Number=Plur|Person=3|PronType=Prs"
NAMES = {"SING": SING, "PLUR": PLUR, "IT": IT, "THEY": THEY, "S": "Number=Sing", "P": "Number=Plur"}

# The first document: seven sites, one of them twice, and verbs that fail each rule.
KEYS = """
# newdoc id = GUM_letter_keys
The the DET _ 2 det
keys key NOUN P 6 nsubj
to to ADP _ 5 case
the the DET _ 5 det
cabinet cabinet NOUN S 2 nmod
stand stand VERB PLUR 0 root
here+ here ADV _ 6 advmod
. . PUNCT _ 6 punct

The the DET _ 2 det
door door NOUN S 4 nsubj
often often ADV _ 4 advmod
opens open VERB SING 0 root

It it PRON IT 2 nsubj
opens open VERB SING 0 root

It it PRON IT 2 nsubj
closes close VERB SING 0 root

They they PRON THEY 3 nsubj
are be AUX PLUR 3 cop
old old ADJ _ 0 root

Anna Anna PROPN S 3 nsubj
has have AUX SING 3 aux
left leave VERB VerbForm=Part 0 root

Doors door NOUN P 2 nsubj
open open VERB PLUR 0 root
"""
FAILING = """
# newdoc id = GUM_speech_doors
Open open VERB Mood=Imp|VerbForm=Fin 0 root
it it PRON IT 1 obj

Here here ADV _ 2 advmod
opens open VERB SING 0 root
a a DET _ 4 det
door door NOUN S 2 nsubj

It it PRON IT 3 nsubj
it it PRON IT 3 nsubj
opens open VERB SING 0 root

Who who PRON PronType=Int 2 nsubj
opens open VERB SING 0 root

Everyone everyone PRON IT 2 nsubj
opens open VERB SING 0 root

Anna Anna PROPN S 4 nsubj
and and CCONJ _ 3 cc
Bob Bob PROPN S 1 conj
open open VERB PLUR 0 root

The the DET _ 2 det
team team NOUN S 3 nsubj
open open VERB PLUR 0 root

2-3 doesn't
It it PRON IT 4 nsubj
does do AUX SING 4 aux
n't not PART _ 4 advmod
open open VERB VerbForm=Inf 0 root

"+ " PUNCT _ 3 punct
Doors+ door NOUN P 3 nsubj
open open VERB PLUR 0 root
"""


def as_conllu(notation: str) -> str:
    """The file of some sentences; each gets an id, and its text from its words."""
    parts = []
    for number, block in enumerate(notation.strip().split("\n\n"), start=1):
        lines = block.strip().splitlines()
        comments = [line for line in lines if line.startswith("# ")]
        words = [line for line in lines if not line.startswith("# ")]
        parts.append("\n".join([*comments, f"# sent_id = s{number}", *_sentence(words)]) + "\n\n")
    return "".join(parts)


def _sentence(words: list[str]) -> list[str]:
    """The line of the text, and those of the words."""
    multiword = {}
    for word in words:
        number, *form = word.split(" ")
        if "-" in number and number[0].isdecimal():
            multiword[int(number[0])] = (number, form[0], int(number[-1]))
    text = ""
    rows = []
    number = covered = 0
    for word in words:
        if word.split(" ")[0] in [token[0] for token in multiword.values()]:
            continue
        number += 1
        form, lemma, tag, features, head, relation = word.split(" ")
        if number in multiword:
            name, whole, covered = multiword[number]
            rows.append([name, whole, *["_"] * 8])
            text += f"{whole} "
        touches = form.endswith("+")
        form = form.rstrip("+")
        misc = "SpaceAfter=No" if touches else "_"
        if number > covered:
            text += form if touches else f"{form} "
        features = NAMES.get(features, features)
        rows.append([str(number), form, lemma, tag, "_", features, head, relation, "_", misc])
    return [f"# text = {text.strip()}", *map("\t".join, rows)]


def write_treebank(folder: Path, notation: str, name: str = "en_own-ud-test") -> Path:
    """The file of some sentences, in a folder."""
    path = folder / f"{name}.conllu"
    path.write_text(as_conllu(notation), encoding="utf-8")
    return path
