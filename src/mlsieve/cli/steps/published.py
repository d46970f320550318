"""``mlsieve step published``: what a study's paper prints, beside what the study finds."""

from __future__ import annotations

import argparse
from typing import Any

from mlsieve.cli._outputs import CSV_FILE

HELP = "compare the numbers printed in a study's paper with the study's own"
EXAMPLE = "mlsieve step published results/scls_selection"
_FILES = ("performance", "tests", "ranks", "choices", "rankings")
_NAMES = {"ranks": "average_ranks.csv"}
_OPTIONAL = ("datasets", "similarity", "worked", "chain_runs", "chain_curves", "chain_steps")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("folder", metavar="FOLDER", help="results/<study>, after its tests are done")
    for name in _FILES:
        file = _NAMES.get(name, f"{name}.csv")
        parser.add_argument(f"--{name}", metavar="CSV", help=f"default: FOLDER/{file}")
    for name in _OPTIONAL:
        where = f"default: FOLDER/{name}.csv, if it is there; without a file: none"
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="CSV", nargs="*", help=where)
    parser.add_argument("-o", "--output", type=CSV_FILE, metavar="CSV", help="default: FOLDER/published.csv")
    parser.add_argument(
        "--columns", type=CSV_FILE, metavar="CSV", help="default: FOLDER/published_columns.csv"
    )


def run(args: argparse.Namespace) -> int:
    """Write both tables."""
    from pathlib import Path

    from mlsieve.files.csv_tables import as_csv
    from mlsieve.files.writing import write_text
    from mlsieve.published.setting import papers_beside
    from mlsieve.replication.columns import COLUMNS, column_rows
    from mlsieve.replication.rows import PUBLISHED, published_rows
    from mlsieve.workflow.step_settings import read_study

    folder = Path(args.folder)
    content = read_study(folder / "configuration" / "jobs.json").content
    tables = _tables(args, folder)

    rows = published_rows(content, tables)
    columns = [
        row for paper in papers_beside(content) for row in column_rows(content, tables.performance, paper)
    ]
    write_text(args.output or folder / "published.csv", as_csv(PUBLISHED, rows))
    write_text(args.columns or folder / "published_columns.csv", as_csv(COLUMNS, columns))
    return 0


def _tables(args: argparse.Namespace, folder: Any) -> Any:
    from pathlib import Path

    from mlsieve.analysis import Analysis, read_performance
    from mlsieve.configuration.merge import read_json
    from mlsieve.files.csv_tables import read_frame
    from mlsieve.replication.tables import StudyTables

    found: dict[str, Any] = {}
    for name in _FILES:
        path = Path(getattr(args, name) or folder / _NAMES.get(name, f"{name}.csv"))
        found[name] = read_performance(path) if name == "performance" else read_frame(path)
    for name in _OPTIONAL:
        given = getattr(args, name)
        beside = folder / f"{name}.csv"
        for path in [beside] * beside.is_file() if given is None else map(Path, given):
            found[name] = read_frame(path)
    section = folder / "configuration" / "analysis.json"
    return StudyTables(Analysis.from_mapping(read_json(section), file=str(section)), **found)
