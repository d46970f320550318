"""Labels for which a measure with a value for each label has none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlsieve.measures._choose import Measure

_LACKING = {"no positive": "positive", "one class": "positive or no negative"}  # by what is true alone


def undefined_labels(kind: str, truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return which labels have no value, bool of shape (L,).

    Parameters
    ----------
    kind : str
        The fact ``undefined`` of `mlsieve.registry.facts.MeasureFacts`; "" is none of them.
    truth, predicted : ndarray of bool, shape (n, L)
    """
    lacking = {
        "no positive": lambda: ~truth.any(axis=0),
        "one class": lambda: ~truth.any(axis=0) | truth.all(axis=0),
        "not predicted": lambda: ~predicted.any(axis=0),
        "neither": lambda: ~(truth | predicted).any(axis=0),
    }
    return lacking[kind]() if kind else np.zeros(truth.shape[1], bool)


def counted_as_undefined(measures: Sequence[Measure], counts: Sequence[int], among: str) -> list[str]:
    """Return a sentence on each measure that counts labels without a value of their own, by its definition.

    Parameters
    ----------
    measures : sequence of Measure
    counts : sequence of int
        How many labels have no value.
    among : str
        Of how many, and where: ``6 labels of folds``.
    """
    found = []
    for measure, count in zip(measures, counts, strict=True):
        value, lacks = measure.facts.undefined_counts, _LACKING.get(measure.facts.undefined)
        if count and value is not None and lacks:
            have, them = ("has", "it") if count == 1 else ("have", "them")
            found.append(
                f"{measure.id} counts {value:g} for {count} of {among}, which {have} no {lacks} example there"
                f" (definition {measure.definition}; textbook leaves {them} out)"
            )
    return found
