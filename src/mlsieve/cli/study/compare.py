"""``mlsieve compare``: methods compared over datasets, from a table of results or a study's performance."""

from __future__ import annotations

import argparse

from mlsieve.cli._own_comparison import add_table_arguments, is_of_study, run_own
from mlsieve.cli._study_comparison import add_study_arguments, run_study

HELP = "compare methods over datasets: average ranks, tests, effect sizes, diagrams, text for a paper"
EXAMPLE = """mlsieve compare results.csv --measures AUC
  mlsieve compare results.csv --higher-is-better --reference mine --family domain -o comparison
  mlsieve compare errors.xlsx --lower-is-better --rope 0.01

  results.csv may be long (columns such as dataset, method, measure, value) or wide (one row a
  dataset, one column a method). Without -o, the answer is printed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_table_arguments(parser)
    add_study_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Compare the methods of the table."""
    return run_study(args) if is_of_study(args) else run_own(args)
