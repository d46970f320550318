"""What Snakemake prints of each job: the resources of its own step, and a command that names its inputs."""

from __future__ import annotations

import math
import re

import pytest
import yaml
from workflow_project import ROOT, SELECTING, TINY, Project, with_value

from mlsieve.configuration import load_configuration
from mlsieve.study import Study
from mlsieve.study.resources import (
    MEMORY_MORE,
    MEMORY_TIMES,
    MINUTES_LEAST,
    MINUTES_TIMES,
    THREADS,
    THREADS_FROM,
)
from mlsieve.workflow.schedule import planned_jobs

# Snakemake shows a job's resources only where its rule has no message.
IN_FULL = """
from snakemake import cli, logging
shown = logging.DefaultFormatter.format_job_info
logging.DefaultFormatter.format_job_info = lambda self, told: shown(self, told | {"rule_msg": None})
cli.main()
"""
# Large enough for several threads in one step, and not in another.
LONG = with_value(TINY, "methods", 0, "sizes", value=[2, 50_000]) | {
    "datasets": ["delicious", "synthetic-linear"],
    "evaluators": [{"id": "weighted-knn"}, {"id": "mlnb"}],
    "measures": ["f1"],
}
SEEDS = TINY | {"stability": {"seeds": 2}}


@pytest.mark.parametrize(
    ("configuration", "steps"),
    [
        (LONG, {"prepare", "discretise", "grow", "rank", "predict", "score"}),
        (SELECTING, {"discretise", "evaluate", "collect", "compare", "sections", "figures", "report"}),
        (SEEDS, {"stability"}),
    ],
    ids=["trees", "selectors", "seeds"],
)
def test_jobs_ask_for_what_their_own_step_is_expected_to_take(
    configuration: dict, steps: set[str], project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.folder)
    project.configure(configuration)
    project.program = ("-c", IN_FULL)
    study = Study(load_configuration(str(ROOT / "config" / "config.yaml"), "study.yaml", default=None))
    expected = {job.output: job for job in planned_jobs(study)}
    # Data that have to be looked for hide what comes after them, but for files that are asked for.
    targets = [job.output for job in study.jobs.all()] if configuration is LONG else []
    done = project.snakemake("-n", "--cores", "8", *targets)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = {}
    printed = r"^(?:rule|checkpoint|localrule) (\w+):\n(.*?)^Shell command: (.*?)$"
    for rule, text, command in re.findall(printed, done.stdout + done.stderr, re.M | re.S):
        if rule in ("all", "default"):
            continue
        outputs = re.search(r"^    output: (.*)$", text, re.M)[1].split(", ")
        job = expected.get(outputs[0]) or expected[rule]
        assert job.step == rule
        asked = {name: int(re.search(rf"\b{name}=(\d+)", text)[1]) for name in ("mem_mb", "runtime")}
        threads = re.search(r"^    threads: (\d+)$", text, re.M)
        assert asked["mem_mb"] == math.ceil(MEMORY_MORE + MEMORY_TIMES * job.cost.megabytes), rule
        assert asked["runtime"] == max(MINUTES_LEAST, math.ceil(MINUTES_TIMES * job.cost.minutes)), rule
        assert int(threads[1] if threads else 1) == (THREADS if job.cost.minutes > THREADS_FROM else 1), rule
        if rule in ("grow", "rank", "predict", "evaluate"):
            assert f"--threads {threads[1] if threads else 1} " in command, rule
        check_command(rule, text, command)
        seen.setdefault(rule, set()).add((asked["mem_mb"], threads is not None))
    assert steps <= set(seen)
    if configuration is LONG:
        assert {several for _, several in seen["grow"]} == {True, False}


def check_command(rule: str, text: str, command: str) -> None:
    """Check that a command names its job's inputs, and carries the settings that the study gives it."""
    shown = re.search(r"^    input: (.*)$", text, re.M)
    inputs = shown[1].split(", ") if shown else []
    if rule in ("discretise", "grow", "rank", "predict", "score", "evaluate"):
        assert all(re.search(rf"(?:^| ){re.escape(file)}(?: |$)", command) for file in inputs), command
    cuts = [file for file in inputs if "/discretise-" in file]
    assert [word for word in re.findall(r"--cuts (\S+)", command) if rule != "discretise"] == cuts
    assert bool(cuts) == (rule in ("predict", "evaluate") and "mlnb" in command) or rule == "rank"
    if "/holdout-" in command and rule in ("discretise", "rank", "evaluate"):
        assert "--split holdout" in command and "--train-share 0.8" in command
    if "--name all-features" in command:
        assert "--select all" in command


@pytest.mark.parametrize("name", ["slurm", "slurm-accounting"])
def test_profiles_of_clusters_wait_for_files_on_a_shared_disk(name: str) -> None:
    profile = yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))
    assert profile["latency-wait"] >= 30 and profile["jobs"] > 1
