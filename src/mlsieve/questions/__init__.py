"""The questions a study asks of its table of performance, and their answers as tables and sentences."""

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.run import Answers, findings, run_questions
from mlsieve.questions.table import PerformanceTable, read_performance

__all__ = [
    "Analysis",
    "Answers",
    "PerformanceTable",
    "findings",
    "read_performance",
    "run_questions",
]
