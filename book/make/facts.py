"""What the living page knows of the model: computed with the package, so that page and package speak of the same verbs.

The page scores contexts itself; here are the verb list with its vocabulary entries, the token that stands in front, and
the package's own scores of some contexts, which the page compares with its own.
"""

import pandas as pd

from tse_book.charts.interactive import placed_verbs
from tse_core import PAPER_CUTOFFS, load_lemmas, load_pairs, score_context
from tse_core.agreement.slots import marked_distribution, past_forms
from tse_core.agreement.verbs import counted_verbs
from tse_core.datasets.pairs import NUMBERS

LEMMAS = "newman-clean"
TOP = 10  # continuations kept for a context
EXAMPLES = (
    ("The keys to the cabinet", "plural"),
    ("The key to the cabinets", "singular"),
    ("The author that the guards like", "singular"),
    ("The authors that the guard likes", "plural"),
    ("The pilot laughs and", "singular"),
    ("The manager that the skaters admire", "singular"),
)
SHOWN = 8  # verbs that the front page shows at each cut-off


def page_facts(model) -> dict:
    """Everything that the page is given about an opened model, but for its file; ready for JSON."""
    lemmas, encoding = load_lemmas(LEMMAS), model.encode("The")
    bos = (
        encoding.ids[0] if encoding.special[0] else None
    )  # the token that the model reads first by its own rule
    counted = counted_verbs(model, lemmas)
    verbs = counted.lemmas[["lemma", "singular", "plural", "noun"]].astype({"noun": bool})
    verbs = verbs.assign(ids=counted.ids.tolist())
    past = past_forms(lemmas.table)
    past_ids = model.word_ids([word for word, _ in past])
    return {
        "list": LEMMAS,
        "vocabulary": model.vocabulary_size,
        "bos": bos,
        "bos_token": "" if bos is None else model.tokens([bos])[0],
        "marks": sorted(str(token) for token in model.tokenizer.added_tokens_decoder.values()),
        "cutoffs": PAPER_CUTOFFS._asdict(),
        "lemmas": verbs.to_dict("records"),
        "past": [
            [entry, lemma]
            for entry, (_, lemma) in zip(past_ids, past, strict=True)
            if entry is not None
        ],
        "contexts": [
            {"construction": row.construction, **_scored(model, row.left, row.number, verbs)}
            for row in check_contexts().itertuples()
        ],
    }


def check_contexts() -> pd.DataFrame:
    """Eighteen of the paper's contexts: a singular and a plural subject of each construction."""
    contexts = load_pairs("marvin-linzen").drop_duplicates(["left", "number"])
    drawn = contexts.groupby(["construction", "number"], sort=False)[
        ["construction", "left", "number"]
    ]
    return drawn.sample(1, random_state=3).assign(left=lambda table: table["left"].str.strip())


def recorded_examples(model) -> list[dict]:
    """A few contexts as the page would show them, for readers whose browser cannot run the model."""
    found = []
    for left, number in EXAMPLES:
        scores = score_context(model, left, number=number, lemmas=LEMMAS)
        top = marked_distribution(model, f"{left} ___", number, LEMMAS).head(TOP)
        top = top.assign(p=top["probability"].astype(float).round(6))[
            ["token", "p", "form"]
        ].to_dict("records")
        rounded = {"ew": round(scores.ew, 4), "mw": round(scores.mw, 4), "verbs": len(scores.forms)}
        found.append({"left": left, "number": number, **rounded, "top": top})
    return found


def story(model) -> dict:
    """What the front page shows of the first example: the likeliest entries, and the verbs inside each cut-off.

    At a cut-off those that go wrong come first; the likeliest of the others fill the places that are left.
    """
    left, number = EXAMPLES[0]
    scores = score_context(model, left, number=number, lemmas=LEMMAS)
    marked = marked_distribution(model, f"{left} ___", number, LEMMAS)
    shown = pd.concat(
        [marked.head(TOP), marked[marked["form"] == "wrong"].head(1)]
    ).drop_duplicates("id")
    verbs = scores.forms.merge(placed_verbs(marked)[["lemma", "best", "top", "bottom"]], on="lemma")
    verbs = verbs.sort_values(["agrees", "best"], ascending=[True, False])
    steps = []
    for (side, cutoff), both in scores.curves.groupby(["side", "cutoff"]):
        inside = verbs if cutoff >= 1 else verbs[verbs[side] < cutoff]
        if len(inside):
            of = both.set_index("metric")["score"]
            rows = inside.head(SHOWN)[["correct", "wrong", "p_correct", "p_wrong"]]
            step = {
                "side": side,
                "cutoff": cutoff,
                "inside": len(inside),
                "wrong": int((~inside["agrees"]).sum()),
            }
            step |= {"ew": round(of["EW"], 4), "mw": round(of["MW"], 4)}
            steps.append(
                step
                | {
                    "verbs": [
                        [a, b, float(f"{p:.3g}"), float(f"{q:.3g}")] for a, b, p, q in rows.values
                    ]
                }
            )
    steps.sort(
        key=lambda step: (
            step["side"] == "bottom",
            step["cutoff"] * (1 if step["side"] == "top" else -1),
        )
    )
    likeliest = [
        [row.token.strip(), round(row.probability, 6), row.form] for row in shown.itertuples()
    ]
    return {"left": left, "likeliest": likeliest, "steps": steps}


def _scored(model, left: str, number: str, verbs: pd.DataFrame) -> dict:
    scores = score_context(model, left, number=number, lemmas=LEMMAS)
    agrees = scores.forms.set_index("correct")["agrees"].reindex(verbs[number])
    encoding = model.encode(left)
    return {
        "left": left,
        "number": NUMBERS.index(number),
        "ids": [
            token
            for token, special in zip(encoding.ids, encoding.special, strict=True)
            if not special
        ],
        "ew": scores.ew,
        "mw": scores.mw,
        "agrees": "".join("1" if right else "0" for right in agrees),
    }
