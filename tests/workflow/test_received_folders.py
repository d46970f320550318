"""What comes with a folder from elsewhere: links, marks, modules and plugins."""

from __future__ import annotations

import importlib.util
import os
import pty
import py_compile
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from workflow_project import TINY

from mlsieve.registry.plugins import TRUST
from mlsieve.study import Study
from mlsieve.tables.provenance import commit

COMMAND = Path(sys.executable).parent / "mlsieve"
PLUGIN = """\
from pathlib import Path
import numpy as np
from mlsieve.registry import register

Path("loaded").touch()


@register.ranker("of-plugin", version=1, tasks=("mlc",), smoke={})
def of_plugin(X, Y):
    return np.arange(X.shape[1], dtype=float)
"""
STUDY = {**TINY, "plugins": ["plugin.py"], "methods": [{"id": "of-plugin"}, {"id": "uniform"}]}


@pytest.fixture
def received(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study, as the working folder, beside one that is none of its business."""
    folder = tmp_path / "received"
    folder.mkdir()
    (tmp_path / "own").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv(TRUST)
    monkeypatch.delenv("MLSIEVE_CACHE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (folder / "study.yaml").write_text(yaml.safe_dump(TINY))
    return folder


def mlsieve(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *words],
        env={**os.environ, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def content_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def linked(place: str, target: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).symlink_to(folder.parent / "own" / target)

    return make


@pytest.mark.parametrize(
    "link",
    [
        linked("results/tiny/configuration/study.json", "precious"),
        linked("results/tiny/logs/collect.log", "dangling"),
        linked("results/tiny/.mlsieve", "dangling"),
        linked("results/tiny/paper", ""),
        linked("results/tiny", ""),
        linked("results", ""),
        linked("results/cache/downloads/file.arff", "precious"),
        linked("results/cache", ""),
        linked(".snakemake", ""),
        linked(".snakemake/mlsieve.running", "dangling"),
        linked(".snakemake/locks", ""),
    ],
)
def test_nothing_is_written_through_a_link(link: Callable[[Path], None], received: Path) -> None:
    own = received.parent / "own"
    (own / "precious").write_text("mine")
    before = content_of(own)
    link(received)
    done = mlsieve("study", "run", "study.yaml", "-n")
    said = [line for line in done.stderr.splitlines() if line.startswith("mlsieve: ")]
    assert done.returncode == 2 and len(said) == 1 and "; remove the link" in said[0], done.stderr
    assert content_of(own) == before


@pytest.mark.parametrize("place", ["results/tiny/configuration/study.json", ".snakemake/mlsieve.checksums"])
def test_no_run_waits_for_a_pipe(place: str, received: Path) -> None:
    (received / place).parent.mkdir(parents=True)
    os.mkfifo(received / place)
    done = mlsieve("study", "run", "study.yaml", "-n")
    assert done.returncode == 2 and "; remove it" in done.stderr and place in done.stderr


@pytest.mark.parametrize(("place", "target"), [("results/tiny", ".."), ("results/tiny/paper", "../..")])
def test_a_study_has_a_folder_of_its_own(place: str, target: str, received: Path) -> None:
    (received / place).parent.mkdir(parents=True)
    (received / place).symlink_to(target)
    done = mlsieve("study", "run", "study.yaml", "-n")
    assert done.returncode == 2 and "; remove the link" in done.stderr


def test_links_within_a_study_s_folder_are_followed(received: Path) -> None:
    (received / "results" / "tiny").mkdir(parents=True)
    (received / "results" / "tiny" / "notes").symlink_to("study.txt")
    assert mlsieve("study", "run", "study.yaml", "-n").returncode == 0


def test_a_mark_protects_nobody_but_a_study(received: Path) -> None:
    """Whoever puts one elsewhere neither has files replaced by it nor removed."""
    for folder in (received, received.parent):
        (folder / ".mlsieve").touch()
    table = "dataset,method,measure,value\n"
    (received / "mine.csv").write_text(table)
    (received / ".mine.csv.sha256").write_text(f"{'0' * 64}  mine.csv\n")
    done = mlsieve("rank", "synthetic-linear", "--method", "uniform", "-o", "mine.csv")
    assert done.returncode == 2 and (received / "mine.csv").read_text() == table
    assert mlsieve("compare", "mine.csv").returncode == 2 and (received / "mine.csv").read_text() == table


def with_modules(received: Path) -> None:
    for name in ("snakemake", "yaml", "numpy", "mlsieve", "random", "sitecustomize"):
        (received / f"{name}.py").write_text("from pathlib import Path\nPath('ran').touch()\n")


def with_profiles(received: Path) -> None:
    for place in ("default", "profiles/default"):
        (received / place).mkdir(parents=True)
        (received / place / "config.yaml").write_text(
            "__use_yte__: true\ncores: ?open('ran', 'w').write('') or 1\n"
        )


def test_no_module_of_the_working_folder_is_run(received: Path) -> None:
    with_modules(received)
    done = mlsieve("study", "run", "study.yaml", "--cores", "1", "--snakemake", "--until rank_all")
    assert done.returncode == 0, done.stderr
    assert not (received / "ran").exists()


def test_no_profile_of_the_working_folder_is_taken(received: Path) -> None:
    with_profiles(received)
    done = mlsieve("study", "run", "study.yaml", "-n")
    assert done.returncode == 0 and not (received / "ran").exists(), done.stderr


def test_a_study_is_finished_without_code_of_the_working_folder(received: Path) -> None:
    """After a job that failed, Snakemake is started once more."""
    bad = {"id": "bad", "format": "csv", "all": "bad.csv", "label_count": -1}
    (received / "study.yaml").write_text(yaml.safe_dump(TINY | {"datasets": [*TINY["datasets"], bad]}))
    (received / "bad.csv").write_text('a,b\n"1,0\n')
    with_modules(received)
    with_profiles(received)
    done = mlsieve("study", "run", "study.yaml", "--cores", "1")
    assert done.returncode == 1 and "finishing the study" in done.stderr, done.stderr
    assert not (received / "ran").exists()


def test_notes_of_jobs_move_no_cursor(received: Path) -> None:
    rank = next(job for job in Study(TINY).jobs.all() if job.step == "rank")  # which does not run
    log = received / rank.log
    log.parent.mkdir(parents=True)
    log.write_text("mlsieve: note: \x1b[2J\x1b]0;owned\x07 \u202e evil\n")
    done = mlsieve("study", "run", "study.yaml", "--cores", "1", "--snakemake", "--until prepare")
    assert done.returncode == 0 and r"\x1b[2J\x1b]0;owned\x07 \u202e evil" in done.stderr
    assert (done.stdout + done.stderr).replace("\n", "").isprintable()


@pytest.fixture
def plugin(received: Path) -> Path:
    (received / "study.yaml").write_text(yaml.safe_dump(STUDY))
    (received / "plugin.py").write_text(PLUGIN)
    return received / "loaded"


PLAIN = [sys.executable, "-P", "-m", "snakemake", "-n", "--cores", "1", "--configfile", "study.yaml"]


def test_a_plugin_of_a_study_runs_once_its_user_trusts_it(plugin: Path, received: Path) -> None:
    for words in (["plan", "study.yaml"], ["study", "run", "study.yaml", "-n"]):
        done = mlsieve(*words)
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 2 and last.startswith("mlsieve: plugin.py: ") and "--trust-plugins" in last
        assert not plugin.exists()
    done = mlsieve("study", "plan", "study.yaml", "--trust-plugins")
    assert done.returncode == 0 and plugin.exists(), done.stderr
    assert mlsieve("study", "run", "study.yaml", "-n").returncode == 0, "from now on"
    plugin.unlink()
    (received / "plugin.py").write_text(PLUGIN + "# another\n")
    assert mlsieve("study", "run", "study.yaml", "-n").returncode == 2 and not plugin.exists()


@pytest.mark.parametrize("methods", [STUDY["methods"], TINY["methods"]])
@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("", 2), ("no", 2)])
def test_a_person_is_asked_at_a_terminal(
    answer: str, status: int, methods: list[dict], plugin: Path, received: Path
) -> None:
    (received / "study.yaml").write_text(yaml.safe_dump(STUDY | {"methods": methods}))
    person, terminal = pty.openpty()
    os.write(person, f"{answer}\n".encode())
    done = subprocess.run(
        [COMMAND, "study", "plan", "study.yaml"], stdin=terminal, stderr=terminal, timeout=300
    )
    os.close(terminal)
    assert done.returncode == status and plugin.exists() == (status == 0)
    asked = os.read(person, 10_000).decode()
    assert "plugin.py" in asked and "[y/N]" in asked


def test_only_the_bytes_that_are_trusted_run(plugin: Path, received: Path) -> None:
    (received / "other.py").write_text(PLUGIN.replace('"loaded"', '"pwned"'))
    compiled = importlib.util.cache_from_source(str(received / "plugin.py"))
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(received / "other.py"), cfile=compiled, invalidation_mode=mode)
    done = mlsieve("study", "plan", "study.yaml", "--trust-plugins")
    assert done.returncode == 0 and plugin.exists(), done.stderr
    assert not (received / "pwned").exists()


@pytest.mark.parametrize("name", ["/dev/zero", "pipe"])
def test_what_is_no_file_is_no_plugin(name: str, received: Path) -> None:
    os.mkfifo("pipe")
    (received / "study.yaml").write_text(yaml.safe_dump(STUDY | {"plugins": [name]}))
    done = mlsieve("study", "plan", "study.yaml", "--trust-plugins")
    assert done.returncode == 2 and name in done.stderr and "; " in done.stderr


def test_what_snakemake_prints_for_us_moves_no_cursor(received: Path) -> None:
    (received / "study.yaml").write_text(yaml.safe_dump(TINY | {"k\x1b[31m": 1}))
    done = mlsieve("study", "run", "study.yaml", "-n")
    said = [line for line in done.stderr.splitlines() if line.startswith("mlsieve: ")]
    assert done.returncode == 2 and r"k\x1b[31m" in said[-1] and "\x1b" not in "".join(said)


def test_a_repository_runs_nothing(received: Path) -> None:
    run = {"check": True, "capture_output": True}
    subprocess.run(["git", "init", "-q", "."], **run)
    (received / ".gitattributes").write_text("* filter=own\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *who, "commit", "-q", "--allow-empty", "-m", "x"], **run)
    subprocess.run(["git", "add", "study.yaml"], **run)
    for name, value in (("core.fsmonitor", "touch ran; false"), ("filter.own.clean", "touch ran; cat")):
        subprocess.run(["git", "config", name, value], **run)
    (received / "study.yaml").touch()
    assert re.fullmatch("[0-9a-f]{40}", commit())
    assert not (received / "ran").exists()


def test_jobs_inherit_the_trust_of_their_run(plugin: Path, received: Path) -> None:
    options = ("--cores", "1", "--snakemake", "--until collect")
    nowhere = {"XDG_STATE_HOME": str(received / "study.yaml")}  # nothing can be kept for later
    done = mlsieve("study", "run", "study.yaml", "--trust-plugins", *options, **nowhere)
    assert done.returncode == 0, done.stderr
    assert "of-plugin" in (received / "results" / "tiny" / "performance.csv").read_text()
    assert mlsieve("study", "run", "study.yaml", *options, **nowhere).returncode == 2


def test_what_no_plugin_can_mend_is_reported_before_any_is_trusted(plugin: Path, received: Path) -> None:
    (received / "study.yaml").write_text(yaml.safe_dump(STUDY | {"seed": "one", "measures": ["of-plugin"]}))
    done = mlsieve("study", "plan", "study.yaml")
    lines = {line.split(": ")[2]: line for line in done.stderr.splitlines()}
    assert done.returncode == 2 and set(lines) == {"seed", "methods[0].id", "measures[0]"}
    assert "plugin" in lines["methods[0].id"] and "plugin" not in lines["seed"]
    assert not plugin.exists()


def test_plain_snakemake_asks_for_trust_as_well(plugin: Path, received: Path) -> None:
    from mlsieve.workflow.project import PROJECT

    for name in ("Snakefile", "workflow", "config", "profiles"):
        source = PROJECT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, received / name)
    run = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL, "timeout": 300}
    done = subprocess.run(PLAIN, **run)
    assert done.returncode == 2 and TRUST in done.stderr and not plugin.exists()
    done = subprocess.run(PLAIN, env={**os.environ, TRUST: "all"}, **run)
    assert done.returncode == 0 and plugin.exists(), done.stderr
