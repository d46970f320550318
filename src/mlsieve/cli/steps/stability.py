"""``mlsieve step stability``: how much a study's rankings and their quality depend on the seed."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import CSV_FILE

HELP = "compare the seeds of a study that ranks with several"
EXAMPLE = (
    "mlsieve step stability results/seeds/configuration/jobs.json --available results/seeds/available.csv"
    " -o stability.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("study", metavar="JSON", help="the study's jobs, as the workflow writes them")
    parser.add_argument("--available", metavar="CSV", required=True, help="available datasets")
    parser.add_argument("--partial", action="store_true", help="use only the seeds whose jobs have finished")
    parser.add_argument(
        "--features",
        choices=("all", "positive"),
        help="features that FUJI takes into account, as in 'mlsieve similarity' (default: as in the study)",
    )
    parser.add_argument("-o", "--output", type=CSV_FILE, metavar="CSV", required=True, help="table to write")


def run(args: argparse.Namespace) -> int:
    """Write the table.

    Raises
    ------
    UserError
        If the study ranks with one seed.
    """
    import sys

    from mlsieve.errors import UserError
    from mlsieve.files.checksums import all_damaged_removed
    from mlsieve.files.csv_tables import as_csv
    from mlsieve.files.writing import write_text
    from mlsieve.questions.ensembles.similarity import SimilarityKeys
    from mlsieve.schemas import read
    from mlsieve.tables.stability import STABILITY, stability_rows
    from mlsieve.workflow.step_settings import read_study

    study = read_study(args.study)
    if study.content.seeds < 2:
        raise UserError(
            "the study ranks with one seed, so there is nothing to compare",
            file=args.study,
            hint="set 'stability: {seeds: 5}' in its configuration and run it again",
        )
    features = args.features or read(SimilarityKeys, study.content.analysis).similarity_features
    available = study.content.available(args.available)
    with all_damaged_removed(job.output for job in study.jobs.all(available)):
        rows = list(stability_rows(study, available, partial=args.partial, features=features))
    if not rows:
        print("mlsieve: no ranking of this study has finished with two seeds or more", file=sys.stderr)
    write_text(args.output, as_csv(STABILITY, rows))
    return 0
