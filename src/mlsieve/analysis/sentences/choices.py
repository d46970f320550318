"""Sentences about the sizes and ensembles that later questions use."""

from __future__ import annotations

from collections.abc import Mapping

from mlsieve.analysis.choices import OWN_INSTEAD, Choices, several_sizes
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.sentences.wording import listed

CONVENTION = (
    "This size is a convention, not a finding: where no test is significant, it is the smallest of all. That "
    "is no evidence that more trees or more examples are useless."
)
_RULE = "the smallest size whose average rank differs from the best by less than Nemenyi's critical distance"
SAME_DATA = "The choice and the tests that follow use the same datasets."


def size_sentences(choices: Choices, table: PerformanceTable) -> list[str]:
    """Return which sizes later questions use, and which the study itself would choose.

    A method with a single size leaves nothing to choose, and is left out.
    """
    labels = [*table.pairs()["label"], *several_sizes(table)["label"]]
    chosen = {label: choices.size(label) for label in labels if len(choices.sizes_of(label)) > 1}
    own = {label: choices.size(label, "own")[0] for label in chosen}
    if choices.analysis.choice == "own":
        return [
            f"Later questions use, for each ranking, {_RULE} on every measure where Friedman's test is "
            f"significant: {_sizes(table, chosen)}. {CONVENTION} {SAME_DATA}"
        ]
    known = {label: found for label, found in chosen.items() if found[1] != OWN_INSTEAD}
    instead = {label: (found[0], "") for label, found in chosen.items() if label not in known}
    sentences = []
    if known:
        whose = "paper's" if choices.analysis.paper else "configured"
        sentences += [
            f"Later questions use the {whose} sizes: {_sizes(table, known)}.",
            f"This study would choose {_RULE} on every measure where Friedman's test is significant: "
            f"{_sizes(table, {label: (own[label], '') for label in known})}. {CONVENTION}",
        ]
    if instead:
        sentences.append(
            f"Where the paper's sizes are not known, later questions use {_RULE} on every measure where "
            f"Friedman's test is significant: {_sizes(table, instead)}. {CONVENTION} {SAME_DATA}"
        )
    return sentences


def _sizes(table: PerformanceTable, chosen: dict[str, tuple[int, str]]) -> str:
    several = set(several_sizes(table)["label"])
    return listed(
        f"{label} {table.by_label[label].size_in_words(size) if label in several else size}"
        + (f" ({note})" if note else "")
        for label, (size, note) in chosen.items()
    )


def ensemble_sentences(choices: Choices, table: PerformanceTable) -> list[str]:
    """Return which ensembles later questions use, and which have the best mean rank here.

    A score of a single ensemble leaves nothing to choose, and is left out.
    """
    several = (score for score, count in choices.ensembles_by_score().items() if count > 1)
    found = {score: choices.ensemble(score) for score in several}
    if not found:
        return []
    own = {score: (choices.ensemble(score, "own")[0], "") for score in found}
    if choices.analysis.choice == "own":
        return [f"Later questions use the ensembles with the best mean rank: {_ensembles(found)}."]
    known = {score: chosen for score, chosen in found.items() if chosen[1] != OWN_INSTEAD}
    instead = {score: (chosen[0], "") for score, chosen in found.items() if score not in known}
    sentences = []
    if known:
        whose = "paper's" if choices.analysis.paper else "configured"
        sentences.append(f"Later questions use the {whose} ensembles: {_ensembles(known)}.")
        sentences.append(
            "In this study, the ensembles with the best mean rank are "
            f"{_ensembles({score: own[score] for score in known})}; the first place does not imply a "
            "significant difference."
        )
    if instead:
        sentences.append(
            "Where the paper's ensembles are not known, later questions use those with the best mean rank: "
            f"{_ensembles(instead)}."
        )
    return sentences


def _ensembles(chosen: Mapping[str, tuple[str | None, str]]) -> str:
    return listed(
        f"{score} with {name}" + (f" ({note})" if note else "") for score, (name, note) in chosen.items()
    )
