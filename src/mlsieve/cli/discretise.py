"""``mlsieve discretise``: numeric features as intervals, learned on the training part."""

from __future__ import annotations

import argparse
import sys
from typing import get_args

from mlsieve.cli._options import add_data_arguments, dataset_from, require_npz
from mlsieve.errors import UserError

HELP = "cut numeric features into intervals"
EXAMPLE = "mlsieve discretise yeast --method laim -o yeast-laim.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data_arguments(parser)
    parser.add_argument(
        "--method",
        default="laim",
        metavar="ID",
        help="laim (default), laim-boundaries, equal-width, equal-frequency, or none: an interval a value",
    )
    parser.add_argument(
        "--bins", type=int, default=5, metavar="N", help="intervals of the equal ones (default 5)"
    )
    parser.add_argument("-o", "--output", required=True, metavar="NPZ", help="prepared data set to write")


def run(args: argparse.Namespace) -> None:
    """Learn the cuts, apply them, write the data set."""
    import numpy as np

    from mlsieve.discretize import Discretization
    from mlsieve.discretize.of_dataset import discretise_dataset
    from mlsieve.errors import did_you_mean

    known = get_args(Discretization)
    if args.method not in known:
        raise UserError(f"unknown discretisation '{args.method}'", cure=did_you_mean(args.method, known))
    if args.bins < 2:
        raise UserError(f"--bins {args.bins}: fewer than two are no intervals", cure="give a number from 2")
    require_npz(args.output)
    dataset = dataset_from(args)
    found = discretise_dataset(dataset, args.method, bins=args.bins)
    found.save(args.output)
    intervals = np.array([len(found.categories[f]) for f in np.flatnonzero(~dataset.nominal)])
    told = f", {intervals.min()} to {intervals.max()} intervals each" if len(intervals) else ""
    print(f"{args.output}: {len(intervals)} of {len(found.categories)} features cut{told}", file=sys.stderr)
