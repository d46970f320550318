"""A study's page: one HTML file that needs nothing else, not even a network."""

from mlsieve.report.page import build_report
from mlsieve.report.paper_texts import study_texts

__all__ = ["build_report", "study_texts"]
