"""``mlsieve describe``: what datasets hold, as a table: of the datasets, or of one's labels or features."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mlsieve.cli._options import (
    add_catalog_arguments,
    add_file_arguments,
    entries_from,
    file_options,
    tell_what_was_read,
)
from mlsieve.cli._outputs import add_table_argument, write_or_print

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset

HELP = "describe datasets in a table, or the labels or features of one"
EXAMPLE = (
    "mlsieve describe emotions scene -o datasets.csv\n"
    "  mlsieve describe mydata.arff --labels mydata.xml --table labels"
)
_TABLES = ("datasets", "labels", "pairs", "features")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("data", nargs="+", metavar="DATA", help="prepared .npz, dataset id, or data file")
    parser.add_argument(
        "--table",
        choices=_TABLES,
        default="datasets",
        help="a row for each dataset (default); or of one dataset for each label, each two labels that occur"
        " together, or each feature",
    )
    add_file_arguments(parser)
    add_catalog_arguments(parser)
    add_table_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Print or write the table."""
    from mlsieve.data import load_dataset
    from mlsieve.errors import UserError
    from mlsieve.files.csv_tables import as_csv
    from mlsieve.tables import of_one_dataset as one
    from mlsieve.tables.datasets import DATASETS, dataset_facts

    if args.table != "datasets" and len(args.data) > 1:
        raise UserError(f"--table {args.table} is for one dataset, not {len(args.data)}", hint="give one")
    entries = entries_from(args) if args.catalog else None

    def read(data: str) -> Dataset:
        dataset = load_dataset(data, **file_options(args), mirror=args.mirror, entries=entries)
        tell_what_was_read(data, dataset)
        return dataset

    datasets = map(read, args.data)
    if args.table == "datasets":
        write_or_print(as_csv(DATASETS, dataset_facts(datasets)), args.output, "Datasets")
        return 0
    columns, rows = {
        "labels": (one.LABELS, one.label_rows),
        "pairs": (one.PAIRS, one.pair_rows),
        "features": (one.FEATURES, one.feature_rows),
    }[args.table]
    write_or_print(as_csv(columns, rows(next(datasets))), args.output, f"The {args.table} of {args.data[0]}")
    return 0
