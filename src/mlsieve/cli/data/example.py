"""``mlsieve example``: a small dataset of one's own, to try commands on."""

from __future__ import annotations

import argparse
from pathlib import Path

from mlsieve.cli._outputs import require_replaceable

HELP = "write mydata.arff and mydata.xml, a small dataset to try commands on"
EXAMPLE = "mlsieve example\n  mlsieve rank mydata.arff --labels mydata.xml --method pct -o ranking.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", default=".", help="folder (default: the current one)"
    )


def run(args: argparse.Namespace) -> None:
    """Write the two files."""
    files = write_example(Path(args.folder), force=args.force)
    print(f"next: mlsieve rank {files[0]} --labels {files[1]} --method pct -o ranking.csv")


def write_example(folder: Path, *, force: bool) -> list[Path]:
    """Write mydata.arff and mydata.xml into a folder, and print what they hold.

    Parameters
    ----------
    folder : pathlib.Path
    force : bool
        Whether files that mlsieve did not write are replaced.

    Returns
    -------
    list of pathlib.Path
        The two files.
    """
    from mlsieve.data.exchange.writers import write_dataset, written_beside
    from mlsieve.data.generated.weather import weather

    data, path = weather(), folder / "mydata.arff"
    files = [path, *written_beside(data, path, "mulan")]
    for file in files:
        require_replaceable(str(file), force=force)
    write_dataset(data, path, "mulan")
    print(f"{' and '.join(map(str, files))}: {data.summary().partition(': ')[2]}")
    return files
