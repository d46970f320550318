"""``mlsieve schema``: the JSON schema of a study's configuration."""

from __future__ import annotations

import argparse

HELP = "write the JSON schema of a study's configuration, from what is registered"
EXAMPLE = "mlsieve schema -o config/schema.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("-o", "--output", metavar="JSON", help="default: standard output")


def run(args: argparse.Namespace) -> int:
    """Write or print the schema."""
    from mlsieve.configuration.schema import schema_text

    if args.output:
        from mlsieve.files import write_text

        write_text(args.output, schema_text())
    else:
        print(schema_text(), end="")
    return 0
