"""``mlsieve schema``: the JSON schema of a study's configuration."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import JSON_FILE, write_or_print
from mlsieve.errors import UserError

HELP = "write the JSON schema of a study's configuration, from what is registered"
EXAMPLE = "mlsieve schema -o config/schema.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("-o", "--output", type=JSON_FILE, metavar="JSON", help="default: standard output")
    parser.add_argument(
        "--page",
        metavar="MARKDOWN",
        help="renew the tables of keys in this page instead, such as config/README.md",
    )


def run(args: argparse.Namespace) -> int:
    """Write or print the schema."""
    from pathlib import Path

    from mlsieve.configuration.key_tables import with_tables
    from mlsieve.configuration.schema import schema_text
    from mlsieve.files.writing import write_text

    if args.page and args.output:
        raise UserError(
            "--output cannot be combined with --page, which writes into the page itself",
            hint="run the command twice",
        )
    if args.page:
        write_text(args.page, with_tables(Path(args.page).read_text(encoding="utf-8")))
    else:
        write_or_print(schema_text(), args.output)
    return 0
