"""Seeds: a hash of the names of what is random, never a running counter.

A split's seed depends on (study seed, dataset, repeat); an ensemble's on (study seed, dataset, split,
ensemble).
"""

from __future__ import annotations

import hashlib

_LIBRARY_SEEDS = 2**31


def derive_seed(study_seed: int, *names: object) -> int:
    """Return a seed in [0, 2**53) that depends on nothing but its arguments.

    Parameters
    ----------
    study_seed : int
        The one seed of a study.
    *names : object
        What the random numbers are for, e.g. ``"emotions", "official", "random-forest"``; compared by
        ``str``.
    """
    text = "\x1f".join([str(int(study_seed)), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 11


def library_seed(seed: int) -> int:
    """Return a seed in [0, 2**31), which scikit-learn, XGBoost and NumPy's RandomState accept.

    Parameters
    ----------
    seed : int
        Not negative; one below 2**31 stays as it is.
    """
    return seed % _LIBRARY_SEEDS
