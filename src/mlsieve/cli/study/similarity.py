"""``mlsieve similarity``: how alike rankings of the same features are."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mlsieve.cli._options import InputFile
from mlsieve.cli._outputs import TABLE_FILE, add_table_argument, write_or_print

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mlsieve.rankings.files import Ranking
    from mlsieve.stats.similarity import Features

HELP = "compare rankings of the same features (FUJI, the fuzzy Jaccard index)"
EXAMPLE = "mlsieve similarity genie3.csv symbolic.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "rankings",
        nargs="*",
        type=InputFile,
        metavar="RANKING",
        help="two or more ranking .csv files or .npz bundles",
    )
    add_table_argument(parser)
    parser.add_argument(
        "--curves",
        type=TABLE_FILE,
        metavar="CSV",
        help="write the similarity of the first j features here, too",
    )
    parser.add_argument(
        "--features",
        choices=("all", "positive"),
        help="FUJI over all features, as published (default), or only over those that a ranking gives a "
        "positive score; of a study, default: what its analysis says",
    )
    study = parser.add_argument_group("the rankings of a study, each score with the ensemble and size in use")
    study.add_argument("--jobs", metavar="JSON", help="the study's jobs, as the workflow writes them")
    study.add_argument("--available", metavar="CSV", help="available datasets (default: all)")
    study.add_argument("--choices", metavar="CSV", help="choices.csv of 'mlsieve compare'")
    study.add_argument("--analysis", metavar="JSON", help="the study's section 'analysis'; names the rival")
    study.add_argument("--partial", action="store_true", help="use only the rankings that have finished")


def run(args: argparse.Namespace) -> int:
    """Print or write the similarity of every pair of rankings.

    Raises
    ------
    UserError
        If there is nothing to compare, or options do not go together.
    """
    from mlsieve.errors import UserError

    if args.jobs is None:
        given = [name for name in ("available", "choices", "analysis") if getattr(args, name) is not None]
        if given or args.partial:
            option = given[0] if given else "partial"
            raise UserError(f"--{option} needs --jobs", hint="give a study's jobs, or leave it out")
        table, curves = _of_files(args.rankings, args.features or "all")
    elif args.rankings:
        raise UserError("--jobs cannot be combined with ranking files", hint="give one of them")
    else:
        table, curves = _of_study(args)
    if args.curves:
        write_or_print(curves, args.curves, "Similarity of the first features of rankings")
    write_or_print(table, args.output, "Similarity of rankings")
    return 0


def _of_files(paths: Sequence[str], features: Features) -> tuple[str, str]:
    from mlsieve.errors import UserError
    from mlsieve.files.csv_tables import as_csv
    from mlsieve.rankings.files import read_rankings
    from mlsieve.tables.similarity import similarity_tables

    rankings = read_rankings(paths).rankings
    if len(rankings) < 2:
        raise UserError(f"at least two rankings are needed, got {len(rankings)}", hint="give another ranking")
    names = [ranking.name or f"ranking {position}" for position, ranking in enumerate(rankings, start=1)]
    if len(set(names)) < len(names):
        names = [f"{name} ({position})" for position, name in enumerate(names, start=1)]
    by_name: dict[str, Ranking] = dict(zip(names, rankings, strict=True))
    rows, curves = similarity_tables([(("", "", 0), by_name)], features=features)
    columns, points = ("first", "second", "similarity"), ("first", "second", "features", "similarity")
    return tuple(  # type: ignore[return-value]
        as_csv(wanted, [{name: row[name] for name in wanted} for row in made])
        for wanted, made in ((columns, rows), (points, curves))
    )


def _of_study(args: argparse.Namespace) -> tuple[str, str]:
    import sys

    from mlsieve.analysis.settings import Analysis
    from mlsieve.configuration.merge import read_json
    from mlsieve.errors import UserError
    from mlsieve.files.checksums import all_damaged_removed
    from mlsieve.files.csv_tables import as_csv, read_rows
    from mlsieve.questions.ensembles.similarity import SimilarityKeys
    from mlsieve.tables import similarity
    from mlsieve.workflow.step_settings import read_study

    if args.choices is None:
        raise UserError("--jobs needs --choices", hint="give choices.csv of 'mlsieve compare'")
    study = read_study(args.jobs)
    section = read_json(args.analysis) if args.analysis else {}
    analysis = Analysis.from_mapping(section, file=args.analysis)
    keys = analysis.of(SimilarityKeys)
    choices = read_rows(args.choices)
    similarity.require_choices(choices, args.choices)
    compared = similarity.compared_rankings(choices, analysis.rival, similarity.labels_of_study(study))
    available = study.content.available(args.available) if args.available else None
    with all_damaged_removed(job.output for job in study.jobs.all(available)):
        rows, curves = similarity.similarity_tables(
            similarity.rankings_of_study(study, available, compared, partial=args.partial),
            keys.similarity_dataset,
            args.features or keys.similarity_features,
        )
    if not rows:
        print("mlsieve: no dataset of this study has two of the rankings to compare", file=sys.stderr)
    return as_csv(similarity.SIMILARITY, rows), as_csv(similarity.CURVES, curves)
