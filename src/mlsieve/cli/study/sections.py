"""``mlsieve sections``: what the sections of a study's report say."""

from __future__ import annotations

import argparse

HELP = "compute the content of a report's sections: sentences, counts and tables"
EXAMPLE = "mlsieve sections results/quickstart"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("folder", metavar="FOLDER", help="results/<study>, after its tests are done")
    parser.add_argument("-o", "--output", metavar="JSON", help="default: FOLDER/sections.json")


def run(args: argparse.Namespace) -> int:
    """Write the sections."""
    from pathlib import Path

    from mlsieve.files.writing import write_json
    from mlsieve.sections import sections_of
    from mlsieve.workflow.step_settings import read_study

    folder = Path(args.folder)
    content = read_study(folder / "configuration" / "jobs.json").content
    write_json(args.output or folder / "sections.json", sections_of(folder, content))
    return 0
