"""``mlsieve score``: measures of stored votes."""

from __future__ import annotations

import argparse

from mlsieve.cli._evaluation import add_score_arguments, chosen_measures, write_table

HELP = "compute measures from the votes that 'mlsieve predict' wrote"
EXAMPLE = "mlsieve score votes.npz --measures hamming-loss,pooled-auprc -o scores.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("votes", metavar="NPZ", help="file of votes")
    add_score_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write or print one row a measure and ranking."""
    from mlsieve.evaluation.predictions import Votes
    from mlsieve.evaluation.scoring import scores_table

    measures = chosen_measures(args)
    votes = Votes.load(args.votes)
    write_table(scores_table(votes, measures=measures, definition=args.definition, tidy=args.tidy), args)
    return 0
