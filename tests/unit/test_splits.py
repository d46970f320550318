"""Official and seeded splits."""

from __future__ import annotations

import dataclasses
import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlsieve.data import load_dataset, split_dataset
from mlsieve.data.generated.synthetic import make_linear
from mlsieve.data.splits import holdout_mask
from mlsieve.errors import UserError


def test_official_keeps_what_comes_with_the_data():
    dataset = load_dataset("synthetic-linear")
    assert split_dataset(dataset, "official", study_seed=9, repeat=3) is dataset


def test_a_users_own_file_stays_whole(tiny_dataset):
    assert split_dataset(tiny_dataset).train_mask.all()
    split = split_dataset(tiny_dataset, "holdout")
    assert split.train_mask.sum() == 3 and not split.official_split


def test_a_catalogs_set_without_split_gets_a_seeded_one():
    dataset = make_linear().with_split(np.ones(500, dtype=bool))
    masks = [
        split_dataset(dataset, study_seed=seed, repeat=repeat).train_mask
        for seed in (0, 1)
        for repeat in (0, 1)
    ]
    assert all(mask.sum() == 333 for mask in masks)
    assert len({mask.tobytes() for mask in masks}) == 4
    np.testing.assert_array_equal(masks[0], split_dataset(dataset, "holdout").train_mask)


def test_a_holdout_depends_on_study_seed_name_and_repeat_and_on_nothing_else():
    dataset = make_linear()

    def mask(name="synthetic-linear", seed=4, repeat=2, of=dataset):
        renamed = dataclasses.replace(of, name=name)
        return split_dataset(renamed, "holdout", study_seed=seed, repeat=repeat).train_mask

    assert not np.array_equal(mask(), mask(name="synthetic-noise"))
    assert not np.array_equal(mask(), mask(seed=5))
    assert not np.array_equal(mask(), mask(repeat=3))
    np.testing.assert_array_equal(mask(), mask(of=split_dataset(dataset, "holdout", repeat=5)))
    # Rows that a permutation seeded by the first 53 bits of the hash puts among the first 333.
    digest = hashlib.sha256(b"4\x1fsynthetic-linear\x1f2").digest()
    np.testing.assert_array_equal(mask(), holdout_mask(500, int.from_bytes(digest[:8], "big") >> 11))


@given(n=st.integers(2, 300), seed=st.integers(0, 2**53 - 1))
def test_holdout_mask(n, seed):
    mask = holdout_mask(n, seed)
    assert 1 <= mask.sum() <= n - 1 and abs(mask.sum() - n * 2 / 3) <= 0.5
    np.testing.assert_array_equal(mask, holdout_mask(n, seed))


def test_bad_splits(tiny_dataset):
    with pytest.raises(UserError, match="unknown split 'oficial'; did you mean 'official'"):
        split_dataset(tiny_dataset, "oficial")


def test_one_row_cannot_be_split(tmp_path):
    path = tmp_path / "one.arff"
    path.write_text("@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,0\n")
    with pytest.raises(UserError, match=r"dataset 'one' has 1 row, too few"):
        split_dataset(load_dataset(path, label_count=-1), "holdout")
