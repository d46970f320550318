"""Editing one value reruns exactly the jobs that depend on it."""

from __future__ import annotations

import copy
from collections import Counter

import pytest
from workflow_project import TINY, Project

STUDY = {"collect": 1, "compare": 1, "figures": 1, "report": 1}


def edited(*path: str | int, value: object) -> dict:
    configuration = copy.deepcopy(TINY)
    target = configuration
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return configuration


def test_nothing_to_do_after_a_run(finished: Project) -> None:
    finished.configure(TINY)
    assert finished.planned() == Counter()


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
            edited("methods", 0, "score_params", "alpha", value=0.75),
            {"rank": 2, "predict": 2, "score": 2, **STUDY},
            id="alpha: the symbolic rankings and what follows",
        ),
        pytest.param(
            edited("evaluators", 0, "params", "k", value=7),
            {"predict": 6, "score": 6, **STUDY},
            id="k: evaluation and what follows",
        ),
        pytest.param(
            edited("measures", value=["hamming-loss", "accuracy"]),
            {"score": 6, **STUDY},
            id="measures: scores and what follows",
        ),
        pytest.param(
            edited("methods", 0, "sizes", value=[2, 3, 4]),
            {"rank": 4, "predict": 4, "score": 4, **STUDY},
            id="a smaller size: no forest is grown again",
        ),
        pytest.param(
            edited("methods", 0, "ensemble_params", value={"min_leaf": 3.0}),
            {"grow": 2, "rank": 4, "predict": 4, "score": 4, **STUDY},
            id="trees: everything but the control",
        ),
        pytest.param(
            edited("seed", value=1),
            {"grow": 2, "rank": 6, "predict": 6, "score": 6, **STUDY},
            id="seed: everything but the data",
        ),
        pytest.param(
            edited("stability", value={"seeds": 2}),
            {"grow": 2, "rank": 4, "predict": 4, "score": 4, "stability": 1, **STUDY},
            id="a second seed: its own jobs, without the control, which takes none",
        ),
        pytest.param(edited("stability", value={"seeds": 1}), STUDY, id="one seed is what there was"),
        pytest.param(
            edited("analysis", value={"significance": 0.01}),
            {"compare": 1, "figures": 1, "report": 1},
            id="significance: tests, figures and report",
        ),
        pytest.param(
            edited("figures", "formats", value=["svg", "pdf"]),
            {"figures": 1, "report": 1},
            id="figure formats: figures and report",
        ),
        pytest.param(edited("title", value="Another title"), {"report": 1}, id="title: report"),
    ],
)
def test_an_edit_reruns_what_depends_on_it(finished: Project, configuration: dict, expected: dict) -> None:
    finished.configure(configuration)
    assert finished.planned() == Counter(expected)


def test_a_new_dataset_runs_its_own_jobs(finished: Project) -> None:
    finished.configure(edited("datasets", value=[*TINY["datasets"], "synthetic-noise"]))
    own = {"prepare": 1, "grow": 1, "rank": 3, "predict": 3, "score": 3}
    assert finished.planned() == Counter({"acquire": 1, **own, **STUDY})


def test_a_dataset_taken_out_runs_none_of_the_others(finished: Project) -> None:
    finished.configure(edited("datasets", value=TINY["datasets"][:1]))
    assert finished.planned() == Counter({"acquire": 1, **STUDY})


def test_a_raised_version_reruns_the_method(project: Project) -> None:
    assert project.snakemake("-q").returncode == 0
    site = project.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import dataclasses, mlsieve.registry as registry\n"
        "plain = registry.lookup\n"
        "def lookup(kind, id):\n"
        "    entry = plain(kind, id)\n"
        "    raised = id == 'weighted-knn'\n"
        "    return dataclasses.replace(entry, version=entry.version + 1) if raised else entry\n"
        "registry.lookup = lookup\n"
    )
    project.environment["PYTHONPATH"] = str(site)
    assert project.planned() == Counter({"predict": 6, "score": 6, **STUDY})


def test_a_run_that_makes_a_part_only_ends_well(project: Project) -> None:
    done = project.snakemake("--until", "rank", "-q")
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "Traceback" not in said and "Error" not in said, said
    assert "Study 'tiny': what was asked for is made; its tables and report are not" in said
