"""Lengths of chains, pairs of methods and steps, computed from small tables whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from mlsieve.analysis.chains.lengths import (
    PREDICTION,
    TRAINING,
    LengthCost,
    bands_of,
    cardinalities,
    converged_at,
    convergences,
    first_rounds,
    length_frame,
    lengths_beside,
    lower_is_better,
    near_the_end,
    ratios,
)
from mlsieve.analysis.chains.steps import ends_of, settings_of, shares_at

RUN = (
    "dataset",
    "split",
    "repeat",
    "method",
    "id",
    "settings",
    "steps",
    "f1",
    "training_seconds",
    "prediction_seconds",
)
CURVE = ("dataset", "split", "repeat", "method", "parameter", "point", "measure", "value")
STEP = (
    *("dataset", "split", "repeat", "method", "parameter", "point", "step", "set", "accuracy", "positive"),
    *("positives", "positive_share", "negative_share", "cardinality"),
)


def runs(*rows):
    """Return a chain_runs.csv from (dataset, method, settings, steps, f1, training, prediction)."""
    ids = {"dynamic": "xdcc", "single": "ml-xgb"}
    made = [(name, "official", 0, method, ids.get(method, "cc"), *rest) for name, method, *rest in rows]
    return pd.DataFrame(made, columns=RUN)


def curves(dataset, method, parameter, values):
    """Return rows of chain_curves.csv from {measure: {point: value}}."""
    rows = [
        (dataset, "official", 0, method, parameter, float(point), measure, value)
        for measure, own in values.items()
        for point, value in own.items()
    ]
    return pd.DataFrame(rows, columns=CURVE)


@pytest.fixture
def small():
    """Two datasets: on one the chain converges at 3 of 4 and gets dearer, on the other at once."""
    table = runs(
        ("a", "cc", "depth=3", 4, 0.5, 2.0, 0.4),
        ("a", "dynamic", "depth=3 split=max_gain", 4, 0.61, 4.0, 0.8),
        ("a", "single", "depth=3 split=max_gain", 1, 0.3, 1.0, 0.1),
        ("b", "cc", "depth=3", 2, 0.8, 1.0, 0.1),
        ("b", "dynamic", "depth=6", 2, 0.8, 0.5, 0.05),
        ("b", "single", "depth=3", 1, 0.7, 0.2, 0.1),
        ("a", "orders", "", 4, 0.5, 2.0, 0.4),
    )
    lines = pd.concat(
        [
            curves(
                "a",
                "dynamic",
                "chain_length",
                {"f1": dict(zip(range(1, 5), (0.3, 0.5, 0.605, 0.61), strict=True))},
            ),
            curves("a", "dynamic", "chain_length", {TRAINING: {1: 1.0, 2: 1.9, 3: 2.5, 4: 4.0}}),
            curves("a", "dynamic", "chain_length", {PREDICTION: {1: 0.2, 2: 0.4, 3: 0.6, 4: 0.8}}),
            curves("b", "dynamic", "chain_length", {"f1": {1: 0.8, 2: 0.8}, TRAINING: {1: 0.25, 2: 0.5}}),
            curves("b", "dynamic", "chain_length", {PREDICTION: {1: 0.025, 2: 0.05}}),
            curves("a", "orders", "draw", {"f1": dict(enumerate((0.1, 0.2, 0.3, 0.4, 0.5, 0.6)))}),
            curves("a", "sigma-only", "sigma", {"f1": {0.0: 0.1, 1.0: 0.2}}),
        ]
    )
    return length_frame(lines, table), table


def test_curves_orders_and_whole_chains_in_one_table(small):
    frame, _ = small
    counts = (
        frame[frame["measure"] == "f1"]
        .groupby(["dataset", "method"])["length"]
        .agg(["nunique", "max", "size"])
    )
    assert counts.loc[("a", "dynamic")].tolist() == [4, 4, 4]
    assert counts.loc[("a", "orders")].tolist() == [1, 4, 6], "orders have the length of the whole chain"
    assert counts.loc[("b", "cc")].tolist() == [1, 2, 1]
    assert "sigma-only" not in set(frame["method"])
    own = frame[(frame["method"] == "cc") & (frame["dataset"] == "a")].set_index("measure")["value"]
    assert own.to_dict() == {"f1": 0.5, TRAINING: 2.0, PREDICTION: 0.4}


def test_a_method_tuned_by_several_measures_has_its_first_model():
    table = runs(("a", "cc", "depth=3", 2, 0.5, 2.0, 0.4), ("a", "cc", "depth=6", 2, 0.9, 9.0, 0.9))
    frame = length_frame(curves("a", "x", "chain_length", {}), table)
    assert frame.set_index("measure")["value"].to_dict() == {"f1": 0.5, TRAINING: 2.0, PREDICTION: 0.4}


@pytest.mark.parametrize(
    ("values", "length"),
    [
        ((0.3, 0.5, 0.605, 0.61), 3),
        ((0.5, 0.5, 0.5), 1),
        ((0.61, 0.4, 0.61), 3),  # it leaves what it has reached
        ((0.4, 0.6), 2),
        ((0.6, 0.61), 1),  # exactly as close as wanted
        ((0.5996, 0.6104), 1),  # as shown: 0.600 and 0.610
        ((0.6004, 0.6106), 2),  # as shown: 0.600 and 0.611
        ((0.7,), 1),
    ],
)
def test_where_a_curve_converges(values, length):
    assert converged_at(pd.Series(values, index=range(1, len(values) + 1))) == length


def test_lengths_that_are_no_sequence_of_ones_count_as_they_are():
    assert converged_at(pd.Series([0.1, 0.5, 0.5], index=[1, 5, 10])) == 5


def test_convergence_and_costs_by_hand(small):
    one, two = convergences(small[0], "dynamic")
    assert (one.dataset, one.length, one.full, one.first, one.converged, one.last) == (
        "a",
        3,
        4,
        0.3,
        0.605,
        0.61,
    )
    assert (two.dataset, two.length) == ("b", 1)
    assert (one.best, two.best) == (4, 1), "of equal values, the shortest"
    assert convergences(small[0], "cc") == [], "one length is no curve"
    assert lengths_beside(small[0], "dynamic", "cc") == [
        # Length 2 takes as long to predict, and no longer.
        LengthCost("a", 3, cost=1.25, full_cost=2.0, cheaper=2, dearer_prediction=3),
        LengthCost("b", 1, cost=0.25, full_cost=0.5, cheaper=2, dearer_prediction=0),
    ]
    assert lengths_beside(small[0], "dynamic", "missing") == [] == lengths_beside(small[0], "cc", "dynamic")


def test_quantiles_of_the_orders(small):
    bands = bands_of(small[0])
    assert set(bands["method"]) == {"orders"} and set(bands["orders"]) == {6}
    assert bands["value"].tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert bands["quantile"].tolist() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


def test_ratios_are_over_the_whole_static_chain(small):
    found = ratios(small[0], "dynamic", "cc")
    own = found[found["dataset"] == "a"]
    assert own["length"].tolist() == [1, 2, 3, 4]
    assert own["cost"].tolist() == pytest.approx([0.5, 0.95, 1.25, 2.0])
    assert own["quality"].tolist() == pytest.approx([0.6, 1.0, 1.21, 1.22])
    assert ratios(small[0], "dynamic", "missing").empty and ratios(small[0], "missing", "cc").empty


def test_a_chain_of_the_label_cardinality_against_the_whole_one(small):
    assert near_the_end(small[0], "dynamic", {"a": 1.2, "b": 0.3}) == {"a": False, "b": True}
    assert near_the_end(small[0], "dynamic", {"a": 2.5}) == {"a": True}, "three labels: 0.605 against 0.61"
    assert near_the_end(small[0], "dynamic", {"a": 9.0, "c": 1.0}) == {"a": True}
    assert near_the_end(small[0], "cc", {"a": 2.0}) == {}, "one length is no curve"


def test_a_chain_of_one_length_has_no_ratios():
    table = runs(("a", "cc", "", 4, 0.5, 2.0, 0.4), ("a", "dynamic", "", 4, 0.4, 1.0, 0.8))
    assert ratios(length_frame(curves("a", "x", "chain_length", {}), table), "dynamic", "cc").empty


def test_a_static_chain_without_any_right_label_has_no_ratio():
    table = runs(("a", "cc", "", 2, 0.0, 1.0, 1.0), ("a", "dynamic", "", 2, 0.4, 1.0, 1.0))
    lines = curves("a", "dynamic", "chain_length", {"f1": {1: 0.1, 2: 0.4}, TRAINING: {1: 0.5, 2: 1.0}})
    assert ratios(length_frame(lines, table), "dynamic", "cc").empty


def test_the_first_round_is_compared_where_the_parameters_are_the_same(small):
    frame, table = small
    one, two = first_rounds(frame, table, "dynamic", "single")
    assert (one.dataset, one.same_settings, one.equal) == ("a", True, True)
    assert (two.dataset, two.same_settings, two.equal) == ("b", False, False)
    assert first_rounds(frame, table, "dynamic", "missing") == []


@pytest.mark.parametrize(
    ("chain", "single", "same"),
    [
        ("depth=3", "depth=3 split=max_gain", True),  # the default of the chain
        ("depth=3 split=sum_gain", "depth=3", True),  # that of the booster
        ("depth=3", "depth=3", False),  # their split functions differ
        ("depth=3 definition=xdcc", "depth=3 split=max_gain", False),
        ("depth=6 chain_length=5 cumulate=none", "split=max_gain", True),
        ("depth=3 eta=0.1", "depth=3 split=max_gain", False),
    ],
)
def test_a_parameter_that_is_not_given_has_its_default(chain, single, same, small):
    frame, table = small
    texts = table["method"].map({"dynamic": chain, "single": single}).fillna("")
    found = first_rounds(frame, table.assign(settings=texts), "dynamic", "single")
    assert [one.same_settings for one in found] == [same, same]


def test_the_label_cardinality_of_the_datasets_that_have_one():
    described = pd.DataFrame({"dataset": ["a", "b"], "cardinality": [1.5, np.nan]})
    assert cardinalities(described) == {"a": 1.5}
    assert cardinalities(None) == cardinalities(described[["dataset"]]) == {}


def test_which_direction_is_the_better_one():
    assert lower_is_better("hamming-loss") and not lower_is_better("f1") and not lower_is_better("my-measure")


def steps(method, accuracy, positive, share, parameter="", point=np.nan):
    rows = [
        (
            *(
                "a",
                "official",
                0,
                method,
                parameter,
                point,
                step,
                1.0,
                accuracy[step - 1],
                positive[step - 1],
            ),
            *(sum(positive[:step]), share[step - 1], step / len(accuracy), np.nan),
        )
        for step in range(1, len(accuracy) + 1)
    ]
    return pd.DataFrame(rows, columns=STEP)


def test_the_first_and_the_last_step_that_set_labels():
    table = pd.concat(
        [
            steps("one", (0.9, 0.8, np.nan), (0.1, 0.5, 0.0), (0.2, 1.0, 1.0), "sigma", 0.5),
            steps("two", (0.7, np.nan), (0.4, 0.0), (1.0, 1.0)),
        ]
    )
    [found] = ends_of(settings_of(table))
    assert (found.method, found.setting, found.steps) == ("one", "0.5", 3)
    assert (found.first, found.last, found.first_positive, found.last_positive) == (0.9, 0.8, 0.1, 0.5)


def test_shares_up_to_a_step():
    table = settings_of(steps("one", (0.9, 0.8, 0.7), (0.5, 0.2, 0.1), (0.6, 0.9, 1.0)))
    assert shares_at(table, "a", "one", 2) == pytest.approx((0.9, 2 / 3))
    assert shares_at(table, "a", "one", 9) == pytest.approx((1.0, 1.0))
    assert shares_at(table, "a", "two", 2) is None


def test_repeats_of_a_split_are_averaged():
    once = steps("one", (0.9, 0.8), (0.5, 0.2), (0.6, 1.0))
    again = once.assign(repeat=1, accuracy=[0.7, 0.8])
    assert settings_of(pd.concat([once, again]))["accuracy"].tolist() == pytest.approx([0.8, 0.8])
