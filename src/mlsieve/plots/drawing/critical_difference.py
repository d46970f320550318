"""Critical-distance diagrams after Demsar, laid out so that labels never meet each other or a bar.

The labels form two columns beside the axis, one row each, joined to their ranks by elbow lines; bars lie
between the axis and the first row. All lengths are inches, and room for the text is measured before anything
is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlsieve.analysis.sentences.wording import joined, listed
from mlsieve.errors import spelled_out
from mlsieve.plots.drawing.style import CONTROL, FAINT, INK, SMALL, styled, text_size
from mlsieve.stats.posthoc import groups_within

ROW, BAR_ROW, PAD, TICK = 0.2, 0.11, 0.12, 0.06
LABEL_GAP = 0.05
WIDEST = 12.4  # of a figure: a page of 1280 pixels shows it as large as it is


@dataclass(frozen=True)
class Panel:
    """One diagram.

    Attributes
    ----------
    ranks : Series of float
        Average rank by method.
    critical_distance : float or None
        None or NaN if Friedman's test is not significant: one bar over all methods.
    reference : str or None
        The reference method: compare with it only (Bonferroni-Dunn) instead of all pairs (Nemenyi).
    title : str
    note : str
        Text above the axis, shown where there is no critical distance.
    interval : {"around", "from-best"}
        With a reference method: a bar of one distance to both sides of it, or of one distance from the
        best method.
    """

    ranks: pd.Series
    critical_distance: float | None = None
    reference: str | None = None
    title: str = ""
    note: str = "Friedman's test is not significant"
    interval: Literal["around", "from-best"] = "around"
    ordered: pd.Series = field(init=False)

    def __post_init__(self) -> None:
        """Sort the methods, the best first."""
        object.__setattr__(self, "ordered", self.ranks.astype(float).sort_values(kind="stable"))

    @property
    def has_distance(self) -> bool:
        """Whether there is a critical distance."""
        return self.critical_distance is not None and not math.isnan(self.critical_distance)

    def seen(self) -> str:
        """Return the average ranks in words, the best first, and which methods do not differ."""
        ranks = joined(f"{name} {rank:.2f}" for name, rank in self.ordered.items())
        said = f"{self.title}: {ranks}." if self.title else f"{ranks}."
        if not self.has_distance or self.reference is not None:
            return said
        groups = [
            listed(group) for group in groups_within(self.ordered, float(self.critical_distance or 0.0))
        ]
        bars = [f"A bar joins {group}." for group in groups]
        return " ".join([said, *bars])

    def bars(self) -> list[tuple[float, float]]:
        """Return the bars as (lower, higher) rank, best first."""
        low, high = float(self.ordered.iloc[0]), float(self.ordered.iloc[-1])
        if not self.has_distance:
            return [(low, high)]
        distance = float(self.critical_distance or 0.0)
        if self.reference is not None:
            centre = float(self.ordered[self.reference])
            start, stop = (
                (low, low + distance)
                if self.interval == "from-best"
                else (centre - distance, centre + distance)
            )
            return [(max(1.0, start), min(float(len(self.ordered)), stop))]
        return [
            (float(self.ordered[group[0]]), float(self.ordered[group[-1]]))
            for group in groups_within(self.ordered, distance)
        ]


def without_distance(panels: Sequence[Panel], by: str) -> str:
    """Return for which panels Friedman's test is not significant, in words; empty where there are none.

    A figure leaves these panels out: their one bar over all methods would show nothing.

    Parameters
    ----------
    panels : sequence of Panel
    by : str
        What precedes the panels' titles: ``By``, if these are measures.
    """
    titles = [panel.title for panel in panels if not panel.has_distance]
    if not titles:
        return ""
    return (
        f"{by} {listed(titles)}, Friedman's test is not significant, so there is no diagram. This is not "
        "evidence of equal performance."
    )


def bar_rows(bars: Sequence[tuple[float, float]], margin: float) -> list[int]:
    """Return the row of each bar, so that bars of one row are more than `margin` (in ranks) apart."""
    ends: list[float] = []
    rows = []
    for low, high in bars:
        row = next((row for row, end in enumerate(ends) if low > end + margin), len(ends))
        if row == len(ends):
            ends.append(high)
        ends[row] = high
        rows.append(row)
    return rows


@dataclass(frozen=True)
class Frame:
    """Space that panels of one figure share, in inches."""

    axis: float
    label: float
    title: float
    bars: int
    rows: int
    n_ranks: int

    @classmethod
    def around(cls, panels: Sequence[Panel]) -> Frame:
        """Return room enough for every panel."""
        most = max(len(panel.ordered) for panel in panels)
        axis = max(1.9, 0.36 * (most - 1))
        labels = [text_size(_label(name, rank), SMALL)[0] for p in panels for name, rank in p.ordered.items()]
        margin = 0.12 * (most - 1) / axis
        bars = max(max(bar_rows(panel.bars(), margin), default=-1) + 1 for panel in panels)
        title = 1.15 * max(text_size(panel.title)[0] for panel in panels)  # bold
        note = max(text_size(_headline(panel), SMALL)[0] for panel in panels)
        label = max(max(labels) + LABEL_GAP + 0.12, (max(title, note) - axis) / 2 + 0.02)
        return cls(axis, label, 0.24 if title else 0.0, bars, math.ceil(most / 2), most)

    @property
    def width(self) -> float:
        """Width of a panel."""
        return self.axis + 2 * self.label + 2 * PAD

    @property
    def height(self) -> float:
        """Height of a panel."""
        return self.axis_height + self.above

    @property
    def axis_height(self) -> float:
        """Height of the axis line above the panel's lower edge."""
        return 1.5 * PAD + self.rows * ROW + self.bars * BAR_ROW + 0.16

    @property
    def above(self) -> float:
        """Room above the axis: tick labels, the distance, the title."""
        return 0.24 + 0.28 + self.title


def _label(name: str, rank: float) -> str:
    return f"{spelled_out(name)}  {rank:.2f}"


def _headline(panel: Panel) -> str:
    return f"critical distance {panel.critical_distance:.2f}" if panel.has_distance else panel.note


def critical_difference_diagram(
    average_ranks: pd.Series,
    critical_distance: float | None = None,
    *,
    reference: str | None = None,
    best: Literal["right", "left"] = "right",
    title: str = "",
    interval: Literal["around", "from-best"] = "around",
) -> Figure:
    """Draw the average ranks of several methods, joined where a post-hoc test is not significant.

    Parameters
    ----------
    average_ranks : Series of float
        By method, 1 is best.
    critical_distance : float, optional
        Nemenyi's, or Bonferroni-Dunn's with a reference method. None (or NaN) if Friedman's test is not
        significant: one bar joins all methods.
    reference : str, optional
        A method of `average_ranks`; the bar then shows which methods do not differ significantly from it.
    best : {"right", "left"}
        The side of rank 1.
    title : str
    interval : {"around", "from-best"}
        Place of the bar in a diagram with a reference method.

    Returns
    -------
    matplotlib Figure

    References
    ----------
    Demsar (2006), JMLR 7, figure 1.
    """
    panel = Panel(average_ranks, critical_distance, reference, title, interval=interval)
    return critical_difference_panels([panel], best=best, columns=1)


def critical_difference_panels(
    panels: Sequence[Panel], *, best: Literal["right", "left"] = "right", columns: int | None = None
) -> Figure:
    """Draw several diagrams of one scale as small multiples.

    Parameters
    ----------
    panels : sequence of Panel
        At least one.
    best : {"right", "left"}
    columns : int, optional
        Default: as many as fit `WIDEST`, at most 3.
    """
    frame = Frame.around(panels)
    if columns is None:
        columns = max(1, min(3, len(panels), int(WIDEST / frame.width)))
    rows = math.ceil(len(panels) / columns)
    width, height = columns * frame.width, rows * frame.height
    with styled():
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        for position, panel in enumerate(panels):
            row, column = divmod(position, columns)
            place = (
                column * frame.width / width,
                1 - (row + 1) * frame.height / height,
                frame.width / width,
                frame.height / height,
            )
            axes = figure.add_axes(place)
            draw_panel(axes, panel, frame, best)
    return figure


def draw_panel(axes: Axes, panel: Panel, frame: Frame, best: str) -> None:
    """Draw one diagram; a unit of the axes is an inch of the frame."""
    axes.set(xlim=(0, frame.width), ylim=(0, frame.height))
    axes.axis("off")
    left = frame.label + PAD
    top = frame.axis_height
    n_ranks = len(panel.ordered)

    def across(rank: float) -> float:
        share = (rank - 1) / max(n_ranks - 1, 1)
        return left + frame.axis * (1 - share if best == "right" else share)

    axes.plot([left, left + frame.axis], [top, top], color=INK, linewidth=1.0, solid_capstyle="butt")
    for rank in range(1, n_ranks + 1):
        axes.plot([across(rank)] * 2, [top, top + TICK], color=INK, linewidth=1.0)
        axes.text(across(rank), top + TICK + 0.03, str(rank), ha="center", va="bottom", fontsize=SMALL)
    middle = left + frame.axis / 2
    if panel.title:
        axes.text(middle, frame.height - 0.05, panel.title, ha="center", va="top", fontweight="bold")
    _draw_distance(axes, panel, frame, across, top + 0.28, middle)
    _draw_bars(axes, panel, frame, across, top)
    _draw_labels(axes, panel, frame, across, top, best)


def _draw_distance(axes: Axes, panel: Panel, frame: Frame, across, height: float, middle: float) -> None:
    axes.text(middle, height + 0.06, _headline(panel), ha="center", va="bottom", fontsize=SMALL, color=INK)
    if not panel.has_distance:
        return
    length = frame.axis * float(panel.critical_distance or 0.0) / max(len(panel.ordered) - 1, 1)
    # A distance longer than the axis still has to stay inside its panel.
    half = min(length, frame.width - 2 * PAD) / 2
    axes.plot(
        [middle - half, middle + half], [height, height], color=INK, linewidth=1.2, solid_capstyle="butt"
    )
    for end in (middle - half, middle + half):
        axes.plot([end, end], [height - 0.025, height + 0.025], color=INK, linewidth=1.2)


def _draw_bars(axes: Axes, panel: Panel, frame: Frame, across, top: float) -> None:
    bars = panel.bars()
    rows = bar_rows(bars, 0.12 * (frame.n_ranks - 1) / frame.axis)
    # A group's bar reaches a little beyond its members; a reference method's ends exactly at the distance.
    overhang = 0.0 if panel.reference and panel.has_distance else 0.03
    for (low, high), row in zip(bars, rows, strict=True):
        start, stop = sorted((across(low), across(high)))
        height = top - 0.09 - row * BAR_ROW
        axes.plot(
            [start - overhang, stop + overhang],
            [height, height],
            color=CONTROL if panel.reference else INK,
            linewidth=3.2,
            solid_capstyle="butt",
            zorder=3,
            gid="bar",
        )


def _draw_labels(axes: Axes, panel: Panel, frame: Frame, across, top: float, best: str) -> None:
    names = list(panel.ordered.index)
    n_best = math.ceil(len(names) / 2)
    first_row = top - 0.16 - frame.bars * BAR_ROW - ROW / 2
    # On either side the outermost method comes first, so that no elbow crosses another.
    for side, members in (("best", names[:n_best]), ("worst", names[n_best:][::-1])):
        on_right = (side == "best") == (best == "right")
        edge = frame.label + PAD + (frame.axis + 0.12 if on_right else -0.12)
        for row, name in enumerate(members):
            x, y = across(float(panel.ordered[name])), first_row - row * ROW
            colour = CONTROL if name == panel.reference else INK
            axes.plot(
                [x, x, edge], [top, y, y], color=colour if name == panel.reference else FAINT, linewidth=0.8
            )
            axes.text(
                edge + (LABEL_GAP if on_right else -LABEL_GAP),
                y,
                _label(str(name), float(panel.ordered[name])),
                ha="left" if on_right else "right",
                va="center",
                fontsize=SMALL,
                color=colour,
                gid="label",
            )
