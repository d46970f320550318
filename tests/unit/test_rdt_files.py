"""Chains of random decision trees as files: the same bytes afterwards, and nothing that leads astray."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from mlsieve.chains import RDTDynamicChain
from mlsieve.errors import UserError
from mlsieve.files.writing import read_arrays, write_arrays


def fitted(n=40, **parameters):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 4, n)])
    X[rng.random((n, 4)) < 0.1] = np.nan
    Y = (rng.random((n, 5)) < 0.4).astype(int)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "kind"])
    model = RDTDynamicChain(n_estimators=6, nominal=["kind"], random_state=3, **parameters)
    return model.fit(frame, Y), frame


def bytes_of(model, X):
    found = model.predict_all(X)
    parts = [found.labels, found.probabilities, *vars(found.sequence).values()]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def test_a_chain_that_was_written_predicts_the_same_bytes(tmp_path):
    for parameters in ({}, {"order": "given", "given": [4, 3, 2, 1, 0], "sigma": 0.5}, {"order": "random"}):
        model, X = fitted(**parameters)
        model.save(tmp_path / "chain.npz", {"dataset": "mine"})
        other = RDTDynamicChain.load(tmp_path / "chain.npz")
        assert bytes_of(other, X) == bytes_of(model, X) and other.facts_ == {"dataset": "mine"}
        assert list(other.feature_names_in_) == list(X.columns)
        for change in ({"order": "dynamic"}, {"order": "random", "order_seed": 4}, {"sigma": 0.1}):
            assert bytes_of(other.varied(**change), X) == bytes_of(model.varied(**change), X)
        with pytest.raises(ValueError, match="feature names"):
            other.predict(X.rename(columns={"a": "z"}))


def test_the_same_chain_gives_the_same_file(tmp_path):
    fitted()[0].save(tmp_path / "a.npz")
    fitted(n_jobs=2)[0].save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_classes_of_one_column_come_back(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.array(["low", "high", "middle"] * 10, dtype=object)
    model = RDTDynamicChain(n_estimators=5).fit(X, y)
    model.save(tmp_path / "chain.npz")
    other = RDTDynamicChain.load(tmp_path / "chain.npz")
    assert other.predict(X).tolist() == model.predict(X).tolist() and set(other.classes_) == set(y)


def test_a_chain_that_is_not_fitted_has_no_file(tmp_path):
    with pytest.raises(NotFittedError):
        RDTDynamicChain().save(tmp_path / "chain.npz")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("chain") / "chain.npz"
    model, X = fitted()
    model.save(path)
    return path, X


def test_damaged_and_foreign_files_are_refused(stored, tmp_path):
    content = stored[0].read_bytes()
    (tmp_path / "cut.npz").write_bytes(content[: len(content) // 2])
    write_arrays(tmp_path / "other.npz", "ensemble", {"a": np.zeros(1)})
    write_arrays(tmp_path / "none.npz", "chain", {"a": np.zeros(1)})
    for name in ("cut.npz", "other.npz", "none.npz", "missing.npz"):
        with pytest.raises(UserError, match=name):
            RDTDynamicChain.load(tmp_path / name)
    arrays, header = read_arrays(stored[0])
    for change in (
        {"method": "br"},
        {"parameters": {"trees": 3}},
        {"parameters": {"sigma": 3}},
        {"facts": 1},
    ):
        write_arrays(tmp_path / "wrong.npz", "chain", arrays, header | change)
        with pytest.raises(UserError, match=r"wrong.npz"):
            RDTDynamicChain.load(tmp_path / "wrong.npz")


@pytest.mark.kernel
@given(st.data())
@settings(max_examples=200, deadline=None)
def test_no_change_of_a_file_leads_a_kernel_astray(stored, tmp_path_factory, data):
    """A cell is changed and the checksum mended: the file is refused, or its trees can still be followed."""
    path, X = stored
    arrays, header = read_arrays(path)
    name = data.draw(st.sampled_from(sorted(each for each, one in arrays.items() if one.dtype.kind in "iuf")))
    array = arrays[name].copy()
    place = data.draw(st.integers(0, array.size - 1))
    if data.draw(st.booleans()):
        near = array[place] + np.array(data.draw(st.sampled_from([-2, -1, 1, 2]))).astype(array.dtype)
        array[place] = near
    else:
        other = data.draw(st.sampled_from([-(2**31), -7, 0, 5, 10**6, 2**31 - 1]))
        array[place] = np.array(other).astype(array.dtype)
    if data.draw(st.integers(0, 9)) == 0:
        array = array[:-1]
    changed = path.with_name("changed.npz")
    write_arrays(changed, "chain", arrays | {name: array}, header)
    try:
        model = RDTDynamicChain.load(changed)
    except UserError:
        return
    for order in ("dynamic", "random"):
        probabilities = model.varied(order=order).predict_proba(X)
        assert ((probabilities >= 0) & (probabilities <= 1)).all()
