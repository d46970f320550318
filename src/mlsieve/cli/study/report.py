"""``mlsieve report``: a study's page and the record of where its numbers come from."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import OutputFile

HELP = "write a study's report.html and provenance.json"
EXAMPLE = "mlsieve report results/quickstart"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("folder", metavar="FOLDER", help="results/<study>, after its figures are drawn")
    parser.add_argument("-o", "--output", type=OutputFile, metavar="HTML", help="default: FOLDER/report.html")
    parser.add_argument(
        "--provenance", type=OutputFile, metavar="JSON", help="default: FOLDER/provenance.json"
    )


def run(args: argparse.Namespace) -> int:
    """Write both files."""
    from pathlib import Path

    from mlsieve.files.writing import write_json, write_text
    from mlsieve.report import build_report
    from mlsieve.tables.provenance import provenance
    from mlsieve.workflow.step_settings import read_study

    folder = Path(args.folder)
    record = provenance(read_study(folder / "configuration" / "study.json"))
    page = build_report(folder, record)
    write_json(args.provenance or folder / "provenance.json", record)
    write_text(args.output or folder / "report.html", page)
    return 0
