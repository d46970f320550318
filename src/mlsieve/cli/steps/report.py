"""``mlsieve step report``: a study's page, where its numbers come from, and texts for a paper."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import HTML_FILE, JSON_FILE, require_replaceable

HELP = "write a study's report.html, provenance.json and texts for a paper"
EXAMPLE = "mlsieve step report results/quickstart"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("folder", metavar="FOLDER", help="results/<study>, after its figures are drawn")
    parser.add_argument("-o", "--output", type=HTML_FILE, metavar="HTML", help="default: FOLDER/report.html")
    parser.add_argument(
        "--provenance", type=JSON_FILE, metavar="JSON", help="default: FOLDER/provenance.json"
    )
    parser.add_argument(
        "--paper",
        metavar="PAPER",
        help="folder of methods, results and tables for a paper (default: FOLDER/paper)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the page, the record, and the texts."""
    from pathlib import Path

    from mlsieve.files.writing import write_json, write_text
    from mlsieve.paper.files import NAMES, write_paper
    from mlsieve.report import build_report, study_texts
    from mlsieve.tables.provenance import provenance
    from mlsieve.workflow.step_settings import read_study

    folder = Path(args.folder)
    paper = Path(args.paper or folder / "paper")
    for name in NAMES:
        require_replaceable(str(paper / name), force=args.force)
    record = provenance(read_study(folder / "configuration" / "study.json"))
    texts = study_texts(folder)
    page = build_report(folder, record, texts)
    write_json(args.provenance or folder / "provenance.json", record)
    write_paper(texts, paper)
    write_text(args.output or folder / "report.html", page)
    return 0
