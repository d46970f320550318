"""``mlsieve step worked-example``: the first iterations of SCLS and AMI, number by number."""

from __future__ import annotations

import argparse

from mlsieve.cli._options import (
    add_catalog_arguments,
    add_file_arguments,
    file_options,
    whole_number,
)
from mlsieve.cli._outputs import TABLE_FILE, write_or_print
from mlsieve.files.streams import csv_writer

HELP = "work out the first iterations of SCLS and AMI"
EXAMPLE = "mlsieve step worked-example bibtex --features 0,381,951,1823 -o worked.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("data", metavar="DATA", help="prepared .npz, dataset id, or data file")
    add_file_arguments(parser)
    add_catalog_arguments(parser)
    parser.add_argument(
        "--iterations", type=whole_number, default=2, metavar="N", help="how many (default 2)"
    )
    parser.add_argument(
        "--features", metavar="I,J", help="indices (from 0) of features to show beside the selected ones"
    )
    parser.add_argument(
        "--discretize",
        default="laim",
        metavar="ID",
        help="discretisation of numeric features: laim (default), laim-boundaries, mdlp, equal-width,"
        " equal-frequency, none",
    )
    parser.add_argument("-o", "--output", type=TABLE_FILE, metavar="CSV", help="default: standard output")


def run(args: argparse.Namespace) -> None:
    """Work the iterations out on all rows, and write a row per feature."""
    import io
    from typing import get_args

    from mlsieve.cli._options import entries_from
    from mlsieve.data import load_dataset
    from mlsieve.discretize import Discretization
    from mlsieve.errors import UserError, did_you_mean
    from mlsieve.tables.worked_example import WORKED_COLUMNS, worked_example

    known = get_args(Discretization)
    if args.discretize not in known:
        raise UserError(
            f"unknown discretisation '{args.discretize}'", hint=did_you_mean(args.discretize, known)
        )
    if args.iterations < 1:
        raise UserError(
            f"--iterations must be at least 1, got {args.iterations}", hint="write e.g. --iterations 5"
        )
    try:
        features = [int(word) for word in (args.features or "").split(",") if word.strip()]
    except ValueError:
        raise UserError(f"--features {args.features}: not whole numbers", hint="write e.g. 0,381") from None
    dataset = load_dataset(
        args.data,
        **file_options(args),
        mirror=args.mirror,
        entries=entries_from(args) if args.catalog else None,
    )
    rows = worked_example(dataset, iterations=args.iterations, features=features, discretize=args.discretize)
    text = io.StringIO(newline="")
    writer = csv_writer(text)
    writer.writerow(WORKED_COLUMNS)
    for row in rows:
        cells = (getattr(row, name) for name in WORKED_COLUMNS)
        # Sums of logarithms differ in the last digits from machine to machine.
        writer.writerow([f"{cell:.10g}" if isinstance(cell, float) else cell for cell in cells])
    write_or_print(text.getvalue(), args.output, "A worked example")
