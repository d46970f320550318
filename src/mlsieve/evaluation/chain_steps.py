"""What the steps of a chain set, over the examples of a test part."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlsieve.chains.orders import mean_positions
from mlsieve.chains.sequence import LabelSequence
from mlsieve.evaluation.chain_tuning import label_positives


def step_rows(sequence: LabelSequence, truth: np.ndarray) -> Iterator[dict[str, float | int | None]]:
    """Yield a row for each step of a chain: the last columns of chain_steps.csv.

    Parameters
    ----------
    sequence : LabelSequence
        Of n examples and K steps.
    truth : ndarray of bool, shape (n, L)

    Yields
    ------
    dict
        step : from 1.
        set : share of the examples that set a label.
        accuracy : share of these that set it rightly; None without any.
        positive : share of all examples that set a label positive.
        positives : mean number of labels set positive so far.
        positive_share, negative_share : of all labels set positive (negative) in the whole sequence, the
        share that is set so far; None without any.
        cardinality : mean expected cardinality; None where the method has none.
    """
    n, length = sequence.labels.shape
    is_set = sequence.labels >= 0
    positive = sequence.positive & is_set
    own_truth = np.take_along_axis(truth, np.where(is_set, sequence.labels, 0).astype(np.int64), axis=1)
    right = is_set & (positive == own_truth)
    n_set, n_right, n_positive = (part.sum(axis=0) for part in (is_set, right, positive))
    so_far, negative_so_far = np.cumsum(n_positive), np.cumsum(n_set - n_positive)
    for step in range(length):
        mean = None if sequence.cardinality is None else float(np.mean(sequence.cardinality[:, step]))
        yield {
            "step": step + 1,
            "set": int(n_set[step]) / n,
            "accuracy": _share(n_right[step], n_set[step]),
            "positive": int(n_positive[step]) / n,
            "positives": int(so_far[step]) / n,
            "positive_share": _share(so_far[step], so_far[-1]),
            "negative_share": _share(negative_so_far[step], negative_so_far[-1]),
            "cardinality": mean,
        }


def label_rows(sequence: LabelSequence, n_labels: int) -> Iterator[dict[str, float | int]]:
    """Yield a row for each label: its mean position in a chain, and how often it is set positive."""
    positions = mean_positions(sequence.labels, n_labels).tolist()
    shares = label_positives(sequence, n_labels).tolist()
    for label, (position, share) in enumerate(zip(positions, shares, strict=True)):
        yield {"label": label, "position": position, "positive_share": share}


def _share(part: np.integer, whole: np.integer) -> float | None:
    return int(part) / int(whole) if whole else None
