"""One dataset by itself: the quality of its rankings against the number of trees, and at the sizes in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.errors import number_of
from mlsieve.plots.drawing.looks import Looks
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.panels import few_ticks, grid, padded
from mlsieve.plots.drawing.papers import FLAT, HIERARCHICAL
from mlsieve.plots.drawing.style import FAINT, SMALL, styled, text_size
from mlsieve.plots.ensembles.saturation import legend_lines, level_styles, size_axis
from mlsieve.registry import register

WIDTH, HEIGHT = 2.15, 1.6
OWN_COLUMN = "no trees"


@dataclass(frozen=True)
class Shown:
    """Values of one dataset, evaluator and measure.

    Attributes
    ----------
    pairs : DataFrame
        One row per pair of ensemble and score: label, kind (the ensemble, after the method's name where the
        label has it), score, sizes and values (dict of size to float, NaN left out).
    others : dict of str to float
        Methods without trees at the size in use.
    """

    pairs: pd.DataFrame
    others: dict[str, float]

    def limits(self) -> tuple[float, float]:
        """Return limits of an axis that hold all values."""
        values = [value for curve in self.pairs["values"] for value in curve.values()]
        return padded([*values, *self.others.values()])


def shown_values(
    material: Material, dataset: str, evaluator: str, measure: str, *, references: Sequence[str] | None = None
) -> Shown | None:
    """Return the values of one dataset, evaluator and measure; None where the table lacks the dataset.

    Parameters
    ----------
    material : Material
    dataset, evaluator, measure : str
    references : sequence of str, optional
        Methods without trees to take; default: those that the study's tests compare with (the unweighted
        baseline and the rival).
    """
    frame = material.performance
    base = measure.split(" [")[0]
    frame = frame[(frame["dataset"] == dataset) & (frame["measure"] == base)]
    if frame.empty:
        return None
    direction = material.direction(measure) or "higher"
    table = PerformanceTable(frame, Analysis(rounding=None, directions={measure: direction, base: direction}))
    if measure not in table.measures or evaluator not in table.evaluators:
        return None
    sizes = material.sizes()
    rows = []
    for row in table.pairs().itertuples():
        columns = [(row.label, size) for size in row.sizes]
        values = table.values(evaluator, measure, columns, rounded=False).loc[dataset].to_numpy()
        curve = {size: float(value) for size, value in zip(row.sizes, values, strict=True) if value == value}
        own = table.by_label[str(row.label)]
        # With a method's name last, so that the paper's own ensembles come first.
        order = own.named, own.kind, own.score
        rows.append((order, (row.label, own.kind, own.score, tuple(curve), curve)))
    rows.sort(key=lambda row: row[0])
    pairs = pd.DataFrame([row for _, row in rows], columns=["label", "kind", "score", "sizes", "values"])
    others = {}
    known = table.labels.set_index("label")["sizes"]
    wanted = references_of(material) if references is None else references
    for label in [name for name in wanted if name in set(table.singles())]:
        size = sizes.get(label, max(known[label], default=0))
        value = table.values(evaluator, measure, [(label, size)], rounded=False).loc[dataset].iloc[0]
        if value == value:
            others[label] = float(value)
    return Shown(pairs, others)


def references_of(material: Material) -> list[str]:
    """Return the unweighted baseline and the rival, as far as the tests name them."""
    tests = material.tests[material.tests["question"].isin(["relevance", "relief"])]
    tests = tests[tests["test"].isin(["wilcoxon", "bonferroni-dunn"])]
    found = dict.fromkeys(
        str(methods).rsplit(";", 1)[1]
        for question in ("relevance", "relief")
        for methods in tests.loc[tests["question"] == question, "methods"]
        if str(methods).count(";") == 1
    )
    return list(found)


@register.figure("one-dataset-saturation", version=1)
def one_dataset_saturation(material: Material) -> dict[str, Drawing]:
    """Curves over the number of trees on each named dataset, by ensemble and by score."""
    drawings = {}
    for dataset, tail, shown in _each(material):
        several = {measure: one.pairs[one.pairs["sizes"].map(len) > 1] for measure, one in shown.items()}
        if any(pairs.empty for pairs in several.values()):
            continue
        for column, line, name, paper in (
            ("kind", "score", "by-ensemble", f"Fig. 1 of {FLAT} and Fig. 5b of {HIERARCHICAL}"),
            ("score", "kind", "by-score", f"Fig. 5a of {HIERARCHICAL}"),
        ):
            figure = _curves(material, shown, several, column, line)
            what = "ensemble" if column == "kind" else "score"
            drawings[f"one-dataset_{name}_{dataset}{tail}"] = Drawing(
                figure,
                f"{dataset}: quality against the number of trees, by {what}",
                f"The figure shows each measure on {dataset} against the number of trees, with a column for "
                f"each {what}. {_levels_text(material, shown)}The panels of a measure have one scale. The "
                f"figure follows {paper}.",
                "saturation",
            )
    return drawings


@register.figure("one-dataset-scores", version=1)
def one_dataset_scores(material: Material) -> dict[str, Drawing]:
    """The scores by ensemble at the sizes in use on each named dataset, and the baselines."""
    drawings = {}
    if material.choices is None:
        return {}
    for dataset, tail, shown in _each(material):
        if any(one.pairs.empty for one in shown.values()):
            continue
        drawings[f"one-dataset_scores_{dataset}{tail}"] = Drawing(
            _dots(material, shown),
            f"{dataset}: every score and ensemble at the size in use",
            f"The figure shows each measure on {dataset}, with a column for each ensemble and one for the "
            "methods without trees, whose values continue as lines. "
            f"{_sizes_text(material, shown)}The figure follows Fig. 3 of {FLAT}.",
            "relevance",
        )
    return drawings


def _each(material: Material) -> list[tuple[str, str, dict[str, Shown]]]:
    """Return dataset, the end of the figure's name and the values by measure of each figure."""
    evaluators = sorted(material.performance["evaluator"].unique())
    found = []
    for dataset in material.datasets:
        for evaluator in evaluators:
            shown = {
                measure: one
                for measure in material.few_measures()
                if (one := shown_values(material, dataset, evaluator, measure)) is not None
            }
            if shown:
                found.append((dataset, f"_{evaluator}" if len(evaluators) > 1 else "", shown))
    return found


def _levels_text(material: Material, shown: dict[str, Shown]) -> str:
    names = list(dict.fromkeys(name for one in shown.values() for name in one.others))
    if not names:
        return ""
    used = material.sizes()
    named = [
        f"{name} at {material.labels[name].size_in_words(used[name])}" if used.get(name) else name
        for name in names
    ]
    return f"Horizontal lines show {' and '.join(named)}. "


def _sizes_text(material: Material, shown: dict[str, Shown]) -> str:
    used = material.sizes()
    pairs = next(iter(shown.values())).pairs
    by_size: dict[int, list[str]] = {}
    for label in pairs["label"]:
        by_size.setdefault(used.get(label, 0), []).append(label)
    if 0 in by_size or not by_size:
        return "Each ensemble has its largest size. "
    if len(by_size) == 1:
        return f"Every ensemble has {number_of(next(iter(by_size)), 'tree')}. "
    common = max(by_size, key=lambda size: len(by_size[size]))
    rest = [f"{' and '.join(names)} {size}" for size, names in sorted(by_size.items()) if size != common]
    return f"The ensembles have {number_of(common, 'tree')}, except {', '.join(rest)}. "


def _left(shown: dict[str, Shown]) -> float:
    values = [limit for one in shown.values() for limit in one.limits()]
    return max(text_size(f"{value:.3f}", SMALL)[0] for value in values) + 0.22


def _curves(
    material: Material, shown: dict[str, Shown], several: dict[str, pd.DataFrame], column: str, line: str
) -> Any:
    first = next(iter(several.values()))
    columns, lines = list(dict.fromkeys(first[column])), list(dict.fromkeys(first[line]))
    looks = material.looks
    look_of = looks.of_score if line == "score" else looks.of_ensemble
    others = list(dict.fromkeys(name for one in shown.values() for name in one.others))
    levels = level_styles(others, looks)
    entries = {name: look_of(name).curve(linewidth=1.2, markersize=3.8) for name in lines}
    places = {size: place for place, size in enumerate(sorted({s for own in first["sizes"] for s in own}))}
    titles = [f"{name}: {material.directed(measure)}" for measure in shown for name in columns]
    width = max(WIDTH, 0.3 * len(places), *(text_size(title)[0] * 1.15 for title in titles))
    with styled():
        figure, axes = grid(
            titles,
            width=width,
            height=HEIGHT,
            left=_left(shown),
            bottom=0.45,
            legend=legend_lines({**entries, **levels}),
            columns=len(columns),
        )
        for place, (measure, one) in enumerate(shown.items()):
            pairs = several[measure]
            for axis, name in zip(axes[place * len(columns) :], columns, strict=False):
                for label, level in one.others.items():
                    axis.axhline(level, **levels[label])
                for row in pairs[pairs[column] == name].to_dict("records"):
                    x = [places[size] for size in row["values"]]
                    style = looks.of(row["label"]).curve(linewidth=1.2, markersize=3.8)
                    axis.plot(x, list(row["values"].values()), gid=f"curve-{row['label']}", **style)
                size_axis(axis, places)
                axis.set_ylim(one.limits())
                few_ticks(axis, "y")
    return figure


def _dots(material: Material, shown: dict[str, Shown]) -> Any:
    first = next(iter(shown.values()))
    kinds, scores = list(dict.fromkeys(first.pairs["kind"])), sorted(set(first.pairs["score"]))
    others = list(dict.fromkeys(name for one in shown.values() for name in one.others))
    looks = material.looks
    handles = [
        Line2D([], [], color=looks.of_score(score).color, linewidth=5, label=score) for score in scores
    ]
    handles += [Line2D([], [], label=name, **_other_dot(looks, name)) for name in others]
    ticks = [*kinds, *([OWN_COLUMN] if others else [])]
    room = (
        max(max(text_size(part, SMALL)[0] for part in _two_lines(tick).split("\n")) for tick in ticks) + 0.12
    )
    titles = [material.directed(measure) for measure in shown]
    with styled():
        figure, axes = grid(
            titles,
            width=max(WIDTH, room * len(ticks)),
            height=2.0,
            left=_left(shown),
            bottom=0.5,
            legend=handles,
        )
        for axis, one in zip(axes, shown.values(), strict=True):
            _dots_panel(axis, one, kinds, scores, material)
            axis.set_xticks(range(len(ticks)), [_two_lines(tick) for tick in ticks])
            axis.set_xlim(-0.5, len(ticks) - 0.5)
            axis.grid(axis="x", visible=False)
            axis.set_ylim(one.limits())
            few_ticks(axis, "y")
    return figure


def _two_lines(kind: str) -> str:
    """Break a name of an ensemble at its slash, or at its last hyphen."""
    mark = "/" if "/" in kind else "-"
    head, found, tail = kind.rpartition(mark)
    return f"{head}{found if mark == '/' else '-'}\n{tail}" if found else kind


def _dots_panel(axis: Axes, one: Shown, kinds: list[str], scores: list[str], material: Material) -> None:
    looks, sizes = material.looks, material.sizes()
    for name, level in one.others.items():
        axis.axhline(level, color=FAINT, linestyle=":", linewidth=0.9, zorder=1)
        axis.plot(len(kinds), level, gid=f"dot-{name}", zorder=3, **_other_dot(looks, name))
    for row in one.pairs.to_dict("records"):
        values = row["values"]
        size = sizes.get(row["label"], max(values, default=0))
        if size in values:
            own = scores.index(row["score"])
            # Side by side, so that equal values do not hide each other.
            x = kinds.index(row["kind"]) + 0.16 * (own - (len(scores) - 1) / 2)
            style = looks.of(row["label"]).dot(markersize=6)
            axis.plot(x, values[size], gid=f"dot-{row['label']}", zorder=4, **style)


def _other_dot(looks: Looks, name: str) -> dict[str, Any]:
    return looks.of(name).dot(markersize=6, markeredgewidth=1.6)
