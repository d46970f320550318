"""Small jobs go together, in batches that can always start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest
from workflow_project import HIERARCHICAL, SELECTING, TINY

from mlsieve.configuration.merge import load_configuration
from mlsieve.errors import UserError
from mlsieve.study import Study
from mlsieve.workflow.batches import batches, tree
from mlsieve.workflow.cluster import BATCH_MINUTES, batch_minutes
from mlsieve.workflow.schedule import planned_jobs

STUDIES = {
    "trees": TINY,
    "seeds": TINY | {"stability": {"seeds": 2}},
    "evaluators": TINY | {"evaluators": [{"id": "weighted-knn"}, {"id": "mlnb"}]},
    "selectors": SELECTING,
    "hierarchy": HIERARCHICAL,
}


def study_of(name: str) -> Study:
    return Study(load_configuration() | STUDIES[name])


@pytest.mark.parametrize("jobs", [5, 1000])
@pytest.mark.parametrize("minutes", [0.03, 0.04, 0.1, 0.3, 100.0])
@pytest.mark.parametrize("name", STUDIES)
def test_no_batch_waits_for_itself(name: str, minutes: float, jobs: int) -> None:
    study = study_of(name)
    found = batches(study, minutes, jobs)
    assert found, "some jobs go together even in the smallest batch"
    needs: dict[str, set[str]] = {}
    for job in study.jobs.all():
        own = found.get(job.output, job.output)
        needs.setdefault(own, set()).update({found.get(file, file) for file in job.inputs} - {own})
    order = list(TopologicalSorter(needs).static_order())  # raises CycleError
    assert set(order) >= set(found.values()), "every batch has its turn"


@pytest.mark.parametrize("minutes", [0.04, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("name", STUDIES)
def test_a_batch_keeps_to_its_minutes_and_jobs(name: str, minutes: float) -> None:
    study = study_of(name)
    # `mlsieve study plan` and batches go by the same minutes.
    estimated = {job.output: job.cost.minutes for job in planned_jobs(study)}
    found = batches(study, minutes, jobs=12)
    assert found and set(found) <= {job.output for job in study.jobs.all()}
    for batch in set(found.values()):
        held = [output for output, name in found.items() if name == batch]
        assert 2 <= len(held) <= 12
        assert sum(estimated[output] for output in held) <= minutes + 1e-9


def test_small_data_sets_share_a_batch_and_large_ones_have_several() -> None:
    study = study_of("trees")
    assert len(set(batches(study, 1000.0).values())) == 1
    assert set(batches(study, 1000.0)) == {job.output for job in study.jobs.all()}
    each = max(data.minutes for data in tree(study).below.values())
    by_set = batches(study, each * 1.01)
    assert len(set(by_set.values())) == len(study.content.datasets)
    parts = batches(study, each * 0.7)
    assert len(set(parts.values())) > len(study.content.datasets)
    assert batches(study, 1e-9) == {}


def test_the_same_study_has_the_same_batches() -> None:
    """Whatever the order of its keys, and of the sets that Python hashes."""
    configuration = load_configuration() | STUDIES["hierarchy"]
    program = (
        "import json, sys; from mlsieve.study import Study; from mlsieve.workflow.batches import batches; "
    )
    program += "print(json.dumps(batches(Study(json.load(sys.stdin)), 0.2)))"
    made = [
        subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(dict(items)),
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, items in (("1", configuration.items()), ("2", reversed(configuration.items())))
    ]
    assert json.loads(made[0]) == batches(study_of("hierarchy"), 0.2) != {} and made[0] == made[1]


def test_the_minutes_of_a_batch_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BATCH_MINUTES, raising=False)
    assert batch_minutes() == 10
    monkeypatch.setenv(BATCH_MINUTES, "")  # as if it were not set, like other variables
    assert batch_minutes() == 10
    monkeypatch.setenv(BATCH_MINUTES, "2.5")
    assert batch_minutes() == 2.5
    for wrong in ("ten", "0", "-1", "nan"):
        monkeypatch.setenv(BATCH_MINUTES, wrong)
        with pytest.raises(UserError, match=BATCH_MINUTES):
            batch_minutes()
