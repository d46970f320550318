"""scikit-learn's handwritten digits as multi-label datasets, flat and with a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import holdout_mask
from mlsieve.hierarchy import Hierarchy
from mlsieve.seeds import derive_seed

DIGIT_LABELS: dict[str, tuple[int, ...]] = {
    "even": (0, 2, 4, 6, 8),
    "prime": (2, 3, 5, 7),
    "below-five": (0, 1, 2, 3, 4),
    "multiple-of-three": (0, 3, 6, 9),
    "square": (0, 1, 4, 9),
    "power-of-two": (1, 2, 4, 8),
    "closed-loop": (0, 6, 8, 9),
}
# Digits that belong to a class, and the classes directly above it: what any number of the class is, too.
DIGIT_CLASSES: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "even": ((0, 2, 4, 6, 8), ()),
    "odd": ((1, 3, 5, 7, 9), ()),
    "multiple-of-three": ((0, 3, 6, 9), ()),
    "prime": ((2, 3, 5, 7), ()),
    "square": ((0, 1, 4, 9), ()),
    "multiple-of-four": ((0, 4, 8), ("even",)),
    "multiple-of-six": ((0, 6), ("even", "multiple-of-three")),
    "multiple-of-nine": ((0, 9), ("multiple-of-three",)),
    "odd-prime": ((3, 5, 7), ("odd", "prime")),
    "even-square": ((0, 4), ("multiple-of-four", "square")),
    "zero": ((0,), ("multiple-of-six", "multiple-of-nine", "even-square")),
    "one": ((1,), ("odd", "square")),
    "two": ((2,), ("even", "prime")),
    "three": ((3,), ("multiple-of-three", "odd-prime")),
    "four": ((4,), ("even-square",)),
    "five": ((5,), ("odd-prime",)),
    "six": ((6,), ("multiple-of-six",)),
    "seven": ((7,), ("odd-prime",)),
    "eight": ((8,), ("multiple-of-four",)),
    "nine": ((9,), ("odd", "square", "multiple-of-nine")),
}
_DIGITS_REFERENCE = (
    "Alpaydin & Kaynak (1998), Optical recognition of handwritten digits, UCI Machine Learning Repository"
)


def make_digits(seed: int = 0, *, permute_labels: bool = False) -> Dataset:
    """Return scikit-learn's handwritten digits with labels read off the digit.

    1797 images of 8 x 8 pixels with values in [0, 16]; the labels are properties of the digit shown, such as
    even or prime.

    Parameters
    ----------
    seed : int, default 0
        Of the split (and of the shuffling).
    permute_labels : bool, default False
        Shuffle the rows of Y.

    Returns
    -------
    Dataset
    """
    return _digits("digits-mlc", DIGIT_LABELS, None, seed, permute_labels)


def make_digits_hierarchical(seed: int = 0, *, permute_labels: bool = False) -> Dataset:
    """Return scikit-learn's handwritten digits with a hierarchy of classes read off the digit.

    The images of `make_digits`. The classes are the digits, below kinds of numbers such as even, multiple of
    six or odd prime, which are below more general ones: a graph, since a multiple of six is even and a
    multiple of three. An example's most specific class is its digit.

    Parameters
    ----------
    seed, permute_labels
        As for `make_digits`.

    Returns
    -------
    Dataset
    """
    hierarchy = Hierarchy.from_parents({name: above for name, (_, above) in DIGIT_CLASSES.items()})
    members = {name: digits for name, (digits, _) in DIGIT_CLASSES.items()}
    return _digits("digits-hmlc", members, hierarchy, seed, permute_labels)


def _digits(
    name: str,
    classes: Mapping[str, tuple[int, ...]],
    hierarchy: Hierarchy | None,
    seed: int,
    permute_labels: bool,
) -> Dataset:
    from sklearn.datasets import load_digits

    digits = load_digits()
    Y = np.stack([np.isin(digits.target, members) for members in classes.values()], axis=1)
    if permute_labels:
        generator = np.random.Generator(np.random.Philox(derive_seed(seed, name)))
        Y = generator.permutation(Y)
    labels = sp.csr_array(Y.astype(np.uint8))
    labels.sort_indices()
    n, width = digits.data.shape
    return Dataset(
        name=name,
        X=np.ascontiguousarray(digits.data, dtype=np.float64),
        Y=labels,
        train_mask=holdout_mask(n, derive_seed(seed, name, "split")),
        nominal=np.zeros(width, dtype=bool),
        categories=((),) * width,
        feature_names=tuple(f"pixel_{k // 8}_{k % 8}" for k in range(width)),
        label_names=tuple(classes),
        task="mlc" if hierarchy is None else "hmlc",
        hierarchy=hierarchy,
        facts={"seed": int(seed), "permuted": permute_labels, "reference": _DIGITS_REFERENCE},
    )
