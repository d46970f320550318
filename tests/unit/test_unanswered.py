"""A question that a study cannot answer is named before the first job, by the plan and by every run."""

from __future__ import annotations

import re

import pytest
import yaml
from workflow_project import CHAINS, HIERARCHICAL, ROOT, TINY

from mlsieve.cli import main
from mlsieve.configuration import load_configuration
from mlsieve.study import Content
from mlsieve.workflow.run import open_study
from mlsieve.workflow.unanswered import unanswered

FOREST = {"id": "pct", "ensembles": ["random-forest"], "scores": ["genie3"], "sizes": [2]}
TWO_SIZES, TWO_SCORES = FOREST | {"sizes": [2, 4]}, FOREST | {"scores": ["genie3", "symbolic"]}
TWO_ENSEMBLES = FOREST | {"ensembles": ["random-forest", "bagging"]}
ALL_FEATURES = FOREST | {"name": "all-features", "ensemble_params": {"max_features": "all"}}
SIX = [f"synthetic-{kind}" for kind in ("linear", "interaction", "mixed", "noise", "redundant", "sparse")]
UNIFORM, RELIEF, SCLS = {"id": "uniform"}, {"id": "relief"}, {"id": "scls"}
# By question: methods without and with what it needs.
CASES = {
    "saturation": ([FOREST, UNIFORM], [TWO_SIZES]),
    "convergence": ([FOREST, UNIFORM], [TWO_SIZES]),
    "relevance": ([FOREST, RELIEF], [FOREST, UNIFORM]),
    "ensemble": ([TWO_SCORES, UNIFORM], [TWO_ENSEMBLES]),
    "relief": ([TWO_ENSEMBLES, UNIFORM], [FOREST, RELIEF]),
    "score": ([FOREST, UNIFORM], [TWO_SCORES]),
    "similarity": ([FOREST, UNIFORM], [FOREST, RELIEF]),
    "candidates": ([FOREST, UNIFORM], [FOREST, ALL_FEATURES]),
    "selection": ([{"id": "ami"}, UNIFORM], [SCLS, UNIFORM]),
    "comparison": ([UNIFORM], [UNIFORM, RELIEF]),
}
PLUGIN = """
from mlsieve.analysis.tests import Answer
from mlsieve.registry import register

@register.question("in-vain", order=20, title="Is there an oracle?")
def in_vain(table, analysis, choices):
    return Answer() if "oracle" in table.singles() else Answer(notes=["The study has no oracle."])

@register.question("values-alone", order=21, title="What is the best value?")
def values_alone(table, analysis, choices):
    return Answer(notes=[str(table.exact.dropna().iloc[0])])
"""


def asked(methods, questions, **more):
    return TINY | {"datasets": SIX, "methods": methods, "analysis": {"questions": questions} | more}


@pytest.mark.parametrize("choice", ["own", "paper"])
def test_a_question_says_what_it_lacks(choice):
    for question, (without, having) in CASES.items():
        assert set(unanswered(Content(asked(without, [question], choice=choice)))) == {question}, question
        assert unanswered(Content(asked(having, [question], choice=choice))) == {}, question
    # A baseline with a name of its own has to be named.
    renamed = [FOREST, UNIFORM | {"name": "alike"}]
    [why] = unanswered(Content(asked(renamed, ["relevance"]))).values()
    assert "'uniform'" in why
    assert unanswered(Content(asked(renamed, ["relevance"], unweighted="alike"))) == {}


def test_tests_over_datasets_need_more_than_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    study = asked([FOREST, UNIFORM, RELIEF], ["relevance", "relief", "saturation"])
    why = "the study has one dataset, 'synthetic-linear', and tests compare methods over several"
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study | {"datasets": ["synthetic-linear"]}))
    assert main(["study", "plan", "study.yaml"]) == 0
    lines = capsys.readouterr().err.splitlines()
    hint = "leave them out of analysis.questions, or add what they lack"
    assert f"mlsieve: note: no answer to the questions 'relevance' and 'relief': {why} ({hint})" in lines
    assert [line for line in lines if "'saturation'" in line and why not in line] and len(lines) == 2
    few = unanswered(Content(study | {"datasets": SIX[:5]}))
    assert few["relevance"] == "with 5 datasets no result of Wilcoxon's test can be significant"
    assert set(unanswered(Content(study))) == {"saturation"}


def test_studies_that_answer_everything_are_planned_without_a_word():
    default = ROOT / "config" / "config.yaml"
    for path in (default, *sorted((ROOT / "config" / "studies").glob("*.yaml"))):
        configuration = load_configuration(path, default=None if path == default else default)
        assert unanswered(Content(configuration)) == {}, path
    assert unanswered(Content(load_configuration(default=default) | CHAINS)) == {}
    found = unanswered(Content(load_configuration(default=default) | HIERARCHICAL))
    assert [id for id, why in found.items() if "Wilcoxon" not in why] == ["score-order"], (
        "no ensemble of it has all three scores"
    )


def test_the_plan_and_the_run_name_it_and_go_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(PLUGIN)
    questions = ["relevance", "relief", "in-vain", "values-alone"]
    study = asked([FOREST, UNIFORM], questions) | {"plugins": ["mine.py"], "measures": ["f1"]}
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study))
    for command in (["plan", "study.yaml"], ["study", "plan", "study.yaml"]):
        assert main(command) == 0
        lines = capsys.readouterr().err.splitlines()
        assert [re.search(r"question '(\S+)': .+ \(.+\)$", line)[1] for line in lines] == [
            "relief",
            "in-vain",
        ]
    for main_process in (True, False):
        open_study(load_configuration("study.yaml"), {}, main_process=main_process)
        assert capsys.readouterr().err.splitlines() == lines * main_process, "a job of a cluster is silent"
