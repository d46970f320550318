"""mlsieve chain: fitted models as files, which other parameters of prediction read without a new fit."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.chains import RDTDynamicChain
from mlsieve.cli import main
from mlsieve.data.dataset import Dataset
from mlsieve.evaluation.predictions import Predictions

pytestmark = pytest.mark.usefixtures("elsewhere")


def made(n=60, name="made", n_features=3, n_labels=4, letter="x"):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((n, n_features - 1)), rng.integers(0, 3, n)])
    X[::9, 0] = np.nan
    return Dataset(
        name=name,
        X=X,
        Y=sp.csr_array((rng.random((n, n_labels)) < 0.4).astype(np.uint8)),
        train_mask=np.arange(n) < 40,
        nominal=np.arange(n_features) == n_features - 1,
        categories=(*((),) * (n_features - 1), ("a", "b", "c")),
        feature_names=tuple(f"{letter}{place}" for place in range(n_features)),
        label_names=tuple(f"y{place}" for place in range(n_labels)),
    )


def run(capsys, *words):
    status = main(["chain", *map(str, words)])
    output = capsys.readouterr()
    return status, output.out, output.err


@pytest.fixture
def model(elsewhere, capsys):
    made().save("made.npz")
    words = ("made.npz", "--method", "rdt-dcc", "--set", "trees=20", "--seed", 3, "--save-model", "trees.npz")
    assert run(capsys, *words, "--predictions", "p.npz", "-o", "scores.csv")[0] == 0
    return made()


def test_a_model_from_its_file_gives_the_bytes_of_the_fit(model, capsys):
    words = ("made.npz", "--model", "trees.npz", "--threads", 2)
    assert run(capsys, *words, "--predictions", "q.npz", "-o", "again.csv")[0] == 0
    for first, second in (("scores.csv", "again.csv"), ("p.npz", "q.npz")):
        with open(first, "rb") as one, open(second, "rb") as other:
            assert one.read() == other.read()


def test_parameters_of_prediction_are_changed_without_a_fit(model, capsys):
    settings = ("order=random", "order_seed=2", "sigma=0.5", "decision=threshold")
    words = ("made.npz", "--model", "trees.npz", "--set", *settings, "--predictions", "q.npz", "-o", "-")
    status, text, told = run(capsys, *words)
    assert status == 0 and "rdt-dcc on made: training 0.000 CPU seconds" in told
    chain = RDTDynamicChain(
        n_estimators=20, nominal=model.nominal, random_state=3, order="random", order_seed=2, sigma=0.5
    ).set_params(decision="threshold")
    expected = chain.fit(model.X_train, model.Y_train).predict_all(model.X_test)
    found = Predictions.load("q.npz")
    np.testing.assert_array_equal(found.predicted(0), expected.labels)
    np.testing.assert_array_equal(found.scores(0), expected.probabilities)
    np.testing.assert_array_equal(found.sequence["cardinality"], expected.sequence.cardinality)
    whole = {"trees": 20, "order": "random", "order_seed": 2, "sigma": 0.5, "decision": "threshold"}
    assert found.facts["parameters"] == whole and found.facts["seed"] == 3
    anew = run(capsys, "made.npz", "--method", "rdt-dcc", "--seed", 3, "--set", "trees=20", *settings)[1]
    assert anew == text and len(list(csv.DictReader(io.StringIO(text)))) > 10


def test_where_a_model_was_written_is_said_and_its_folder_is_made(elsewhere, capsys):
    made().save("made.npz")
    path = Path("new") / "folder" / "trees.npz"
    words = ("made.npz", "--method", "rdt-dcc", "--set", "trees=3", "--save-model", path)
    status, _, told = run(capsys, *words)
    assert status == 0 and path.is_file() and f"{path}: rdt-dcc, fitted to 40 rows of made\n" in told
    Path("new/file").write_text("notes")
    status, _, told = run(capsys, *words[:-1], "new/file/trees.npz")
    assert status == 2 and told.count("\n") == 1 and "new/file' is not a folder; choose another place" in told


@pytest.mark.parametrize(
    "words, problem",
    [
        (("--model", "trees.npz", "--set", "depth=3"), "depth cannot be changed"),
        (("--model", "trees.npz", "--set", "sigma=2"), "sigma = 2 is not accepted"),
        (("--model", "trees.npz", "--set", "given=0:1:2:3"), "cannot be given with order = 'dynamic'"),
        (("--model", "trees.npz", "--seed", "3"), "--seed cannot be combined with --model"),
        (("--model", "trees.npz", "--cv", "3"), "--cv cannot be combined with --model"),
        (("--model", "trees.npz", "--save-model", "b.npz"), "--save-model cannot be combined with --model"),
        (("--model", "trees.npz", "--method", "br"), "not allowed with argument --model"),
        (("--model", "trees.npz", "--split", "holdout"), "fitted to other rows of 'made'"),
        (("--model", "p.npz"), "p.npz: holds 'predictions'"),
        (("--model", "none.npz"), "none.npz"),
        (("--method", "rdt-dcc", "--save-model", "b.txt"), "b.txt"),
        (("--method", "rdt-dcc", "--save-model", "b.npz", "--cv", "3"), "--cv fits a model in each fold"),
    ],
)
def test_what_does_not_go_with_a_model_is_refused_in_one_line(model, capsys, words, problem):
    status, _, told = run(capsys, "made.npz", *words)
    assert status == 2 and told.count("\n") == 1 and problem in told


@pytest.mark.parametrize(
    "change, said",
    [
        (
            {"label_names": ("y0", "y1", "z", "y3")},
            "to other labels than those of dataset 'other', which lacks the label 'y2';",
        ),
        ({"n_labels": 5}, "to other labels than those of dataset 'other', which has one more label, 'y4';"),
        ({"letter": "z"}, "other: lacks 3 features of the model: x0, x1, x2;"),
    ],
)
def test_other_labels_and_lacking_features_are_refused(model, capsys, change, said):
    shape = {name: change[name] for name in ("n_labels", "letter") if name in change}
    fields = {name: values for name, values in change.items() if name not in shape}
    replace(made(name="other", **shape), **fields).save("other.npz")
    status, _, told = run(capsys, "other.npz", "--model", "trees.npz")
    assert status == 2 and told.count("\n") == 1 and said in told


def test_a_model_measures_columns_by_their_names(model, capsys):
    """Columns and categories in another order, further ones, and labels in another order change nothing."""
    data = made(name="other")
    data.save("other.npz")
    columns, labels = [2, 0, 1], [3, 1, 0, 2]
    X = np.column_stack([data.X[:, columns], np.ones(60)])
    X[:, 0] = np.array([2, 0, 1])[data.X[:, 2].astype(int)]
    replace(
        data,
        X=X,
        Y=sp.csr_array(data.Y.toarray()[:, labels]),
        nominal=np.array([True, False, False, False]),
        categories=(("b", "c", "a", "d"), (), (), ()),
        feature_names=("x2", "x0", "x1", "further"),
        label_names=tuple(f"y{label}" for label in labels),
    ).save("shuffled.npz")
    first = run(capsys, "other.npz", "--model", "trees.npz", "-o", "a.csv", "--predictions", "a.csv.npz")
    second = run(capsys, "shuffled.npz", "--model", "trees.npz", "-o", "b.csv", "--predictions", "b.csv.npz")
    assert (
        first[0] == second[0] == 0
        and "1 column left out, which is no feature of the model: further" in second[2]
    )
    assert Path("a.csv").read_text() == Path("b.csv").read_text().replace("shuffled", "other")


def test_a_model_without_names_takes_as_many_labels_in_their_order(elsewhere, capsys):
    data = made()
    model = RDTDynamicChain(n_estimators=5, nominal=[2]).fit(data.X_train, data.Y_train.toarray())
    model.save("plain.npz")
    data.save("made.npz")
    made(n_labels=5).save("more.npz")
    status, _, told = run(capsys, "made.npz", "--model", "plain.npz", "-o", "a.csv")
    assert status == 0 and "does not say from which rows it has learned" in told
    status, _, told = run(capsys, "more.npz", "--model", "plain.npz", "-o", "b.csv")
    assert status == 2 and told.endswith(
        "which has 5 labels, not 4; give data with the labels of the model\n"
    )
