"""Pairs of methods on each dataset: who is better, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

from mlsieve.analysis.choices import Choices
from mlsieve.analysis.counted_tables import as_shown
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.stats._lazy import pd
from mlsieve.stats.ranks import paired_differences


@dataclass(frozen=True)
class PairCounts:
    """On how many datasets a method is better than another, by one measure.

    Attributes
    ----------
    first, second, measure : str
    better, same, worse : int
        Of the first method; values are compared as the analysis rounds them and as tables show them.
    twice : int
        On how many its value is better and at least twice the other's, both as tables show them: any value
        above 0 is at least twice 0.
    """

    first: str
    second: str
    measure: str
    better: int
    same: int
    worse: int
    twice: int

    @property
    def datasets(self) -> int:
        """Number of datasets with values of both."""
        return self.better + self.same + self.worse


def pair_values(
    table: PerformanceTable, choices: Choices, measure: str, methods: tuple[str, ...], *, rounded: bool = True
) -> pd.DataFrame:
    """Return datasets by methods for one measure and the first evaluator; NaN where there is no value.

    Parameters
    ----------
    table : PerformanceTable
    choices : Choices
    measure : str
    methods : tuple of str
    rounded : bool
        Whether to round as the analysis says, and then as tables show values.
    """
    columns = [choices.column(name) for name in methods]
    values = table.values(table.evaluators[0], measure, columns, rounded=rounded)
    values.columns = pd.Index(methods)
    return as_shown(values) if rounded else values


def pair_counts(
    table: PerformanceTable, choices: Choices, first: str, second: str, measure: str
) -> PairCounts:
    """Count the datasets on which one method is better than another, by one measure."""
    values = pair_values(table, choices, measure, (first, second))
    return counts_of(values, measure, lower_is_better=table.directions[measure] == "lower")


def counts_of(values: pd.DataFrame, measure: str, *, lower_is_better: bool) -> PairCounts:
    """Count the datasets on which the method of the first column is better than that of the second.

    Parameters
    ----------
    values : DataFrame
        Datasets by two methods, as tables show the values of the measure; rows with NaN do not count.
    measure : str
    lower_is_better : bool
    """
    one, other = values.dropna().to_numpy(float).T
    differences = paired_differences(one, other) * (-1 if lower_is_better else 1)
    twice = (one >= 2 * other * (1 - 1e-12)) & (differences > 0)
    counts = [int(found.sum()) for found in (differences > 0, differences == 0, differences < 0, twice)]
    first, second = map(str, values.columns)
    return PairCounts(first, second, measure, *counts)
