"""The first iterations of the selectors on one data set, from worked.csv."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlsieve.report.tables import Column, plain_table

NAMES = {"scls": "SCLS", "ami": "AMI, mean", "ami-printed": "AMI as printed"}


def worked_parts(worked: pd.DataFrame, dataset: str) -> list[dict[str, Any]]:
    """Return a table for each selector, with what stands above it; none for an empty table.

    Parameters
    ----------
    worked : DataFrame
        worked.csv, as ``mlsieve worked-example`` writes it.
    dataset : str
        On which data set.
    """
    columns = [Column("iteration", True), Column("feature (from 1)"), Column("H(f)", True)]
    columns += [Column("relevance", True), Column("redundancy", True), Column("J(f)", True)]
    columns += [Column("selected")]
    parts: list[dict[str, Any]] = []
    for selector, group in worked.groupby("selector", sort=False):
        rows, marks = [], []
        for row in group.to_dict("records"):
            selected = int(row["selected"]) == 1
            numbers = [f"{row[name]:.4f}" for name in ("entropy", "relevance", "redundancy")]
            criterion = "" if pd.isna(row["criterion"]) else f"{row['criterion']:.4f}"
            feature = f"f{int(row['feature']) + 1} ({row['name']})"
            rows.append((int(row["iteration"]), feature, *numbers, criterion, "yes" if selected else ""))
            marks.append(selected)
        parts.append(
            {
                "title": f"{NAMES.get(str(selector), str(selector))}: the first iterations on {dataset}",
                "text": "On all rows, in bits. Relevance is the sum of the mutual information with the "
                "labels, redundancy that with the features selected before. A feature that was selected "
                "before has no J(f).",
                "table": plain_table(columns, rows, marked=marks),
                "folded": bool(parts),
            }
        )
    return parts
