"""Training and test part: the data's own, or a seeded one."""

from __future__ import annotations

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError, did_you_mean, number_of
from mlsieve.seeds import derive_seed

SPLITS = ("official", "holdout")
TRAIN_SHARE = 2 / 3


def split_dataset(
    dataset: Dataset,
    split: str = "official",
    *,
    study_seed: int = 0,
    repeat: int = 0,
    train_share: float = TRAIN_SHARE,
) -> Dataset:
    """Return the dataset with the split asked for.

    Parameters
    ----------
    dataset : Dataset
    split : {"official", "holdout"}, default "official"
        official: the split that comes with the data; a seeded one for a catalog's set without one; a user's
        own file without a test part (``facts["whole"]``) stays whole. holdout: always a seeded one.
    study_seed : int, default 0
    repeat : int, default 0
        The seeded split depends on study seed, name of the dataset and repeat only, so that all methods
        share it.
    train_share : float, default 2/3
        Share of the rows that a seeded split learns from, within (0, 1).

    Raises
    ------
    UserError
        For another split or share, or if a part of a seeded split would be empty.
    """
    if split not in SPLITS:
        raise UserError(f"unknown split '{split}'", hint=did_you_mean(split, SPLITS))
    if not 0 < train_share < 1:
        raise UserError(
            f"training share must be above 0 and below 1, got {train_share:g}", hint="give e.g. 0.7"
        )
    if split == "official" and (dataset.official_split or dataset.facts.get("whole")):
        return dataset
    n = dataset.X.shape[0]
    if n < 2:
        raise UserError(
            f"dataset '{dataset.name}' has {number_of(n, 'row')}, too few for a training and a test part",
            hint="give more rows",
        )
    mask = holdout_mask(n, derive_seed(study_seed, dataset.name, repeat), train_share)
    return dataset.with_split(mask, official=False)


def holdout_mask(n: int, seed: int, train_share: float = TRAIN_SHARE) -> np.ndarray:
    """Return a mask of shape (n,), dtype bool, True for a random share of the rows (rounded to the nearest).

    Parameters
    ----------
    n : int
        At least 2, so that neither part is empty.
    seed : int
        In [0, 2**53).
    train_share : float
        Within (0, 1).
    """
    n_train = min(max(round(n * train_share), 1), n - 1)
    order = np.random.Generator(np.random.Philox(seed)).permutation(n)
    mask = np.zeros(n, dtype=bool)
    mask[order[:n_train]] = True
    return mask
