"""``mlsieve step convergence``: how the order of the features settles as an ensemble grows."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import CSV_FILE

HELP = "compare the rankings of a study at each number of trees with those of the largest ensemble"
EXAMPLE = (
    "mlsieve step convergence results/quickstart/configuration/jobs.json --available"
    " results/quickstart/available.csv -o convergence.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("study", metavar="JSON", help="the study's jobs, as the workflow writes them")
    parser.add_argument("--available", metavar="CSV", help="available datasets (default: all)")
    parser.add_argument("--partial", action="store_true", help="use only the rankings that have finished")
    parser.add_argument("-o", "--output", type=CSV_FILE, metavar="CSV", required=True, help="table to write")
    parser.add_argument(
        "--means", type=CSV_FILE, metavar="CSV", help="write the means over the datasets here, too"
    )


def run(args: argparse.Namespace) -> int:
    """Write the tables."""
    import sys

    from mlsieve.files.checksums import all_damaged_removed
    from mlsieve.files.csv_tables import as_csv
    from mlsieve.files.writing import write_text
    from mlsieve.tables.convergence import CONVERGENCE, MEANS, as_text, convergence_means, convergence_rows
    from mlsieve.workflow.step_settings import read_study

    study = read_study(args.study)
    available = study.content.available(args.available) if args.available else None
    with all_damaged_removed(job.output for job in study.jobs.all(available)):
        rows = list(convergence_rows(study, available, partial=args.partial))
    if not rows:
        print("mlsieve: no ensemble of this study has rankings at several numbers of trees", file=sys.stderr)
    if args.means:
        write_text(args.means, as_csv(MEANS, map(as_text, convergence_means(rows))))
    write_text(args.output, as_csv(CONVERGENCE, map(as_text, rows)))
    return 0
