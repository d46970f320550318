"""``mlsieve score``: measures of stored predictions."""

from __future__ import annotations

import argparse

from mlsieve.cli._evaluation import add_score_arguments, chosen_measures
from mlsieve.cli._options import InputFile
from mlsieve.cli._outputs import write_or_print

HELP = "compute measures from the predictions that 'mlsieve predict' wrote"
EXAMPLE = "mlsieve score predictions.npz --measures hamming-loss,pooled-auprc -o scores.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("predictions", type=InputFile, metavar="NPZ", help="file of predictions")
    add_score_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write or print one row per measure and ranking."""
    from mlsieve.evaluation.predictions import Predictions
    from mlsieve.evaluation.scoring import scores_table

    measures = chosen_measures(args)
    predictions = Predictions.load(args.predictions)
    table = scores_table(predictions, measures=measures, definition=args.definition, tidy=args.tidy)
    write_or_print(table, args.output, f"Measures of {args.predictions}")
    return 0
