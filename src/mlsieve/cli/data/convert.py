"""``mlsieve convert``: a dataset in another format."""

from __future__ import annotations

import argparse

from mlsieve.cli._options import (
    add_catalog_arguments,
    add_file_arguments,
    entries_from,
    file_options,
    tell_what_was_read,
)
from mlsieve.cli._outputs import STANDARD_OUTPUT, OutputFile, require_no_input, require_replaceable
from mlsieve.files.streams import data_output

_OUTPUT = "standard output"
HELP = "write a dataset in another format, by the ending of its name"
EXAMPLE = (
    "mlsieve convert mydata.csv converted.arff --labels sunny,rainy,windy\n"
    "  mlsieve convert emotions emotions.parquet --part train\n"
    "  mlsieve convert emotions - --to csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    from mlsieve.data.exchange.writers import FORMATS

    parser.add_argument("data", metavar="IN", help="prepared .npz, dataset id, or data file")
    parser.add_argument(
        "output",
        metavar="OUT",
        type=OutputFile,
        help="file to write: .arff (with an .xml that names the labels), .csv, .tsv, .parquet, .feather,"
        " .xlsx, .ods, .svm, .txt (XMLC repository), .rda or .npz; with --to, - is the standard output",
    )
    parser.add_argument("--to", choices=FORMATS, help="format to write (default: by the ending of OUT)")
    parser.add_argument(
        "--part",
        choices=("all", "train", "test"),
        default="all",
        help="rows to write (default all, the training part first)",
    )
    add_file_arguments(parser)
    add_catalog_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Read and write."""
    import os
    import sys

    import numpy as np

    from mlsieve.data import load_dataset
    from mlsieve.data.exchange.writers import (
        dataset_text,
        format_to_write,
        require_one_text,
        write_dataset,
        written_beside,
    )
    from mlsieve.errors import UserError, number_of

    to_output = args.output in STANDARD_OUTPUT
    if to_output and args.to is None:
        raise UserError(
            "the standard output has no ending", hint="give the format to write, such as --to csv"
        )
    file_format = format_to_write(args.output, args.to)
    if to_output:
        require_one_text(file_format, _OUTPUT)
    dataset = load_dataset(
        args.data,
        **file_options(args),
        mirror=args.mirror,
        entries=entries_from(args) if args.catalog else None,
    )
    tell_what_was_read(args.data, dataset)
    train = dataset.train_mask
    if args.part != "all":
        rows = np.flatnonzero(train if args.part == "train" else ~train)
        if not len(rows):
            raise UserError(
                f"--part {args.part}: dataset '{dataset.name}' has no such rows", hint="leave it out"
            )
        dataset = dataset.with_rows(rows)
    elif file_format != "prepared":
        dataset = dataset.with_rows(np.concatenate([np.flatnonzero(train), np.flatnonzero(~train)]))
    if to_output:
        with data_output() as stream:
            stream.write(dataset_text(dataset, file_format, _OUTPUT))
        return
    beside = written_beside(dataset, args.output, file_format)
    for path in beside:
        require_no_input(os.fspath(path), args)
        require_replaceable(os.fspath(path), force=args.force)
    write_dataset(dataset, args.output, file_format)
    files = [args.output, *map(str, beside)]
    edges = [path for path in beside if path.name.endswith("-hierarchy.csv")]
    again = f" (read it with --hierarchy {edges[0]})" if edges else ""
    print(f"{', '.join(files)}: {number_of(dataset.X.shape[0], 'row')}{again}", file=sys.stderr)
