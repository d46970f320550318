"""The single-label classifiers of the baselines as arrays of files, which are checked where they are read."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlsieve.chains.classifiers import BoostedLabel, BoosterClassifier, Constant, Fitted
from mlsieve.chains.stored.boosted import models_from, state_of_models
from mlsieve.files.checked import require_counts, require_finite

Classifier = Constant | Fitted | BoostedLabel
_TREES = ("decision-tree", "random-forest")


def state_of_classifiers(classifiers: Sequence[Classifier], base: Any) -> dict[str, np.ndarray]:
    """Return the arrays by which a file holds classifiers.

    Parameters
    ----------
    classifiers : sequence of Constant, Fitted or BoostedLabel
    base : str or estimator
        What they were fitted as, see `mlsieve.chains.classifiers.BASES`.

    Raises
    ------
    InvalidSetting
        If an estimator of one's own holds what has no place in a file.
    """
    constant = [one.value if isinstance(one, Constant) else -1 for one in classifiers]
    found = {"constant": np.array(constant, np.int64)}
    learnt = [
        one.booster if isinstance(one, BoostedLabel) else one.classifier
        for one in classifiers
        if not isinstance(one, Constant)
    ]
    if not isinstance(base, str):
        own = importlib.import_module("mlsieve.chains.estimators.own_classifiers")
        return found | {"own": own.packed(base, learnt)}
    if base in _TREES:
        forests = importlib.import_module("mlsieve.chains.estimators.forest_files")
        return found | forests.state_of_forests(learnt)
    if base == "xgboost":
        from mlsieve.chains.stored.xgboost_models import state_of_boosters

        return found | state_of_boosters(learnt)
    found |= state_of_models([one.trees for one in learnt])
    return found | {"margins": np.concatenate([np.empty(0, np.float32), *(one.margins for one in learnt)])}


def classifiers_from(
    arrays: Mapping[str, np.ndarray],
    base: Any,
    *,
    widths: Sequence[int],
    n_classes: int,
    options: Mapping[str, Any],
    alone: bool,
) -> tuple[Any, list[Classifier]]:
    """Return the base and the classifiers of which `state_of_classifiers` made arrays.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    base : str or None
        None for an estimator of one's own.
    widths : sequence of int
        The number of columns that each classifier sees.
    n_classes : int
    options : mapping
        As of `mlsieve.chains.classifiers.fit_classifier`.
    alone : bool
        Whether XGBoost was called for each label by itself, see `mlsieve.chains.classifiers.boost_labels`.

    Raises
    ------
    ValueError, KeyError, UserError
        If something is missing or of another kind, or leads to where there is nothing.
    MissingPackage
        If XGBoost is needed and not installed.
    """
    constant = arrays["constant"]
    require_counts("classes", constant, len(widths), least=-1, most=n_classes - 1)
    some = np.flatnonzero(constant < 0)
    own_widths = [widths[place] for place in some.tolist()]
    learnt: list[Any]
    if base is None:
        own = importlib.import_module("mlsieve.chains.estimators.own_classifiers")
        base, learnt = own.unpacked(arrays["own"], own_widths, n_classes)
    elif base in _TREES:
        forests = importlib.import_module("mlsieve.chains.estimators.forest_files")
        learnt = forests.forests_from(arrays, own_widths, n_classes)
    elif base == "xgboost":
        from mlsieve.chains.stored.xgboost_models import boosters_from

        learnt = boosters_from(arrays, own_widths, n_classes, alone=alone)
    else:
        learnt = _boosters(arrays, own_widths, n_classes, options)
    wrapped = iter([BoostedLabel(one) if base == "xgboost" and alone else Fitted(one) for one in learnt])
    return base, [next(wrapped) if value < 0 else Constant(value) for value in constant.tolist()]


def _boosters(
    arrays: Mapping[str, np.ndarray], widths: Sequence[int], n_classes: int, options: Mapping[str, Any]
) -> list[BoosterClassifier]:
    n_labels = 1 if n_classes == 2 else n_classes
    margins = arrays["margins"]
    if margins.shape != (n_labels * len(widths),) or margins.dtype != np.float32:
        raise ValueError("its boosters have no margins")
    require_finite("its margins", margins)
    models = models_from(arrays, widths, n_labels)
    parts = zip(models, margins.reshape(len(widths), n_labels), widths, strict=True)
    return [BoosterClassifier.of(options, n_classes, *part) for part in parts]
