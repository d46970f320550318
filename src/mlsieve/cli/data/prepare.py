"""``mlsieve prepare``: one canonical .npz from any dataset."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mlsieve.cli._options import (
    add_catalog_arguments,
    add_file_arguments,
    entries_from,
    file_options,
)
from mlsieve.cli._outputs import ARRAY_FILE

HELP = "write a dataset as one prepared .npz"
EXAMPLE = "mlsieve prepare mine-train.arff --test mine-test.arff --labels mine.xml -o mine.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``mlsieve prepare``."""
    parser.add_argument("data", metavar="DATA", help="data file (ARFF or CSV), dataset id, or prepared .npz")
    add_file_arguments(parser)
    parser.add_argument(
        "--valid", metavar="FILE", help="further rows of the training part, where DATA is a file"
    )
    parser.add_argument(
        "--document-frequency",
        metavar="N",
        help="keep only so many features, those with the most nonzero rows: a number with a point"
        " is a share (0.05), without one a count",
    )
    parser.add_argument("--name", help="name of the dataset of a data file (default: the file's name)")
    add_catalog_arguments(parser)
    parser.add_argument("-o", "--output", type=ARRAY_FILE, required=True, metavar="NPZ", help="file to write")


def run(args: argparse.Namespace) -> None:
    """Read, check and write the dataset; print what it holds."""
    from mlsieve.data import load_dataset
    from mlsieve.data.exchange.writers import writing_seconds
    from mlsieve.data.feature_choices import document_frequency_from
    from mlsieve.progress import stage

    wanted = None if args.document_frequency is None else document_frequency_from(args.document_frequency)
    dataset = load_dataset(
        args.data,
        valid=args.valid,
        **file_options(args),
        document_frequency=wanted,
        name=args.name,
        mirror=args.mirror,
        entries=entries_from(args) if args.catalog else None,
    )
    with stage(
        f"writing {Path(args.output).name}", lambda: writing_seconds(dataset, args.output, "prepared")
    ):
        dataset.save(args.output, overwrite=True)
    print(f"{args.output}: {dataset.summary()}", file=sys.stderr)
