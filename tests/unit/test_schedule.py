"""How long a graph of jobs takes on so many cores, and what `mlsieve study plan` prints of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from mlsieve.cli import main
from mlsieve.configuration import load_configuration
from mlsieve.costs.model import Cost
from mlsieve.study import Study
from mlsieve.workflow.schedule import PlannedJob, critical_path, elapsed_minutes, planned_jobs

ROOT = Path(__file__).resolve().parents[2]


def job(name: str, minutes: float, *inputs: str) -> PlannedJob:
    return PlannedJob(name, "", name, inputs, Cost(minutes, 1.0, 1.0))


# a, then b and c side by side, then d; e needs nothing.
DIAMOND = [job("a", 1), job("b", 5, "a"), job("c", 2, "a"), job("d", 1, "b", "c"), job("e", 3)]


@pytest.mark.parametrize(("cores", "minutes"), [(1, 12), (2, 7), (3, 7), (100, 7)])
def test_a_graph_by_hand(cores: int, minutes: float) -> None:
    assert elapsed_minutes(DIAMOND, cores) == minutes


def test_a_free_core_waits_for_nothing_that_could_start() -> None:
    jobs = [job("long", 4), job("short", 1), job("after", 3, "short"), job("other", 2)]
    assert elapsed_minutes(jobs, 2) == 6, "long beside short and after; the other one when long has ended"


def test_the_longest_chain_is_first() -> None:
    minutes = {"a": 1, "b": 1, "c": 2}
    chains = [PlannedJob("chain", "", name, (), Cost(cost, 1.0, 1.0)) for name, cost in minutes.items()]
    assert elapsed_minutes(chains, 2) == 2
    assert elapsed_minutes([replace(each, step="rank") for each in chains], 2) == 3


def test_the_critical_path_is_the_longest_chain() -> None:
    assert [each.step for each in critical_path(DIAMOND)] == ["a", "b", "d"]
    assert critical_path([]) == [] and elapsed_minutes([], 3) == 0


@pytest.fixture(scope="module")
def default_study() -> Study:
    return Study(load_configuration(ROOT / "config" / "config.yaml", default=None))


def test_a_study_takes_the_sum_on_one_core_and_its_longest_chain_on_many(default_study: Study) -> None:
    jobs = planned_jobs(default_study)
    outputs: set[str] = set()
    for each in jobs:
        assert set(each.inputs) <= outputs, "each after those that it needs"
        outputs.add(each.output)
    assert len(jobs) > len(default_study.jobs.all()) == sum(bool(each.dataset) for each in jobs)
    assert elapsed_minutes(jobs, 1) == pytest.approx(sum(each.cost.minutes for each in jobs))
    chain = critical_path(jobs)
    assert elapsed_minutes(jobs, 10_000) == pytest.approx(sum(each.cost.minutes for each in chain))
    assert chain[0].step == "acquire" and chain[-1].step == "report"
    assert elapsed_minutes(jobs, 1) > elapsed_minutes(jobs, 2) > elapsed_minutes(jobs, 10_000)


@pytest.mark.parametrize(("minutes", "threads"), [(0.1, 1), (15.0, 1), (15.1, 4), (900.0, 4)])
def test_a_job_of_more_than_a_quarter_of_an_hour_takes_four_threads(
    minutes: float, threads: int, default_study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {("rank", "these wildcards"): Cost(minutes, 1.0, 1.0)}
    monkeypatch.setattr(default_study.resources, "estimate", lambda *asked: known[asked])
    assert default_study.resources.threads("rank")("these wildcards") == threads


def test_a_plan_tells_jobs_hours_memory_disk_and_time(
    default_study: Study, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["plan", "--cores", "2"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"study quickstart: {len(default_study.content.datasets)} datasets, ")
    line = re.search(r"^all +(\d+) +([\d.]+) min +([\d.]+) s +(\d+) MB +(\d+) MB$", text, re.M)
    assert line is not None, text
    jobs = planned_jobs(default_study)
    assert int(line[1]) == len(jobs)
    assert float(line[2]) == pytest.approx(sum(each.cost.minutes for each in jobs), abs=0.06)
    assert float(line[3]) == pytest.approx(60 * max(each.cost.minutes for each in jobs), abs=0.06)
    assert int(line[4]) == pytest.approx(max(each.cost.megabytes for each in jobs), abs=1)
    assert int(line[5]) == pytest.approx(sum(each.cost.disk for each in jobs), abs=1)
    assert f"expected on 2 cores: {elapsed_minutes(jobs, 2):.1f} min" in text
    assert re.search(r"at least [\d.]+ (s|min|h) on any number of cores: acquire, prepare ", text)


def test_a_plan_may_count_sets_that_cannot_be_had(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    study = tmp_path / "study.yaml"
    study.write_text("study: some\ndatasets: [digits-mlc, wipo]\n")
    assert main(["plan", str(study)]) == 0
    without = capsys.readouterr().out
    assert "1 dataset (1 not available)" in without and "not available: " in without
    assert main(["plan", str(study), "--every-set"]) == 0
    whole = capsys.readouterr().out
    assert re.search(r"^  wipo +[\d.]+ min$", whole, re.M) and "not available" not in whole


def test_a_plan_needs_a_core(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["plan", "--cores", "0"]) == 2
    assert capsys.readouterr().err == "mlsieve: --cores must be at least 1, got 0; write e.g. --cores 2\n"
