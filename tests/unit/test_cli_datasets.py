"""``mlsieve datasets`` and ``mlsieve prepare``."""

from __future__ import annotations

import lzma
import shutil

import pytest

from mlsieve.cli import main
from mlsieve.data import load_dataset

pytestmark = pytest.mark.usefixtures("elsewhere")


def test_list_tells_where_each_set_is_at_hand(capsys):
    assert main(["datasets", "list"]) == 0
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert lines["synthetic-linear"] == ["mlc", "500", "40", "6", "embedded"]
    assert lines["emotions"] == ["mlc", "593", "72", "6", "download"]
    assert lines["bookmarks"] == ["mlc", "87856", "2150", "208", "download"]
    assert lines["cellcycle_GO"] == ["hmlc", "3751", "77", "4125", "download"]
    assert lines["wipo"] == ["hmlc", "1710", "74435", "528", "no"]


def test_show(capsys):
    assert main(["datasets", "show", "yahoo_social_top2pct"]) == 0
    out = capsys.readouterr().out
    for words in (
        "Social-top2pct-train.arff",
        "paper 004",
        "stands in for: yahoo_social",
        "domain: yahoo",
        "Ueda",
    ):
        assert words in out


def test_a_csv_file_in_the_projects_catalog_needs_no_format(elsewhere, capsys):
    (elsewhere / "config").mkdir()
    (elsewhere / "config" / "datasets.yaml").write_text(
        "datasets:\n  - {id: survey, all: survey.csv, label_count: -1}\n"
    )
    (elsewhere / "survey.csv").write_text("age,town,happy\n31,Ghent,1\n44,Lviv,0\n27,Ghent,0\n")
    assert main(["datasets", "show", "survey"]) == 0
    assert "survey: mlc, format csv" in capsys.readouterr().out
    dataset = load_dataset("survey")
    assert dataset.feature_names == ("age", "town") and dataset.label_names == ("happy",)


def test_check_of_everything_at_hand(capsys):
    assert main(["datasets", "check"]) == 0
    out = capsys.readouterr().out
    assert "synthetic-mixed: as stated" in out and "9 of " in out


def test_check_prints_differences_and_does_not_fail_for_them(mirror, capsys):
    assert main(["datasets", "check", "emotions", "medical", "mediamill_small"]) == 0
    out = capsys.readouterr().out
    assert "emotions: as stated" in out
    assert "medical: paper 004: F 1494, here 1449" in out
    assert "mediamill_small: mulan: n 43907, here 2500" in out and "not the paper's data" in out


def test_hierarchical_sets(mirror, capsys):
    assert main(["datasets", "check", "enron_corr", "cellcycle_GO"]) == 0
    out = capsys.readouterr().out
    assert "enron_corr: paper 001: L 67, here 56 (not the paper's data)" in out
    assert "cellcycle_GO: as stated" in out
    assert main(["datasets", "show", "expr_FUN"]) == 0
    assert "incomplete: the checksum of its train file is not known" in capsys.readouterr().out
    assert main(["datasets", "check", "expr_FUN"]) == 2
    assert "dataset 'expr_FUN' is incomplete: the checksum of its train file" in capsys.readouterr().err


def test_check_fails_for_a_wrong_checksum(mirror, tmp_path, monkeypatch, capsys):
    own = tmp_path / "mirror"
    shutil.copytree(mirror / "mulan" / "flags", own / "mulan" / "flags")
    path = own / "mulan" / "flags" / "flags-test.arff.xz"
    path.chmod(0o644)
    path.write_bytes(lzma.compress(lzma.decompress(path.read_bytes()) + b"\n"))
    monkeypatch.setenv("MLSIEVE_MIRROR", str(own))
    assert main(["datasets", "check"]) == 2
    captured = capsys.readouterr()
    assert "flags-test.arff.xz: checksum mismatch" in captured.err
    assert "synthetic-mixed: as stated" in captured.out  # the others are checked all the same


def test_fetch(mirror, capsys):
    assert main(["datasets", "fetch", "flags"]) == 0
    assert "flags-train.arff.xz" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, message",
    [
        (["datasets", "show", "emotion"], "unknown dataset 'emotion'; did you mean 'emotions'?"),
        (["datasets", "show"], "datasets show needs a dataset's id"),
        (["datasets", "fetch", "wipo"], "wipo.train.arff is in no mirror and has no public source"),
        (["datasets", "check", "wipo"], "wipo.train.arff is in no mirror"),
        (["datasets", "shwo"], "invalid choice: 'shwo'"),
        (["datasets", "list", "--mirror", "none"], "none: the mirror is not a folder"),
        (["prepare", "synthetic-linear"], "required: -o/--output"),
        (["prepare", "none.arff", "-o", "x.npz"], "'none.arff' is neither a file nor a dataset's id"),
        (["prepare", "bad.arff", "--label-count", "1", "-o", "x.npz"], "bad.arff:5: too few values"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(elsewhere, capsys, words, message):
    (elsewhere / "bad.arff").write_text("@relation r\n@attribute a {0,1}\n@attribute b numeric\n@data\n1\n")
    assert main(words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1 and error.startswith("mlsieve: ")
    assert not (elsewhere / "x.npz").exists()


def test_prepare_a_file(tiny_files, elsewhere, capsys):
    arff, xml = map(str, tiny_files)
    words = [
        "prepare",
        arff,
        "--labels",
        xml,
        "--test",
        arff,
        "--valid",
        arff,
        "--drop",
        "x3",
        "--name",
        "mine",
    ]
    assert main([*words, "-o", "a.npz"]) == 0
    assert main([*words, "-o", "b.npz"]) == 0
    assert (
        "mine: 8 training and 4 test rows, 1 numeric and 1 nominal features, 2 labels"
        in capsys.readouterr().err
    )
    assert (elsewhere / "a.npz").read_bytes() == (elsewhere / "b.npz").read_bytes()
    assert load_dataset("a.npz").counts()["n_train"] == 8


def test_prepare_an_id(elsewhere):
    assert main(["prepare", "synthetic-sparse", "-o", "s.npz"]) == 0
    assert load_dataset("s.npz").is_sparse


def test_prepare_names_the_unwritable_place(elsewhere, capsys):
    (elsewhere / "file").write_text("in the way")
    assert main(["prepare", "synthetic-linear", "-o", "file/s.npz"]) == 2
    assert "s.npz: cannot be written" in capsys.readouterr().err
