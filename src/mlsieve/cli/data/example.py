"""``mlsieve example``: a small dataset of one's own, to try commands on."""

from __future__ import annotations

import argparse
import filecmp
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

from mlsieve.cli._outputs import require_replaceable

HELP = "write a small dataset to try commands on: mydata.csv, and the same as mydata.arff with mydata.xml"
EXAMPLE = "mlsieve example\n  mlsieve rank mydata.csv --labels sunny,rainy,windy -o ranking.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", default=".", help="folder (default: the current one)"
    )


def run(args: argparse.Namespace) -> None:
    """Write the three files."""
    table = write_example(Path(args.folder), ("csv", "mulan"), force=args.force)[0]
    print(f"next: mlsieve rank {table} --labels sunny,rainy,windy -o ranking.csv")


def write_example(folder: Path, formats: Sequence[str] = ("mulan",), *, force: bool) -> list[Path]:
    """Write mydata in each format into a folder, and print what it holds.

    Parameters
    ----------
    folder : pathlib.Path
    formats : sequence of str
        Of "csv" and "mulan".
    force : bool
        Whether files that mlsieve did not write are replaced.

    Returns
    -------
    list of pathlib.Path
        The files.
    """
    from mlsieve.data.exchange.writers import write_dataset, written_beside
    from mlsieve.data.generated.weather import weather
    from mlsieve.errors import DataNotice, UserError
    from mlsieve.files.writing import write_text

    data = weather()
    paths = {form: folder / f"mydata.{'arff' if form == 'mulan' else form}" for form in formats}
    files = [file for form, path in paths.items() for file in (path, *written_beside(data, path, form))]
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as made:
        warnings.simplefilter("ignore", DataNotice)  # CSV loses the order of the seasons, which is of no use
        for form, path in paths.items():
            write_dataset(data, Path(made) / path.name, form)
        for file in files:  # a reader may have put data of their own into them, below the same first line
            require_replaceable(str(file), force=force)
            if file.exists() and not force and not filecmp.cmp(file, Path(made) / file.name, shallow=False):
                what = "already exists, with other data than this example"
                raise UserError(what, file=file, hint="choose another folder, or replace it with --force")
        for file in files:
            write_text(file, (Path(made) / file.name).read_text("utf-8"))
    print(f"{', '.join(map(str, files))}: {data.summary().partition(': ')[2]}", file=sys.stderr)
    return files
