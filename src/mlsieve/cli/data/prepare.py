"""``mlsieve prepare``: one canonical .npz from any dataset."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
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
    parser.add_argument(
        "--sha256",
        action="append",
        default=[],
        metavar="FILE=HEX",
        help="refuse to write if a file has another checksum than this; repeatable",
    )
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
    _require_content(args.sha256)
    with stage(
        f"writing {Path(args.output).name}", lambda: writing_seconds(dataset, args.output, "prepared")
    ):
        dataset.save(args.output, overwrite=True)
    print(f"{args.output}: {dataset.summary()}", file=sys.stderr)


def _require_content(given: Sequence[str]) -> None:
    """Raise a UserError if a file that was read is not the one whose checksum is given.

    It is computed after the file was read: what has been changed before is noticed, too.
    """
    from mlsieve.errors import UserError
    from mlsieve.files.checksums import sha256_of

    for word in given:
        path, _, digest = word.rpartition("=")
        if not path:
            raise UserError(f"--sha256 {word!r} names no file", hint="give FILE=HEX")
        if sha256_of(path) != digest:
            what = "has another content than when the study started"
            raise UserError(what, file=path, hint="run the study again")
