"""How many tests stay significant when each domain of related datasets counts once, as a table."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.report.tables import Column, Table, plain_table

_KINDS = {"main": "tests", "pairs": "pairs of methods"}
TEXT = (
    "The tests assume that datasets are independent, but datasets of one domain (from one collection, or "
    "about the same objects) are not. The table therefore counts the significant tests with each dataset by "
    "itself and with each domain counted once. A test is lost if it is significant only with each dataset "
    "by itself, and gained if only with each domain once; a test that is significant in the other direction "
    "counts as both. With too few domains, no p-value can reach the significance level: such tests are out "
    "of reach, and remain undecided. Pairs of methods are tested where Friedman's test is significant. The "
    "permutation test uses one mean rank for each domain."
)
UNRELATED = "No two datasets of this study belong to the same domain, so each of them counts by itself."


def count_table(counts: pd.DataFrame, titles: dict[str, str], questions: dict[str, str]) -> Table | None:
    """Return a row for each question, method group and kind of test; None where no datasets are related.

    Parameters
    ----------
    counts : DataFrame
        verdict_counts.csv.
    titles : dict of str to str
        Names of the method groups.
    questions : dict of str to str
        Names of the questions.
    """
    if counts.empty or not (counts["most_domains"] > 0).any():
        return None
    columns = [Column("question"), Column("methods"), Column("tested"), Column("tests", True)]
    columns += [Column("significant, each dataset by itself", True), Column("domains", True)]
    columns += [Column("significant, each domain once", True), Column("lost", True), Column("gained", True)]
    columns += [Column("by the permutation test", True), Column("out of reach", True)]
    rows = []
    for row in counts.to_dict("records"):
        low, high = int(row["least_domains"]), int(row["most_domains"])
        related, within = high > 0, int(row["tests"]) - int(row["out_of_reach"])
        reachable = related and within > 0
        once: list[Any] = [f"{row['by_domain']} of {within}", row["lost"], row["gained"]]
        out = f"{row['out_of_reach']} (p at least {row['least_p_value']:.3g})" if row["out_of_reach"] else "0"
        rows.append(
            (
                questions.get(row["question"], row["question"]),
                titles.get(row["family"], row["family"]),
                _KINDS[row["kind"]],
                row["tests"],
                row["significant"],
                "" if not related else str(low) if low == high else f"{low} to {high}",
                *(once if reachable else ["", "", ""]),
                row["by_permutation"] if reachable and row["kind"] == "main" else "",
                out if related else "",
            )
        )
    return plain_table(columns, rows)
