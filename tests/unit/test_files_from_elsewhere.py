"""Encodings, pipes, quotes and names of files as other programs and shells give them."""

from __future__ import annotations

import os
import shlex
import struct
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.errors import DataNotice, UserError

ROWS = "1.5,1,0\n2.5,0,1\n"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(path: str, **options: Any) -> tuple[Any, str]:
    """Return a dataset, and the notices on the way in one text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dataset = load_dataset(path, **options)
    return dataset, "\n".join(str(each.message) for each in caught if each.category is DataNotice)


def refusal(path: str, **options: Any) -> str:
    with pytest.raises(UserError) as error:
        load_dataset(path, **options)
    return str(error.value)


def test_one_wrong_byte_in_utf8_is_named():
    Path("d.csv").write_bytes(f"näme,grün,y\n{ROWS}".encode() + b"3\xe4,1,0\n")
    assert "d.csv:4: is UTF-8 text but for byte 0xe4; correct it" in refusal("d.csv", labels="y")


def test_the_word_of_the_note_differs_between_western_and_central_european():
    Path("d.csv").write_bytes(f"jméno,příjmení,y\n{ROWS}".encode("cp1250"))
    assert "such as 'pøíjmení'" in read("d.csv", labels="y")[1]


def test_two_accents_in_a_row_are_no_other_alphabet():
    Path("d.csv").write_bytes(f"Größe,b,y\n{ROWS}".encode("latin-1"))
    assert "read as cp1252 text, such as 'Größe'" in read("d.csv", labels="y")[1]


def through_pipe(name: str, content: str) -> str:
    os.mkfifo(name)
    threading.Thread(target=Path(name).write_text, args=(content,), daemon=True).start()
    return name


def test_pipes_are_read():
    train, test = through_pipe("train", f"a,b,y\n{ROWS}"), through_pipe("test", f"a,b,y\n{ROWS}")
    dataset = load_dataset(train, test=test, labels="y")
    assert dataset.X.shape == (4, 2) and dataset.n_train == 2 and dataset.name == "train"


def test_an_error_in_a_pipe_names_it():
    assert refusal(through_pipe("p", "a,b,y\n1,2,0\n3,4\n"), labels="y").startswith("p:3: too few values")


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="no /dev/stdin here")
def test_the_standard_input_is_read_by_its_path():
    words = [sys.executable, "-m", "mlsieve", "describe", "/dev/stdin", "--labels", "y"]
    done = subprocess.run(words, input=f"a,b,y\n{ROWS}", capture_output=True, text=True, check=True)
    assert "stdin,mlc,2,0,2" in done.stdout


def test_quotes_behind_backslashes_as_r_writes_them():
    Path("d.csv").write_text('"a","b","y"\n"say \\"hi, you\\"",1,0\n"x",2,1\n')
    assert load_dataset("d.csv", labels="y").categories[0] == ('say "hi, you"', "x")


def test_quotes_around_some_cells_as_weka_writes_them():
    Path("d.csv").write_text("a,b,y\n'x,y',1,0\nz,2,1\n")
    assert load_dataset("d.csv", labels="y").categories[0] == ("x,y", "z")
    Path("d.csv").write_text("b,a,y\n1,'x,y',0\n2,z,1\n")
    assert load_dataset("d.csv", labels="y").categories[1] == ("x,y", "z")


def test_a_failed_download_is_one_line(monkeypatch, capsys):
    import sklearn.datasets

    def fails(**options: Any) -> None:
        warnings.warn("A network error occurred while downloading. Retrying...", stacklevel=1)
        raise OSError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fails)
    assert main(["describe", "openml:40597"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("name", ["d.RData", "d.rds", "d.rda"])
def test_files_of_r_are_written(name):
    pd.DataFrame({"a": [1.0, 2], "y": [0, 1]}).to_csv("s.csv", index=False)
    assert main(["convert", "s.csv", name, "--labels", "y"]) == 0
    assert load_dataset(name, labels="y").X.ravel().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("d.sav", "no format has the ending '.sav'; known: .npz, .arff, .csv"),
        ("d.zip", "compressed output is not supported; known: .npz"),
        ("d.csv.zip", "compressed output is not supported; give d.csv"),
    ],
)
def test_names_of_files_that_cannot_be_written(name, words, capsys):
    Path("s.csv").write_text("a,y\n1,0\n2,1\n")
    assert main(["convert", "s.csv", name, "--labels", "y"]) == 2
    assert words in capsys.readouterr().err


def test_the_ending_of_a_ranking_is_written_small(capsys):
    Path("s.csv").write_text("a,b,y\n1,2,0\n2,1,1\n")
    assert main(["rank", "s.csv", "--labels", "y", "--method", "relief", "-o", "M.CSV"]) == 2
    assert "give e.g. M.csv" in capsys.readouterr().err


def test_select_leads_to_the_option(capsys):
    assert main(["select", "emotions"]) == 2
    assert "unknown command 'select'; mlsieve rank DATA --select K" in capsys.readouterr().err


def test_the_option_for_categories_like_numbers_can_be_pasted(capsys):
    names = ["plain", "two words", "with,comma", "it's", *(f"more{j}" for j in range(6))]
    frame = pd.DataFrame({name: pd.Categorical(["1", "2"]) for name in names} | {"y": [0, 1]})
    frame.to_parquet("s.parquet")
    assert main(["convert", "s.parquet", "d.csv", "--labels", "y"]) == 0
    option = capsys.readouterr().err.partition("(read the file with ")[2].partition(")\n")[0]
    dataset = load_dataset("d.csv", labels="y", nominal=shlex.split(option)[1:])
    assert dataset.nominal.all() and len(dataset.nominal) == len(names)


def test_describe_says_what_was_read_and_counts_missing_cells_and_columns_left_out(capsys):
    Path("s.csv").write_text("a,b,c,y\n1,,x,0\n2,1,x,1\n")
    assert main(["describe", "s.csv", "--labels", "y", "--drop", "c"]) == 0
    out, err = capsys.readouterr()
    header, row = (line.split(",") for line in out.splitlines())
    facts = dict(zip(header, row, strict=True))
    assert (facts["missing"], facts["left_out"]) == ("1", "1")
    assert "s: 2 rows, 2 numeric and 0 nominal features" in err and "left out: c" in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"labels": "a,b,y"}, "every column is a label, so there are no features; name fewer labels"),
        ({"labels": "y", "label_count": 1}, "both --labels and --label-count are given"),
        ({"labels": "y", "keep": ["y"]}, "no features are left; keep at least one column besides the labels"),
    ],
)
def test_refusals_name_what_was_given(options, words):
    Path("d.csv").write_text(f"a,b,y\n{ROWS}")
    assert words in refusal("d.csv", **options)


def old_texts_of_r(path, *texts):
    """Write names with such bytes as an R did that did not work in UTF-8, marked as of no encoding."""
    import rdata

    names = [f"name{i}xxxx" for i in range(len(texts))]
    frame = pd.DataFrame({**{name: np.arange(4.0) for name in names}, "y": [0.0, 1, 0, 1]})
    rdata.write_rda(path, {"d": frame}, compression=None)
    content = Path(path).read_bytes()
    for name, text in zip(names, texts, strict=True):
        ascii_name = struct.pack(">II", 0x40009, len(name)) + name.encode()
        assert content.count(ascii_name) == 1
        content = content.replace(ascii_name, struct.pack(">II", 9, len(text)) + text)
    Path(path).write_bytes(content)


@pytest.mark.parametrize(
    ("texts", "names", "encoding"),
    [
        (["café".encode(), b"a"], ("café", "a"), None),
        ([b"caf\xe9", b"kr\xf6nung", b"\x93"], ("café", "krönung", "\u201c"), "cp1252"),
        ([b"\x81", b"caf\xe9"], ("\x81", "café"), "latin-1"),
    ],
)
def test_names_of_r_in_any_encoding(texts, names, encoding):
    old_texts_of_r("d.rda", *texts)
    dataset, said = read("d.rda", labels="y")
    assert dataset.feature_names == names
    assert ("--encoding" in said) == (encoding is not None) and (encoding or "") in said
    given = "utf-8" if encoding is None else "cp1250" if encoding == "cp1252" else "latin-1"
    assert load_dataset("d.rda", labels="y", encoding=given).feature_names == names
    if encoding is not None:
        assert "--encoding" in refusal("d.rda", labels="y", encoding="utf-8")


@pytest.mark.timeout(30)
def test_more_texts_of_r_than_can_be_read_are_refused_at_once():
    text = struct.pack(">II", 0x40009, 1) + b"0"
    Path("d.rda").write_bytes(b"RDX2\nX\n" + struct.pack(">III", 2, 0x30202, 0x20300) + text * 1_000_001)
    assert "1,000,001 texts" in (said := refusal("d.rda", labels="y")) and "write_arff" in said


def test_a_file_of_r_without_a_table_is_refused():
    import rdata

    rdata.write_rda("d.rda", {"m": np.arange(3.0)})
    assert "holds neither a data frame nor an mldr object (m)" in refusal("d.rda", labels="y")
