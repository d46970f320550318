"""``mlsieve grow``: grow one ensemble of trees and keep it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from mlsieve.cli._options import (
    add_data_arguments,
    add_settings_argument,
    add_threads_argument,
    dataset_from,
    positive_threads,
    seed_number,
    settings_from,
    split_facts,
    whole_number,
)
from mlsieve.cli._outputs import ARRAY_FILE
from mlsieve.errors import number_of

HELP = "grow an ensemble of trees"
EXAMPLE = "mlsieve grow synthetic-linear --ensemble random-forest --trees 250 -o ensemble.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data_arguments(parser)
    parser.add_argument(
        "--rows", choices=("train", "all"), default="train", help="rows to learn from (default train)"
    )
    parser.add_argument(
        "--method", default="pct", metavar="ID", help="ranker that grows the trees (default pct)"
    )
    parser.add_argument("--ensemble", metavar="KIND", help="bagging, random-forest (default) or extra-trees")
    parser.add_argument(
        "--scores",
        metavar="A,B",
        help="scores to compute from the trees later (default: all); statistics for others are not gathered",
    )
    parser.add_argument(
        "--trees", type=whole_number, default=100, metavar="N", help="number of trees (default 100)"
    )
    parser.add_argument(
        "--seed", type=seed_number, default=0, metavar="S", help="seed of the trees (default 0)"
    )
    add_threads_argument(parser)
    add_settings_argument(parser)
    parser.add_argument("-o", "--output", type=ARRAY_FILE, required=True, metavar="ensemble.npz")


def run(args: argparse.Namespace) -> None:
    """Grow and save."""
    from mlsieve.costs.measured import WorkClock
    from mlsieve.data.splits import record_of_rows
    from mlsieve.files.writing import is_of_study
    from mlsieve.rankers.tree_rankings import default_ensemble, grow_for_dataset, tree_ranker

    threads = positive_threads(args)
    dataset, clock = dataset_from(args), WorkClock()
    ensemble = grow_for_dataset(
        dataset,
        ensemble=args.ensemble or default_ensemble(tree_ranker(args.method)),
        n_trees=args.trees,
        settings=settings_from(args.settings),
        method=args.method,
        scores=None if args.scores is None else args.scores.split(","),
        rows=args.rows,
        seed=args.seed,
        n_threads=threads,
        clock=clock,
    )
    if not is_of_study(args.output):
        split = {**split_facts(args), "repeat": args.repeat}
        learned_on = record_of_rows(dataset, args.rows, split)
        ensemble = replace(ensemble, facts={**ensemble.facts, "learned_on": learned_on})
    ensemble.save(args.output)
    print(
        f"{args.output}: {number_of(ensemble.n_trees, 'tree')}, "
        f"{number_of(len(ensemble.nodes['feature']), 'node')}",
        file=sys.stderr,
    )
    clock.log()
