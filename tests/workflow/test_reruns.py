"""Reruns that the tables of docs/reruns.md leave out; test_partial_reruns.py goes through those."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator

import pytest
from planner import Planner
from workflow_project import TINY, Project, with_value

STUDY = {"collect": 1, "compare": 1, "sections": 1, "figures": 1, "report": 1}

edited = functools.partial(with_value, TINY)


@pytest.fixture(scope="module")
def planner(finished: Project) -> Iterator[Planner]:
    """Plans on the finished study."""
    with Planner(finished.folder) as planner:
        yield planner


def test_a_plan_with_other_settings_leaves_the_study_as_it_was(finished: Project) -> None:
    finished.configure(TINY)
    files = sorted((finished.folder / "results" / "tiny" / "configuration").glob("*.json"))
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in files]
    finished.configure(edited("measures", value=["hamming-loss"]))
    assert finished.planned()["score"] == 6
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in files] == before and len(files) == 4
    finished.configure(TINY)
    assert finished.planned() == Counter()


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        pytest.param(
            edited("methods", 0, "ensemble_params", value={"min_leaf": 3.0}),
            {"grow": 2, "rank": 4, "predict": 4, "score": 4, **STUDY},
            id="trees: everything but the baseline",
        ),
        pytest.param(
            edited("stability", value={"seeds": 2}),
            {"grow": 2, "rank": 4, "predict": 4, "score": 4, "stability": 1, **STUDY},
            id="a second seed: its own jobs, without the baseline, which takes none",
        ),
        pytest.param(edited("stability", value={"seeds": 1}), STUDY, id="one seed is what there was"),
    ],
)
def test_an_edit_reruns_what_depends_on_it(planner: Planner, configuration: dict, expected: dict) -> None:
    assert planner.planned(configuration) == Counter(expected)


def test_a_run_that_makes_a_part_only_ends_well(project: Project) -> None:
    done = project.snakemake("--until", "rank", "-q")
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "Traceback" not in said and "Error" not in said, said
    assert "Study 'tiny': the requested files are complete; its tables and report are not" in said
