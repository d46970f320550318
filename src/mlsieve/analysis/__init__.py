"""The questions that a study asks of its table of performance, and the answers as tables and findings."""

from mlsieve.analysis.findings import Finding
from mlsieve.analysis.performance import PerformanceTable, read_performance
from mlsieve.analysis.run import Answers, records, run_questions
from mlsieve.analysis.settings import Analysis

__all__ = [
    "Analysis",
    "Answers",
    "Finding",
    "PerformanceTable",
    "read_performance",
    "records",
    "run_questions",
]
