"""``mlsieve plan``: the jobs of a study and their rough cost, before it starts."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

HELP = "count the jobs of a study and estimate their cost before it starts"
EXAMPLE = "mlsieve plan config/studies/mlc_ranking.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommand's arguments."""
    parser.add_argument(
        "study",
        metavar="STUDY.yaml",
        nargs="*",
        help="as after --configfile; default the default study, config/config.yaml of the project's folder",
    )
    parser.add_argument(
        "--cores", type=int, default=1, metavar="N", help="cores to spread the work over (default 1)"
    )


def run(args: argparse.Namespace) -> int:
    """Print a table of jobs by rule, and of work by data set."""
    import sys
    from collections import defaultdict
    from types import SimpleNamespace

    from mlsieve.configuration.check import ConfigurationErrors, require_valid
    from mlsieve.configuration.merge import load_configuration
    from mlsieve.data.acquire import unavailable_reason
    from mlsieve.study import Study

    configuration = load_configuration(*args.study)
    _require_whole(configuration, args.study)
    try:
        require_valid(configuration)
    except ConfigurationErrors as errors:
        for line in errors.lines:
            print(f"mlsieve: configuration: {line}", file=sys.stderr)
        return 2
    study = Study(configuration)
    counts: dict[str, int] = defaultdict(int)
    minutes: dict[str, float] = defaultdict(float)
    by_data: dict[str, float] = defaultdict(float)
    peak = 0.0
    missing = {
        key: reason
        for key, data in study.datasets.items()
        if data.id in study.catalog
        and (reason := unavailable_reason(study.catalog[data.id], mirror=configuration.get("mirror")))
    }
    at_hand = [key for key in study.datasets if key not in missing]
    for job in study.jobs(at_hand):
        ranker = job.ranker
        wildcards = SimpleNamespace(
            dataset=job.data.key,
            split=job.split.key if job.split else "",
            ensemble=ranker.ensemble_key if ranker and ranker.ensemble else "",
            ranker=ranker.key if ranker else "",
        )
        cost, megabytes = study.estimate(job.step, wildcards)
        counts[job.step] += 1
        minutes[job.step] += cost
        by_data[job.data.id] += cost
        peak = max(peak, megabytes)
    for step in ("acquire", "collect", "compare", "figures", "report"):
        counts[step] += 1
        minutes[step] += 0.1
    order = [
        "acquire",
        "prepare",
        "discretise",
        "grow",
        "rank",
        "predict",
        "score",
        "evaluate",
        "collect",
        "compare",
        "figures",
        "report",
    ]
    without = f" (without {len(missing)} that cannot be had)" if missing else ""
    print(
        f"study {study.name}: {len(at_hand)} data sets{without}, {len(study.rankers)} rankers, "
        f"{study.repeats} splits" + (f", {study.seeds} seeds" if study.seeds > 1 else "")
    )
    print(f"{'rule':<12}{'jobs':>7}{'minutes':>10}")
    for step in order:
        if counts[step]:
            print(f"{step:<12}{counts[step]:>7}{minutes[step]:>10.1f}")
    print(f"{'all':<12}{sum(counts.values()):>7}{sum(minutes.values()):>10.1f}")
    print("\nmost work:")
    for name, cost in sorted(by_data.items(), key=lambda item: -item[1])[:10]:
        print(f"  {name:<28}{cost:>10.1f} minutes")
    for reason in missing.values():
        print(f"not available: {reason}")
    total = sum(minutes.values()) / max(1, args.cores)
    print(f"\nrough upper estimates: {total:.0f} minutes on {args.cores} core(s), up to {peak:.0f} MB a job")
    return 0


def _require_whole(configuration: Mapping[str, Any], files: Sequence[str]) -> None:
    """Raise a UserError where keys are missing because the default study is not in this folder."""
    from mlsieve.configuration import build_schema
    from mlsieve.configuration.merge import DEFAULT_CONFIGURATION
    from mlsieve.errors import UserError

    missing = [key for key in build_schema()["required"] if key not in configuration]
    if DEFAULT_CONFIGURATION.is_file() or not missing:
        return
    lacks = f"lacks {', '.join(missing)}" if files else "no study is given"
    raise UserError(
        f"{lacks}, and this folder has no {DEFAULT_CONFIGURATION} to take {'them' if files else 'one'} from",
        file=files[-1] if files else None,
        cure="run this in a project's folder (with a Snakefile and config/config.yaml)"
        + (", or write them into the file" if files else ", or give the STUDY.yaml of a whole study"),
    )
