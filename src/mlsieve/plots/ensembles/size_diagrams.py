"""Critical-distance diagrams of the sizes of each ensemble and score, and of a method without trees."""

from __future__ import annotations

import pandas as pd

from mlsieve.plots.drawing.critical_difference import Panel, critical_difference_panels, without_distance
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.papers import FLAT, HIERARCHICAL
from mlsieve.plots.drawing.style import datasets
from mlsieve.registry import register


@register.figure("size-diagrams", version=1)
def size_diagrams(material: Material) -> dict[str, Drawing]:
    """Average ranks of sizes: a figure for each measure, a panel for each method with several sizes."""
    ranks = material.average_ranks
    ranks = ranks[(ranks["variant"] == "all") & (ranks["question"] == "saturation") & ranks["rank"].notna()]
    ranks = ranks[ranks["test"] == "nemenyi"]
    if ranks.empty:
        return {}
    several = ranks["evaluator"].nunique() > 1
    drawings = {}
    for evaluator, of_evaluator in ranks.groupby("evaluator", sort=False):
        for measure in [name for name in material.few_measures() if (of_evaluator["measure"] == name).any()]:
            part = _one_family(of_evaluator[of_evaluator["measure"] == measure])
            words = ["critical-difference", "sizes", measure.replace(" ", "-")]
            words += [str(evaluator)] if several else []
            drawings["_".join(words)] = _draw(part, measure, material)
    return drawings


def _one_family(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return the ranks of the paper's methods; if there are none, those of all, with the baselines."""
    paper = ranks[ranks["family"] == "paper"]
    return ranks if paper.empty else paper


def _draw(ranks: pd.DataFrame, measure: str, material: Material) -> Drawing:
    panels = []
    for name, group in ranks.groupby("comparison", sort=False):
        label = str(name)
        methods = [
            method if method in material.labels else material.labels[label].size_in_words(method)
            for method in map(str, group["method"])
        ]
        values = pd.Series(group["rank"].to_numpy(), index=methods)
        note = "Friedman's test is not significant"
        if (values == values.iloc[0]).all():
            note = "all ranks are the same"
        panels.append(Panel(values, group["critical_distance"].iloc[0], None, label, note))
    shown = [panel for panel in panels if panel.has_distance]
    missing = without_distance(panels, "For")
    trees = material.labels.of_trees(ranks["comparison"]).all()
    what = "the numbers of trees" if trees else "the sizes (numbers of trees, or % of the examples)"
    text = (
        f"The figure shows average ranks of {what} of each method by {measure} over "
        f"{datasets(ranks['n_datasets'])}; 1 is best. A bar joins sizes between which Nemenyi's test finds "
        f"no significant difference. The figure follows Fig. 2 of {FLAT}, and Fig. 2a and 2b of "
        f"{HIERARCHICAL}."
    )
    return Drawing(
        critical_difference_panels(shown, best=material.best) if shown else None,  # type: ignore[arg-type]
        f"Average ranks of the sizes by {measure}",
        " ".join(filter(None, [text if shown else "", missing])),
        "saturation",
    )
