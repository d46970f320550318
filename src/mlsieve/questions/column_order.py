"""What does the order of the columns do to rankings?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices
from mlsieve.questions.compare import Answer
from mlsieve.questions.table import PerformanceTable
from mlsieve.registry import register
from mlsieve.study.column_order import QUESTION, ColumnOrder


@dataclass(frozen=True)
class ColumnOrderKeys:
    """Keys of ``analysis`` for this question."""

    column_order: Annotated[ColumnOrder | None, "what is grown on reversed columns"] = None


@register.question(
    QUESTION,
    version=1,
    order=13,
    title="What does the order of the columns change?",
    settings=ColumnOrderKeys,
    tables={
        "report": (
            "column_order",
            "column_order_summary",
            "column_order_tests",
            "column_order_findings",
        )
    },
)
def column_order(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """No test of the study's own rankings: ``mlsieve column-order`` grows trees on reversed columns for it.

    ``mlsieve column-order-summary`` tests and words what they show.
    """
    return Answer()
