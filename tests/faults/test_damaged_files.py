"""Damaged files of a study: noticed by what reads them, removed, told in one line; others are not touched."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mlsieve.analysis import read_performance
from mlsieve.cli import main
from mlsieve.configuration.merge import read_json
from mlsieve.discretize.files import SplitCuts
from mlsieve.errors import UserError
from mlsieve.files.checksums import mark_folder, record_of
from mlsieve.files.csv_tables import read_frame, read_rows
from mlsieve.files.writing import atomic_path, read_arrays, write_text
from mlsieve.report.files import read_figures
from mlsieve.study.parts import Data, Evaluator, Job, Split
from mlsieve.study.rankers.entries import Ranker
from mlsieve.tables.performance import collect_performance
from tests.faults.damage import MODES, damage

TABLE = "dataset,split,method,ensemble,score,size,repeat,evaluator,measure,definition,value,features\n"
JOB = Job(
    "score", Data("a"), Split("official", (0,), 0), Ranker("uniform"), "", evaluator=Evaluator("weighted-knn")
)
ROW = "a,official,uniform,,,0,0,weighted-knn,hamming-loss,clus,0.25,12\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A marked folder with one file of each kind that a study writes."""
    folder = tmp_path_factory.mktemp("study")
    mark_folder(folder)
    data, trees, ranking, votes, cuts = (
        str(folder / f"{name}.npz") for name in ("data", "ensemble", "rankings", "predictions", "cuts")
    )
    assert main(["prepare", "synthetic-linear", "-o", data]) == 0
    assert main(["discretise", data, "--method", "equal-width", "--cuts", cuts]) == 0
    assert main(["grow", data, "--trees", "2", "-o", trees]) == 0
    assert main(["rank", trees, "--trees", "1,2", "-o", ranking]) == 0
    assert main(["predict", data, "--ranking", ranking, "--set", "k=3", "-o", votes]) == 0
    write_text(folder / "scores.csv", TABLE + ROW)
    write_text(folder / "findings.json", json.dumps({"questions": []}))
    write_text(folder / "figure.svg", '<svg viewBox="0 0 10 10"></svg>\n')
    index = [{"name": "figure", "files": ["figure.svg"], "title": "t", "caption": "c", "question": "q"}]
    write_text(folder / "figures.json", json.dumps(index))
    return folder


def command(*words: str):
    """What runs a command in a folder, and raises what it would tell."""
    return lambda folder, path: main([word.format(folder=folder) for word in (*words, "--debug")])


READERS = {
    "data.npz": command("rank", "{folder}/data.npz", "--method", "uniform", "-o", "{folder}/new.csv"),
    "ensemble.npz": command("rank", "{folder}/ensemble.npz", "-o", "{folder}/new.csv"),
    "cuts.npz": lambda folder, path: SplitCuts.load(path),
    "rankings.npz": command(
        "predict", "{folder}/data.npz", "--ranking", "{folder}/rankings.npz", "-o", "{folder}/new.npz"
    ),
    "predictions.npz": command("score", "{folder}/predictions.npz", "-o", "{folder}/new.csv"),
    "scores.csv": lambda folder, path: collect_performance(
        {path: [JOB]}, lambda data: [("hamming-loss", "clus")], folder / "new.csv"
    ),
    "scores.csv as rows": lambda folder, path: read_rows(path),
    "scores.csv as performance": lambda folder, path: read_performance(path),
    "scores.csv in the report": lambda folder, path: read_frame(path),
    "findings.json": lambda folder, path: read_json(path),
    "figures.json": lambda folder, path: read_figures(path),
    "figure.svg": lambda folder, path: read_figures(folder / "figures.json"),
}


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """A copy of the study's files that a test may damage."""
    folder = Path(shutil.copytree(made, tmp_path / "study"))
    mark_folder(folder)
    return folder


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file_is_removed_by_its_reader(reader, mode, copied):
    path = copied / reader.split()[0]
    READERS[reader](copied, path)  # it can be read as it is
    for made in copied.glob("new.*"):
        made.unlink()
    for seed in range(5):
        content, recorded = path.read_bytes(), record_of(path).read_bytes()
        index = (copied / "figures.json").read_bytes()
        damage(path, mode, seed)
        with pytest.raises(UserError, match=r"damaged.*has been removed; run the study again") as told:
            READERS[reader](copied, path)
        assert told.value.file == str(path) and "\n" not in str(told.value)
        assert not path.exists() and not record_of(path).exists()
        assert not list(copied.glob("new.*"))
        path.write_bytes(content)
        record_of(path).write_bytes(recorded)
        write_text(copied / "figures.json", index.decode())


def test_every_bit_of_a_study_s_file_counts(copied):
    path = copied / "rankings.npz"
    content, recorded = path.read_bytes(), record_of(path).read_bytes()
    for position in range(0, len(content), 41):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0x01]) + content[position + 1 :])
        with pytest.raises(UserError, match="has been removed"):
            READERS["rankings.npz"](copied, path)
        path.write_bytes(content)
        record_of(path).write_bytes(recorded)


@pytest.mark.parametrize("name", ["rankings.npz", "scores.csv"])
def test_files_exchanged_with_their_records_are_removed_by_their_reader(name, copied):
    """Each is whole, but neither is what was written in its place."""
    other = copied / "other" / name
    if name.endswith(".npz"):
        assert main(["rank", str(copied / "ensemble.npz"), "--trees", "2", "-o", str(other)]) == 0
    else:
        write_text(other, TABLE + ROW.replace("a,", "b,", 1))
    read = read_arrays if name.endswith(".npz") else read_rows
    paths = (copied / name, other)
    for first, second in (paths, map(record_of, paths)):
        content = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(content)
    for path in paths:
        with pytest.raises(UserError, match="the place was not the one on record") as told:
            read(path)
        assert told.value.file == str(path) and told.value.hint
        assert not path.exists() and not record_of(path).exists()


def test_files_of_two_studies_are_told_apart_and_a_renamed_study_stays_whole(tmp_path):
    for name in "ab":
        mark_folder(tmp_path / name)
        write_text(tmp_path / name / "performance.csv", TABLE + ROW.replace("a,", f"{name},", 1))
    (tmp_path / "a").rename(tmp_path / "old")
    mark_folder(tmp_path / "old")
    assert len(read_rows(tmp_path / "old" / "performance.csv")) == 1
    for name in ("performance.csv", ".performance.csv.sha256"):
        shutil.copy(tmp_path / "b" / name, tmp_path / "old" / name)
    with pytest.raises(UserError, match="the place was not the one on record"):
        read_rows(tmp_path / "old" / "performance.csv")
    assert len(read_rows(tmp_path / "b" / "performance.csv")) == 1


def test_a_study_s_file_is_never_written_through_a_link(copied, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "precious").write_text("mine")
    (copied / "new.csv").symlink_to(own / "precious")
    write_text(copied / "new.csv", TABLE)
    assert not (copied / "new.csv").is_symlink() and read_rows(copied / "new.csv") == []
    (copied / "folder").symlink_to(own)
    with pytest.raises(UserError, match="a link leads out") as told:
        write_text(copied / "folder" / "new.csv", TABLE)
    assert told.value.hint
    assert [(path.name, path.read_text()) for path in own.iterdir()] == [("precious", "mine")]


def test_a_damaged_picture_takes_the_index_with_it_so_that_it_is_drawn_again(copied):
    damage(copied / "figure.svg", MODES[0], 1)
    with pytest.raises(UserError, match=r"figure\.svg: was damaged"):
        read_figures(copied / "figures.json")
    assert not (copied / "figures.json").exists()


def sparse(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1 << 40)


RECORDS: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "not text": lambda path: path.write_bytes(b"\xff\xfe" * 40),
    "of another file": lambda path: path.write_bytes(b"0" * 64),
    "a pipe": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a terabyte": sparse,
}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_damaged_record_counts_as_damage(kind, copied):
    record_of(copied / "scores.csv").unlink()
    RECORDS[kind](record_of(copied / "scores.csv"))
    with pytest.raises(UserError, match="has been removed"):
        read_rows(copied / "scores.csv")


def test_the_record_is_what_sha256sum_reads(copied):
    if shutil.which("sha256sum") is None:
        pytest.skip("no sha256sum here")
    check = ["sha256sum", "-c", *(path.name for path in copied.glob(".*.sha256"))]
    done = subprocess.run(check, cwd=copied, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.count(": OK") == 9, done.stdout + done.stderr


def test_a_file_that_is_written_again_is_whole_again(copied):
    write_text(copied / "scores.csv", TABLE)
    assert read_rows(copied / "scores.csv") == []


@pytest.mark.parametrize("name", ["data.npz", "scores.csv", "notes.npz"])
def test_a_user_s_own_file_is_never_removed(name, made, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    if name == "notes.npz":  # in a folder of the study, but nothing that mlsieve wrote
        mark_folder(own)
        (own / name).write_bytes(b"not an array file")
    else:
        shutil.copy(made / name, own / name)
        damage(own / name, MODES[0], 3)
    content = (own / name).read_bytes()
    if name.endswith(".npz"):
        with pytest.raises(UserError, match="not a readable mlsieve file"):
            main(["rank", str(own / name), "--method", "uniform", "-o", str(own / "new.csv"), "--debug"])
    else:
        read_rows(own / name)
    assert (own / name).read_bytes() == content


def test_who_may_not_write_reads_what_others_have_made(copied):
    """As in a cache of another user; root may write in any folder, and so becomes somebody else."""
    (copied / "closed").mkdir()
    closed = copied / "closed" / "scores.csv"
    write_text(closed, TABLE + ROW)
    folders = [*copied.parents, copied, closed.parent]
    for folder in folders:
        with contextlib.suppress(PermissionError):
            folder.chmod(folder.stat().st_mode | 0o055)
    closed.parent.chmod(0o555)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        assert len(read_rows(closed)) == 1
        with pytest.raises(UserError, match=r"scores\.csv: cannot be written: Permission denied") as told:
            write_text(closed, TABLE)
        assert told.value.hint
    finally:
        if root:
            os.seteuid(0)
        closed.parent.chmod(0o755)
    assert len(read_rows(closed)) == 1


def test_outside_of_a_study_nothing_is_recorded(tmp_path):
    write_text(tmp_path / "table.csv", TABLE)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_stays(tmp_path):
    mark_folder(tmp_path)
    left = tmp_path / ".table.csv.abcdefgh.part"
    left.write_text("half a")
    others = tmp_path / ".other.csv.abcdefgh.part"
    others.write_text("of another file")
    with atomic_path(tmp_path / "table.csv") as living:
        write_text(tmp_path / "table.csv", TABLE)
        assert living.exists() and not left.exists() and others.exists()
        living.write_text(TABLE + ROW)
    assert len(read_rows(tmp_path / "table.csv")) == 1
