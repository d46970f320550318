"""Keeping the features that occur in most documents: the function, the command, the keys of datasets."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.cli import main
from mlsieve.configuration.check import configuration_errors
from mlsieve.data import Dataset, label_matrix, load_dataset
from mlsieve.data.catalog import entry_from
from mlsieve.data.feature_choices import document_frequency, with_frequent_features
from mlsieve.errors import UserError
from mlsieve.study.parts import Data

# Rows with something else than zero: 2, 3, 1, 3, 0 of four; NaN is not known to be anything else.
X = np.array([[1.0, 2, 0, 5, 0], [0, 1, np.nan, 5, 0], [3, 0, 0, -5, 0], [0, 1, 7, 0, np.nan]])
NAMES = tuple("abcde")


def collection(storage=np.asarray):
    return Dataset(
        name="texts",
        X=storage(X),
        Y=label_matrix([[0], [1], [0, 1], []], 2),
        train_mask=np.array([True, True, False, False]),
        nominal=np.array([False, False, True, False, False]),
        categories=((), (), tuple(map(str, range(8))), (), ()),
        feature_names=NAMES,
        label_names=("one", "two"),
        facts={"relevant": [0, 3], "redundant": [4], "whole": False},
    )


@pytest.mark.parametrize("storage", [np.ascontiguousarray, sp.csr_array])
def test_the_most_frequent_features_are_kept_in_the_order_of_the_data(storage):
    dataset = collection(storage)
    assert document_frequency(dataset).tolist() == [2, 3, 1, 3, 0]
    kept = {
        count: "".join(with_frequent_features(dataset, count).feature_names) for count in (1, 2, 3, 4, 5, 99)
    }
    assert kept == {1: "b", 2: "bd", 3: "abd", 4: "abcd", 5: "abcde", 99: "abcde"}
    found = with_frequent_features(dataset, 4)
    values = found.X.toarray() if sp.issparse(found.X) else found.X
    np.testing.assert_array_equal(values, X[:, :4])
    assert sp.issparse(found.X) == sp.issparse(dataset.X)
    assert found.nominal.tolist() == [False, False, True, False] and len(found.categories[2]) == 8
    assert found.Y is dataset.Y and found.train_mask is dataset.train_mask
    assert with_frequent_features(dataset, 2).facts == {
        "relevant": [1],
        "redundant": [],
        "whole": False,
        "document_frequency": {"kept": 2, "of": 5},
    }


@pytest.mark.parametrize(
    ("features", "share", "kept"),
    [(47236, 0.02, 945), (47229, 0.02, 945), (23146, 0.05, 1157), (21924, 0.05, 1096), (27534, 0.05, 1377)],
)
def test_shares_are_rounded_as_the_published_tables_have_it(features, share, kept):
    rng = np.random.default_rng(0)
    cells = sp.csr_array(
        (np.ones(9000), (np.arange(9000) % 4, rng.choice(features, 9000, replace=False))), (4, features)
    )
    whole = Dataset(
        name="texts",
        X=cells,
        Y=label_matrix([[0]] * 4, 1),
        train_mask=np.ones(4, bool),
        nominal=np.zeros(features, bool),
        categories=((),) * features,
        feature_names=tuple(map(str, range(features))),
        label_names=("one",),
    )
    found = with_frequent_features(whole, share)
    assert found.X.shape == (4, kept)
    # All that occur do so once: the first of them are kept.
    assert found.feature_names == tuple(map(str, np.sort(np.unique(cells.indices))[:kept].tolist()))


@pytest.mark.parametrize("wrong", [0, -3, 0.0, 1.5, 5.0, -0.1, float("nan"), "0.05", True, None, [1]])
def test_other_shares_are_refused(wrong):
    with pytest.raises(UserError, match="neither a count nor a share of the features; give a count from 1"):
        with_frequent_features(collection(), wrong)


ARFF = """@relation texts
@attribute a numeric
@attribute b numeric
@attribute c numeric
@attribute one {0,1}
@data
{0 2,3 1}
{2 1}
{0 1,2 3}
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "texts.arff").write_text(ARFF)
    return tmp_path / "texts.arff"


def test_it_is_asked_for_by_option_entry_and_study(file, tmp_path, capsys):
    out = tmp_path / "out.npz"
    for words, names in ((["0.67"], ("a", "c")), (["1"], ("a",)), (["1.0"], ("a", "b", "c"))):
        command = ["prepare", str(file), "--label-count=-1", "-o", str(out), "--document-frequency", *words]
        assert main(command) == 0
        assert Dataset.load(out).feature_names == names
    again = tmp_path / "again.npz"
    assert main(["prepare", str(out), "--document-frequency", "1", "-o", str(again)]) == 0
    assert Dataset.load(again).feature_names == ("a",)
    entry = {"id": "texts", "all": str(file), "label_count": -1, "document_frequency": 2}
    assert load_dataset(entry).feature_names == ("a", "c")
    assert load_dataset(entry, document_frequency=1).feature_names == ("a",)
    known = {"texts": entry_from(entry)}
    assert load_dataset("texts", entries=known).feature_names == ("a", "c")
    assert load_dataset("texts", entries=known, document_frequency=1).feature_names == ("a",)
    changed = Data("yahoo_arts", {"document_frequency": 0.05})
    assert changed.prepare_options() == "yahoo_arts --document-frequency=0.05" and changed.has_own_split
    assert Data("yahoo_arts").key != changed.key
    own = Data("mine", {"train": "m.arff", "document_frequency": 300})
    assert own.prepare_options() == "m.arff --name mine --document-frequency=300"
    capsys.readouterr()
    for wrong in ("0", "5.0", "many", "nan"):
        assert main([*command[:-1], wrong]) == 2
        told = capsys.readouterr().err
        assert "document frequency" in told and told.count("\n") == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [(5.0, "5.0 is too large; give at most 1"), (0, "0 is too small"), ("2 %", "'2 %' is not a number")],
)
def test_a_study_refuses_other_shares_before_it_starts(wrong, told):
    study = {"datasets": [{"id": "yahoo_arts", "document_frequency": wrong}], "methods": [{"id": "scls"}]}
    (line,) = [line for line in configuration_errors(study) if line.startswith("datasets")]
    assert line.startswith("datasets[0].document_frequency: ") and told in line
    with pytest.raises(UserError, match="document frequency"):
        entry_from({"id": "mine", "all": "m.arff", "document_frequency": wrong})


@pytest.mark.parametrize("share", [0.02, 945])
def test_a_study_takes_shares_and_counts(share):
    study = {"datasets": [{"id": "rcv1subset1", "document_frequency": share}], "methods": [{"id": "scls"}]}
    assert not [line for line in configuration_errors(study) if line.startswith("datasets")]


def test_a_collection_of_the_study(mirror):
    found = load_dataset("yahoo_business", document_frequency=0.05)
    assert found.X.shape == (11214, 1096) and sp.issparse(found.X)
    frequency = document_frequency(found)
    whole = np.sort(document_frequency(load_dataset("yahoo_business")))[::-1]
    assert np.sort(frequency)[::-1].tolist() == whole[:1096].tolist()
