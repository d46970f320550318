"""A study of selectors: one job for all splits, cuts in a step of their own, and exact sets of reruns."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator

import pytest
from planner import Planner
from workflow_project import SELECTING, Project, make_project, with_value

from mlsieve.configuration import configuration_errors

STUDY = {"collect": 1, "compare": 1, "sections": 1, "figures": 1, "report": 1}


@pytest.fixture(scope="module")
def selected(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose study of selectors has run, with a command that only writes files."""
    project = make_project(tmp_path_factory.mktemp("selecting"))
    project.configure(SELECTING)
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture(scope="module")
def planner(selected: Project) -> Iterator[Planner]:
    """Plans on the finished study."""
    with Planner(selected.folder) as planner:
        yield planner


edited = functools.partial(with_value, SELECTING)


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        pytest.param(SELECTING, {}, id="nothing"),
        pytest.param(
            edited("methods", 0, "params", value={"k": 5}),
            {"rank": 2, "evaluate": 2, **STUDY},
            id="k of one selector: its selections and what follows",
        ),
        pytest.param(
            edited("methods", 4, "select", value=7),
            {"rank": 2, "evaluate": 2, **STUDY},
            id="the size of a baseline's selection",
        ),
        pytest.param(
            edited("methods", 0, "params", value={"discretize": "equal-width"}),
            {"discretise": 2, "rank": 2, "evaluate": 2, **STUDY},
            id="cuts of one selector: other cuts besides those that the others use",
        ),
        pytest.param(
            edited("evaluators", 0, "params", value={"points": 5}),
            {"evaluate": 12, **STUDY},
            id="points of the curve: no selection",
        ),
        pytest.param(
            edited(
                "evaluators",
                0,
                "exceptions",
                value=[{"datasets": ["synthetic-linear"], "methods": ["scls"], "params": {"points": "all"}}],
            ),
            {"evaluate": 1, **STUDY},
            id="an exception for one dataset and method: its evaluation alone",
        ),
        pytest.param(
            edited("evaluators", 0, "params", value={"points": 3, "input": "gaussian"}),
            {"evaluate": 12, **STUDY},
            id="an evaluator without cuts: the selectors keep theirs",
        ),
        pytest.param(
            edited("split", "train_share", value=0.7),
            {"discretise": 2, "rank": 12, "evaluate": 12, **STUDY},
            id="the split: everything but the data",
        ),
        pytest.param(
            edited("methods", value=SELECTING["methods"][1:]),
            STUDY,
            id="a selector taken out: none of the others",
        ),
    ],
)
def test_an_edit_reruns_what_depends_on_it(planner: Planner, configuration: dict, expected: dict) -> None:
    assert planner.planned(configuration) == Counter(expected)


def test_a_fourth_split_of_three_a_job_keeps_the_first_three(selected: Project) -> None:
    """The job of one split predicts and scores as any study does; the other is there already."""
    selected.configure(edited("split", "repeats", value=4))
    own = {"discretise": 2, "rank": 12, "predict": 12, "score": 12}
    assert selected.planned() == Counter({**own, **STUDY})


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            {"methods": [{"id": "pct", "ensembles": ["bagging"], "scores": ["genie3"]}, {"id": "scls"}]},
            "split.repeats_per_job: methods[0] grows ensembles, each in a job of its own; leave it out",
        ),
        ({"stability": {"seeds": 2}}, "split.repeats_per_job: several seeds are compared split by split"),
        (
            {"methods": [{"id": "ami"}, {"id": "ami", "params": {"form": "printed"}}]},
            "methods[1]: ami is already in methods[0]; give one of them a 'name'",
        ),
        ({"methods": [{"id": "scls", "select": 3}, {"id": "ami"}]}, "methods[0].select: unknown key"),
        (
            {
                "evaluators": [
                    {"id": "mlnb", "exceptions": [{"datasets": ["synthetic-linaer"], "params": {}}]}
                ]
            },
            "evaluators[0].exceptions[0].datasets: 'synthetic-linaer' is not among the study's datasets; did",
        ),
        (
            {
                "evaluators": [
                    {
                        "id": "mlnb",
                        "exceptions": [
                            {
                                "datasets": ["synthetic-linear"],
                                "methods": ["scl"],
                                "params": {"points": "all"},
                            }
                        ],
                    }
                ]
            },
            "evaluators[0].exceptions[0].methods: 'scl' is not among the study's methods; did you mean",
        ),
        (
            {
                "evaluators": [
                    {
                        "id": "mlnb",
                        "exceptions": [{"datasets": ["synthetic-linear"], "params": {"points": "every"}}],
                    }
                ]
            },
            "evaluators[0].exceptions[0].params.points",
        ),
        (
            {"figures": {"datasets": ["nowhere"]}},
            "figures.datasets: 'nowhere' is not among the study's datasets",
        ),
        (
            {"datasets": [{"id": "synthetic-linaer", "drop": ["x"]}]},
            "datasets[0]: unknown dataset 'synthetic-linaer'; did you mean 'synthetic-linear'?",
        ),
    ],
)
def test_what_does_not_go_together_is_told(values: dict, told: str) -> None:
    lines = configuration_errors(SELECTING | values)
    assert any(line.startswith(told) for line in lines), lines
