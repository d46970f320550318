"""mlsieve chain-test: chosen parameters, shared models, draws, curves, steps and orders."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from mlsieve.chains import XDCC, ClassifierChain, RDTDynamicChain
from mlsieve.chains.orders import label_order
from mlsieve.chains.sequence import ChainPrediction, LabelSequence
from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.errors import UserError
from mlsieve.evaluation import chain_testing
from mlsieve.evaluation.chain_steps import step_rows
from mlsieve.evaluation.chain_testing import Model
from mlsieve.evaluation.chain_tuning import TunedPoint, TunedVariant, save_points
from mlsieve.evaluation.chain_variants import Variant
from mlsieve.evaluation.chains import chain_method, predicted_run, rehearse, run_chain
from mlsieve.files.csv_tables import PERFORMANCE
from mlsieve.measures import evaluate_all

pytestmark = pytest.mark.usefixtures("elsewhere")
NAMES = ["hamming-accuracy", "subset-accuracy", "f1"]
TIMES = {"training_seconds", "prediction_seconds"}
XDCC_WAYS = ({"cumulate": "none"}, {"cumulate": "sum"})


@pytest.fixture(scope="module")
def data():
    return load_dataset("synthetic-linear")


@pytest.fixture
def fits(monkeypatch):
    """The parameters of each fit."""
    found, fit = [], chain_testing.fit_chain

    def counted(method, *args, **options):
        found.append(dict(method.settings))
        return fit(method, *args, **options)

    monkeypatch.setattr(chain_testing, "fit_chain", counted)
    return found


def run(words):
    """Run chain-test with words, and return what it wrote."""
    command = ["chain-test", "synthetic-linear", "--measures", ",".join(NAMES), *shlex.split(words)]
    assert main([*command, "-o", "chain.json"]) == 0
    with open("chain.json", encoding="utf-8") as file:
        return json.load(file)


def save(name, f1, subset=None, *, ways=({},), positions=None, **settings):
    """Write a point with a value of F1 and of subset accuracy for each way of predicting."""
    values = zip(ways, f1, subset or f1, strict=True)
    variants = [
        TunedVariant(
            way, {"f1": one, "subset-accuracy": other, "hamming-accuracy": 0.5}, 0.1, positions, None
        )
        for way, one, other in values
    ]
    method = settings.pop("method", "xdcc")
    save_points(name, [TunedPoint("synthetic-linear", "official", 0, method, settings, 0.2, variants)])


def performance(record):
    return {(row["method"], row["measure"]): row["value"] for row in record["performance"]}


def values_of(data, learner):
    found = learner.predict_all(data.X_test)
    return evaluate_all(data.Y_test, found.probabilities, y_pred=found.labels, measures=NAMES)


def timeless(record):
    """Return a record without what differs from run to run."""
    runs = [{name: value for name, value in row.items() if name not in TIMES} for row in record["runs"]]
    curves = [row for row in record["curves"] if not row["measure"].endswith("-seconds")]
    return record | {"runs": runs, "curves": curves}


def test_variants_may_choose_different_points_and_equal_choices_share_a_model(data, fits):
    save("a.json", (0.5, 0.2), (0.1, 0.9), ways=XDCC_WAYS, depth=1, rounds=2, chain_length="all")
    save("b.json", (0.5, 0.3), (0.1, 0.1), ways=XDCC_WAYS, depth=2, rounds=2, chain_length="all")
    record = run(
        "--method xdcc --name dynamic --set rounds=2 chain_length=all --points a.json b.json"
        " --tuned-by f1,subset-accuracy --seed 4"
        " --variant standard cumulate=none --variant cumulated cumulate=sum"
    )
    assert fits == [{"depth": depth, "rounds": 2, "chain_length": "all"} for depth in (1, 2)]
    one, two = (
        XDCC(n_estimators=2, max_depth=depth, chain_length="all", random_state=4).fit(
            data.X_train, data.Y_train
        )
        for depth in (1, 2)
    )
    runs = [(row["method"], row["tuned_by"], row["settings"], row["steps"]) for row in record["runs"]]
    assert runs == [
        ("standard", "f1", "chain_length=all depth=1 rounds=2", 6),
        ("standard", "subset-accuracy", "chain_length=all depth=1 rounds=2", 6),
        ("cumulated", "f1", "chain_length=all depth=2 rounds=2", 6),
        ("cumulated", "subset-accuracy", "chain_length=all depth=1 rounds=2", 6),
    ]
    assert {(row["entry"], row["id"], row["draws"]) for row in record["runs"]} == {("dynamic", "xdcc", 1)}
    for row, learner in zip(
        record["runs"][::3], (one.varied(cumulate="none"), one.varied(cumulate="sum")), strict=True
    ):
        sets = [tuple(each) for each in learner.predict(data.X_test)]
        assert row["commonest_set"] == max(map(sets.count, sets)) / len(sets)
        assert row["predicted_cardinality"] == sum(map(sum, sets)) / len(sets)
    shallow = values_of(data, one.varied(cumulate="sum"))
    expected = {
        ("standard", name): value for name, value in values_of(data, one.varied(cumulate="none")).items()
    }
    deep = values_of(data, two.varied(cumulate="sum"))
    expected |= {("cumulated", name): value for name, value in deep.items()}
    expected["cumulated", "subset-accuracy"] = shallow["subset-accuracy"]
    assert performance(record) == expected
    assert {name: record["runs"][3][name] for name in NAMES} == shallow
    chosen = [(row["method"], row["settings"], row["measure"]) for row in record["tuning"] if row["chosen"]]
    assert len(record["tuning"]) == 12 and chosen == [
        ("standard", "chain_length=all depth=1 rounds=2", "f1"),
        ("standard", "chain_length=all depth=1 rounds=2", "subset-accuracy"),
        ("cumulated", "chain_length=all depth=1 rounds=2", "subset-accuracy"),
        ("cumulated", "chain_length=all depth=2 rounds=2", "f1"),
    ]


def test_without_points_the_method_is_fitted_as_it_is(data):
    record = run("--method cc --points --orders --choose --set depth=3 --definition textbook")
    chain = ClassifierChain(max_depth=3, random_state=0).fit(data.X_train, data.Y_train)
    [row] = record["runs"]
    assert (row["method"], row["entry"], row["tuned_by"], row["settings"]) == ("cc", "cc", "", "depth=3")
    assert {name: row[name] for name in NAMES} == evaluate_all(
        data.Y_test,
        chain.predict_proba(data.X_test),
        y_pred=chain.predict(data.X_test),
        measures=NAMES,
        definition="textbook",
    )
    first = record["performance"][0]
    assert tuple(first) == PERFORMANCE and len(record["performance"]) == 3
    assert first | {"value": 0} == {
        **{"dataset": "synthetic-linear", "split": "official", "method": "cc", "ensemble": "", "score": ""},
        **{"size": 0, "repeat": 0, "evaluator": "", "measure": "hamming-accuracy"},
        **{"definition": first["definition"], "value": 0, "features": 40},
    }
    assert record["tuning"] == [] == record["curves"]


def test_the_last_point_of_a_curve_is_the_whole_chain(data):
    record = run(
        "--method xdcc --set rounds=3 chain_length=all"
        " --variant standard cumulate=none --curve standard chain_length all"
        " --variant cumulated cumulate=sum --curve cumulated chain-length 1 3 6"
    )
    chain = XDCC(n_estimators=3, chain_length="all", random_state=0).fit(data.X_train, data.Y_train)
    found = {(row["method"], row["point"], row["measure"]): row["value"] for row in record["curves"]}
    assert {point for name, point, _ in found if name == "standard"} == {1, 2, 3, 4, 5, 6}
    assert {point for name, point, _ in found if name == "cumulated"} == {1, 3, 6}
    for name, cumulate in (("standard", "none"), ("cumulated", "sum")):
        for length in sorted({point for own, point, _ in found if own == name}):
            own = values_of(data, chain.varied(cumulate=cumulate, chain_length=length))
            assert {measure: found[name, length, measure] for measure in NAMES} == own
    for measure in NAMES:
        assert found["standard", 6, measure] == performance(record)["standard", measure]
    times = [found["standard", length, "training-seconds"] for length in range(1, 7)]
    assert times == sorted(times) and times[-1] == record["runs"][0]["training_seconds"] and times[0] > 0
    assert [found["standard", k, "prediction-seconds"] for k in range(1, 7)] == sorted(
        found["standard", k, "prediction-seconds"] for k in range(1, 7)
    )


def test_a_curve_over_label_tests_has_the_steps_of_each_point(data):
    record = run("--method rdt-dcc --set trees=20 --variant dynamic --curve dynamic sigma 0 0.5 1")
    chain = RDTDynamicChain(n_estimators=20, random_state=0).fit(data.X_train, data.Y_train)
    found = {(row["point"], row["measure"]): row["value"] for row in record["curves"]}
    for sigma in (0, 0.5, 1):
        own = values_of(data, chain.varied(sigma=sigma))
        assert {name: found[sigma, name] for name in NAMES} == own
    assert {measure for _, measure in found} == set(NAMES)
    assert {("dynamic", name): found[1, name] for name in NAMES} == performance(record)
    steps = [(row["parameter"], row["point"], row["step"]) for row in record["steps"]]
    assert steps == [("sigma", sigma, step) for sigma in (0, 0.5, 1) for step in range(1, 7)]
    sequence = chain.varied(sigma=0.5).predict_sequence(data.X_test)
    assert record["steps"][6]["cardinality"] == sequence.cardinality[:, 0].mean()


def test_draws_of_the_order_share_the_trees(data, fits):
    record = run("--method rdt-dcc --set trees=20 --variant static order=random --draws static=3 --seed 2")
    assert len(fits) == 1
    chain = RDTDynamicChain(n_estimators=20, random_state=2).fit(data.X_train, data.Y_train)
    each = [values_of(data, chain.varied(order="random", order_seed=draw)) for draw in range(3)]
    found = {(row["point"], row["measure"]): row["value"] for row in record["curves"]}
    assert {row["parameter"] for row in record["curves"]} == {"draw"}
    for name in NAMES:
        assert [found[draw, name] for draw in range(3)] == [one[name] for one in each]
        assert performance(record)["static", name] == pytest.approx(np.mean([one[name] for one in each]))
    assert len({one["f1"] for one in each}) > 1, "nothing is shown"
    assert record["runs"][0]["draws"] == 3 and record["steps"] == [] == record["orders"]
    assert {"training-seconds", "prediction-seconds"} <= {measure for _, measure in found}


def test_draws_of_the_order_of_a_chain_without_parameters_of_prediction(data, fits):
    record = run("--method cc --set depth=3 --draws cc=3 --seed 2 --only-curves")
    counts = data.Y_train.sum(axis=0)
    expected = []
    for draw in range(3):
        order = label_order("random", counts, seed=draw)
        chain = ClassifierChain(max_depth=3, order="given", given=order, random_state=2)
        expected.append(values_of(data, chain.fit(data.X_train, data.Y_train))["f1"])
    assert [row["value"] for row in record["curves"] if row["measure"] == "f1"] == expected
    assert len(fits) == 3 and record["performance"] == []
    [row] = record["runs"]
    assert row["f1"] == pytest.approx(np.mean(expected)) and row["settings"] == "depth=3"


def test_settings_of_another_method_are_taken_as_named(fits):
    save("a.json", (0.9,), method="cc", depth=2, base="ml-xgb")
    save("b.json", (0.8,), method="cc", depth=4, base="ml-xgb")
    record = run("--method xdcc --set rounds=1 --points a.json b.json --choose depth")
    assert fits == [{"depth": 2, "rounds": 1}] and record["tuning"] == []
    assert record["runs"][0]["tuned_by"] == "f1" and record["runs"][0]["settings"] == "depth=2 rounds=1"
    run("--method xdcc --points a.json b.json --orders --choose --set rounds=1")
    assert fits[-1] == {"rounds": 1}
    save("c.json", (0.1, 0.9), ways=XDCC_WAYS, depth=3)
    save("d.json", (0.2, 0.8), ways=XDCC_WAYS, depth=5)
    for cumulate, depth in (("sum", 3), ("none", 5)):
        run(f"--method cc --points c.json d.json --choose depth --tuned-as cumulate={cumulate}")
        assert fits[-1] == {"depth": depth}


def test_the_final_model_has_the_parameters_that_points_have_otherwise(data, fits):
    for name, f1, depth in (("a.json", 0.2, 1), ("b.json", 0.3, 2)):
        save(name, (f1,), depth=depth, rounds=1, chain_length=2)
    words = "--method xdcc --set rounds=3 chain_length=all --points a.json b.json"
    record = run(f"{words} --tuned-at chain_length=2 rounds=1")
    assert fits == [{"depth": 2, "rounds": 3, "chain_length": "all"}]
    [row] = record["runs"]
    assert (row["settings"], row["steps"]) == ("chain_length=all depth=2 rounds=3", 6)
    chain = XDCC(n_estimators=3, max_depth=2, chain_length="all", random_state=0)
    assert {name: row[name] for name in NAMES} == values_of(data, chain.fit(data.X_train, data.Y_train))
    said = [(row["settings"], row["chosen"]) for row in record["tuning"] if row["measure"] == "f1"]
    assert said == [
        ("chain_length=2 depth=1 rounds=1", False),
        ("chain_length=2 depth=2 rounds=1", True),
    ], "the table of tuning has what was measured"


def test_points_of_two_grids_need_not_set_the_same_parameters(fits):
    save("a.json", (0.2,), depth=1, rounds=1)
    save("b.json", (0.3,), eta=0.5, rounds=1)
    run("--method xdcc --set rounds=1 --points a.json b.json")
    run("--method ml-xgb --points a.json b.json --choose depth,eta")
    assert fits == [{"eta": 0.5, "rounds": 1}, {"eta": 0.5}]


def test_parameters_need_to_go_together_only_with_those_that_are_chosen(fits):
    save("a.json", (0.2,), method="br", definition="xdcc", base="ml-xgb", trees=1)
    run("--method br --set definition=xdcc trees=1 --points a.json")
    assert fits == [{"base": "ml-xgb", "definition": "xdcc", "trees": 1}]


def test_labels_are_set_in_the_mean_order_of_another_method(data, fits):
    save("a.json", (0.1, 0.2), ways=XDCC_WAYS, positions=[1, 2, 3, 4, 5, 6], depth=1)
    save("b.json", (0.0, 0.3), ways=XDCC_WAYS, positions=[4, 2.5, 3, 2.5, 7, 1], depth=2)
    record = run("--method cc --set depth=3 --orders a.json b.json --ordered-as cumulate=sum")
    assert fits == [{"depth": 3, "order": "given", "given": "5:1:3:2:0:4"}]
    assert record["runs"][0]["settings"] == "depth=3 order=given"
    positions = {row["label"]: row["position"] for row in record["orders"]}
    assert sorted(positions, key=positions.__getitem__) == [5, 1, 3, 2, 0, 4]
    chain = ClassifierChain(max_depth=3, order="given", given=[5, 1, 3, 2, 0, 4], random_state=0)
    shares = chain.fit(data.X_train, data.Y_train).predict(data.X_test).mean(axis=0)
    np.testing.assert_allclose([row["positive_share"] for row in record["orders"]], shares)
    run("--method cc --set depth=3 --orders a.json b.json --ordered-as cumulate=none")
    assert fits[-1]["given"] == "0:1:2:3:4:5"


def test_all_but_times_is_the_same_at_each_run():
    words = "--method xdcc --set rounds=2 --variant a cumulate=none --variant b --curve a chain_length all"
    first, second = run(words), run(f"{words} --threads 2")
    assert first.keys() == {"performance", "runs", "tuning", "curves", "steps", "orders"}
    assert json.dumps(timeless(first)) == json.dumps(timeless(second))
    assert json.dumps(first["performance"]) == json.dumps(second["performance"])


def test_a_method_without_a_chain_has_no_steps():
    record = run("--method ml-xgb --set rounds=2")
    assert record["steps"] == [] == record["orders"] and record["runs"][0]["steps"] == 0


def test_a_rehearsal_imports_what_a_base_needs_and_leaves_errors_to_the_fit(data):
    child = (
        "import sys; from mlsieve.data import load_dataset; from mlsieve.evaluation import chains\n"
        "data = load_dataset('synthetic-linear'); before = 'sklearn.ensemble' in sys.modules\n"
        "chains.rehearse(chains.chain_method('cc', {'base': 'random-forest', 'trees': 2}), data)\n"
        "print(before, 'sklearn.ensemble' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "True"]
    rehearse(chain_method("cc", {"order": "given", "given": "0:1"}), data)


def test_steps_by_hand():
    labels = np.array([[0, 2], [2, -1], [1, 0]], np.int32)
    positive = np.array([[True, False], [True, False], [False, True]])
    truth = np.array([[True, False, True], [False, True, True], [False, False, False]])
    sequence = LabelSequence(labels, np.zeros((3, 2)), positive, np.array([[1, 2], [2, 2], [3, 2]], float))
    first, second = step_rows(sequence, truth)
    assert first == {
        **{"step": 1, "set": 1.0, "accuracy": 1.0, "positive": 2 / 3, "positives": 2 / 3},
        **{"positive_share": 2 / 3, "negative_share": 1 / 2, "cardinality": 2.0},
    }
    assert second == {
        **{"step": 2, "set": 2 / 3, "accuracy": 0.0, "positive": 1 / 3, "positives": 1.0},
        **{"positive_share": 1.0, "negative_share": 1.0, "cardinality": 2.0},
    }
    none = LabelSequence(np.full((2, 1), -1, np.int32), np.full((2, 1), np.nan), np.zeros((2, 1), bool))
    [row] = step_rows(none, truth[:2])
    assert row["accuracy"] is row["positive_share"] is row["negative_share"] is row["cardinality"] is None
    assert row["set"] == 0.0 == row["positive"]


def test_seconds_of_the_first_steps_are_those_of_the_last_call_within_them():
    marks = [(1, 6, 0.5), (2, 6, 1.0), (3, 6, 2.0), (4, 6, 3.0), (5, 6, 4.0), (6, 6, 9.0)]
    model = Model(None, None, 7.0, marks)
    assert [model.seconds_of(length, 3) for length in (1, 2, 3, 4)] == [1.0, 3.0, 7.0, 7.0]
    early = Model(None, None, 7.0, [(1, 6, 0.5), (3, 6, 2.0), (5, 6, 3.0)])
    assert [early.seconds_of(length, 3) for length in (1, 2, 3)] == [0.5, 2.0, 7.0]
    assert np.isnan(Model(None, None, 7.0, []).seconds_of(1, 2))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--method cc --points none.json",
            "none.json: no such file; make it again with 'mlsieve step chain-tune'",
        ),
        ("--method cc --points broken.json", "broken.json: is not JSON ("),
        (
            "--method cc --points x.json",
            "a point of a grid is of the method 'xdcc', not 'cc'; name with --choose",
        ),
        (
            "--method xdcc --points x.json c.json --choose depth",
            "a point of a grid is of the method 'cc', not",
        ),
        (
            "--method xdcc --set rounds=3 --points x.json",
            "a point of the grid has rounds = None, not 3; give points that were fitted with the same",
        ),
        (
            "--method xdcc --split holdout --points x.json",
            "a point of a grid is of dataset 'synthetic-linear'",
        ),
        (
            "--method xdcc --set chain_length=4 --points s.json --tuned-at chain_length=3",
            "a point of the grid has chain_length = 2, not 3; give points that",
        ),
        (
            "--method xdcc --points s.json --tuned-at chain_length=2",
            "--tuned-at chain_length: --set does not",
        ),
        ("--method xdcc --set depth=2 --tuned-at depth=1", "--tuned-at without --points; give --points, too"),
        (
            "--method xdcc --set chain_length=4 --points s.json --tuned-at chain_length=0",
            "chain 'xdcc': chain_length = 0 is not accepted",
        ),
        (
            "--method xdcc --set chain_length=4 --points s.json --tuned-at chain_length",
            "--tuned-at chain_length: not of the form name=value; write e.g. --tuned-at chain_length=5",
        ),
        ("--method xdcc --points x.json --tuned-by f2", "--tuned-by f2 is not among the measures; known"),
        ("--method xdcc --points x.json", "a point of the grid of 'xdcc' lacks predictions with its own"),
        ("--method xdcc --tuned-by f1", "--tuned-by without --points; give --points, too, or leave it out"),
        (
            "--method cc --points x.json --choose dept",
            "--choose dept: the points do not set it; did",
        ),
        ("--method cc --ordered-as a=1", "--ordered-as without --orders; give"),
        ("--method cc --points x.json --tuned-as a=1", "--tuned-as without --choose; give"),
        ("--method cc --orders c.json", "'cc' sets all labels at once, and has no order; name a method"),
        ("--method br --orders a.json", "chain 'br' has no parameter 'order'"),
        ("--method br --orders none.json", "chain 'br' has no parameter 'order'"),
        ("--method xdcc --points none.json --tuned-by f2 --measures f1", "--tuned-by f2 is not among the"),
        (
            "--method cc --orders none.json --ordered-as a",
            "--ordered-as a: not of the form name=value; write",
        ),
        (
            "--method cc --points none.json --choose depth --tuned-as a",
            "--tuned-as a: not of the form name=value; write e.g. --tuned-as cumulate=none",
        ),
        (
            "--method xdcc --variant a cumulate",
            "--variant a cumulate: not of the form name=value; write e.g. --variant a cumulate=none",
        ),
        (
            "--method xdcc --variant a cumulate=sum cumulate=max",
            "--variant a cumulate is given twice; give it once",
        ),
        (
            "--method xdcc --curve xdcc chain_length 1 99",
            "a curve of 'xdcc' has chain_length 99, and its chain has 6 steps; give lengths up to 6,",
        ),
        (
            "--method xdcc --set chain_length=2 --curve xdcc chain_length 3",
            "a curve of 'xdcc' has chain_length 3, and its chain has 2 steps; give lengths up to 2, or 'all'",
        ),
        (
            "--method xdcc --variant a chain_length=1 --curve a chain_length 2",
            "a curve of 'a' has chain_length 2, and its chain has 1 step; give lengths up to 1, or 'all'",
        ),
        ("--method xdcc --variant a depth=1", "depth is not a parameter of prediction of 'xdcc'; those are"),
        ("--method xdcc --variant a --variant a", "two variants are called 'a'; give each its own name"),
        ("--method xdcc --variant cumulate=sum", "--variant cumulate=sum: begins without a name; write e.g."),
        ("--method xdcc --draws b=2", "there is no variant 'b'; known: xdcc"),
        ("--method xdcc --draws xdcc=2", "'xdcc' has no orders of the labels to draw for 'xdcc'; leave"),
        ("--method xdcc --draws xdcc", "--draws xdcc: not of the form NAME=N; write"),
        ("--method xdcc --draws xdcc=²", "--draws xdcc=²: not of the form NAME=N; write"),
        ("--method rdt-dcc --draws rdt-dcc=2", "'rdt-dcc' asks for several draws, and its order of the"),
        ("--method cc --set order=given --draws cc=2 --points none.json", "'cc' asks for several draws, and"),
        ("--method rdt-dcc --variant a order=given --draws a=2 --orders none.json", "'a' asks for several"),
        ("--method cc --set order=given --draws cc=2", "'cc' asks for several draws, and its order of the"),
        ("--method xdcc --curve xdcc chain_length", "--curve xdcc chain_length: not a variant, a parameter"),
        ("--method cc --curve cc chain_length all", "chain 'cc' has no parameter 'chain_length'"),
        (
            "--method rdt-dcc --curve rdt-dcc sigma all",
            "a curve of 'rdt-dcc' has no values of sigma; 'all' is",
        ),
        ("--method rdt-dcc --curve rdt-dcc sigma 2", "chain 'rdt-dcc': sigma = 2 is not accepted;"),
        ("--method rdt-dcc --curve rdt-dcc trees 2", "trees is not a parameter of prediction of 'rdt-dcc';"),
        ("--method cc --threads 0", "--threads must be at least 1"),
    ],
)
def test_what_cannot_be_tested_is_one_line_with_a_hint(elsewhere, capsys, words, message):
    (elsewhere / "broken.json").write_text("{")
    save("x.json", (0.1, 0.2), ways=XDCC_WAYS, depth=2)
    save("a.json", (0.1,), positions=[1, 2, 3, 4, 5, 6])
    save("c.json", (0.1,), method="cc")
    save("s.json", (0.1,), chain_length=2)
    assert main(["chain-test", "synthetic-linear", *shlex.split(words), "-o", "chain.json"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"mlsieve: {message}") and told.count("\n") == 1
    assert not (elsewhere / "chain.json").exists()


def test_without_a_test_part_it_says_which_commands_need_another_split(data):
    whole, method = replace(data, train_mask=np.ones_like(data.train_mask)), chain_method("ml-xgb", {})
    tested = chain_testing.ChainTest(method, "ml-xgb", [Variant("ml-xgb")], whole, [])
    for run_it, commands in (
        (tested.run, " here and to 'mlsieve step chain-tune'"),
        (lambda: run_chain(method, whole), ""),
    ):
        with pytest.raises(UserError, match="no test part") as said:
            run_it()
        assert said.value.hint == f"give --test FILE, or --split holdout{commands}"


@pytest.mark.parametrize("wrong", [np.nan, -0.1, 1.1])
def test_scores_that_are_no_probabilities_are_said_to_be_none(data, wrong):
    class Learner:
        def predict_all(self, X):
            shape = (X.shape[0], data.Y_test.shape[1])
            return ChainPrediction(np.zeros(shape, bool), np.full(shape, wrong))

    with pytest.raises(UserError, match="'br' does not predict probabilities: some are missing, below 0"):
        predicted_run(chain_method("br", {}), Learner(), data, 0.0)
