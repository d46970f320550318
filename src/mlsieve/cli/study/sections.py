"""``mlsieve sections``: what the sections of a study's report say."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import OutputFile

HELP = "compute the content of a report's sections: sentences, counts and tables"
EXAMPLE = "mlsieve sections results/quickstart"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("folder", metavar="FOLDER", help="results/<study>, after its tests are done")
    where = "default: FOLDER/worked.csv, if it is there; without a file: none"
    parser.add_argument("--worked", metavar="CSV", nargs="*", help=where)
    parser.add_argument(
        "-o", "--output", type=OutputFile, metavar="JSON", help="default: FOLDER/sections.json"
    )


def run(args: argparse.Namespace) -> int:
    """Write the sections."""
    from pathlib import Path

    from mlsieve.files.csv_tables import read_frame
    from mlsieve.files.writing import write_json
    from mlsieve.sections import sections_of
    from mlsieve.workflow.step_settings import read_study

    folder = Path(args.folder)
    content = read_study(folder / "configuration" / "jobs.json").content
    beside = folder / "worked.csv"
    given = [beside] * beside.is_file() if args.worked is None else args.worked
    worked = read_frame(given[0]) if given else None
    write_json(args.output or folder / "sections.json", sections_of(folder, content, worked))
    return 0
