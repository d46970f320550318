"""``mlsieve convert`` and ``mlsieve describe`` on any data; the standard input and OpenML."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlsieve.cli import main
from mlsieve.data import Dataset, load_dataset
from mlsieve.data.exchange.writers import write_dataset
from mlsieve.errors import UserError
from mlsieve.tables.of_one_dataset import label_rows

pytestmark = pytest.mark.usefixtures("elsewhere")

# Composed, as names are read.
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8).map(
    lambda name: unicodedata.normalize("NFC", name)
)


def same(found: Dataset, made: Dataset, ordered_categories: bool = True) -> None:
    assert found.feature_names == made.feature_names and found.label_names == made.label_names
    dense = [each.X.toarray() if each.is_sparse else each.X for each in (found, made)]
    np.testing.assert_array_equal(found.nominal, made.nominal)
    assert found.categories == made.categories
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(found.Y.toarray(), made.Y.toarray())


@st.composite
def datasets(draw, nominal=True, missing=True, sparse=None, least=1):
    n, n_features, n_labels = draw(st.integers(2, 6)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    names = draw(st.lists(NAMES, min_size=n_features + n_labels, max_size=n_features + n_labels, unique=True))
    numbers = st.floats(-1e6, 1e6, allow_nan=False, width=32)
    X = draw(arrays(np.float64, (n, n_features), elements=numbers))
    kinds, categories = np.zeros(n_features, bool), []
    for j in range(n_features):
        kinds[j] = nominal and draw(st.booleans())
        own = tuple(draw(st.lists(NAMES, min_size=2, max_size=3, unique=True))) if kinds[j] else ()
        categories.append(own)
        if kinds[j]:
            X[:, j] = draw(arrays(np.int64, n, elements=st.integers(0, len(own) - 1)))
    if missing and draw(st.booleans()):
        X[draw(st.integers(0, n - 1)), draw(st.integers(0, n_features - 1))] = np.nan
    X += 0.0  # no -0.0
    Y = sp.csr_array(draw(arrays(np.uint8, (n, n_labels), elements=st.integers(0, 1))))
    stored = sp.csr_array(X) if (draw(st.booleans()) if sparse is None else sparse) else X
    return Dataset(
        "d",
        stored,
        Y,
        np.ones(n, bool),
        kinds,
        tuple(categories),
        tuple(names[:n_features]),
        tuple(names[n_features:]),
    )


SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SLOW
@given(datasets())
def test_arff_files_hold_all_of_a_dataset(elsewhere, made):
    write_dataset(made, "d.arff", "mulan")
    same(load_dataset("d.arff", labels="d.xml"), made)
    write_dataset(made, "m.arff", "meka")
    same(load_dataset("m.arff"), made)


@SLOW
@given(datasets())
def test_columnar_files_hold_all_of_a_dataset(elsewhere, made):
    count = {"label_count": -len(made.label_names)}
    for name, file_format in (("d.parquet", "parquet"), ("d.feather", "feather")):
        write_dataset(made, name, file_format)
        same(load_dataset(name, **count), made)


@SLOW
@given(datasets(nominal=False, missing=False))
def test_numbered_files_hold_numbers_and_labels(elsewhere, made):
    write_dataset(made, "d.txt", "xmlc")
    found = load_dataset("d.txt", format="xmlc")
    np.testing.assert_array_equal(found.X.toarray(), made.X.toarray() if made.is_sparse else made.X)
    np.testing.assert_array_equal(found.Y.toarray(), made.Y.toarray())


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.xlsx", "d.ods", "d.rda", "d.parquet", "d.arff"])
def test_a_table_comes_back_from_each_format(name, capsys):
    made = load_dataset("synthetic-redundant")
    made = made.with_rows(np.arange(40)).with_split(np.ones(40, bool))
    made.save("s.npz")
    assert main(["convert", "s.npz", name]) == 0
    words = ["--labels", "d.xml"] if name == "d.arff" else ["--label-count", str(-len(made.label_names))]
    assert main(["convert", name, "back.npz", *words]) == 0, capsys.readouterr().err
    found = Dataset.load("back.npz")
    assert found.feature_names == made.feature_names
    np.testing.assert_allclose(found.X, made.X, rtol=1e-12)
    np.testing.assert_array_equal(found.Y.toarray(), made.Y.toarray())


def test_a_hierarchy_goes_along(capsys):
    assert main(["convert", "digits-hmlc", "d.arff", "--part", "test"]) == 0
    made = load_dataset("digits-hmlc")
    found = load_dataset("d.arff", labels="d.xml", hierarchy="d-hierarchy.csv")
    assert found.hierarchy == made.hierarchy
    np.testing.assert_array_equal(found.Y.toarray(), made.Y_test.toarray())


@pytest.mark.parametrize("file_format", ["csv", "meka", "svmlight", "xmlc"])
def test_the_standard_output_takes_text(file_format, capsys):
    load_dataset("synthetic-linear").save("s.npz")
    Path("-").write_text("not mlsieve's")
    assert main(["convert", "s.npz", "d.txt", "--to", file_format]) == 0
    capsys.readouterr()
    assert main(["convert", "s.npz", "-", "--to", file_format]) == 0
    assert capsys.readouterr().out == Path("d.txt").read_text()
    assert Path("-").read_text() == "not mlsieve's"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["s.npz", "-"], "the standard output has no ending; give the format to write, such as --to csv"),
        (["s.npz", "-", "--to", "parquet"], "standard output: the format parquet is not text; give --to csv"),
        (["s.npz", "-", "--to", "mulan"], "standard output: the format mulan needs a second file; give --to"),
        (["digits-hmlc", "-", "--to", "csv"], "standard output: the hierarchy of the labels needs a second"),
        (["s.npz", "d.docx"], "no format has the ending '.docx'"),
        (["s.npz", "d.csv.gz"], "compressed output is not supported; give d.csv"),
        (["s.npz", "s.npz"], "is given for both DATA and --output"),
        (
            ["nominal.csv", "d.svm", "--label-count", "-1"],
            "an svmlight file cannot hold categories, and 1 feature is nominal",
        ),
        (
            ["gaps.csv", "d.svm", "--label-count", "-1"],
            "an svmlight file cannot hold missing values",
        ),
        (["gaps.csv", "d.csv", "--label-count", "-1", "--part", "test"], "has no such rows"),
    ],
)
def test_what_cannot_be_converted(words, message, capsys):
    load_dataset("synthetic-linear").save("s.npz")
    Path("nominal.csv").write_text("a,b,l\nx,1,0\ny,2,1\n")
    Path("gaps.csv").write_text("a,b,l\n1,1,0\n,2,1\n")
    assert main(["convert", *words]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


TABLE = "a,colour,sea,beach,rare\n1,red,1,1,0\n2,blue,1,0,0\n,red,0,0,0\n4,red,1,1,1\n"


def rows_of(capsys, *words):
    assert main(["describe", *words]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--format", "xmlc", "--table", "labels"], "2 3 200000\n0,1 0:1\n1,199999 1:1\n"),
        (["--format", "svmlight", "--table", "features"], "0 199999:1\n1 1:1\n"),
    ],
    ids=["labels", "features"],
)
def test_what_very_many_columns_cost_in_a_table_is_little_each(options, text):
    Path("d.txt").write_text(text)
    begun = time.process_time()
    assert main(["describe", "d.txt", *options, "-o", "table.csv"]) == 0
    assert time.process_time() - begun < 20  # 40 and more where each is a slice of a sparse array
    table = pd.read_csv("table.csv", keep_default_na=False)
    assert len(table) >= 199_999
    if "labels" in options:
        last = table.iloc[-1]
        assert (last["partner"], last["rows_with_partner"], last["rows"]) == (table["label"][1], 1, 1)


def test_partners_are_those_of_most_rows():
    Y = np.random.default_rng(0).random((30, 12)) < 0.2
    Y[:, 7] = False
    names = [f"y{place}" for place in range(12)]
    own = Dataset.from_frame(pd.DataFrame({"x": range(30)}), y=pd.DataFrame(Y.astype(int), columns=names))
    together = Y.T.astype(int) @ Y
    np.fill_diagonal(together, 0)
    for row, counts in zip(label_rows(own), together, strict=True):
        partner = names[counts.argmax()] if counts.any() else ""
        assert (row["partner"], row["rows_with_partner"]) == (partner, counts.max())


def test_tables_of_labels_pairs_and_features(capsys):
    Path("d.csv").write_text(TABLE)
    words = ["d.csv", "--label-count", "-3", "--table"]
    labels = rows_of(capsys, *words, "labels")
    assert [row["label"] for row in labels] == ["sea", "beach", "rare"]
    assert [row["rows"] for row in labels] == ["3", "2", "1"]
    assert [row["imbalance"] for row in labels] == ["1", "1.5", "3"]
    assert [(row["alone"], row["partner"], row["rows_with_partner"]) for row in labels] == [
        ("1", "beach", "2"),
        ("0", "sea", "2"),
        ("0", "sea", "1"),
    ]
    pairs = rows_of(capsys, *words, "pairs")
    assert [(row["first"], row["second"], row["rows"]) for row in pairs] == [
        ("sea", "beach", "2"),
        ("sea", "rare", "1"),
        ("beach", "rare", "1"),
    ]
    assert [row["jaccard"] for row in pairs] == ["0.666667", "0.333333", "0.5"]
    assert [row["lift"] for row in pairs] == ["1.33333", "1.33333", "2"]
    features = rows_of(capsys, *words, "features")
    assert features[0]["missing"] == "1" and features[0]["mean"] == "2.33333"
    assert (features[1]["kind"], features[1]["most_frequent"], features[1]["share"]) == (
        "nominal",
        "red",
        "0.75",
    )


def test_any_data_are_described(capsys):
    Path("d.csv").write_text(TABLE)
    assert rows_of(capsys, "d.csv", "--label-count", "-3")[0]["cardinality"] == "1.5"
    assert rows_of(capsys, "digits-mlc", "synthetic-linear")[1]["dataset"] == "synthetic-linear"
    assert main(["describe", "digits-mlc", "synthetic-linear", "--table", "labels"]) == 2
    assert "--table labels is for one dataset, not 2" in capsys.readouterr().err


def test_the_standard_input_is_a_file(elsewhere):
    words = [sys.executable, "-m", "mlsieve", "describe", "-", "--label-count", "-3"]
    frame = pd.read_csv(io.StringIO(TABLE))
    for content in (TABLE.encode(), TABLE.replace(",", ";").encode("utf-16"), frame.to_parquet()):
        done = subprocess.run(words, input=content, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode().splitlines()[1].startswith("stdin,mlc,4,0,2,1,1,no,3,1.5")
    done = subprocess.run(words, input=b"", capture_output=True, text=False)
    assert (
        done.returncode == 2 and b"input is empty; check the command that writes to the pipe" in done.stderr
    )


def test_the_standard_input_is_called_so(capsys):
    for content, status, words in (
        (
            "a;b;l\n1,5;2;0\n2,5;4;1\n",
            0,
            "mlsieve: note: standard input: column 'a' has decimal commas: 1,5 is",
        ),
        ("a,b,l\n1,2,0\n2,x,1\n", 2, "mlsieve: standard input:3: column 'b' holds 'x', but numbers"),
    ):
        command = [sys.executable, "-m", "mlsieve", "describe", "-", "--label-count", "-1"]
        done = subprocess.run(command, input=content.encode(), capture_output=True, check=False)
        assert done.returncode == status and words in done.stderr.decode()
        assert b"/tmp" not in done.stderr and b"mlsieve-" not in done.stderr


def test_a_dataset_of_openml_has_its_targets_as_labels(monkeypatch):
    class Bunch:
        frame = pd.DataFrame({"a": [1.0, 2.0], "l1": ["TRUE", "FALSE"], "l2": ["FALSE", "TRUE"]})
        target_names = ("l1", "l2")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda data_id, **_: Bunch if data_id == 7 else None)
    dataset = load_dataset("openml:7")
    assert dataset.name == "openml-7" and dataset.label_names == ("l1", "l2")
    assert dataset.Y.toarray().tolist() == [[1, 0], [0, 1]]


def test_openml_without_a_network_is_one_line(monkeypatch):
    def fail(**_):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fail)
    with pytest.raises(
        UserError, match=r"OpenML's dataset 7 cannot be fetched \(no network\); check the network"
    ):
        load_dataset("openml:7")
    with pytest.raises(UserError, match=r"'openml:x' is not a dataset of OpenML; write e\.g\. openml:40597"):
        load_dataset("openml:x")
