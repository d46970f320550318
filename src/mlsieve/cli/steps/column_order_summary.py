"""``mlsieve step column-order-summary``: effects of the column order, joined and tested over datasets."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import CSV_FILE, JSON_FILE, write_or_print
from mlsieve.files.csv_tables import frame_as_csv

HELP = "summarise over datasets what the order of the columns changes, and test it"
EXAMPLE = "mlsieve step column-order-summary emotions.csv yeast.csv --summary summary.csv --tests tests.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("effects", nargs="*", metavar="CSV", help="tables of 'mlsieve step column-order'")
    parser.add_argument(
        "--analysis",
        metavar="JSON",
        help="a study's section 'analysis'; its significance, rounding and domains",
    )
    parser.add_argument("-o", "--output", type=CSV_FILE, metavar="CSV", help="write all tables, joined, here")
    parser.add_argument(
        "--summary",
        type=CSV_FILE,
        metavar="CSV",
        help="how alike rankings are, over datasets (default: printed)",
    )
    parser.add_argument("--tests", type=CSV_FILE, metavar="CSV", help="means and tests of the measures")
    parser.add_argument(
        "--findings", type=JSON_FILE, metavar="JSON", help="what the tables show, in sentences"
    )


def run(args: argparse.Namespace) -> int:
    """Write the tables.

    Raises
    ------
    UserError
        On a table of another kind, or the same observation in two tables.
    """
    from mlsieve.analysis import column_order as order_summary
    from mlsieve.analysis.sentences.orders import order_sentences
    from mlsieve.analysis.settings import Analysis
    from mlsieve.configuration.merge import read_json
    from mlsieve.files.writing import write_json, write_text

    section = read_json(args.analysis) if args.analysis else {}
    analysis = Analysis.from_mapping(section, file=args.analysis)
    effects = order_summary.read_effects(args.effects)
    summary = order_summary.summary(effects)
    tables = {args.output: effects, args.summary: summary}
    if args.tests or args.findings:
        tests = order_summary.tests(effects, analysis)
        tables[args.tests] = tests
        if args.findings:
            content = {"sentences": order_sentences(summary, tests, analysis.significance)}
            write_json(args.findings, content)
    for path, table in tables.items():
        if path:
            write_text(path, frame_as_csv(table, "NaN"))
    if not args.summary:
        write_or_print(frame_as_csv(summary, "NaN"), None)
    return 0
