"""How alike are the rankings of the scores, each with its chosen ensemble, and Relief's?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from mlsieve.questions.analysis import Analysis, Dataset
from mlsieve.questions.chain import Choices
from mlsieve.questions.compare import Answer
from mlsieve.questions.table import PerformanceTable
from mlsieve.questions.wording import listed
from mlsieve.registry import register


@dataclass(frozen=True)
class SimilarityKeys:
    """Keys of ``analysis`` for this question."""

    similarity_features: Annotated[
        Literal["all", "positive"],
        "FUJI compares all features, as published, or leaves out those with no weight in either ranking; "
        "also for the rankings of several seeds",
    ] = "all"
    similarity_dataset: Annotated[
        Dataset | None, "the dataset whose curves of similarity are drawn; the first by default"
    ] = None


@register.question(
    "similarity",
    version=1,
    order=12,
    title="How alike are the rankings?",
    settings=SimilarityKeys,
    tables={"figures": ("similarity", "curves"), "report": ("similarity", "curves")},
)
def similarity(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """No test: FUJI similarity of the rankings themselves, which ``mlsieve similarity`` computes.

    Compared are the scores, each with its chosen ensemble and size, and the rival (Relief) at its size.
    """
    labels = choices.labels_of_scores("paper")
    labels += [analysis.rival] if analysis.rival in table.singles() else []
    if len(labels) > 1:
        return Answer()
    return Answer(notes=[f"there is nothing to compare {listed(labels) or 'no ranking'} with"])
