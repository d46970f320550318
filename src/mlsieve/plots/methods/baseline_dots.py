"""Every method against the unweighted baseline."""

from __future__ import annotations

import pandas as pd

from mlsieve.plots.drawing.dots import differences, dots_figure
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.style import datasets
from mlsieve.registry import register


@register.figure("baseline-dots", version=2)
def baseline_dots(material: Material) -> dict[str, Drawing]:
    """Differences from the baseline for each measure, with the verdicts of the corrected Wilcoxon tests."""
    tests = material.tests
    tests = tests[
        (tests["question"] == "relevance") & (tests["variant"] == "all") & (tests["test"] == "wilcoxon")
    ]
    tests = tests[tests["difference"].notna()]
    if tests.empty:
        return {}
    # The extended group has every method; its verdicts are those of its own correction.
    family = "extended" if (tests["family"] == "extended").any() else str(tests["family"].iloc[0])
    tests = tests[tests["family"] == family]
    several = tests["evaluator"].nunique() > 1
    return {
        "baseline-dots" + (f"_{evaluator}" if several else ""): _draw(part, str(evaluator), material, family)
        for evaluator, part in tests.groupby("evaluator", sort=False)
    }


def _draw(tests: pd.DataFrame, evaluator: str, material: Material, family: str) -> Drawing:
    pairs = tests["methods"].str.split(";", expand=True)
    baseline = str(pairs[1].iloc[0])
    methods = list(dict.fromkeys(pairs[0]))
    dots = {
        measure: differences(material, evaluator, measure, methods, baseline)
        for measure in dict.fromkeys(tests["measure"])
    }
    return Drawing(
        dots_figure(tests.assign(method=pairs[0]), dots),
        f"Difference from {baseline}",
        f"The figure shows how much better than {baseline} each method is (right of the line is better, also "
        "for measures where lower is better). Significance is that of Wilcoxon's test after "
        f"Benjamini-Hochberg for {'all methods' if family == 'extended' else 'the main methods'}, over "
        f"{datasets(int(tests['n_datasets'].max()))}. The scales of the panels differ.",
        "relevance",
    )
