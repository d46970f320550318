"""The scores and the baselines against one rival, Relief, as in the ranking study."""

from __future__ import annotations

import pandas as pd

from mlsieve.files.csv_tables import EFFECT_SIZE
from mlsieve.plots.drawing.dots import differences, dots_figure
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.style import datasets
from mlsieve.registry import register

_TESTS = {
    "bonferroni-dunn": "the Bonferroni-Dunn test where Friedman's is significant",
    "wilcoxon": "Wilcoxon's test after Benjamini-Hochberg",
}

_MIDDLE = ["difference", "interval_low", "interval_high"]


@register.figure("relief-dots", version=3)
def relief_dots(material: Material) -> dict[str, Drawing]:
    """Differences from the rival for each measure, with the verdicts of the question ``relief``."""
    ranks, tests = material.average_ranks, material.tests
    ranks = ranks[(ranks["question"] == "relief") & (ranks["variant"] == "all") & ranks["rank"].notna()]
    tests = tests[
        (tests["question"] == "relief")
        & (tests["variant"] == "all")
        & tests["test"].isin([*_TESTS, EFFECT_SIZE])
    ]
    if ranks.empty:
        return {}
    # The extended group has every method; its verdicts are those of its own tests.
    family = "extended" if (ranks["family"] == "extended").any() else str(ranks["family"].iloc[0])
    ranks, tests = ranks[ranks["family"] == family], tests[tests["family"] == family]
    several = ranks["evaluator"].nunique() > 1
    drawings = {}
    for evaluator, part in ranks.groupby("evaluator", sort=False):
        own = tests[tests["evaluator"] == evaluator]
        drawing = _draw(part, own, str(evaluator), material, family)
        if drawing is not None:
            drawings["relief-dots" + (f"_{evaluator}" if several else "")] = drawing
    return drawings


def _rival(ranks: pd.DataFrame) -> str:
    """Return the reference method of Bonferroni-Dunn, or the second method of every Wilcoxon test."""
    reference = str(ranks["reference_method"].iloc[0])
    return reference or str(ranks.groupby(["measure", "comparison"], sort=False)["method"].last().iloc[0])


def _draw(
    ranks: pd.DataFrame, tests: pd.DataFrame, evaluator: str, material: Material, family: str
) -> Drawing | None:
    rival = _rival(ranks)
    methods = [name for name in dict.fromkeys(ranks["method"]) if name != rival]
    known = tests.set_index(["measure", "methods"])[[*_MIDDLE, "rejected"]]
    rows, dots = [], {}
    for measure in dict.fromkeys(ranks["measure"]):
        found = differences(material, evaluator, measure, methods, rival)
        if found.empty:
            continue
        dots[measure] = found
        for method in methods:
            key = (measure, f"{method};{rival}")
            if key in known.index:
                rows.append({"measure": measure, "method": method, **known.loc[key].to_dict()})
    if not rows:
        return None
    test = "wilcoxon" if (ranks["test"] == "wilcoxon").any() else "bonferroni-dunn"
    return Drawing(
        dots_figure(pd.DataFrame(rows), dots),
        f"Difference from {rival}",
        f"The figure shows how much better than {rival} each method is (right of the line is better, also "
        f"for measures where lower is better). Significance is that of {_TESTS[test]}, for "
        f"{'all methods' if family == 'extended' else 'the main methods'}, over "
        f"{datasets(int(ranks['n_datasets'].max()))}. The scales of the panels differ.",
        "relief",
    )
