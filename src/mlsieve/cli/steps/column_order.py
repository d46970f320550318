"""``mlsieve step column-order``: what the order of columns does to the rankings of tree ensembles."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mlsieve.cli._evaluation import chosen_measures
from mlsieve.cli._options import (
    add_data_arguments,
    add_settings_argument,
    add_threads_argument,
    dataset_from,
    positive_threads,
    settings_from,
    whole_number,
    words,
)
from mlsieve.cli._outputs import add_table_argument, write_or_print

if TYPE_CHECKING:
    from mlsieve.evaluation.column_order import Use

HELP = "compare rankings between two orders of the columns and between two seeds, under both rules for ties"
EXAMPLE = (
    "mlsieve step column-order emotions --trees 50 --set k=15 --set ranges=all -o emotions.csv\n"
    "  mlsieve step column-order mine.csv --label-count -5 --evaluator none -o mine-order.csv"
)
NO_EVALUATOR = "none"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data_arguments(parser)
    parser.add_argument(
        "--trees", type=whole_number, default=50, metavar="N", help="trees of each ensemble (default 50)"
    )
    parser.add_argument(
        "--ensembles", metavar="A,B", help="bagging, random-forest, extra-trees (default: all)"
    )
    parser.add_argument("--scores", metavar="A,B", help="symbolic, genie3, permutation (default: all)")
    parser.add_argument(
        "--seeds",
        default="0,1",
        metavar="A,B",
        help="seed of the trees for both orders, and a second seed to compare it with (default 0,1)",
    )
    parser.add_argument(
        "--evaluator",
        default="weighted-knn",
        metavar="ID",
        help="evaluator of the rankings (default weighted-knn); none: compare the rankings alone",
    )
    add_settings_argument(parser)
    parser.add_argument("--measures", metavar="A,B", help="measures, separated by commas (default: all)")
    parser.add_argument(
        "--definition", metavar="NAME", help="definition of the measures, as in 'mlsieve evaluate'"
    )
    add_threads_argument(parser)
    add_table_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Print or write a row for each similarity and each measure.

    Raises
    ------
    UserError
        On a wrong option, or data that the evaluator does not take.
    """
    from mlsieve.evaluation.column_order import COLUMNS, order_effects
    from mlsieve.files.csv_tables import as_csv
    from mlsieve.trees.options import ENSEMBLES
    from mlsieve.trees.scores import SCORES

    seeds, threads, use = _seeds(args.seeds), positive_threads(args), _use(args)
    ensembles = _chosen("ensembles", args.ensembles, ENSEMBLES)
    scores = _chosen("scores", args.scores, tuple(SCORES))
    _require_rankings(ensembles, scores)
    rows = order_effects(
        dataset_from(args),
        n_trees=args.trees,
        ensembles=ensembles,
        scores=scores,
        seeds=seeds,
        use=use,
        split=args.split,
        repeat=args.repeat,
        n_threads=threads,
    )
    for row in rows:
        row["value"] = "NaN" if row["value"] != row["value"] else repr(float(row["value"]))
    table = as_csv(COLUMNS, rows)
    write_or_print(table, args.output, f"The order of the columns of {args.data}")
    return 0


def _use(args: argparse.Namespace) -> Use | None:
    from mlsieve.errors import UserError
    from mlsieve.evaluation.column_order import Use
    from mlsieve.registry import check_parameters

    settings = settings_from(args.settings)
    if args.evaluator != NO_EVALUATOR:
        check_parameters("evaluator", args.evaluator, settings)  # before anything is read
        return Use(args.evaluator, settings, chosen_measures(args), args.definition)
    for option, given in (("set", settings), ("measures", args.measures), ("definition", args.definition)):
        if given:
            raise UserError(
                f"--{option} cannot be combined with --evaluator none", hint=f"leave out --{option}"
            )
    return None


def _seeds(text: str) -> tuple[int, int]:
    from mlsieve.errors import UserError

    hint = "write e.g. --seeds 0,1"
    try:
        seeds = [int(word) for word in text.split(",")]
    except ValueError:
        raise UserError(f"--seeds {text}: not two whole numbers", hint=hint) from None
    if len(seeds) != 2 or seeds[0] == seeds[1]:
        raise UserError(f"--seeds {text}: not two different seeds", hint=hint)
    return seeds[0], seeds[1]


def _chosen(option: str, text: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a list names, each once, in the order of `known`; all of them without a list."""
    from mlsieve.errors import UserError, did_you_mean

    if text is None:
        return known
    names = words(text)
    for word in names:
        if word not in known:
            raise UserError(f"--{option}: unknown '{word}'", hint=did_you_mean(word, known))
    if not names:
        raise UserError(f"--{option}: no name is given", hint=f"write e.g. --{option} {known[0]}")
    return tuple(name for name in known if name in names)


def _require_rankings(ensembles: tuple[str, ...], scores: tuple[str, ...]) -> None:
    from mlsieve.trees.scores import no_out_of_bag

    if ensembles == ("extra-trees",) and scores == ("permutation",):
        raise no_out_of_bag()
