"""``mlsieve column-order``: against plain scipy and the single commands, and what random ties promise."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.evaluation.column_order import COLUMNS, Use, order_effects, reversed_columns, spearman
from mlsieve.evaluation.predictions import prepare_evaluation, stored_predictions
from mlsieve.evaluation.scoring import scores_table
from mlsieve.rankers.tree_rankings import grow_for_dataset, rank_from_ensemble
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.stats.similarity import fuzzy_jaccard

KNN = {"k": 5, "ranges": "all"}
MEASURES = ["hamming-loss", "pooled-auprc"]
PAIRS = [
    ("bagging", "symbolic"),
    ("bagging", "genie3"),
    ("bagging", "permutation"),
    ("random-forest", "symbolic"),
    ("random-forest", "genie3"),
    ("random-forest", "permutation"),
    ("extra-trees", "symbolic"),
    ("extra-trees", "genie3"),
]


def values_of(rows: list[dict]) -> dict[tuple, float]:
    """Return values by (ensemble, score, ties, comparison, quantity)."""
    keys = ("ensemble", "score", "ties", "comparison", "quantity")
    found = {tuple(row[key] for key in keys): float(row["value"]) for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.fixture(scope="module")
def mixed() -> dict[tuple, float]:
    dataset = load_dataset("synthetic-mixed")
    return values_of(order_effects(dataset, n_trees=6, use=Use("weighted-knn", KNN, MEASURES)))


@pytest.mark.parametrize("name", ["synthetic-mixed", "synthetic-sparse", "synthetic-hierarchical"])
def test_reversed_columns_are_the_same_data(name):
    dataset = load_dataset(name)
    turned = reversed_columns(dataset)
    dense, other = (X.toarray() if dataset.is_sparse else X for X in (dataset.X, turned.X))
    np.testing.assert_array_equal(other, np.fliplr(dense))
    assert turned.feature_names == tuple(reversed(dataset.feature_names))
    assert turned.categories == tuple(reversed(dataset.categories))
    assert turned.nominal.tolist() == dataset.nominal[::-1].tolist()
    assert turned.Y is dataset.Y and turned.train_mask is dataset.train_mask


@pytest.mark.parametrize("name", ["synthetic-mixed", "synthetic-sparse", "synthetic-hierarchical"])
def test_random_ties_make_the_order_nothing(name):
    found = values_of(order_effects(load_dataset(name), n_trees=4))
    assert {key[:2] for key in found} == set(PAIRS)
    of_random = {key: value for key, value in found.items() if key[2:4] == ("random", "between orders")}
    assert len(of_random) == 2 * len(PAIRS)
    assert all(abs(value - 1) < 1e-9 for value in of_random.values()), of_random
    assert all(-1 <= value <= 1 for value in found.values())
    between_seeds = [value for key, value in found.items() if key[2:] == ("random", "between seeds", "fuji")]
    assert min(between_seeds) < 1, "another seed grows other trees"


def test_measures_of_both_orders_agree_exactly_under_random_ties(mixed):
    for pair in PAIRS:
        for measure in MEASURES:
            file, turned = (mixed[(*pair, "random", way, measure)] for way in ("file", "reversed"))
            assert file == turned


def test_the_order_matters_where_the_first_feature_wins(mixed):
    changed = [mixed[(*pair, "first", "between orders", "fuji")] for pair in PAIRS]
    assert all(value < 1 for value in changed), changed
    differ = [
        mixed[(*pair, "first", "file", measure)] != mixed[(*pair, "first", "reversed", measure)]
        for pair in PAIRS
        for measure in MEASURES
    ]
    assert any(differ)


@pytest.mark.parametrize(("ensemble", "score"), [("random-forest", "genie3"), ("bagging", "permutation")])
@pytest.mark.parametrize("ties", ["first", "random"])
def test_the_same_step_by_step(mixed, ensemble, score, ties):
    dataset = load_dataset("synthetic-mixed")

    def ranked(data, seed):
        grown = grow_for_dataset(data, ensemble=ensemble, n_trees=6, settings={"ties": ties}, seed=seed)
        return rank_from_ensemble(grown, score=score, sizes=[6], settings={}).rankings[0].scores

    ways = {
        "file": ranked(dataset, 0),
        "reversed": ranked(reversed_columns(dataset), 0)[::-1],
        "other seed": ranked(dataset, 1),
    }
    for comparison, way in (("between orders", "reversed"), ("between seeds", "other seed")):
        correlation = scipy.stats.spearmanr(ways["file"], ways[way])[0]
        key = (ensemble, score, ties, comparison)
        assert mixed[(*key, "spearman")] == pytest.approx(correlation, abs=1e-12)
        assert mixed[(*key, "fuji")] == fuzzy_jaccard(ways["file"], ways[way])
    for way, scores in ways.items():
        bundle = RankingBundle((Ranking(scores, dataset.feature_names),))
        votes = stored_predictions(
            prepare_evaluation(dataset, bundle, evaluator="weighted-knn", settings=KNN, facts={})
        )
        table = csv.DictReader(io.StringIO(scores_table(votes, measures=MEASURES)))
        for row in table:
            assert mixed[(ensemble, score, ties, way, row["measure"])] == float(row["value"])


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-3, 3) | st.floats(-1, 1)), min_size=2, max_size=12
    ).filter(lambda pairs: all(len(set(column)) > 1 for column in zip(*pairs, strict=True)))
)
def test_spearman_is_scipys(pairs):
    first, second = np.array(pairs, float).T
    assert spearman(first, second) == pytest.approx(scipy.stats.spearmanr(first, second)[0], abs=1e-9)
    assert spearman(first, first * 2 + 1) == 1.0
    assert spearman(first, -first) == pytest.approx(-1)


def test_spearman_of_constant_scores_is_unknown():
    assert np.isnan(spearman(np.zeros(3), np.arange(3.0)))


def run(capsys, *words: str) -> list[dict[str, str]]:
    assert main(["column-order", *words]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_the_command_writes_what_the_function_returns(capsys, tmp_path):
    words = ("synthetic-mixed", "--trees", "6", "--set", "k=5", "--set", "ranges=all")
    words += ("--measures", ",".join(MEASURES))
    rows = run(capsys, *words)
    assert tuple(rows[0]) == COLUMNS
    use = Use("weighted-knn", KNN, MEASURES)
    assert values_of(rows) == values_of(order_effects(load_dataset("synthetic-mixed"), n_trees=6, use=use))
    files = [tmp_path / "one.csv", tmp_path / "three.csv"]
    for file, threads in zip(files, ("1", "3"), strict=True):
        assert main(["column-order", *words, "--threads", threads, "-o", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_seeds_ensembles_and_scores_are_chosen(capsys):
    words = ("synthetic-linear", "--trees", "3", "--evaluator", "none", "--scores", "genie3")
    rows = run(capsys, *words, "--ensembles", "extra-trees,bagging", "--seeds", "5,8")
    assert [row["ensemble"] for row in rows[::8]] == ["bagging", "extra-trees"]
    assert {row["score"] for row in rows} == {"genie3"} and len(rows) == 16
    dataset = load_dataset("synthetic-linear")
    chosen = {"n_trees": 3, "ensembles": ("bagging", "extra-trees"), "scores": ("genie3",)}
    assert values_of(rows) == values_of(order_effects(dataset, seeds=(5, 8), **chosen))
    assert values_of(rows) != values_of(order_effects(dataset, seeds=(5, 9), **chosen))


def test_a_file_without_a_test_part(capsys, tmp_path):
    path = tmp_path / "own.csv"
    lines = [f"{i % 7},{i % 3},{i * 5 % 11},{int(i % 7 > 3)},{i % 2}" for i in range(40)]
    path.write_text("a,b,c,x,y\n" + "\n".join(lines) + "\n")
    words = [str(path), "--label-count", "-2", "--trees", "3"]
    rows = run(capsys, *words, "--evaluator", "none")
    assert {row["quantity"] for row in rows} == {"spearman", "fuji"}
    assert main(["column-order", *words]) == 2
    assert "no test part" in capsys.readouterr().err
    rows = run(capsys, *words, "--split", "holdout", "--set", "k=3", "--measures", "hamming-loss")
    assert {row["split"] for row in rows} == {"holdout"} and len(rows) == len(PAIRS) * 2 * 7


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--seeds", "1"), "not two different seeds"),
        (("--seeds", "1,1"), "not two different seeds"),
        (("--seeds", "a,b"), "not two whole numbers"),
        (("--ensembles", "forest"), "unknown 'forest'"),
        (("--scores", ","), "--scores: no name is given"),
        (("--ensembles", "extra-trees", "--scores", "permutation"), "out-of-bag"),
        (("--evaluator", "none", "--set", "k=3"), "--set cannot be combined with --evaluator none"),
        (("--evaluator", "none", "--measures", "f1"), "--measures cannot be combined with --evaluator none"),
        (("--evaluator", "knn"), "unknown evaluator 'knn'"),
        (("--measures", "hamming"), "unknown measure"),
        (("--trees", "0"), "number of trees must be a whole number of at least 1, got 0"),
        (("--threads", "0"), "--threads must be at least 1, got 0"),
    ],
)
def test_wrong_options_are_told_in_one_line(capsys, words, told):
    assert main(["column-order", "synthetic-linear", *words]) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1, said
