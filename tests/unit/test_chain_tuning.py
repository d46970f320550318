"""mlsieve chain-tune: the fixed fifth, what a point of a grid holds, and which of several points is best."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from mlsieve.chains import XDCC, ClassifierChain, RDTDynamicChain
from mlsieve.chains.orders import mean_position_order, mean_positions
from mlsieve.chains.sequence import LabelSequence
from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.errors import InvalidSetting, UserError
from mlsieve.evaluation.chain_tuning import (
    TunedPoint,
    TunedVariant,
    best_point,
    label_positives,
    load_points,
    save_points,
    tuning_dataset,
)
from mlsieve.files.checksums import mark_folder
from mlsieve.measures import choose, evaluate_all

pytestmark = pytest.mark.usefixtures("elsewhere")
F1, LOSS = choose(["f1", "hamming-loss"])
WHERE = {"split": "official", "split_seed": 0, "repeat": 0}


@pytest.fixture(scope="module")
def data():
    return load_dataset("synthetic-linear")


def tuned(*words) -> TunedPoint:
    assert main(["chain-tune", "synthetic-linear", *map(str, words), "-o", "point.json"]) == 0
    (found,) = load_points("point.json")
    return found


def point(*values, method="xdcc", params=None, **settings):
    """Return a point with a value of F1 for each of several variants."""
    ways = params or [{}] * len(values)
    found = [
        TunedVariant(one, {"f1": value}, 0.0, None, None) for one, value in zip(ways, values, strict=True)
    ]
    return TunedPoint("d", "official", 0, method, settings, 0.0, found)


def test_the_fifth_depends_on_the_split_alone_and_leaves_out_the_test_part(data):
    part = tuning_dataset(data, **WHERE)
    assert part.X.shape[0] == data.n_train == 333 and part.n_train == round(0.8 * 333)
    np.testing.assert_array_equal(part.X, data.X_train)
    again = tuning_dataset(replace(data, X=data.X * 2), **WHERE)
    np.testing.assert_array_equal(part.train_mask, again.train_mask)
    for change in ({"repeat": 1}, {"split_seed": 1}, {"split": "holdout"}):
        other = tuning_dataset(data, **(WHERE | change))
        assert (other.train_mask != part.train_mask).any(), change
    renamed = tuning_dataset(replace(data, name="other"), **WHERE)
    assert (renamed.train_mask != part.train_mask).any()


def test_one_row_is_too_few(data):
    with pytest.raises(UserError, match="has 1 row, too few to hold some back; give more rows"):
        tuning_dataset(data.with_split(np.arange(500) < 1), **WHERE)


def test_a_point_has_the_measures_of_the_estimators_on_the_same_fifth(data):
    part = tuning_dataset(data, **WHERE)
    names = ["hamming-accuracy", "subset-accuracy", "f1"]
    words = ("--measures", ",".join(names), "--seed", 3)
    chains = {
        "xdcc": (XDCC, {"rounds": 3}, {"n_estimators": 3}),
        "cc": (ClassifierChain, {"depth": 3}, {"max_depth": 3}),
        "rdt-dcc": (RDTDynamicChain, {"trees": 10}, {"n_estimators": 10}),
    }
    for id, (kind, settings, arguments) in chains.items():
        given = [f"{name}={value}" for name, value in settings.items()]
        found = tuned("--method", id, "--set", *given, *words)
        chain = kind(**arguments, random_state=3).fit(part.X_train, part.Y_train)
        sets, sequence = chain.predict(part.X_test), chain.predict_sequence(part.X_test)
        expected = evaluate_all(part.Y_test, chain.predict_proba(part.X_test), y_pred=sets, measures=names)
        [variant] = found.variants
        assert (found.dataset, found.split, found.repeat) == ("synthetic-linear", "official", 0)
        assert (found.method, found.settings, variant.params) == (id, settings, {})
        assert variant.values == expected and found.training_seconds > 0 <= variant.prediction_seconds
        assert variant.positions == mean_positions(sequence.labels, 6).tolist()
        chosen = (sequence.labels[:, :, None] == np.arange(6)) & sequence.positive[:, :, None]
        np.testing.assert_allclose(variant.positive_share, chosen.any(axis=1).mean(axis=0))


@pytest.mark.parametrize(
    ("rounds", "words"),
    [
        ("rounds", "ml-xgb --set depth=3"),
        ("rounds", "ml-xgb --set subsample=0.5 colsample=0.5 sketch=random sketch_size=3 split=max_gain"),
        ("trees", "br --set base=ml-xgb depth=3"),
        ("trees", "cc --set base=ml-xgb order=xdcc definition=xdcc"),
        ("trees", "lp --set base=ml-xgb depth=3"),
    ],
)
def test_the_first_rounds_of_a_fit_are_points_as_fits_of_their_own_are(rounds, words):
    words = ["--method", *words.split()]
    alone = [tuned(*words, f"{rounds}={n}") for n in (3, 1, 5)]
    command = ["chain-tune", "synthetic-linear", *words, f"{rounds}=5", "--first-rounds", "3", "1"]
    assert main([*command, "-o", "points.json"]) == 0
    assert [*map(without_seconds, load_points("points.json"))] == [*map(without_seconds, alone)]


def without_seconds(point):
    variants = [replace(variant, prediction_seconds=0) for variant in point.variants]
    return replace(point, training_seconds=0, variants=variants)


def test_one_model_has_several_ways_of_predicting(data):
    part = tuning_dataset(data, **WHERE)
    found = tuned(
        *("--method", "xdcc", "--set", "rounds=2", "depth=2", "--measures", "f1", "--variant"),
        *("--variant", "cumulate=none", "chain-length=2", "--variant", "cumulate=sum", "chain_length=2"),
    )
    chain = XDCC(n_estimators=2, max_depth=2, random_state=0).fit(part.X_train, part.Y_train)
    assert [variant.params for variant in found.variants] == [
        {},
        {"cumulate": "none", "chain_length": 2},
        {"cumulate": "sum", "chain_length": 2},
    ]
    values = []
    for variant in found.variants:
        other = chain.varied(**variant.params).predict_all(part.X_test)
        values.append(evaluate_all(part.Y_test, other.probabilities, y_pred=other.labels, measures=["f1"]))
    assert [variant.values for variant in found.variants] == values
    assert len({one["f1"] for one in values}) == 3, "nothing is shown"
    assert max(found.variants[1].positions) <= 3 < max(found.variants[0].positions)


def test_a_method_without_a_chain_has_no_positions():
    [variant] = tuned("--method", "ml-xgb", "--set", "rounds=1", "--measures", "f1").variants
    assert variant.positions is None is variant.positive_share


def test_threads_and_repetition_change_times_alone(elsewhere):
    words = ("--method", "xdcc", "--set", "rounds=2", "--measures", "f1")
    first, second = tuned(*words), tuned(*words, "--threads", 2)

    def timeless(one):
        variants = [replace(variant, prediction_seconds=0.0) for variant in one.variants]
        return replace(one, training_seconds=0.0, variants=variants)

    assert timeless(first) == timeless(second)


def test_positions_by_hand():
    labels = np.array([[0, 2], [2, -1], [2, 1]], np.int32)
    positive = np.array([[True, True], [True, False], [False, True]])
    sequence = LabelSequence(labels, np.zeros((3, 2)), positive)
    np.testing.assert_allclose(mean_positions(labels, 3), [(1 + 3 + 3) / 3, (3 + 3 + 2) / 3, 4 / 3])
    np.testing.assert_allclose(label_positives(sequence, 3), [1 / 3, 1 / 3, 2 / 3])


def test_positions_sort_labels_as_their_order_does():
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = np.array([rng.permutation(5)[:3] for _ in range(7)], np.int32)
        order = np.argsort(mean_positions(labels, 5), kind="stable")
        np.testing.assert_array_equal(order, mean_position_order(labels, 5))


def test_the_first_of_the_best_points_is_chosen():
    assert best_point([point(0.5), point(0.7), point(0.7), point(0.6)], {}, F1) == 1
    assert best_point([point(None), point(0.0), point(0.0)], {}, F1) == 1
    assert best_point([point(None), point(None)], {}, F1) == 0
    ways = [{"cumulate": "none"}, {"cumulate": "sum"}]
    points = [point(0.9, 0.1, params=ways), point(0.8, 0.2, params=ways)]
    assert [best_point(points, one, F1) for one in ways] == [0, 1]


def test_lower_values_of_a_loss_are_better():
    losses = [
        replace(point(None), variants=[TunedVariant({}, {"hamming-loss": v}, 0, None, None)])
        for v in (3, 1, 1)
    ]
    assert best_point(losses, {}, LOSS) == 1


@pytest.mark.parametrize(
    ("params", "measure", "message"),
    [
        (
            {"cumulate": "none"},
            F1,
            "lacks predictions with cumulate=none; give that to 'mlsieve step chain-tune', too",
        ),
        ({}, LOSS, "a point of the grid of 'xdcc' lacks the measure hamming-loss; give"),
    ],
)
def test_a_point_that_was_measured_otherwise_is_refused(params, measure, message):
    with pytest.raises(UserError, match=message):
        best_point([point(0.5)], params, measure)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-40],
        lambda text: "[1]",
        lambda text: "[" * 100_000,
        lambda text: "\udcff",
        lambda text: text.replace('"repeat": 0', '"repeat": "a"'),
        lambda text: text.replace('"f1"', '"f1": "a", "x"'),
        lambda text: text.replace('"rounds": 1', '"rounds": 0'),
        lambda text: text.replace('"split"', '"spilt"'),
        lambda text: text.replace('"params": {}', '"params": 3'),
        lambda text: '{"points": []}',
        *(
            lambda text, change=change: json.dumps({"points": [json.loads(text)["points"][0] | change]})
            for change in ({"variants": {"a": 1}}, {"training_seconds": None}, {"method": "none"})
        ),
        lambda text: text.replace('"positive_share": [', '"positive_share": [[0],'),
        lambda text: text.replace('"positive_share": [', '"positive_share": [0,'),
    ],
)
def test_a_damaged_point_is_refused(elsewhere, change):
    tuned("--method", "xdcc", "--set", "rounds=1", "depth=1", "--measures", "f1")
    text = (elsewhere / "point.json").read_text()
    (elsewhere / "point.json").write_bytes(change(text).encode("utf-8", "surrogateescape"))
    with pytest.raises(UserError, match=r"point.json: is not .*; make it again with '.* chain-tune'"):
        load_points("point.json")


def test_a_damaged_point_of_a_study_is_removed(elsewhere):
    mark_folder(elsewhere)
    save_points("p.json", [point(0.5)])
    text = (elsewhere / "p.json").read_text()
    assert load_points("p.json") == [point(0.5)]
    (elsewhere / "p.json").write_text(text.replace("0.5", "0.9"))
    with pytest.raises(UserError, match="was damaged"):
        load_points("p.json")
    assert not (elsewhere / "p.json").exists()
    with pytest.raises(UserError, match=r"p.json: no such file; make it again with '.* chain-tune'"):
        load_points("p.json")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--method", "xdc"), "unknown chain 'xdc'; did you mean 'xdcc'?"),
        (("--method", "xdcc", "--set", "depth=0"), "chain 'xdcc': depth = 0 is not accepted;"),
        (
            ("--method", "xdcc", "--variant", "depth=3"),
            "depth is not a parameter of prediction of 'xdcc'; those are cumulate, chain_length",
        ),
        (("--method", "xdcc", "--variant", "cumulate=no"), "chain 'xdcc': cumulate = 'no' is not accepted;"),
        (
            ("--method", "cc", "--variant", "order=given"),
            "order is not a parameter of prediction of 'cc'; it has none: leave it out",
        ),
        (
            ("--method", "xdcc", "--variant", "cumulate"),
            "--variant cumulate: not of the form name=value; write e.g. --variant cumulate=none",
        ),
        *(
            (
                ("--method", *words.split(), "--first-rounds", "1"),
                f"the model of '{words.split()[0]}' does not begin with that of fewer rounds; fit each",
            )
            for words in ("xdcc", "br", "cc --set base=ml-xgb propagate=probabilities", "rdt-dcc")
        ),
        (
            ("--method", "ml-xgb", "--set", "n_iter_no_change=2", "--first-rounds", "1"),
            "the model of 'ml-xgb' does not begin with that of fewer rounds; fit each number of rounds by",
        ),
        (
            ("--method", "ml-xgb", "--first-rounds", "20"),
            "the first 20 rounds of a fit with rounds = 20 are not fewer; give smaller numbers, or set",
        ),
        (("--method", "ml-xgb", "--first-rounds", "0"), "chain 'ml-xgb': rounds = 0 is not accepted;"),
        (("--method", "xdcc", "--threads", "0"), "--threads must be at least 1, got 0;"),
        (("--method", "xdcc", "--seed", "-1"), "seed -1 is out of range;"),
        (("--method", "xdcc", "--measures", "f2"), "unknown measure 'f2';"),
    ],
)
def test_what_cannot_be_tuned_is_one_line_with_a_hint(capsys, words, message):
    assert main(["chain-tune", "synthetic-linear", *words, "-o", "point.json"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"mlsieve: {message}") and told.count("\n") == 1


def test_a_fitted_chain_is_varied_without_a_new_fit(data):
    chain = XDCC(n_estimators=1, max_depth=1).fit(data.X_train, data.Y_train)
    other = chain.varied(cumulate="none", chain_length=2)
    assert other.trees_ is chain.trees_ and (chain.cumulate, chain.chain_length) == ("running", "auto")
    assert other.predict_sequence(data.X_test).labels.shape[1] == 2
    for wrong in ({"max_depth": 2}, {"cumulate": "no"}, {"chain_length": 0}):
        with pytest.raises(InvalidSetting):
            chain.varied(**wrong)
    with pytest.raises(ValueError, match="n_jobs = 0"):
        chain.varied(n_jobs=0)
    static = ClassifierChain(max_depth=1).fit(data.X_train, data.Y_train)
    with pytest.raises(
        InvalidSetting, match="order is not a parameter of prediction, and the model is already fitted"
    ):
        static.varied(order="given")
    assert static.varied(n_jobs=2).n_jobs == 2
