"""``mlsieve step collect``: a study's tables from its jobs' files."""

from __future__ import annotations

import argparse

from mlsieve.cli._outputs import CSV_FILE

HELP = "collect a study's scores, rankings, failures and timings in tables"
EXAMPLE = (
    "mlsieve step collect results/quickstart/configuration/jobs.json"
    " --available results/quickstart/available.csv"
    " --unavailable results/quickstart/unavailable.csv --performance p.csv --rankings r.csv --skipped s.csv"
    " --timings t.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument("study", metavar="JSON", help="the study's jobs, as the workflow writes them")
    parser.add_argument("--available", metavar="CSV", required=True, help="available datasets")
    parser.add_argument(
        "--unavailable", metavar="CSV", required=True, help="unavailable datasets, with reasons"
    )
    parser.add_argument(
        "--partial", action="store_true", help="accept missing scores and name the jobs that failed"
    )
    parser.add_argument(
        "--performance", type=CSV_FILE, metavar="CSV", required=True, help="output: all scores"
    )
    parser.add_argument(
        "--rankings",
        type=CSV_FILE,
        metavar="CSV",
        required=True,
        help="output: numbers of features with positive weights",
    )
    parser.add_argument(
        "--skipped",
        type=CSV_FILE,
        metavar="CSV",
        required=True,
        help="output: what is missing, and why",
    )
    parser.add_argument(
        "--timings", type=CSV_FILE, metavar="CSV", required=True, help="output: what each job took"
    )


def run(args: argparse.Namespace) -> int:
    """Write the four tables."""
    import sys
    from dataclasses import asdict

    from mlsieve.errors import number_of
    from mlsieve.files.checksums import all_damaged_removed
    from mlsieve.files.csv_tables import as_csv, read_rows
    from mlsieve.files.writing import write_text
    from mlsieve.tables import performance as collecting
    from mlsieve.workflow.step_settings import read_study

    study = read_study(args.study)
    available = study.content.available(args.available)
    unavailable = {row["dataset"]: row["reason"] for row in read_rows(args.unavailable)}
    files = study.jobs.by_scores(available, finished=args.partial)
    jobs = study.jobs.all(available)
    with all_damaged_removed(job.output for job in jobs):
        rows = collecting.collect_performance(files, study.content.measured, args.performance)
        rankings = as_csv(collecting.RANKINGS, collecting.ranking_sizes(jobs))
    failed = available if args.partial else []
    skipped = collecting.skipped_sets(study, unavailable, failed)
    write_text(args.skipped, as_csv(collecting.SKIPPED, map(asdict, skipped)))
    write_text(args.rankings, rankings)
    write_text(args.timings, as_csv(collecting.TIMINGS, collecting.timings(jobs)))
    print(
        f"{number_of(rows, 'value')} from {number_of(len(files), 'score file')}; "
        f"{number_of(len(skipped), 'row')} of what is missing",
        file=sys.stderr,
    )
    return 0
