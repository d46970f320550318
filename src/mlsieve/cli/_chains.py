"""Options that the commands of chains share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mlsieve.cli._options import (
    add_data_arguments,
    add_settings_argument,
    add_threads_argument,
    positive_threads,
    seed_number,
    settings_from,
)
from mlsieve.cli._outputs import JSON_FILE

if TYPE_CHECKING:
    from mlsieve.evaluation.chains import ChainMethod


def add_step_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the data, the method and how it is fitted and measured, and the file of the result."""
    add_data_arguments(parser)
    parser.add_argument("--method", required=True, metavar="ID", help="such as rdt-dcc, xdcc or cc")
    add_fit_arguments(parser)
    parser.add_argument(
        "-o", "--output", type=JSON_FILE, metavar="JSON", required=True, help="write the result here"
    )


def method_and_measures(
    args: argparse.Namespace, *, more_follow: bool = False
) -> tuple[ChainMethod, list[str] | None]:
    """Return the method and the names of its measures, or None for all, checked before anything is read.

    Parameters
    ----------
    args : argparse.Namespace
    more_follow : bool
        Whether the method gets further parameters later, see `mlsieve.evaluation.chains.chain_method`.
    """
    from mlsieve.cli._evaluation import chosen_measures
    from mlsieve.evaluation.chains import chain_method

    positive_threads(args)
    names = chosen_measures(args)
    return chain_method(args.method, settings_from(args.settings), more_follow=more_follow), names


def add_fit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the parameters and the seed of a method, the measures and the threads."""
    add_settings_argument(parser)
    parser.add_argument("--measures", metavar="A,B", help="measures, separated by commas (default: all)")
    parser.add_argument(
        "--definition",
        metavar="NAME",
        help="definition of the measures: clus (default), sklearn, textbook or scls",
    )
    parser.add_argument(
        "--seed", type=seed_number, default=0, metavar="S", help="seed of the method (default 0)"
    )
    add_threads_argument(parser)
