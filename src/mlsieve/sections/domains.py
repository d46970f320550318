"""How many tests stay significant when each domain of related datasets counts once, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.sentences.wording import methods_of
from mlsieve.analysis.settings import Analysis

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
_COLUMNS = (
    "question",
    "methods",
    "tested",
    "tests",
    "significant, each dataset by itself",
    "domains",
    "significant, each domain once",
    "lost",
    "gained",
    "by the permutation test",
    "out of reach",
)


def domain_table(
    counts: pd.DataFrame, analysis: Analysis, questions: Mapping[str, str]
) -> CountedTable | None:
    """Return a row for each question, method group and kind of test; None where no datasets are related.

    Parameters
    ----------
    counts : DataFrame
        verdict_counts.csv.
    analysis : Analysis
    questions : mapping of str to str
        Short titles of the questions.
    """
    if counts.empty or not (counts["most_domains"] > 0).any():
        return None
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
                methods_of(row["family"], analysis),
                _KINDS[row["kind"]],
                row["tests"],
                row["significant"],
                "" if not related else str(low) if low == high else f"{low} to {high}",
                *(once if reachable else ["", "", ""]),
                row["by_permutation"] if reachable and row["kind"] == "main" else "",
                out if related else "",
            )
        )
    return CountedTable(
        name="domains",
        title="Domains of related datasets",
        text=TEXT,
        columns=_COLUMNS,
        rows=tuple(rows),
        numbers=tuple(range(3, len(_COLUMNS))),
    )
