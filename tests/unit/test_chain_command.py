"""mlsieve chain: its table, its file of predictions, its folds, and what it refuses."""

from __future__ import annotations

import csv
import io
import os
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.chains import ClassifierChain, LabelPowerset
from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError
from mlsieve.evaluation.chains import LEADING, chain_method, run_chain
from mlsieve.evaluation.predictions import Predictions
from mlsieve.measures import evaluate_all
from mlsieve.registry.parameters import settings_of
from mlsieve.seeds import derive_seed

pytestmark = pytest.mark.usefixtures("elsewhere")


def made(n=60, n_train=40, Y=None, **facts):
    """Return a dataset with a nominal feature, missing values and a rare label."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(n), rng.integers(0, 3, n), rng.random(n)])
    labels = np.column_stack([X[:, 0] > 0.5, X[:, 1] == 1, (X[:, 0] > 0.3) & (X[:, 1] == 2), X[:, 2] > 0.95])
    X[::9, 2] = np.nan
    return Dataset(
        name="made",
        X=X,
        Y=sp.csr_array((labels if Y is None else Y).astype(np.uint8)),
        train_mask=np.arange(n) < n_train,
        nominal=np.array([False, True, False]),
        categories=((), ("a", "b", "c"), ()),
        feature_names=("u", "v", "w"),
        label_names=("p", "q", "r", "s"),
        **facts,
    )


@pytest.fixture
def data(elsewhere):
    dataset = made()
    dataset.save("made.npz")
    return dataset


def run(capsys, *words) -> tuple[int, str, str]:
    status = main(["chain", *map(str, words)])
    output = capsys.readouterr()
    return status, output.out, output.err


def table(text):
    return {row.pop("measure"): row for row in csv.DictReader(io.StringIO(text))}


def test_the_table_has_the_measures_of_the_estimators_predictions(data, capsys):
    status, text, told = run(capsys, "made.npz", "--method", "cc", "--set", "depth=3", "--seed", 5)
    assert status == 0 and text.startswith("measure,value\n")
    assert list(table(text))[:3] == list(LEADING) and {"hamming-loss", "auprc"} <= table(text).keys()
    chain = ClassifierChain(max_depth=3, nominal=data.nominal, random_state=5).fit(data.X_train, data.Y_train)
    scores, sets = chain.predict_proba(data.X_test), chain.predict(data.X_test)
    for definition, names in (("textbook", LEADING[:1]), ("clus", None)):
        expected = evaluate_all(data.Y_test, scores, y_pred=sets, definition=definition, measures=names)
        assert {name: repr(value) for name, value in expected.items()}.items() <= {
            name: row["value"].replace("NaN", "nan") for name, row in table(text).items()
        }.items()
    line = r"cc on made: training \d+\.\d{3} CPU seconds, prediction \d+\.\d{3} CPU seconds\n"
    assert re.fullmatch(line, told)


def test_threads_and_repetition_do_not_change_a_byte(data, capsys):
    words = ("made.npz", "--method", "br", "--set", "base=random-forest", "trees=5")
    assert run(capsys, *words, "--predictions", "a.npz", "-o", "a.csv")[0] == 0
    assert run(capsys, *words, "--predictions", "b.npz", "-o", "b.csv", "--threads", 3, "--progress")[0] == 0
    for name in ("csv", "npz"):
        with open(f"a.{name}", "rb") as first, open(f"b.{name}", "rb") as second:
            assert first.read() == second.read()


@pytest.mark.parametrize("settings", [("depth=3", "min_leaf=2"), ("depth=3", "--set", "min_leaf=2")])
def test_several_settings_may_follow_one_option(data, capsys, settings):
    _, text, _ = run(capsys, "made.npz", "--method", "br", "--set", *settings)
    assert text == run(capsys, "made.npz", "--set", "min-leaf=2", "depth=3", "--method", "br")[1]


def test_the_file_of_predictions_holds_sets_probabilities_and_sequences(data, capsys):
    other = made(Y=np.random.default_rng(1).random((60, 4)) < 0.5)
    other.save("random.npz")
    words = ("random.npz", "--method", "lp", "--set", "depth=2", "--predictions", "p.npz")
    status, text, _ = run(capsys, *words)
    assert status == 0
    chain = LabelPowerset(max_depth=2, nominal=other.nominal).fit(other.X_train, other.Y_train)
    found = Predictions.load("p.npz")
    np.testing.assert_array_equal(found.scores(0), chain.predict_proba(other.X_test))
    np.testing.assert_array_equal(found.predicted(0), chain.predict(other.X_test))
    assert ((found.scores(0) >= 0.5) != found.predicted(0)).any(), "nothing is shown"
    assert found.sequence is None and found.facts["parameters"] == {"depth": 2}
    assert main(["score", "p.npz"]) == 0
    scored = table(capsys.readouterr().out)
    assert scored and all(table(text)[name] == value for name, value in scored.items())
    run(capsys, "made.npz", "--method", "cc", "--set", "order=rare-first", "--predictions", "c.npz")
    steps = Predictions.load("c.npz").sequence
    rare_first = np.argsort(data.Y_train.sum(axis=0), kind="stable")
    assert steps is not None and (steps["labels"] == rare_first).all() and "cardinality" not in steps
    found = Predictions.load("c.npz")
    np.testing.assert_array_equal(steps["probabilities"], found.scores(0)[:, rare_first])
    np.testing.assert_array_equal(steps["positive"], found.predicted(0)[:, rare_first])


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: parts | {"sets": parts["sets"][:, :-1]},
        lambda parts: parts | {"sets": parts["sets"].astype(np.uint8)},
        lambda parts: parts | {"sequence_labels": parts["sequence_labels"] + 4},
        lambda parts: parts | {"sequence_labels": parts["sequence_labels"].astype(float)},
        lambda parts: parts | {"sequence_positive": parts["sequence_positive"][:-1]},
        lambda parts: {name: values for name, values in parts.items() if name != "sequence_probabilities"},
        lambda parts: parts | {"sequence_labels": parts["sequence_labels"][0]},
        lambda parts: parts | {"sequence_cardinality": np.zeros((1, 1))},
        lambda parts: parts | {"fold": np.zeros(3, np.int32)},
        lambda parts: parts | {"fold": np.zeros(len(parts["sets"][0]))},
    ],
)
def test_a_file_whose_sets_or_sequences_do_not_fit_is_refused(data, capsys, change):
    from mlsieve.files.writing import read_arrays, write_arrays

    run(capsys, "made.npz", "--method", "cc", "--predictions", "p.npz")
    arrays, meta = read_arrays("p.npz", "predictions")
    header = {name: meta[name] for name in ("task", "n_labels", "denominator", "relevant", "facts")}
    write_arrays("p.npz", "predictions", change(dict(arrays)), header)
    with pytest.raises(UserError, match="predict again"):
        Predictions.load("p.npz")


def remarks(told: str) -> list[str]:
    """Return the lines that are no notes on the data, and no names of files."""
    of_all = ("mlsieve: note: ", "mlsieve: wrote ")
    return [line for line in told.splitlines() if not line.startswith(of_all)]


def fold_masks(n: int, folds: int, seed: int):
    """Yield the training part of each random fold."""
    order = np.random.Generator(np.random.Philox(seed)).permutation(n)
    for fold in range(folds):
        yield ~np.isin(np.arange(n), order[fold::folds])


def test_cross_validation_predicts_each_row_once(data, capsys):
    words = ("made.npz", "--method", "cc", "--set", "depth=2", "--measures", "subset-accuracy,macro-recall")
    status, text, told = run(capsys, *words, "--cv", 3, "--repeats", 2, "--seed", 1, "--split-seed", 4)
    assert status == 0 and "CPU seconds" in told
    values = []
    for repeat in range(2):
        masks = list(fold_masks(60, 3, derive_seed(4, "made", "folds", 3, repeat)))
        assert (np.sum([~mask for mask in masks], axis=0) == 1).all()
        for fold, mask in enumerate(masks):
            part, seed = data.with_split(mask), derive_seed(1, "repeat", repeat, "fold", fold)
            chain = ClassifierChain(max_depth=2, nominal=data.nominal, random_state=seed)
            sets = chain.fit(part.X_train, part.Y_train).predict(part.X_test)
            values.append((sets == part.Y_test.toarray()).all(axis=1).mean())
    row = table(text)["subset-accuracy"]
    assert float(row["mean"]) == pytest.approx(np.mean(values), abs=1e-15) and row["folds"] == "6"
    assert float(row["standard_deviation"]) == pytest.approx(np.std(values, ddof=1), abs=1e-15)
    assert text == run(capsys, *words, "--cv", 3, "--repeats", 2, "--seed", 1, "--split-seed", 4)[1]


def test_folds_without_a_value_are_not_averaged(elsewhere, capsys):
    Y = np.zeros((12, 4))
    Y[:3] = 1
    made(12, 8, Y).save("few.npz")
    _, text, _ = run(capsys, "few.npz", "--method", "br", "--cv", 12, "--measures", "micro-recall,f1")
    assert {name: row["folds"] for name, row in table(text).items()} == {"micro-recall": "3", "f1": "12"}
    assert {row["labels_left_out"] for row in table(text).values()} == {"0"}, "neither is a mean over labels"
    made(12, 8, Y * 0).save("none.npz")
    _, text, _ = run(capsys, "none.npz", "--method", "lp", "--cv", 2, "--measures", "micro-recall,f1")
    assert text.splitlines()[1:] == ["micro-recall,NaN,NaN,0,0,random", "f1,1.0,0.0,2,0,random"]


@pytest.mark.parametrize("settings", [("cc", "order=rare-first"), ("rdt-dcc", "trees=5"), ("br", "depth=2")])
def test_predictions_of_folds_are_those_of_all_rows_in_their_order(data, capsys, settings):
    words = ("made.npz", "--method", settings[0], "--set", settings[1], "--cv", 4, "--seed", 2)
    words += ("--folds", "random")
    status, text, told = run(capsys, *words, "--split-seed", 1, "--predictions", "p.npz")
    assert status == 0 and len(remarks(told)) == 1
    assert text == run(capsys, *words, "--split-seed", 1)[1], "the table does not depend on the file"
    found = Predictions.load("p.npz")
    np.testing.assert_array_equal(found.truth.toarray(), data.Y.toarray())
    folds = fold_masks(60, 4, derive_seed(1, "made", "folds", 4, 0))
    assert found.fold is not None
    for fold, mask in enumerate(folds):
        np.testing.assert_array_equal(np.flatnonzero(found.fold == fold), np.flatnonzero(~mask))
        method = chain_method(settings[0], settings_of([settings[1]]))
        ran = run_chain(method, data.with_split(mask), seed=derive_seed(2, "repeat", 0, "fold", fold))
        np.testing.assert_array_equal(found.scores(0)[~mask], ran.prediction.probabilities)
        np.testing.assert_array_equal(found.predicted(0)[~mask], ran.prediction.labels)
        steps = ran.prediction.sequence
        assert (steps is None) == (found.sequence is None) == (settings[0] == "br")
        for name, values in (found.sequence or {}).items():
            np.testing.assert_array_equal(values[~mask], getattr(steps, name))
    assert (
        found.facts["division"] == "random"
        and found.facts["folds"] == 4
        and found.facts["split_seed"] == 1
        and found.facts["seed"] == 2
    )
    assert main(["score", "p.npz", "--measures", "hamming-loss"]) == 0
    pooled = float(table(capsys.readouterr().out)["hamming-loss"]["value"])
    assert pooled == pytest.approx(float(table(text)["hamming-loss"]["mean"]), abs=1e-12), "folds of 15 rows"


def test_of_several_divisions_the_first_is_kept(data, capsys):
    words = ("made.npz", "--method", "cc", "--set", "depth=2", "--cv", 3, "--folds", "random")
    run(capsys, *words, "--predictions", "one.npz")
    told = run(capsys, *words, "--repeats", 2, "--predictions", "two.npz")[2]
    assert remarks(told)[0] == "two.npz: predictions of the first of 2 divisions into folds"
    with open("one.npz", "rb") as first, open("two.npz", "rb") as second:
        assert first.read() == second.read()


@pytest.mark.parametrize("ending", ["csv", "arff", "parquet"])
def test_a_table_of_folds_has_the_fold_of_each_row(data, capsys, ending):
    words = ("made.npz", "--method", "cc", "--set", "depth=2", "--cv", 3)
    for path in ("p.npz", f"p.{ending}"):
        assert run(capsys, *words, "--predictions", path)[0] == 0
    read = load_dataset(f"p.{ending}", **({} if ending == "arff" else {"labels": data.label_names}))
    names = [*(f"probability of {label}" for label in "pqrs"), *(f"step {step}" for step in (1, 2, 3, 4))]
    assert list(read.feature_names) == ["fold", *names]
    expected = Predictions.load("p.npz")
    np.testing.assert_array_equal(read.X[:, 0], expected.fold)
    np.testing.assert_array_equal(read.X[:, 1:5], expected.scores(0))


@pytest.mark.parametrize(
    ("names", "method", "cv", "said"),
    [
        (("p", "step 4", "r", "s"), "cc", (), "'step 4' has the name of another column"),
        (("p", "step 4", "r", "s"), "br", (), ""),
        (("p", "probability of p", "r", "s"), "br", (), "'probability of p' has the name of another column"),
        (("p", "q", "r", "fold"), "br", ("--cv", 2), "'fold' has the name of another column"),
        (("p", "q", "r", "fold"), "br", (), ""),
        (("p", "NA", "r", "s"), "cc", (), "category 'NA' of 'step 4'"),
    ],
)
def test_labels_that_a_table_of_predictions_cannot_hold_are_refused_before_the_fit(
    elsewhere, capsys, names, method, cv, said
):
    replace(made(), label_names=names).save("named.npz")
    words = ("named.npz", "--method", method, *(cv or ("--save-model", "m.npz")), "--predictions")
    status, _, told = run(capsys, *words, "p.csv")
    assert status == (2 if said else 0) and said in told and os.path.exists("m.npz") == (not said), told
    assert run(capsys, *words, "p.npz")[0] == 0
    if not cv:
        status, _, told = run(capsys, "named.npz", "--model", "m.npz", "--predictions", "q.csv")
        assert status == (2 if said else 0) and said in told, told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("made.npz", "--predictions", "made.npz"),
            "made.npz: is given for both DATA and --predictions; choose",
        ),
        (
            ("made.npz", "-o", "./made.npz"),
            "./made.npz: is given for both DATA and --output; choose another",
        ),
        (("made.npz", "--save-model", "made.npz"), "made.npz: is given for both DATA and --save-model;"),
        (
            ("rows.csv", "--test", "more.csv", "-o", "more.csv"),
            "more.csv: is given for both --test and --output",
        ),
        (
            ("made.npz", "--predictions", "n.npz", "-o", "n.npz"),
            "n.npz: is given for both --predictions and",
        ),
        (("made.npz", "-o", "linked.csv"), "linked.csv: is given for both DATA and --output;"),
        (("made.npz", "--predictions", "folder.npz"), "folder.npz: is a folder; give the path of a file"),
        (("made.npz", "-o", "rows.csv/new/x.csv"), "rows.csv/new/x.csv: cannot be written: '"),
    ],
)
def test_no_file_that_is_read_is_written_over(data, capsys, words, message):
    for name in ("rows.csv", "more.csv"):
        with open(name, "w", encoding="utf-8") as file:
            file.write("a,b,y,z\n" + "".join(f"{i},{i % 7},{int(i > 5)},{i % 2}\n" for i in range(12)))
    os.symlink("made.npz", "linked.csv")
    os.mkdir("folder.npz")
    before = {name: os.stat(name).st_mtime_ns for name in sorted(os.listdir())}
    status, text, told = run(capsys, *words, "--method", "rdt-dcc", "--label-count", -2)
    assert status == 2 and not text and told.startswith(f"mlsieve: {message}") and told.count("\n") == 1
    assert before == {name: os.stat(name).st_mtime_ns for name in sorted(os.listdir())}


def test_a_model_is_not_written_over(data, capsys):
    assert run(capsys, "made.npz", "--method", "rdt-dcc", "--set", "trees=3", "--save-model", "m.npz")[0] == 0
    status, _, told = run(capsys, "made.npz", "--model", "m.npz", "--predictions", "m.npz")
    assert status == 2 and told.startswith("mlsieve: m.npz: is given for both --model and --predictions;")


def test_without_a_test_part_the_split_is_a_seeded_one(elsewhere, capsys):
    rows = "".join(f"{i},{i % 7},{int(i > 20)},{i % 2}\n" for i in range(30))
    with open("whole.csv", "w", encoding="utf-8") as file:
        file.write("a,b,y,z\n" + rows)
    words = ("whole.csv", "--label-count", -2, "--method", "br", "--predictions", "p.npz")
    assert run(capsys, *words)[0] == 0
    assert Predictions.load("p.npz").values.shape == (1, 10, 2)
    assert run(capsys, *words, "--train-share", 0.5)[0] == 0
    assert Predictions.load("p.npz").values.shape == (1, 15, 2)


@pytest.mark.parametrize("method", ["br", "cc", "lp"])
@pytest.mark.parametrize("value", [0, 1])
def test_constant_labels_are_predicted(method, value, elsewhere, capsys):
    made(Y=np.full((60, 4), value)).save("constant.npz")
    status, text, _ = run(capsys, "constant.npz", "--method", method)
    assert status == 0 and {table(text)[name]["value"] for name in LEADING} == {"1.0"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("made.npz",), "one of the arguments --method --model is required; see 'mlsieve chain --help'"),
        (("made.npz", "--method", "ccc"), "unknown chain 'ccc'; did you mean 'cc'?"),
        (
            ("made.npz", "--method", "cc", "--set", "dept=3"),
            "chain 'cc' has no parameter 'dept'; did you mean",
        ),
        (
            ("made.npz", "--method", "cc", "--set", "max_depth=3"),
            "chain 'cc' has no parameter 'max_depth'; did",
        ),
        (
            ("made.npz", "--method", "br", "--set", "order=given"),
            "chain 'br' has no parameter 'order'; known:",
        ),
        (("made.npz", "--method", "cc", "--set", "depth=x"), "chain 'cc': depth = 'x' is not accepted; give"),
        (
            ("made.npz", "--method", "cc", "--set", "depth=2.0"),
            "chain 'cc': depth = 2.0 is not accepted; give",
        ),
        (
            ("made.npz", "--method", "cc", "--set", "base=tree"),
            "chain 'cc': base = 'tree' is not accepted; give",
        ),
        (("made.npz", "--method", "cc", "--set", "depth"), "--set depth: not of the form name=value; write"),
        (
            ("made.npz", "--method", "cc", "--set", "given=0:1"),
            "an order of labels cannot be given with order = 'random';",
        ),
        (
            ("made.npz", "--method", "cc", "--set", "order=given", "given=0,1"),
            "given: 2 labels of 4, not each label once; give each label's index once",
        ),
        (("made.npz", "--method", "cc", "--cv", "1"), "--cv must be at least 2, got 1; write e.g. --cv 5"),
        (
            ("made.npz", "--method", "cc", "--cv", "61"),
            "61 folds do not fit dataset 'made' of 60 rows; give a",
        ),
        (
            ("made.npz", "--method", "cc", "--repeats", "2"),
            "--repeats without --cv: there are no folds; give",
        ),
        (
            ("made.npz", "--method", "cc", "--cv", "2", "--repeats", "0"),
            "--repeats must be at least 1, got 0;",
        ),
        (
            ("made.npz", "--method", "xdcc", "--set", "definition=xdcc", "selection=unset"),
            "selection = 'unset' cannot be combined with definition = 'xdcc', which chooses among",
        ),
        (
            ("made.npz", "--method", "xdcc", "--set", "definition=xdcc", "--set", "gamma=3"),
            "gamma = 3 cannot be combined with definition = 'xdcc', which has no gamma; leave one of them",
        ),
        (
            ("made.npz", "--method", "ml-xgb", "--set", "definition=xdcc", "min_child_weight_of=counted"),
            "min_child_weight_of = 'counted' cannot be combined with definition = 'xdcc', which takes",
        ),
        (
            ("made.npz", "--method", "xdcc", "--set", "definition=xdcc", "hide_in_leaves=false"),
            "hide_in_leaves = False cannot be combined with definition = 'xdcc', which hides",
        ),
        (
            ("made.npz", "--method", "cc", "--predictions", ""),
            "--predictions '': a file name is missing; give",
        ),
        (
            ("made.npz", "--method", "ml-xgb", "--set", "eta=1e308"),
            "method 'ml-xgb' does not predict probabilities: some are missing, below 0 or above 1; give less",
        ),
        (
            ("large.npz", "--method", "br"),
            "method 'br' cannot take dataset 'made': its feature 'w' holds 1e+300, and this base reads"
            " numbers up to 3.4e+38; scale the feature, or choose the base ml-xgb",
        ),
        (
            ("made.npz", "--method", "cc", "--cv", "2", "--train-share", "0.5"),
            "--train-share cannot be combined with --cv, which divides all rows; leave it out",
        ),
        (
            ("made.npz", "--method", "cc", "--cv", "2", "--repeat", "1"),
            "--repeat cannot be combined with --cv,",
        ),
        (
            ("made.npz", "--method", "cc", "--cv", "2", "--split", "holdout"),
            "--split cannot be combined with --cv",
        ),
        (
            ("made.npz", "--method", "cc", "--predictions", "p.txt"),
            "p.txt: the name ends in '.txt', and --predictions writes .npz, .csv, .arff or .parquet;",
        ),
        (("made.npz", "--method", "cc", "--threads", "0"), "--threads must be at least 1, got 0; write"),
        (("made.npz", "--method", "cc", "--seed", "-1"), "seed -1 is out of range; give a whole number"),
        (
            ("made.npz", "--method", "cc", "--seed", "-1", "--cv", "2"),
            "seed -1 is out of range; give a whole",
        ),
        (("made.npz", "--method", "cc", "--measures", "f2"), "unknown measure 'f2'; "),
        (("none.npz", "--method", "cc"), "none.npz: no such file; "),
        (
            ("made.npz", "--method", "cc", "--measures", "hierarchical-f1"),
            "measure 'hierarchical-f1' needs a hierarchy of classes, and the labels are flat; leave it out",
        ),
        (
            ("one.npz", "--method", "cc"),
            "dataset 'made' has 1 row, too few for a training and a test part; give",
        ),
        (
            ("one.npz", "--method", "cc", "--cv", "2"),
            "2 folds do not fit dataset 'made' of 1 row; give more rows",
        ),
        (
            ("two.npz", "--method", "xdcc", "--set", "n_iter_no_change=3"),
            "n_iter_no_change = 3 holds out rows for validation, and 1 row to learn from is too few"
            " for that; give more"
            " rows, or leave n_iter_no_change out\n",
        ),
        (
            ("three.npz", "--method", "ml-xgb", "--set", "n_iter_no_change=3", "validation_fraction=0.9"),
            "n_iter_no_change = 3 holds out rows for validation, and 2 rows to learn from are too"
            " few for that; give more"
            " rows, or leave n_iter_no_change out, or give a smaller validation_fraction\n",
        ),
        (
            ("digits-hmlc", "--method", "cc"),
            "method 'cc' does not support dataset 'digits-hmlc', whose classes have a hierarchy: it could",
        ),
        (
            ("infinite.npz", "--method", "cc"),
            "infinite.npz: is not a complete dataset (its values are not finite numbers); prepare it again",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_with_a_hint(data, capsys, words, message):
    for name, n in (("one", 1), ("two", 2), ("three", 3)):
        made(n, max(1, n - 1)).save(f"{name}.npz")
    infinite = made()
    infinite.X[3, 0] = np.inf
    infinite.save("infinite.npz")
    infinite.X[3, 0], infinite.X[3, 2] = 0, 1e300
    infinite.save("large.npz")
    status, text, told = run(capsys, *words)
    assert status == 2 and not text and told.startswith(f"mlsieve: {message}") and told.count("\n") == 1


@pytest.mark.parametrize(
    ("free", "message"),
    [(2**34, "1,000,000,000 trees would take some "), (None, "the trees together are too large;")],
)
def test_more_trees_than_can_be_held_are_refused_at_once(free, message, data, monkeypatch, capsys):
    monkeypatch.setattr("mlsieve.costs.measured.available_memory", lambda: free)
    status, text, told = run(capsys, "made.npz", "--method", "rdt-dcc", "--set", "trees=1000000000")
    assert status == 2 and not text and told.startswith(f"mlsieve: {message}") and told.count("\n") == 1


def test_settings_are_checked_before_the_data_are_read(elsewhere, capsys):
    assert run(capsys, "none.npz", "--method", "cc", "--set", "depth=0")[2].startswith(
        "mlsieve: chain 'cc': depth"
    )


@pytest.mark.usefixtures("plugins_unloaded")
def test_a_method_of_a_plugin_needs_no_more_than_three_methods(data, capsys):
    with open("plugin.py", "w", encoding="utf-8") as file:
        file.write(PLUGIN)
    status, text, _ = run(capsys, "made.npz", "--plugin", "plugin.py", "--method", "prior", "--set", "s=2")
    assert status == 0 and table(text)["one-error"]["value"]
    status, _, told = run(
        capsys, "made.npz", "--plugin", "plugin.py", "--method", "prior", "--set", "wrong=true"
    )
    assert status == 2 and "does not predict probabilities: some are missing, below 0 or above 1" in told
    with pytest.raises(UserError, match="seed -1"):
        run_chain(chain_method("prior", {}), data, seed=-1)


@pytest.mark.usefixtures("plugins_unloaded")
def test_a_plugins_predictions_of_the_wrong_shape_are_one_line(data, capsys):
    with open("plugin.py", "w", encoding="utf-8") as file:
        file.write(PLUGIN.replace("np.tile(self.shares,", "np.tile(self.shares[:1],"))
    status, _, told = run(capsys, "made.npz", "--plugin", "plugin.py", "--method", "prior")
    assert status == 2 and told.startswith(
        "mlsieve: method 'prior' does not predict a probability for each of"
    )


@pytest.mark.usefixtures("plugins_unloaded")
def test_a_plugin_may_take_labels_with_a_hierarchy(elsewhere, capsys):
    with open("plugin.py", "w", encoding="utf-8") as file:
        file.write(PLUGIN.replace('"prior", version=1', '"class-prior", version=1, tasks=("hmlc",)'))
    words = ("--plugin", "plugin.py", "--method", "class-prior", "--predictions", "p.npz")
    status, text, _ = run(capsys, "digits-hmlc", *words)
    assert status == 0 and {*LEADING, "hierarchical-f1"} <= table(text).keys()
    assert Predictions.load("p.npz").hierarchy is not None
    status, _, told = run(capsys, "digits-mlc", *words)
    assert (
        status == 2 and told == "mlsieve: method 'class-prior' does not support mlc data; it supports hmlc\n"
    )


@pytest.mark.usefixtures("plugins_unloaded")
def test_chains_of_folds_may_differ_in_length(elsewhere, capsys):
    made(61).save("odd.npz")
    with open("plugin.py", "w", encoding="utf-8") as file:
        file.write(PLUGIN.replace('"prior"', '"steps"') + SEQUENCE)
    words = ("odd.npz", "--plugin", "plugin.py", "--method", "steps", "--cv", 4, "--predictions", "p.npz")
    assert run(capsys, *words)[0] == 0
    found = Predictions.load("p.npz")
    assert found.sequence is not None and found.fold is not None
    assert set(found.sequence) == {"labels", "probabilities", "positive"}
    short = found.fold != 0  # 46 training rows
    assert short.sum() == 45 and (found.sequence["labels"][:, 0] == 0).all()
    np.testing.assert_array_equal(found.sequence["labels"][:, 1], np.where(short, -1, 1))
    np.testing.assert_array_equal(np.isnan(found.sequence["probabilities"][:, 1]), short)
    assert not found.sequence["positive"][short, 1].any()


PLUGIN = '''
import numpy as np
from mlsieve.registry import register


@register.chain("prior", version=1, short={"s": "smoothing"})
class Prior:
    """The share of each label.

    Parameters
    ----------
    smoothing : int
    wrong : bool
    """

    def __init__(self, *, smoothing: int = 1, wrong: bool = False):
        self.smoothing, self.wrong = smoothing, wrong

    def fit(self, X, Y):
        self.rows = Y.shape[0]
        self.shares = (Y.sum(axis=0) + self.smoothing) / (Y.shape[0] + 2 * self.smoothing)
        return self

    def predict_proba(self, X):
        return np.tile(self.shares, (X.shape[0], 1)) + 2 * self.wrong

    def predict(self, X):
        return (self.predict_proba(X) >= 0.5).astype(int)
'''

SEQUENCE = """
    def predict_sequence(self, X):
        from mlsieve.chains import LabelSequence

        labels = np.tile(np.arange(1 + self.rows % 2, dtype=np.int32), (X.shape[0], 1))
        return LabelSequence(labels, labels / 2, labels > 0)
"""
