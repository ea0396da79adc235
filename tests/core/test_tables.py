"""Pairs from tables: other projects' columns, any type of column, numbers said or shown by the verb, mistakes."""

import pandas as pd
import pyarrow
import pytest

from tse_core import InputError, evaluate, load_pairs, load_sentence_pairs
from tse_core.datasets.pairs import SENTENCE_COLUMNS
from tse_core.datasets.splitting import split_pair
from tse_core.words import join

SHOWN = ["construction", "left", "correct", "wrong", "right", "number", "lemma"]
KEYS = ("The keys to the cabinet", "are", "is", "here.", "plural", "be")
FILES = {  # the same pair as other projects write it
    "named.csv": "good,bad,number\nThe keys to the cabinet are here.,The keys to the cabinet is here.,plural\n",
    "semicolons.csv": "good;bad;number\nThe keys to the cabinet are here.;The keys to the cabinet is here.;plural\n",
    "multiblimp.tsv": "\tsen\twrong_sen\tfeature_vals\tverb\n"
    "7\tThe keys to the cabinet are here.\tThe keys to the cabinet is here.\tPL -> SG\tare\n",
    "grewtse.csv": "sentence_id,match_id,form_grammatical,original_text,masked_text,form_ungrammatical,number\n"
    "x,6, are,The keys to the cabinet are here.,The keys to the cabinet [MASK] here., is,Plur\n",
    "gap.tsv": "left\tcorrect\twrong\tright\tlabel\nThe keys to the cabinet\tare\tis\there.\t-2\n",
    "papers.jsonl": '{"sentence_good": "the keys to the cabinet are here", '
    '"sentence_bad": "the keys to the cabinet is here", "label": -2, "UID": "x", "noun": null}\n\n',
}


@pytest.fixture
def write(tmp_path):
    def made(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
        return path

    return made


@pytest.mark.parametrize("name", FILES)
def test_the_same_pair_is_read_whatever_the_columns_are_called(write, name):
    path = write(name, FILES[name])
    pairs = load_pairs(path)
    keys = [text.lower().rstrip(".") for text in KEYS] if name == "papers.jsonl" else [*KEYS]
    assert pairs[SHOWN].to_numpy().tolist() == [[path.stem, *keys]]
    (sentences,) = load_sentence_pairs(path)[["good", "bad"]].to_numpy().tolist()
    assert sentences == [join(keys[0], verb, keys[3]) for verb in ("are", "is")]
    if name.endswith(("csv", "tsv")):
        table = pd.read_csv(
            path,
            sep={"multiblimp.tsv": "\t", "gap.tsv": "\t", "semicolons.csv": ";"}.get(name, ","),
        )
        assert load_pairs(table, name=path.stem)[SHOWN].equals(pairs[SHOWN])


@pytest.mark.parametrize(
    "name",
    ["excel.csv", "tabs.txt", "array.json", "lines.json", "one.json", "p.parquet", "i.parquet"],
)
def test_files_of_other_programs_are_read(tmp_path, name):
    good, bad = "The keys to the cabinet are here.", "The keys to the cabinet is here."
    record = {"good": good, "bad": bad, "number": "plural"}
    table, path = pd.DataFrame([record, record]), tmp_path / name
    match name:
        case "excel.csv":
            path.write_text("\ufeffsep=;\n" + table.to_csv(sep=";", index=False), encoding="utf-8")
        case "tabs.txt":
            path.write_text('"sep=\t"\n' + table.to_csv(sep="\t", index=False), encoding="utf-8")
        case "array.json":
            path.write_text(table.to_json(orient="records", indent=1))
        case "lines.json":
            path.write_text(table.to_json(orient="records", lines=True))
        case "one.json":
            path.write_text(table.head(1).to_json(orient="records", lines=True))
        case "p.parquet":
            table.astype({"number": "category"}).iloc[::-1].to_parquet(path)
        case "i.parquet":
            table.set_index("good").to_parquet(path)
    pairs, sentences = load_pairs(path), load_sentence_pairs(path)
    expected = [path.stem, *KEYS]
    assert pairs[SHOWN].to_numpy().tolist() == [expected] * len(pairs)
    assert sentences[["good", "bad"]].to_numpy().tolist() == [[good, bad]] * len(pairs)
    assert pairs.attrs["name"] == path.stem and len(pairs) == (1 if name == "one.json" else 2)


TYPES = {
    "categories": lambda column: column.astype("category"),
    "an Arrow dictionary": lambda column: column.astype(pd.ArrowDtype(pyarrow.dictionary("int32", "string"))),
    "objects": lambda column: column.astype(object).mask(column == "", None),
}  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
def test_columns_of_any_type_are_read_as_texts(kind):
    pairs = load_pairs("marvin-linzen/simple")
    pd.testing.assert_frame_equal(
        load_pairs(pairs.apply(TYPES[kind]).assign(left=pairs["left"])), load_pairs(pairs)
    )
    sentences = load_sentence_pairs(pairs)
    assert load_sentence_pairs(sentences.apply(TYPES[kind])).equals(load_sentence_pairs(sentences))


def test_columns_with_any_names_are_said(write):
    path = write("mine.csv", "satz,falsch,art\nThe cat runs.,The cat run.,kurz\n")
    columns = {"good": "satz", "bad": "falsch", "construction": "art"}
    assert load_pairs(path, columns)[SHOWN].to_numpy().tolist() == [
        ["kurz", "The cat", "runs", "run", ".", "", ""]
    ]
    sentences = load_sentence_pairs(path, {"good": "satz", "bad": "falsch", "phenomenon": "art"})
    assert sentences["phenomenon"].tolist() == ["kurz"]
    with pytest.raises(
        InputError, match="unknown column of .*mine.csv 'sätze' .did you mean 'satz'"
    ):
        load_pairs(path, {"good": "sätze"})
    with pytest.raises(InputError, match="unknown use of a column 'godo' .did you mean 'good'"):
        load_sentence_pairs(path, {"godo": "satz"})


@pytest.mark.slow
def test_the_command_takes_columns_by_other_names(write, tiny_causal, tse):
    path = write("mine.csv", "satz;falsch;art\nThe author laughs.;The author laugh.;singular\n")
    code, output, _ = tse(
        "evaluate", tiny_causal, "--data", path, "--columns", "good=satz,bad=falsch,number=art"
    )
    renamed = write(
        "own/mine.csv", "good,bad,number\nThe author laughs.,The author laugh.,singular\n"
    )
    assert code == 0 and output == tse("evaluate", tiny_causal, "--data", renamed)[1]


def test_columns_are_said_of_tables_only():
    with pytest.raises(
        InputError,
        match="'marvin-linzen' is no path that ends in .conllu, .csv, .gold, .json, .jsonl, .parquet, .tab, .tsv, .txt",
    ):
        load_pairs("marvin-linzen", {"good": "sen"})
    with pytest.raises(InputError, match="in Python load_sentence_pairs"):
        load_sentence_pairs(pd.DataFrame({"a": ["x"]}))


@pytest.mark.slow
def test_columns_of_ones_own_stay_beside_sentence_pairs(write):
    text = "item,sentence_good,sentence_bad,UID,Art \n1.0,A b.,A c.,x,u  v\n,D b.,D c.,x,\n"
    pairs = load_sentence_pairs(write("mine.csv", text))
    assert list(pairs) == [*SENTENCE_COLUMNS, "item", "Art"]
    assert pairs[["item", "Art"]].to_numpy().tolist() == [["1.0", "u v"], ["", ""]]
    gaps = "left,correct,wrong,right,noun,sentence_id,id\nThe cat,runs,run,.,cat,7,9\n"
    pairs = load_sentence_pairs(write("gaps.csv", gaps), {"phenomenon": "noun"})
    assert pairs[["phenomenon", "noun", "sentence_id", "id", "pair_id"]].to_numpy().tolist() == [
        ["cat", "cat", "7", "9", "9"]
    ]
    assert list(load_sentence_pairs("laboratory")) == SENTENCE_COLUMNS


def test_columns_of_ones_own_are_factors_and_blimps_fields_are_none(write):
    lines = ['{"sentence_good": "A b c.", "sentence_bad": "A d c.", "label": -1, "field": "x", "depth": 2}',
             '{"sentence_good": "E b c.", "sentence_bad": "E d c.", "label": -1}']  # fmt: skip
    pairs = load_pairs(write("mine.jsonl", "\n".join(lines)))
    assert pairs["depth"].tolist() == ["2", ""] and "field" not in pairs


PAIR = '{"sentence_good": "the author laughs", "sentence_bad": "the author laugh", "label": -1}'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.csv", "a,b\n1,2\n", "m.csv: the columns .a, b. hold no pairs; needed: two sentences .good, bad., a sen"),
        ("m.csv", "a,b\n1,2\n", "; --columns good=NAME,bad=NAME, in Python load_pairs.*'bad': NAME}., says"),
        ("m.csv", "good,bad,number\nThe cat runs.,The cat run.,one\n", "m.csv:2: the column 'number' is 'one'; the number of the subject must be sing"),
        ("m.csv", "good,bad\nThe cat runs.,The dog run.\n", "m.csv:2: the sentences must differ in exactly one word"),
        ("m.csv", "good,bad\nA b.,A c.,d\n", "m.csv: cannot be read as a table .*line 2"),
        ("m.csv", "good,good\nA b.,A c.\n", "m.csv: two columns are called 'good'"),
        ("m.csv", "left,correct,wrong\nThe cat,runs,\n", "m.csv:2: a form of the verb is empty"),
        ("m.tsv", 'good\tbad\tnote\na b\ta c\t"d\na e\ta f\t"g\n', "m.tsv:2: cannot .*expected after.*: a quotation"),
        ("m.tsv", 'good\tbad\n"Go," he says.\tx\n', "m.tsv:2: .* a quotation mark at the start of a cell encloses it"),
        ("m.tsv", 'good\tbad\na b\ta c\n"Go\tx\n', "m.tsv:3: .*unexpected end of data.: a quotation mark at the start"),
        ("m.tsv", 'good\tbad\n"Go\tx\ny"\tz\tw\n', "m.tsv:2: .*saw 3.: a quotation mark at the start of a cell"),
        ("m.tsv", 'good;bad\n"He runs, ""she said""";"He run."\n', "m.tsv: .* by tabs, .* none, but ';'; call"),
        ("m.csv", "sep=;\r\ngood;bad\r\n\r\nThe cat runs.;The dog run.", "m.csv:4: the sentences must"),
        ("m.xlsx", "PK", "m.xlsx: spreadsheets are not read; save it as CSV UTF-8"),
        ("m.json", '{"good": ["A b."],\n "bad": ["A c."]}', "m.json: is no array of records, such as"),
        ("m.json", '[{"good": "A b.", "bad": "A c."}, 3]', "m.json: is no array of records"),
        ("m.json", '[{"good": "A b.", "bad": ', "m.json: cannot be read as JSON"),
        ("m.json", '[{"good": "A b.", "bad": "A c."},\n{"good": "A b."}]', "m.json, row 2: bad is missing"),
        ("m.json", "[]", "m.json: holds no row"),
        ("m.parquet", "PAR1", "m.parquet: cannot be read as a table"),
        ("m.csv", "text,correct,wrong\nA [MASK] that [MASK],is,are\n", "m.csv:2: not one .MASK. in the text"),
        ("m.jsonl", f"{PAIR}\n\n{{not json", "m.jsonl:3: not a JSON object"),
        ("m.jsonl", PAIR + '\n{"sentence_good": "a b", "label": -1}', "m.jsonl:2: sentence_bad is missing"),
        ("m.jsonl", PAIR.replace("laughs", "laughs!"), "m.jsonl:1: .* must carry the same punctuation"),
        ("m.jsonl", PAIR.replace("the author laughs", "the  author laughs"), "must not differ in their white space"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_file_and_line(write, name, text, message):
    with pytest.raises(InputError, match=message) as error:
        load_pairs(write(name, text))
    assert "\n" not in str(error.value)


def test_a_mistake_in_a_table_is_one_line_with_its_row():
    row = {
        "left": "The author",
        "right": "",
        "number": "singular",
        "correct": "laughs",
        "wrong": "laugh",
    }
    with pytest.raises(InputError, match="the pairs, row 2: left is missing"):
        load_pairs(pd.DataFrame([row, row | {"left": float("nan")}]))


@pytest.mark.slow
def test_numbers_that_are_not_said_are_shown_by_the_forms_of_the_verb(tiny_causal):
    pairs = load_pairs("marvin-linzen/simple")
    bare = pairs.assign(number="")
    unlisted = pairs["lemma"].isin(["swim", "admire"])  # by the paper
    found = evaluate(tiny_causal, bare)
    pd.testing.assert_frame_equal(found.table(), evaluate(tiny_causal, pairs[~unlisted]).table())
    assert found.scored.endswith(
        f"pairs whose subject's number is not known (column number): {unlisted.sum()}"
    )
    with pytest.raises(
        InputError,
        match="no pair says its subject's number, and their verbs do not show it .*: x/y",
    ):
        evaluate(tiny_causal, bare.assign(correct="x", wrong="y"))


def test_what_could_be_scored_is_said_in_a_line(tiny_causal):
    pairs = load_pairs("marvin-linzen/simple").head(8)
    pairs.loc[:1, "correct"] = "gallivants"  # not one token
    pairs.loc[2, ["correct", "wrong", "number"]] = ["zigzags", "zigzag", "singular"]
    pairs.loc[3, ["correct", "wrong", "number"]] = ["went", "gone", ""]
    forms = [
        ("laugh", "laughs", "laugh"),
        ("smile", "smiles", "smile"),
        ("zigzag", "zigzags", "zigzag"),
    ]
    found = evaluate(
        tiny_causal, pairs, pd.DataFrame(forms, columns=["lemma", "singular", "plural"])
    )
    assert found.scored == (
        "pairs: 4 of 8; lemmas: 2 of 3; pairs whose verb has no form that counts: 3; "
        "pairs whose subject's number is not known (column number): 1"
    )
    assert found.pairs["tse"].count() == 4 and len(found.pairs) == 7


SENTENCES = [
    ('He said "she laughs" loudly.', 'He said "she laugh" loudly.'),
    ('The author "laughs" loudly.', 'The author "laugh" loudly.'),
    ('He writes "No" again.', 'He write "No" again.'),
    ("Il rit !", "Il rient !"),
    ("The author laughs!", "The author laugh!"),
    ('"The author laughs," he says.', '"The author laugh," he says.'),
    ("(The author laughs) again", "(The author laugh) again"),
    ("The author laughs, then swims.", "The author laugh, then swims."),
    ("Are they tall?", "Is they tall?"),
    ("He said: “It goes (up).”", "He said: “It go (up).”"),
    ("Who left?\n\nThe guests do.", "Who left?\n\nThe guests does."),
    ("We  go\thome.", "We  goes\thome."),
    ("He... goes – he says – home.", "He... go – he says – home."),
    ("« Le garçon » rit\u00a0!", "« Le garçon » rient\u00a0!"),
    ("»Ja« und »lacht« er", "»Ja« und »lachen« er"),
    ("男孩 写 书。", "男孩 写了 书。"),
]
FORMS = {  # a sentence with its two forms between bars -> what the verb's forms are
    "The boy |laughs/laugh|…": "laughs/laugh",
    'The author |"goes"/"go"| here.': "goes/go",
    "The author |(goes)/(go)| here.": "goes/go",
    "The author [it |goes]/go]|, here.": "goes/go",
    "The boy |‘goes’/‘go’| here.": "goes/go",
    "The boy |'goes'/'go'| here.": "goes/go",
    "‘The boy |laughs’/laugh’| is said.": "laughs/laugh",
    "„Der Junge |lacht/lachen|.“": "lacht/lachen",
    "Pojken |”skriver”/”skriva”| här.": "skriver/skriva",
    "« Le garçon |rit/rient| ici. »": "rit/rient",
    "She |goes—he/go—he| stays.": "goes/go",
    "She |goes...he/go...he| stays.": "goes/go",
    "He|—goes/—go| away.": "goes/go",
    "|¿Va/¿Van| el niño?": "Va/Van",
    "|—Vamos/—Voy| ahora.": "Vamos/Voy",
    "Ο συγγραφέας |γράφει;/γράφουν;|": "γράφει/γράφουν",
    "लड़का रोटी खाता |है।/हैं।|": "है/हैं",
    "لڑکا |ہے۔/ہیں۔|": "ہے/ہیں",
    "الولد |يكتب؟/يكتبون؟|": "يكتب/يكتبون",
    "Նա գնում |է։/են։|": "է/են",
    "Տղան |գրո՞ւմ/գրե՞ն| է։": "գրո՞ւմ/գրե՞ն",
    "|צה״ל/צה״לים| כאן.": "צה״ל/צה״לים",
    "ბიჭი |წერს./წერენ.|": "წერს/წერენ",
    "เด็ก |กิน/ไป| ข้าว": "กิน/ไป",
    "He keeps |goin'/goes| on.": "goin'/goes",
    "Gianni |va'/vanno| via.": "va'/vanno",
    "They |'re/'s| here.": "'re/'s",
    "They |’re/’s| here.": "’re/’s",
    "They |co-write/co-writes| it.": "co-write/co-writes",
}


@pytest.mark.parametrize(("good", "bad"), SENTENCES)
def test_joining_the_parts_of_a_sentence_gives_the_sentence(good, bad):
    left, correct, wrong, right = split_pair(good, bad, "here")
    assert (join(left, correct, right), join(left, wrong, right)) == (good, bad)


@pytest.mark.parametrize("text", FORMS)
def test_a_mark_leaves_the_verb_where_both_forms_carry_it(text):
    before, forms, after = text.split("|")
    good, bad = (before + form + after for form in forms.split("/"))
    left, correct, wrong, right = split_pair(good, bad, "here")
    assert f"{correct}/{wrong}" == FORMS[text]
    assert (join(left, correct, right), join(left, wrong, right)) == (good, bad)


def test_a_gap_of_a_text_keeps_what_stands_around_it():
    texts = [
        "The author ([MASK]) here.",
        "Who left?\n[MASK] he",
        "男孩[MASK]书。",
        "Il dit « [MASK] » ici",
    ]
    pairs = load_pairs(pd.DataFrame({"text": texts, "correct": "goes", "wrong": "go"}))
    joined = [*map(join, pairs["left"], ["[MASK]"] * 4, pairs["right"])]
    assert joined == texts
    with pytest.raises(InputError, match="row 1: .MASK. must stand apart from other words"):
        load_pairs(
            pd.DataFrame({"text": ["Il re[MASK] pas."], "correct": ["est"], "wrong": ["sont"]})
        )


def test_a_curly_apostrophe_is_a_straight_one_for_the_lemma(tiny_causal):
    table = pd.DataFrame({"good": ["They aren’t late."], "bad": ["They isn’t late."]})
    found = evaluate(tiny_causal, table)
    assert found.pairs[["number", "lemma", "correct"]].to_numpy().tolist() == [
        ["plural", "be", "aren’t"]
    ]


def test_a_long_cell_is_called_so(tmp_path):
    (tmp_path / "own.csv").write_text("good,bad\n" + "a" * 200_000 + ",b\n")
    with pytest.raises(InputError, match="own.csv:2: a cell has more than 131,072 characters"):
        load_pairs(tmp_path / "own.csv")
