"""The tables that a question's section of the report reads, and the content of the section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from mlsieve.analysis.counted_tables import CountedTable
from mlsieve.analysis.findings import Finding
from mlsieve.analysis.ranking_costs import Cost, ranking_costs, sizes_of
from mlsieve.analysis.settings import Analysis
from mlsieve.stats._lazy import pd
from mlsieve.tables.labels import Labels


@dataclass(frozen=True)
class Printed:
    """The values of the study that papers print.

    Attributes
    ----------
    cells : DataFrame
        Columns measure, dataset, method, printed and difference (of the study's value from the printed one).
    columns : DataFrame or None
        published_columns.csv, where the study makes it.
    remark : str
        A remark on the printed columns.
    worked : callable
        Function of a dataset that returns the printed numbers of its worked example: by column and feature
        (from 1), and by column, feature, selector and iteration.
    """

    cells: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(
            columns=["measure", "dataset", "method", "printed", "difference"]
        )
    )
    columns: pd.DataFrame | None = None
    remark: str = ""
    worked: Callable[[str], Mapping[tuple[str, ...], str]] = lambda dataset: {}


@dataclass(frozen=True)
class SectionTables:
    """A study's tables as the section of a question reads them.

    Attributes
    ----------
    folder : Path
        results/<study>.
    read : callable
        Function of the name of one of the study's tables that returns it; None where it is missing.
    analysis : Analysis
    tests, ranks, used, rankings : DataFrame
        tests.csv, average_ranks.csv, the rows of choices.csv that are in use, and rankings.csv.
    timings : list of dict
        Rows of timings.csv.
    labels : Labels
        Of the study's rankings.
    own : mapping of str to CountedTable
        The tables that the question made itself, by name.
    worked : DataFrame or None
        worked.csv, where the study has a worked example and its dataset.
    printed : Printed
    """

    folder: Path
    read: Callable[[str], pd.DataFrame | None]
    analysis: Analysis
    tests: pd.DataFrame
    ranks: pd.DataFrame
    used: pd.DataFrame
    rankings: pd.DataFrame
    timings: list[dict[str, str]]
    labels: Labels
    own: Mapping[str, CountedTable] = field(default_factory=dict)
    worked: pd.DataFrame | None = None
    printed: Printed = field(default_factory=Printed)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size in use of each label that has sizes."""
        return sizes_of(self.used)

    @cached_property
    def costs(self) -> dict[str, Cost]:
        """The cost of each ranking, by its label."""
        return ranking_costs(self.timings, self.sizes)


@dataclass(frozen=True)
class Section:
    """The beginning of a question's section, before its figures and the tables of its tests.

    Attributes
    ----------
    findings : list of Finding
        In addition to those in findings.json.
    notes : list of str
        Why something is not shown, in addition to the notes in findings.json.
    tables : list of CountedTable
    overview : list of CountedTable
        Tables at the top of the page.
    """

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: list[CountedTable] = field(default_factory=list)
    overview: list[CountedTable] = field(default_factory=list)
