"""How many trees does the order of the features need to settle?"""

from __future__ import annotations

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices
from mlsieve.questions.compare import Answer
from mlsieve.questions.table import PerformanceTable
from mlsieve.registry import register


@register.question(
    "convergence",
    version=1,
    order=1.5,
    title="How does the order of the features settle with more trees?",
    tables={"figures": ("convergence",), "report": ("convergence", "convergence_by_dataset")},
)
def convergence(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """No test: agreement of rankings of fewer trees with that of the most, which another step computes.

    By ``mlsieve convergence`` (Petković, Džeroski, Kocev, Machine Learning 2020, Corollary 1).
    """
    pairs = table.pairs()
    if (pairs["sizes"].map(len) > 1).any():
        return Answer()
    return Answer(notes=["no ensemble has rankings at several numbers of trees"])
