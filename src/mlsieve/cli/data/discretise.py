"""``mlsieve discretise``: numeric features as intervals, learned on the training part."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, get_args

from mlsieve.cli._options import (
    add_data_arguments,
    add_repeats_argument,
    split_facts,
    splits_from,
    whole_number,
)
from mlsieve.cli._outputs import ARRAY_FILE
from mlsieve.errors import UserError

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset
    from mlsieve.discretize import Cuts

HELP = "cut numeric features into intervals"
EXAMPLE = (
    "mlsieve discretise yeast --method laim -o yeast-laim.npz\n"
    "  mlsieve discretise yeast --split holdout --repeats 0-9 --cuts cuts.npz"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data_arguments(parser)
    add_repeats_argument(parser)
    parser.add_argument(
        "--method",
        default="laim",
        metavar="ID",
        help="laim (default), laim-boundaries, mdlp, equal-width, equal-frequency, none (an interval for each"
        " value)",
    )
    parser.add_argument(
        "--bins",
        type=whole_number,
        default=5,
        metavar="N",
        help="number of intervals of equal-width and equal-frequency (default 5)",
    )
    parser.add_argument("-o", "--output", type=ARRAY_FILE, metavar="NPZ", help="prepared dataset to write")
    parser.add_argument(
        "--cuts",
        type=ARRAY_FILE,
        metavar="NPZ",
        help="write only the cuts, for --cuts of rank, predict and evaluate",
    )


def run(args: argparse.Namespace) -> None:
    """Learn the cuts of each split; write the dataset, the cuts, or both."""
    from mlsieve.discretize import Discretization
    from mlsieve.discretize.files import SplitCuts
    from mlsieve.discretize.of_dataset import learn_dataset_cuts, with_cuts
    from mlsieve.errors import did_you_mean

    known = get_args(Discretization)
    if args.method not in known:
        raise UserError(f"unknown discretisation '{args.method}'", hint=did_you_mean(args.method, known))
    if args.bins < 2:
        raise UserError(f"--bins must be at least 2, got {args.bins}", hint="write e.g. --bins 5")
    if args.bins > 100_000:
        raise UserError(f"--bins must be at most 100000, got {args.bins}", hint="write e.g. --bins 5")
    if args.output is None and args.cuts is None:
        raise UserError("no output is given", hint="give -o data.npz, or --cuts cuts.npz")
    if args.output is not None and args.repeats is not None:
        raise UserError(
            "-o with --repeats: a dataset file contains one split",
            hint="give --repeat, or --cuts in place of -o",
        )
    facts = {"method": args.method, "bins": args.bins, "split": split_facts(args)}
    found: dict[int, Cuts] = {}
    for repeat, dataset in splits_from(args):
        facts["dataset"] = dataset.name
        found[repeat] = learn_dataset_cuts(dataset, args.method, bins=args.bins)
        if args.output is not None:
            with_cuts(dataset, found[repeat], facts).save(args.output, overwrite=True)
    if args.cuts is not None:
        SplitCuts(found, facts).save(args.cuts)
    print(f"{args.output or args.cuts}: {_summary(dataset, found[repeat])}", file=sys.stderr)


def _summary(dataset: Dataset, cuts: Cuts) -> str:
    """Return how many features were cut, and into how many intervals."""
    import numpy as np

    intervals = np.diff(cuts.start)[cuts.numeric] + 1
    numbers = f", {intervals.min()} to {intervals.max()} intervals each" if len(intervals) else ""
    return f"{len(intervals)} of {dataset.X.shape[1]} features cut{numbers}"
