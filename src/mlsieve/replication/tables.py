"""A study's tables as the finders read them, and the result of a finder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.files.csv_tables import BY_DOMAIN, read_text_frame
from mlsieve.published.setting import papers_beside
from mlsieve.study.content import Content
from mlsieve.tables.labels import Label, Labels, labels_of

# Variants of the tests beside "all": each domain counted once, and the paper's data only.
DOMAINS, OWN_DATA = BY_DOMAIN, "without-differing"


@dataclass(frozen=True)
class Places:
    """Rows of a table by question, family, variant, measure and comparison.

    Attributes
    ----------
    table : DataFrame
        Its texts are Python objects: small selections of these are several times faster.
    rows : dict
        Numbers of the rows at each place; an empty measure or comparison is a place with all of them.
    """

    table: pd.DataFrame
    rows: dict[tuple[str, ...], list[int]]


@dataclass(frozen=True)
class StudyTables:
    """The tables of a study.

    Attributes
    ----------
    analysis : Analysis
    performance : DataFrame
        performance.csv.
    tests, ranks, choices, rankings : DataFrame
        tests.csv, average_ranks.csv, choices.csv, rankings.csv.
    datasets, similarity, worked : DataFrame or None
        datasets.csv, similarity.csv and worked.csv, where the study makes them.
    chain_runs, chain_curves, chain_steps : DataFrame or None
        chain_runs.csv, chain_curves.csv and chain_steps.csv of a study of chains.
    """

    analysis: Analysis
    performance: pd.DataFrame
    tests: pd.DataFrame
    ranks: pd.DataFrame
    choices: pd.DataFrame
    rankings: pd.DataFrame
    datasets: pd.DataFrame | None = None
    similarity: pd.DataFrame | None = None
    worked: pd.DataFrame | None = None
    chain_runs: pd.DataFrame | None = None
    chain_curves: pd.DataFrame | None = None
    chain_steps: pd.DataFrame | None = None

    @cached_property
    def tests_by_place(self) -> Places:
        """The rows of tests.csv by question, family, variant, measure and comparison."""
        return _by_place(self.tests)

    @cached_property
    def ranks_by_place(self) -> Places:
        """The rows of average_ranks.csv by question, family, variant, measure and comparison."""
        return _by_place(self.ranks)

    @cached_property
    def values(self) -> PerformanceTable:
        """The values by dataset and method, as the tests compare them."""
        return PerformanceTable(self.performance, self.analysis)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size in use of each label that has sizes, from choices.csv; the only one where it has one."""
        known = {row.label: row.sizes[0] for row in self.values.labels.itertuples() if len(row.sizes) == 1}
        used = self._used("size")
        return known | {
            str(item): int(value) for item, value in zip(used["item"], used["value"], strict=True)
        }

    def column(self, label: str) -> tuple[str, int]:
        """Return (label, size in use): what `PerformanceTable.values` takes."""
        return label, self.sizes.get(label, 0)

    @cached_property
    def labels_of_scores(self) -> list[str]:
        """The label of each score with its ensemble in use, from choices.csv."""
        used = self._used("ensemble")
        names = [
            str(Label("", str(value), item)) for item, value in zip(used["item"], used["value"], strict=True)
        ]
        return [name for name in names if name in self.labels]

    @property
    def labels(self) -> Labels:
        """The labels of the study's rankings by their names."""
        return self.values.by_label

    def _used(self, kind: str) -> pd.DataFrame:
        rows = self.choices[self.choices["kind"] == kind]
        return rows[rows["used"].astype(bool)]

    @cached_property
    def names(self) -> list[str]:
        """Ids of the datasets with values."""
        return sorted(self.performance["dataset"].unique())

    @cached_property
    def labelled_rankings(self) -> pd.DataFrame:
        """rankings.csv with a column ``label``."""
        return self.rankings.assign(label=labels_of(self.rankings))


@dataclass(frozen=True)
class Found:
    """The study's own figure for a printed one.

    Attributes
    ----------
    value : float or str
    of : int or None
        Of how many cases it is a count.
    significant : bool or None
        The verdict of a test, in the direction that was asked for.
    against : bool
        Whether the test is significant in the other direction.
    place : int or None
        Of an average rank: 1 for the best.
    n_datasets : int or None
    out_of_reach : str
        Which of its tests cannot be significant with so few domains, and their least p-value.
    """

    value: float | str
    of: int | None = None
    significant: bool | None = None
    against: bool = False
    place: int | None = None
    n_datasets: int | None = None
    out_of_reach: str = ""


class Absent(Exception):
    """Raised by a finder: the figure is not in the study's tables, for the reason given."""


Finder = Callable[..., Found]
FINDERS: dict[str, Finder] = {}
# Finders that read tests.csv or average_ranks.csv, which have every variant of the datasets.
OF_VARIANTS: set[str] = set()


def finder(*, variants: bool = False) -> Callable[[Finder], Finder]:
    """Register a finder under its name.

    It takes the tables and, by name, the figure's facts; it raises `Absent` if there is none.

    Parameters
    ----------
    variants : bool
        Whether it has a parameter ``variant``, see `mlsieve.analysis.tests.variants`.
    """

    def register(function: Finder) -> Finder:
        FINDERS[function.__name__] = function
        if variants:
            OF_VARIANTS.add(function.__name__)
        return function

    return register


def most_datasets(rows: pd.DataFrame) -> int:
    """Return on how many datasets rows of tests.csv or average_ranks.csv rest, the most of several."""
    return int(rows["n_datasets"].max())


def _by_place(table: pd.DataFrame) -> Places:
    """Return where the rows are: a study's figures ask thousands of times for few of them."""
    texts = [name for name, dtype in table.dtypes.items() if isinstance(dtype, pd.StringDtype)]
    table = table.astype(dict.fromkeys(texts, object))
    names = ["question", "family", "variant", "measure", "comparison"]
    found: dict[tuple[str, ...], list[int]] = {}
    for row, (*place, measure, comparison) in enumerate(zip(*(table[name] for name in names), strict=True)):
        for one in dict.fromkeys((measure, "")):
            for other in dict.fromkeys((comparison, "")):
                found.setdefault((*place, one, other), []).append(row)
    return Places(table, found)


def rows_of(
    places: Places,
    variant: str,
    question: str,
    measure: str = "",
    comparison: str = "",
    family: str = "paper",
) -> pd.DataFrame:
    """Return the rows of tests.csv or average_ranks.csv of a question and variant.

    Parameters
    ----------
    places : Places
        `StudyTables.tests_by_place` or `StudyTables.ranks_by_place`.
    variant, question : str
    measure, comparison : str
        Empty: all of them.
    family : {"paper", "extended"}

    Raises
    ------
    Absent
        If there is none.
    """
    rows = places.rows.get((question, family, variant, measure, comparison))
    if rows is None:
        named = [text for text in (measure, comparison) if text]
        raise Absent(f"the study has no test of {question}" + (f" ({', '.join(named)})" if named else ""))
    return places.table.iloc[rows]


def one_evaluator(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the first evaluator: the papers have one."""
    return table[table["evaluator"] == table["evaluator"].iloc[0]] if len(table) else table


def label_of_score(tables: StudyTables, names: Sequence[str], score: str) -> str:
    """Return the label of a score among some; raises `Absent` if it is missing."""
    found = [name for name in names if tables.labels[name].short == score]
    if not found:
        raise Absent(f"the study has no score {score} in this comparison")
    return found[0]


def read_published(folder: Path, content: Content) -> pd.DataFrame | None:
    """Return published.csv as text; None if no paper has the study's setting.

    Parameters
    ----------
    folder : Path
        results/<study>.
    content : Content
        The study's datasets and methods.
    """
    path = folder / "published.csv"
    if not (papers_beside(content) and path.is_file()):
        return None
    return read_text_frame(path)
