"""The hierarchical study: steps that only its questions need, and exact sets of reruns."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator

import pytest
from planner import Planner
from workflow_project import HIERARCHICAL, Project, make_project, with_value

STUDY = {
    "collect": 1,
    "compare": 1,
    "similarity": 1,
    "convergence": 1,
    "sections": 1,
    "figures": 1,
    "report": 1,
}


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose study has run, with a command that only writes files."""
    project = make_project(tmp_path_factory.mktemp("hierarchical"))
    project.configure(HIERARCHICAL)
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture(scope="module")
def planner(ranked: Project) -> Iterator[Planner]:
    """Plans on the finished study."""
    with Planner(ranked.folder) as planner:
        yield planner


edited = functools.partial(with_value, HIERARCHICAL)


def asking(*questions: str) -> dict:
    return edited("analysis", "questions", value=list(questions))


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        pytest.param(HIERARCHICAL, {}, id="nothing"),
        pytest.param(
            edited("methods", 3, "sizes", value=[10, 50, 100]),
            {"rank": 2, "predict": 2, "score": 2, **STUDY},
            id="another share of Relief's examples: Relief alone",
        ),
        pytest.param(
            edited("methods", 0, "ensemble_params", value={"class_weight_decay": 0.5}),
            {"grow": 2, "rank": 4, "predict": 4, "score": 4, **STUDY},
            id="weights of classes: the ensembles that they are given to",
        ),
        pytest.param(
            edited("definition", value="clus"), {"score": 12, **STUDY}, id="the definition: scores alone"
        ),
        pytest.param(
            edited("analysis", "similarity_dataset", value="digits-hmlc"),
            {"compare": 1, "similarity": 1, "sections": 1, "figures": 1, "report": 1},
            id="whose curves are drawn: no job of a dataset",
        ),
        pytest.param(
            edited("figures", "datasets", value=["synthetic-hierarchical"]),
            {"figures": 1, "report": 1},
            id="whose figures are drawn: these alone",
        ),
        pytest.param(
            asking("saturation", "efficiency"),
            {"compare": 1, "sections": 1, "figures": 1, "report": 1},
            id="questions that need no step of their own",
        ),
    ],
)
def test_an_edit_reruns_what_depends_on_it(planner: Planner, configuration: dict, expected: dict) -> None:
    assert planner.planned(configuration) == Counter(expected)


def test_only_questions_that_need_them_make_further_tables(tmp_path) -> None:
    project = make_project(tmp_path)
    project.configure(asking("saturation"))
    planned = project.planned()
    assert planned["describe"] == planned["similarity"] == planned["convergence"] == 0
    assert planned["compare"] == 1
    project.configure(asking("saturation", "candidates"))
    planned = project.planned()
    assert planned["describe"] == 1 and planned["similarity"] == 0
    project.configure(asking("saturation", "convergence"))
    planned = project.planned()
    assert planned["convergence"] == 1 and planned["similarity"] == 0
