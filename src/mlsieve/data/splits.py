"""Training and test part: the data's own, or a seeded one."""

from __future__ import annotations

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError, did_you_mean
from mlsieve.seeds import derive_seed

SPLITS = ("official", "holdout")


def split_dataset(
    dataset: Dataset, split: str = "official", *, study_seed: int = 0, repeat: int = 0
) -> Dataset:
    """Return the data set with the split asked for.

    Parameters
    ----------
    dataset : Dataset
    split : {"official", "holdout"}, default "official"
        official: the split that comes with the data; a seeded 2/3 - 1/3 for a catalog's set without one; a
        user's own file without a test part (``facts["whole"]``) stays whole. holdout: always a seeded 2/3 -
        1/3.
    study_seed : int, default 0
    repeat : int, default 0
        The seeded split depends on study seed, name of the data set and repeat only, so that all methods
        share it.

    Raises
    ------
    UserError
        For another split, or if a part of a seeded split would be empty.
    """
    if split not in SPLITS:
        raise UserError(f"unknown split '{split}'", cure=did_you_mean(split, SPLITS))
    if split == "official" and (dataset.official_split or dataset.facts.get("whole")):
        return dataset
    n = dataset.X.shape[0]
    if n < 2:
        raise UserError(
            f"data set '{dataset.name}' has {n} row(s): no training and test part", cure="give more rows"
        )
    mask = holdout_mask(n, derive_seed(study_seed, dataset.name, repeat))
    return dataset.with_split(mask, official=False)


def holdout_mask(n: int, seed: int) -> np.ndarray:
    """Return a mask of shape (n,), dtype bool, True for a random 2/3 of the rows (rounded to the nearest).

    Parameters
    ----------
    n : int
        At least 2, so that neither part is empty.
    seed : int
        In [0, 2**53).
    """
    n_train = min(max(round(n * 2 / 3), 1), n - 1)
    order = np.random.Generator(np.random.Philox(seed)).permutation(n)
    mask = np.zeros(n, dtype=bool)
    mask[order[:n_train]] = True
    return mask
