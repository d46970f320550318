"""Sentences about how a change affects the tests of one selector, and about baselines as good as it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlsieve.analysis.findings import Finding
from mlsieve.analysis.sentences.wording import listed, number
from mlsieve.analysis.verdicts import Verdict, place_of
from mlsieve.errors import number_of

if TYPE_CHECKING:
    from mlsieve.questions.methods.conclusion import Count


@dataclass(frozen=True)
class Change:
    """A change of the methods that are compared: one joins them, in place of another or not."""

    new: str
    old: str = ""

    @property
    def name(self) -> str:
        """Name of the comparison with this change in tests.csv."""
        return f"{self.new} for {self.old}" if self.old else f"with {self.new}"

    @classmethod
    def of_comparison(cls, name: str) -> Change:
        """Return the change that the name of a comparison in tests.csv describes."""
        new, _, old = name.removeprefix("with ").partition(" for ")
        return cls(new, old)


def change_findings(
    change: Change,
    before: Mapping[tuple[str, str], Verdict],
    after: Mapping[tuple[str, str], Verdict],
    reference: str,
) -> list[Finding]:
    """Return how one change affects the place of the reference method, and the tests.

    Parameters
    ----------
    change : Change
    before, after : mapping of (evaluator, measure) to Verdict
    reference : str
        The method that the verdicts are about.
    """
    kept = [key for key in after if key in before and _alike(change, before[key], after[key])]
    findings = []
    if kept:
        places = listed(place_of(key, list(after)) for key in kept)
        text = (
            f"{_sentence_case(change)}, neither the first place nor a verdict about the other methods "
            f"changes on {places}; {_news(change, {key: after[key] for key in kept}, reference)}."
        )
        findings.append(Finding(text, measure=kept[0][1] if len(kept) == 1 else ""))
    for key, verdict in after.items():
        if key in kept or key not in before:
            continue
        head = f"{_sentence_case(change)}, {place_of(key, list(after))}"
        text = f"{head}: {_difference(change, before[key], verdict, reference)}."
        findings.append(Finding(text, measure=key[1]))
    return findings


def _sentence_case(change: Change) -> str:
    """Return what was changed as the beginning of a sentence; a method's name keeps its letters."""
    return f"With {change.new} in place of {change.old}" if change.old else f"With {change.new} added"


def _alike(change: Change, before: Verdict, after: Verdict) -> bool:
    """Whether the first place, Friedman's verdict and those about single methods stay as they were.

    A method that replaces another one must have the same verdicts. A method that joins must neither be first
    nor significantly better than the reference method.
    """
    new, old = change.new, change.old

    def facts(verdict: Verdict) -> tuple[Any, ...]:
        parts = (verdict.first, verdict.beaten, verdict.ahead)
        names = [frozenset(new if method == old else method for method in part) for part in parts]
        return verdict.rejected, *(part if old else part - {new} for part in names)

    joined_behind = old or (new not in after.first and new not in after.ahead)
    return bool(joined_behind) and facts(before) == facts(after)


def _difference(change: Change, before: Verdict, after: Verdict, reference: str) -> str:
    """Return the effect of a change on one measure: the place, Friedman's test, the single methods."""
    new, old = change.new, change.old
    text = (
        f"{reference} has an average rank of {number(after.rank)}, place {after.place} of {after.n_methods}"
    )
    text += f" (before: {number(before.rank)}, place {before.place} of {before.n_methods})"
    parts = [text]
    if set(before.first) != set(after.first):
        parts.append(f"the first place goes to {listed(after.first)} instead of {listed(before.first)}")
    if before.rejected != after.rejected:
        parts.append(f"Friedman's test is {'now' if after.rejected else 'no longer'} significant")
    for was, now, word in (
        (before.beaten, after.beaten, "better"),
        (before.ahead, after.ahead, "worse"),
    ):
        lost = [method for method in was if method not in (*now, old)]
        gained = [method for method in now if method not in (*was, new)]
        if lost:
            parts.append(f"it is no longer significantly {word} than {listed(lost)}")
        if gained:
            parts.append(f"it is now significantly {word} than {listed(gained)}")
    news = _about(new, after)
    if old and _about(old, before).replace(old, new) != news:
        past = _about(old, before).replace("it is", "it was").replace("it does", "it did")
        news += f" (before: {past})"
    return "; ".join([*parts, news])


def _about(method: str, verdict: Verdict) -> str:
    if method in verdict.beaten:
        return f"it is significantly better than {method}"
    if method in verdict.ahead:
        return f"it is significantly worse than {method}"
    return f"it does not differ significantly from {method}"


def _news(change: Change, after: Mapping[tuple[str, str], Verdict], reference: str) -> str:
    """Return how the new method compares with the reference method."""
    new = change.new
    beaten = [key for key, verdict in after.items() if new in verdict.beaten]
    undecided = [key for key, verdict in after.items() if new in verdict.undecided]
    parts = []
    if beaten:
        parts.append(f"{reference} is significantly better than {new} on {_measures(beaten)}")
    if undecided:
        parts.append(
            f"the difference between {reference} and {new} is not significant on {_measures(undecided)}"
        )
    return ", and ".join(parts) or f"{new} is significantly better than {reference}"


def _measures(keys: Sequence[tuple[str, str]]) -> str:
    return listed(place_of(key, keys) for key in keys)


def count_findings(counts: Sequence[Count], reference: str) -> list[Finding]:
    """Return on how many datasets a method is at least as good as the reference method, by each measure."""
    if not counts or not any(count.datasets for count in counts):
        return []
    several = len({count.evaluator for count in counts}) > 1
    parts = [
        f"{count.as_good} of {number_of(count.datasets, 'dataset')} for {count.measure}"
        + (f" by {count.evaluator}" if several else "")
        + f" (the same value on {count.same})"
        for count in counts
    ]
    method = counts[0].method
    text = f"{method} is at least as good as {reference} on {listed(parts)}."
    return [Finding(text, methods=(method, reference))]
