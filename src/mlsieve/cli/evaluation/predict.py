"""``mlsieve predict``: the predictions under rankings."""

from __future__ import annotations

import argparse

from mlsieve.cli._evaluation import add_predict_arguments, evaluation_from, print_notes
from mlsieve.cli._models import PREDICTIONS_HELP, write_row_predictions
from mlsieve.cli._options import InputFile, is_typed, positive_threads
from mlsieve.cli._outputs import ARRAY_FILE, PREDICTIONS_FILE
from mlsieve.errors import UserError

HELP = "predict the test part of a dataset, with rankings as weights, or rows without labels, with a model"
EXAMPLE = (
    "mlsieve predict emotions --ranking genie3.csv"
    " --evaluator weighted-knn --set k=15 --set ranges=all -o predictions.npz\n"
    "  mlsieve predict mydata.csv --model model.npz --predictions rows.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_predict_arguments(parser, required=False)
    parser.add_argument(
        "-o",
        "--output",
        type=ARRAY_FILE,
        metavar="NPZ",
        help="with --ranking: file to write, for 'mlsieve score'",
    )
    parser.add_argument(
        "--model",
        type=InputFile,
        metavar="NPZ",
        help="in place of --ranking: predict all rows of DATA, which need no labels, with the model that"
        " 'mlsieve evaluate' or 'mlsieve chain' has written by --save-model; columns that it does not know"
        " are left out",
    )
    parser.add_argument(
        "--predictions",
        type=PREDICTIONS_FILE,
        metavar="FILE",
        help=f"with --model: {PREDICTIONS_HELP}",
    )


def run(args: argparse.Namespace) -> int:
    """Write the predictions under all rankings, or of a model."""
    from mlsieve.evaluation.predictions import stored_predictions

    _require_one_kind(args)
    if args.model is not None:
        from mlsieve.evaluation.trained import load_trained

        positive_threads(args)
        write_row_predictions(args, load_trained(args.model))
        return 0
    notes: list[str] = []
    stored_predictions(evaluation_from(args, notes), args.threads).save(args.output)
    print_notes(notes)
    return 0


def _require_one_kind(args: argparse.Namespace) -> None:
    """Refuse options that belong to rankings among those of a model, and the other way."""
    if (args.ranking is None) == (args.model is None):
        raise UserError(
            "give either --ranking or --model", hint="--ranking R -o NPZ, or --model M --predictions FILE"
        )
    if args.model is None:
        kind, output, path = "--ranking", "-o", args.output
        others = [("--predictions", args.predictions)]
    else:
        kind, output, path = "--model", "--predictions", args.predictions
        others = [("-o", args.output), ("--set", args.settings), ("--cuts", args.cuts)]
        others += [("--allow-leakage", args.allow_leakage), ("--evaluator", is_typed(args.evaluator))]
    for option, given in others:
        if given:
            hint = f"leave it out; {output} FILE names the output"
            raise UserError(f"{option} cannot be combined with {kind}", hint=hint)
    if path is None:
        raise UserError(f"{kind} without {output}: there is no file to write", hint=f"give {output} FILE")
