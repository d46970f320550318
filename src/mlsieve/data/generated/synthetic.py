"""Synthetic datasets with known relevant, redundant and irrelevant features.

Each generator is a function of a seed. The catalog's embedded sets are these functions at seed 0, with the
fixed 2/3 - 1/3 split that they make. ``facts["relevant"]`` and ``facts["redundant"]`` hold column indices;
all other columns are irrelevant: they are independent of the labels. The columns are shuffled, so that their
order carries no information.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.data.generated._synthetic_parts import dense_dataset, generator_of, neighbour_sums, upper_share
from mlsieve.data.generated.digits import DIGIT_LABELS, make_digits, make_digits_hierarchical
from mlsieve.errors import UserError, did_you_mean
from mlsieve.hierarchy import Hierarchy

__all__ = [
    "DIGIT_LABELS",
    "EMBEDDED",
    "KNOWN_RELEVANCE",
    "make_digits",
    "make_digits_hierarchical",
    "make_embedded",
    "make_hierarchical",
    "make_interaction",
    "make_linear",
    "make_mixed",
    "make_noise",
    "make_redundant",
    "make_sparse",
]

_WORDS = ("low", "mid", "high", "top", "peak")


def make_linear(
    seed: int = 0,
    *,
    n_samples: int = 500,
    n_relevant: int = 6,
    n_irrelevant: int = 34,
    n_labels: int = 6,
    permute_labels: bool = False,
) -> Dataset:
    """Return data whose labels are thresholds of two relevant features each.

    Label j is set where ``x_j + x_(j+1)/2`` (relevant features, cyclic) lies in its upper 40 percent.

    Parameters
    ----------
    seed : int, default 0
    n_samples, n_relevant, n_irrelevant, n_labels : int
        All features are standard normal.
    permute_labels : bool, default False
        Shuffle the rows of Y, so that no feature is relevant in truth.

    Returns
    -------
    Dataset
    """
    rng = generator_of("synthetic-linear", seed)
    signal = rng.standard_normal((n_samples, n_relevant))
    Y = upper_share(neighbour_sums(signal, n_labels), 0.4)
    noise = rng.standard_normal((n_samples, n_irrelevant))
    groups = {"relevant": signal, "irrelevant": noise}
    return dense_dataset("synthetic-linear", seed, rng, groups, Y, permute_labels)


def make_interaction(
    seed: int = 0,
    *,
    n_samples: int = 600,
    n_pairs: int = 3,
    n_irrelevant: int = 18,
    n_labels: int = 4,
    permute_labels: bool = False,
) -> Dataset:
    """Return data whose labels are exclusive-ors of pairs of features.

    Label j is set where both features of pair ``j mod n_pairs`` have the same sign, turned over for every
    second round of pairs, with 5 percent of the entries flipped. No relevant feature has a relation to a
    label on its own.

    Parameters
    ----------
    seed, permute_labels
        As for `make_linear`.
    n_samples, n_pairs, n_irrelevant, n_labels : int
        All features are standard normal.

    Returns
    -------
    Dataset
    """
    rng = generator_of("synthetic-interaction", seed)
    signal = rng.standard_normal((n_samples, 2 * n_pairs))
    same = signal[:, 0::2] * signal[:, 1::2] > 0
    Y = np.stack([same[:, j % n_pairs] ^ bool((j // n_pairs) % 2) for j in range(n_labels)], axis=1)
    Y ^= rng.random(Y.shape) < 0.05
    noise = rng.standard_normal((n_samples, n_irrelevant))
    groups = {"relevant": signal, "irrelevant": noise}
    return dense_dataset("synthetic-interaction", seed, rng, groups, Y, permute_labels)


def make_redundant(
    seed: int = 0,
    *,
    n_samples: int = 450,
    n_relevant: int = 5,
    n_redundant: int = 15,
    n_irrelevant: int = 20,
    n_labels: int = 5,
    permute_labels: bool = False,
) -> Dataset:
    """Return data in which most informative features repeat others.

    Labels as in `make_linear`. A redundant feature is the mean of two relevant ones, the first of weight 3,
    plus a little noise (standard deviation 0.2).

    Parameters
    ----------
    seed, permute_labels
        As for `make_linear`.
    n_samples, n_relevant, n_redundant, n_irrelevant, n_labels : int

    Returns
    -------
    Dataset
    """
    rng = generator_of("synthetic-redundant", seed)
    signal = rng.standard_normal((n_samples, n_relevant))
    Y = upper_share(neighbour_sums(signal, n_labels), 0.35)
    first = np.arange(n_redundant) % n_relevant
    second = (first + 1 + np.arange(n_redundant) // n_relevant) % n_relevant
    copies = 0.75 * signal[:, first] + 0.25 * signal[:, second]
    copies += 0.2 * rng.standard_normal(copies.shape)
    noise = rng.standard_normal((n_samples, n_irrelevant))
    groups = {"relevant": signal, "redundant": copies, "irrelevant": noise}
    return dense_dataset("synthetic-redundant", seed, rng, groups, Y, permute_labels)


def make_noise(
    seed: int = 0,
    *,
    n_samples: int = 500,
    n_relevant: int = 8,
    n_irrelevant: int = 24,
    n_labels: int = 8,
    flipped: float = 0.15,
    permute_labels: bool = False,
) -> Dataset:
    """Return data as those of `make_linear` with noise in the labels.

    Parameters
    ----------
    seed, permute_labels
        As for `make_linear`.
    n_samples, n_relevant, n_irrelevant, n_labels : int
    flipped : float, default 0.15
        Probability in [0, 1] with which an entry of Y is turned over.

    Returns
    -------
    Dataset
    """
    rng = generator_of("synthetic-noise", seed)
    signal = rng.standard_normal((n_samples, n_relevant))
    Y = upper_share(neighbour_sums(signal, n_labels), 0.3)
    Y ^= rng.random(Y.shape) < flipped
    noise = rng.standard_normal((n_samples, n_irrelevant))
    groups = {"relevant": signal, "irrelevant": noise}
    return dense_dataset("synthetic-noise", seed, rng, groups, Y, permute_labels)


def make_sparse(
    seed: int = 0,
    *,
    n_samples: int = 500,
    n_topics: int = 6,
    words_per_topic: int = 4,
    n_common: int = 36,
    permute_labels: bool = False,
) -> Dataset:
    """Return text-like data in CSR: counts of words whose frequencies follow Zipf's law.

    A document has one to three topics, which are its labels, the first topics more often. Each topic raises
    the rate of its own words; common words have the rate ``2 / rank`` in every document.

    Parameters
    ----------
    seed, permute_labels
        As for `make_linear`.
    n_samples, n_topics, words_per_topic : int
        The topics' words are the relevant features.
    n_common : int
        Number of common words, the irrelevant features.

    Returns
    -------
    Dataset
    """
    rng = generator_of("synthetic-sparse", seed)
    popularity = 1.0 / np.arange(2, n_topics + 2)
    popularity /= popularity.sum()
    Y = np.zeros((n_samples, n_topics), dtype=bool)
    for row, size in enumerate(rng.choice([1, 2, 3], size=n_samples, p=[0.6, 0.3, 0.1])):
        Y[row, rng.choice(n_topics, size=min(size, n_topics), replace=False, p=popularity)] = True
    strength = np.tile(1.6 / np.sqrt(np.arange(1, words_per_topic + 1)), n_topics)
    owner = np.repeat(np.arange(n_topics), words_per_topic)
    topical = rng.poisson(0.02 + strength * Y[:, owner])
    common = rng.poisson(2.0 / np.arange(1, n_common + 1), size=(n_samples, n_common))
    groups = {"relevant": topical.astype(float), "irrelevant": common.astype(float)}
    return dense_dataset("synthetic-sparse", seed, rng, groups, Y, permute_labels, sparse=True)


def make_mixed(
    seed: int = 0,
    *,
    n_samples: int = 400,
    n_relevant: int = 8,
    n_irrelevant: int = 20,
    n_labels: int = 5,
    missing: float = 0.05,
    permute_labels: bool = False,
) -> Dataset:
    """Return data with numeric and nominal features and missing values.

    Labels as in `make_linear`, before every second feature of each group is cut into 2 to 5 equally frequent
    categories and cells are removed at random. One relevant nominal feature has its categories in shuffled
    order.

    Parameters
    ----------
    seed, permute_labels
        As for `make_linear`.
    n_samples, n_relevant, n_irrelevant, n_labels : int
    missing : float, default 0.05
        Share in [0, 1) of the cells that are missing.

    Returns
    -------
    Dataset
    """
    rng = generator_of("synthetic-mixed", seed)
    signal = rng.standard_normal((n_samples, n_relevant))
    Y = upper_share(neighbour_sums(signal, n_labels), 0.4)
    noise = rng.standard_normal((n_samples, n_irrelevant))
    groups = {"relevant": signal, "irrelevant": noise}
    categories: list[tuple[str, ...]] = []
    for values in groups.values():
        for column in range(values.shape[1]):
            size = 2 + (column // 2) % 4 if column % 2 else 0
            categories.append(_WORDS[:size])
            if size:
                cuts = np.quantile(values[:, column], np.arange(1, size) / size)
                values[:, column] = np.searchsorted(cuts, values[:, column])
    places = rng.permutation(len(categories[n_relevant - 1]))
    if len(places):
        signal[:, -1] = places[signal[:, -1].astype(int)]
    for values in groups.values():
        values[rng.random(values.shape) < missing] = np.nan
    return dense_dataset("synthetic-mixed", seed, rng, groups, Y, permute_labels, categories=categories)


def make_hierarchical(
    seed: int = 0,
    *,
    n_samples: int = 500,
    n_top: int = 3,
    n_below: int = 3,
    n_irrelevant: int = 27,
    permute_labels: bool = False,
) -> Dataset:
    """Return data with a hierarchy of classes in which each class has one relevant feature.

    There are `n_top` top-level classes, `n_below` classes below each, and a class below the first two
    top-level ones at once, so that the hierarchy is a graph. An example belongs to a class if it belongs to
    all classes directly above and the class's feature is positive.

    Parameters
    ----------
    seed, permute_labels
        As for `make_linear`.
    n_samples, n_top, n_below, n_irrelevant : int
        At least two top-level classes. All features are standard normal.

    Returns
    -------
    Dataset
    """
    tops = [f"class_{i}" for i in range(n_top)]
    parents: dict[str, list[str]] = {top: [] for top in tops}
    parents |= {f"{top}_{j}": [top] for top in tops for j in range(n_below)}
    parents["class_0_and_1"] = tops[:2]
    hierarchy = Hierarchy.from_parents(parents)
    rng = generator_of("synthetic-hierarchical", seed)
    signal = rng.standard_normal((n_samples, hierarchy.n_classes))
    Y = signal > 0
    for c in hierarchy.topological_order:
        Y[:, c] &= Y[:, hierarchy.parents(c)].all(axis=1)
    noise = rng.standard_normal((n_samples, n_irrelevant))
    groups = {"relevant": signal, "irrelevant": noise}
    return dense_dataset("synthetic-hierarchical", seed, rng, groups, Y, permute_labels, hierarchy=hierarchy)


EMBEDDED: dict[str, Callable[..., Dataset]] = {
    "digits-mlc": make_digits,
    "digits-hmlc": make_digits_hierarchical,
    "synthetic-hierarchical": make_hierarchical,
    "synthetic-interaction": make_interaction,
    "synthetic-linear": make_linear,
    "synthetic-mixed": make_mixed,
    "synthetic-noise": make_noise,
    "synthetic-redundant": make_redundant,
    "synthetic-sparse": make_sparse,
}
# Embedded datasets whose facts list the relevant and the redundant features.
KNOWN_RELEVANCE = frozenset(EMBEDDED) - {"digits-mlc", "digits-hmlc"}


def make_embedded(id: str, seed: int = 0, **parameters: Any) -> Dataset:
    """Return an embedded dataset by id.

    Parameters
    ----------
    id : str
        A key of `EMBEDDED`.
    seed : int, default 0
        The catalog's sets have seed 0.
    **parameters
        Of the generator.

    Raises
    ------
    UserError
        If there is no such set.
    """
    if id not in EMBEDDED:
        raise UserError(f"no embedded dataset '{id}'", hint=did_you_mean(id, list(EMBEDDED)))
    return EMBEDDED[id](seed, **parameters)
