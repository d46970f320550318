"""``mlsieve study plan``: the jobs of a study, their CPU hours, memory and disk, before it starts."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mlsieve.cli._options import InputFile, add_trust_argument, whole_number

if TYPE_CHECKING:
    from mlsieve.workflow.schedule import PlannedJob

HELP = "count the jobs of a study and estimate their cost before it starts"
EXAMPLE = "mlsieve study plan config/studies/mlc_ranking.yaml --cores 16"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument(
        "study",
        metavar="STUDY.yaml",
        nargs="*",
        type=InputFile,
        help="study files, as after --configfile (default: the default study, config/config.yaml)",
    )
    parser.add_argument(
        "--cores", type=whole_number, default=1, metavar="N", help="cores to spread the work over (default 1)"
    )
    parser.add_argument(
        "--every-set",
        action="store_true",
        help="also count unavailable datasets, by their published sizes",
    )
    add_trust_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Print a table of jobs by rule, and of the datasets that cost most."""
    import os
    import sys

    from mlsieve.configuration.check import ConfigurationErrors, require_trust, require_valid
    from mlsieve.configuration.merge import DEFAULT_CONFIGURATION, load_configuration
    from mlsieve.data.public.acquire import replaced, unavailable_reason
    from mlsieve.errors import UserError, number_of
    from mlsieve.registry.plugins import TRUST
    from mlsieve.study import Study
    from mlsieve.workflow.project import default_study
    from mlsieve.workflow.schedule import planned_jobs
    from mlsieve.workflow.unanswered import print_unanswered

    if args.cores < 1:
        raise UserError(f"--cores must be at least 1, got {args.cores}", hint="write e.g. --cores 2")
    if not args.study and not DEFAULT_CONFIGURATION.is_file():
        what = f"no study is given, and this folder has no {DEFAULT_CONFIGURATION} to take one from"
        raise UserError(what, hint="give a STUDY.yaml, or run this in a project's folder")
    configuration = load_configuration(*args.study, default=default_study())
    if args.trust_plugins:
        os.environ[TRUST] = "all"
    try:
        require_trust(configuration, ask=True)
        require_valid(configuration)
    except ConfigurationErrors as errors:
        for line in errors.lines:
            print(f"mlsieve: configuration: {line}", file=sys.stderr)
        return 2
    study = Study(configuration)
    content, mirror = study.content, study.content.keys.mirror
    missing = {
        id: reason
        for id, entry in content.entries.items()
        if not args.every_set and (reason := unavailable_reason(entry, mirror=mirror))
    }
    if not args.every_set:
        missing |= replaced(content.entries.values(), content.entries.keys() - missing.keys())
    at_hand = [key for key, data in content.datasets.items() if data.id not in missing]
    without = f" ({len(missing)} not available)" if missing else ""
    print(
        f"study {content.name}: {number_of(len(at_hand), 'dataset')}{without}, "
        + ", ".join(
            number_of(len(items), noun)
            for items, noun in ((content.rankers, "ranker"), (content.chains, "chain method"))
            if items or (noun == "ranker" and not content.chains)
        )
        + ", "
        f"{number_of(content.repeats, 'split')}" + (f", {content.seeds} seeds" if content.seeds > 1 else "")
    )
    print_unanswered(content)
    jobs = planned_jobs(study, at_hand)
    for line in (*_by_rule(jobs), "", *_by_dataset(jobs), "", *_elapsed(jobs, args.cores)):
        print(line)
    for reason in missing.values():
        print(f"not available: {reason}")
    return 0


def _by_rule(jobs: Sequence[PlannedJob]) -> Iterable[str]:
    """Yield the table of rules, in the order in which they run, and its sum."""
    yield f"{'rule':<21}{'jobs':>7}{'CPU time':>12}{'longest job':>14}{'memory':>10}{'disk':>11}"
    for step in dict.fromkeys(job.step for job in jobs):
        yield _line(step, [job for job in jobs if job.step == step])
    yield _line("all", jobs)


def _line(name: str, jobs: Sequence[PlannedJob]) -> str:
    whole, longest = sum(job.cost.minutes for job in jobs), max(job.cost.minutes for job in jobs)
    peak, disk = max(job.cost.megabytes for job in jobs), sum(job.cost.disk for job in jobs)
    return (
        f"{name:<21}{len(jobs):>7}{_duration(whole):>12}{_duration(longest):>14}"
        f"{peak:>7.0f} MB{disk:>8.{0 if disk >= 10 else 1}f} MB"
    )


def _duration(minutes: float) -> str:
    """Return a time in hours, minutes or seconds, whichever reads best."""
    if minutes >= 60:
        return f"{minutes / 60:.1f} h"
    return f"{minutes:.1f} min" if minutes >= 1 else f"{60 * minutes:.1f} s"


def _by_dataset(jobs: Sequence[PlannedJob]) -> Iterable[str]:
    """Yield a line for each of the ten datasets that take most CPU time."""
    work: dict[str, float] = {}
    for job in jobs:
        if job.dataset:
            work[job.dataset] = work.get(job.dataset, 0.0) + job.cost.minutes
    yield "most CPU time:"
    for name, minutes in sorted(work.items(), key=lambda item: -item[1])[:10]:
        yield f"  {name:<28}{_duration(minutes):>10}"


def _elapsed(jobs: Sequence[PlannedJob], cores: int) -> Iterable[str]:
    """Yield how long the study takes, and which jobs no number of cores makes shorter."""
    from mlsieve.errors import number_of
    from mlsieve.workflow.schedule import critical_path, elapsed_minutes

    chain = critical_path(jobs)
    least = sum(job.cost.minutes for job in chain)
    named = ", ".join(f"{job.step} {job.dataset}".strip() for job in chain)
    elapsed = _duration(elapsed_minutes(jobs, cores))
    yield f"expected on {number_of(cores, 'core')}: {elapsed}, one core per job"
    yield f"at least {_duration(least)} on any number of cores: {named}"
    yield (
        "These are expectations, without headroom; docs/scale.md reports how far off they were. "
        "A cluster is asked for more."
    )
