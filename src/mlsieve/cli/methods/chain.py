"""``mlsieve chain``: fit a method that predicts label sets, and measure its predictions."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from mlsieve.cli._chains import add_fit_arguments
from mlsieve.cli._evaluation import chosen_measures
from mlsieve.cli._folds import require_folds
from mlsieve.cli._models import PREDICTIONS_HELP, write_row_predictions
from mlsieve.cli._options import (
    InputFile,
    add_data_arguments,
    dataset_from,
    is_typed,
    note,
    positive_threads,
    settings_from,
    whole_number,
)
from mlsieve.cli._outputs import ARRAY_FILE, PREDICTIONS_FILE, add_table_argument, write_or_print
from mlsieve.errors import UserError, number_of, printable

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
        " measured, as with --method, or all rows of a file of other data that has none",
    )
    parser.add_argument(
        "--save-model",
        type=ARRAY_FILE,
        metavar="NPZ",
        help="write the fitted model here, for --model. Without -o, --measures or --predictions nothing is"
        " measured, and a file of your own without a test part is learned from whole",
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
    from mlsieve.data.labels import NoLabels
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
            write_row_predictions(args, model, ", or give -o TABLE, too")
            return
    else:
        method = chain_method(args.method, settings)  # before anything is read
    if args.save_model is not None:
        require_storable(method.entry)
    is_kept_alone = args.save_model is not None and args.predictions is None and not _is_measured(args)
    try:
        dataset = dataset_from(args, divided=not (args.cv or is_kept_alone))
    except NoLabels as error:
        if model is None:
            raise
        hint = "give --labels, or --predictions FILE alone, which predicts all rows"
        raise UserError(f"{error.what}, and measures need them", file=error.file, hint=hint) from error
    if is_kept_alone:
        _keep(args, method, dataset)
        return
    measures = chain_measures(dataset, names, args.definition)
    if args.predictions is not None:
        from mlsieve.evaluation.prediction_tables import require_table

        require_table(method.entry, dataset.label_names, args.predictions, folds=args.cv or 0)
    if args.cv:
        text, training, prediction = _folds(args, method, dataset, measures)
    else:
        text, training, prediction = _one_split(args, method, dataset, measures, model)
    write_or_print(text, args.output, f"{method.entry.id} on {dataset.name}")
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
    from mlsieve.evaluation.trained import with_columns_of

    facts = {**_split_of(args, dataset), "split_seed": args.split_seed, "seed": args.seed}
    if model is None:
        ran = run_chain(method, dataset, seed=args.seed, n_threads=args.threads)
    else:
        dataset = with_columns_of(model, _measured(args, model, dataset))
        ran = run_loaded(method, model, dataset, args.threads)
        facts["seed"] = getattr(model.learner, "random_state", None)
    if args.save_model is not None:
        _save(args, ran.learner, method, dataset)
    predictions = stored_chain(method, ran.prediction, dataset, facts)
    if args.predictions is not None:
        write_predictions(predictions, dataset.label_names, args.predictions)
    names = [measure.id for measure in measures]
    text = scores_table(predictions, measures=names, definition=args.definition)
    return text, ran.training_seconds, ran.prediction_seconds


def _split_of(args: argparse.Namespace, dataset: Dataset) -> dict[str, Any]:
    """Return what a file says of the split; one of the user's own without a test part has been split."""
    return {"split": "holdout" if dataset.facts.get("whole") else args.split, "repeat": args.repeat}


def _measured(args: argparse.Namespace, model: TrainedModel, dataset: Dataset) -> Dataset:
    """Return the dataset with the rows on which the model is measured as its test part."""
    from mlsieve.evaluation.leakage import measured_rows

    if "learned_on" not in model.facts:
        note(f"{args.model}: written by Python, does not say from which rows it has learned")
        return dataset
    is_divided = is_typed(args.split) or args.train_share is not None or args.split_seed or args.repeat
    whole = bool(dataset.facts.get("whole")) and not is_divided
    found, said = measured_rows(dataset, model.facts["learned_on"], args.model, whole=whole)
    if not found.train_mask.any():
        note(f"all {number_of(len(found.train_mask), 'row')} are measured")
    if said is not None:
        note(f"{args.model}: {said}")
    return found


def _keep(args: argparse.Namespace, method: ChainMethod, dataset: Dataset) -> None:
    """Fit the training part, all rows of a file without a test part, and keep the model."""
    from mlsieve.evaluation.chains import fit_chain

    learner, training = fit_chain(method, dataset, seed=args.seed, n_threads=args.threads)
    _save(args, learner, method, dataset)
    said = f"{method.entry.id} on {dataset.name}: training {training:.3f} CPU seconds"
    print(printable(said), file=sys.stderr)


def _save(args: argparse.Namespace, learner: Any, method: ChainMethod, dataset: Dataset) -> None:
    from mlsieve.data.splits import record_of_rows
    from mlsieve.evaluation.trained import save_trained

    record = record_of_rows(dataset, "train", _split_of(args, dataset))
    save_trained(learner, args.save_model, dataset, {"learned_on": record})
    rows = number_of(int(dataset.train_mask.sum()), "row")
    said = f"{args.save_model}: {method.entry.id}, fitted to {rows} of {dataset.name}"
    print(printable(said), file=sys.stderr)
