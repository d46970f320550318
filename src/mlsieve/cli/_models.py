"""Prediction of rows without labels with the model of a file, for the commands of both kinds of methods."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from mlsieve.cli._options import entries_from, file_options, is_typed
from mlsieve.errors import UserError, number_of, printable

if TYPE_CHECKING:
    from mlsieve.evaluation.trained import TrainedModel

PREDICTIONS_HELP = (
    "write label sets, probabilities and sequences of labels here: .npz, or a row for each example in .csv,"
    " .arff or .parquet"
)
# What divides rows into two parts, of which a model without measures takes no notice.
_OF_SPLIT = ("test", "train_share", "split_seed", "repeat")


def write_row_predictions(args: argparse.Namespace, model: TrainedModel) -> None:
    """Read all rows of the data, without a look at labels, predict them and write ``--predictions``."""
    from mlsieve.data.exchange.unlabelled import load_rows
    from mlsieve.evaluation.prediction_tables import write_predictions
    from mlsieve.evaluation.trained import predict_rows

    given = [name for name in _OF_SPLIT if getattr(args, name)] + ["split"] * is_typed(args.split)
    if given:
        raise UserError(
            f"--{given[0].replace('_', '-')} is for measures, and all rows are predicted",
            hint="leave it out, or give -o TABLE, too",
        )
    rows = load_rows(
        args.data,
        model.features,
        mirror=args.mirror,
        entries=entries_from(args) if args.catalog else None,
        **file_options(args),
    )
    found = predict_rows(model, rows, args.threads)
    write_predictions(found, model.label_names, args.predictions)
    count = number_of(rows.X.shape[0], "row")
    print(
        printable(f"{args.predictions}: {count} of {rows.name}, predicted by {model.entry.id}"),
        file=sys.stderr,
    )
