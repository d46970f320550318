"""What is written comes back as it was, or is refused or said before."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlsieve.data import Dataset, load_dataset
from mlsieve.data.exchange.writers import format_to_write, write_dataset
from mlsieve.errors import DataNotice, UserError

pytestmark = [
    pytest.mark.usefixtures("elsewhere"),
    pytest.mark.filterwarnings("ignore::mlsieve.errors.DataNotice"),
]


def dataset(names=("a", "b"), categories=((), ()), X=((0, 2), (1, 3), (1, 5)), labels=("l",), n_test=0):
    X = np.array(X, dtype=np.float64)
    Y = sp.csr_array(np.array([[i % 2] * len(labels) for i in range(len(X))], np.uint8))
    nominal = np.array([bool(own) for own in categories])
    train = np.arange(len(X)) < len(X) - n_test
    return Dataset("d", X, Y, train, nominal, categories, tuple(names), tuple(labels))


def written(made, path, **options):
    """Return what comes back of a dataset, and the notices of writing."""
    formats = {
        ".arff": "mulan",
        ".xlsx": "excel",
        ".svm": "svmlight",
        ".txt": "xmlc",
        ".rda": "r",
        ".ods": "excel",
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write_dataset(made, path, formats.get(Path(path).suffix, path[2:]))
    if Path(path).suffix not in (".svm", ".txt"):
        labels = {"labels": "d.xml"} if path == "d.arff" else {"label_count": -len(made.label_names)}
        options = labels | options
    return load_dataset(path, **options), [str(each.message) for each in caught]


def is_same(found, made):
    return (
        found.feature_names == made.feature_names
        and found.label_names == made.label_names
        and found.categories == made.categories
        and np.array_equal(found.X, made.X, equal_nan=True)
        and (found.Y != made.Y).nnz == 0
    )


TABLES = ("d.arff", "d.csv", "d.parquet", "d.xlsx", "d.ods", "d.rda")


@pytest.mark.parametrize("path", TABLES)
@pytest.mark.parametrize(
    "made",
    [
        dataset(names=("a\nb", "c\td")),
        dataset(names=("it's", 'say "so"'), labels=("x\ny",)),
        dataset(names=("#a", "%b{}")),
        dataset(categories=(("a,b", "c\\nd", "x\ny"), ()), X=((0, 2), (1, 3), (2, 5))),
    ],
    ids=["line ends", "quotes", "signs", "categories"],
)
def test_odd_names_come_back(made, path):
    found, said = written(made, path)
    assert is_same(found, made) and said == []


@pytest.mark.parametrize("path", ["d.csv", "d.xlsx"])
@pytest.mark.parametrize("category", ["NA", "?", "", "null"])
def test_categories_that_stand_for_missing_cells_are_refused(category, path):
    made = dataset(categories=((category, "x"), ()))
    with pytest.raises(UserError, match=r"would be read as a missing cell; choose another format, such as"):
        written(made, path)
    assert not Path(path).exists()
    found, said = written(made, "d.arff")
    assert is_same(found, made) and said == []


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (dataset(names=("=a", "b")), "'=a' would be read as a formula"),
        (dataset(categories=(("=1+1", "x"), ())), "'=1+1' would be read as a formula"),
        (dataset(names=("a\x01", "b")), "holds a control character, which a sheet cannot"),
        (dataset(names=("a", "a ")), "each name must differ, and there is one more 'a'"),
        (dataset(names=(" ", "b")), "each name must differ, and there is an empty one"),
        (
            dataset(categories=(("x", "x "), ())),
            "each category of 'a' must differ, and there is one more 'x'",
        ),
        (dataset(names=("a", "l")), "'l' is the name of a feature and of a label"),
    ],
)
def test_what_a_sheet_cannot_hold_is_refused(made, words):
    with pytest.raises(UserError) as caught:
        written(made, "d.xlsx")
    assert words in str(caught.value)


@pytest.mark.parametrize("path", ["d.csv", "d.xlsx"])
@pytest.mark.parametrize("own", [("1", "2"), ("1", "x"), ("50%", "60%"), ("2020-01-01", "2020-01-02")])
def test_categories_like_numbers_come_back_with_the_option_that_is_said(own, path):
    made = dataset(categories=(own, ()))
    found, said = written(made, path, nominal=["a"])
    assert is_same(found, made)
    assert said == [f"{path}: categories that read as numbers: 'a' (read the file with --nominal a)"]


def test_names_like_numbers_come_back_with_the_option_that_is_said():
    made = dataset(names=("1.5", "2.5"), labels=("3.5",))
    found, said = written(made, "d.csv", header=True)
    assert is_same(found, made)
    assert said == ["d.csv: names that look like values (read the file with --header)"]
    assert written(dataset(names=("0", "1"), labels=("2",)), "d.csv")[1] == []


@pytest.mark.parametrize(
    ("made", "path", "words"),
    [
        (
            dataset(categories=(("z", "x", "u"), ())),
            "d.csv",
            "the order of categories, and those without a row",
        ),
        (dataset(categories=((" z", "x"), ())), "d.csv", "blanks around categories are lost: 'a'"),
        (dataset(names=(" a", "b")), "d.parquet", "blanks around names are lost: ' a'"),
        (
            dataset(names=("Unnamed: 0", "b")),
            "d.parquet",
            "names that are read as missing ones: 'Unnamed: 0'",
        ),
        (dataset(), "d.svm", "the names of the features are lost: numbers replace them"),
        (dataset(), "d.txt", "the names of the labels are lost: numbers replace them"),
        (dataset(X=((0, 0), (1, 0), (1, 0))), "d.svm", "lost: the last feature, which is 0 in every row"),
        (dataset().with_rows(np.array([0])), "d.svm", "lost: 1 label without a row"),
        (dataset(X=((1 / 3, 2), (123456789012345678, 1))), "d.xlsx", "numbers are rounded to 16 digits"),
        (dataset(n_test=1), "d.arff", "the split into training and test rows is lost (--part writes one"),
    ],
)
def test_what_is_lost_is_said(made, path, words):
    formats = {"d.svm": "svmlight", "d.txt": "xmlc", "d.xlsx": "excel", "d.arff": "mulan"}
    with pytest.warns(DataNotice) as caught:
        write_dataset(made, path, formats.get(path, path[2:]))
    assert any(words in str(each.message) for each in caught)


def test_more_rows_than_are_written_at_once_come_back():
    """No row is lost, doubled or moved where a block of rows ends, in any format."""
    n = 1201
    X = np.arange(n)[:, None] * 0.5 + 1
    Y = sp.csr_array((np.arange(n)[:, None] % 3 == 0).astype(np.uint8))
    made = Dataset("d", X, Y, np.ones(n, bool), np.zeros(1, bool), ((),), ("x1",), ("y0",))
    for path in (*TABLES, "d.tsv", "d.feather", "d.rds", "d.svm", "d.txt", "d.meka", "d.npz"):
        name = "m.arff" if path == "d.meka" else path
        formats = {"d.arff": "mulan", "d.meka": "meka", "d.npz": "prepared", "d.txt": "xmlc"}
        write_dataset(made, name, formats.get(path) or format_to_write(name))
        counted = {} if path in ("d.svm", "d.txt", "d.meka", "d.npz") else {"label_count": -1}
        found = load_dataset(name, **counted)
        values = found.X.toarray() if sp.issparse(found.X) else found.X
        np.testing.assert_array_equal(values, X, err_msg=path)
        np.testing.assert_array_equal(found.Y.toarray(), Y.toarray(), err_msg=path)


@pytest.mark.parametrize("path", ["d.svm", "d.txt"])
@pytest.mark.parametrize("first", [0, 1])
def test_numbered_files_are_converted_with_their_own_numbers(path, first):
    """Features and labels have different names, which are their numbers in the file, whatever comes next."""
    if path == "d.txt":
        rows, labels = "3 4 4\n1,3 0:0.5 2:2\n 1:1\n3 3:1\n", ("y0", "y1", "y2", "y3")
        features = ("x0", "x1", "x2", "x3")
    else:
        rows = f"1,3 {first}:0.5 {first + 2}:2\n {first + 1}:1\n3 {first + 3}:1\n"
        features, labels = tuple(f"x{first + j}" for j in range(4)), ("y1", "y3")
    Path(path).write_text(rows)
    made = load_dataset(path)
    assert made.feature_names == features and made.label_names == labels
    for other in (*TABLES[1:], path):
        found, said = written(made, other)
        assert found.feature_names == features and found.label_names == labels and not said, other
        assert (sp.csr_array(found.X) != made.X).nnz == 0 and (found.Y != made.Y).nnz == 0


ODD = st.text(st.sampled_from("ab01,;:%$'\" -+()#\n\r\t{}\\|?=."), min_size=1, max_size=3)
ODD |= st.sampled_from(["NA", "1.5", "sep=;", "5 kg", "12:30", "2020-01-01", "null", "#a", "é"])
OFTEN = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@OFTEN
@given(st.lists(ODD, min_size=6, max_size=6, unique=True), st.sampled_from(TABLES[:5]))
def test_odd_texts_come_back_or_are_refused_or_said(elsewhere, texts, path):
    made = dataset(texts[:2], (tuple(sorted(texts[3:])), ()), ((0, 0.5), (1, 3), (2, -2)), texts[2:3])
    options = {"nominal": [texts[0].strip()]} if path in ("d.csv", "d.xlsx", "d.ods") else {}
    options |= {"header": True} if options else {}
    try:
        found, said = written(made, path, **options)
    except UserError as error:
        assert "choose another format" in str(error)
        return
    told = ("--nominal", "--header")
    assert is_same(found, made) or [each for each in said if not any(option in each for option in told)]


def test_numbers_that_are_texts_in_a_sheet_stay_texts():
    made = dataset(names=("007", "+1"), categories=(("01", "1"), ()))
    assert is_same(written(made, "d.xlsx", nominal=["007"])[0], made)
