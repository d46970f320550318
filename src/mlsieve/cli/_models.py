"""Prediction of rows without labels with the model of a file, for the commands of both kinds of methods."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from mlsieve.cli._options import OF_CLASSES, OF_LABELS, entries_from, file_options, is_typed
from mlsieve.errors import UserError, number_of, printable

if TYPE_CHECKING:
    from mlsieve.evaluation.trained import TrainedModel

PREDICTIONS_HELP = (
    "write label sets, probabilities and sequences of labels here: .npz, or a row for each example in .csv,"
    " .arff or .parquet"
)
# Options of which a model without measures takes no notice.
_OF_MEASURES = ("test", "split", "train_share", "split_seed", "repeat", "folds", *OF_LABELS, *OF_CLASSES)
_OF_COLUMNS = ("drop", "keep", "nominal")


def write_row_predictions(args: argparse.Namespace, model: TrainedModel, also: str = "") -> None:
    """Read all rows of the data, without a look at labels, predict them and write ``--predictions``.

    Parameters
    ----------
    args : argparse.Namespace
    model : TrainedModel
    also : str
        What makes the command measure, for the hint at an option that is for measures.
    """
    from mlsieve.data.exchange.unlabelled import load_rows
    from mlsieve.evaluation.prediction_tables import require_table, write_predictions
    from mlsieve.evaluation.trained import predict_rows

    for names, what, hint in (
        (_OF_MEASURES, "is for measures, and all rows are predicted", f"leave it out{also}"),
        (_OF_COLUMNS, "is for training, and the model knows its columns", "leave it out"),
    ):
        for name in names:
            if (given := getattr(args, name)) and is_typed(given):
                raise UserError(f"--{name.replace('_', '-')} {what}", hint=hint)
    require_table(model.entry, model.label_names, args.predictions)
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
