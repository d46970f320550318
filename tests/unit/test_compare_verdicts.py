"""Verdicts of a comparison: their error rates, their intervals, and what the texts say of both."""

from __future__ import annotations

import re
import time
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from test_compare_tables import quietly

from mlsieve.comparison.overview import overview
from mlsieve.comparison.paper_files import methods_text, texts_of
from mlsieve.comparison.tables_in_words import probability
from mlsieve.paper.results import p_value
from mlsieve.stats import bayes, corrected_resampled_test


def equal_classifiers(generator: np.random.Generator, test: np.ndarray) -> np.ndarray:
    """Return the difference of accuracy in each repeat of two nearest means, each on a feature of its own.

    Both features are made in the same way, so that neither classifier is better.
    """
    labels = generator.integers(0, 2, test.shape[1])
    features = generator.normal(size=(test.shape[1], 2)) + 0.6 * labels[:, None]
    train = ~test
    means = [(train * of) @ features / (train * of).sum(axis=1, keepdims=True) for of in (1 - labels, labels)]
    above = features[None] > ((means[0] + means[1]) / 2)[:, None]
    right = (above == (means[1] > means[0])[:, None]) == labels[None, :, None]
    accuracy = (right & test[..., None]).sum(axis=1) / test.sum(axis=1, keepdims=True)
    return accuracy[:, 0] - accuracy[:, 1]


def folds_of(generator: np.random.Generator, n: int) -> np.ndarray:
    parts = [generator.permutation(n) % 10 for _ in range(10)]
    return np.array([part == fold for part in parts for fold in range(10)])


def holdouts_of(generator: np.random.Generator, n: int) -> np.ndarray:
    return np.array([generator.permutation(n) < n // 3 for _ in range(30)])


@pytest.mark.parametrize(
    ("divide", "ratio", "wrong"), [(folds_of, 1 / 9, 1 / 99), (holdouts_of, 1 / 2, 1 / 29)]
)
def test_equal_classifiers_seldom_differ_with_the_true_ratio(divide, ratio, wrong):
    """Ten times ten folds, and thirty hold-outs of a third: a rate of 0.05, and of 0.4 with a wrong ratio."""
    generator = np.random.default_rng(1)
    rates = dict.fromkeys((ratio, wrong), 0.0)
    for _ in range(250):
        differences = equal_classifiers(generator, divide(generator, 120)).tolist()
        for each in rates:
            rates[each] += (corrected_resampled_test(differences, each).p_value <= 0.05) / 250
    assert rates[ratio] <= 0.08 and rates[wrong] >= 0.3


def one_dataset(columns: dict[str, list], seed: int = 0, methods: str = "ab") -> pd.DataFrame:
    repeats = pd.DataFrame(columns)
    values = np.random.default_rng(seed).normal(0.8, 0.02, (len(repeats), len(methods)))
    parts = [
        repeats.assign(dataset="d", method=name, accuracy=values[:, place])
        for place, name in enumerate(methods)
    ]
    return pd.concat(parts, ignore_index=True)


TEN = list(range(10))


@pytest.mark.parametrize(
    ("columns", "options", "ratio"),
    [
        ({"fold": TEN}, {}, "1/9"),
        ({"cv fold": TEN[:5]}, {}, "1/4"),
        ({"repeat": TEN * 10, "fold": sorted(TEN * 10)}, {}, "1/9"),
        ({"fold": TEN * 3, "seed": sorted([1, 2, 3] * 10)}, {}, "1/9"),
        ({"fold": list(range(30)), "seed": sorted([1, 2, 3] * 10)}, {"repeats": "seed"}, "1/9"),
        ({"seed": TEN}, {"test_per_train": 0.25}, "0.25"),
        ({"fold": TEN}, {"test_per_train": 0.5}, "0.5"),
    ],
)
def test_one_dataset_is_tested_with_the_ratio_that_the_texts_state(columns, options, ratio):
    table = one_dataset(columns)
    found = quietly(table, **options)
    (test,) = found.tests.to_dict("records")
    wide = table.pivot(index=list(columns), columns="method", values="accuracy")
    number = float(Fraction(ratio))
    expected = corrected_resampled_test((wide["a"] - wide["b"]).tolist(), number)
    assert test["p_value"] == pytest.approx(expected.p_value)
    assert test["difference"] == pytest.approx(expected.mean)
    assert (test["interval_low"], test["interval_high"]) == pytest.approx((expected.low, expected.high))
    assert (test["interval_low"] > 0 or test["interval_high"] < 0) == bool(test["p_value"] <= 0.05)
    said = f"{ratio} test rows per training row"
    assert said in found.summary() and said in methods_text(found) and said in test["note"]


def test_a_fold_that_a_method_lacks_does_not_change_the_ratio():
    table = one_dataset({"fold": TEN})
    assert "1/9 test rows" in quietly(table.drop(index=3)).summary()
    table = one_dataset({"repeat": TEN * 10, "fold": sorted(TEN * 10)})
    assert "1/9 test rows" in quietly(table.drop(index=len(table) - 1)).summary()


def test_repeats_that_may_be_no_folds_are_not_tested_without_the_ratio(tmp_path):
    assert quietly(one_dataset({"seed": TEN, "run": TEN})).tests["p_value"].isna().all()
    assert quietly(one_dataset({"seed": TEN * 2, "run": sorted(TEN * 2)})).tests["p_value"].isna().all()
    found = quietly(one_dataset({"seed": TEN}, methods="abc"))
    assert found.tests["p_value"].isna().all() and not found.tests["rejected"].any()
    assert found.tests["interval_low"].isna().all() and found.tests["difference"].notna().all()
    assert any("--test-per-train" in note for note in found.notes)
    board = found.leaderboard()
    assert set(board["verdict"]) == {"", "not tested"} and board["average_rank"].notna().all()
    said = found.summary() + methods_text(found)
    assert "significan" not in said and "p =" not in said and "interval" not in said and "Nadeau" not in said
    found.save(tmp_path / "out")
    assert "--test-per-train" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_the_interval_of_a_pair_and_the_verdict_of_two_methods_agree():
    for seed in range(8):
        generator = np.random.default_rng(seed)
        table = pd.DataFrame(generator.normal([0.5, 0.6], 0.1, (9, 2)), columns=["a", "b"])
        (test,) = quietly(table).tests.to_dict("records")
        excludes = test["interval_low"] > 0 or test["interval_high"] < 0
        assert excludes == bool(test["rejected"])


def test_intervals_of_several_methods_are_called_those_of_single_pairs(tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).random((8, 4)), columns=list("abcd"))
    said = "Each interval is that of one pair by itself"
    found = quietly(table)
    found.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert said in found.summary() and said in found._repr_html_() and said in page
    assert "not adjusted for the number of pairs" in methods_text(found)
    assert said not in quietly(table[["a", "b"]]).summary()  # whose verdict is that of the interval
    assert said not in quietly(table.iloc[:5]).summary()  # which has no interval


def test_null_tables_show_intervals_without_zero_and_say_why():
    """In most tables of twelve equal methods, one of the eleven intervals excludes 0."""
    excluded = []
    for seed in range(8):
        table = np.random.default_rng(seed).random((12, 12))
        found = quietly(pd.DataFrame(table, columns=list("abcdefghijkl")))
        board = found.leaderboard()
        excluded.append(bool(((board["interval_low"] > 0) | (board["interval_high"] < 0)).any()))
        assert not board["verdict"].str.startswith("significantly").any()
        assert "Each interval is that of one pair by itself" in found.summary()
    assert sum(excluded) >= 4


def test_a_first_method_that_loses_the_test_is_explained():
    """Method a is better on most datasets by little, and b on the others by much."""
    small, large = np.linspace(0.001, 0.009, 15), np.linspace(0.1, 0.3, 14)
    table = pd.DataFrame({"a": np.concatenate([0.5 + small, 0.5 - large]), "b": 0.5})
    found = quietly(table)
    assert found.leaderboard()["verdict"].tolist() == ["", "significantly better"]
    said = found.sentences()
    place = next(
        place for place, text in enumerate(said) if text.startswith("b is significantly better than a")
    )
    assert "A method can have the best average rank and lose the test" in said[place + 1]
    several = found.results.frame.drop(columns="repeat")
    both = quietly(pd.concat([several, several.assign(measure="other")]))
    assert overview(both.tables)["significantly better than"].str.contains("worse than b").all()
    fair = quietly(pd.DataFrame({"a": 0.5 + large, "b": 0.5}))
    assert "lose the test" not in fair.summary()


def test_no_p_value_is_zero():
    assert (p_value(0.0), p_value(1e-17), p_value(2e-16)) == ("p < 1e-16", "p < 1e-16", "p = 2.0e-16")
    order = np.arange(5.0)[None] + np.arange(9.0)[:, None]  # all datasets agree: F is infinite
    found = quietly(pd.DataFrame(order, columns=list("abcde")), friedman="f")
    assert found.tests["p_value"].iloc[0] == 0
    texts = texts_of(found, {})
    assert "p < 1e-16" in found.summary() and "p = 0.0" not in found.summary() + "".join(texts.values())
    assert re.search(r"Friedman \| all \|.* \\< 1e-16 \|", texts["tables.md"])


@pytest.mark.parametrize(
    ("zeros", "said"),
    [("pratt", "Pratt [@pratt1959]"), ("split", "half of their ranks"), ("wilcox", "left out")],
)
def test_the_methods_say_how_zeros_count(zeros, said):
    table = pd.DataFrame(np.random.default_rng(0).random((8, 3)), columns=list("abc"))
    for methods in (["a", "b", "c"], ["a", "b"]):
        assert said in methods_text(quietly(table, methods=methods, zeros=zeros))


def test_the_answer_computes_one_posterior(monkeypatch):
    table = pd.DataFrame(np.random.default_rng(0).random((8, 6)), columns=list("abcdef"))
    calls = []
    plain = bayes.bayesian_signed_rank_test
    monkeypatch.setattr(
        bayes,
        "bayesian_signed_rank_test",
        lambda *args, **options: calls.append(1) or plain(*args, **options),
    )
    found = quietly(table, rope=0.1)
    said = found.summary()
    assert len(calls) == 1
    first, second = found.leaderboard()["method"][:2]
    pairs = found.bayes.set_index(["first", "second"])
    assert len(pairs) == 15
    turned = (first, second) not in pairs.index
    row = pairs.loc[(second, first) if turned else (first, second)]
    better, worse = (row["p_worse"], row["p_better"]) if turned else (row["p_better"], row["p_worse"])
    better, same, worse = (probability(value, "below ", "above ") for value in (better, row["p_rope"], worse))
    assert f"{first} is better than {second} is {better}" in said
    assert f"(differ by up to 0.1) {same}, and that it is worse {worse}" in said


def test_forty_methods_are_answered_in_seconds():
    table = pd.DataFrame(
        np.random.default_rng(0).random((20, 40)), columns=[f"m{place}" for place in range(40)]
    )
    start = time.process_time()
    assert "posterior probability" in quietly(table, rope=0.01).summary()
    assert time.process_time() - start < 15


def test_all_texts_call_differences_up_to_the_rope_practically_none(tmp_path):
    found = quietly(pd.DataFrame(np.random.default_rng(0).random((8, 3)), columns=list("abc")), rope=0.1)
    found.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "differ by up to 0.1" in found.summary() and "differ by up to the rope" in page
    assert not re.search("(less|smaller) than (0.1|the rope)", page + found.summary() + methods_text(found))
