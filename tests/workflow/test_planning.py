"""What Snakemake plans, what it refuses, and the shape of the rules."""

from __future__ import annotations

import copy
import inspect
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from workflow_project import ROOT, TINY, Project

from mlsieve.configuration import load_configuration
from mlsieve.study import STEPS, Study

RULES = sorted((ROOT / "workflow").rglob("*.smk"))
STUDIES = sorted((ROOT / "config" / "studies").glob("*.yaml"))


def test_the_default_study_is_planned_at_the_root(project: Project) -> None:
    done = project.snakemake("-n", configured=False)
    assert done.returncode == 0, done.stderr
    assert "profiles/default" in done.stderr + done.stdout
    study = Study(load_configuration(ROOT / "config" / "config.yaml", default=None))
    steps = Counter(job.step for job in study.jobs.all())
    for step, count in steps.items():
        assert re.search(rf"^{step}\s+{count}$", done.stdout + done.stderr, re.M), step


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_published_study_is_planned_before_its_data_are_looked_for(project: Project, path: Path) -> None:
    done = project.snakemake("-n", "--configfile", f"config/studies/{path.name}", configured=False)
    assert done.returncode == 0 and "Error" not in done.stderr, done.stderr
    planned = bool(re.search(r"^published\s+1$", done.stdout + done.stderr, re.M))
    study = Study(load_configuration(path, default=ROOT / "config" / "config.yaml"))
    assert planned == bool(study.summaries.papers)


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_study_stays_within_the_budget_of_jobs(path: Path) -> None:
    configuration = load_configuration(path, default=ROOT / "config" / "config.yaml")
    configuration["leave_out"] = []
    assert len(Study(configuration).jobs.all()) < 2000


def test_the_quickstart_stays_small() -> None:
    assert len(Study(load_configuration(ROOT / "config" / "config.yaml", default=None)).jobs.all()) < 350


def test_every_configuration_error_is_a_line_and_no_job_starts(project: Project) -> None:
    configuration = copy.deepcopy(TINY)
    configuration["datasets"] = ["synthetic-linera"]
    configuration["methods"][0]["scores"] = ["genie4"]
    configuration["methods"][1]["id"] = "unifrom"
    configuration["evaluators"][0]["params"]["k"] = "many"
    configuration["mesures"] = "all"
    project.configure(configuration)
    done = project.snakemake("-n")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("mlsieve: configuration: ")]
    assert len(lines) == 5
    text = "\n".join(lines)
    assert "datasets[0]: unknown dataset 'synthetic-linera'; did you mean 'synthetic-linear'?" in text
    assert "methods[0].scores[0]: unknown value 'genie4'; did you mean 'genie3'?" in text
    assert "methods[1].id: unknown value 'unifrom'; did you mean 'uniform'?" in text
    assert "evaluators[0].params.k: 'many' is not an integer" in text
    assert "mesures: unknown key; did you mean 'measures'?" in text


def test_the_command_line_gives_texts_mappings_and_lists(project: Project) -> None:
    """Snakemake reads what stands in brackets without types: numbers come in as texts."""
    sizes = "methods=[{id: pct, ensembles: [bagging], scores: [genie3], sizes: [2, 3]}, {id: uniform}]"
    split = "split={kind: holdout, repeats: 3}"
    one = project.planned("--config", "datasets=[synthetic-noise]", split, sizes, "mirror=null")
    assert (one["prepare"], one["grow"], one["rank"]) == (1, 3, 6)
    wrong = project.snakemake("-n", "--config", "split=holdout", "datasets=synthetic-noise")
    assert wrong.returncode == 2 and "Traceback" not in wrong.stderr
    lines = [line for line in wrong.stderr.splitlines() if line.startswith("mlsieve: ")]
    assert len(lines) == 2
    assert (
        "datasets: 'synthetic-noise' is not a list; write [synthetic-noise]; on the command line" in lines[0]
    )
    assert "split: 'holdout' is not a mapping; write {kind: holdout" in lines[1]


def test_the_jobs_of_methods_that_take_a_seed_double_with_the_seeds(project: Project) -> None:
    methods = [TINY["methods"][0], {"id": "random"}]
    project.configure(TINY | {"methods": methods})
    one = project.planned()
    project.configure(TINY | {"methods": methods, "stability": {"seeds": 2}})
    two = project.planned()
    assert two.pop("stability") == 1 and "stability" not in one
    doubled = {"grow", "rank", "predict", "score"}
    assert two == Counter({step: count * (1 + (step in doubled)) for step, count in one.items()})


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_rules_have_everything_and_no_run_blocks(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith('"""'), "opens with a docstring"
    assert not re.search(r"^\s+run:", text, re.M)
    for rule in re.split(r"^(?:rule|checkpoint) ", text, flags=re.M)[1:]:
        name = rule.split(":")[0]
        if name.endswith("_all"):  # a target, which runs nothing itself
            continue
        for directive in (
            "output",
            "params",
            "log",
            "benchmark",
            "threads",
            "resources",
            "conda",
            "message",
            "shell",
        ):
            assert re.search(rf"^    {directive}:", rule, re.M), f"rule {name} has no {directive}"
        assert ("version=" in rule) == STEPS[name].summary, "those of jobs are in the paths of their outputs"
        commands = re.findall(r"mlsieve \w+", rule[rule.index("    shell:") :])
        assert len(commands) == 1, f"the shell of rule {name} is not one mlsieve command"
        asked = r'(?:batching\.\w+|resources\.\w+|paths\.(?:log|benchmark)|versions\.of)\("(\w+)"\)'
        own = r"(?:options|version)=study\.(?:options|versions)\.(?!of\b)(\w+)"
        assert {*re.findall(asked, rule), *re.findall(own, rule)} == {name}, f"rule {name} asks for another's"


def test_no_params_function_takes_the_input() -> None:
    for path in RULES:
        for block in re.findall(
            r"^    params:\n((?:        .*\n|\n)+)", path.read_text(encoding="utf-8"), re.M
        ):
            assert "lambda" not in block and "input" not in block, path.name
    for part in (Study(TINY).options, Study(TINY).versions):
        for step in (step.name for step in STEPS.values() if not step.summary and hasattr(part, step.name)):
            assert list(inspect.signature(getattr(part, step)).parameters) == ["wildcards"], step


def test_formatting() -> None:
    pytest.importorskip("snakefmt")
    command = [sys.executable, "-m", "snakefmt", "--check", str(ROOT / "Snakefile"), str(ROOT / "workflow")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_main_snakefile_is_short() -> None:
    assert len((ROOT / "workflow" / "Snakefile").read_text(encoding="utf-8").splitlines()) < 60


def test_the_schema_file_is_in_step() -> None:
    from mlsieve.configuration.schema import schema_text

    written = (ROOT / "config" / "schema.json").read_text(encoding="utf-8")
    assert written == schema_text(), "run: mlsieve schema -o config/schema.json"


def test_the_tables_of_keys_are_in_step() -> None:
    from mlsieve.configuration.key_tables import key_tables, with_tables

    page = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    assert all(page.count(f"<!-- keys: {name} -->") == 1 for name in key_tables())
    assert page == with_tables(page), "run: mlsieve schema --page config/README.md"
    for name, keys in key_tables().items():
        assert "|  |\n" not in keys, f"a key of {name} has no meaning"


@pytest.mark.parametrize(
    "path",
    [ROOT / "config" / "config.yaml", *(ROOT / "config" / "studies").glob("*.yaml")],
    ids=lambda path: path.stem,
)
def test_the_shipped_configurations_are_valid(path: Path) -> None:
    from mlsieve.configuration import configuration_errors

    assert configuration_errors(load_configuration(path, default=ROOT / "config" / "config.yaml")) == []


def test_merging_is_snakemakes() -> None:
    from snakemake.utils import update_config

    from mlsieve.configuration import merged

    base = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    over = {"split": {"repeats": 3}, "datasets": ["emotions"], "analysis": {"choice": "paper"}, "only": None}
    expected = copy.deepcopy(base)
    update_config(expected, over)
    assert merged(base, over) == expected
