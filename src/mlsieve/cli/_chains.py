"""Options that the commands of chains share."""

from __future__ import annotations

import argparse

from mlsieve.cli._options import add_settings_argument, add_threads_argument


def add_chain_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the method, its parameters and seed, the measures and the threads."""
    parser.add_argument("--method", required=True, metavar="ID", help="such as rdt-dcc, xdcc or cc")
    add_fit_arguments(parser)


def add_fit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the parameters and the seed of a method, the measures and the threads."""
    add_settings_argument(parser)
    parser.add_argument("--measures", metavar="A,B", help="measures, separated by commas (default: all)")
    parser.add_argument(
        "--definition",
        metavar="NAME",
        help="definition of the measures: clus (default), sklearn, textbook or scls",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the method (default 0)")
    add_threads_argument(parser)
