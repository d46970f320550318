"""`mlsieve.compare`: methods compared over datasets, from any table of results."""

from __future__ import annotations

import html
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlsieve.comparison.enough import require_comparable
from mlsieve.comparison.leaderboard import about_intervals, as_text, leaderboard
from mlsieve.comparison.one_dataset import in_whole_repeats
from mlsieve.comparison.options import Options
from mlsieve.comparison.overview import overview_sentence
from mlsieve.comparison.run import Tables, tables_of
from mlsieve.comparison.table.layout import Results, results_of
from mlsieve.comparison.table.reading import Sheet, read_sheet_of, sheet_of_frame
from mlsieve.comparison.words import sentences_of
from mlsieve.errors import DataNotice, InvalidSetting, composed, did_you_mean, number_of, printable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from mlsieve.data.readers.delimited import TableFormat
    from mlsieve.plots.drawing.critical_difference import Panel


class MethodComparison:
    """Methods compared over datasets; what `compare` returns.

    Attributes
    ----------
    tests : DataFrame
        One row per test; columns as those of a study's tests.csv (docs/statistics.md).
    average_ranks : DataFrame
        One row per measure and method; columns as those of average_ranks.csv.
    effects : DataFrame
        One row per pair of methods: wins, ties, losses, mean difference, Hodges-Lehmann estimate of the
        difference with its 95 % interval, rank-biserial correlation, and Wilcoxon's test with its p-value
        adjusted over the pairs (Benjamini and Hochberg). Positive numbers favour the first method.
    means : DataFrame
        One row per measure and method: its mean, and on how many datasets it is best.
    notes : list of str
        What was found out about the table, and what was assumed.
    results : Results
        The table, one observation a row.
    options : Options
    """

    def __init__(self, results: Results, tables: Tables, options: Options) -> None:
        self.results, self.options = results, options
        self.tests, self.average_ranks = tables.tests, tables.average_ranks
        self.effects, self.means = tables.effects, tables.means
        self.notes = [*results.notes, *tables.notes]
        self._tables = tables

    @property
    def tables(self) -> Tables:
        """All tables of the comparison."""
        return self._tables

    @property
    def bayes(self) -> pd.DataFrame:
        """One row per pair of methods: posterior probabilities of the Bayesian signed-rank test.

        They are the probabilities that the first is better, that both are practically equivalent, and that
        the second is better. They are computed when they are first asked for.
        """
        return self._tables.bayes

    @property
    def measures(self) -> list[str]:
        """The measures, in the order of the table."""
        return list(self.results.measures)

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the table."""
        return list(self.results.methods)

    @property
    def directions(self) -> dict[str, str]:
        """Whether a higher or a lower value is better, by measure."""
        return dict(self._tables.directions)

    @property
    def left_out(self) -> dict[str, list[str]]:
        """Datasets that lack a value of a method, by measure."""
        return {measure: list(names) for measure, names in self._tables.left_out.items()}

    def leaderboard(self, measure: str | None = None) -> pd.DataFrame:
        """Return the methods by their average ranks, the best first.

        Parameters
        ----------
        measure : str, optional
            Default: the first measure.

        Returns
        -------
        DataFrame
            One row a method; see `mlsieve.comparison.leaderboard.leaderboard`.
        """
        return leaderboard(self._tables, self._measure(measure))

    def sentences(self, measure: str | None = None) -> list[str]:
        """Return the answer by one measure in sentences.

        Parameters
        ----------
        measure : str, optional
            Default: the first measure.
        """
        return sentences_of(self._tables, self._measure(measure), self.options.significance)

    def summary(self) -> str:
        """Return the leaderboard and the answer by each measure as text."""
        parts = list(filter(None, [overview_sentence(self._tables)]))
        for measure in self.measures:
            lower = self.directions[measure] == "lower"
            better = "lower is better; positive differences, too" if lower else "higher is better"
            head = printable(f"{measure} ({better})")
            board = self.leaderboard(measure)
            lines = [head, "", as_text(board), *filter(None, [about_intervals(board)])]
            lines += ["", *map(printable, self.sentences(measure))]
            parts.append("\n".join(lines))
        return "\n\n\n".join(parts)

    def plot(self, measure: str | None = None, ax: Axes | None = None, variant: str = "all") -> Axes:
        """Draw the critical-difference diagram of one measure.

        Parameters
        ----------
        measure : str, optional
            Default: the first measure.
        ax : Axes, optional
        variant : {"all", "one-per-domain"}
            With each dataset by itself, or with each family counted once.

        Returns
        -------
        Axes
        """
        from mlsieve.plots import plot_critical_difference

        name = self._measure(measure)
        return plot_critical_difference(self.average_ranks, ax=ax, title=name, measure=name, variant=variant)

    def panel(self, measure: str, variant: str = "all") -> Panel:
        """Return what the critical-difference diagram of a measure shows."""
        from mlsieve.plots.methods.rank_diagrams import panel_of

        ranks = self.average_ranks
        return panel_of(ranks[(ranks["measure"] == measure) & (ranks["variant"] == variant)], measure)

    def plot_bayes(self, first: str, second: str, measure: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the posterior probabilities of two methods as one bar of three parts.

        Parameters
        ----------
        first, second : str
            Methods of a pair in `bayes`, in any order.
        measure : str, optional
            Default: the first measure.
        ax : Axes, optional

        Returns
        -------
        Axes
        """
        from mlsieve.comparison.plots import plot_posterior

        return plot_posterior(self.bayes, first, second, self._measure(measure), ax)

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> list[str]:
        """Write tables, diagrams, report.html and the texts for a paper into a folder.

        Parameters
        ----------
        folder : path-like
        overwrite : bool
            Whether to write over files that mlsieve is not known to have written.

        Returns
        -------
        list of str
            The files, relative to the folder.
        """
        from mlsieve.comparison.saving import save

        return save(self, folder, overwrite=overwrite)

    def __repr__(self) -> str:
        sizes = (
            number_of(len(self.methods), "method"),
            number_of(len(self.results.datasets), "dataset"),
            number_of(len(self.measures), "measure"),
        )
        return f"<comparison of {', '.join(sizes)}>\n\n{self.summary()}"

    def _repr_html_(self) -> str:
        parts = []
        for measure in self.measures:
            board = self.leaderboard(measure)
            table = board.to_html(index=False, float_format=lambda value: f"{value:.4g}")
            text = " ".join([*filter(None, [about_intervals(board)]), *self.sentences(measure)])
            head = html.escape(f"{measure} ({self.directions[measure]} is better)")
            parts.append(f"<h4>{head}</h4>{table}<p>{html.escape(text)}</p>")
        return "\n".join(parts)

    def _measure(self, measure: str | None) -> str:
        if measure is None:
            return self.measures[0]
        if measure not in self.measures:
            raise InvalidSetting(
                f"the table has no measure '{measure}'", hint=did_you_mean(measure, self.measures)
            )
        return measure


def compare(
    frame: pd.DataFrame | str | os.PathLike[str],
    reference: str | None = None,
    *,
    lower_is_better: bool = False,
    higher_is_better: bool = False,
    directions: Mapping[str, str] | None = None,
    family: str | None = None,
    repeats: str | None = None,
    dataset: str | None = None,
    method: str | None = None,
    measure: str | None = None,
    value: str | None = None,
    transposed: bool | None = None,
    methods: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    form: TableFormat | None = None,
    **options: Any,
) -> MethodComparison:
    """Compare methods over datasets, from a table of results of any methods on any data.

    Parameters
    ----------
    frame : DataFrame or path-like
        Long: one observation a row, with columns of datasets, methods and values, and maybe of measures and
        repeats. Wide: one row a dataset and one column a method; the names of the datasets are the index or
        the first column. A table of Polars or PyArrow is as good as one of pandas. A file may be CSV, Excel,
        Parquet or Feather.
    reference : str, optional
        A method with which alone all others are compared (the Bonferroni-Dunn test in place of Nemenyi's).
    lower_is_better, higher_is_better : bool
        Which values are better by the measures whose names mlsieve does not know; of a table with a single
        measure, by this one. A table whose measure has no known name needs one of them.
    directions : mapping of str to {"higher", "lower"}, optional
        The better direction of measures.
    family : str, optional
        Column with the family of each dataset. Every test is repeated with one value for each family.
    repeats : str, optional
        Column that numbers the repeats (folds, seeds). Their mean counts; on a single dataset, the corrected
        resampled test compares the methods over them if they are folds, or `test_per_train` is given.
    dataset, method, measure, value : str, optional
        Names of the columns, where they are not called so.
    transposed : bool, optional
        Whether the rows of a wide table are the methods. By default, the name of the first column says so,
        or the names in the table; the rows of a data frame whose index has no name are datasets.
    methods, measures : sequence of str, optional
        Those to compare; default: all. Of a table that does not name its measure, the name of it.
    form : TableFormat, optional
        How a file of text is written, and which sheet of a workbook is read.
    **options
        Further fields of `mlsieve.comparison.options.Options`: significance, rounding, rope, test_per_train,
        friedman, zeros, draws, seed, prior.

    Returns
    -------
    MethodComparison
        With tables as DataFrames, `plot`, and `save`.

    Raises
    ------
    UserError
        If the table cannot be read as one of results, or an option does not fit it.

    Warns
    -----
    DataNotice
        Of rows and columns that are left out, and of what is assumed.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlsieve import compare
    >>> table = pd.DataFrame({"old": [0.5, 0.6, 0.7], "new": [0.6, 0.8, 0.9]}, index=["a", "b", "c"])
    >>> compare(table, lower_is_better=True).leaderboard()["method"].tolist()
    ['old', 'new']

    References
    ----------
    Demsar (2006), JMLR 7, for Friedman's and Nemenyi's tests, the Bonferroni-Dunn test and the diagrams;
    Benavoli, Corani, Demsar and Zaffalon (2017), JMLR 18(77), for the Bayesian signed-rank test.
    """
    unknown = [name for name in options if name not in Options.__dataclass_fields__]
    if unknown:
        raise InvalidSetting(
            f"compare has no option '{unknown[0]}'",
            hint=did_you_mean(unknown[0], list(Options.__dataclass_fields__)),
        )
    chosen = Options(
        reference=None if reference is None else composed(str(reference)).replace(";", ","),
        lower_is_better=lower_is_better,
        higher_is_better=higher_is_better,
        directions={composed(str(name)): way for name, way in (directions or {}).items()},
        **options,
    )
    columns = {
        "dataset": dataset,
        "method": method,
        "measure": measure,
        "value": value,
        "repeats": repeats,
        "family": family,
    }
    given = {role: None if name is None else composed(str(name)) for role, name in columns.items()}
    results = results_of(
        _sheet(frame, form),
        given,
        transposed=transposed,
        methods=_names("methods", methods),
        measures=_names("measures", measures),
    )
    require_comparable(results, chosen)
    if len(results.datasets) == 1:
        results = in_whole_repeats(results)
    found = MethodComparison(results, tables_of(results, chosen), chosen)
    for note in found.notes:
        warnings.warn(DataNotice(note, file=results.path or None), stacklevel=2)
    return found


def _sheet(frame: Any, form: TableFormat | None) -> Sheet:
    if isinstance(frame, str | os.PathLike):
        return read_sheet_of(frame, form)
    import pandas as pd

    from mlsieve.data.frames import as_pandas

    frame = as_pandas(frame)
    if not isinstance(frame, pd.DataFrame):
        raise InvalidSetting(
            f"compare takes a DataFrame or the path of a file, not a {type(frame).__name__}",
            hint="give e.g. pandas.DataFrame(values, index=datasets, columns=methods)",
        )
    return sheet_of_frame(frame, form)


def _names(option: str, given: Any) -> list[str] | None:
    """Return names that a user gives as texts; None where all count."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidSetting(f"{option} must be a list of names, got {given!r}", hint=f"give [{given!r}]")
    return [composed(str(name)) for name in given]
