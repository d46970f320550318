"""``mlsieve evaluate``: predict and score in one step."""

from __future__ import annotations

import argparse

from mlsieve.cli._evaluation import (
    add_predict_arguments,
    add_score_arguments,
    chosen_measures,
    evaluations_from,
)
from mlsieve.cli._options import add_repeats_argument, write_or_print

HELP = "evaluate rankings as weights: predict and score in one step"
EXAMPLE = (
    "mlsieve evaluate emotions --ranking genie3.csv"
    " --evaluator weighted-knn --set k=15 --set ranges=all -o scores.csv\n"
    "  mlsieve evaluate yeast --split holdout --repeats 0-9 --ranking ten.npz --evaluator mlnb -o ten.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_predict_arguments(parser)
    add_repeats_argument(parser)
    add_score_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write or print one row per measure and ranking."""
    from mlsieve.evaluation.scoring import evaluation_table

    measures = chosen_measures(args)
    table = evaluation_table(
        evaluations_from(args),
        measures=measures,
        definition=args.definition,
        tidy=args.tidy,
        n_threads=args.threads,
    )
    write_or_print(table, args.output)
    return 0
