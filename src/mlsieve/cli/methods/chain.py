"""``mlsieve chain``: fit a method that predicts label sets, and measure its predictions."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from mlsieve.cli._chains import add_fit_arguments
from mlsieve.cli._evaluation import chosen_measures
from mlsieve.cli._folds import require_folds
from mlsieve.cli._models import PREDICTIONS_HELP, write_row_predictions
from mlsieve.cli._options import (
    InputFile,
    add_data_arguments,
    dataset_from,
    positive_threads,
    settings_from,
    whole_number,
)
from mlsieve.cli._outputs import ARRAY_FILE, PREDICTIONS_FILE, add_table_argument, write_or_print
from mlsieve.errors import UserError, printable

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset
    from mlsieve.evaluation.chains import ChainMethod
    from mlsieve.evaluation.trained import TrainedModel
    from mlsieve.measures import Measure

HELP = "predict label sets with a classifier chain or another multi-label method, and measure them"
EXAMPLE = (
    "mlsieve chain emotions --method cc --set base=random-forest order=rare-first -o scores.csv\n"
    "  mlsieve chain my.arff --labels my.xml --method br --cv 5 -o folds.csv\n"
    "  mlsieve chain emotions --method rdt-dcc --predictions predictions.npz --save-model trees.npz\n"
    "  mlsieve chain emotions --model trees.npz --set order=random order_seed=1 sigma=0.5 -o scores.csv\n"
    "  mlsieve chain my.arff --labels my.xml --method cc --save-model model.npz\n"
    "  mlsieve chain mydata.csv --model model.npz --predictions predicted.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data_arguments(parser, "is split as by holdout, or stays whole with --cv")
    fitted_or_not = parser.add_mutually_exclusive_group(required=True)
    fitted_or_not.add_argument(
        "--method",
        metavar="ID",
        help="such as rdt-dcc, xdcc or cc; 'mlsieve methods' lists the chains, 'mlsieve methods ID' settings",
    )
    fitted_or_not.add_argument(
        "--model",
        type=InputFile,
        metavar="NPZ",
        help="in place of --method: predict with the model of this file; --set may change how it predicts."
        " With --predictions and without -o or --measures, all rows of DATA are predicted, which need no"
        " labels: columns that the model does not know are left out. Else the test part is predicted and"
        " measured, as with --method",
    )
    parser.add_argument(
        "--save-model",
        type=ARRAY_FILE,
        metavar="NPZ",
        help="write the fitted model here, for --model",
    )
    add_fit_arguments(parser)
    parser.add_argument(
        "--cv",
        type=whole_number,
        metavar="K",
        help="cross-validation on all rows in K folds, in place of a training and a test part",
    )
    parser.add_argument(
        "--repeats",
        dest="divisions",
        type=whole_number,
        metavar="R",
        help="with --cv: divide the rows into folds R times (default 1)",
    )
    parser.add_argument(
        "--predictions",
        type=PREDICTIONS_FILE,
        metavar="FILE",
        help=f"{PREDICTIONS_HELP}; 'mlsieve score' reads the first. With --cv those of all rows, each"
        " predicted in the fold that holds it back, and with --repeats of the first division",
    )
    add_table_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Fit, predict and measure."""
    from mlsieve.evaluation.chains import chain_measures, chain_method, load_chain
    from mlsieve.evaluation.trained import require_storable

    positive_threads(args)
    _check_model(args)
    _check_folds(args)
    names = chosen_measures(args)
    settings, model = settings_from(args.settings), None
    if args.model is not None:
        method, model = load_chain(args.model, settings)
        if args.predictions is not None and not _is_measured(args):
            write_row_predictions(args, model)
            return
    else:
        method = chain_method(args.method, settings)  # before anything is read
    if args.save_model is not None:
        require_storable(method.entry)
    dataset = dataset_from(args, divided=not args.cv)
    measures = chain_measures(dataset, names, args.definition)
    if args.cv:
        text, training, prediction = _folds(args, method, dataset, measures)
    else:
        text, training, prediction = _one_split(args, method, dataset, measures, model)
    write_or_print(text, args.output, f"{method.entry.id} on {dataset.name}")
    if args.save_model is not None:
        print(printable(f"{args.save_model}: {method.entry.id}, fitted to {dataset.name}"), file=sys.stderr)
    if args.predictions is not None and (args.divisions or 1) > 1:
        print(
            f"{args.predictions}: predictions of the first of {args.divisions} divisions into folds",
            file=sys.stderr,
        )
    print(
        printable(
            f"{method.entry.id} on {dataset.name}: training {training:.3f} CPU seconds,"
            f" prediction {prediction:.3f} CPU seconds"
        ),
        file=sys.stderr,
    )


def _check_model(args: argparse.Namespace) -> None:
    if args.model is not None:
        for option, given in (("--save-model", args.save_model), ("--cv", args.cv), ("--seed", args.seed)):
            if given:
                raise UserError(
                    f"{option} cannot be combined with --model, which is already fitted", hint="leave it out"
                )
    if args.save_model is not None and args.cv is not None:
        raise UserError("--cv fits a model in each fold", hint="leave out --cv or --save-model")


def _is_measured(args: argparse.Namespace) -> bool:
    """Whether measures are asked for, which need labels and a test part."""
    return any(given is not None for given in (args.output, args.measures, args.definition))


def _check_folds(args: argparse.Namespace) -> None:
    if args.cv is None and args.divisions is not None:
        raise UserError(
            "--repeats without --cv: there are no folds", hint="give --cv K, too, or --repeat R for one split"
        )
    require_folds(args, args.divisions)


def _folds(
    args: argparse.Namespace, method: ChainMethod, dataset: Dataset, measures: list[Measure]
) -> tuple[str, float, float]:
    """Cross-validate; return the table and the seconds."""
    from mlsieve.evaluation.chain_folds import cross_validate
    from mlsieve.evaluation.prediction_tables import write_predictions
    from mlsieve.progress import counting

    with counting("folds", args.cv * (args.divisions or 1)) as progress:
        found = cross_validate(
            method,
            dataset,
            folds=args.cv,
            repeats=args.divisions or 1,
            measures=measures,
            split_seed=args.split_seed,
            division=args.folds,
            seed=args.seed,
            n_threads=args.threads,
            keep=args.predictions is not None,
            progress=progress,
        )
    if found.predictions is not None:
        write_predictions(found.predictions, dataset.label_names, args.predictions)
    return found.table(), found.training_seconds, found.prediction_seconds


def _one_split(
    args: argparse.Namespace,
    method: ChainMethod,
    dataset: Dataset,
    measures: list[Measure],
    model: TrainedModel | None = None,
) -> tuple[str, float, float]:
    """Fit the training part, or take a fitted model, and predict the test part; return table and seconds."""
    from mlsieve.evaluation.chains import run_chain, run_loaded, stored_chain
    from mlsieve.evaluation.prediction_tables import write_predictions
    from mlsieve.evaluation.scoring import scores_table
    from mlsieve.evaluation.trained import save_trained

    # A file of the user's own without a test part has been split.
    split = "holdout" if dataset.facts.get("whole") else args.split
    facts = {"split": split, "repeat": args.repeat, "split_seed": args.split_seed, "seed": args.seed}
    if model is None:
        ran = run_chain(method, dataset, seed=args.seed, n_threads=args.threads)
    else:
        ran = run_loaded(method, model, dataset, args.threads)
        facts["seed"] = getattr(model.learner, "random_state", None)
    if args.save_model is not None:
        save_trained(ran.learner, args.save_model, dataset)
    predictions = stored_chain(method, ran.prediction, dataset, facts)
    if args.predictions is not None:
        write_predictions(predictions, dataset.label_names, args.predictions)
    names = [measure.id for measure in measures]
    text = scores_table(predictions, measures=names, definition=args.definition)
    return text, ran.training_seconds, ran.prediction_seconds
