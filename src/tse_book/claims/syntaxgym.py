"""Checks of SyntaxGym's claims (Gauthier et al. 2020) against the recorded accuracies of Hu et al. 2020."""

from tse_book import published
from tse_book.claims.finding import Finding, check
from tse_core.syntaxgym.library import public_suites


@check
def recorded_models(case) -> Finding:
    named, recorded = published.syntaxgym_models(), set(published.hu2020_suites()["model"])
    count = int(named["recorded_as"].isin(recorded).sum())
    return Finding(count, count == len(named) == case["published"], out_of=len(named))


@check
def suites(case) -> Finding:
    table = public_suites()
    late, not_analysed = (", ".join(table.loc[~table[which], "suite"]) for which in ("in_33", "in_31"))
    analysed = f"Hu et al. analyse {table['in_31'].sum()} (without {not_analysed})"
    note = f"{len(table)} files today ({late} came later); {analysed}"
    return Finding(int(table["in_33"].sum()), table["in_33"].sum() == case["published"], note)


@check
def recorded_accuracy(case) -> Finding:
    table = published.hu2020_suites()
    row = table[(table["model"] == case["recorded_as"]) & (table["suite"] == case["construction"])].iloc[0]
    accuracy, items = float(row["accuracy"]), int(row["items"])
    note = f"{round(accuracy * items)} of {items} items, as recorded"
    return Finding(accuracy, abs(accuracy - case["published"]) <= case["within"], note)


@check
def circuit_means(case) -> Finding:
    table, run = published.hu2020_suites(), ["model", "corpus", "seed"]
    table = table[table["in_31"]].fillna({"corpus": ""})
    means = table.groupby([*run, "circuit"])["accuracy"].mean().unstack()
    means["SG score"] = table.groupby(run)["accuracy"].mean()
    said = (
        published.hu2020_circuits().fillna({"corpus": ""}).pivot_table(index=run, columns="circuit", values="accuracy")
    )
    agree = int(((means - said).abs().max(axis=1) < 2e-6).sum())
    return Finding(agree, agree == len(said) > 0, out_of=len(said))
