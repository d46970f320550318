"""``mlsieve evaluate``: predict and score in one step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlsieve.cli._evaluation import (
    add_predict_arguments,
    add_score_arguments,
    chosen_measures,
    evaluations_from,
    print_notes,
)
from mlsieve.cli._folds import require_folds
from mlsieve.cli._options import (
    dataset_from,
    positive_threads,
    repeats_from,
    seed_number,
    settings_from,
    whole_number,
)
from mlsieve.cli._outputs import ARRAY_FILE, write_or_print
from mlsieve.errors import UserError, number_of, printable

if TYPE_CHECKING:
    from mlsieve.evaluation.ranked_folds import RankedFolds, RankingMethod

HELP = "evaluate rankings as weights, or rankers by cross-validation"
EXAMPLE = (
    "mlsieve evaluate emotions --ranking genie3.csv"
    " --evaluator weighted-knn --set k=15 --set ranges=all -o scores.csv\n"
    "  mlsieve evaluate yeast --split holdout --repeats 0-9 --ranking ten.npz --evaluator mlnb -o ten.csv\n"
    "  mlsieve evaluate my.arff --labels my.xml --method pct pct:score=symbolic,trees=50 uniform --cv 5\n"
    "  mlsieve evaluate my.arff --labels my.xml --method scls --save-model model.npz"
)
# What a terminal shows, where they are among the measures.
_MAIN = ("pooled-auprc", "hamming-loss", "ranking-loss")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_predict_arguments(parser, required=False)
    parser.add_argument(
        "--method",
        dest="methods",
        nargs="+",
        metavar="ID",
        help="in place of --ranking, with --cv: rankers, each of which ranks inside each fold; with"
        " --save-model: one, which ranks the training part; after a colon"
        " the ranker's parameters, ensemble, score, trees or select, as in pct:score=symbolic,trees=50",
    )
    parser.add_argument(
        "--save-model",
        type=ARRAY_FILE,
        metavar="NPZ",
        help="fit the evaluator to the training part, with one ranking or one method that ranks it, and write"
        " it here, for 'mlsieve predict --model'; measures are those of the test part, if there is one",
    )
    parser.add_argument(
        "--cv", type=whole_number, metavar="K", help="with --method: cross-validation on all rows in K folds"
    )
    parser.add_argument(
        "--repeats",
        metavar="R|A-B",
        help="with --method: divide the rows into folds R times (default 1); with --ranking: several seeded"
        " splits, such as 0-9, each with the same result as with --repeat",
    )
    parser.add_argument(
        "--seed",
        type=seed_number,
        metavar="S",
        help="with --method: seed of the rankers, the same in each fold (default 0)",
    )
    add_score_arguments(parser, "; with --cv, the value of each fold, which 'mlsieve compare' reads")


def run(args: argparse.Namespace) -> int:
    """Write or print one row per measure and ranking, or per method and measure."""
    from mlsieve.evaluation.scoring import evaluation_table

    _require_one_kind(args)
    measures = chosen_measures(args)
    if args.save_model is not None:
        _write_model(args, measures)
        return 0
    if args.methods is not None:
        _write_folds(args, measures)
        return 0
    notes: list[str] = []
    table = evaluation_table(
        evaluations_from(args, notes),
        measures=measures,
        definition=args.definition,
        tidy=args.tidy,
        n_threads=args.threads,
    )
    write_or_print(table, args.output, f"Measures on {args.data}")
    print_notes(notes)
    return 0


def _write_model(args: argparse.Namespace, measures: list[str] | None) -> None:
    """Fit an evaluator once, write it, and measure it on the test part if there is one."""
    from mlsieve.evaluation.predictions import prepare_evaluation
    from mlsieve.evaluation.ranked_folds import ranking_methods
    from mlsieve.evaluation.scoring import evaluation_table
    from mlsieve.evaluation.trained import require_predictor, require_storable, save_trained, train_evaluator
    from mlsieve.rankers.dataset_rankings import rank_dataset
    from mlsieve.registry import check_parameters, lookup

    positive_threads(args)
    for option, given in (("--cv", args.cv), ("--repeats", args.repeats), ("--cuts", args.cuts)):
        if given is not None:
            raise UserError(f"{option} cannot be combined with --save-model", hint="leave one of them out")
    require_storable(lookup("evaluator", args.evaluator))
    settings, notes = settings_from(args.settings), list[str]()
    if args.methods is None:
        [evaluation] = evaluations_from(args, notes, tested=False)
        dataset, bundle = evaluation.dataset, evaluation.bundle
    else:
        methods = ranking_methods(args.methods)
        if len(methods) > 1:
            raise UserError("--save-model keeps one model, and --method names several", hint="name one")
        [method] = methods
        _require_evaluators_own(args.evaluator, settings, methods)
        check_parameters("evaluator", args.evaluator, settings)  # before anything is read
        dataset = dataset_from(args)
        bundle = rank_dataset(
            dataset,
            method.id,
            method.settings,
            ensemble=method.ensemble,
            score=method.score,
            seed=args.seed or 0,
            n_threads=args.threads,
            select=method.select,
            sizes=() if method.trees is None else (method.trees,),
        )
        evaluation = prepare_evaluation(
            dataset,
            bundle,
            evaluator=args.evaluator,
            settings=settings,
            facts={"split": args.split, "repeat": args.repeat},
            tested=False,
        )
    if len(bundle.rankings) > 1:
        raise UserError(
            f"--save-model keeps one model, and there are {len(bundle.rankings)} rankings", hint="give one"
        )
    require_predictor(bundle.facts.get("method"))
    learner, fewer = train_evaluator(args.evaluator, settings, dataset, bundle.rankings[0])
    is_tested = not dataset.train_mask.all()
    if is_tested or args.output is not None or measures is not None:
        table = evaluation_table(
            [evaluation],
            measures=measures,
            definition=args.definition,
            tidy=args.tidy,
            n_threads=args.threads,
        )
        write_or_print(table, args.output, f"Measures on {args.data}")
    save_trained(learner, args.save_model, fewer, {"ranked_by": str(bundle.facts.get("method") or "")})
    print_notes(notes)
    said = f"{args.evaluator}, fitted to {dataset.name} with {number_of(fewer.X.shape[1], 'feature')}"
    print(printable(f"{args.save_model}: {said}"), file=sys.stderr)


def _require_one_kind(args: argparse.Namespace) -> None:
    """Refuse options that belong to given rankings among those of cross-validation, and the other way."""
    if args.methods is None:
        if args.cv is not None:
            raise UserError(
                "--cv without --method: a ranking that is given may have seen the rows of every fold",
                hint="give --method, such as --method pct, which ranks inside each fold",
            )
        if args.ranking is None:
            raise UserError(
                "neither --ranking nor --method is given",
                hint="write e.g. --ranking ranking.csv, or --method pct uniform --cv 5",
            )
        if args.seed is not None:
            raise UserError("--seed without --method: nothing is ranked", hint="leave it out")
        repeats_from(args)  # before anything is read
        return
    for option, given in (
        ("--ranking", args.ranking),
        ("--cuts", args.cuts),
        ("--allow-leakage", args.allow_leakage),
    ):
        if given:
            raise UserError(
                f"{option} cannot be combined with --method, which ranks inside each fold",
                hint="leave it out",
            )
    if args.cv is None and args.save_model is None:
        raise UserError(
            "--method without --cv: there are no folds",
            hint="give --cv, too, such as --cv 5, or --save-model to fit once",
        )


def _count(repeats: str | None) -> int | None:
    if repeats is None:
        return None
    try:
        return int(repeats)
    except ValueError:
        raise UserError(
            f"--repeats {repeats}: with --method, this is the number of repeats",
            hint="write e.g. --repeats 2",
        ) from None


def _write_folds(args: argparse.Namespace, names: list[str] | None) -> None:
    """Cross-validate rankers, and write or print a table."""
    from mlsieve.evaluation.ranked_folds import cross_validate_rankings, ranking_methods
    from mlsieve.measures import choose
    from mlsieve.progress import counting
    from mlsieve.registry import check_parameters

    repeats = _count(args.repeats)
    require_folds(args, repeats)
    positive_threads(args)
    methods, settings = ranking_methods(args.methods), settings_from(args.settings)
    _require_evaluators_own(args.evaluator, settings, methods)
    check_parameters("evaluator", args.evaluator, settings)  # before anything is read
    dataset = dataset_from(argparse.Namespace(**{**vars(args), "repeats": None}))
    measures = choose(names, args.definition, hierarchical=dataset.hierarchy is not None)
    with counting("rankings", len(methods) * args.cv * (repeats or 1)) as progress:
        found = cross_validate_rankings(
            methods,
            dataset,
            folds=args.cv,
            repeats=repeats or 1,
            evaluator=args.evaluator,
            settings=settings,
            measures=measures,
            split_seed=args.split_seed,
            division=args.folds,
            seed=args.seed or 0,
            n_threads=args.threads,
            progress=progress,
        )
    caption = f"Measures on {args.data}, by cross-validation"
    if args.output is None and sys.stdout.isatty() and not args.tidy:
        print(_for_a_terminal(found, names), end="")
    else:
        write_or_print(found.tidy_table() if args.tidy else found.table(), args.output, caption)
    print_notes([f"division into folds: {found.division}"] if args.tidy else found.notes())


def _require_evaluators_own(
    evaluator: str, settings: Mapping[str, Any], methods: Sequence[RankingMethod]
) -> None:
    """Refuse a setting that a ranker knows and the evaluator does not: its place is after a colon."""
    from mlsieve.evaluation.ranked_folds import settings_known
    from mlsieve.registry import lookup

    for name, value in settings.items():
        if name not in lookup("evaluator", evaluator).parameters():
            for id in dict.fromkeys(method.id for method in methods):
                if name in settings_known(id):
                    raise UserError(
                        f"--set {name}: evaluator '{evaluator}' has no parameter '{name}'",
                        hint=f"a setting of a ranker follows a colon: --method {id}:{name}={value}",
                    )


def _for_a_terminal(found: RankedFolds, names: list[str] | None) -> str:
    """Return the measures that were asked for, or the main ones, for a person."""
    every = [measure.id for measure in found.measures]
    return found.readable(names or [name for name in _MAIN if name in every] or every[:3])
