"""Methods that predict label sets, most of them along a chain of labels.

A method is one module here with one decorator on its scikit-learn estimator::

    @register.chain("my-chain", version=1, smoke={"max_depth": 2}, short={"depth": "max_depth"})
    class MyChain(LabelChain):
        def __init__(self, *, max_depth: Annotated[int, AtLeast(1)] = 6, random_state=0): ...

The estimator has ``fit(X, Y)``, ``predict(X)`` and ``predict_proba(X)``, all of shape (n, L). It may have
``predict_sequence(X)``, a `LabelSequence`, and ``predict_all(X)``, a `ChainPrediction`, which has all three
from one pass. `mlsieve.chains.estimator.LabelChain` makes all of them from two methods. The command fills in
``random_state``, ``n_jobs``, ``nominal`` and ``n_categories`` where ``__init__`` has them, and
``progress(done, total)`` where ``fit`` has it. Other parameters with a type are options of ``--set``.

The methods of mlsieve register a `mlsieve.chains.learner.Learner`, which needs no scikit-learn, and name
their estimator by the fact ``estimator="mlsieve.chains:NAME"``: so no command that only looks them up, or
ranks features by them, waits for scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import Any

from mlsieve.chains.sequence import ChainPrediction, LabelSequence

# Each imports scikit-learn, and so waits until it is asked for.
_ESTIMATORS = {
    "MultiLabelXGB": "mlsieve.chains.estimators.boosted",
    "RDTDynamicChain": "mlsieve.chains.estimators.rdt",
    "XDCC": "mlsieve.chains.estimators.boosted",
    "BinaryRelevance": "mlsieve.chains.estimators.baselines",
    "ClassifierChain": "mlsieve.chains.estimators.baselines",
    "LabelPowerset": "mlsieve.chains.estimators.baselines",
}

__all__ = ["ChainPrediction", "LabelSequence", *_ESTIMATORS]


def __getattr__(name: str) -> Any:
    """Import an estimator when it is asked for."""
    if name not in _ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_ESTIMATORS[name]), name)
