"""Measured beside true: what a laboratory model scores, per construction and band, and on combinations it never saw.

The templates' contexts are asked for all 900 verbs at once; the scores follow from the probabilities of their forms.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from tse_book.laboratory.known_truth import in_bands, truth
from tse_book.laboratory.language import Language, load_language
from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.datasets.pairs import context_index, unique_contexts
from tse_core.errors import unknown
from tse_core.files import write_output
from tse_core.forward.passes import logits
from tse_core.models.coerce import load_model
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder
from tse_core.progress import progress
from tse_core.uncertainty.intervals import compare


def measure_models(names: list[str] | None, out: str | Path, *, device: str = "auto") -> list[Path]:
    """Measure laboratory models on all nine rows and write scores.csv, held_out.csv and curves.csv with a model column.

    Rows of other models that these files already hold stay.

    Raises
    ------
    InputError
        For a name that is no laboratory model, before anything is measured.
    """
    language, out = load_language(), Path(out)
    for name in names or []:
        if name not in language.models():
            raise unknown("laboratory model", name, language.models())
    pairs, verbs = load_pairs("marvin-linzen"), load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
    tables: dict[str, list[pd.DataFrame]] = {"scores": [], "held_out": [], "curves": []}
    for name in names or language.models():
        model = load_model(name, device=device)
        total = sum(len(unique_contexts(some, model.kind)) for _, some in pairs.groupby("construction"))
        with progress(total, f"measuring {name}", unit="contexts") as advance:
            scores, held_out = against_truth(model, name.split("-")[1], pairs, language, advance)
        curves = evaluate(model, pairs, verbs).curves()
        for kind, table in zip(tables, (scores, held_out, curves), strict=True):
            tables[kind].append(table.assign(model=name))
    out.mkdir(parents=True, exist_ok=True)
    return [_write_rows(out / f"{kind}.csv", pd.concat(parts), language.models()) for kind, parts in tables.items()]


def _write_rows(path: Path, table: pd.DataFrame, models: list[str]) -> Path:
    """Put the rows of these models in place of those that the file has of them, in the models' order."""
    if path.exists():
        kept = pd.read_csv(path)
        table = pd.concat([kept[~kept["model"].isin(table["model"].unique())], table])
    table = table.sort_values("model", key=lambda names: names.map(models.index), kind="stable")
    write_output(path, table[["model", *table.columns.drop("model")]].to_csv(index=False, float_format="%.6g"))
    return path


class Forms(NamedTuple):
    """Probabilities of the right and the wrong form at the slots of one construction."""

    construction: str
    contexts: pd.DataFrame  # left, right, number, noun (the subject's singular)
    correct: np.ndarray  # (contexts, lemmas)
    wrong: np.ndarray  # (contexts, lemmas)
    pairs: pd.DataFrame  # the pairs with their context's row as column `context`


def against_truth(
    model: LanguageModel, regime: str, pairs: pd.DataFrame, language: Language | None = None, advance=None
):
    """Measured scores beside the truth, and held-out combinations beside seen ones.

    EW and MW average over unique contexts, TSE over pairs, as in Newman et al. (2021, section 3).

    Parameters
    ----------
    model : a model of the laboratory language
    regime : the regime it learned
    pairs : agreement pairs whose words the language knows (``load_pairs("marvin-linzen")``)
    advance : called with the number of contexts done

    Returns
    -------
    cells : DataFrame
        construction, band, contexts, then TSE, EW, MW as measured and true_TSE, true_EW, true_MW.
    held_out : DataFrame
        See :func:`unseen_against_seen`.
    """
    language = language or load_language()
    rows, unseen = [], []
    for forms in verb_forms(model, pairs, language, advance):
        chosen = forms.correct > forms.wrong
        lemma = language.lemmas["lemma"].tolist()
        places = forms.pairs["lemma"].map({name: place for place, name in enumerate(lemma)}).to_numpy()
        right = chosen[forms.pairs["context"], places]
        for name, there in in_bands(language):
            correct, wrong = forms.correct[:, there].sum(axis=1), forms.wrong[:, there].sum(axis=1)
            asked = there[places]
            tse = right[asked].mean() if asked.any() else np.nan
            ew, mw = chosen[:, there].mean(), (correct / (correct + wrong)).mean()
            rows.append((forms.construction, name, len(forms.contexts), tse, ew, mw))
        unseen.append(unseen_against_seen(forms, language))
    cells = pd.DataFrame(rows, columns=["construction", "band", "contexts", "TSE", "EW", "MW"])
    known = truth(regime, language).drop(columns="lemmas")
    known = known.rename(columns={score: f"true_{score}" for score in ("TSE", "EW", "MW")})
    return cells.merge(known, on=["construction", "band"]), pd.concat(unseen, ignore_index=True)


def unseen_against_seen(forms: Forms, language: Language) -> pd.DataFrame:
    """EW and MW on subject-verb combinations that the corpus held out, and on those it showed.

    For each subject noun both scores are means over contexts and lemmas of a kind, lemmas weighing alike; the leading
    verbs, which are never held out, are left aside, so that like is compared with like. The interval is that of the
    paired difference over nouns (uncertainty.compare).

    Returns
    -------
    DataFrame
        construction, held_out ("pair": together nowhere in the corpus; "combination": not in this construction), score
        ("EW", "MW"), seen, unseen (means over nouns), difference (unseen - seen), low, high (95 %), nouns.
    """
    place = language.constructions.index(forms.construction)
    nouns = {name: row for row, name in enumerate(language.nouns["singular"])}
    values = {"EW": (forms.correct > forms.wrong).astype(float), "MW": forms.correct / (forms.correct + forms.wrong)}
    own, rows = language.lemmas["lemma"].isin(language.leading()).to_numpy(), []
    for kind in ("pair", "combination"):
        for score, table in values.items():
            seen, unseen = [], []
            for noun, there in forms.contexts.groupby("noun").indices.items():
                never = language.held_out_pairs[nouns[noun]]
                held_out = language.held_out[place, nouns[noun]]
                seen.append(table[there][:, ~held_out & ~own].mean())
                unseen.append(table[there][:, never if kind == "pair" else held_out & ~never].mean())
            found = compare(np.array(unseen), np.array(seen), clusters=np.arange(len(seen)))
            means = (np.mean(seen), np.mean(unseen), found.difference, found.low, found.high, len(seen))
            rows.append((forms.construction, kind, score, *means))
    return pd.DataFrame(
        rows, columns=["construction", "held_out", "score", "seen", "unseen", "difference", "low", "high", "nouns"]
    )


def verb_forms(
    model: LanguageModel, pairs: pd.DataFrame, language: Language, advance: Callable[[int], None] | None = None
) -> Iterator[Forms]:
    """The probabilities of every verb's two forms at each context, a construction at a time."""
    forms = language.lemmas[["singular", "plural"]]
    ids = torch.tensor([model.word_ids(forms[number].tolist()) for number in forms])
    for construction, some in pairs.groupby("construction", sort=False):
        contexts = unique_contexts(some, model.kind)
        some = some.assign(context=context_index(some, model.kind))
        contexts["noun"] = some.drop_duplicates("context").sort_values("context")["noun"].to_numpy()
        slots = model.slots(list(zip(contexts["left"], contexts["right"], strict=True)))
        found = np.empty((2, len(slots), len(language.lemmas)), dtype=np.float32)
        for requests, block in logits(model, [slot.ids for slot in slots], [[slot.position] for slot in slots]):
            probabilities = block.float().softmax(-1)
            for number in (0, 1):
                found[number, requests] = probabilities[:, ids[number].to(block.device)].cpu().numpy()
            if advance:
                advance(len(requests))
        plural = (contexts["number"] == "plural").to_numpy()[:, None]
        correct, wrong = np.where(plural, found[1], found[0]), np.where(plural, found[0], found[1])
        yield Forms(construction, contexts, correct, wrong, some)
