"""Options of cross-validation that commands share."""

from __future__ import annotations

import argparse

from mlsieve.cli._options import MOST_REPEATS
from mlsieve.errors import UserError


def require_folds(args: argparse.Namespace, repeats: int | None) -> None:
    """Raise a UserError unless the options of a cross-validation go together; nothing without ``--cv``.

    Parameters
    ----------
    args : argparse.Namespace
        With the options of `mlsieve.cli._options.add_data_arguments`, and ``cv``.
    repeats : int or None
        What ``--repeats`` says: how many times the rows are divided into folds.
    """
    if args.cv is not None and args.cv < 2:
        raise UserError(f"--cv must be at least 2, got {args.cv}", hint="write e.g. --cv 5")
    if repeats is not None and repeats < 1:
        raise UserError(f"--repeats must be at least 1, got {repeats}", hint="write e.g. --repeats 3")
    if repeats is not None and repeats > MOST_REPEATS:
        most = f"--repeats must be at most {MOST_REPEATS}, got {repeats}"
        raise UserError(most, hint="write e.g. --repeats 3")
    if args.cv is None:
        return
    chosen = {
        "--test": args.test is not None,
        "--train-share": args.train_share is not None,
        "--repeat": args.repeat != 0,
        "--split": args.split != "official",
    }
    for option, given in chosen.items():
        if given:
            raise UserError(
                f"{option} cannot be combined with --cv, which divides all rows", hint="leave it out"
            )
