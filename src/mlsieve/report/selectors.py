"""What the report shows of the questions about selectors, from the study's tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from mlsieve.published import paper_of
from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices
from mlsieve.questions.selection import SelectionKeys
from mlsieve.questions.table import PerformanceTable
from mlsieve.report.conclusion import conclusion_parts
from mlsieve.report.files import read_frame
from mlsieve.report.published import column_parts
from mlsieve.report.selection import f_table, selection_parts
from mlsieve.report.signed_ranks import many_labels_parts
from mlsieve.report.worked import worked_parts
from mlsieve.study import Study

WORKED = "worked.csv"


def selector_parts(
    study: Study,
    folder: Path,
    answered: Mapping[str, Any],
    performance: pd.DataFrame,
    tests: pd.DataFrame,
    ranks: pd.DataFrame,
    published: pd.DataFrame | None = None,
    columns: pd.DataFrame | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """Return what stands before the figures of each question about selectors that the study asks.

    Parameters
    ----------
    study : Study
    folder : Path
        Its tables; worked.csv is read where the analysis has a worked example and the file is there.
    answered : mapping
        findings.json: ``analysis`` and ``questions``.
    performance, tests, ranks : DataFrame
        performance.csv, tests.csv and average_ranks.csv.
    published, columns : DataFrame or None
        published.csv (as text) and published_columns.csv, where the study makes them.

    Returns
    -------
    dict of str to list
        Parts (title, text, table, folded) by question.
    """
    asked = {item["question"] for item in answered["questions"]}
    if not asked & {"selection", "many-labels", "conclusion"}:
        return {}
    analysis = Analysis.from_mapping(answered["analysis"])
    table = PerformanceTable(performance, analysis)
    choices = Choices(table, analysis)
    found: dict[str, list[dict[str, Any]]] = {}
    if "selection" in asked:
        found["selection"] = selection_parts(table, analysis, performance, ranks, published)
        if columns is not None:
            paper = paper_of(study.content.name)
            remark = str((paper.cells or {}).get("remark", "")).strip() if paper else ""
            found["selection"] = [*column_parts(columns, remark), *found["selection"]]
        values = f_table(tests, analysis)
        if values is not None:
            text = "F is that of Iman and Davenport; highlighted where it exceeds its critical value."
            found["selection"].append(
                {"title": "F against its critical value", "text": text, "table": values}
            )
        example, path = analysis.of(SelectionKeys).worked_example, folder / WORKED
        if example is not None and path.is_file():
            found["selection"] += worked_parts(read_frame(path), example.dataset)
    if "many-labels" in asked:
        found["many-labels"] = many_labels_parts(table, analysis, choices)
    if "conclusion" in asked:
        found["conclusion"] = conclusion_parts(table, analysis, choices, tests, ranks)
    return found
