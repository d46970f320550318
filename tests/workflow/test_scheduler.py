"""Snakemake's scheduler: its default limit on started jobs is lifted, a limit of the user's own is not."""

import re
from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.scheduling.job_scheduler import JobRateLimiter
from snakemake.settings.types import MaxJobsPerTimespan
from workflow_project import CHAINS, Project

from mlsieve.workflow.run import lift_default_rate


def scheduler(limit):
    return SimpleNamespace(job_rate_limiter=JobRateLimiter(MaxJobsPerTimespan.parse_choice(limit)))


def test_the_default_limit_is_lifted():
    default = scheduler(get_argument_parser().get_default("max_jobs_per_timespan"))
    lift_default_rate(default)
    assert default.job_rate_limiter is None
    lift_default_rate(default)


@pytest.mark.parametrize("limit", ["5/1s", "100/1m"])
def test_a_limit_of_the_users_stays(limit):
    own = scheduler(limit)
    limiter = own.job_rate_limiter
    lift_default_rate(own)
    assert own.job_rate_limiter is limiter


def test_ready_jobs_are_looked_at_when_a_job_has_ended_and_not_every_second(project: Project) -> None:
    command = project.folder / "bin" / "mlsieve"
    command.write_text(
        command.read_text(encoding="utf-8").replace("\n", "\nsleep 0.6\n", 1), encoding="utf-8"
    )
    done = project.snakemake("--verbose")
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    finished, looks = output.count("Finished jobid"), output.count("Ready jobs:")
    assert 10 < finished <= looks + 2 and looks <= finished + 2


def test_the_longest_chain_starts_first(project: Project) -> None:
    trees = {"a": 20, "b": 900_000, "c": 90_000, "d": 20_000}
    chains = [
        {"id": "rdt-dcc", "name": name, "params": {"trees": count}, "datasets": ["synthetic-linear"]}
        for name, count in trees.items()
    ]
    project.configure(CHAINS | {"chains": chains})
    done = project.snakemake("--cores", "1")
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert re.findall(r"train and test (\w)", output) == ["b", "c", "d", "a"]
