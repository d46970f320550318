"""The first iterations of the selectors on one data set, from worked.csv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mlsieve.report.published import published_values
from mlsieve.report.tables import Column, plain_table

NAMES = {"scls": "SCLS", "ami": "AMI, mean", "ami-printed": "AMI as printed"}


def worked_parts(worked: pd.DataFrame, dataset: str) -> list[dict[str, Any]]:
    """Return a table for each selector, with what stands above it; none for an empty table.

    Parameters
    ----------
    worked : DataFrame
        worked.csv, as ``mlsieve worked-example`` writes it.
    dataset : str
        On which data set. Where a paper prints numbers of it, they stand beside these.
    """
    printed = _printed(dataset)
    columns = [Column("iteration", True), Column("feature (from 1)"), Column("H(f)", True)]
    columns += [Column("published", True)] if printed else []
    columns += [Column("relevance", True), Column("redundancy", True), Column("J(f)", True)]
    columns += [Column("published", True), Column("difference", True)] if printed else []
    columns += [Column("selected")]
    text = (
        "On all rows, in bits. Relevance is the sum of the mutual information with the labels, redundancy "
        "that with the features selected before. A feature that was selected before has no J(f)."
    )
    parts: list[dict[str, Any]] = []
    for selector, group in worked.groupby("selector", sort=False):
        rows, marks = [], []
        for row in group.to_dict("records"):
            rows.append(_row(row, printed))
            marks.append(int(row["selected"]) == 1)
        parts.append(
            {
                "title": f"{NAMES.get(str(selector), str(selector))}: the first iterations on {dataset}",
                "text": text,
                "table": plain_table(columns, rows, marked=marks),
                "folded": bool(parts),
            }
        )
    return parts


def _printed(dataset: str) -> Mapping[str, Any] | None:
    """Return what a paper prints of the first iterations on a data set; None where none does."""
    examples = (known.get("worked_example") for known in published_values().values())
    return next((found for found in examples if found and found["dataset"] == dataset), None)


def _row(row: Mapping[str, Any], printed: Mapping[str, Any] | None) -> tuple[Any, ...]:
    feature, criterion = int(row["feature"]), float(row["criterion"])
    name = f"f{feature + 1} ({row['name']})"
    entropy, relevance, redundancy = (
        f"{float(row[key]):.4f}" for key in ("entropy", "relevance", "redundancy")
    )
    own = "" if pd.isna(criterion) else f"{criterion:.4f}"
    selected = "yes" if int(row["selected"]) == 1 else ""
    if printed is None:
        return int(row["iteration"]), name, entropy, relevance, redundancy, own, selected
    of_entropy = printed["entropy"].get(feature)
    known = printed["criterion"].get(int(row["iteration"]), {}).get(row["selector"], {}).get(feature)
    beside = ("", "") if known is None else (f"{known:.3f}", f"{criterion - known:+.4f}")
    shown = "" if of_entropy is None else f"{of_entropy:.3f}"
    return int(row["iteration"]), name, entropy, shown, relevance, redundancy, own, *beside, selected
