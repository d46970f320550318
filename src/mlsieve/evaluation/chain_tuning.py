"""Points of a method's grid: measures on a fixed fifth of the training part, and the best of several."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from mlsieve.chains.orders import mean_positions
from mlsieve.chains.sequence import LabelSequence, rounds_parameter
from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import training_mask
from mlsieve.errors import UserError, number_of
from mlsieve.evaluation.chains import ChainMethod, ChainRun, chain_method, fit_chain, predicted_run, rehearse
from mlsieve.files.arrays import complete
from mlsieve.files.mappings import read_mapping
from mlsieve.files.writing import write_json
from mlsieve.measures import Measure, evaluate
from mlsieve.seeds import derive_seed

TRAINING_SHARE = 0.8  # of the training part; the rest measures
_AGAIN = "make it again with 'mlsieve step chain-tune'"


@dataclass(frozen=True)
class TunedVariant:
    """What one way of predicting with a model reaches.

    Attributes
    ----------
    params : mapping
        Parameters of prediction, by their short names.
    values : mapping
        Measures; None: undefined.
    prediction_seconds : float
        CPU seconds.
    positions : sequence of float, shape (L,), or None
        Mean step that sets each label, from 1; K + 1 counts where an example does not set it. None for a
        method without a chain.
    positive_share : sequence of float, shape (L,), or None
        Share of the examples for which the chain sets each label positive.
    """

    params: Mapping[str, Any]
    values: Mapping[str, float | None]
    prediction_seconds: float
    positions: Sequence[float] | None
    positive_share: Sequence[float] | None


@dataclass(frozen=True)
class TunedPoint:
    """One combination of a grid's values, in a file of ``mlsieve step chain-tune``.

    Attributes
    ----------
    dataset, split : str
    repeat : int
    method : str
        Id in the registry.
    settings : mapping
        All parameters that were set, by their short names.
    training_seconds : float
        CPU seconds of the fit, which may serve other points, too.
    variants : sequence of TunedVariant
    """

    dataset: str
    split: str
    repeat: int
    method: str
    settings: Mapping[str, Any]
    training_seconds: float
    variants: Sequence[TunedVariant]

    def values(self, params: Mapping[str, Any]) -> TunedVariant | None:
        """Return the variant with these parameters of prediction, or None."""
        return next((one for one in self.variants if dict(one.params) == dict(params)), None)


def save_points(path: str | os.PathLike[str], points: Sequence[TunedPoint]) -> None:
    """Write the points of one fit to a JSON file."""
    write_json(path, {"points": [asdict(point) for point in points]})


def load_points(path: str | os.PathLike[str]) -> list[TunedPoint]:
    """Read a file of `save_points`.

    Raises
    ------
    UserError
        If it is missing, damaged, or another file.
    """
    content = read_mapping(path, missing=_AGAIN, damaged=_AGAIN)
    with complete(path, "point of a grid", _AGAIN):
        points = [_point(dict(one)) for one in content["points"]]
        if not points:
            raise ValueError("it has none")
    return points


def _point(content: dict[str, Any]) -> TunedPoint:
    variants = [TunedVariant(**dict(one)) for one in content.pop("variants")]
    point = TunedPoint(**content, variants=variants)
    for name, kind in (("dataset", str), ("split", str), ("repeat", int), ("method", str)):
        if not isinstance(getattr(point, name), kind):
            raise ValueError(f"its {name} is none")
    float(point.training_seconds)
    for variant in variants:
        _require_numbers(variant)
        chain_method(point.method, {**point.settings, **variant.params})
    return point


def _require_numbers(variant: TunedVariant) -> None:
    for value in variant.values.values():
        if value is not None:
            float(value)
    for several in (variant.positions, variant.positive_share):
        if several is not None:
            np.asarray(several, dtype=np.float64).reshape(len(variant.positions or ()))


def tuning_dataset(
    dataset: Dataset, *, split: str, split_seed: int, repeat: int, folds: str = "auto"
) -> Dataset:
    """Return the training part of a dataset as one of its own, a fifth of whose rows is the test part.

    The fifth depends on the arguments, the dataset's name and the content of the rows alone: it is the same
    for all methods.

    Parameters
    ----------
    dataset : Dataset
    split : {"official", "holdout"}
        Kind of the split that the dataset has.
    split_seed, repeat : int
    folds : {"auto", "random", "stratified", "stratified-pairs"}
        How the fifth is chosen, see `mlsieve.data.splits.divide`.

    Raises
    ------
    UserError
        If the training part has less than two rows.
    """
    n = int(dataset.train_mask.sum())
    if n < 2:
        raise UserError(
            f"the training part of dataset '{dataset.name}' has {number_of(n, 'row')},"
            " too few to hold some back",
            hint="give more rows",
        )
    seed = derive_seed(split_seed, dataset.name, split, repeat, "tuning")
    part = replace(
        dataset, X=dataset.X_train, Y=dataset.Y_train, train_mask=np.ones(n, bool), official_split=False
    )
    mask = training_mask(part, seed, TRAINING_SHARE, folds, "the tuning part")
    return part.with_split(mask, official=False)


def variant_params(method: ChainMethod, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters of prediction of a method, which are checked.

    Parameters
    ----------
    method : ChainMethod
    params : mapping
        By short names.

    Raises
    ------
    UserError
        On a parameter that needs a new fit, or a value that is not accepted.
    """
    checked = chain_method(method.entry.id, params)
    known = tuple(getattr(method.entry.target, "PREDICTION", ()))
    for name, long in zip(checked.settings, checked.entry.arguments(checked.settings), strict=True):
        if long not in known:
            raise UserError(
                f"{name} is not a parameter of prediction of '{method.entry.id}'",
                hint=f"those are {', '.join(known)}" if known else "it has none: leave it out",
            )
    return dict(checked.settings)


def varied(method: ChainMethod, learner: Any, params: Mapping[str, Any]) -> Any:
    """Return a fitted estimator with other parameters of prediction, by their short names."""
    return learner.varied(**method.entry.arguments(params)) if params else learner


def measured(run: ChainRun, dataset: Dataset, measures: Sequence[Measure]) -> dict[str, float]:
    """Return the measures of a run on the test part of a dataset, by their ids."""
    truth, found = dataset.Y_test.toarray().astype(bool), run.prediction
    values = evaluate(measures, truth, found.probabilities, found.labels, dataset.hierarchy)
    return {measure.id: value for measure, value in zip(measures, values, strict=True)}


def known(value: float) -> float | None:
    """Return a value as JSON has it: None where it is undefined."""
    return None if math.isnan(value) else value


def label_positives(sequence: LabelSequence, n_labels: int) -> np.ndarray:
    """Return the share of the examples for which a chain sets each label positive, float64 of shape (L,)."""
    positive = sequence.labels[sequence.positive & (sequence.labels >= 0)]
    return np.bincount(positive, minlength=n_labels) / len(sequence.labels)


def tune(
    method: ChainMethod,
    dataset: Dataset,
    variants: Sequence[Mapping[str, Any]],
    measures: Sequence[Measure],
    *,
    first_rounds: Sequence[int] = (),
    split: str,
    split_seed: int = 0,
    repeat: int = 0,
    folds: str = "auto",
    seed: int = 0,
    n_threads: int = 1,
) -> list[TunedPoint]:
    """Fit a point of a grid to four fifths of the training part, and measure it on the fifth.

    Parameters
    ----------
    method : ChainMethod
    dataset : Dataset
        Its test part is not looked at.
    variants : sequence of mapping
        Parameters of prediction of each way of predicting with the model.
    measures : sequence of Measure
        From `mlsieve.evaluation.chains.chain_measures`.
    first_rounds : sequence of int
        Rounds of boosting after which the model is measured, too: each is a point of its own.
    split, split_seed, repeat, folds
        Of the dataset, see `tuning_dataset`.
    seed : int
        Of the model.
    n_threads : int
        Does not change the result.

    Raises
    ------
    UserError
        If the method is not for such data, a parameter is none of prediction, or the model has no such first
        rounds.
    """
    after = [(with_first_rounds(method, n), n) for n in dict.fromkeys(first_rounds)]
    ways = [variant_params(method, params) for params in variants]
    part = tuning_dataset(dataset, split=split, split_seed=split_seed, repeat=repeat, folds=folds)
    rehearse(method, part)
    learner, seconds = fit_chain(method, part, seed=seed, n_threads=n_threads, bare=True)
    facts = dataset.name, split, repeat, method.entry.id
    models = [*((shorter, learner.first_rounds(n)) for shorter, n in after), (method, learner)]
    return [
        TunedPoint(
            *facts,
            dict(one.settings),
            seconds,
            [_measured_variant(one, model, part, params, measures) for params in ways],
        )
        for one, model in models
    ]


def with_first_rounds(method: ChainMethod, n_rounds: int) -> ChainMethod:
    """Return a method with so many rounds of boosting, whose model is the beginning of its own.

    Raises
    ------
    UserError
        If it is not, or the method has no more rounds.
    """
    name = rounds_parameter(method.entry, method.settings)
    if name is None:
        raise UserError(
            f"the model of '{method.entry.id}' does not begin with that of fewer rounds",
            hint="fit each number of rounds by itself",
        )
    fewer = chain_method(method.entry.id, {**method.settings, name: n_rounds})
    most = method.settings.get(name, method.entry.parameters()[name]["default"])
    if n_rounds >= most:
        raise UserError(
            f"the first {number_of(n_rounds, 'round')} of a fit with {name} = {most} are not fewer",
            hint=f"give smaller numbers, or set {name} to the largest one",
        )
    return fewer


def _measured_variant(
    method: ChainMethod,
    learner: Any,
    part: Dataset,
    params: Mapping[str, Any],
    measures: Sequence[Measure],
) -> TunedVariant:
    run = predicted_run(method, varied(method, learner, params), part, 0.0)
    sequence, n_labels = run.prediction.sequence, len(part.label_names)
    values = measured(run, part, measures)
    return TunedVariant(
        params,
        {name: known(value) for name, value in values.items()},
        run.prediction_seconds,
        None if sequence is None else mean_positions(sequence.labels, n_labels).tolist(),
        None if sequence is None else label_positives(sequence, n_labels).tolist(),
    )


def best_point(points: Sequence[TunedPoint], params: Mapping[str, Any], measure: Measure) -> int:
    """Return the index of the best point by a measure: the first of equal ones; without values the first.

    Parameters
    ----------
    points : sequence of TunedPoint
        All with a variant of these parameters.
    params : mapping
        Parameters of prediction of the variant that counts.
    measure : Measure

    Raises
    ------
    UserError
        If a point was not measured so.
    """
    sign = -1.0 if measure.direction == "lower" else 1.0
    best, highest = 0, -math.inf
    for place, point in enumerate(points):
        variant = point.values(params)
        if variant is None or measure.id not in variant.values:
            how = " ".join(f"{name}={value}" for name, value in params.items()) or "its own parameters"
            lacking = f"predictions with {how}" if variant is None else f"the measure {measure.id}"
            raise UserError(
                f"a point of the grid of '{point.method}' lacks {lacking}",
                hint="give that to 'mlsieve step chain-tune', too",
            )
        value = variant.values[measure.id]
        if value is not None and sign * value > highest:
            best, highest = place, sign * value
    return best
