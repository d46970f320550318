"""Every method against the unweighted control: a dot a data set, and the median with its interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from mlsieve.plots.material import Drawing, Material
from mlsieve.plots.panels import few_ticks, grid, padded
from mlsieve.plots.style import ACCENT, FAINT, INK, SMALL, styled, text_size
from mlsieve.questions.analysis import Analysis
from mlsieve.questions.table import PerformanceTable
from mlsieve.registry import register


@register.figure("control-dots", version=1)
def control_dots(material: Material) -> dict[str, Drawing]:
    """Differences from the control for each measure, with the verdict of the corrected Wilcoxon tests."""
    tests = material.tests
    tests = tests[
        (tests["question"] == "relevance") & (tests["variant"] == "all") & (tests["test"] == "wilcoxon")
    ]
    tests = tests[tests["median_difference"].notna()]
    if tests.empty:
        return {}
    # The extended family holds every method; its verdicts are those of its own correction.
    family = "extended" if (tests["family"] == "extended").any() else tests["family"].iloc[0]
    tests = tests[tests["family"] == family]
    several = tests["evaluator"].nunique() > 1
    return {
        "control-dots" + (f"_{evaluator}" if several else ""): _draw(part, str(evaluator), material, family)
        for evaluator, part in tests.groupby("evaluator", sort=False)
    }


def _differences(
    material: Material, evaluator: str, measure: str, methods: list[str], control: str
) -> pd.DataFrame:
    """Return data sets by methods: how much better than the control, empty where the sizes are not known."""
    direction = material.direction(measure)
    if material.choices is None or direction is None:
        return pd.DataFrame(columns=methods)
    chosen = material.choices
    chosen = chosen[(chosen["kind"] == "size") & chosen["used"].astype(str).str.lower().eq("true")]
    sizes = {item: int(value) for item, value in zip(chosen["item"], chosen["value"], strict=True)}
    base = measure.split(" [")[0]
    performance = material.performance[material.performance["measure"] == base]
    table = PerformanceTable(
        performance, Analysis(rounding=None, directions={measure: direction, base: direction})
    )
    if measure not in table.measures or evaluator not in table.evaluators:
        return pd.DataFrame(columns=methods)
    known = dict(zip(table.labels["label"], table.labels["sizes"], strict=True))
    labels = [*methods, control]
    columns = [(label, sizes.get(label, max(known.get(label, ()), default=0))) for label in labels]
    values = table.values(evaluator, measure, columns)
    values.columns = pd.Index(labels)
    differences = values[methods].sub(values[control], axis=0)
    return -differences if direction == "lower" else differences


def _draw(tests: pd.DataFrame, evaluator: str, material: Material, family: str) -> Drawing:
    pairs = tests["methods"].str.split(";", expand=True)
    control = str(pairs[1].iloc[0])
    methods = list(dict.fromkeys(pairs[0]))
    measures = list(dict.fromkeys(tests["measure"]))
    tests = tests.assign(method=pairs[0])
    height = 0.2 * len(methods) + 0.15
    left = max(text_size(method, SMALL)[0] for method in methods) + 0.14
    legend = [
        Line2D(
            [], [], color=FAINT, marker="o", linestyle="", markersize=2.6, alpha=0.7, label="one data set"
        ),
        Line2D(
            [], [], color=ACCENT, marker="D", markersize=4.5, label="median and 95 % interval, significant"
        ),
        Line2D(
            [],
            [],
            color=ACCENT,
            marker="D",
            markersize=4.5,
            markerfacecolor="white",
            label="the same, not significant",
        ),
    ]
    with styled():
        figure, axes, columns, top = grid(
            measures,
            width=2.3,
            height=height,
            left=left,
            bottom=0.36,
            legend=[str(line.get_label()) for line in legend],
        )
        for axis, measure in zip(axes, measures, strict=True):
            part = tests[tests["measure"] == measure].set_index("method")
            differences = _differences(material, evaluator, measure, methods, control)
            axis.axvline(0, color=INK, linewidth=0.9, zorder=1)
            shown = [0.0]
            for place, method in enumerate(methods):
                if len(differences):
                    dots = differences[method].dropna().to_numpy()
                    axis.plot(
                        dots, np.full(len(dots), place), "o", color=FAINT, alpha=0.7, markersize=2.6, mew=0
                    )
                    shown.extend(dots)
                if method not in part.index:
                    continue
                row = part.loc[method]
                axis.plot(
                    [row["interval_low"], row["interval_high"]], [place, place], color=ACCENT, linewidth=1.4
                )
                axis.plot(
                    row["median_difference"],
                    place,
                    "D",
                    color=ACCENT,
                    markersize=4.5,
                    markerfacecolor=ACCENT if _true(row["rejected"]) else "white",
                    zorder=4,
                )
                shown.extend([row["interval_low"], row["interval_high"], row["median_difference"]])
            axis.set_yticks(range(len(methods)), methods)
            axis.set_ylim(len(methods) - 0.4, -0.6)
            axis.set_xlim(padded(shown))
            few_ticks(axis, "x", 4)
            axis.tick_params(length=0, axis="y")
        figure.legend(
            handles=legend,
            loc="upper center",
            bbox_to_anchor=(0.5, top),
            ncols=columns,
            frameon=False,
            numpoints=1,
        )
    return Drawing(
        figure,
        f"Difference from {control}",
        f"How much better than {control} each method is (right of the line is better, also for "
        "measures where lower is "
        f"better). Significant: Wilcoxon's test after Benjamini-Hochberg, the {family} family, "
        f"{int(tests['n_datasets'].max())} data sets. The scales of the panels differ.",
        "relevance",
    )


def _true(value: object) -> bool:
    return str(value).lower() == "true"
