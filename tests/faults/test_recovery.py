"""What a killed run or a wrong clock leaves is put right; what a living run needs is left alone."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import pytest

from mlsieve.files.checksums import MARK, is_intact, record_of
from mlsieve.files.writing import write_text
from mlsieve.workflow.recovery import bring_back_from_the_future, hold_project
from mlsieve.workflow.run import at_hand, open_study, require_writable
from mlsieve.workflow.step_settings import write_slices
from tests.faults import places
from tests.workflow_project import TINY, with_value


@contextlib.contextmanager
def read_only(folder: Path):
    """A folder that may not be written; skips the test where none can be made so."""
    try:
        with places.read_only(folder):
            yield
    except places.NotPossibleHere as reason:
        pytest.skip(str(reason))


HOLD = (
    "from mlsieve.workflow.recovery import hold_project; hold_project(); print('held', flush=True); input()"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the working folder, with the lock of a run in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLSIEVE_CACHE", raising=False)
    (tmp_path / ".snakemake" / "locks").mkdir(parents=True)
    (tmp_path / ".snakemake" / "locks" / "0.input.lock").write_text("results/cache/x/data.npz\n")
    return tmp_path


def locks(folder: Path) -> list[Path]:
    return list(folder.glob(".snakemake/locks/*"))


def test_locks_of_a_killed_run_are_taken_away(project, capsys):
    assert not hold_project()
    assert locks(project) == []
    assert "was killed" in capsys.readouterr().err


def test_locks_of_a_living_run_stay_until_it_is_killed(project):
    lock = locks(project)[0]
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=PIPE, stdout=PIPE, text=True) as run:
        assert run.stdout.readline() == "held\n"
        lock.write_text("its own")
        assert hold_project()
        assert lock.exists()
        run.kill()
        run.wait()
    done = subprocess.run(
        [sys.executable, "-c", HOLD], input="\n", text=True, capture_output=True, check=False
    )
    assert lock.exists(), done.stderr  # this process has joined, and is alive
    assert hold_project()


def test_locks_of_another_machine_stay(project):
    (project / ".snakemake" / "mlsieve.running").write_text("elsewhere")
    assert not hold_project()
    assert locks(project)


def test_a_second_run_may_not_alter_the_settings_of_the_first(project, capsys):
    study = open_study(dict(TINY), {})
    before = {path: path.read_bytes() for path in Path(study.paths.folder).rglob("*.json")}
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=PIPE, stdout=PIPE, text=True) as run:
        assert run.stdout.readline() == "held\n"
        open_study(dict(TINY), {}, main_process=True)  # the same settings do no harm
        capsys.readouterr()
        other = with_value(TINY, "methods", 0, "score_params", "alpha", value=0.7)
        with pytest.raises(SystemExit) as ended:
            open_study(other, {}, main_process=True)
        run.kill()
    assert ended.value.code == 2
    told = capsys.readouterr().err.strip().split("\n")
    assert len(told) == 1 and "another run is in progress in this folder" in told[0]
    assert {path: path.read_bytes() for path in Path(study.paths.folder).rglob("*.json")} == before


@pytest.mark.parametrize("content", [b"", b"\xff\xfe{", b"{}"])
def test_damaged_settings_are_written_again(content, project):
    study = open_study(dict(TINY), {})
    path = Path(study.paths.table("configuration/jobs.json"))
    whole = path.read_bytes()
    path.write_bytes(content)
    assert set(write_slices(study)) == {Path(study.paths.table("configuration/jobs.json"))}
    assert path.read_bytes() == whole
    assert write_slices(study) == {}


def test_settings_whose_record_is_damaged_are_written_again(project):
    study = open_study(dict(TINY), {})
    path = Path(study.paths.table("configuration/jobs.json"))
    record_of(path).write_text("0" * 64, encoding="ascii")
    assert set(write_slices(study)) == {path} and is_intact(path)
    assert write_slices(study) == {}


def searches(study) -> int:
    """How often the study's datasets have been looked for again."""
    return json.loads(Path(study.paths.table("configuration/datasets.json")).read_text()).get(
        "searched_again", 0
    )


def test_a_set_that_could_not_be_had_is_looked_for_again_as_soon_as_it_may_be(project, monkeypatch):
    monkeypatch.setenv("MLSIEVE_MIRROR", str(project))
    files = {"lonely": {}, "public": {"sha256": "0" * 64, "sources": ["http://127.0.0.1:9/x"]}}
    entries = [
        {"id": id, "label_count": -2, "files": {"all": {"name": f"{id}.arff", **more}}}
        for id, more in files.items()
    ]
    (project / "config").mkdir()
    (project / "config" / "datasets.yaml").write_text(json.dumps({"datasets": entries}))
    wanted = {**TINY, "datasets": ["synthetic-linear", "lonely", "public"]}

    def run(lacking: str, main_process: bool = True, others: bool = False) -> int:
        monkeypatch.setattr("mlsieve.workflow.recovery.hold_project", lambda: others)
        write_text(table, f"dataset,reason\n{lacking},it was not there\n")
        return searches(open_study(dict(wanted), {}, main_process=main_process))

    table = open_study(dict(wanted), {}).paths.table("unavailable.csv")
    assert run("lonely") == 0  # nobody has it
    assert run("public") == 1  # its source may answer this time
    assert run("public", main_process=False) == 1  # a job of the study does not alter its settings
    assert run("public", others=True) == 1  # nor does a second run
    assert run("lonely") == 1  # what was counted stays
    (project / "mulan" / "lonely").mkdir(parents=True)
    (project / "mulan" / "lonely" / "lonely.arff").write_text("")
    assert run("lonely") == 2  # the mirror has it now


def test_times_in_the_future_become_now_and_keep_their_order(tmp_path):
    now = time.time()
    ages = {"old": -100.0, "late": 86400.0, "same": 86400.0, "later": 86401.0, "latest": 9e8}
    for name, age in ages.items():
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (now + age, now + age))
    names = [str(tmp_path / name) for name in ages]
    assert bring_back_from_the_future([*names, str(tmp_path / "missing")], now) == 4
    times = {name: os.stat(tmp_path / name).st_mtime_ns for name in ages}
    assert times["old"] < times["late"] == times["same"] < times["later"] < times["latest"] <= int(now * 1e9)
    assert times["late"] > (now - 1) * 1e9
    assert bring_back_from_the_future(names, now) == 0


def test_a_study_from_the_future_is_brought_back_before_it_runs(project, capsys):
    study = open_study(dict(TINY), {})
    data = Path(study.paths.of("prepare", dataset=next(iter(study.content.datasets))))
    table, other = (
        Path(study.paths.table("tests.csv")),
        Path(study.paths.cache) / "of-another-study" / "data.npz",
    )
    for path, changed in ((data, 4e9), (table, 3.9e9), (other, 4e9)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (changed, changed))
    open_study(dict(TINY), {}, main_process=True)
    assert table.stat().st_mtime_ns < data.stat().st_mtime_ns <= time.time_ns()
    assert other.stat().st_mtime == 4e9
    assert "2 files of the study had times in the future" in capsys.readouterr().err


def test_a_damaged_list_of_data_sets_is_one_line(project, capsys):
    study = open_study({**TINY, "datasets": ["emotions"]}, {})
    table = Path(study.paths.table("available.csv"))
    write_text(table, "dataset,source\nemotions,mirror\n")
    output = SimpleNamespace(output=SimpleNamespace(available=str(table)))
    checkpoints = SimpleNamespace(acquire=SimpleNamespace(get=lambda: output))
    assert len(at_hand(study, checkpoints, study.jobs.scores)) == 3
    table.write_text("dataset,source\nemotion")
    with pytest.raises(SystemExit) as ended:
        at_hand(study, checkpoints, study.jobs.scores)
    told = capsys.readouterr().err.strip().split("\n")
    assert ended.value.code == 2 and not table.exists()
    assert len(told) == 1 and "available.csv: was damaged" in told[0]


def test_a_run_that_can_write_nothing_says_so_in_one_line(project, capsys):
    study = open_study(dict(TINY), {})
    require_writable(study)
    with read_only(Path(study.paths.cache)), pytest.raises(SystemExit) as ended:
        require_writable(study)
    told = capsys.readouterr().err.strip().split("\n")
    assert ended.value.code == 2
    assert len(told) == 1 and told[0].startswith("mlsieve: results/cache: cannot be written: ")


def test_a_folder_with_braces_is_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "a{x}").mkdir()
    monkeypatch.chdir(tmp_path / "a{x}")
    with pytest.raises(SystemExit) as ended:
        open_study(dict(TINY), {}, main_process=True)
    told = capsys.readouterr().err
    assert ended.value.code == 2 and told.count("\n") == 1 and "braces in its path" in told
    assert list(Path().iterdir()) == []


def test_a_cache_that_cannot_be_written_may_be_read(project):
    study = open_study(dict(TINY), {})
    (Path(study.paths.cache) / MARK).unlink()
    with read_only(Path(study.paths.cache)):
        assert open_study(dict(TINY), {}, main_process=True).content.name == "tiny"


def test_a_dataset_in_place_of_the_catalogs_is_named(elsewhere, capsys):
    (elsewhere / "mine.csv").write_text("a,b\n" + "".join(f"{i / 4},{i % 2}\n" for i in range(20)))
    own = {**TINY, "datasets": [{"id": "emotions", "all": "mine.csv", "labels": ["b"]}]}
    open_study(dict(own), {}, main_process=True)
    said = "note: dataset 'emotions' of this study replaces that of the catalog (give it"
    assert said in capsys.readouterr().err
