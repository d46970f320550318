"""Wilcoxon's test in detail: each dataset's two values, their difference and its signed rank."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences.wording import p_value
from mlsieve.analysis.settings import Analysis
from mlsieve.errors import number_of
from mlsieve.stats._lazy import pd
from mlsieve.stats.effects import oriented_differences
from mlsieve.stats.wilcoxon import WilcoxonResult, signed_ranks, wilcoxon_test


def signed_rank_tables(
    table: PerformanceTable,
    analysis: Analysis,
    choices: Choices,
    rivals: Sequence[str],
    datasets: Sequence[str],
) -> list[CountedTable]:
    """Return the signed ranks of the reference method against each rival: a table per measure and evaluator.

    Parameters
    ----------
    table : PerformanceTable
    analysis : Analysis
    choices : Choices
    rivals : sequence of str
        Labels.
    datasets : sequence of str
        Those to compare on, in the order of the rows.
    """
    several = len(table.evaluators) > 1
    made = []
    for rival, evaluator, measure in itertools.product(rivals, table.evaluators, table.measures):
        columns = [choices.column(label) for label in (analysis.reference_method, rival)]
        values = table.values(evaluator, measure, columns).dropna()
        values = values.reindex([name for name in datasets if name in values.index])
        if len(values) < 2:
            continue
        values.columns = pd.Index([analysis.reference_method, rival])
        direction = "lower" if table.directions[measure] == "lower" else "higher"
        rows, result = signed_rank_rows(values, direction, analysis.zeros)
        place = f"{measure} by {evaluator}" if several else measure
        made.append(
            CountedTable(
                f"signed-ranks {rival} {place}",
                f"{analysis.reference_method} against {rival}: {place}",
                _text(result, analysis),
                ("dataset", analysis.reference_method, rival, "difference", "rank", "signed rank"),
                tuple(rows),
                numbers=(1, 2, 3, 4, 5),
                folded=True,
            )
        )
    return made


def _text(result: WilcoxonResult, analysis: Analysis) -> str:
    total = result.positive + result.negative
    text = (
        f"R+ is {result.positive:g} and R- is {result.negative:g} of {total:g}; {p_value(result.p_value)} "
        f"(two-sided, {number_of(result.n_datasets, 'dataset')}). "
        f"A difference above 0 favours {analysis.reference_method}."
    )
    if analysis.zeros == "split":
        text += " The ranks of zero differences count half for each side."
    return text


def signed_rank_rows(
    values: pd.DataFrame, direction: Any, zeros: Any = "pratt"
) -> tuple[list[tuple[str, ...]], WilcoxonResult]:
    """Return the rows of the table of one Wilcoxon test, and the test.

    Parameters
    ----------
    values : DataFrame of float, shape (N, 2)
        Datasets by the two methods, as they are to be ranked; no NaN.
    direction : {"higher", "lower"}
        Which value is better; differences above 0 are in favour of the first method.
    zeros : {"pratt", "split", "wilcox"}
        As of `mlsieve.stats.wilcoxon_test`.
    """
    first, second = (values.iloc[:, place].to_numpy(dtype=float) for place in (0, 1))
    differences = oriented_differences(first, second, direction)
    result = wilcoxon_test(differences, zeros, None)
    ranked = signed_ranks(differences, None)
    # A zero has a rank but no sign: when zeros are split, half of the rank counts in each sum.
    absolute = pd.Series(np.abs(differences)).rank().to_numpy()
    rows: list[tuple[str, ...]] = [
        (
            str(dataset),
            *(f"{first[place]:.3f}", f"{second[place]:.3f}", f"{differences[place]:+.3f}"),
            *(f"{absolute[place]:g}", f"{ranked[place]:+g}" if differences[place] else "0"),
        )
        for place, dataset in enumerate(values.index)
    ]
    return rows, result
