"""Models as files, and their predictions for rows without labels: those of the same rows with labels."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from mlsieve.chains import BinaryRelevance, ClassifierChain, LabelPowerset, MultiLabelXGB
from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.errors import UserError
from mlsieve.evaluation.predictions import Predictions
from mlsieve.evaluators import MLNB, WeightedKNN
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.registry import entries, lookup

pytestmark = pytest.mark.usefixtures("elsewhere")

LABELS = ["sea", "beach", "sun"]
N_TRAIN, N = 60, 84


def settings_of(values):
    return [f"{name}={'none' if value is None else value}" for name, value in values.items()]


def with_short_names(entry):
    short = {long: name for name, long in entry.facts.short.items()}
    return {short.get(name, name): value for name, value in (entry.facts.smoke or {}).items()}


def bases():
    """Return each method once, and a baseline once for each of its bases."""
    for id, entry in entries("chain").items():
        values = with_short_names(entry)
        yield pytest.param(id, settings_of(values), id=id)
        for base in ("random-forest", "xgboost", "ml-xgb") if "base" in entry.parameters() else ():
            words = settings_of({**values, "base": base, "trees": 3})
            yield pytest.param(id, words, id=f"{id}-{base}")


def frame():
    rng = np.random.default_rng(3)
    found = pd.DataFrame({"a": rng.normal(size=N).round(3), "b": rng.normal(size=N).round(3)})
    found["kind"] = rng.choice(["p", "q", "r"], N)
    found["c"] = rng.integers(0, 9, N).astype(float)
    found.loc[::9, "a"] = np.nan
    for place, label in enumerate(LABELS):
        found[label] = (rng.random(N) < 0.3 + 0.3 * (found["kind"] == "pqr"[place])).astype(int)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of a training and a test part, and of rows of the latter without labels, in another order."""
    place, whole = tmp_path_factory.mktemp("rows"), frame()
    whole[:N_TRAIN].to_csv(place / "train.csv", index=False)
    whole[N_TRAIN:].to_csv(place / "test.csv", index=False)
    new = whole[N_TRAIN:][["c", "kind", "b", "a"]].assign(id=range(N - N_TRAIN))
    new.to_csv(place / "new.csv", index=False)
    new.to_parquet(place / "new.parquet", index=False)
    return place


DATA = ("train.csv", "--test", "test.csv", "--labels", ",".join(LABELS))


@pytest.fixture
def files(folder, elsewhere):
    for path in folder.iterdir():
        (Path.cwd() / path.name).write_bytes(path.read_bytes())


OTHER = """
import contextlib, io, json, os, sys
from mlsieve.cli import main
for line in sys.stdin:
    folder, words = json.loads(line)
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        status = main(words)
    print(json.dumps([status, said.getvalue()]), flush=True)
"""


@pytest.fixture(scope="module")
def other_process():
    """Return a function that runs a command in another process, and returns its standard error."""
    with subprocess.Popen(
        [sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def succeed(*words):
            process.stdin.write(json.dumps([os.getcwd(), [*map(str, words)]]) + "\n")
            process.stdin.flush()
            status, told = json.loads(process.stdout.readline())
            assert status == 0, told
            return told

        yield succeed
        process.stdin.close()


def refused(capsys, *words):
    capsys.readouterr()
    status = main([*map(str, words)])
    told = capsys.readouterr().err
    assert status == 2 and told.count("\n") == 1 and "; " in told, told
    return told


def require_same(first, second):
    """Compare all that two files of predictions say of the same rows."""
    one, other = Predictions.load(first), Predictions.load(second)
    np.testing.assert_array_equal(one.predicted(0), other.predicted(0))
    np.testing.assert_array_equal(one.scores(0), other.scores(0))
    assert (one.sequence is None) == (other.sequence is None)
    for name, values in (one.sequence or {}).items():
        np.testing.assert_array_equal(values, other.sequence[name])


@pytest.mark.parametrize("id, settings", [*bases()])
def test_rows_without_labels_are_predicted_as_those_with_labels(files, other_process, id, settings):
    if "base=xgboost" in settings:
        pytest.importorskip("xgboost", reason="the extra 'baselines' is not installed")
    words = ("--method", id, *(["--set", *settings] if settings else []), "--seed", 5)
    status = main(
        [
            "chain",
            *DATA,
            *map(str, words),
            *("--save-model", "m.npz", "--predictions", "p.npz", "-o", "s.csv"),
        ]
    )
    assert status == 0
    told = other_process("chain", "new.csv", "--model", "m.npz", "--predictions", "q.npz")
    assert "1 column left out, which is no feature of the model: id" in told
    require_same("p.npz", "q.npz")
    assert main(["predict", "new.parquet", "--model", "m.npz", "--predictions", "r.npz"]) == 0
    require_same("p.npz", "r.npz")
    # The rows with labels, measured, are those of the fit.
    assert main(["chain", *DATA, "--model", "m.npz", "-o", "again.csv"]) == 0
    assert Path("again.csv").read_text() == Path("s.csv").read_text()


@pytest.mark.parametrize("evaluator", sorted(entries("evaluator")))
@pytest.mark.parametrize(
    "how", [("--method", "scls:k=2"), ("--method", "relief"), ("--ranking", "ranking.csv")], ids=str
)
def test_an_evaluator_on_selected_features_is_kept(files, other_process, evaluator, how):
    method = how[1] if how[0] == "--method" else "pct:trees=5"
    id, _, words = method.partition(":")
    settings = [word for word in words.split(",") if word and not word.startswith("trees")]
    more = [*(["--set", *settings] if settings else []), *(["--trees", "5"] if id == "pct" else [])]
    assert main(["rank", *DATA, "--method", id, *more, "-o", "ranking.csv"]) == 0
    assert main(["predict", *DATA, "--ranking", "ranking.csv", "--evaluator", evaluator, "-o", "p.npz"]) == 0
    words = [*how, "--evaluator", evaluator, "--save-model", "m.npz", "-o", "s.csv"]
    assert main(["evaluate", *DATA, *words]) == 0
    other_process("predict", "new.csv", "--model", "m.npz", "--predictions", "q.npz")
    require_same("p.npz", "q.npz")
    assert main(["score", "p.npz", "-o", "t.csv"]) == 0
    assert Path("s.csv").read_text() == Path("t.csv").read_text()


def test_features_that_are_not_selected_need_not_be_there(files, capsys):
    words = ("--method", "scls:k=2", "--evaluator", "mlnb", "--save-model", "m.npz")
    assert main(["evaluate", "train.csv", "--labels", "s*,beach", *words]) == 0  # without a test part
    known = MLNB.load("m.npz").feature_names_in_
    assert len(known) == 2 and "m.npz: mlnb, fitted to train with 2 features" in capsys.readouterr().err
    pd.read_csv("new.csv")[list(known)].to_csv("few.csv", index=False)
    assert main(["predict", "few.csv", "--model", "m.npz", "--predictions", "p.csv"]) == 0
    told = refused(capsys, "predict", "few.csv", "--model", "none.npz", "--predictions", "p.csv")
    assert "none.npz" in told


@pytest.mark.parametrize("evaluator", ["weighted-knn", "mlnb"])
def test_evaluators_of_classes_with_a_hierarchy_are_kept(elsewhere, evaluator):
    data = ("digits-hmlc", "--split", "holdout")
    assert main(["rank", *data, "--method", "relief", "--set", "m=20", "-o", "r.csv"]) == 0
    words = ("--ranking", "r.csv", "--evaluator", evaluator)
    assert main(["evaluate", *data, *words, "--save-model", "m.npz", "-o", "s.csv"]) == 0
    assert main(["predict", *data, *words, "-o", "p.npz"]) == 0
    assert main(["prepare", "digits-hmlc", "-o", "d.npz"]) == 0
    assert main(["predict", "d.npz", "--model", "m.npz", "--predictions", "q.npz"]) == 0
    found, expected = Predictions.load("q.npz"), Predictions.load("p.npz")
    assert found.hierarchy == expected.hierarchy
    dataset = load_dataset("digits-hmlc")
    assert len(found.scores(0)) == dataset.X.shape[0]
    rows = {row.tobytes(): scores for row, scores in zip(dataset.X, found.scores(0), strict=True)}
    from mlsieve.data.splits import split_dataset

    for row, scores in zip(split_dataset(dataset, "holdout").X_test, expected.scores(0), strict=True):
        np.testing.assert_array_equal(rows[row.tobytes()], scores)


@pytest.fixture
def model(files, capsys):
    """Return the names of a file of a model, made once."""
    words = ("--method", "cc", "--set", "base=random-forest", "trees=3", "order=rare-first")
    assert main(["chain", *DATA, *words, "--save-model", "m.npz", "--predictions", "p.npz", "-o", "s"]) == 0
    capsys.readouterr()
    return "m.npz"


@pytest.mark.parametrize("ending", ["csv", "arff", "parquet"])
def test_predictions_are_written_as_tables(model, ending, capsys):
    path = f"predicted.{ending}"
    assert main(["chain", "new.csv", "--model", model, "--predictions", path]) == 0
    assert f"{path}: {N - N_TRAIN} rows of new, predicted by cc" in capsys.readouterr().err
    read = load_dataset(path, **({} if ending == "arff" else {"labels": LABELS}))
    expected = Predictions.load("p.npz")
    assert list(read.label_names) == LABELS
    steps = [f"step {number}" for number in (1, 2, 3)]
    assert list(read.feature_names) == [*(f"probability of {label}" for label in LABELS), *steps]
    np.testing.assert_array_equal(read.Y.toarray() == 1, expected.predicted(0))
    np.testing.assert_array_equal(read.X[:, :3], expected.scores(0))
    words = [[read.categories[3 + k][int(place)] for k, place in enumerate(row)] for row in read.X[:, 3:]]
    assert words == [[LABELS[label] for label in row] for row in expected.sequence["labels"]]


@pytest.mark.parametrize("ending", ["csv", "arff", "parquet", "tsv", "xlsx", "npz"])
def test_rows_come_in_any_format(model, ending):
    whole = ("convert", "test.csv", f"x.{ending}", "--labels", ",".join(LABELS))
    assert main([*whole]) == 0
    assert main(["chain", f"x.{ending}", "--model", model, "--predictions", "q.npz"]) == 0
    require_same("p.npz", "q.npz")


def test_categories_are_known_by_their_words(model, capsys):
    """In ARFF they may be declared in another order, and sparse rows leave the first one out."""
    new = pd.read_csv("new.csv")
    head = "@relation r\n@attribute kind {r,q,p,z}\n" + "".join(f"@attribute {x} numeric\n" for x in "abc")
    cells = [["?" if pd.isna(row[x]) else str(row[x]) for x in ("kind", *"abc")] for _, row in new.iterrows()]
    Path("dense.arff").write_text(head + "@data\n" + "".join(",".join(row) + "\n" for row in cells))
    sparse = (
        ",".join(f"{place} {cell}" for place, cell in enumerate(row) if cell not in ("r", "0.0"))
        for row in cells
    )
    Path("sparse.arff").write_text(head + "@data\n" + "".join(f"{{{row}}}\n" for row in sparse))
    for path in ("dense.arff", "sparse.arff"):
        assert main(["chain", path, "--model", model, "--predictions", "q.npz"]) == 0
        require_same("p.npz", "q.npz")
    assert "unknown category" not in capsys.readouterr().err


def test_an_unknown_category_is_announced_once_and_is_missing(model, capsys):
    new = pd.read_csv("new.csv")
    new.loc[[0, 3, 5], "kind"] = ["z", "y", "z"]
    new.to_csv("unknown.csv", index=False)
    assert main(["chain", "unknown.csv", "--model", model, "--predictions", "q.npz"]) == 0
    told = capsys.readouterr().err
    assert told.count("unknown category") == 1 and "unknown.csv: column 'kind' holds" in told
    new.loc[[0, 3, 5], "kind"] = None
    new.to_csv("missing.csv", index=False)
    assert main(["chain", "missing.csv", "--model", model, "--predictions", "r.npz"]) == 0
    require_same("q.npz", "r.npz")


def test_rows_that_do_not_fit_are_refused_in_one_line(model, capsys):
    new = pd.read_csv("new.csv")
    for name, other in {
        "missing": new.drop(columns=["a", "kind"]),
        "words": new.assign(b="x"),
        "none": new[:0],
        "infinite": new.assign(b=np.inf),
        "mixed": new.assign(b=[*new["b"][1:], "x"]),
        "dates": new.assign(b="01/02/03"),
    }.items():
        other.to_csv(f"{name}.csv", index=False)
        told = refused(capsys, "chain", f"{name}.csv", "--model", model, "--predictions", "q.csv")
        assert f"{name}.csv" in told and "--drop" not in told and "--nominal" not in told
        if name == "missing":
            assert "lacks 2 features of the model: a, kind" in told
    new.assign(b=1e300).to_csv("large.csv", index=False)
    told = refused(capsys, "chain", "large.csv", "--model", model, "--predictions", "q.csv")
    assert "its feature 'b' holds 1e+300" in told and "give smaller numbers" in told
    assert not Path("q.csv").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("chain", "new.csv", "--model", "m.npz", "--predictions", "q.txt"),
        ("chain", "new.csv", "--model", "m.npz", "--predictions", "q.npz", "--test", "test.csv"),
        ("chain", "new.csv", "--model", "m.npz", "--predictions", "q.npz", "--split", "holdout"),
        *(
            (command, "new.csv", "--model", "m.npz", "--predictions", "q.npz", *words)
            for command in ("chain", "predict")
            for words in (
                *(
                    ("--drop", "c"),
                    ("--keep", "a"),
                    ("--nominal", "c"),
                    ("--labels", "c"),
                    ("--folds", "random"),
                ),
                *(("--hierarchy", "new.csv", "--flatten"), ("--repeat", "1"), ("--y", "c")),
            )
        ),
        ("predict", "new.csv", "--model", "m.npz", "--predictions", "q.npz", "--evaluator", "weighted-knn"),
        ("chain", "new.csv", "--model", "m.npz", "--predictions", "q.npz", "--set", "depth=3"),
        ("chain", "new.csv", "--model", "m.npz", "--predictions", "q.npz", "-o", "scores.csv"),  # no labels
        ("predict", "new.csv", "--model", "m.npz"),
        ("predict", "new.csv"),
        ("predict", "new.csv", "--model", "m.npz", "--predictions", "q.npz", "--set", "k=3"),
        ("predict", "new.csv", "--model", "m.npz", "-o", "q.npz", "--predictions", "r.npz"),
        ("predict", "new.csv", "--ranking", "r.csv", "--model", "m.npz", "--predictions", "r.npz"),
        ("predict", "new.csv", "--model", "p.npz", "--predictions", "q.npz"),
        ("evaluate", *DATA, "--method", "scls", "relief", "--save-model", "e.npz"),
        ("evaluate", *DATA, "--method", "scls", "--cv", "2", "--save-model", "e.npz"),
        ("evaluate", *DATA, "--save-model", "e.npz"),
        ("evaluate", *DATA, "--method", "no-label", "--save-model", "e.npz"),
        ("evaluate", *DATA, "--method", "scls", "--save-model", "e.npz", "--set", "points=2"),
        ("evaluate", *DATA, "--method=scls", "--evaluator=mlnb", "--set=unseen=first", "--save-model=e.npz"),
    ],
    ids=" ".join,
)
def test_what_does_not_go_together_is_refused_in_one_line(model, capsys, words):
    refused(capsys, *words)
    assert not Path("q.npz").exists() and not Path("e.npz").exists()


@pytest.mark.parametrize(
    "words", [(), ("--measures", "f1", "--predictions", "q.npz"), ("--definition", "clus")]
)
def test_rows_without_labels_are_said_to_have_no_measures(model, capsys, words):
    told = refused(capsys, "chain", "new.csv", "--model", model, *words)
    assert "new.csv: " in told and "measures need" in told and "--predictions FILE alone" in told


def test_predictions_without_labels_are_not_measured(model, capsys):
    assert main(["chain", "new.csv", "--model", model, "--predictions", "q.npz"]) == 0
    assert "no labels" in refused(capsys, "score", "q.npz")


def test_a_model_of_another_version_or_kind_is_refused_in_one_line(model, capsys):
    arrays, header = read_arrays(model)
    changes = {
        "version": {"version": header["version"] + 1},
        "method": {"method": "br"},
        "parameters": {"parameters": {}},
        "features": {"n_features": 7},
        "labels": {"multi_label": 1},
        "unknown": {"method": "none"},
    }
    for name, change in changes.items():
        write_arrays(f"{name}.npz", "chain", arrays, header | change)
        told = refused(capsys, "chain", "new.csv", "--model", f"{name}.npz", "--predictions", "q.csv")
        assert f"{name}.npz" in told
    assert main(["chain", *DATA, "--method=br", "--set", "base=ml-xgb", "--save-model=b.npz"]) == 0
    arrays_of_base, header_of_base = read_arrays("b.npz")
    base = lookup("chain", "ml-xgb")
    assert str(base.revision) in str(header_of_base["version"])
    older = str(header_of_base["version"]).replace(str(base.revision), str(base.revision - 1))
    write_arrays("older.npz", "chain", arrays_of_base, header_of_base | {"version": older})
    told = refused(capsys, "chain", "new.csv", "--model", "older.npz", "--predictions", "q.csv")
    assert f"ml-xgb {base.revision - 1}" in told
    write_arrays("kind.npz", "evaluator", arrays, header | {"kind": "evaluator"})
    refused(capsys, "predict", "new.csv", "--model", "kind.npz", "--predictions", "q.csv")
    assert main(["evaluate", *DATA, "--method", "scls", "--save-model", "e.npz", "-o", "s.csv"]) == 0
    told = refused(capsys, "chain", "new.csv", "--model", "e.npz", "--predictions", "q.csv")
    assert "e.npz" in told and "mlsieve predict" in told
    Path("cut.npz").write_bytes(Path(model).read_bytes()[:900])
    refused(capsys, "chain", "new.csv", "--model", "cut.npz", "--predictions", "q.csv")


def test_without_xgboost_a_model_that_needs_it_is_not_said_to_be_incomplete(model, monkeypatch, capsys):
    arrays, header = read_arrays(model)
    header["parameters"]["base"] = "xgboost"
    write_arrays("x.npz", "chain", arrays, header)
    monkeypatch.setitem(sys.modules, "xgboost", None)
    told = refused(capsys, "chain", "new.csv", "--model", "x.npz", "--predictions", "q.csv")
    assert "complete" not in told and "needs the package xgboost" in told and "mlsieve[baselines]" in told


PLUGIN = """
import numpy as np
from mlsieve.chains.estimator import LabelChain
from mlsieve.chains.sequence import ChainPrediction
from mlsieve.registry import register


class Shares(LabelChain):
    def __init__(self, *, nominal=None):
        self.nominal = nominal

    def _fit(self, X, labels, progress):
        self.shares_ = labels.toarray().mean(axis=0)

    def _predict(self, X):
        scores = np.tile(self.shares_, (X.shape[0], 1))
        return ChainPrediction(scores >= 0.5, scores)


@register.chain("without-files", version=1, smoke={})
class WithoutFiles(Shares):
    pass


@register.chain("with-files", version=1, smoke={})
class WithFiles(Shares):
    def _state(self):
        return {"shares": self.shares_}, {}

    def _restore(self, arrays, facts):
        self.shares_ = arrays["shares"]
"""


def test_a_method_of_a_plugin_is_kept_if_it_says_what_it_has_learned(files):
    Path("plugin.py").write_text(PLUGIN)

    def run(*words):
        words = [sys.executable, "-m", "mlsieve", *words, "--plugin", "plugin.py"]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    ran = run("chain", *DATA, "--method", "without-files", "--save-model", "m.npz")
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and "without-files" in ran.stderr
    words = ("--save-model", "m.npz", "--predictions", "p.npz", "-o", "s.csv")
    ran = run("chain", *DATA, "--method", "with-files", *words)
    assert ran.returncode == 0, ran.stderr
    ran = run("predict", "new.csv", "--model", "m.npz", "--predictions", "q.npz")
    assert ran.returncode == 0, ran.stderr
    require_same("p.npz", "q.npz")
    Path("plugin.py").write_text(PLUGIN + "# another version\n")
    ran = run("predict", "new.csv", "--model", "m.npz", "--predictions", "q.npz")
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and "m.npz" in ran.stderr


# Measures of a model


def told_by(capsys, *words):
    capsys.readouterr()
    assert main([*map(str, words)]) == 0
    return capsys.readouterr()


def test_a_model_that_is_only_kept_learns_from_all_rows(files, capsys):
    labels = ("--labels", ",".join(LABELS))
    told = told_by(capsys, "chain", "train.csv", "--method", "ml-xgb", *labels, "--save-model", "m.npz")
    assert told.out == "" and f"m.npz: ml-xgb, fitted to {N_TRAIN} rows of train\n" in told.err
    words = ("--save-model", "part.npz", "-o", "s.csv")
    told = told_by(capsys, "chain", "train.csv", "--method", "ml-xgb", *labels, *words)
    assert f"part.npz: ml-xgb, fitted to {2 * N_TRAIN // 3} rows of train\n" in told.err
    both = ("--method", "ml-xgb", "--save-model", "m2.npz", "--predictions", "p.npz", "-o", "s.csv")
    told_by(capsys, "chain", *DATA, *both)
    told_by(capsys, "chain", "new.csv", "--model", "m.npz", "--predictions", "q.npz")
    require_same("p.npz", "q.npz")


def test_a_model_measures_rows_that_are_new_to_it_and_no_others(files, capsys):
    labels = ("--labels", ",".join(LABELS))
    told_by(capsys, "chain", *DATA, "--method", "br", "--save-model", "m.npz", "-o", "of_test.csv")
    # A file of other data is measured whole, in whatever order its rows stand.
    told = told_by(capsys, "chain", "test.csv", *labels, "--model", "m.npz", "-o", "of_file.csv")
    assert f"all {N - N_TRAIN} rows are measured" in told.err
    assert Path("of_file.csv").read_text() == Path("of_test.csv").read_text()
    divided = (*labels, "--model", "m.npz", "--split", "holdout", "-o", "-")
    told = told_by(capsys, "chain", "test.csv", *divided)
    assert "are measured" not in told.err
    # Rows that the model has learned from are recognised in any file.
    whole = frame()
    whole[:N_TRAIN].sample(frac=1, random_state=1).to_csv("copy.csv", index=False)
    whole[10:40].to_csv("some.csv", index=False)
    for name in ("train", "copy", "some"):
        told = refused(capsys, "chain", f"{name}.csv", *labels, "--model", "m.npz", "-o", "x.csv")
        assert f"other rows of '{name}'" in told and not Path("x.csv").exists()
    # A model that has learned from a part of a file is measured on the other part of it, of the same split.
    told_by(
        capsys, "chain", "copy.csv", *labels, "--method", "br", "--save-model", "c.npz", "-o", "first.csv"
    )
    told_by(capsys, "chain", "copy.csv", *labels, "--model", "c.npz", "-o", "second.csv")
    assert Path("first.csv").read_text() == Path("second.csv").read_text()
    split = ("--split-seed", 1, "-o", "x.csv")
    told = refused(capsys, "chain", "copy.csv", *labels, "--model", "c.npz", *split)
    assert "test rows of dataset 'copy'" in told and not Path("x.csv").exists()


def test_a_damaged_record_of_rows_is_refused(files, capsys):
    told_by(capsys, "chain", *DATA, "--method", "br", "--save-model", "m.npz")
    arrays, header = read_arrays("m.npz")
    for record in ({}, 3, header["facts"]["learned_on"] | {"rows": "x", "contents": 1}):
        write_arrays("n.npz", "chain", arrays, header | {"facts": header["facts"] | {"learned_on": record}})
        assert "n.npz" in refused(capsys, "chain", *DATA, "--model", "n.npz")


# In Python


def fitted_estimators():
    forest = RandomForestClassifier(3, random_state=0)
    yield from (BinaryRelevance(base=forest), ClassifierChain(base=LogisticRegression()))
    yield from (LabelPowerset(base=KNeighborsClassifier(3)), MultiLabelXGB(n_estimators=2, max_depth=2))
    yield LabelPowerset(base=VotingClassifier([("one", GaussianNB())], voting="soft"))
    yield from (WeightedKNN(k=3, weights=[1.0, 0.0, 2.0, 0.5]), MLNB(), MLNB("gaussian"))


@pytest.mark.parametrize("estimator", [*fitted_estimators()], ids=lambda one: f"{type(one).__name__}")
def test_estimators_save_and_load_names_and_categories(estimator):
    whole = frame()
    own = getattr(estimator, "base", None) is not None
    X = whole[["a", "b", "kind", "c"]].fillna({"a": 0.0}) if own else whole[["a", "b", "kind", "c"]]
    fitted = estimator.fit(X, whole[LABELS])
    fitted.save("m.npz", {"dataset": "mine"})
    loaded = type(estimator).load("m.npz")
    np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    assert list(loaded.feature_names_in_) == list(X.columns) and loaded.facts_ == {"dataset": "mine"}
    assert list(loaded.label_names_in_) == LABELS
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(X.rename(columns={"a": "z"}))
    with pytest.warns(UserWarning, match="unknown category 'z'"), contextlib.suppress(ValueError):
        loaded.predict(
            X.assign(kind="z")
        )  # which is missing, and a classifier of one's own may not take that


def test_a_model_of_a_command_is_read_in_python(model):
    loaded = ClassifierChain.load(model)
    rows = frame()[N_TRAIN:].reset_index(drop=True)
    expected = Predictions.load("p.npz")
    np.testing.assert_array_equal(loaded.predict_proba(rows[["a", "b", "kind", "c"]]), expected.scores(0))
    assert list(loaded.label_names_in_) == LABELS
    with pytest.raises(UserError, match=r"m\.npz.*cc"):
        BinaryRelevance.load(model)


class Foreign(LogisticRegression):
    """A classifier that is not one of scikit-learn."""


def test_a_file_holds_classifiers_of_scikit_learn_alone(files, capsys):
    whole = frame()
    X, y = whole[["b", "c"]], whole[LABELS]
    with pytest.raises(ValueError, match="Foreign"):
        BinaryRelevance(base=Foreign()).fit(X, y).save("m.npz")
    assert not Path("m.npz").exists()
    BinaryRelevance(base=LogisticRegression()).fit(X, y).save("m.npz")
    told = refused(capsys, "chain", "new.csv", "--model", "m.npz", "--predictions", "q.csv")
    assert "m.npz" in told and "BinaryRelevance.load" in told
    arrays, header = read_arrays("m.npz")
    for old, new in (("sklearn.linear_model", "evil_12.linear_model"), ("LogisticRegression", "nothing")):
        write_arrays("n.npz", "chain", arrays | {"state_own": renamed(arrays["state_own"], old, new)}, header)
        with pytest.raises(UserError, match=r"n\.npz"):
            BinaryRelevance.load("n.npz")


def node(loader, content, number, **more):
    """Return how skops writes a value of the kinds `tuple`, `dict`, `list` and `str`."""
    kind = {"TupleNode": "tuple", "DictNode": "dict", "ListNode": "list", "JsonNode": "str"}[loader]
    own = {"__module__": "builtins", "__class__": kind, "__loader__": loader, "__id__": number}
    return own | {"content": content} | more


@pytest.mark.parametrize(
    "named",
    [
        {"__class__": "eval", "__module__": "builtins"},
        {"__class__": "system", "__module__": "os"},
        {"__class__": "import_module", "__module__": "sklearn.utils.discovery"},  # which it imports itself
        {"__class__": "all_estimators", "__module__": "sklearn.utils.discovery"},
    ],
    ids=lambda one: f"{one['__module__']}.{one['__class__']}",
)
@pytest.mark.parametrize("loader", ["LossNode", "ObjectNode", "FunctionNode", "DictNode"])
def test_a_classifier_in_a_file_calls_nothing_that_the_file_names(named, loader):
    """A file that calls a function with arguments of its own is refused before anything is made."""
    whole = frame()
    BinaryRelevance(base=LogisticRegression()).fit(whole[["b", "c"]], whole[LABELS]).save("m.npz")
    arrays, header = read_arrays("m.npz")
    said = node("JsonNode", json.dumps("__import__('os').mkdir('called')"), 900_002, is_json=True)
    keys = node("ListNode", [], 900_003)
    content = {} if loader == "DictNode" else node("DictNode", {}, 900_004, key_types=keys)
    called = {**named, "__loader__": loader, "__id__": 900_001, "content": content, "key_types": keys}
    called["__reduce__"] = {"args": node("TupleNode", [said], 900_005)}

    def with_call(schema):
        changed = json.loads(schema)
        changed["content"]["extra"] = called
        changed["key_types"]["content"].append(changed["key_types"]["content"][0])
        return json.dumps(changed).encode()

    data = changed_schema(arrays["state_own"], with_call)
    write_arrays("n.npz", "chain", arrays | {"state_own": data}, header)
    with pytest.raises(UserError, match=named["__class__"]) as raised:
        BinaryRelevance.load("n.npz")
    assert "no functions" in str(raised.value) and not Path("called").exists()


def renamed(data, old, new):
    """Return what skops has written with another name of a type."""

    def change(schema):
        assert old.encode() in schema
        return schema.replace(old.encode(), new.encode())

    return changed_schema(data, change)


def changed_schema(data, change):
    """Return what skops has written with another description of its objects."""
    with zipfile.ZipFile(io.BytesIO(data.tobytes())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["schema.json"] = change(members["schema.json"])
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return np.frombuffer(stream.getvalue(), np.uint8)
