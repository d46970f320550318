"""What jobs of tuning and of testing methods that predict label sets are expected to cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mlsieve.costs.model import Cost, Task
from mlsieve.study.chains.entries import ChainMethod, Point

# CPU seconds of a job without its work, and of the work's units; read off single jobs.
_JOB = 0.5
_VALUE, _VALUE_LABEL = 8e-9, 1.1e-10  # boosting: a stored value, level and round; and a label of these
_LABEL_FEATURE = 1.2e-9  # boosting: an example, label feature, level, round and label
_IN_DOUBLE = 2.0  # boosting as the authors' program does it, over boosting in single precision
_SINGLE = 4e-9  # boosting one label: a stored value, level and round
_TREE = 6e-9  # a stored value and level
_GROWN = 2e-8  # random decision trees: an example, tree and level
# An example reaches more leaves of a random decision tree the more examples it was grown on.
_WALKED, _REACHED = 3e-7, 6e-10  # an example and tree; an example, tree and example of training
_WALKS = 0.8  # share of finding the leaves, which all that a variant predicts does once
# Megabytes of a job without its data, and of each stored value and cell of the labels.
_MEGABYTES, _PER_VALUE, _PER_LABEL_CELL = 190.0, 4e-5, 6e-5
_TUNED_ON = 0.8


def tuning_cost(task: Task, point: Point) -> Cost:
    """Return the cost of measuring one point of a grid.

    Parameters
    ----------
    task : Task
        Of the dataset and split.
    point : Point
    """
    settings = dict(point.settings)
    fit = _fit_seconds(point.method, settings, task, _TUNED_ON * task.n_train)
    predicted = len(point.predicting) * _prediction_seconds(
        point.method, settings, task, (1 - _TUNED_ON) * task.n_train
    )
    return _cost(task, _JOB + fit + predicted)


def testing_cost(task: Task, method: ChainMethod) -> Cost:
    """Return the cost of training a method and of testing what is predicted with it.

    Parameters
    ----------
    task : Task
        Of the dataset and split.
    method : ChainMethod
    """
    point = method.read_points[-1] if method.read_points else None
    chosen = (
        {}
        if point is None
        else {name: point.settings[name] for name in method.grid_names if name in point.settings}
    )
    settings = {**method.keys.params, **chosen}
    # Two ways of predicting, or two measures, mostly choose one model, at times two.
    models = (
        1.0 if point is None else min(2.0, 0.75 + 0.25 * len(method.keys.tuned_by) * len(method.variants))
    )
    draws = max(variant.draws for variant in method.variants)
    models = max(models, draws) if method.id == "cc" else models
    passes = 0
    for variant in method.variants:
        points: Any = next(iter(variant.curve.values()), [])
        passes += variant.draws + (0 if isinstance(points, str) else len(points))
    fit = models * _fit_seconds(method.id, settings, task, task.n_train)
    test = max(1.0, task.n - task.n_train)
    walks = _WALKS * len(method.variants) + (1 - _WALKS) * passes
    return _cost(task, _JOB + fit + walks * _prediction_seconds(method.id, settings, task, test))


def _fit_seconds(id: str, settings: Mapping[str, Any], task: Task, rows: float) -> float:
    """Return the CPU seconds of training on so many rows."""
    stored, labels = task.stored * rows / task.n, task.n_labels
    depth, levels = settings.get("depth") or 6, math.log2(rows + 2)
    if id == "rdt-dcc":
        return _GROWN * rows * settings.get("trees", 300) * min(levels, settings.get("depth", 30))
    program = settings.get("definition") == "xdcc"
    if id in ("ml-xgb", "xdcc"):
        length = settings.get("chain_length", "all" if program else "auto") if id == "xdcc" else 1
        if length == "auto":
            length = math.ceil(task.cardinality) + 1
        steps = labels if length in ("all", None) else min(labels, length)
        of_values = steps * stored * (_VALUE + _VALUE_LABEL * labels)
        of_labels = rows * labels * _LABEL_FEATURE * steps * (steps - 1) / 2
        return (_IN_DOUBLE if program else 1.0) * depth * settings.get("rounds", 20) * (of_values + of_labels)
    base, models = settings.get("base", "decision-tree"), 1.0 if id == "lp" else labels
    if base in ("xgboost", "ml-xgb"):
        models *= _IN_DOUBLE if program else 1.0
        return models * _SINGLE * stored * depth * settings.get("trees", 100)
    trees = settings.get("trees", 100) / math.sqrt(task.n_features) if base == "random-forest" else 1.0
    return models * _TREE * stored * levels * max(trees, 0.02)


def _prediction_seconds(id: str, settings: Mapping[str, Any], task: Task, rows: float) -> float:
    if id != "rdt-dcc":
        return 0.0  # little beside the fit
    return rows * settings.get("trees", 300) * (_WALKED + _REACHED * task.n_train)


def _cost(task: Task, seconds: float) -> Cost:
    megabytes = _MEGABYTES + _PER_VALUE * task.stored + _PER_LABEL_CELL * task.n * task.n_labels
    return Cost(seconds / 60, megabytes, 0.05)
