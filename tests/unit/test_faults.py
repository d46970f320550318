"""Full disks, damaged cache files, unwritable folders: one line, status 2, nothing half-written."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.errors import UserError
from mlsieve.files.writing import atomic_path, read_arrays, write_arrays

RUN = (sys.executable, "-m", "mlsieve")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one file of each cached kind."""
    folder = tmp_path_factory.mktemp("made")
    data, trees, ranking, votes = (
        str(folder / f"{name}.npz") for name in ("dataset", "ensemble", "rankings", "predictions")
    )
    assert main(["prepare", "synthetic-linear", "-o", data]) == 0
    assert main(["grow", data, "--trees", "3", "-o", trees]) == 0
    assert main(["rank", trees, "--trees", "2,3", "-o", ranking]) == 0
    assert main(["predict", data, "--ranking", ranking, "--set", "k=3", "-o", votes]) == 0
    return folder


READERS = {
    "dataset": ["rank", "{file}", "--method", "uniform", "-o", "{out}.csv"],
    "ensemble": ["rank", "{file}", "--score", "genie3", "-o", "{out}.csv"],
    "rankings": ["predict", "{dataset}", "--ranking", "{file}", "-o", "{out}.npz"],
    "predictions": ["score", "{file}", "-o", "{out}.csv"],
}


def damaged(data: bytes, how: str) -> bytes:
    if how == "truncated":
        return data[: len(data) // 2]
    if how == "empty":
        return b""
    position = {"first byte": 0, "middle bit": len(data) // 2}[how]
    return data[:position] + bytes([data[position] ^ 0x10]) + data[position + 1 :]


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("how", ["truncated", "empty", "first byte", "middle bit"])
def test_a_damaged_cache_file_is_named_and_nothing_is_written(kind, how, made, tmp_path, capsys):
    file = tmp_path / f"{kind}.npz"
    file.write_bytes(damaged((made / f"{kind}.npz").read_bytes(), how))
    names = {"file": str(file), "out": str(tmp_path / "out"), "dataset": str(made / "dataset.npz")}
    status = main([word.format(**names) for word in READERS[kind]])
    errors = capsys.readouterr().err.strip().split("\n")
    assert status == 2
    assert len(errors) == 1 and str(file) in errors[0] and "make it again" in errors[0]
    assert os.listdir(tmp_path) == [file.name]


@pytest.mark.parametrize("kind", READERS)
def test_a_file_of_another_kind_is_refused(kind, made, tmp_path, capsys):
    other = made / ("predictions.npz" if kind != "predictions" else "rankings.npz")
    names = {"file": str(other), "out": str(tmp_path / "out"), "dataset": str(made / "dataset.npz")}
    assert main([word.format(**names) for word in READERS[kind]]) == 2
    assert "holds" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_every_bit_of_a_small_file_counts(tmp_path):
    path = tmp_path / "small.npz"
    write_arrays(path, "predictions", {"a": np.arange(3)}, {"name": "x"})
    data = path.read_bytes()
    original = read_arrays(path)
    unnoticed = 0
    for position in range(len(data)):
        path.write_bytes(data[:position] + bytes([data[position] ^ 0x01]) + data[position + 1 :])
        try:
            arrays, meta = read_arrays(path)
        except UserError:
            continue
        # Bits that zip itself ignores (dates, versions, attributes) may flip; content may not.
        assert meta == original[1] and arrays["a"].tobytes() == original[0]["a"].tobytes()
        unnoticed += 1
    assert unnoticed < len(data) / 2


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError), atomic_path(path) as temporary:
        temporary.write_text("new, but")
        raise RuntimeError
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def limited(n_bytes: int):
    """What a child process calls before it starts: no file of its may exceed n_bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))


def one_line(process: subprocess.CompletedProcess[str]) -> str:
    lines = process.stderr.strip().split("\n")
    assert process.returncode == 2, process.stderr
    assert len(lines) == 1 and "Traceback" not in process.stderr, process.stderr
    return lines[0]


def test_a_file_that_may_not_grow_is_one_line_and_leaves_nothing(made, tmp_path):
    command = [*RUN, "grow", str(made / "dataset.npz"), "--trees", "20", "-o", str(tmp_path / "e.npz")]
    process = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited(4096), check=False)
    assert "e.npz: cannot be written" in one_line(process)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mount") is None, reason="only root can mount a small disk"
)
def test_a_full_disk_is_one_line_and_leaves_nothing(made, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no disk could be mounted: {mounted.stderr.decode().strip()}")
    try:
        command = [*RUN, "grow", str(made / "dataset.npz"), "--trees", "60", "-o", str(disk / "e.npz")]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "No space left" in one_line(process)
        assert os.listdir(disk) == []
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_folder_that_is_a_file_is_one_line(made, tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    assert main(["rank", str(made / "ensemble.npz"), "-o", str(tmp_path / "taken" / "r.csv")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, message",
    [
        ("--seed 99999999999999999999999", "seed 99999999999999999999999 is out of range"),
        ("--seed -1", "seed -1 is out of range"),
        (
            "--set max_features=nan",
            "max_features = nan is not accepted; give an integer of at least 1, a number",
        ),
        ("--set bootstrap=maybe", "give true, false or none"),
        ("--set min_leaf=2 --set min_leaf=3", "given twice"),
        ("--set alpha=0.3 --score genie3", "a setting of the score symbolic"),
        ("--ensemble bgging", "did you mean 'bagging'"),
        ("--threads 0", "--threads must be at least 1, got 0"),
        ("--trees 5,5", "a size is listed twice"),
        ("--trees 0", "each number must be at least 1, got 0"),
        ("--trees five", "not a list of numbers"),
        ("--score permutation --ensemble extra-trees", "out-of-bag"),
        ("--method uniform --trees 5", "ranker 'uniform' does not grow trees"),
    ],
)
def test_wrong_options_of_rank_are_one_line(words, message, tmp_path, capsys):
    command = ["rank", "synthetic-linear", "-o", str(tmp_path / "r.csv")]
    command += words.split() if "--trees" in words else ["--trees", "5", *words.split()]
    assert main(command) == 2
    errors = capsys.readouterr().err.strip().split("\n")
    assert len(errors) == 1 and message in errors[0]
    assert os.listdir(tmp_path) == []


def test_a_ranking_goes_to_the_standard_output(made, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in ([], ["-o", "-"], ["-o", "/dev/stdout"]):
        assert main(["rank", str(made / "ensemble.npz"), *words]) == 0
        assert capsys.readouterr().out.startswith("rank,feature_index,feature,score\n1,")
    assert main(["describe", "synthetic-linear", "-o", "-"]) == 0
    assert "\nsynthetic-linear,mlc," in capsys.readouterr().out
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("output", ["r.txt", "r.tsv"])
def test_a_ranking_has_a_known_ending_or_is_a_folder(output, made, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["rank", str(made / "ensemble.npz"), "-o", output]) == 2
    assert capsys.readouterr().err.startswith(f"mlsieve: {output}: ")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "words",
    [
        *("--rows all", "--seed 3", "--ensemble bagging", "--nominal zzz", "--catalog c.yaml", "--mirror m"),
        *("--labels l.xml", "--label-count 2", "--format csv", "--test t.csv"),
        *("--split official", "--split-seed 0", "--repeat 0"),
    ],
)
def test_grown_trees_are_not_grown_otherwise(words, made, tmp_path, capsys):
    assert main(["rank", str(made / "ensemble.npz"), *words.split(), "-o", str(tmp_path / "r.csv")]) == 2
    option = words.split()[0]
    told = capsys.readouterr().err
    assert told == f"mlsieve: {option}: the trees are grown already; leave it out, or give the data instead\n"


def test_a_full_standard_output_is_one_line(made):
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [*RUN, "score", str(made / "predictions.npz")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "No space left" in one_line(process)


def test_methods_lists_and_shows(capsys):
    assert main(["methods"]) == 0
    listed = capsys.readouterr().out
    assert "weighted-knn" in listed and "`" not in listed
    assert "Mean of |Y and P| / |Y or P| (Jaccard)." in listed
    tasks = [line.split()[1:3] for line in listed.splitlines() if line.startswith("  relief ")]
    assert tasks[0] == ["mlc,", "hmlc"]  # of the ranker; a question has that id, too
    assert main(["methods", "pct"]) == 0
    shown = capsys.readouterr().out
    assert "--set max_features=none  (integer of at least 1, number from 1e-06 to 1, sqrt" in shown
    assert main(["methods", "ptc"]) == 2
    assert "did you mean 'pct'" in capsys.readouterr().err


def test_a_bomb_is_told_before_it_is_unpacked(tmp_path, capsys):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", b"")
        archive.infolist()[0].file_size = 1 << 50
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert main(["rank", str(path), "--method", "uniform", "-o", str(tmp_path / "o.csv")]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"mlsieve: {path}: ") and told.count("\n") == 1 and "; " in told
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100_000


def test_too_little_memory_is_one_line(tmp_path):
    with open(tmp_path / "large.csv", "wb") as stream:
        stream.truncate(20 << 30)  # takes no disk
    limited = (
        f"ulimit -v 4000000; exec {sys.executable} -m mlsieve prepare large.csv --label-count 1 -o o.npz"
    )
    done = subprocess.run(limited, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "mlsieve: out of memory; give it more, or smaller data\n")


def test_a_pipe_and_a_link_stay_what_they_are(tmp_path):
    link, pipe = tmp_path / "link.json", tmp_path / "pipe"
    link.symlink_to(tmp_path / "target.json")
    assert main(["schema", "-o", str(link)]) == 2, "whoever made the link may want a file there"
    assert link.is_symlink() and not (tmp_path / "target.json").exists()
    (tmp_path / "target.json").touch()
    assert main(["schema", "-o", str(link)]) == 0
    assert link.is_symlink() and (tmp_path / "target.json").read_bytes()
    os.mkfifo(pipe)
    with subprocess.Popen([*RUN, "schema", "-o", str(pipe)]) as writer:
        assert pipe.read_bytes() == link.read_bytes()
    assert writer.returncode == 0 and pipe.is_fifo()
    with pytest.raises(UserError, match="is a folder"), atomic_path(tmp_path):
        pass
