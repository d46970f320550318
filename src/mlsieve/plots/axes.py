"""Single figures for scripts and notebooks, as functions that return matplotlib's Axes.

The drawing code is that of a study's figures. Without `ax` a function makes a figure with pyplot, which a
notebook shows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mlsieve.analysis.performance import DEFAULTS, NEEDED, read_performance
from mlsieve.errors import InvalidSetting, did_you_mean, shortened, spelled_out
from mlsieve.files.csv_tables import read_frame
from mlsieve.plots.drawing.critical_difference import Frame, Panel, draw_panel
from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.drawing.panels import few_ticks
from mlsieve.plots.drawing.style import ACCENT, FAINT, INK, SMALL, styled, text_size
from mlsieve.plots.ensembles.saturation import (
    curve_styles,
    draw_curves,
    legend_lines,
    level_styles,
    performance_of,
    size_places,
)
from mlsieve.plots.methods.rank_diagrams import panel_of
from mlsieve.rankings.files import Ranking

# Columns in which the diagrams of average_ranks.csv differ.
_DIAGRAM = ("question", "family", "comparison", "variant", "evaluator", "measure", "test")


def plot_ranking(ranking: Any, top: int = 30, ax: Axes | None = None) -> Axes:
    """Draw the scores of the best features as bars, the best at the top.

    Parameters
    ----------
    ranking : Ranking, fitted estimator, DataFrame or path-like
        A ranking; an estimator with ``ranking_frame`` or ``feature_importances_``; a frame with the columns
        feature and score, best first, as `ranking_frame` returns it; or a file that ``mlsieve rank`` wrote.
        Selected features are coloured, and the others grey.
    top : int, default 30
        Number of features that are shown at most, at least 1.
    ax : Axes, optional
        On low ones fewer features are shown: those whose names have room below each other.

    Returns
    -------
    Axes

    Raises
    ------
    InvalidSetting
        A ValueError, if `ranking` is something else, or `top` is less than 1.
    """
    shown = _ranking_of(ranking)
    if isinstance(top, bool) or not isinstance(top, int | np.integer) or top < 1:
        raise InvalidSetting(f"top must be a whole number of at least 1, got {top!r}", hint="give e.g. 30")
    rows = shown.frame().head(int(top) if ax is None else min(int(top), _rows_on(ax)))
    names = [shortened(spelled_out(str(name)), 40) for name in rows["feature"]]
    with styled():
        if ax is None:
            width = 3.2 + max(text_size(name, SMALL)[0] for name in names)
            ax = _new_axes(width, 0.7 + 0.2 * len(names))
        colours = [ACCENT if chosen else FAINT for chosen in rows.get("selected", [True] * len(rows))]
        ax.barh(np.arange(len(rows)), rows["score"], color=colours, height=0.7, linewidth=0)
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_yticks(np.arange(len(rows)), names)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_xlim(ax.get_xlim())
        few_ticks(ax, "x")
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("score")
        ax.set_title(spelled_out(shown.name), fontweight="bold")
        _open_frame(ax)
    return ax


def plot_saturation(
    performance: pd.DataFrame | str | os.PathLike[str],
    measure: str | None = None,
    evaluator: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a measure against the size of each method, such as its number of trees.

    The curves are means over the datasets that have all values. Methods without a size are horizontal lines.

    Parameters
    ----------
    performance : DataFrame or path-like
        A study's performance.csv, or a table with at least the columns method, size and value. Without the
        column dataset, all rows are of one dataset; without measure, of one measure.
    measure : str, optional
        Default: the first measure of the table.
    evaluator : str, optional
        Default: the first evaluator of the table.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InvalidSetting
        A ValueError, if a column is missing, no method has two sizes, there is no such measure or evaluator,
        or no dataset has a value for every method and size.
    UserError
        If the file is not such a table.
    """
    frame = _performance(performance)
    measure = _one_of("measure", frame["measure"], measure)
    evaluator = _one_of("evaluator", frame["evaluator"], evaluator)
    frame = frame[(frame["measure"] == measure) & (frame["evaluator"] == evaluator)]
    material = Material(frame, pd.DataFrame(columns=["measure"]), pd.DataFrame())
    table = performance_of(material)
    sizes = {} if table is None else dict(zip(table.labels["label"], table.labels["sizes"], strict=True))
    if table is None or not any(len(own) > 1 for own in sizes.values()):
        raise InvalidSetting(
            "no method has two sizes", hint="give a table of several sizes, such as 10 and 50 trees"
        )
    sized = table.labels[table.labels["sizes"].map(len) > 0]
    levels = [label for label, own in sizes.items() if not own]
    columns = [(row.label, size) for row in sized.itertuples() for size in row.sizes]
    drawn = table.measures[0]
    values = table.values(evaluator, drawn, [*columns, *((label, 0) for label in levels)]).dropna()
    if values.empty:
        raise InvalidSetting(
            "no dataset has a value for every method and size", hint="leave out what is missing"
        )
    means = values.mean()
    curves = {
        row.label: pd.Series({n: means[(row.label, n)] for n in row.sizes}) for row in sized.itertuples()
    }
    looks = Looks(table.by_label)
    styles = curve_styles(sized["label"], looks)
    flat, places = level_styles(levels, looks), size_places(sized)
    of_trees = all(table.by_label[label].of_trees for label in sized["label"])
    per_cent = all(table.by_label[label].in_per_cent for label in sized["label"])
    unit = "number of trees" if of_trees else "per cent of the examples" if per_cent else "size"
    with styled():
        ax = _new_axes(4.6 + max(text_size(label, SMALL)[0] for label in sizes), 2.9) if ax is None else ax
        draw_curves(
            ax, curves, styles, {label: float(means[(label, 0)]) for label in levels}, flat, places, unit
        )
        ax.set_title(material.directed(drawn), fontweight="bold")
        handles = legend_lines({**styles, **flat})
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False)
        _open_frame(ax)
    return ax


def plot_critical_difference(
    ranks: Any,
    critical_distance: float | None = None,
    *,
    reference: str | None = None,
    best: Literal["right", "left"] = "right",
    title: str = "",
    ax: Axes | None = None,
    **which: str,
) -> Axes:
    """Draw average ranks, joined by a bar where a post-hoc test finds no significant difference.

    Parameters
    ----------
    ranks : Series or mapping of str to float, DataFrame or path-like
        Average ranks by method, 1 the best; or average_ranks.csv of a study, whose critical distance and
        reference method are used. Of a frame of values, one row a dataset and one column a method, the ranks
        are ``mlsieve.stats.rank_methods(values).mean()``.
    critical_distance : float, optional
        For ranks by method: Nemenyi's, or Bonferroni-Dunn's with a reference method. None (or NaN) if
        Friedman's test is not significant: one bar joins all methods.
    reference : str, optional
        For ranks by method: the reference method, with which alone the others are compared.
    best : {"right", "left"}
        The side of rank 1.
    title : str
        Default for a study's table: the measure.
    ax : Axes, optional
        It should be wide enough for the labels, which keep their size.
    **which : str
        For a study's table: the values of its columns that select one diagram, such as
        ``question="ensemble", measure="f1"``. The default of ``variant`` is "all".

    Returns
    -------
    Axes

    Raises
    ------
    InvalidSetting
        A ValueError, if no diagram or several are selected, or the table or an argument does not fit.
    UserError
        If the file is not a table.
    """
    if isinstance(ranks, str | os.PathLike):
        ranks = read_frame(ranks)
    if isinstance(ranks, pd.DataFrame):
        if critical_distance is not None or reference is not None:
            raise InvalidSetting(
                "critical_distance and reference are columns of the table",
                hint="give them with a Series of ranks",
            )
        rows = _one_diagram(ranks, which)
        measure = str(rows["measure"].iloc[0]) if "measure" in rows else ""
        panel = panel_of(rows, title or measure)
    else:
        if which:
            raise InvalidSetting(
                f"{next(iter(which))} selects rows of a table", hint="give average_ranks.csv"
            )
        values = pd.Series(dict(ranks) if isinstance(ranks, Mapping) else ranks, dtype=float)
        if values.empty or values.isna().any():
            raise InvalidSetting("average ranks must be numbers", hint="give a rank for each method")
        if reference is not None and reference not in values.index:
            raise InvalidSetting(
                f"reference method '{reference}' has no rank",
                hint=did_you_mean(reference, list(map(str, values.index))),
            )
        panel = Panel(values, critical_distance, reference, title)
    frame = Frame.around([panel])
    with styled():
        if ax is None:
            ax = _new_axes(frame.width, frame.height, whole=True)
        draw_panel(ax, panel, frame, best)
    return ax


def _new_axes(width: float, height: float, *, whole: bool = False) -> Axes:
    """Return the axes of a new figure of pyplot, sizes in inches; `whole`: without margins."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(width, height), layout=None if whole else "constrained")
    return figure.add_axes((0, 0, 1, 1)) if whole else figure.add_subplot()


def _rows_on(ax: Axes) -> int:
    """Return how many names have room below each other on axes, at least 1."""
    height = ax.get_window_extent().height / ax.figure.dpi
    return max(1, int(height / (1.2 * text_size("Ag|", SMALL)[1])))


def _open_frame(ax: Axes) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _ranking_of(given: Any) -> Ranking:
    if isinstance(given, Ranking):
        return given
    if isinstance(given, str | os.PathLike):
        return Ranking.from_csv(given)
    if isinstance(given, pd.DataFrame):
        missing = [name for name in ("feature", "score") if name not in given.columns]
        if missing:
            raise InvalidSetting(
                f"the frame has no column '{missing[0]}'", hint="give what ranking_frame() returns"
            )
        rows = given.sort_values("rank", kind="stable") if "rank" in given.columns else given
        selected = int(rows["selected"].astype(bool).sum()) if "selected" in rows else None
        names = tuple(map(str, rows["feature"]))
        return Ranking(
            rows["score"].to_numpy(float), names, n_selected=selected, search_order=np.arange(len(rows))
        )
    if hasattr(given, "ranking_frame"):
        return given.ranking()
    if hasattr(given, "feature_importances_"):
        scores = np.asarray(given.feature_importances_, dtype=np.float64)
        called = getattr(given, "feature_names_in_", [f"x{place}" for place in range(len(scores))])
        return Ranking(scores, tuple(map(str, called)), name=type(given).__name__)
    raise InvalidSetting(
        f"{type(given).__name__} is not a ranking",
        hint="give a Ranking, a fitted ranker or selector, a frame with feature and score, or a file",
    )


def _performance(given: pd.DataFrame | str | os.PathLike[str]) -> pd.DataFrame:
    """Return a table of performance with all columns of a study's."""
    if not isinstance(given, pd.DataFrame):
        return read_performance(given)
    frame = given.copy()
    defaults: dict[str, Any] = DEFAULTS | {"dataset": "", "measure": "value"}
    for name in {*NEEDED, "size"} - {"dataset", "measure"}:
        if name not in frame.columns:
            raise InvalidSetting(
                f"the table has no column '{name}'", hint="needed are method, size and value"
            )
    for name, default in defaults.items():
        frame[name] = frame[name].fillna(default) if name in frame.columns else default
    return frame


def _one_of(column: str, values: pd.Series, wanted: str | None) -> str:
    present = list(dict.fromkeys(map(str, values)))
    if not present:
        raise InvalidSetting("the table has no rows", hint="give one value per row")
    if wanted is not None and wanted not in present:
        raise InvalidSetting(f"the table has no {column} '{wanted}'", hint=did_you_mean(wanted, present))
    return present[0] if wanted is None else wanted


def _one_diagram(ranks: pd.DataFrame, which: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows of one diagram of a table of average ranks."""
    missing = [name for name in ("method", "rank", *which) if name not in ranks.columns]
    if missing[:2] == ["method", "rank"]:
        raise InvalidSetting(
            "the table has no columns 'method' and 'rank'",
            hint="give average_ranks.csv of a study, or a Series of average ranks by method: of a frame of"
            " values by method, mlsieve.stats.rank_methods(values).mean()",
        )
    if missing:
        raise InvalidSetting(
            f"the table has no column '{missing[0]}'",
            hint=did_you_mean(missing[0], list(map(str, ranks.columns))),
        )
    rows = ranks[ranks["rank"].notna()]
    if "variant" in rows.columns and (rows["variant"] == "all").any():
        which = {"variant": "all", **which}
    for name, value in which.items():
        present = list(dict.fromkeys(map(str, rows[name])))
        if str(value) not in present:
            raise InvalidSetting(f"no ranks with {name} = '{value}'", hint=did_you_mean(str(value), present))
        rows = rows[rows[name].astype(str) == str(value)]
    for name in _DIAGRAM:
        values = list(dict.fromkeys(map(str, rows[name]))) if name in rows.columns else []
        if len(values) > 1:
            raise InvalidSetting(
                f"the table has several diagrams, whose {name} differs",
                hint=f"give {name}=... as one of {', '.join(values[:12])}",
            )
    return rows
