"""The question column-order: jobs only where it is asked, which run again with what they depend on."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from planner import Planner
from workflow_project import TINY, Project, make_project, with_value

from mlsieve.configuration import configuration_errors
from mlsieve.study import Study
from mlsieve.workflow.batches import batches
from mlsieve.workflow.schedule import planned_jobs

ORDER = {
    **TINY,
    "measures": ["hamming-loss", "accuracy"],
    "definition": "clus",
    "analysis": {"questions": ["relevance", "column-order"], "column_order": {"trees": 4}},
}
SUMMARY = {"column_order_summary": 1, "sections": 1, "report": 1}
TABLES = {"collect": 1, "compare": 1, "figures": 1}
edited = functools.partial(with_value, ORDER)


@pytest.fixture(scope="module")
def finished_order(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose study has run, with a command that only writes files."""
    project = make_project(tmp_path_factory.mktemp("order"))
    project.configure(ORDER)
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture(scope="module")
def planner(finished_order: Project) -> Iterator[Planner]:
    """Plans on the finished study."""
    with Planner(finished_order.folder) as planner:
        yield planner


def in_order(**values: object) -> dict:
    return edited("analysis", "column_order", value={"trees": 4, **values})


@pytest.mark.parametrize(
    ("configuration", "raised", "expected"),
    [
        pytest.param(ORDER, "", {}, id="nothing"),
        pytest.param(in_order(trees=8), "", {"column_order": 2, **TABLES, **SUMMARY}, id="trees"),
        pytest.param(
            in_order(datasets=["synthetic-linear"]),
            "",
            {**TABLES, **SUMMARY},
            id="a dataset less: no job of one",
        ),
        pytest.param(
            in_order(measures=["accuracy"]), "", {"column_order": 2, **TABLES, **SUMMARY}, id="measures of it"
        ),
        pytest.param(
            edited("evaluators", 0, "params", "k", value=7),
            "",
            {"column_order": 2, "predict": 6, "score": 6, **TABLES, **SUMMARY},
            id="the evaluator",
        ),
        pytest.param(
            edited("methods", 0, "score_params", "alpha", value=0.75),
            "",
            {"rank": 2, "predict": 2, "score": 2, **TABLES, "sections": 1, "report": 1},
            id="another setting of the study's own score: none of its jobs",
        ),
        pytest.param(
            edited("analysis", "significance", value=0.01),
            "",
            {"compare": 1, "figures": 1, **SUMMARY},
            id="the significance level: the summary",
        ),
        pytest.param(
            ORDER,
            "ranker pct",
            {"grow": 2, "rank": 4, "predict": 4, "score": 4, "column_order": 2, **TABLES, **SUMMARY},
            id="the version of the trees",
        ),
        pytest.param(
            ORDER,
            "measure accuracy",
            {"score": 6, "column_order": 2, **TABLES, **SUMMARY},
            id="the version of a measure",
        ),
        pytest.param(
            ORDER, "step column_order", {"column_order": 2, **TABLES, **SUMMARY}, id="the version of the step"
        ),
        pytest.param(ORDER, "step column_order_summary", SUMMARY, id="the version of the summary"),
    ],
)
def test_an_edit_reruns_what_depends_on_it(
    planner: Planner, configuration: dict, raised: str, expected: dict
) -> None:
    assert planner.planned(configuration, raised=raised) == Counter(expected)


def test_a_study_that_does_not_ask_has_no_such_job() -> None:
    study = Study({**ORDER, "analysis": {"questions": ["relevance"], "column_order": {"trees": 4}}})
    assert study.content.column_order is None and study.summaries.outputs("column_order_summary") == []
    assert {job.step for job in study.jobs.all()}.isdisjoint({"column_order"})
    assert {job.step for job in planned_jobs(study)}.isdisjoint({"column_order", "column_order_summary"})


def test_a_plan_and_batches_hold_the_jobs() -> None:
    study = Study(ORDER)
    jobs = planned_jobs(study)
    orders = [job for job in jobs if job.step == "column_order"]
    assert [job.dataset for job in orders] == ORDER["datasets"]
    assert all(job.cost.minutes > 0 and job.cost.megabytes > 100 for job in orders)
    by_step = {job.step: job for job in jobs}
    made = {job.output for job in orders}
    assert made <= set(by_step["collect"].inputs) and made == set(by_step["column_order_summary"].inputs)
    assert "column_order_summary" in by_step["sections"].inputs
    assert made <= set(batches(study))
    larger = Study(in_order(trees=400))
    at = SimpleNamespace(
        dataset=next(iter(study.content.datasets)), split=study.content.column_order_split.key
    )
    more, less = (one.resources.estimate("column_order", at).minutes for one in (larger, study))
    assert more > 10 * less


def test_options_say_what_the_section_says() -> None:
    section = {"ensembles": ["bagging"], "scores": ["genie3"], "measures": ["accuracy", "hierarchical-f1"]}
    study = Study(in_order(**section))
    at = SimpleNamespace(dataset=next(iter(study.content.datasets)), split="")
    words = study.options.column_order(at)
    assert "--trees 4 " in words and "--ensembles bagging --scores genie3" in words
    assert words.endswith(
        "--evaluator weighted-knn --set k=5 --set ranges=all --definition clus --measures accuracy"
    )
    seeds = words.split("--seeds ")[1].split()[0].split(",")
    assert len(set(seeds)) == 2
    assert "--measures hamming-loss,accuracy" in Study(ORDER).options.column_order(at)
    hierarchical = Study(in_order(measures=["hierarchical-f1"]))
    assert hierarchical.jobs.column_orders() == [], "no measure of it is for flat labels"


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"trees": 0}, "analysis.column_order.trees: 0 is too small"),
        ({"ensembles": ["forest"]}, "analysis.column_order.ensembles[0]: unknown value 'forest'"),
        (
            {"datasets": ["synthetic-noise"]},
            "analysis.column_order.datasets: 'synthetic-noise' is not among the study's datasets",
        ),
        ({"measures": ["hamming"]}, "analysis.column_order.measures: 'hamming' is not a measure"),
        ({"seeds": 3}, "analysis.column_order.seeds: unknown key"),
    ],
)
def test_wrong_sections_are_refused(section: dict, told: str) -> None:
    found = configuration_errors(edited("analysis", "column_order", value=section))
    assert len(found) == 1 and found[0].startswith(told), found
