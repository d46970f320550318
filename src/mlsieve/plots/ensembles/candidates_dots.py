"""Extra trees that try some features in a node against those that try all."""

from __future__ import annotations

import pandas as pd

from mlsieve.plots.drawing.dots import differences, dots_figure
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.style import datasets
from mlsieve.questions.ensembles.candidates import BINARY, EVERY, of_subset
from mlsieve.registry import register

_NAMES = {EVERY: "candidates-dots", BINARY: "candidates-dots_binary"}


@register.figure("candidates-dots", version=1)
def candidates_dots(material: Material) -> dict[str, Drawing]:
    """Differences of each score between trying some features and all, for each group of datasets."""
    tests = material.tests
    tests = tests[(tests["question"] == "candidates") & (tests["variant"] == "all")]
    tests = tests[tests["difference"].notna()]
    several = tests["evaluator"].nunique() > 1 if len(tests) else False
    drawings = {}
    for evaluator, own in tests.groupby("evaluator", sort=False):
        for subset, name in _NAMES.items():
            part = own[of_subset(own, subset)]
            if len(part):
                tail = f"_{evaluator}" if several else ""
                drawings[name + tail] = _draw(part, str(evaluator), subset, material)
    return drawings


def _draw(tests: pd.DataFrame, evaluator: str, subset: str, material: Material) -> Drawing:
    rows, dots = [], {}
    for measure, group in tests.groupby("measure", sort=False):
        found = {}
        for test in group.to_dict("records"):
            label, other = str(test["methods"]).split(";")
            # Both have the larger size in use, as in the tests.
            size = max(material.sizes().get(name, 0) for name in (label, other))
            at = dict.fromkeys((label, other), size)
            values = differences(material, evaluator, str(measure), [label], other, at)
            # No table of this step shows which datasets have binary features only: no dots for them.
            found[label] = values[label] if subset == EVERY else values[label].iloc[:0]
            rows.append({**test, "method": label})
        dots[str(measure)] = pd.DataFrame(found)
    sets = datasets(int(tests["n_datasets"].max()))
    return Drawing(
        dots_figure(pd.DataFrame(rows), dots),
        f"Trying some features in a node instead of all, {subset}",
        "The figure shows how much better extra trees are if each node tries some of the features and not "
        "all (right of the line is better). Significance is that of Wilcoxon's test over "
        f"{sets}{'' if subset == EVERY else ' (among the dots of the figure for all datasets)'}, not "
        "corrected for the number of tests.",
        "candidates",
    )
