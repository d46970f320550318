"""``mlsieve rank``: rank the features of a dataset, or score the features of a grown ensemble."""

from __future__ import annotations

import argparse
import io
import itertools
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlsieve.cli._notes import in_words
from mlsieve.cli._options import (
    add_cuts_argument,
    add_data_arguments,
    add_repeats_argument,
    add_settings_argument,
    add_threads_argument,
    cuts_from,
    positive_threads,
    repeats_from,
    settings_from,
    split_facts,
    splits_from,
)
from mlsieve.cli._outputs import STANDARD_OUTPUT, output_file, require_replaceable, write_or_print
from mlsieve.errors import UserError, number_of
from mlsieve.files.streams import data_output

if TYPE_CHECKING:
    from mlsieve.costs.measured import WorkClock
    from mlsieve.rankings.files import RankingBundle
    from mlsieve.rankings.selection import FeatureCount

HELP = "rank features, from data or from a grown ensemble"
EXAMPLE = (
    "mlsieve rank my.arff --labels my.xml --ensemble random-forest --score genie3 -o ranking.csv\n"
    "  mlsieve rank synthetic-linear --method pct --trees 10,25,50 -o rankings/\n"
    "  mlsieve rank my.arff --labels my.xml --method scls --set k=20 -o selection.csv"
)

_FIGURES = (".svg", ".png", ".pdf")
_ONE_RANKING = (".csv", ".tex", ".md", *_FIGURES)  # files that hold one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    how, result = parser.add_argument_group("how to rank"), parser.add_argument_group("the result")
    add_data_arguments(parser)
    add_repeats_argument(parser)
    parser.set_defaults(**dict.fromkeys(_data_options()))  # None: not given
    how.add_argument(
        "--method",
        metavar="ID",
        help="ranker (default pct), maybe with parameters and options after a colon, as in ami:form=program;"
        " 'mlsieve methods' lists them",
    )
    add_settings_argument(how)
    how.add_argument(
        "--ensemble",
        metavar="KIND",
        help="kind of tree ensemble, such as bagging, random-forest (default) or extra-trees",
    )
    how.add_argument(
        "--score", metavar="ID", help="score of tree ensembles: symbolic, genie3 (default) or permutation"
    )
    how.add_argument(
        "--trees",
        metavar="N[,N...]",
        help="number of trees (default 100); several numbers give several rankings",
    )
    how.add_argument(
        "--sizes",
        metavar="P[,P...]",
        help="relief: percentages of the examples to use; several numbers give several rankings",
    )
    how.add_argument(
        "--vary",
        metavar="NAME=V[,V...]",
        help="ml-xgb, xdcc: rank by several importances of one fitted model, such as"
        " importance=gain,cover,splits",
    )
    how.add_argument(
        "--select",
        metavar="K",
        help="select the K best features: a count (0, too, for a baseline that has none), a share written"
        " with a point, sqrt, log2 or all",
    )
    how.add_argument(
        "--discretize",
        metavar="ID",
        help="selectors by mutual information: discretisation of numeric features (default laim)",
    )
    how.add_argument(
        "--seed",
        metavar="S[,S...]",
        help="seed of the method (default 0); with --repeats one seed, or one for each split",
    )
    result.add_argument(
        "--name",
        metavar="NAME",
        help="name of the ranking in tables (default: the method); with --vary one for each, with commas",
    )
    add_threads_argument(how)
    add_cuts_argument(how)
    how.add_argument("--rows", choices=("train", "all"), help="rows to learn from (default train)")
    result.add_argument(
        "-o",
        "--output",
        type=_output,
        metavar="OUT",
        help="a ranking .csv (default, and -: standard output), .tex or .md, a figure of the best features"
        " .svg, .png or .pdf, a folder for several sizes, or a bundle .npz",
    )


def _output(path: str) -> str | None:
    """Return a path, as that of a file if it is one and no folder; None for the standard output."""
    if path in STANDARD_OUTPUT:
        return None
    is_file = not path or (Path(path).suffix and not os.path.isdir(path))
    return output_file(*_ONE_RANKING, ".npz")(path) if is_file else path


def run(args: argparse.Namespace) -> None:
    """Rank and write."""
    from mlsieve.costs.measured import WorkClock
    from mlsieve.files.arrays import kind_of

    clock = WorkClock()
    _take_apart_method(args)
    trees, percentages = _sizes("trees", args.trees), _sizes("sizes", args.sizes)
    positive_threads(args)
    vary = _vary(args.vary, args.name)
    repeats_from(args)  # before anything else is wrong with it
    if args.name is not None and not args.name.strip():
        raise UserError("--name '': the name is empty", hint="give one, or leave it out")
    _check_output(args.output, len(trees or percentages or (vary or ("", ()))[1]), args.force)
    if args.repeats is not None and Path(args.output or "").suffix != ".npz":
        raise UserError("--repeats gives several rankings", hint="give -o rankings.npz")
    if args.data.endswith(".npz") and kind_of(args.data) == "ensemble":
        bundle = _rank_grown(args, trees, clock)
    else:
        bundle = _rank_data(args, trees, percentages, vary, clock)
    _write(_named(bundle, args.name), args.output)
    if args.output is not None and args.output.endswith(".npz"):
        clock.log()


def _take_apart_method(args: argparse.Namespace) -> None:
    """Put what follows a colon in --method where the options that it stands for would be."""
    if ":" not in (args.method or ""):
        return
    from mlsieve.evaluation.ranked_folds import OPTIONS, ranking_method

    method = ranking_method(args.method)
    for name in OPTIONS:
        value = getattr(method, name)
        if value is not None and getattr(args, name) is not None:
            raise UserError(f"--{name} is given, and {name} in --method {args.method}", hint="give it once")
        if value is not None:
            setattr(args, name, str(value))
    args.settings = [*(f"{name}={value}" for name, value in method.settings.items()), *args.settings]
    args.method = method.id


def _check_output(output: str | None, n_rankings: int, force: bool) -> None:
    """Refuse what cannot be written, before any work; a name without an ending is a folder."""
    from mlsieve.rankings.files import PROVENANCE_BEGINS, TABLE_BEGINS, provenance_file

    suffix = ".csv" if output is None else Path(output).suffix
    if suffix in _ONE_RANKING and n_rankings > 1:
        where = f"-o {output}" if output else "standard output"
        raise UserError(
            f"{where}: {n_rankings} rankings do not fit one file", hint="give a folder: -o rankings/"
        )
    if output is None:
        return
    if not suffix and os.path.lexists(output) and not os.path.isdir(output):
        raise UserError(f"-o {output}: is not a folder", hint="write e.g. -o ranking.csv")
    if suffix == ".csv":
        require_replaceable(output, *TABLE_BEGINS, force=force)
        require_replaceable(os.fspath(provenance_file(output)), PROVENANCE_BEGINS, force=force)


def _sizes(option: str, text: str | None) -> list[int]:
    if text is None:
        return []
    try:
        sizes = [int(word) for word in text.split(",")]
    except ValueError:
        raise UserError(
            f"--{option} {text}: not a list of numbers", hint=f"write e.g. --{option} 10,25,50"
        ) from None
    if len(set(sizes)) < len(sizes):
        raise UserError(f"--{option} {text}: a size is listed twice", hint="list each once")
    if min(sizes) < 1:
        least = f"each number must be at least 1, got {min(sizes)}"
        raise UserError(f"--{option} {text}: {least}", hint=f"write e.g. --{option} 100")
    return sizes


def _seeds(text: str | None, count: int) -> list[int]:
    """Return a seed for each split: one for all, or one each."""
    try:
        seeds = [0] if text is None else [int(word) for word in text.split(",")]
    except ValueError:
        raise UserError(f"--seed {text}: not a whole number", hint="write e.g. --seed 1") from None
    if len(seeds) not in (1, count):
        raise UserError(
            f"--seed: {number_of(len(seeds), 'seed')} for {number_of(count, 'split')}",
            hint="give one, or as many as there are splits",
        )
    return seeds * count if len(seeds) == 1 else seeds


def _select(args: argparse.Namespace) -> FeatureCount | None:
    from mlsieve.rankings.selection import feature_count

    if args.select is None:
        return None
    wanted: Any = next(iter(settings_from([f"select={args.select}"]).values()))
    feature_count(wanted, 1, 1)  # refuses what is none before any work
    return wanted


def _vary(text: str | None, names: str | None) -> tuple[str, list[Any]] | None:
    """Return the parameter of which several values are asked for, and these; as many as there are names."""
    if text is None:
        return None
    name, _, values = text.partition("=")
    found = [next(iter(settings_from([f"{name}={value}"]).values())) for value in values.split(",")]
    if names is not None and len(names.split(",")) != len(found):
        raise UserError(
            f"--name {names}: {number_of(len(found), 'ranking')} of --vary {text} need as many names",
            hint="give one for each value, with commas",
        )
    return name.replace("-", "_"), found


def _named(bundle: RankingBundle, name: str | None) -> RankingBundle:
    if name is None:
        return bundle
    if "varied" not in bundle.facts:
        return replace(bundle, facts={**bundle.facts, "name": name})
    names = itertools.cycle(name.split(","))  # with several splits, again and again
    return replace(bundle, rankings=tuple(replace(one, name=next(names)) for one in bundle.rankings))


def _data_options() -> dict[str, Any]:
    """Return the options that say how data are read and split, with their defaults."""
    parser = argparse.ArgumentParser()
    add_data_arguments(parser)
    options = vars(parser.parse_args([""]))
    del options["data"]
    return options


def _with_defaults(args: argparse.Namespace) -> argparse.Namespace:
    given = {name: value for name, value in vars(args).items() if value is not None}
    return argparse.Namespace(**{**vars(args), **_data_options(), **given})


def _rank_grown(args: argparse.Namespace, trees: list[int], clock: WorkClock) -> RankingBundle:
    """Return the rankings of an ensemble's file."""
    from mlsieve.rankers.dataset_rankings import rank_grown
    from mlsieve.rankers.tree_rankings import method_of
    from mlsieve.trees.ensemble import Ensemble

    own = ("ensemble", "rows", "seed", "repeats", "cuts", "discretize", "sizes", "vary", *_data_options())
    for option in own:
        if getattr(args, option) is not None:
            raise UserError(
                f"--{option.replace('_', '-')}: the trees are grown already",
                hint="leave it out, or give the data instead",
            )
    settings, select = settings_from(args.settings), _select(args)
    grown = Ensemble.load(args.data)
    if args.method not in (None, method_of(grown)):
        raise UserError(
            f"--method {args.method}: the trees were grown by ranker '{method_of(grown)}'",
            hint="leave it out",
        )
    bundle = rank_grown(grown, score=args.score, sizes=trees, settings=settings, select=select, clock=clock)
    return _with_provenance(bundle, grown.facts.get("learned_on"), {**grown.facts["options"], **settings})


def _sizes_of_method(method: str, trees: list[int], percentages: list[int], output: str | None) -> list[int]:
    """Return the sizes that a ranker has: numbers of trees, or percentages."""
    from mlsieve.registry import lookup

    facts = lookup("ranker", method).facts
    if facts.predicts and Path(output or "").suffix != ".npz":
        raise UserError(
            f"--method {method} describes predictions, which a CSV file of features cannot hold",
            hint="give -o rankings.npz",
        )
    if trees and not facts.scores:
        raise UserError(f"ranker '{method}' does not grow trees", hint="leave out --trees")
    if percentages and not facts.sizes:
        raise UserError(f"ranker '{method}' has no sizes in percent", hint="leave out --sizes")
    return trees or percentages


def _rank_data(
    args: argparse.Namespace,
    trees: list[int],
    percentages: list[int],
    vary: tuple[str, list[Any]] | None,
    clock: WorkClock,
) -> RankingBundle:
    """Return the rankings of data, of one split or of several."""
    from mlsieve.data.splits import record_of_rows
    from mlsieve.discretize.of_method import require_own_cuts
    from mlsieve.files.writing import is_of_study
    from mlsieve.rankers.dataset_rankings import check_request, rank_dataset
    from mlsieve.rankers.tree_rankings import DEFAULT_METHOD
    from mlsieve.rankings.files import RankingBundle

    method = args.method or DEFAULT_METHOD
    sizes = _sizes_of_method(method, trees, percentages, args.output)
    words = [] if args.discretize is None else [f"discretize={args.discretize}"]
    settings: dict[str, Any] = settings_from([*args.settings, *words])
    check_request(method, settings, args.ensemble, args.score)  # before anything is read
    select, cuts = _select(args), cuts_from(args)
    if cuts is not None:
        require_own_cuts(cuts, "ranker", method, settings)
    if cuts is not None and args.rows == "all":
        raise UserError(
            "--rows all cannot be combined with --cuts, which come from training rows",
            hint="leave out --rows all",
        )
    whole = _with_defaults(args)
    seeds = _seeds(args.seed, len(repeats_from(whole)))
    bundles = []
    for seed, (repeat, dataset) in zip(seeds, splits_from(whole), strict=True):
        bundle = rank_dataset(
            dataset if cuts is None else cuts.apply(dataset, repeat, split_facts(whole)),
            method,
            settings,
            ensemble=args.ensemble,
            score=args.score,
            rows=args.rows or "train",
            seed=seed,
            n_threads=args.threads,
            clock=clock,
            select=select,
            sizes=sizes,
            vary=vary,
            uncut=None if cuts is None else dataset,
        )
        if args.output is not None and not is_of_study(args.output):
            split = {**split_facts(whole), "repeat": repeat}
            learned_on = record_of_rows(dataset, args.rows or "train", split)
            bundle = _with_provenance(bundle, learned_on, settings)
        if args.repeats is None:
            return bundle
        of_repeat = tuple(replace(ranking, repeat=repeat) for ranking in bundle.rankings)
        bundles.append(replace(bundle, rankings=of_repeat))
    facts = {key: value for key, value in bundles[0].facts.items() if key != "seed"}
    every = tuple(ranking for bundle in bundles for ranking in bundle.rankings)
    return RankingBundle(every, {**facts, "seeds": seeds})


def _with_provenance(
    bundle: RankingBundle, learned_on: Mapping[str, Any] | None, settings: Mapping[str, Any]
) -> RankingBundle:
    """Return a bundle whose rankings say what they were learned on, and how, where that is known."""
    from mlsieve import __version__

    if learned_on is None:
        return bundle
    how = {name: bundle.facts[name] for name in ("method", "ensemble", "score", "seed")}
    provenance = {"mlsieve": __version__, "learned_on": learned_on, **how, "parameters": dict(settings)}
    return replace(bundle, rankings=tuple(replace(one, provenance=provenance) for one in bundle.rankings))


def _write(bundle: RankingBundle, output: str | None) -> None:

    if output is None:
        with data_output() as stream:
            bundle.rankings[0].write_csv(stream)
        return
    path = Path(output)
    written = [path] if path.suffix in (*_ONE_RANKING, ".npz") else []
    if path.suffix == ".npz":
        bundle.save(path)
    elif path.suffix == ".csv":
        bundle.rankings[0].to_csv(path)
    elif path.suffix in _FIGURES:
        import matplotlib
        from matplotlib import pyplot

        from mlsieve.plots import plot_ranking, save_figure

        matplotlib.use("agg")  # needs no screen
        figure: Any = plot_ranking(bundle.rankings[0]).figure
        save_figure(figure, path)
        pyplot.close(figure)
    elif path.suffix in _ONE_RANKING:
        text = io.StringIO()
        bundle.rankings[0].write_csv(text)
        write_or_print(text.getvalue(), output, f"Ranking {bundle.rankings[0].name}".strip())
    else:
        width = len(str(max(ranking.size for ranking in bundle.rankings)))
        for ranking in bundle.rankings:
            of_trees = "trees" if bundle.facts.get("ensemble") else "size"
            name = f"{of_trees}-{ranking.size:0{width}d}.csv" if ranking.size else "ranking.csv"
            name = f"{ranking.name}.csv" if "varied" in bundle.facts else name
            ranking.to_csv(path / name)
            written.append(path / name)
    rankings = number_of(len(bundle.rankings), "ranking")
    features = number_of(len(bundle.rankings[0].scores), "feature")
    print(f"{in_words(written)}: {rankings} of {features}", file=sys.stderr)
