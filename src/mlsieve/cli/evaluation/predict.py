"""``mlsieve predict``: the predictions under rankings."""

from __future__ import annotations

import argparse

from mlsieve.cli._evaluation import add_predict_arguments, evaluation_from, print_notes
from mlsieve.cli._outputs import ARRAY_FILE

HELP = "predict the test part of a dataset, with rankings as weights"
EXAMPLE = (
    "mlsieve predict emotions --ranking genie3.csv"
    " --evaluator weighted-knn --set k=15 --set ranges=all -o predictions.npz"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_predict_arguments(parser)
    parser.add_argument("-o", "--output", type=ARRAY_FILE, required=True, metavar="NPZ", help="file to write")


def run(args: argparse.Namespace) -> int:
    """Write the predictions under all rankings."""
    from mlsieve.evaluation.predictions import stored_predictions

    notes: list[str] = []
    stored_predictions(evaluation_from(args, notes), args.threads).save(args.output)
    print_notes(notes)
    return 0
