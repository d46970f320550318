"""Wilcoxon's test laid open: each data set's two values, their difference and its signed rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices
from mlsieve.questions.many_labels import ManyLabelsKeys
from mlsieve.questions.table import PerformanceTable
from mlsieve.report.tables import Cell, Column, Row, Table
from mlsieve.stats.effects import oriented_differences
from mlsieve.stats.wilcoxon import WilcoxonResult, signed_ranks, wilcoxon_test


def many_labels_parts(table: PerformanceTable, analysis: Analysis, choices: Choices) -> list[dict[str, Any]]:
    """Return a table of signed ranks for each measure and rival of the paper family, with a text each."""
    present = set(table.labels["label"])
    keys = analysis.of(ManyLabelsKeys)
    rivals = [label for label in keys.many_labels_rivals if label in present]
    if analysis.control not in present or not keys.many_labels:
        return []
    several = len(table.evaluators) > 1
    parts = []
    for rival in rivals:
        for evaluator in table.evaluators:
            for measure in table.measures:
                columns = [choices.column(label) for label in (analysis.control, rival)]
                values = table.values(evaluator, measure, columns)
                values = values[values.index.isin(keys.many_labels)].dropna()
                if len(values) < 2:
                    continue
                values.columns = pd.Index([analysis.control, rival])
                # In the order in which the configuration names them.
                values = values.reindex([name for name in keys.many_labels if name in values.index])
                direction = "lower" if table.directions[measure] == "lower" else "higher"
                made, result = signed_rank_table(values, direction, analysis.zeros)
                place = f"{measure} by {evaluator}" if several else measure
                parts.append(
                    {
                        "title": f"{analysis.control} against {rival}: {place}",
                        "text": _text(result, analysis),
                        "table": made,
                        "folded": True,
                    }
                )
    return parts


def _text(result: WilcoxonResult, analysis: Analysis) -> str:
    total = result.positive + result.negative
    text = (
        f"R+ = {result.positive:g} and R- = {result.negative:g} of {total:g}, p = {result.p_value:.3g} "
        f"(two-sided, {result.n_datasets} data sets). A difference above 0 favours {analysis.control}."
    )
    if analysis.zeros == "split":
        text += " The ranks of differences of zero count half for either side."
    return text


def signed_rank_table(
    values: pd.DataFrame, direction: Any, zeros: Any = "pratt"
) -> tuple[Table, WilcoxonResult]:
    """Return the table of one Wilcoxon test, and the test.

    Parameters
    ----------
    values : DataFrame of float, shape (N, 2)
        Data sets by the two methods, as they are to be ranked; no NaN.
    direction : {"higher", "lower"}
        Which value is better; differences are turned so that above 0 is in favour of the first method.
    zeros : {"pratt", "split", "wilcox"}
        As of `mlsieve.stats.wilcoxon_test`.
    """
    first, second = (values.iloc[:, place].to_numpy(dtype=float) for place in (0, 1))
    differences = oriented_differences(first, second, direction)
    result = wilcoxon_test(differences, zeros)
    ranked = signed_ranks(differences)
    # A zero has a rank, too, though neither sign: of half of it either sum takes part when zeros are split.
    absolute = pd.Series(np.abs(differences)).rank().to_numpy()
    columns = [Column("data set"), *(Column(str(name), True) for name in values.columns)]
    columns += [Column("difference", True), Column("rank", True), Column("signed rank", True)]
    rows = []
    for place, dataset in enumerate(values.index):
        numbers = [f"{first[place]:.3f}", f"{second[place]:.3f}", f"{differences[place]:+.3f}"]
        numbers += [f"{absolute[place]:g}", f"{ranked[place]:+g}" if differences[place] else "0"]
        rows.append(Row((Cell(str(dataset)), *(Cell(number, "n") for number in numbers))))
    return Table(tuple(columns), tuple(rows)), result
