"""``mlsieve step sections``: what the sections of a study's report say."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import CSV_FILE, JSON_FILE
from mlsieve.files.csv_tables import frame_as_csv

HELP = "compute the content of a report's sections, and the leaderboard: sentences, counts and tables"
EXAMPLE = "mlsieve step sections results/quickstart"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("folder", metavar="FOLDER", help="results/<study>, after its tests are done")
    where = "default: FOLDER/worked.csv, if it is there; without a file: none"
    parser.add_argument("--worked", metavar="CSV", nargs="*", help=where)
    parser.add_argument(
        "-o", "--output", type=JSON_FILE, metavar="JSON", help="default: FOLDER/sections.json"
    )
    for name, what in (("leaderboard", "all methods by mean rank"), ("leaderboard-tests", "their tests")):
        default = name.replace("-", "_")
        parser.add_argument(
            f"--{name}",
            type=CSV_FILE,
            metavar="CSV",
            help=f"{what} (default: FOLDER/{default}.csv)",
        )


def run(args: argparse.Namespace) -> int:
    """Write the sections."""
    from pathlib import Path

    from mlsieve.files.csv_tables import read_frame
    from mlsieve.files.writing import write_json, write_text
    from mlsieve.sections import sections_of
    from mlsieve.sections.leaderboard import frame_of, tests_of
    from mlsieve.workflow.step_settings import read_study

    folder = Path(args.folder)
    content = read_study(folder / "configuration" / "jobs.json").content
    beside = folder / "worked.csv"
    given = [beside] * beside.is_file() if args.worked is None else args.worked
    worked = read_frame(given[0]) if given else None
    sections, board = sections_of(folder, content, worked)
    write_json(args.output or folder / "sections.json", sections)
    for path, table in (
        (args.leaderboard or folder / "leaderboard.csv", frame_of(board)),
        (args.leaderboard_tests or folder / "leaderboard_tests.csv", tests_of(board)),
    ):
        write_text(path, frame_as_csv(table))
    return 0
