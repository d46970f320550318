"""Wrong commands, by hand and generated: one line, exit status 2, nothing lost."""

from __future__ import annotations

import contextlib
import gzip
import io
import itertools
import os
from pathlib import Path

import pytest

from mlsieve.cli import command_names, main

TABLE = "rain,wind,umbrella,coat\n" + "".join(f"{i % 7},{i % 5},{i % 2},{i % 3 // 2}\n" for i in range(40))
ARFF = "@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n" + "".join(
    f"{i},{i % 2}\n" for i in range(20)
)
DATA = ["m.csv", "--label-count", "-2"]
ON_DATA = {
    "rank": [],
    "grow": ["-o", "o.npz"],
    "prepare": ["-o", "o.npz"],
    "describe": [],
    "convert": [],
    "discretise": ["-o", "o.npz"],
    "chain": ["--method", "br"],
    "predict": ["--ranking", "r.csv", "-o", "o.npz"],
    "evaluate": ["--ranking", "r.csv"],
}


def on_data(command: str, data: list[str]) -> list[str]:
    first, *rest = data
    return [command, first, *(["out.csv"] if command == "convert" else []), *rest, *ON_DATA[command]]


# What is wrong with the data, whatever is done with them.
WRONG_DATA = {
    "no such file": ["nowhere.csv", "--label-count", "-2"],
    "no such id": ["emotoins"],
    "a folder": ["folder", "--label-count", "-2"],
    "nothing says what the labels are": ["m.csv"],
    "labels in two ways": ["m.csv", "--label-count", "-2", "--labels", "coat"],
    "no such label": ["m.csv", "--labels", "raincoat"],
    "a pattern that fits none": ["m.csv", "--labels", "x*"],
    "all columns are labels": ["m.csv", "--label-count", "4"],
    "too many labels": ["m.csv", "--label-count", "40"],
    "no such label file": ["m.csv", "--labels", "none.xml"],
    "a label file that is none": ["a.arff", "--labels", "m.csv.xml"],
    "no such column to drop": [*DATA, "--drop", "snow"],
    "a label dropped": [*DATA, "--drop", "coat"],
    "all dropped": [*DATA, "--drop", "rain,wind"],
    "no such column to keep": [*DATA, "--keep", "snow"],
    "no such nominal column": [*DATA, "--nominal", "snow"],
    "a separator of two letters": [*DATA, "--sep", ";;"],
    "another separator": [*DATA, "--sep", ";"],
    "an unknown encoding": [*DATA, "--encoding", "utf-88"],
    "another encoding": [*DATA, "--encoding", "utf-16"],
    "another format": [*DATA, "--format", "parquet"],
    "another text format": [*DATA, "--format", "svmlight"],
    "an unknown format": [*DATA, "--format", "docx"],
    "another test part": [*DATA, "--test", "other.csv"],
    "a truncated file": ["cut.csv.gz", "--label-count", "-2"],
    "an empty file": ["empty.csv", "--label-count", "-2"],
    "binary content": ["binary.csv", "--label-count", "-2"],
    "labels of three values": ["m.csv", "--labels", "wind"],
    "a label separator alone": [*DATA, "--label-separator", ";"],
    "no such column of sets": ["m.csv", "--label-column", "tags"],
    "a hierarchy that is none": [*DATA, "--hierarchy", "a.arff"],
    "classes without a hierarchy": [*DATA, "--classes", "used"],
    "labels given for a catalog's set": ["synthetic-linear", "--label-count", "3"],
    "a catalog that is none": [*DATA, "--catalog", "m.csv"],
}
BY_HAND = [
    ["rnak", *DATA],
    ["rank", *DATA, "--method", "pcr"],
    ["rank", *DATA, "--method", ""],
    ["rank", *DATA, "--set", "trees=5"],
    ["rank", *DATA, "--keep", "nosuch"],
    ["rank", *DATA, "--trees", "many"],
    ["rank", *DATA, "--trees", "0"],
    ["rank", *DATA, "--trees", "100000000"],
    ["grow", *DATA, "--trees", "100000000", "-o", "o.npz"],
    ["rank", *DATA, "--trees", "5,10", "-o", "r.csv"],
    ["rank", *DATA, "--threads", "0"],
    ["rank", *DATA, "--set", "k"],
    ["rank", *DATA, "--method", "relief", "--set", "neighbours=3"],
    ["rank", *DATA, "--method", "relief", "--set", "k=0"],
    ["rank", *DATA, "--method", "pct", "--score", "ginny"],
    ["rank", *DATA, "--method", "pct", "--ensemble", "forest"],
    ["rank", *DATA, "--select", "-3"],
    ["rank", *DATA, "-o", "m.csv"],
    ["rank", *DATA, "-o", "notes.csv"],
    ["rank", *DATA, "-o", "ranking.docx"],
    ["rank", *DATA, "--seed", "one"],
    ["rank", *DATA, "--split", "random"],
    ["rank", *DATA, "--split", "holdout", "--train-share", "1.5"],
    ["rank", *DATA, "--repeats", "3-1", "-o", "x.npz"],
    ["rank", *DATA, "--discretize", "lain", "--method", "scls"],
    ["grow", *DATA, "--ensemble", "trees", "-o", "o.npz"],
    ["grow", *DATA, "-o", "m.csv"],
    ["prepare", *DATA, "-o", "m.csv"],
    ["prepare", *DATA, "-o", "folder"],
    ["prepare", *DATA, "-o", "o.arff"],
    ["prepare", *DATA, "-o", "m.csv/o.npz"],
    ["prepare", *DATA, "--document-frequency", "-1", "-o", "o.npz"],
    ["describe", "m.csv", "a.arff", "--label-count", "-1", "--table", "labels"],
    ["convert", "m.csv", "out.docx", "--label-count", "-2"],
    ["convert", "m.csv", "m.csv", "--label-count", "-2", "--force"],
    ["convert", "m.csv", "out.csv.gz", "--label-count", "-2"],
    ["convert", "m.csv", "out.csv", "--label-count", "-2", "--part", "test"],
    ["discretise", *DATA, "--method", "lain", "-o", "o.npz"],
    ["discretise", *DATA, "--bins", "1", "-o", "o.npz"],
    ["discretise", *DATA],
    ["chain", *DATA, "--method", "xdc"],
    ["chain", *DATA, "--method", "rdt-dcc", "--set", "trees=1000000000"],
    ["chain", *DATA, "--method", "br", "--cv", "1"],
    ["chain", *DATA, "--method", "xdcc", "--set", "rounds=none"],
    ["chain", *DATA, "--method", "br", "--predictions", "p.txt"],
    ["evaluate", *DATA],
    ["evaluate", *DATA, "--ranking", "none.csv"],
    ["evaluate", *DATA, "--ranking", "m.csv"],
    ["evaluate", *DATA, "--ranking", "r.csv", "--method", "pct", "--cv", "2"],
    ["evaluate", *DATA, "--method", "pcr", "--cv", "2"],
    ["evaluate", *DATA, "--method", "uniform", "--cv", "1000"],
    ["evaluate", *DATA, "--method", "uniform"],
    ["evaluate", *DATA, "--method", "uniform", "--cv", "2", "--measures", "beauty"],
    ["evaluate", *DATA, "--method", "uniform", "--cv", "2", "--evaluator", "knn"],
    ["score", "m.csv"],
    ["score", "none.npz"],
    ["similarity", "r.csv"],
    ["similarity", "r.csv", "m.csv"],
    ["compare", "m.csv", "--reference", "snow", "-o", "compared"],
    ["compare", "m.csv", "--family", "domain", "-o", "compared"],
    ["compare", "m.csv", "--rope", "wide"],
    ["compare", "m.csv", "--questions", "methods", "-o", "compared"],
    ["compare", "m.csv", "-o", "notes.csv"],
    ["compare", "none.csv", "-o", "compared"],
    ["show-tree", "m.csv"],
    ["methods", "pcr"],
    ["datasets", "show", "emotoins"],
    ["plan", "m.csv"],
    ["example", "m.csv"],
    ["example", "with-mine"],
]
COMMANDS = [
    *(on_data(command, data) for command, data in itertools.product(ON_DATA, WRONG_DATA.values())),
    *BY_HAND,
    *([command, "--no-such-option"] for command in command_names()),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of a user, and a ranking."""
    place = tmp_path_factory.mktemp("user")
    (place / "m.csv").write_text(TABLE)
    (place / "a.arff").write_text(ARFF)
    (place / "m.csv.xml").write_text(TABLE)
    (place / "other.csv").write_text("snow,wind,umbrella,coat\n1,2,0,1\n")
    (place / "notes.csv").write_text("my notes\n")
    (place / "empty.csv").write_text("")
    (place / "binary.csv").write_bytes(bytes(range(256)))
    (place / "cut.csv.gz").write_bytes(gzip.compress(TABLE.encode() * 50)[:60])
    (place / "r.csv").write_text("rank,feature_index,feature,score\n1,0,rain,1.0\n2,1,wind,0.5\n")
    (place / "folder").mkdir()
    (place / "with-mine").mkdir()
    (place / "with-mine" / "mydata.arff").write_text("% mine\n")
    return place


def content(place: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def test_there_are_enough():
    assert len(COMMANDS) >= 150


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_wrong_command_is_one_line_and_leaves_everything_alone(words, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("MLSIEVE_MIRROR", raising=False)
    before, errors, said = content(folder), io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(said):
        status = main(words)
    message = errors.getvalue()
    assert status == 2, message + said.getvalue()
    assert message.startswith("mlsieve: ") and message.count("\n") == 1, message
    assert "Traceback" not in message and not said.getvalue()
    assert content(folder) == before
    assert os.listdir(folder / "folder") == []
