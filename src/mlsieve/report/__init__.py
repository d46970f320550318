"""A study's page: one HTML file that needs nothing else, not even a network."""

from mlsieve.report.page import build_report

__all__ = ["build_report"]
