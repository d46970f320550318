"""``mlsieve step chain-tables``: a study's tables of chains, joined from the files of its jobs."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import CSV_FILE

HELP = "join what 'mlsieve step chain-test' has written for a study to tables"
EXAMPLE = (
    "mlsieve step chain-tables emotions.json yeast.json --runs runs.csv --tuning tuning.csv"
    " --curves curves.csv --steps steps.csv --orders orders.csv"
)
_OPTIONS = {
    "runs": "each model and variant: its parameters, measures and seconds",
    "tuning": "each point of the grids",
    "curves": "measures by length of the chain, share of label tests or random order",
    "steps": "what each step of the chains sets",
    "orders": "the mean position of each label",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("files", nargs="*", metavar="JSON", help="files of 'mlsieve step chain-test'")
    for name, what in _OPTIONS.items():
        parser.add_argument(f"--{name}", type=CSV_FILE, metavar="CSV", required=True, help=f"output: {what}")


def run(args: argparse.Namespace) -> None:
    """Write the tables."""
    from mlsieve.files.writing import write_text
    from mlsieve.tables.chains import chain_tables

    for name, text in chain_tables(args.files).items():
        write_text(getattr(args, name), text)
