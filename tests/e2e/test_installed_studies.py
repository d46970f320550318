"""``mlsieve study``: studies from an installed package, in folders that are no clone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from workflow_project import TINY

from mlsieve.cli import main
from mlsieve.configuration import configuration_errors, load_configuration
from mlsieve.workflow.project import default_study, published_studies

pytestmark = pytest.mark.usefixtures("elsewhere")

ROOT = Path(__file__).resolve().parents[2]


def mlsieve(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command in the current folder."""
    return subprocess.run(
        [sys.executable, "-m", "mlsieve", *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **environment},
    )


def tiny(folder: Path) -> str:
    """Write a study of two small datasets; return its path."""
    (folder / "tiny.yaml").write_text(json.dumps({**TINY, "analysis": {"questions": ["score"]}}))
    return "tiny.yaml"


def test_init_writes_a_study_that_is_whole_and_can_be_planned(elsewhere, capsys):
    assert main(["study", "init", "mine"]) == 0
    said = capsys.readouterr().out
    assert "next: cd mine && mlsieve study run study.yaml --cores 2" in said
    assert sorted(path.name for path in (elsewhere / "mine").glob("[a-z]*")) == [
        "mydata.arff",
        "mydata.xml",
        "study.yaml",
    ]
    os.chdir(elsewhere / "mine")
    written = load_configuration("study.yaml", default=default_study())
    assert configuration_errors(written) == []
    assert main(["study", "plan", "study.yaml"]) == 0
    out, err = capsys.readouterr()
    assert "study my_study: 6 datasets, " in out and "no answer" not in err


def test_init_copies_each_study_that_follows_a_paper(elsewhere, capsys):
    assert set(published_studies()) == {path.stem for path in (ROOT / "config" / "studies").glob("*.yaml")}
    for name in published_studies():
        assert main(["study", "init", ".", "--study", name]) == 0
        copied = load_configuration(f"{name}.yaml", default=default_study())
        original = load_configuration(
            ROOT / "config" / "studies" / f"{name}.yaml", default=ROOT / "config" / "config.yaml"
        )
        assert copied == original


def test_init_keeps_a_study_that_someone_has_changed(elsewhere, capsys):
    assert main(["study", "init"]) == 0
    (elsewhere / "study.yaml").write_text("study: precious\n")
    assert main(["study", "init"]) == 2
    said = capsys.readouterr().err
    assert "study.yaml: already exists; change and run it" in said and "did not write" not in said
    assert (elsewhere / "study.yaml").read_text() == "study: precious\n"
    assert main(["study", "init", "--force"]) == 0
    assert "my_study" in (elsewhere / "study.yaml").read_text()


@pytest.mark.parametrize(
    ("words", "beginning", "hint"),
    [
        (["init", "--study", "mlc_rankin"], "unknown study 'mlc_rankin'", "did you mean 'mlc_ranking'"),
        (["init", "file"], "file: is not a folder", "name a folder"),
        (["run", "none.yaml"], "none.yaml: no such file", "write one with 'mlsieve study init'"),
        (["run", "file", "--cores", "0"], "--cores must be at least 1, got 0", "write e.g. --cores 2"),
        (["run", "file", "--cores", "2", "--profile", "p"], "--cores and --profile", "a profile says"),
        (["run", "file", "--snakemake='a"], "--snakemake: No closing quotation", "write e.g."),
        (["run", "."], ".: is a folder, not a YAML file", "give the file"),
        (["run", "empty.yaml"], "empty.yaml: is empty", "write a study with"),
        (["run", "broken.yaml"], "broken.yaml:2: is not YAML", "correct it"),
        (["run", "picture.yaml"], "picture.yaml: is not YAML", "correct it"),
        (["run", "list.yaml"], "list.yaml: is not a mapping", "see config/README.md"),
        (["plan", "none.yaml"], "none.yaml: no such file", "check the path"),
    ],
)
def test_wrong_words_are_one_line(elsewhere, capsys, words, beginning, hint):
    (elsewhere / "file").write_text("study: x\n")
    (elsewhere / "empty.yaml").touch()
    (elsewhere / "broken.yaml").write_text("study: [a\n b: }\n")
    (elsewhere / "picture.yaml").write_bytes(b"\x89PNG\r\n")
    (elsewhere / "list.yaml").write_text("- study\n")
    assert main(["study", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"mlsieve: {beginning}") and f"; {hint}" in said and said.count("\n") == 1


def test_without_snakemake_a_line_says_what_to_install(elsewhere):
    hidden = elsewhere / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text("import sys\nsys.modules['snakemake'] = None\n")
    path = os.pathsep.join(filter(None, [str(hidden), os.environ.get("PYTHONPATH", "")]))
    done = mlsieve("study", "run", tiny(elsewhere), PYTHONPATH=path)
    assert done.returncode == 2
    assert done.stderr == "mlsieve: studies need Snakemake; install it: pip install 'mlsieve[study]'\n"


def test_a_study_runs_to_its_page_and_to_the_report_of_snakemake(elsewhere):
    study = tiny(elsewhere)
    planned = mlsieve("study", "run", study, "--cores", "2", "-n")
    assert planned.returncode == 0, planned.stderr
    assert not (elsewhere / "results" / "tiny" / "report.html").exists()
    done = mlsieve("study", "run", study, "--cores", "2")
    assert done.returncode == 0, done.stderr
    folder = elsewhere / "results" / "tiny"
    assert (folder / "report.html").is_file() and (folder / "figures.json").is_file()
    again = mlsieve("study", "run", study, "--cores", "2", "--snakemake=--report packed.zip")
    assert again.returncode == 0, again.stderr
    with zipfile.ZipFile(elsewhere / "packed.zip") as packed:
        names = [Path(name).name for name in packed.namelist()]
        text = "".join(
            packed.read(name).decode(errors="replace") for name in packed.namelist() if name.endswith(".html")
        )
    for path in [
        *folder.glob("figures/*.svg"),
        *map(folder.joinpath, ("tests.csv", "leaderboard.csv", "report.html")),
    ]:
        assert path.name in names
    assert "average rank of each method" in text and "order of their mean rank" in text
    assert "ensemble and score against the number of trees" in text and "A figure of this study" not in text


def test_the_workflow_serves_as_a_module_of_another(elsewhere):
    study = yaml.safe_load((default_study()).read_text()) | {**TINY, "title": "As a module"}
    (elsewhere / "ranking.yaml").write_text(json.dumps({"ranking": study}))
    (elsewhere / "Snakefile").write_text(
        'configfile: "ranking.yaml"\n'
        "module ranking:\n"
        f'    snakefile: "{ROOT / "workflow" / "Snakefile"}"\n'
        '    config: config["ranking"]\n'
        "use rule * from ranking as ranking_*\n"
        "rule mine:\n"
        "    default_target: True\n"
        '    input: "results/tiny/report.html"\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", "-n"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "ranking_report" in done.stdout + done.stderr
