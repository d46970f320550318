"""``mlsieve describe``: sizes and kinds of features of prepared datasets, as a table."""

from __future__ import annotations

import argparse

from mlsieve.cli._options import OutputFile, write_or_print

HELP = "describe prepared datasets in a table: rows, features, labels, whether all features are binary"
EXAMPLE = "mlsieve describe emotions.npz scene.npz -o datasets.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("data", nargs="+", metavar="NPZ", help="datasets as 'mlsieve prepare' writes them")
    parser.add_argument(
        "-o", "--output", type=OutputFile, metavar="CSV", help="write the table here instead of printing it"
    )


def run(args: argparse.Namespace) -> int:
    """Print or write the table."""
    from mlsieve.files.csv_tables import as_csv
    from mlsieve.tables.datasets import DATASETS, dataset_facts

    write_or_print(as_csv(DATASETS, dataset_facts(args.data)), args.output)
    return 0
