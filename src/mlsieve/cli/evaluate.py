"""``mlsieve evaluate``: predict and score in one step."""

from __future__ import annotations

import argparse

from mlsieve.cli._evaluation import (
    add_predict_arguments,
    add_score_arguments,
    chosen_measures,
    votes_from,
    write_scores,
)

HELP = "measure how well rankings serve as weights: predict and score in one step"
EXAMPLE = (
    "mlsieve evaluate emotions --ranking genie3.csv"
    " --evaluator weighted-knn --set k=15 --set ranges=all -o scores.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_predict_arguments(parser)
    add_score_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write or print one row a measure and ranking."""
    chosen_measures(args)
    write_scores(votes_from(args), args)
    return 0
