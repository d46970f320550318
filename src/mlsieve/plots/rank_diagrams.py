"""Critical-distance diagrams of a study: a figure a question, family and comparison, a panel a measure."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from mlsieve.plots.critical_difference import Panel, critical_difference_panels
from mlsieve.plots.material import Drawing, Material
from mlsieve.plots.style import data_sets
from mlsieve.registry import register

# As the selection paper draws them: a bar from the best method, not to both sides of the control.
FROM_BEST = frozenset({"selection", "conclusion"})
_FAMILY = {"paper": "the paper's methods", "extended": "all methods"}


@register.figure("critical-difference", version=2)
def critical_difference(material: Material) -> dict[str, Drawing]:
    """Average ranks with what the post-hoc tests do not tell apart, for every question but saturation."""
    ranks = material.average_ranks
    ranks = ranks[(ranks["variant"] == "all") & (ranks["question"] != "saturation") & ranks["rank"].notna()]
    ranks = ranks[ranks["test"].isin(["nemenyi", "bonferroni-dunn"])]
    drawings: dict[str, Drawing] = {}
    several = ranks["evaluator"].nunique() > 1
    keys = ["question", "family", "comparison", "evaluator"]
    for (question, family, comparison, evaluator), part in ranks.groupby(keys, sort=False):
        panels = []
        for measure, group in part.groupby("measure", sort=False):
            first = group.iloc[0]
            distance = first["critical_distance"]
            control = str(first["control"]) or None
            values = pd.Series(group["rank"].to_numpy(), index=group["method"].to_numpy())
            note = "Friedman's test does not reject"
            if (values == values.iloc[0]).all():
                note = "all ranks are the same"
            interval: Literal["from-best", "around"] = "from-best" if question in FROM_BEST else "around"
            panels.append(Panel(values, distance, control, str(measure), note, interval))
        number = part["n_datasets"].astype(int)
        sets = str(number.max()) if number.min() == number.max() else f"{number.min()} to {number.max()}"
        words = [question, family, *([] if comparison in ("scores", "methods") else [comparison])]
        words += [evaluator] if several else []
        name = "critical-difference_" + "_".join(_plain(word) for word in words)
        drawings[name] = Drawing(
            critical_difference_panels(panels, best=material.best),  # type: ignore[arg-type]
            f"Average ranks, {_who(str(question), str(family), str(comparison))}"
            + (f", {evaluator}" if several else ""),
            _caption(part, sets),
            question,
        )
    return drawings


def _who(question: str, family: str, comparison: str) -> str:
    """Return in words which methods are compared."""
    if question == "conclusion":
        return f"the paper's methods {'' if comparison.startswith('with ') else 'with '}{comparison}"
    if comparison == "methods":
        return _FAMILY.get(family, family)
    return f"{comparison}, {_FAMILY.get(family, family)}"


def _caption(part: pd.DataFrame, sets: str) -> str:
    text = f"Average ranks over {data_sets(sets)}; 1 is best. "
    dunn = (part["test"] == "bonferroni-dunn").any()
    if dunn and part["question"].iloc[0] in FROM_BEST:
        control = part["control"].iloc[0]
        text += "The bar reaches one Bonferroni-Dunn distance from the best method. "
        text += f"The test is about {control} and each of the others"
        ahead = part.loc[part.groupby("measure")["rank"].idxmin(), "method"]
        text += "." if (ahead == control).all() else f", also where {control} is not the best."
    elif dunn:
        text += "The bar reaches one Bonferroni-Dunn distance to both sides of the control: "
        text += "methods outside it differ from the control significantly."
    else:
        text += "A bar joins methods that Nemenyi's test does not tell apart."
    if part["critical_distance"].isna().any():
        text += " Where Friedman's test does not reject, one bar joins all methods;"
        text += " this is no sign that they are alike."
    return text


def _plain(word: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in str(word)).strip("-")
