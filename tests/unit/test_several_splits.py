"""One job for several splits gives what single ones give; cuts of a file are those that selectors learn."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.files.writing import read_arrays
from mlsieve.rankings.files import RankingBundle

DATA = "synthetic-linear"
SPLIT = ["--split", "holdout", "--train-share", "0.8"]


def run(*words):
    assert main([str(word) for word in words]) == 0


def rank(folder, *words):
    run("rank", DATA, *words, "-o", folder / "rankings.npz")
    return RankingBundle.load(folder / "rankings.npz")


def rows(capsys, *words):
    run("evaluate", DATA, *words)
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


@pytest.mark.parametrize("method, seeds", [("scls", ["0"] * 3), ("random", ["5", "6", "7"])])
def test_several_splits_give_what_each_gives_alone(tmp_path, capsys, method, seeds):
    together = rank(tmp_path, *SPLIT, "--repeats", "0-2", "--seed", ",".join(seeds), "--method", method)
    assert [ranking.repeat for ranking in together.rankings] == [0, 1, 2]
    scores = "--ranking", tmp_path / "rankings.npz", "--measures", "hamming-loss", "--set", "k=3", "--tidy"
    found = rows(capsys, *SPLIT, "--repeats", "0-2", *scores)
    assert [row["repeat"] for row in found] == ["0", "1", "2"] and {row["method"] for row in found} == {
        method
    }
    for repeat, (ranking, row) in enumerate(zip(together.rankings, found, strict=True)):
        alone = rank(tmp_path, *SPLIT, "--repeat", repeat, "--seed", seeds[repeat], "--method", method)
        assert alone.rankings[0].scores.tobytes() == ranking.scores.tobytes()
        assert alone.rankings[0].order().tolist() == ranking.order().tolist()
        assert alone.rankings[0].n_selected == ranking.n_selected
        assert rows(capsys, *SPLIT, "--repeat", repeat, *scores) == [row]


def test_a_single_split_is_found_among_several(tmp_path, capsys):
    rank(tmp_path, *SPLIT, "--repeats", "0-2", "--method", "scls")
    words = "--ranking", tmp_path / "rankings.npz", "--measures", "hamming-loss", "--set", "k=3"
    one = rows(capsys, *SPLIT, "--repeat", 1, *words)
    three = rows(capsys, *SPLIT, "--repeats", "0-2", *words)
    assert [row["ranking"] for row in three] == [f"scls (split {i})" for i in range(3)]
    assert one == [{"measure": "hamming-loss", "value": three[1]["value"]}]
    assert main(["evaluate", DATA, *SPLIT, "--repeat", "7", *map(str, words)]) == 2
    assert "has no ranking of split 7, only of 0, 1, 2" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["laim", "equal-width", "equal-frequency"])
def test_cuts_of_a_file_are_those_that_a_selector_learns(tmp_path, method):
    words = [*SPLIT, "--repeats", "0-1"]
    run("discretise", DATA, *words, "--method", method, "--cuts", tmp_path / "cuts.npz")
    own = ["--method", "scls", "--discretize", method]
    given = rank(tmp_path, *words, *own, "--cuts", tmp_path / "cuts.npz")
    learned = rank(tmp_path, *words, *own)
    for one, other in zip(given.rankings, learned.rankings, strict=True):
        assert (
            one.order().tolist() == other.order().tolist() and one.scores.tobytes() == other.scores.tobytes()
        )


def test_cuts_come_from_the_training_part_alone(tmp_path):
    """Test rows far away move no cut of equal width."""
    whole = load_dataset(DATA)
    run("discretise", DATA, "--method", "equal-width", "--bins", 4, "-o", tmp_path / "cut.npz")
    run("discretise", DATA, "--method", "equal-width", "--bins", 4, "--cuts", tmp_path / "cuts.npz")
    low, high = whole.X_train.min(axis=0), whole.X_train.max(axis=0)
    arrays, _ = read_arrays(tmp_path / "cuts.npz", "cuts")
    first = arrays["cuts"][arrays["start"][0, 0] : arrays["start"][0, 1]]
    np.testing.assert_allclose(first, low[0] + (high[0] - low[0]) * np.arange(1, 4) / 4)
    cut = load_dataset(tmp_path / "cut.npz")
    assert cut.nominal.all() and (cut.train_mask == whole.train_mask).all()
    assert {len(names) for names in cut.categories} == {4}


def test_cuts_of_another_split_or_set_are_refused(tmp_path, capsys):
    cuts = tmp_path / "cuts.npz"
    run("discretise", DATA, *SPLIT, "--repeats", "0-1", "--cuts", cuts)
    ranked = tmp_path / "uniform.csv"
    run("rank", DATA, "--method", "uniform", "-o", ranked)
    for words, told in (
        ([DATA, "--split", "holdout"], "its cuts were learned on split"),
        ([DATA, *SPLIT, "--repeat", "5"], "has no cuts for split 5"),
        (["synthetic-redundant", *SPLIT], "its cuts were learned on dataset synthetic-linear"),
        ([DATA, *SPLIT, "--rows", "all"], "--rows all cannot be combined with --cuts"),
    ):
        assert main(["rank", *words, "--method", "scls", "--cuts", str(cuts)]) == 2
        assert told in capsys.readouterr().err
    for command, told in (
        (["rank", DATA, *SPLIT, "--method", "mlcfs"], "ranker 'mlcfs' takes numeric features as they are"),
        (
            ["rank", DATA, *SPLIT, "--method", "scls", "--discretize", "mdlp"],
            "and ranker 'scls' is to use mdlp",
        ),
        (
            ["evaluate", DATA, *SPLIT, "--ranking", ranked, "--evaluator", "mlnb", "--set", "input=gaussian"],
            "evaluator 'mlnb' takes numeric features as they are",
        ),
    ):
        assert main([*map(str, command), "--cuts", str(cuts)]) == 2
        assert told in capsys.readouterr().err
    assert main(["rank", DATA, "--cuts", str(cuts)]) == 2
    assert "ranker 'pct' takes numeric features as they are" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wanted, count",
    [("all", None), ("0", 0), ("3", 3), ("0.5", 0.5), ("sqrt", "sqrt"), ("log2", "log2"), ("99999", None)],
)
@pytest.mark.parametrize("method", [["uniform"], ["pct", "--trees", "3"]])
def test_a_ranking_becomes_a_selection_of_its_best(tmp_path, capsys, wanted, count, method):
    dataset = load_dataset(DATA)
    n, n_features = dataset.X.shape
    expected = {
        None: n_features,
        "sqrt": min(n_features, int(np.ceil(np.sqrt(n)))),
        "log2": min(n_features, int(np.ceil(np.log2(n)))),
        0.5: (n_features + 1) // 2,
    }
    run("rank", DATA, "--method", *method, "--select", wanted)
    found = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    selected = [row["selected"] for row in found]
    k = expected.get(count, count)
    assert selected == ["1"] * k + ["0"] * (n_features - k)
    run("rank", DATA, "--method", *method)
    plain = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["feature"] for row in plain] == [row["feature"] for row in found]


@pytest.mark.parametrize("wanted", ["sqrt", "log2", "0.5"])
def test_a_grown_ensemble_selects_as_many_as_the_data_themselves(tmp_path, capsys, wanted):
    """Rules by the number of rows count those of the whole dataset, as a study's rank step has to."""
    run("grow", DATA, "--trees", "3", "-o", str(tmp_path / "ensemble.npz"))
    run("rank", DATA, "--trees", "3", "--select", wanted)
    direct = capsys.readouterr().out
    run("rank", str(tmp_path / "ensemble.npz"), "--trees", "3", "--select", wanted)
    assert capsys.readouterr().out == direct


@pytest.mark.parametrize(
    "words, told",
    [
        (["--repeats", "3-1", "-o", "r.npz"], "--repeats 3-1: ends before it begins"),
        (["--repeats", "0-2"], "--repeats gives several rankings"),
        (["--repeats", "0-2", "--seed", "1,2", "-o", "r.npz"], "2 seeds for 3 splits"),
        (["--seed", "x"], "--seed x: not a whole number"),
        (["--train-share", "1.5"], "training share must be above 0 and below 1, got 1.5"),
        (["--select", "5"], "ranker 'scls' selects its own features"),
        (["--discretize", "laimm"], "discretize = 'laimm' is not accepted; give laim, "),
    ],
)
def test_what_does_not_go_together_is_told(words, told, capsys):
    assert main(["rank", DATA, "--split", "holdout", "--method", "scls", *words]) == 2
    assert told in capsys.readouterr().err


def test_no_label_predicts_nothing_whatever_evaluates_it(tmp_path, capsys):
    assert main(["rank", DATA, "--method", "no-label", "-o", str(tmp_path / "r.csv")]) == 2
    assert "describes predictions, which a CSV file of features cannot hold; give -o rankings.npz" in (
        capsys.readouterr().err
    )
    run("rank", DATA, "--method", "no-label", "-o", tmp_path / "r.npz", "--name", "empty-answer")
    density = float(load_dataset(DATA).Y_test.toarray().mean())
    for evaluator in ("mlnb", "weighted-knn"):
        words = (
            "--ranking",
            tmp_path / "r.npz",
            "--evaluator",
            evaluator,
            "--measures",
            "hamming-loss",
            "--tidy",
        )
        (row,) = rows(capsys, *words)
        assert float(row["value"]) == pytest.approx(density) and row["method"] == "empty-answer"
        assert row["features"] == "0"
