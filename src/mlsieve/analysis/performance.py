"""A study's long table of performance as datasets by methods, one measure at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from mlsieve.analysis.settings import Analysis
from mlsieve.errors import UserError, did_you_mean
from mlsieve.files.csv_tables import PERFORMANCE, read_text_frame
from mlsieve.registry import entries
from mlsieve.stats._lazy import pd
from mlsieve.stats.ranks import round_values
from mlsieve.tables.labels import labels_in, labels_of

NEEDED = ("dataset", "method", "measure", "value")
DEFAULTS = {
    "split": "",
    "ensemble": "",
    "score": "",
    "size": 0,
    "repeat": 0,
    "evaluator": "",
    "definition": "",
    "features": 0,
}
# Columns that the rows of one evaluation share, whatever number of features they used.
_EVALUATION = ["dataset", "split", "repeat", "method", "ensemble", "score", "size", "evaluator"]


def read_performance(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table of performance; only ``dataset``, ``method``, ``measure`` and ``value`` are needed.

    Parameters
    ----------
    path : path-like
        CSV with one observation a row. Missing columns of a study's table are filled in.

    Returns
    -------
    DataFrame
        With all of `PERFORMANCE`; text columns hold no NaN, ``value`` is float64 (NaN allowed), ``size`` and
        ``features`` int.

    Raises
    ------
    UserError
        If the file is missing or not such a table; with the line of a value that is not a number.
    """
    table = read_text_frame(path, missing="check the path", damaged="give a table with a header")
    missing = [name for name in NEEDED if name not in table.columns]
    if missing:
        raise UserError(
            f"has no column {', '.join(map(repr, missing))}",
            file=path,
            line=1,
            hint="needed are " + ", ".join(NEEDED) + "; one observation a row",
        )
    for name, default in DEFAULTS.items():
        if name not in table.columns:
            table[name] = str(default)
    for name in ("value", "size", "features"):
        text = table[name].str.strip()
        numbers = pd.to_numeric(text, errors="coerce")
        empty = text.str.lower().isin(["", "nan", "na"])
        wrong = numbers.isna() & ~empty
        if wrong.any():
            position = int(wrong.to_numpy().argmax())
            raise UserError(
                f"{name} {text.iloc[position]!r} is not a number",
                file=path,
                line=position + 2,
                hint="correct it",
            )
        table[name] = numbers.astype(float)
    for name in ("size", "features"):
        table[name] = table[name].fillna(0).astype(int)
    return table[list(PERFORMANCE)]


def at_full_size(performance: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of each evaluation that used the most features, which tests and tables compare.

    The others are points of curves. Tables without a column ``features`` are returned as they are.

    Parameters
    ----------
    performance : DataFrame
        Columns as `PERFORMANCE`.
    """
    if "features" not in performance or performance["features"].nunique() < 2:
        return performance
    present = [name for name in _EVALUATION if name in performance]
    most = performance.groupby(present, dropna=False)["features"].transform("max")
    return performance[performance["features"] == most]


class PerformanceTable:
    """Values by (dataset, method label, size) for each measure and evaluator, rounded as the analysis says.

    Of evaluations at several numbers of features, the table has that with the most (`at_full_size`). Repeats
    of a split are averaged before rounding. A method's label is ``ensemble/score`` where it has both, else
    its id (with the ensemble or the score after a slash); `mlsieve.tables.labels.label_records` describes
    when its name comes first.

    Parameters
    ----------
    performance : DataFrame
        Columns as `PERFORMANCE`; the optional ones may be missing.
    analysis : Analysis
    rankings : DataFrame, optional
        rankings.csv.

    Attributes
    ----------
    performance : DataFrame
        All measures at full size, including those that the analysis does not test.
    rankings : DataFrame or None
    measures : list of str
    evaluators : list of str
    directions : dict of str to {"higher", "lower"}
    labels : DataFrame
        One row per label: label, method, ensemble, score, sizes (tuple of int, without 0).
    by_label : Labels
        The labels by their names.
    """

    def __init__(
        self, performance: pd.DataFrame, analysis: Analysis, rankings: pd.DataFrame | None = None
    ) -> None:
        frame = at_full_size(performance).copy()
        self.rankings = rankings
        for name, default in DEFAULTS.items():
            if name not in frame.columns:
                frame[name] = default
        for name in ("dataset", "split", "method", "ensemble", "score", "evaluator", "measure", "definition"):
            frame[name] = frame[name].astype(object).where(frame[name].notna(), "").astype(str)
        frame["size"] = frame["size"].fillna(0).astype(int)
        self.performance = frame.copy(deep=False)
        frame["measure"] = self._measure_names(frame, analysis.definition)
        self.measures = self._wanted(list(dict.fromkeys(frame["measure"])), analysis.measures)
        frame = frame[frame["measure"].isin(self.measures)]
        frame["label"] = labels_of(frame)
        self.evaluators = sorted(frame["evaluator"].unique())
        self.directions = {measure: direction_of(measure, analysis) for measure in self.measures}
        cells = frame.groupby(["evaluator", "measure", "dataset", "label", "size"], sort=True)["value"]
        # A NaN in one repeat makes the mean NaN, so that it does not disappear in the average.
        means = cells.mean().mask(cells.count() < cells.size())
        self.exact = means
        self.rounded = pd.Series(round_values(means, **(analysis.rounding or {})), index=means.index)
        self.labels = self._describe(frame)
        self.by_label = labels_in(frame)
        self._wide: dict[tuple[str, str, bool], tuple[pd.Index, dict[tuple[str, int], int], np.ndarray]] = {}

    @staticmethod
    def _measure_names(frame: pd.DataFrame, definition: str | None) -> pd.Series:
        # Datasets of several kinds may each have a definition; methods are ranked within a dataset.
        counts = frame.groupby(["measure", "dataset"])["definition"].transform("nunique")
        several = counts.groupby(frame["measure"]).transform("max") > 1
        if not several.any():
            return frame["measure"]
        if definition is not None:
            other = several & (frame["definition"] != definition)
            return frame["measure"].mask(other, "")
        return frame["measure"].mask(several, frame["measure"] + " [" + frame["definition"] + "]")

    @staticmethod
    def _wanted(present: list[str], wanted: Sequence[str] | None) -> list[str]:
        present = [name for name in present if name]
        if wanted is None:
            known = entries("measure")
            counts = [name for name in present if name in known and known[name].facts.accompanies]
            return sorted(set(present).difference(counts))
        chosen = []
        for name in wanted:
            found = [measure for measure in present if measure == name or measure.startswith(f"{name} [")]
            if not found:
                raise UserError(f"the table has no measure '{name}'", hint=did_you_mean(name, present))
            chosen.extend(found)
        return list(dict.fromkeys(chosen))

    @staticmethod
    def _describe(frame: pd.DataFrame) -> pd.DataFrame:
        rows = []
        for (label, method, ensemble, score), part in frame.groupby(["label", "method", "ensemble", "score"]):
            sizes = tuple(sorted(size for size in part["size"].unique().tolist() if size > 0))
            rows.append((label, method, ensemble, score, sizes))
        return pd.DataFrame(rows, columns=["label", "method", "ensemble", "score", "sizes"])

    def pairs(self) -> pd.DataFrame:
        """Return the rows of `labels` of tree ensembles: one for each pair of an ensemble and a score.

        Their labels are ``random-forest/genie3``, for example.
        """
        return self.labels[(self.labels["ensemble"] != "") & (self.labels["score"] != "")]

    def singles(self) -> list[str]:
        """Return the labels of all methods but `pairs`: Relief, selectors, baselines and chains."""
        return self.labels.loc[~self.labels["label"].isin(self.pairs()["label"]), "label"].tolist()

    def companions(self) -> list[str]:
        """Return the `singles` that a test over all datasets can include without losing any of them.

        A method that needs certain datasets (its registered fact ``needs``) is left out where it lacks one.
        """
        known = entries("ranker")
        return [
            label
            for label in self.singles()
            if not (label in known and known[label].facts.needs) or self._everywhere(label)
        ]

    def _everywhere(self, label: str) -> bool:
        datasets = self.exact.index.get_level_values("dataset")
        own = datasets[self.exact.index.get_level_values("label") == label]
        return own.nunique() == datasets.nunique()

    def values(
        self, evaluator: str, measure: str, columns: Sequence[tuple[str, int]], *, rounded: bool = True
    ) -> pd.DataFrame:
        """Return datasets by (label, size) for one measure; cells that are not in the table are NaN.

        Parameters
        ----------
        evaluator, measure : str
            Of `evaluators` and `measures`.
        columns : sequence of (label, size)
        rounded : bool
            Whether to round as the analysis says.
        """
        key = (evaluator, measure, rounded)
        if key not in self._wide:
            source = self.rounded if rounded else self.exact
            present = (evaluator, measure) in source.index
            wide = source.loc[(evaluator, measure) if present else slice(0, 0)]
            wide = wide.unstack(["label", "size"]).astype(float) if present else pd.DataFrame(dtype=float)
            places = {column: position for position, column in enumerate(wide.columns)}
            self._wide[key] = (
                wide.index,
                places,
                np.column_stack([wide.to_numpy(), np.full(len(wide), np.nan)]),
            )
        index, places, numbers = self._wide[key]
        taken = numbers[:, [places.get(column, -1) for column in columns]]
        return pd.DataFrame(taken, index=index, columns=pd.Index(list(columns), tupleize_cols=False))


def direction_of(measure: str, analysis: Analysis) -> str:
    """Return whether a "higher" or a "lower" value of a measure is better.

    Raises
    ------
    UserError
        If neither the analysis nor the registry says so.
    """
    base = measure.split(" [")[0]
    for name in (measure, base):
        if name in analysis.directions:
            return analysis.directions[name]
    known = entries("measure")
    if base in known:
        return str(known[base].facts.direction)
    raise UserError(
        f"it is not known whether higher or lower values of '{measure}' are better",
        hint=f"say --higher {base} or --lower {base} (in a configuration: analysis.directions)",
    )
