"""Small problems for random decision trees: features of all kinds, missing cells, labels; settings."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from mlsieve.chains.random_trees import grow_trees


@st.composite
def problems(draw):
    """Features of all kinds with missing cells, and labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, F, L = draw(st.integers(1, 60)), draw(st.integers(1, 6)), draw(st.integers(2, 6))
    X = rng.integers(0, draw(st.integers(1, 5)), (n, F)).astype(float)
    discrete = rng.random(F) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    X[:, ~discrete] *= rng.choice([0.25, 1.0, -3.0], (~discrete).sum())
    X *= rng.random((n, F)) < draw(st.sampled_from([0.1, 1.0]))
    X[rng.random((n, F)) < draw(st.sampled_from([0.0, 0.0, 0.3]))] = np.nan
    Y = (rng.random((n, L)) < rng.random(L)).astype(np.uint8)
    counts = np.where(discrete, np.maximum(2, 1 + np.nan_to_num(X).max(axis=0)), 0).astype(np.int32)
    return X, Y, discrete, counts


SETTINGS = st.fixed_dictionaries(
    {
        "p": st.sampled_from([0.0, 0.3, 1.0]),
        "max_depth": st.sampled_from([1, 3, 30]),
        "max_leaf": st.sampled_from([1, 5]),
        "redraw": st.sampled_from(["thresholds", "all"]),
        "seed": st.integers(0, 2**40),
    }
)


def grow(problem, settings, n_trees=3, sparse=False, **more):
    X, Y, discrete, counts = problem
    settings = dict(settings)
    label_share = settings.pop("p")
    return grow_trees(
        sp.csr_array(X) if sparse else X,
        sp.csr_array(Y),
        n_trees=n_trees,
        discrete=discrete,
        category_counts=counts,
        label_share=label_share,
        **settings,
        **more,
    )
