"""The section on why nouns differ: EW after each noun, how likely a noun is there, and the verdicts on S7 and S7b."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np
import pandas as pd

from tse_book.claims import noun_statements, verdicts
from tse_book.claims.noun_statements import AS_FIXED, START, NounTables
from tse_book.pages.newman import label, opened
from tse_book.pages.statements import SUBJECTS
from tse_book.recorded import noun_tables
from tse_book.studies.controls import controlled_verbs
from tse_book.studies.expected_nouns import key_words, nouns_for, subject_nouns
from tse_core.errors import InputError


def tables_of(models: Iterable[str], lemmas: str) -> dict[str, NounTables]:
    """What was measured of each model after nouns, by its name: recorded, or measured now (minutes to an hour).

    A model that cannot be opened here, and of which nothing is recorded, is left out.
    """
    tables = {}
    for name in models:
        measured = noun_tables(label(name))
        if measured is None:
            try:
                model = opened(name)
                measured = {part: of().table for part, of in nouns_for(model, lemmas).items()}
            except InputError:
                continue
        tables[label(name)] = NounTables(
            measured["noun_verbs"],
            measured["noun_words"],
            controlled_verbs(lemmas),
            subject_nouns(),
            key_words(),
            measured["subject_words"],
        )
    return tables


def noun_scores(tables: Mapping[str, NounTables], named: Collection[str] = ()) -> pd.DataFrame:
    """Each noun at the start of a text: model, noun, verb (whether it is a verb too), P (the summed probability of the
    key's words), EW (of verbs that are also nouns), EW of never-nouns, margin, margin of never-nouns (nats), named
    (whether it is in `named`, or at either end of P or of EW)."""
    parts = []
    for model, of in tables.items():
        scores = noun_statements.noun_scores(of)
        scores = scores[scores["construction"] == START].reset_index(drop=True)
        part = pd.DataFrame(
            {
                "model": model,
                "noun": scores["noun"],
                "verb": scores["verb"],
                "P": np.exp(scores["M"]),
                "EW": scores["ew_also"],
                "EW of never-nouns": scores["ew_never"],
                "margin": scores["margin_also"],
                "margin of never-nouns": scores["margin_never"],
            }
        )
        is_named = part["noun"].isin(named) | _at_an_end(part["P"]) | _at_an_end(part["EW"])
        parts.append(part.assign(named=is_named))
    return pd.concat(parts, ignore_index=True)


def likeliest_words(
    tables: Mapping[str, NounTables], nouns: Iterable[str], count: int = 3
) -> pd.DataFrame:
    """The likeliest words of the key after some nouns at the start of a text: model, noun, words, P (of the first)."""
    rows = []
    for model, of in tables.items():
        singular = of.key.loc[of.key["number"] == "singular", "word"]
        words = of.words_after[of.words_after["construction"] == START]
        words = words[words["word"].isin(singular)]
        logs = words["log_probability"].astype(float) + words["log_end"].astype(float)
        means = words.assign(P=np.exp(logs)).groupby(["noun", "word"])["P"].mean()
        for noun in nouns:
            first = means[noun].nlargest(count)
            rows.append(
                {"model": model, "noun": noun, "words": ", ".join(first.index), "P": first.iloc[0]}
            )
    return pd.DataFrame(rows)


def subject_chances(tables: Mapping[str, NounTables]) -> pd.DataFrame:
    """How likely a noun of the key is after each singular subject of agreement-controls.

    Returns a table: model, subject (its kind), noun, opener, P (the summed probability of the key's words; of a masked
    model the mean over the words on the right).
    """
    parts = []
    for model, of in tables.items():
        chances = of.key_after.assign(P=np.exp(of.key_after["log_sum"].astype(float)))
        context = ["construction", "noun", "opener"]
        means = chances.groupby(context, sort=False)["P"].mean().reset_index()
        means["subject"] = means["construction"].map(SUBJECTS)
        parts.append(means.assign(model=model)[["model", "subject", "noun", "opener", "P"]])
    return pd.concat(parts, ignore_index=True)


def verdict_table(tables: Mapping[str, NounTables]) -> pd.DataFrame:
    """S7, S7b and what describes them: a row for each and each model, with the variants of another verdict.

    Columns: id, statement, model, rho (with its interval), nouns, verdict, another verdict by. What only describes has
    no verdict.
    """
    table = judged(tables)
    rows = []
    for (_, model), of in table.groupby(["id", "model"], sort=False):
        fixed = of[of["choice"] == AS_FIXED].iloc[0]
        is_judged = fixed["role"] == "judged"
        turned = ~of["verdict"].isin([fixed["verdict"], verdicts.NOT_RUN])
        others = of.loc[turned, "choice"]
        rows.append(
            {
                "id": fixed["id"],
                "statement": fixed["statement"],
                "model": model,
                "rho": in_words(fixed),
                "nouns": fixed["nouns"],
                "verdict": fixed["verdict"] if is_judged else "described",
                "another verdict by": "; ".join(others) if is_judged else "",
            }
        )
    return pd.DataFrame(rows)


def variant_table(tables: Mapping[str, NounTables]) -> pd.DataFrame:
    """S7 and S7b under each variant: choice, then a column for each statement and model, with rho and its interval."""
    table = judged(tables)
    table = table[table["role"] == "judged"]
    table = table.assign(rho=[in_words(row) for _, row in table.iterrows()])
    wide = table.pivot(index="choice", columns=["id", "model"], values="rho")
    ids = list(dict.fromkeys(table["id"]))
    columns = pd.MultiIndex.from_product([ids, list(tables)])
    wide = wide.reindex(list(dict.fromkeys(table["choice"])))[columns]
    return wide.reset_index()


def judged(tables: Mapping[str, NounTables]) -> pd.DataFrame:
    """`tse_book.claims.noun_statements.judge_nouns` of every model, statement by statement, with a column model."""
    parts = [noun_statements.judge_nouns(of).assign(model=model) for model, of in tables.items()]
    table = pd.concat(parts, ignore_index=True)
    order = {statement.id: place for place, statement in enumerate(noun_statements.STATEMENTS)}
    return table.sort_values("id", key=lambda ids: ids.map(order), kind="stable", ignore_index=True)


def in_words(row: pd.Series) -> str:
    """Rho with its interval."""
    if pd.isna(row["value"]):
        return "–"
    if pd.isna(row["low"]):
        text = f"{row['value']:.2f}"
    else:
        text = f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
    return text.replace("-", "−")


def _at_an_end(values: pd.Series) -> np.ndarray:
    """Which value is the lowest and which the highest, of equal ones the first: bool (values,)."""
    return values.index.isin([values.idxmin(), values.idxmax()])
