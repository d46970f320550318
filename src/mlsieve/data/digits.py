"""scikit-learn's handwritten digits as a multi-label data set."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import holdout_mask
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
    from sklearn.datasets import load_digits

    digits = load_digits()
    Y = np.stack([np.isin(digits.target, members) for members in DIGIT_LABELS.values()], axis=1)
    if permute_labels:
        generator = np.random.Generator(np.random.Philox(derive_seed(seed, "digits-mlc")))
        Y = generator.permutation(Y)
    labels = sp.csr_array(Y.astype(np.uint8))
    labels.sort_indices()
    n, width = digits.data.shape
    return Dataset(
        name="digits-mlc",
        X=np.ascontiguousarray(digits.data, dtype=np.float64),
        Y=labels,
        train_mask=holdout_mask(n, derive_seed(seed, "digits-mlc", "split")),
        nominal=np.zeros(width, dtype=bool),
        categories=((),) * width,
        feature_names=tuple(f"pixel_{k // 8}_{k % 8}" for k in range(width)),
        label_names=tuple(DIGIT_LABELS),
        facts={"seed": int(seed), "permuted": permute_labels, "reference": _DIGITS_REFERENCE},
    )
