"""``mlsieve step chain-tune``: measure one point of a method's grid within the training part."""

from __future__ import annotations

import argparse

from mlsieve.cli._chains import add_step_arguments, method_and_measures
from mlsieve.cli._options import dataset_from, settings_from, whole_number

HELP = "fit a chain to four fifths of the training part, and measure it on the other fifth"
EXAMPLE = (
    "mlsieve step chain-tune emotions --method xdcc --set depth=3 --variant cumulate=none"
    " --variant cumulate=sum --measures f1,subset-accuracy -o depth-3.json"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_step_arguments(parser)
    parser.add_argument(
        "--first-rounds",
        nargs="+",
        type=whole_number,
        default=[],
        metavar="N",
        help="fewer rounds of boosting after which the model is measured, too, each as a point of its own",
    )
    parser.add_argument(
        "--variant",
        dest="variants",
        action="append",
        nargs="*",
        metavar="NAME=VALUE",
        help="a way of predicting with the fitted model: parameters of prediction, such as cumulate=none;"
        " repeatable",
    )


def run(args: argparse.Namespace) -> None:
    """Fit, predict and measure."""
    from mlsieve.evaluation.chain_tuning import save_points, tune, variant_params
    from mlsieve.evaluation.chains import chain_measures

    method, names = method_and_measures(args)
    given = [settings_from(words, "--variant", "cumulate=none") for words in args.variants or [[]]]
    variants = [variant_params(method, params) for params in given]
    dataset = dataset_from(args)
    points = tune(
        method,
        dataset,
        variants,
        chain_measures(dataset, names, args.definition),
        first_rounds=args.first_rounds,
        split=args.split,
        split_seed=args.split_seed,
        repeat=args.repeat,
        folds=args.folds,
        seed=args.seed,
        n_threads=args.threads,
    )
    save_points(args.output, points)
