"""mlsieve predict, score and evaluate, and the file of predictions between them."""

from __future__ import annotations

import csv
import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlsieve.cli import main
from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError
from mlsieve.evaluation.predictions import Predictions
from mlsieve.evaluation.scoring import scores_table
from mlsieve.files.csv_tables import PERFORMANCE
from mlsieve.rankings.files import Ranking, RankingBundle

NAMES = ("a", "b", "c")


@pytest.fixture
def files(tmp_path):
    """A prepared dataset of 20 training and 6 test rows, a ranking and a bundle of two."""
    random = np.random.default_rng(0)
    dataset = Dataset(
        name="made",
        X=random.random((26, 3)),
        Y=sp.csr_array((random.random((26, 4)) < 0.4).astype(np.uint8)),
        train_mask=np.arange(26) < 20,
        nominal=np.zeros(3, bool),
        categories=((), (), ()),
        feature_names=NAMES,
        label_names=("p", "q", "r", "s"),
    )
    dataset.save(tmp_path / "made.npz")
    Ranking(np.array([0.2, 1.0, 0.0]), NAMES).to_csv(tmp_path / "plain.csv")
    rankings = tuple(Ranking(random.random(3), NAMES, size, None, f"forest/{size}") for size in (10, 25))
    facts = {"dataset": "made", "method": "pct", "ensemble": "random-forest", "score": "genie3", "seed": 0}
    RankingBundle(rankings, facts).save(tmp_path / "bundle.npz")
    return tmp_path


def run(capsys, *words) -> tuple[int, str, str]:
    status = main([str(word) for word in words])
    output = capsys.readouterr()
    return status, output.out, output.err


def test_predict_and_score_are_evaluate(files, capsys):
    options = (
        "--ranking",
        files / "plain.csv",
        "--evaluator",
        "weighted-knn",
        "--set",
        "k=3",
        "--set",
        "ranges=all",
    )
    assert run(capsys, "predict", files / "made.npz", *options, "-o", files / "v.npz")[0] == 0
    assert run(capsys, "score", files / "v.npz", "-o", files / "s.csv")[0] == 0
    assert run(capsys, "evaluate", files / "made.npz", *options, "-o", files / "e.csv")[0] == 0
    table = (files / "s.csv").read_text()
    assert table == (files / "e.csv").read_text()
    rows = list(csv.reader(table.splitlines()))
    assert rows[0] == ["measure", "value"] and len(rows) == 16
    assert dict(rows[1:])["hamming-loss"] == repr(float(dict(rows[1:])["hamming-loss"]))
    assert run(capsys, "score", files / "v.npz")[1] == table


def test_threads_give_the_same_bytes(files, capsys):
    for threads in (1, 3):
        words = ("--ranking", files / "bundle.npz", "--set", "k=5", "--threads", threads)
        assert run(capsys, "predict", files / "made.npz", *words, "-o", files / f"{threads}.npz")[0] == 0
    assert (files / "1.npz").read_bytes() == (files / "3.npz").read_bytes()


def test_several_rankings_are_distinct_names(files, capsys):
    words = (
        "--ranking",
        files / "plain.csv",
        "--ranking",
        files / "plain.csv",
        "--set",
        "k=3",
        "--measures",
        "f1",
    )
    status, table, _ = run(capsys, "evaluate", files / "made.npz", *words)
    rows = list(csv.reader(table.splitlines()))
    assert status == 0 and rows[0] == ["ranking", "measure", "value"]
    assert [row[:2] for row in rows[1:]] == [["plain (1)", "f1"], ["plain (2)", "f1"]]


def test_tidy_rows_are_performance_rows(files, capsys):
    words = (
        "--ranking",
        files / "bundle.npz",
        "--set",
        "k=3",
        "--tidy",
        "--measures",
        "f1,one-error-textbook",
    )
    status, table, _ = run(capsys, "evaluate", files / "made.npz", *words)
    rows = list(csv.reader(table.splitlines()))
    assert status == 0 and tuple(rows[0]) == PERFORMANCE
    assert [row[:-2] for row in rows[1:3]] == [
        ["made", "official", "pct", "random-forest", "genie3", "10", "0", "weighted-knn", "f1", "clus"],
        [
            "made",
            "official",
            "pct",
            "random-forest",
            "genie3",
            "10",
            "0",
            "weighted-knn",
            "one-error-textbook",
            "textbook",
        ],
    ]
    assert [row[5] for row in rows[1:]] == ["10", "10", "25", "25"]
    assert {row[-1] for row in rows[1:]} == {"3"}


def test_undefined_measures_are_written_as_nan(tmp_path):
    votes = Predictions(
        np.zeros((1, 2, 2), np.uint8), sp.csr_array(np.zeros((2, 2), np.uint8)), ("u",), (0,), (3,), 3
    )
    votes.save(tmp_path / "v.npz")
    (tmp_path / "s.csv").write_text(scores_table(Predictions.load(tmp_path / "v.npz")))
    assert "coverage,NaN\n" in (tmp_path / "s.csv").read_text()
    assert math.isnan(pd.read_csv(tmp_path / "s.csv").set_index("measure").loc["micro-f1", "value"])


def test_votes_survive_the_file(tmp_path):
    truth = sp.csr_array(np.array([[1, 0, 1], [0, 0, 0]], np.uint8))
    votes = Predictions(
        np.array([[[0.5, 0.2, 0.9], [0.5, 0.5, 0.6]]]),
        truth,
        ("m",),
        (7,),
        (5,),
        1.0,
        ">",
        {"split": "holdout"},
    )
    votes.save(tmp_path / "v.npz")
    again = Predictions.load(tmp_path / "v.npz")
    np.testing.assert_array_equal(again.values, votes.values)
    np.testing.assert_array_equal(again.truth.toarray(), truth.toarray())
    np.testing.assert_array_equal(again.predicted(0), [[False, False, True], [False, False, True]])
    assert (again.names, again.sizes, again.n_features, again.relevant, again.facts) == (
        ("m",),
        (7,),
        (5,),
        ">",
        {"split": "holdout"},
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "kk=3"], "evaluator 'weighted-knn' has no parameter 'kk'; did you mean 'k'?"),
        (["--set", "k=0"], "k = 0 is not accepted"),
        (
            ["--set", "k=21"],
            "k = 21 is more than n_samples = 20 training examples; set k to 20 or less",
        ),
        (["--set", "ranges=test"], "ranges = 'test' is not accepted"),
        (["--evaluator", "weighted-nn"], "unknown evaluator 'weighted-nn'; did you mean 'weighted-knn'?"),
        (["--measures", "hamming"], "unknown measure 'hamming'; did you mean"),
        (["--measures", ","], "--measures names no measure"),
        (["--definition", "clu"], "unknown definition 'clu'; did you mean 'clus'?"),
        (["--threads", "0"], "--threads must be at least 1, got 0"),
        (["--ranking", "missing.csv"], "missing.csv: no such file"),
    ],
)
def test_wrong_words_are_one_line_and_status_2(files, capsys, words, message):
    status, out, err = run(
        capsys,
        "evaluate",
        files / "made.npz",
        "--ranking",
        files / "plain.csv",
        "-o",
        files / "x.csv",
        *words,
    )
    assert status == 2 and not out and err.count("\n") == 1 and message in err
    assert not (files / "x.csv").exists()


def test_rankings_of_other_features_are_refused(files, capsys):
    for names, message in (
        (("a", "b"), "the ranking has 2 features, dataset 'made' has 3; rank dataset 'made' itself"),
        (("a", "x", "c"), "feature 1 is 'x' in the ranking and 'b' in dataset 'made'"),
    ):
        Ranking(np.ones(len(names)), names).to_csv(files / "other.csv")
        status, _, err = run(capsys, "evaluate", files / "made.npz", "--ranking", files / "other.csv")
        assert status == 2 and message in err and err.startswith(f"mlsieve: {files / 'other.csv'}: ")
        words = ("--ranking", files / "plain.csv", "--ranking", files / "other.csv")
        status, _, err = run(capsys, "evaluate", files / "made.npz", *words)
        found = message.split(" dataset")[0].removesuffix(",").removesuffix(" in")
        assert status == 2 and err.startswith(f"mlsieve: {files / 'other.csv'}: ranks other features than")
        assert found in err and f"the first ranking ({files / 'plain.csv'})" in err


def test_data_without_test_part_end_with_a_hint(tiny_files, tmp_path, capsys):
    arff, xml = tiny_files
    Ranking(np.ones(3), ("first feature", "colour", "x3")).to_csv(tmp_path / "u.csv")
    words = ("evaluate", arff, "--labels", xml, "--ranking", tmp_path / "u.csv", "--set", "k=1")
    status, _, err = run(capsys, *words)
    assert (
        status == 2
        and "has no test part; give --test FILE, or --split holdout here and to 'mlsieve rank'" in err
    )
    assert run(capsys, *words, "--split", "holdout")[0] == 0


def test_something_else_than_votes_is_refused(files, capsys):
    status, _, err = run(capsys, "score", files / "bundle.npz")
    assert status == 2 and "holds 'rankings', not 'predictions'" in err
    (files / "cut.npz").write_bytes((files / "bundle.npz").read_bytes()[:-30])
    status, _, err = run(capsys, "score", files / "cut.npz")
    assert status == 2 and "is not a readable mlsieve file" in err
    with pytest.raises(UserError, match="no such file"):
        Predictions.load(files / "missing.npz")


def test_published_values_by_the_command(mirror, tmp_path, capsys):
    assert run(capsys, "rank", "emotions", "--method", "uniform", "-o", tmp_path / "u.csv")[0] == 0
    words = (
        "--ranking",
        tmp_path / "u.csv",
        "--evaluator",
        "weighted-knn",
        "--set",
        "k=15",
        "--set",
        "ranges=all",
    )
    status, table, _ = run(capsys, "evaluate", "emotions", *words)
    values = {name: f"{float(value):.3g}" for name, value in list(csv.reader(table.splitlines()))[1:]}
    assert status == 0
    assert (values["hamming-loss"], values["pooled-auprc"], values["one-error"]) == (
        "0.186",
        "0.725",
        "0.248",
    )
