"""Heat maps of the steps of a chain: accuracy and positive labels, and the progress on each dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from mlsieve.analysis.chains.remarks import cut_chains, label_counts
from mlsieve.analysis.chains.steps import settings_of
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks
from mlsieve.plots.drawing.style import SMALL, styled, text_size
from mlsieve.questions.chains.chain_sequence import QUESTION, ChainSequenceKeys
from mlsieve.registry import register

COLOURS = "viridis"  # light is more; its lightness rises evenly, so it is readable without colours
MAP, BAR, GAP = 3.1, 0.14, 0.1  # inches
ROW, LEAST, MOST = 0.2, 1.6, 4.2
NO_COLUMN = ("", "")  # between two methods
_TITLES = {"accuracy": "accuracy of the step", "positives": "positive labels so far"}


@register.figure(QUESTION)
def sequences(material: Material) -> dict[str, Drawing]:
    """Heat maps of the steps on some datasets, and the progress of one chain on all."""
    if material.chain_steps is None:
        return {}
    settings, steps = material.analysis.of(ChainSequenceKeys), settings_of(material.chain_steps)
    drawings = {}
    present = list(dict.fromkeys(steps["dataset"]))
    wanted = [name for name in settings.sequence_datasets if name in present] or present[:2]
    for dataset in wanted:
        own = steps[(steps["dataset"] == dataset) & steps["method"].isin(settings.label_test_methods)]
        own = own[own["setting"] != ""]
        if own.empty:
            continue
        drawings[f"chain-steps_{dataset}"] = Drawing(
            step_figure(own, settings.label_test_methods),
            f"{dataset}: what each step of a dynamic chain sets",
            "A row is a step of the chain, the first one at the top. A column is the share sigma of the "
            "label tests that are active, for each share of label tests in the trees. Left: how many of "
            "the labels of the step are right. Right: the mean number of labels that are set positive up "
            "to the step.",
            QUESTION,
        )
    own = steps[(steps["method"] == settings.progress_method) & (steps["setting"] == "")]
    if len(own):
        text = (
            "A row is a round of the chain, the first one at the top. The left half of a bar shows the "
            "share of all positive labels of the whole chain that are set up to this round, the right "
            "half that of all negative labels."
        )
        if own[["positive_share", "negative_share"]].isna().any(axis=None):
            text += " A half is white where the chain sets no such label."
        cut = cut_chains(own.groupby("dataset", sort=False)["step"].max(), label_counts(material.described))
        text += f" {cut}" if cut else ""
        title = f"Progress of {settings.progress_method}"
        drawings["chain-progress"] = Drawing(progress_figure(own), title, text, QUESTION)
    return drawings


def step_figure(steps: pd.DataFrame, methods: Mapping[str, str]) -> Figure:
    """Draw one dataset: both maps have a row for each step and a column for each method and setting.

    Parameters
    ----------
    steps : DataFrame
        Of one dataset, as `mlsieve.analysis.chains.steps.settings_of` returns it.
    methods : mapping of str to str
        The words for each method, in the order of the columns.
    """
    present = [name for name in methods if name in set(steps["method"])]
    columns: list[tuple[str, str]] = []
    for name in present:
        columns += [NO_COLUMN] if columns else []
        settings = set(steps.loc[steps["method"] == name, "setting"])
        columns += [(name, setting) for setting in sorted(settings, key=float)]
    n_steps = int(steps["step"].max())
    height = min(max(ROW * n_steps, LEAST), MOST)
    left = text_size(str(n_steps), SMALL)[0] + 0.42
    panel = left + MAP + GAP + BAR + 0.5
    size = (2 * panel + 0.1, height + 0.95)
    with styled():
        figure = Figure(figsize=size)
        FigureCanvasAgg(figure)
        for place, (column, title) in enumerate(_TITLES.items()):
            wide = steps.pivot(index="step", columns=["method", "setting"], values=column)
            axis = _axes(figure, place * panel + left, 0.62, MAP, height)
            bar = _axes(figure, place * panel + left + MAP + GAP, 0.62, BAR, height)
            values = wide.reindex(columns=pd.MultiIndex.from_tuples(columns)).to_numpy(dtype=float)
            image = axis.imshow(values, cmap=COLOURS, aspect="auto", interpolation="nearest", gid=column)
            axis.grid(visible=False)
            axis.set_title(title, fontweight="bold", pad=5)
            _step_ticks(axis, n_steps)
            _setting_ticks(axis, columns, methods)
            _colour_bar(figure, image, bar)
    return figure


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    whole = figure.get_size_inches()
    return figure.add_axes((left / whole[0], bottom / whole[1], width / whole[0], height / whole[1]))


def _step_ticks(axis: Axes, n_steps: int) -> None:
    """Number the rows from 1: the first, the last, and round numbers between them."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if n_steps / step <= 9)
    shown = [1, *range(step if step > 1 else 2, n_steps + 1, step)]
    if n_steps - shown[-1] >= step:
        shown.append(n_steps)
    axis.set_yticks([number - 1 for number in shown], [str(number) for number in shown])
    axis.set_ylabel("step", labelpad=2)
    axis.tick_params(length=2, axis="y", left=True)


def _setting_ticks(axis: Axes, columns: list[tuple[str, str]], methods: Mapping[str, str]) -> None:
    """Show sigma below some columns, and below these the name of each method."""
    figure = axis.get_figure(root=True)
    assert figure is not None
    high = axis.get_position().height * figure.get_figheight()
    shown: list[int] = []
    for name in dict.fromkeys(name for name, _ in columns if name):
        places = [place for place, column in enumerate(columns) if column[0] == name]
        middle = [places[len(places) // 2]] if len(places) * MAP / len(columns) > 0.75 else []
        shown += dict.fromkeys([places[0], *middle, places[-1]])
        axis.text(
            (places[0] + places[-1]) / 2,
            -0.25 / high,
            methods[name],
            transform=axis.get_xaxis_transform(),
            ha="center",
            va="top",
            fontsize=SMALL,
        )
    axis.set_xticks(shown, [columns[place][1] for place in shown])
    axis.tick_params(length=2, axis="x", bottom=True)
    axis.set_xlabel("sigma, and label tests in the trees", labelpad=16)


def _colour_bar(figure: Figure, image: Any, bar: Axes) -> None:
    scale = figure.colorbar(image, cax=bar)
    scale.outline.set_visible(False)
    few_ticks(bar, "y")
    bar.tick_params(length=2)


PROGRESS_WIDTH, PROGRESS_HEIGHT = 0.62, 2.5


def progress_figure(steps: pd.DataFrame) -> Figure:
    """Draw a bar for each dataset: positive labels on the left, negative ones on the right, rounds downwards.

    Parameters
    ----------
    steps : DataFrame
        Of one method, as `mlsieve.analysis.chains.steps.settings_of` returns it.
    """
    sets = list(dict.fromkeys(steps["dataset"]))
    left = text_size("100", SMALL)[0] + 0.16
    panel = max(left + PROGRESS_WIDTH + 0.1, max(text_size(name, SMALL)[0] for name in sets) * 1.12 + 0.12)
    across = min(len(sets), max(1, int(8.7 / panel)))
    rows = -(-len(sets) // across)
    tall = PROGRESS_HEIGHT + 0.62
    size = (0.22 + across * panel + 0.75, rows * tall)
    colours = Normalize(0, 1)
    with styled():
        figure = Figure(figsize=size)
        FigureCanvasAgg(figure)
        for place, name in enumerate(sets):
            row, column = divmod(place, across)
            own = steps[steps["dataset"] == name].sort_values("step")
            bottom = (rows - 1 - row) * tall + 0.3
            axis = _axes(figure, 0.22 + column * panel + left, bottom, PROGRESS_WIDTH, PROGRESS_HEIGHT)
            values = own[["positive_share", "negative_share"]].to_numpy(dtype=float)
            axis.imshow(
                values,
                cmap=COLOURS,
                norm=colours,
                aspect="auto",
                interpolation="nearest",
                gid=f"progress-{name}",
            )
            axis.grid(visible=False)
            axis.axvline(0.5, color="white", linewidth=1.5)
            axis.set_title(name, fontsize=SMALL, fontweight="bold", pad=5)
            _step_ticks(axis, len(own))
            axis.set_ylabel("round" if column == 0 else "", labelpad=2)
            axis.set_xticks([0, 1], ["+", "−"])
            axis.tick_params(length=0, axis="x")
        bar = _axes(figure, 0.22 + across * panel + 0.12, (rows - 1) * tall + 0.3, BAR, PROGRESS_HEIGHT)
        _colour_bar(figure, ScalarMappable(colours, COLOURS), bar)
        bar.set_yticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    return figure
