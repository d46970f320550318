"""Options and steps that predict, score and evaluate share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mlsieve.cli._options import (
    ByDefault,
    add_cuts_argument,
    add_data_arguments,
    add_settings_argument,
    add_threads_argument,
    cuts_from,
    positive_threads,
    settings_from,
    split_facts,
    splits_from,
    words,
)
from mlsieve.cli._outputs import add_table_argument
from mlsieve.errors import UserError, printable

if TYPE_CHECKING:
    from mlsieve.evaluation.predictions import Evaluation


def add_predict_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the data, the rankings, which may be required, and the evaluator."""
    add_data_arguments(parser)
    parser.add_argument(
        "--ranking",
        action="append",
        required=required,
        metavar="FILE",
        help="ranking .csv or .npz of the data's features; may be repeated",
    )
    parser.add_argument(
        "--allow-leakage",
        action="store_true",
        help="evaluate a ranking that was learned on test rows, too, and name it on standard error",
    )
    parser.add_argument(
        "--evaluator",
        default=ByDefault("weighted-knn"),
        metavar="ID",
        help="evaluator of the rankings (default weighted-knn; 'mlsieve methods' lists them)",
    )
    add_settings_argument(parser, "evaluator")
    add_cuts_argument(parser)
    add_threads_argument(parser)


def add_score_arguments(parser: argparse.ArgumentParser, further: str = "") -> None:
    """Add the measures and the table's form, of which the help may say a further thing."""
    parser.add_argument("--measures", metavar="A,B", help="measures, separated by commas (default: all)")
    parser.add_argument(
        "--definition",
        metavar="NAME",
        help="clus (default for flat labels), paper (default for labels with a hierarchy), sklearn, textbook"
        " or scls",
    )
    parser.add_argument(
        "--tidy", action="store_true", help=f"one row per observation, with all its descriptors{further}"
    )
    add_table_argument(parser)


def chosen_measures(args: argparse.Namespace) -> list[str] | None:
    """Return the measures asked for, after checking that they exist for some data; None for all."""
    from mlsieve.measures import choose

    names = None
    if args.measures not in (None, "all"):
        names = words(args.measures)
        if not names:
            raise UserError("--measures names no measure", hint="write e.g. --measures hamming-loss,f1")
    choose(names, args.definition, hierarchical=True)
    return names


def evaluation_from(args: argparse.Namespace, notes: list[str]) -> Evaluation:
    """Read data and rankings, and check that the evaluator takes them; notes as of `evaluations_from`."""
    return next(evaluations_from(args, notes))


def evaluations_from(
    args: argparse.Namespace, notes: list[str], *, tested: bool = True
) -> Iterator[Evaluation]:
    """Read data and rankings once, and yield the evaluation of each split that is asked for.

    Without a test part, they are refused if they are to be `tested`.
    What is to be said of rankings whose rows are not known, or are test rows, is appended to `notes`.

    Raises
    ------
    UserError
        Also if a ranking was learned on test rows, unless that is allowed.
    """
    from mlsieve.discretize.of_method import require_own_cuts
    from mlsieve.evaluation.leakage import require_unseen
    from mlsieve.evaluation.predictions import prepare_evaluation
    from mlsieve.rankings.files import of_repeat, read_rankings
    from mlsieve.registry import check_parameters

    settings = settings_from(args.settings)
    check_parameters("evaluator", args.evaluator, settings)  # before anything is read
    positive_threads(args)
    bundle, cuts = read_rankings(args.ranking), cuts_from(args)
    if cuts is not None:
        require_own_cuts(cuts, "evaluator", args.evaluator, settings)
    for repeat, dataset in splits_from(args):
        of_split = of_repeat(bundle, repeat)
        evaluation = prepare_evaluation(
            dataset if cuts is None else cuts.apply(dataset, repeat, split_facts(args)),
            of_split,
            evaluator=args.evaluator,
            settings=settings,
            facts={"split": args.split, "repeat": repeat},
            tested=tested,
        )
        # Data are what was read: cuts change them.
        notes += require_unseen(dataset, of_split.rankings, allow_leakage=args.allow_leakage)
        yield evaluation


def print_notes(notes: list[str]) -> None:
    """Print lines on standard error, each once; commands do so at their end, since an error is one line."""
    for note in dict.fromkeys(notes):
        print(printable(f"mlsieve: note: {note}"), file=sys.stderr)
