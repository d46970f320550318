"""``mlsieve show-tree``: one tree as text."""

from __future__ import annotations

import argparse

from mlsieve.cli._options import InputFile, whole_number

HELP = "show a tree of an ensemble as text"
EXAMPLE = "mlsieve show-tree ensemble.npz --tree 0 --depth 3"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=InputFile, metavar="ensemble.npz")
    parser.add_argument(
        "--tree", type=whole_number, default=0, metavar="T", help="which tree, from 0 (default 0)"
    )
    parser.add_argument(
        "--depth", type=whole_number, default=3, metavar="D", help="levels of tests to show (default 3)"
    )


def run(args: argparse.Namespace) -> None:
    """Print."""
    from mlsieve.trees.ensemble import Ensemble
    from mlsieve.trees.text import tree_text

    print(tree_text(Ensemble.load(args.file), args.tree, args.depth))
