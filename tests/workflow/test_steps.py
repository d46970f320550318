"""The table of steps and the workflow's rules agree."""

from __future__ import annotations

import re

import pytest
from workflow_project import ROOT, TINY, Project

from mlsieve.registry import entries
from mlsieve.study import STEPS, Step, Study

FILES = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
}
TEXT = "\n".join(FILES.values())
STAGES = {"prepare_all": ["prepare"], "grow_all": ["grow"], "rank_all": ["rank"], "evaluate_all": ["score"]}


def rules_of(text: str) -> dict[str, str]:
    found = re.finditer(r"^(?:rule|checkpoint) (\w+):\n((?: .*\n|\n)+)", text, re.M)
    return {rule[1]: rule[2] for rule in found if rule[1] not in STAGES}


RULES = rules_of(TEXT)


def block(rule: str, directive: str) -> str:
    """Return the text below a directive of a rule; empty where the rule lacks it."""
    found = re.search(rf"^    {directive}:\n((?:        .*\n)+)", RULES[rule], re.M)
    return found[1] if found else ""


def test_every_rule_is_a_step_and_every_step_a_rule() -> None:
    assert set(RULES) == set(STEPS)


@pytest.mark.parametrize("step", STEPS.values(), ids=lambda step: step.name)
def test_a_rule_writes_what_the_table_says(step: Step) -> None:
    # The folder of the figures is an output too, which no other step reads.
    written = re.findall(r"(?<!directory\()study\.[\w.]+\(\"([^\"]+)\"\)", block(step.name, "output"))
    assert sorted(written) == sorted(step.tables.values() if step.summary else [step.name])


@pytest.mark.parametrize("name", [name for name, text in FILES.items() if rules_of(text)])
def test_a_rule_file_begins_with_what_it_produces(name: str) -> None:
    head = re.match(r'"""(.*?)"""', FILES[name], re.S)
    produced = re.search(r"^Produces:\n((?:    .*\n)+)", head[1] if head else "", re.M)
    assert head and produced and "\nRequires:\n    " in head[1]
    listed = [line.strip().split(",")[0] for line in produced[1].splitlines()]
    study = Study(TINY | {"study": "<study>"})
    made = []
    for rule in rules_of(FILES[name]):
        outputs = list(map(study.paths.table, STEPS[rule].tables.values())) or [study.paths.of(rule)]
        made += [re.sub(r"{(\w+)}", r"<\1>", output) for output in outputs]
    assert listed == made


def test_summaries_alone_run_on_the_login_node() -> None:
    local = re.findall(r"^localrules:\n((?:    \w+,\n)+)", TEXT, re.M)
    summaries = {name for name, step in STEPS.items() if step.summary}
    assert set(re.findall(r"\w+", " ".join(local))) == summaries | {"all", *STAGES}
    assert {name for name in RULES if not block(name, "group")} == summaries
    manual = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    item = re.search(r"^- \*\*On the login node\*\*(.*?)^- ", manual, re.S | re.M)
    assert item and set(re.findall(r"`(\w+)`", item[1])) == summaries


def test_the_whole_study_is_made_of_tables_of_summaries() -> None:
    snakefile = (ROOT / "workflow" / "Snakefile").read_text(encoding="utf-8")
    wanted = re.findall(r"study\.paths\.table\(\"([^\"]+)\"\)", snakefile)
    assert len(wanted) > 5 and set(wanted) <= {
        file for step in STEPS.values() for file in step.tables.values()
    }


def test_a_summary_has_a_cost_and_waits_for_summaries_before_it() -> None:
    before: set[str] = set()
    for name, step in STEPS.items():
        assert set(step.after) <= before, name
        if step.summary:
            assert 0 < step.cost(0).minutes <= step.cost(1000).minutes and step.cost(1).megabytes > 0
            before.add(name)


def test_no_two_summaries_write_the_same_table() -> None:
    for kind in ("keys", "values"):
        names = [name for step in STEPS.values() for name in getattr(step.tables, kind)()]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("question", entries("question").values(), ids=lambda entry: entry.id)
def test_a_question_names_tables_of_summaries(question) -> None:
    made = {name: step.name for step in STEPS.values() for name in step.tables}
    for reader, names in question.facts.tables.items():
        assert reader in ("compare", "sections", "figures")
        for name in names:
            assert list(STEPS).index(made[name]) < list(STEPS).index(reader), name
    study = Study(TINY | {"analysis": {"questions": [question.id]}})
    asked = {made[name] for names in question.facts.tables.values() for name in names}
    always = {"acquire", "collect", "compare", "sections", "figures", "report"}
    assert set(study.summaries.steps) == always | asked
    for reader, names in question.facts.tables.items():
        assert set(study.summaries.tables(reader)) == set(names)
        assert set(study.summaries.tables(reader).values()) <= {
            path for step in asked for path in study.summaries.outputs(step)
        }


def test_a_study_without_further_questions_has_no_further_summary() -> None:
    steps = Study(TINY).summaries.steps
    assert steps == ("acquire", "collect", "compare", "sections", "figures", "report")
    assert Study(TINY).summaries.outputs("similarity") == []
    seeds = Study(TINY | {"stability": {"seeds": 2}}).summaries
    assert set(seeds.steps) - set(steps) == {"stability"}
    example = {"worked_example": {"dataset": "synthetic-linear"}}
    assert set(Study(TINY | {"analysis": example}).summaries.steps) - set(steps) == {"worked"}
    own = Study(TINY | {"study": "hmlc_ranking"}).summaries
    assert set(own.steps) - set(steps) == {"describe", "published"}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_a_target(project: Project, stage: str) -> None:
    planned = project.planned(stage)
    (last,) = STAGES[stage]
    jobs = Study(TINY).jobs.all()
    assert planned[last] == sum(job.step == last for job in jobs) > 0
    steps = [step.name for step in STEPS.values() if not step.summary]
    assert set(planned) <= {"acquire", stage, *steps[: steps.index(last) + 1]}
