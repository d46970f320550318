"""A study of methods that predict label sets, run whole with the real commands."""

from __future__ import annotations

import csv
import re

import pytest
from workflow_project import CHAINS, Project, make_project

QUESTIONS = ["static-order", "label-tests", "chain-length", "chain-cost", "chain-methods", "chain-sequence"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose study of chains has run."""
    project = make_project(tmp_path_factory.mktemp("chains"), stand_in=False)
    project.configure(CHAINS | {"analysis": {"questions": QUESTIONS}})
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


def rows(project: Project, name: str) -> list[dict[str, str]]:
    """Return a table of the study."""
    with (project.folder / f"results/chains/{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_method_has_its_values(project: Project) -> None:
    found = {(row["dataset"], row["method"], row["measure"]) for row in rows(project, "performance")}
    everywhere = {
        "rdt-dynamic",
        "rdt-static",
        "xdcc-program-standard",
        "xdcc-program-cumulated",
        "cc-true",
        "cc",
    }
    expected = {(data, name) for data in CHAINS["datasets"] for name in everywhere}
    expected.add(("synthetic-linear", "lp"))
    assert found == {(*pair, measure) for pair in expected for measure in CHAINS["measures"]}
    assert {row["method"] for row in rows(project, "skipped")} == {"lp"}, "not used on the other dataset"


def test_the_chosen_point_is_the_first_of_the_best(project: Project) -> None:
    tuned = [row for row in rows(project, "chain_tuning") if row["measure"] == "f1"]
    assert {row["method"] for row in tuned} == {"xdcc-program-standard", "xdcc-program-cumulated", "cc-true"}
    for data, method in {(row["dataset"], row["method"]) for row in tuned}:
        own = [row for row in tuned if (row["dataset"], row["method"]) == (data, method)]
        best = max(float(row["value"]) for row in own)
        first = next(row for row in own if float(row["value"]) == best)
        assert [row["settings"] for row in own if row["chosen"] == "True"] == [first["settings"]]
        (run,) = (
            row for row in rows(project, "chain_runs") if (row["dataset"], row["method"]) == (data, method)
        )
        assert first["settings"] == run["settings"]


def test_the_last_length_of_a_chain_is_the_whole_one(project: Project) -> None:
    curves = [row for row in rows(project, "chain_curves") if row["parameter"] == "chain_length"]
    scores = {
        (row["dataset"], row["method"], row["measure"]): float(row["value"])
        for row in rows(project, "performance")
    }
    longest = max(int(row["point"]) for row in curves)
    whole = [row for row in curves if int(row["point"]) == longest and row["measure"] in CHAINS["measures"]]
    assert whole
    for row in whole:
        assert float(row["value"]) == scores[row["dataset"], row["method"], row["measure"]]


def test_the_report_has_the_questions_and_no_rankings(project: Project) -> None:
    page = (project.folder / "results/chains/report.html").read_text(encoding="utf-8")
    assert set(re.findall(r'<section id="question-([a-z-]+)"', page)) == set(QUESTIONS)
    assert "<h3>Rankings</h3>" not in page
    assert "xdcc-program-standard (cumulate = none); xdcc-program-cumulated (cumulate = sum)" in page
    assert "Parameters are chosen on a fifth of the training part" in page


def test_a_study_that_is_done_runs_nothing(project: Project) -> None:
    assert not project.planned()
