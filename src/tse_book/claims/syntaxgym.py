"""Checks of SyntaxGym's claims (Gauthier et al. 2020) against the recorded accuracies of Hu et al. 2020."""

from tse_book import published
from tse_book.claims.finding import Finding, check


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
