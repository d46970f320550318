"""Whether a printed figure and the study's own lead to the same conclusion: one rule for each kind of figure.

========  ====================================================================================
rule      the conclusion
========  ====================================================================================
share     of a count: none, fewer than half, half, more than half or all of the cases. "None", "half" and
          "all" must be confirmed exactly. Where the paper names the cases, each of them has a verdict of its
          own, and the count has no conclusion
verdict   significant, significant in the other direction, or not significant
place     the place of an average rank among those that are compared
same      the same word or number: a choice, a method, a place
within    the same number to all printed digits, or within the figure's own tolerance
bound     a number above or below the printed one
========  ====================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

from mlsieve.published.papers import Figure
from mlsieve.replication.printed import bound_holds, half_unit, printed_number
from mlsieve.replication.tables import Found


@dataclass(frozen=True)
class Conclusion:
    """The paper's conclusion from a figure, the study's, and whether they agree."""

    paper: str
    ours: str
    same: bool


def printed_conclusion(figure: Figure) -> str:
    """Return the paper's conclusion from a figure; empty where its number has no conclusion."""
    if figure.conclusion == "share":
        return _share_of_paper(figure)
    if figure.conclusion == "verdict":
        return "significant" if figure.facts["significant"] else "not significant"
    if figure.conclusion == "place":
        return f"place {figure.facts['rank_place']}"
    return figure.printed if figure.conclusion else ""


def conclusion(figure: Figure, found: Found) -> Conclusion | None:
    """Return both conclusions; None where the figure has none.

    Parameters
    ----------
    figure : Figure
    found : Found
        The study's own.
    """
    paper = printed_conclusion(figure)
    if not paper:
        return None
    if figure.conclusion == "share":
        ours = _share(float(found.value), found.of or 0)
        return Conclusion(paper, ours, _implies(ours, paper))
    if figure.conclusion == "verdict":
        ours = _verdict(found)
        return Conclusion(paper, ours, ours == paper)
    if figure.conclusion == "place":
        return Conclusion(paper, f"place {found.place}", found.place == figure.facts["rank_place"])
    if figure.conclusion == "bound":
        return Conclusion(paper, shown(found.value), bound_holds(figure.printed, float(found.value)))
    if figure.conclusion == "within":
        return Conclusion(paper, shown(found.value), bool(is_within(figure, found)))
    ours = shown(found.value)
    return Conclusion(paper, ours, ours == paper or ours in figure.facts.get("alike", ()))


def tolerance(figure: Figure) -> float | None:
    """Return the largest difference from the printed number that still prints alike; None for words."""
    if figure.tolerance is not None:
        return figure.tolerance
    return None if printed_number(figure.printed) is None else half_unit(figure.printed)


def is_within(figure: Figure, found: Found) -> bool | None:
    """Return whether the study's number prints like the paper's; None where one of them is a word."""
    printed, limit = printed_number(figure.printed), tolerance(figure)
    if printed is None or limit is None or isinstance(found.value, str):
        return None
    if figure.of is not None and found.of is not None and figure.of != found.of:
        return None
    return abs(float(found.value) - printed) <= limit + 1e-12


def shown(value: float | str) -> str:
    """Return a value as in the table: whole numbers without a point, others with ten digits."""
    if isinstance(value, str):
        return value
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.10g}"


def _share_of_paper(figure: Figure) -> str:
    printed = printed_number(figure.printed)
    if printed is None or figure.of is None:  # in words, such as "typically"
        if figure.facts.get("every"):
            return "all"
        return "more than half" if figure.facts["majority"] else "fewer than half"
    return _share(printed, figure.of)


def _share(count: float, of: float) -> str:
    if count == 0:
        return "none"
    if count == of:
        return "all"
    if 2 * count == of:
        return "half"
    return "more than half" if 2 * count > of else "fewer than half"


def _implies(ours: str, paper: str) -> bool:
    """Whether a share confirms the paper's: all is more than half, and none is fewer than half."""
    return ours == paper or (ours, paper) in {("all", "more than half"), ("none", "fewer than half")}


def _verdict(found: Found) -> str:
    if found.against:
        return "significant in the other direction"
    return "significant" if found.significant else "not significant"
