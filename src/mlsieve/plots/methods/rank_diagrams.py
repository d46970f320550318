"""Critical-distance diagrams: a figure for each question, method group and comparison."""

from __future__ import annotations

import pandas as pd

from mlsieve.analysis.sentences.changes import Change
from mlsieve.plots.drawing.critical_difference import Panel, critical_difference_panels, without_distance
from mlsieve.plots.drawing.material import Drawing, Material
from mlsieve.plots.drawing.style import datasets
from mlsieve.registry import register

_FAMILY = {"paper": "main methods", "extended": "all methods"}  # the paper's, in a study of a paper


@register.figure("critical-difference", version=3)
def critical_difference(material: Material) -> dict[str, Drawing]:
    """Average ranks and the non-significant differences of post-hoc tests, except for saturation."""
    ranks = material.average_ranks
    ranks = ranks[(ranks["variant"] == "all") & (ranks["question"] != "saturation") & ranks["rank"].notna()]
    ranks = ranks[ranks["test"].isin(["nemenyi", "bonferroni-dunn"])]
    drawings: dict[str, Drawing] = {}
    several = ranks["evaluator"].nunique() > 1
    keys = ["question", "family", "comparison", "evaluator"]
    for (question, family, comparison, evaluator), part in ranks.groupby(keys, sort=False):
        panels = []
        for measure, group in part.groupby("measure", sort=False):
            panels.append(panel_of(group, str(measure)))
        words = [question, family, *([] if comparison in ("scores", "methods") else [comparison])]
        words += [evaluator] if several else []
        name = "critical-difference_" + "_".join(_plain(word) for word in words)
        shown = [panel for panel in panels if panel.has_distance]
        drawings[name] = Drawing(
            critical_difference_panels(shown, best=material.best) if shown else None,  # type: ignore[arg-type]
            f"Average ranks, {_who(str(question), str(family), str(comparison))}"
            + (f", {evaluator}" if several else ""),
            " ".join(filter(None, [_caption(part, bool(shown)), without_distance(panels, "By")])),
            question,
            str(family),
            " ".join(panel.seen() for panel in shown),
        )
    return drawings


def panel_of(ranks: pd.DataFrame, title: str) -> Panel:
    """Return the diagram of average ranks.

    Parameters
    ----------
    ranks : DataFrame
        Rows of one comparison: method and rank; critical_distance and reference_method, the same in all rows,
        may be missing.
    title : str
    """
    first = ranks.iloc[0]
    reference = first.get("reference_method", "")
    values = pd.Series(ranks["rank"].to_numpy(), index=ranks["method"].to_numpy())
    note = "Friedman's test is not significant"
    if (values == values.iloc[0]).all():
        note = "all ranks are the same"
    distance = first.get("critical_distance")
    return Panel(values, distance, None if pd.isna(reference) else str(reference) or None, title, note)


def _who(question: str, family: str, comparison: str) -> str:
    """Return in words which methods are compared."""
    if question == "conclusion":
        change = Change.of_comparison(comparison)
        return f"main methods with {change.new}" + (f" for {change.old}" if change.old else "")
    if comparison == "methods":
        return _FAMILY.get(family, family)
    return f"{comparison}, {_FAMILY.get(family, family)}"


def _caption(part: pd.DataFrame, drawn: bool) -> str:
    """Return how to read the diagrams; nothing where there are none."""
    if not drawn:
        return ""
    text = f"The figure shows average ranks over {datasets(part['n_datasets'])}; 1 is best. "
    dunn = (part["test"] == "bonferroni-dunn").any()
    if dunn:
        reference = part["reference_method"].iloc[0]
        text += (
            f"The bar reaches one Bonferroni-Dunn distance to both sides of {reference}. Methods outside it "
            f"differ significantly from {reference}; the others are not compared with each other."
        )
    else:
        text += "A bar joins methods between which Nemenyi's test finds no significant difference."
    return text


def _plain(word: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in str(word)).strip("-")
