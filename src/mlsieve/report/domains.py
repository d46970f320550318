"""How many verdicts hold when each domain counts once, as a table of the report."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.report.tables import Column, Table, plain_table

_KINDS = {"main": "tests", "pairs": "pairs of methods"}
TEXT = (
    "Tests take datasets for independent observations, which datasets of one domain (from one collection, "
    "or about the same objects) are not. Each count is therefore given with each dataset by itself and with "
    "each domain counted once, beside the verdicts that this loses and gains. Where so few domains are left "
    "that no p-value can reach the level, tests are called out of reach, not decided. Pairs of methods are "
    "tested where Friedman's test is significant. The permutation test takes one mean rank of each domain."
)
UNRELATED = "No two datasets of this study belong to one domain, so that each counts by itself."


def count_table(counts: pd.DataFrame, titles: dict[str, str], questions: dict[str, str]) -> Table | None:
    """Return a row for each question, method group and kind of test; None where no datasets are related.

    Parameters
    ----------
    counts : DataFrame
        verdict_counts.csv.
    titles : dict of str to str
        What the method groups are called.
    questions : dict of str to str
        What the questions are called.
    """
    if counts.empty or not (counts["most_domains"] > 0).any():
        return None
    columns = [Column("question"), Column("methods"), Column("what is tested"), Column("tests", True)]
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
