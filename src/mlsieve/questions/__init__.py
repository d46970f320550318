"""The questions a study asks of its table of performance, and their answers as tables and findings."""

from mlsieve.questions.analysis import Analysis
from mlsieve.questions.findings import Finding
from mlsieve.questions.run import Answers, records, run_questions
from mlsieve.questions.table import PerformanceTable, read_performance

__all__ = [
    "Analysis",
    "Answers",
    "Finding",
    "PerformanceTable",
    "read_performance",
    "records",
    "run_questions",
]
