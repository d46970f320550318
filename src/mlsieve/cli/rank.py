"""``mlsieve rank``: rank the features of a data set, or score the features of a grown ensemble."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlsieve.cli._options import (
    add_data_arguments,
    add_settings_argument,
    dataset_from,
    positive_threads,
    settings_from,
)
from mlsieve.errors import UserError

if TYPE_CHECKING:
    from mlsieve.data.dataset import Dataset
    from mlsieve.rankings import RankingBundle
    from mlsieve.work import WorkClock

HELP = "rank features, from data or from a grown ensemble"
EXAMPLE = (
    "mlsieve rank my.arff --labels my.xml --ensemble random-forest --score genie3 -o ranking.csv\n"
    "  mlsieve rank synthetic-linear --method pct --trees 10,25,50 -o rankings/"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_data_arguments(parser)
    parser.set_defaults(**dict.fromkeys(_data_options()))  # None: not given
    parser.add_argument("--rows", choices=("train", "all"), help="rows to learn from (default train)")
    parser.add_argument(
        "--method", default="pct", metavar="ID", help="ranker (default pct); 'mlsieve methods' lists them"
    )
    parser.add_argument(
        "--ensemble", metavar="KIND", help="pct: bagging, random-forest (default) or extra-trees"
    )
    parser.add_argument("--score", metavar="ID", help="pct: symbolic, genie3 (default) or permutation")
    parser.add_argument(
        "--trees",
        metavar="N[,N...]",
        help="pct: number of trees (default 100); several give several rankings",
    )
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the method (default 0)")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="T", help="threads; the result does not depend on it"
    )
    parser.add_argument("--progress", action="store_true", help="show a bar on a terminal")
    add_settings_argument(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="ranking.csv (default: standard output); with several sizes a folder; or a bundle .npz",
    )


def run(args: argparse.Namespace) -> None:
    """Rank and write."""
    from mlsieve.work import WorkClock

    sizes, clock = _sizes(args.trees), WorkClock()
    positive_threads(args)
    _check_output(args.output, sizes)
    if args.method == "pct":
        bundle = _rank_pct(args, sizes, clock)
    else:
        _refuse_pct_options(args)
        bundle = _rank_other(args, clock)
    _write(bundle, args.output)
    if args.output is not None and args.output.endswith(".npz"):
        # For the study's table of costs.
        print(clock.line(), file=sys.stderr)


def _check_output(output: str | None, sizes: list[int]) -> None:
    """Refuse a file that is neither, before any work; a name without an ending is a folder."""
    suffix = ".csv" if output is None else Path(output).suffix
    if suffix == ".csv" and len(sizes) > 1:
        where = f"-o {output}" if output else "standard output"
        raise UserError(
            f"{where}: {len(sizes)} rankings do not fit one file", cure="give a folder: -o rankings/"
        )
    if output is None:
        return
    if output == "-" or (suffix not in (".csv", ".npz", "") and not os.path.isdir(output)):
        raise UserError(f"-o {output}: neither .csv nor .npz nor a folder", cure="write e.g. -o ranking.csv")
    if not suffix and os.path.exists(output) and not os.path.isdir(output):
        raise UserError(f"-o {output}: is not a folder", cure="write e.g. -o ranking.csv")


def _sizes(text: str | None) -> list[int]:
    if text is None:
        return []
    try:
        sizes = [int(word) for word in text.split(",")]
    except ValueError:
        raise UserError(
            f"--trees {text}: not a list of numbers", cure="write e.g. --trees 10,25,50"
        ) from None
    if len(set(sizes)) < len(sizes):
        raise UserError(f"--trees {text}: a size stands twice", cure="name each once")
    if min(sizes) < 1:
        raise UserError(f"--trees {text}: an ensemble has at least one tree", cure="write e.g. --trees 100")
    return sizes


def _refuse_pct_options(args: argparse.Namespace) -> None:
    from mlsieve.registry import lookup

    lookup("ranker", args.method)
    for option in ("ensemble", "score", "trees"):
        if getattr(args, option) is not None:
            raise UserError(
                f"--{option} belongs to --method pct, not to {args.method}", cure=f"leave out --{option}"
            )


def _is_ensemble(path: str) -> bool:
    from mlsieve.files import read_arrays

    return path.endswith(".npz") and os.path.isfile(path) and read_arrays(path)[1].get("kind") == "ensemble"


def _data_options() -> dict[str, Any]:
    """Return the options that say how data are read and split, with their defaults."""
    parser = argparse.ArgumentParser()
    add_data_arguments(parser)
    options = vars(parser.parse_args([""]))
    del options["data"]
    return options


def _dataset(args: argparse.Namespace) -> Dataset:
    given = {name: value for name, value in vars(args).items() if value is not None}
    return dataset_from(argparse.Namespace(**{**_data_options(), **given}))


def _rank_pct(args: argparse.Namespace, sizes: list[int], clock: WorkClock) -> RankingBundle:
    from mlsieve.trees.ensemble import Ensemble
    from mlsieve.trees.of_dataset import check_score, grow_for_dataset, rank_from_ensemble, split_settings

    settings = settings_from(args.settings)
    growing, scoring = split_settings(settings)
    score = args.score or "genie3"
    if _is_ensemble(args.data):
        for option in ("ensemble", "rows", "seed", *_data_options()):
            if getattr(args, option) is not None:
                raise UserError(
                    f"--{option.replace('_', '-')}: the trees are grown already",
                    cure="leave it out, or give the data instead",
                )
        return rank_from_ensemble(
            Ensemble.load(args.data), score=score, sizes=sizes, settings=settings, clock=clock
        )
    check_score(score, scoring, ensemble=args.ensemble or "random-forest", bootstrap=growing.get("bootstrap"))
    ensemble = grow_for_dataset(
        _dataset(args),
        ensemble=args.ensemble or "random-forest",
        n_trees=max(sizes, default=100),
        settings=growing,
        rows=args.rows or "train",
        seed=args.seed or 0,
        n_threads=args.threads,
        show_progress=args.progress,
        clock=clock,
    )
    return rank_from_ensemble(ensemble, score=score, sizes=sizes, settings=scoring, clock=clock)


def _rank_other(args: argparse.Namespace, clock: WorkClock) -> RankingBundle:
    from mlsieve.rankers.of_dataset import rank_dataset

    settings: dict[str, Any] = settings_from(args.settings)
    return rank_dataset(
        _dataset(args),
        args.method,
        settings,
        rows=args.rows or "train",
        seed=args.seed or 0,
        n_threads=args.threads,
        clock=clock,
    )


def _write(bundle: RankingBundle, output: str | None) -> None:
    if output is None:
        bundle.rankings[0].write_csv(sys.stdout)
        return
    path = Path(output)
    if path.suffix == ".npz":
        bundle.save(path)
    elif path.suffix == ".csv":
        bundle.rankings[0].to_csv(path)
    else:
        width = len(str(max(ranking.size for ranking in bundle.rankings)))
        for ranking in bundle.rankings:
            name = f"trees-{ranking.size:0{width}d}.csv" if ranking.size else "ranking.csv"
            ranking.to_csv(path / name)
    print(
        f"{output}: {len(bundle.rankings)} ranking(s) of {len(bundle.rankings[0].scores)} features",
        file=sys.stderr,
    )
