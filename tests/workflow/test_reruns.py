"""Reruns that the tables of docs/reruns.md leave out; test_partial_reruns.py goes through those."""

from __future__ import annotations

import functools
import os
import stat
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from planner import Planner
from workflow_project import TINY, Project, make_project, with_value

from mlsieve.files.checksums import MARK

STUDY = {"collect": 1, "compare": 1, "sections": 1, "figures": 1, "report": 1}

edited = functools.partial(with_value, TINY)


@pytest.fixture(scope="module")
def planner(finished: Project) -> Iterator[Planner]:
    """Plans on the finished study."""
    with Planner(finished.folder) as planner:
        yield planner


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
            edited("methods", 0, "ensemble_params", value={"min_leaf": 3.0}),
            {"grow": 2, "rank": 4, "predict": 4, "score": 4, **STUDY},
            id="trees: everything but the baseline",
        ),
        pytest.param(
            edited("stability", value={"seeds": 2}),
            {"grow": 2, "rank": 4, "predict": 4, "score": 4, "stability": 1, **STUDY},
            id="a second seed: its own jobs, without the baseline, which takes none",
        ),
        pytest.param(edited("stability", value={"seeds": 1}), STUDY, id="one seed is what there was"),
    ],
)
def test_an_edit_reruns_what_depends_on_it(planner: Planner, configuration: dict, expected: dict) -> None:
    assert planner.planned(configuration) == Counter(expected)


def test_a_run_that_makes_a_part_only_ends_well(project: Project) -> None:
    done = project.snakemake("--until", "rank", "-q")
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "Traceback" not in said and "Error" not in said, said
    assert "Study 'tiny': the requested files are complete; its tables and report are not" in said


OWN = TINY | {
    "datasets": [{"id": "mine", "all": "mine.csv", "label_count": -2}],
    "split": {"kind": "holdout"},
}
ROWS = [f"{i % 7},{i % 5},{i % 2},{i % 3 % 2}\n" for i in range(40)]
OF_MINE = Counter({"prepare": 1, "grow": 1, "rank": 3, "predict": 3, "score": 3, **STUDY})


def of_own_file(folder: Path, rows: list[str], stand_in: bool = True, **environment: str) -> Project:
    """Make a project with a file of its user's, which is never older than another."""
    folder.mkdir(exist_ok=True)
    project = make_project(folder, stand_in)
    project.environment.update(environment)
    project.configure(OWN)
    (folder / "mine.csv").write_text("x,y,a,b\n" + "".join(rows))
    os.utime(folder / "mine.csv", (1e9, 1e9))
    return project


def test_the_content_of_a_file_counts_and_none_of_its_times(tmp_path: Path) -> None:
    project, path = of_own_file(tmp_path, ROWS), tmp_path / "mine.csv"
    assert project.snakemake("-q").returncode == 0 and project.planned() == Counter()
    for times in ((5e8, 5e8), (4e9, 4e9)):
        os.utime(path, times)
        assert project.planned() == Counter(), "the same content at another time"
    os.utime(path, (1e9, 1e9))
    whole = path.read_text()
    path.write_text("x,y,a,b\n" + "".join(reversed(ROWS)))  # of the same length, in the same inode
    os.utime(path, (1e9, 1e9))
    assert project.planned() == OF_MINE, "another content at the same time"
    path.rename(tmp_path / "kept")
    path.write_text(whole)
    assert project.planned() == Counter(), "what was made of the first content is there"


def test_projects_that_share_a_cache_share_what_is_made_of_the_same(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first = of_own_file(tmp_path / "first", ROWS, MLSIEVE_CACHE=cache)
    assert first.snakemake("-q").returncode == 0
    same = of_own_file(tmp_path / "same", ROWS, MLSIEVE_CACHE=cache)
    assert same.planned() == Counter(acquire=1, **STUDY)
    other = of_own_file(tmp_path / "other", ROWS[::-1], MLSIEVE_CACHE=cache)
    assert other.planned() == OF_MINE + Counter(acquire=1)
    assert other.snakemake("-q").returncode == 0
    assert first.planned() == other.planned() == Counter(), "neither has written over the other's files"


def test_with_their_umask_all_of_a_shared_cache_is_the_group_s(tmp_path: Path) -> None:
    """Another user adds, replaces and removes files in each folder; a record is replaced as a whole."""
    cache = tmp_path / "cache"
    project = of_own_file(tmp_path / "project", ROWS, stand_in=False, MLSIEVE_CACHE=str(cache))
    before = os.umask(0o002)
    try:
        assert project.snakemake("--until", "rank", "-q").returncode == 0
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (cache, *cache.rglob("*"))}
    assert {"data.npz", "rankings.npz", "prepare.log", MARK} <= {path.name for path in modes}
    assert {modes[path] for path in modes if path.is_dir()} == {0o775}
    files = {path for path in modes if path.is_file()}
    records = {path for path in files if path.suffix == ".sha256"}
    assert records and {modes[path] for path in files} == {0o664}


def test_a_file_that_changes_during_a_run_is_refused(tmp_path: Path) -> None:
    project = of_own_file(tmp_path, ROWS)
    (tmp_path / "bin" / "mlsieve").write_text('#!/bin/sh\necho 1,2,0,1 >> mine.csv\nexec real-mlsieve "$@"\n')
    real = Path(sys.executable).parent / "mlsieve"
    (tmp_path / "bin" / "real-mlsieve").symlink_to(real)
    done = project.snakemake("--until", "prepare")
    log = next((tmp_path / "results" / "cache").glob("mine-*/prepare.log")).read_text()
    assert done.returncode == 1 and "mine.csv: has another content than when the study started; " in log
    assert not list((tmp_path / "results" / "cache").glob("mine-*/data.npz"))
