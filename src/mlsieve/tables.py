"""Columns of the tables that several steps write or read."""

PERFORMANCE = (
    "dataset",
    "split",
    "method",
    "ensemble",
    "score",
    "size",
    "repeat",
    "evaluator",
    "measure",
    "definition",
    "value",
)
