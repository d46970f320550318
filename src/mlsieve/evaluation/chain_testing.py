"""A method of a study, fitted with chosen parameters and measured on the test part."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlsieve.chains.orders import label_order
from mlsieve.chains.sequence import LabelSequence
from mlsieve.data.dataset import Dataset
from mlsieve.data.validation import require_test_part
from mlsieve.evaluation.chain_choices import Tuning
from mlsieve.evaluation.chain_steps import label_rows, step_rows
from mlsieve.evaluation.chain_tuning import known, measured, varied
from mlsieve.evaluation.chain_variants import (
    LENGTH,
    Variant,
    checked_variant,
    require_lengths,
    require_random,
)
from mlsieve.evaluation.chains import (
    ChainMethod,
    ChainRun,
    chain_method,
    fit_chain,
    predicted_run,
    predicted_runs,
    rehearse,
)
from mlsieve.measures import Measure, evaluate

DRAW = "draw"
TRAINING, PREDICTION = "training-seconds", "prediction-seconds"
_NOT_SHOWN = ("given",)  # in the text of settings: an order of all labels may be long
PARTS = ("performance", "runs", "tuning", "curves", "steps", "orders")


@dataclass(frozen=True)
class Model:
    """A fitted estimator.

    Attributes
    ----------
    method : ChainMethod
        With its parameters.
    learner : estimator
    seconds : float
        CPU seconds of training.
    marks : list of (int, int, float)
        Of each call of ``progress``: what was done, of how much, after how many CPU seconds.
    """

    method: ChainMethod
    learner: Any
    seconds: float
    marks: Sequence[tuple[int, int, float]]

    def seconds_of(self, length: int, full: int) -> float:
        """Return the CPU seconds of training the first steps of a chain of `full` ones."""
        if length >= full:
            return self.seconds
        done = [seconds for count, total, seconds in self.marks if count * full <= length * total]
        return min(done[-1], self.seconds) if done else math.nan


@dataclass
class Outcome:
    """What a variant reaches with one model.

    Attributes
    ----------
    values : dict of str to float
        Measures by id; means over the draws.
    training_seconds, prediction_seconds : float
    n_steps : int
        Steps of the chain; 0 without one.
    cardinality : float
        Mean number of predicted labels of a test row.
    commonest : float
        Share of the test rows with the label set that is predicted most often, in (0, 1]. Both are of the
        first order of a method with several.
    curves, steps, orders : list of dict
        Last columns of the tables.
    """

    values: dict[str, float]
    training_seconds: float
    prediction_seconds: float
    n_steps: int
    cardinality: float
    commonest: float
    curves: list[dict[str, Any]] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    orders: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class ChainTest:
    """What to test on one split of a dataset.

    Attributes
    ----------
    method : ChainMethod
        With its fixed parameters.
    name : str
        Of the study's entry.
    variants : sequence of Variant
    dataset : Dataset
        With a test part.
    measures : sequence of Measure
    tuning : Tuning or None
    only_curves : bool
        Whether the result has no rows of performance.csv.
    split : str
    repeat, seed, n_threads : int
    """

    method: ChainMethod
    name: str
    variants: Sequence[Variant]
    dataset: Dataset
    measures: Sequence[Measure]
    tuning: Tuning | None = None
    only_curves: bool = False
    split: str = "official"
    repeat: int = 0
    seed: int = 0
    n_threads: int = 1

    def run(self) -> dict[str, list[dict[str, Any]]]:
        """Choose parameters, fit, predict and measure.

        Returns
        -------
        dict
            Rows of each of `PARTS`. All but times, which are in ``runs``, ``tuning`` and ``curves``, is the
            same at each call.

        Raises
        ------
        UserError
            If the method is not for such data, or does not do what a variant asks for.
        """
        n_test = int((~self.dataset.train_mask).sum())
        require_test_part(n_test, self.dataset.name, also=" here and to 'mlsieve step chain-tune'")
        variants = [checked_variant(self.method, variant) for variant in self.variants]
        chosen = {
            (variant.name, by): self._settings(variant, by) for variant in variants for by in self._tuned_by
        }
        for variant in variants:
            require_lengths(variant, self._longest(chosen[variant.name, self._tuned_by[0]]))
        rehearse(self.method, self.dataset)
        outcomes: dict[tuple[str, str], Outcome] = {}
        for settings in _distinct(chosen.values()):
            # Models of other settings are not needed meanwhile.
            model = _Fits(self, chain_method(self.method.entry.id, settings))
            for variant in variants:
                own = [by for by in self._tuned_by if chosen[variant.name, by] == settings]
                if own:
                    found = model.outcome(variant, with_curves=self._tuned_by[0] in own)
                    outcomes.update({(variant.name, by): found for by in own})
        parts: dict[str, list[dict[str, Any]]] = {part: [] for part in PARTS}
        for variant in variants:
            first = outcomes[variant.name, self._tuned_by[0]]
            facts = {
                "dataset": self.dataset.name,
                "split": self.split,
                "repeat": self.repeat,
                "method": variant.name,
            }
            if not self.only_curves:
                parts["performance"] += self._performance(variant, outcomes)
            for by in self._tuned_by:
                said = settings_text(chosen[variant.name, by])
                columns = self._run_columns(by, said, outcomes[variant.name, by], variant.draws)
                parts["runs"].append({**facts, **columns})
            parts["tuning"] += [{**facts, **row} for row in self._tuning_rows(variant)]
            for part, rows in (("curves", first.curves), ("steps", first.steps), ("orders", first.orders)):
                parts[part] += [{**facts, **row} for row in rows]
        return parts

    @property
    def _tuned_by(self) -> list[str]:
        """The measures that choose parameters; one empty text without tuning."""
        return [""] if self.tuning is None else [measure.id for measure in self.tuning.measures]

    def _settings(self, variant: Variant, by: str) -> dict[str, Any]:
        if self.tuning is None:
            return dict(self.method.settings)
        measure = next(measure for measure in self.tuning.measures if measure.id == by)
        return {**self.tuning.settings(variant.params, measure), **self.method.settings}

    def _longest(self, settings: Mapping[str, Any]) -> int:
        """Return how many steps a chain with these parameters has at most."""
        default = self.method.entry.parameters().get(LENGTH, {}).get("default")
        length, n_labels = settings.get(LENGTH, default), self.dataset.Y.shape[1]
        return min(n_labels, length) if isinstance(length, int) else n_labels

    def _performance(
        self, variant: Variant, outcomes: Mapping[tuple[str, str], Outcome]
    ) -> Iterator[dict[str, Any]]:
        for measure in self.measures:
            by = measure.id if measure.id in self._tuned_by else self._tuned_by[0]
            yield {
                "dataset": self.dataset.name,
                "split": self.split,
                "method": variant.name,
                "ensemble": "",
                "score": "",
                "size": 0,
                "repeat": self.repeat,
                "evaluator": "",
                "measure": measure.id,
                "definition": measure.definition,
                "value": known(outcomes[variant.name, by].values[measure.id]),
                "features": self.dataset.X.shape[1],
            }

    def _run_columns(self, by: str, settings: str, outcome: Outcome, draws: int) -> dict[str, Any]:
        return {
            "entry": self.name,
            "id": self.method.entry.id,
            "tuned_by": by,
            "settings": settings,
            **{measure.id: known(outcome.values[measure.id]) for measure in self.measures},
            "training_seconds": outcome.training_seconds,
            "prediction_seconds": outcome.prediction_seconds,
            "draws": draws,
            "steps": outcome.n_steps,
            "predicted_cardinality": outcome.cardinality,
            "commonest_set": outcome.commonest,
        }

    def _tuning_rows(self, variant: Variant) -> Iterator[dict[str, Any]]:
        """Yield the rows of the method's own grid; another method's are in the rows of that one."""
        if self.tuning is None or not self.tuning.of_own_grid:
            return
        best = {measure.id: self.tuning.best(variant.params, measure) for measure in self.tuning.measures}
        for place, point in enumerate(self.tuning.points):
            found = point.values(variant.params)
            for name, value in () if found is None else found.values.items():
                yield {
                    "settings": settings_text(point.settings),
                    "measure": name,
                    "value": value,
                    "training_seconds": point.training_seconds,
                    "chosen": best.get(name) == place,
                }


class _Fits:
    """The models of one combination of parameters: one, or one for each order of the labels."""

    def __init__(self, test: ChainTest, method: ChainMethod) -> None:
        self._test, self._method, self._data = test, method, test.dataset
        self._truth = test.dataset.Y_test.toarray().astype(bool)
        self._model: Model | None = None

    @property
    def model(self) -> Model:
        """The model, fitted when it is first asked for."""
        if self._model is None:
            self._model = self._fitted(self._method)
        return self._model

    def _fitted(self, method: ChainMethod) -> Model:
        marks, begin = [], time.process_time()

        def progress(done: int, total: int) -> None:
            marks.append((done, total, time.process_time() - begin))

        test = self._test
        learner, seconds = fit_chain(
            method, self._data, seed=test.seed, n_threads=test.n_threads, progress=progress, bare=True
        )
        # One row first: what an estimator makes once for all predictions counts for none of them.
        one = np.ones(len(self._data.train_mask), bool)
        one[np.flatnonzero(~self._data.train_mask)[0]] = False
        predicted_run(method, learner, self._data.with_split(one), seconds)
        return Model(method, learner, seconds, marks)

    def _predicted(self, model: Model, params: Sequence[Mapping[str, Any]]) -> list[ChainRun]:
        return predicted_runs(model.method, model.learner, self._data, model.seconds, params)

    def outcome(self, variant: Variant, *, with_curves: bool) -> Outcome:
        """Predict and measure, with curves, steps and orders if these are wanted."""
        is_varied = with_curves and variant.parameter not in ("", LENGTH)
        points = variant.points if is_varied else ()
        runs, of_points = self._runs(
            variant, [{**variant.params, variant.parameter: value} for value in points]
        )
        values = [measured(run, self._data, self._test.measures) for run in runs]
        sequence = runs[0].prediction.sequence
        found = Outcome(
            {name: statistics.fmean(one[name] for one in values) for name in values[0]},
            statistics.fmean(run.training_seconds for run in runs),
            statistics.fmean(run.prediction_seconds for run in runs),
            0 if sequence is None else sequence.labels.shape[1],
            *_of_label_sets(runs[0].prediction.labels),
        )
        if not with_curves:
            return found
        if variant.draws > 1:
            for draw, (run, own) in enumerate(zip(runs, values, strict=True)):
                seconds = {TRAINING: run.training_seconds, PREDICTION: run.prediction_seconds}
                found.curves += _points(DRAW, draw, own | seconds)
        elif sequence is not None:
            found.orders += label_rows(sequence, self._truth.shape[1])
        if variant.parameter == LENGTH:
            found.curves += self._length_curve(variant, found.n_steps)
        elif variant.parameter:
            for value, run in zip(points, of_points, strict=True):
                reached = measured(run, self._data, self._test.measures)
                found.curves += _points(variant.parameter, value, reached)
                found.steps += self._steps(run.prediction.sequence, variant.parameter, value)
        if variant.draws == 1 and variant.parameter in ("", LENGTH):
            found.steps += self._steps(sequence, "", "")
        return found

    def _steps(self, sequence: LabelSequence | None, parameter: str, point: Any) -> Iterator[dict[str, Any]]:
        for row in () if sequence is None else step_rows(sequence, self._truth):
            yield {"parameter": parameter, "point": point, **row}

    def _runs(
        self, variant: Variant, points: Sequence[Mapping[str, Any]]
    ) -> tuple[list[ChainRun], list[ChainRun]]:
        """Predict with each random order of the labels, and with further parameters of prediction."""
        if variant.draws == 1:
            runs = self._predicted(self.model, [dict(variant.params), *points])
            return runs[:1], runs[1:]
        prediction = getattr(self._method.entry.target, "PREDICTION", ())
        schemas = self._method.entry.parameters()
        default = schemas.get("order", {}).get("default")
        require_random(variant, variant.params.get("order", self._method.settings.get("order", default)))
        if "order_seed" in prediction:
            drawn = [{**variant.params, "order_seed": draw} for draw in range(variant.draws)]
            runs = self._predicted(self.model, [*drawn, *points])
            return runs[: variant.draws], runs[variant.draws :]
        runs = []
        for draw in range(variant.draws):  # the order differs from draw to draw, not the classifiers' seed
            counts = np.asarray(self._data.Y_train.sum(axis=0)).ravel()
            order = label_order("random", counts, seed=draw)
            settings = {**self._method.settings, "order": "given", "given": ":".join(map(str, order))}
            model = self._fitted(chain_method(self._method.entry.id, settings))
            runs += self._predicted(model, [dict(variant.params)])
        return runs, self._predicted(self.model, points) if points else []

    def _length_curve(self, variant: Variant, n_steps: int) -> Iterator[dict[str, Any]]:
        """Yield measures and seconds of chains of some lengths, from one pass where the method has it."""
        require_lengths(variant, n_steps)
        wanted = set(variant.points or range(1, n_steps + 1))
        learner = varied(self.model.method, self.model.learner, variant.params)
        trained = getattr(learner, "n_iter_", None)
        full = n_steps if trained is None else np.size(trained)
        test = self._test
        for length, values, seconds in self._lengths(variant, learner, n_steps, wanted):
            names = [measure.id for measure in test.measures]
            times = {TRAINING: self.model.seconds_of(length, full), PREDICTION: seconds}
            yield from _points(LENGTH, length, dict(zip(names, values, strict=True)) | times)

    def _lengths(
        self, variant: Variant, learner: Any, n_steps: int, wanted: set[int]
    ) -> Iterator[tuple[int, list[float], float]]:
        """Yield length, measures and CPU seconds of prediction."""
        measures, hierarchy = self._test.measures, self._data.hierarchy
        if not hasattr(learner, "staged_scores"):
            for length in sorted(wanted):
                [run] = self._predicted(self.model, [{**variant.params, LENGTH: length}])
                own = list(measured(run, self._data, measures).values())
                yield length, own, run.prediction_seconds
            return
        seconds, begin = 0.0, time.process_time()
        for length, scores in enumerate(learner.staged_scores(self._data.X_test), start=1):
            seconds += time.process_time() - begin
            if length in wanted:
                yield length, evaluate(measures, self._truth, scores, scores >= 0.5, hierarchy), seconds
            begin = time.process_time()


def settings_text(settings: Mapping[str, Any]) -> str:
    """Return parameters as ``depth=3 split=max_gain``, sorted by name."""
    shown = {name: value for name, value in sorted(settings.items()) if name not in _NOT_SHOWN}
    return " ".join(f"{name}={_word(value)}" for name, value in shown.items())


def _word(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _points(parameter: str, point: Any, values: Mapping[str, float]) -> list[dict[str, Any]]:
    return [
        {"parameter": parameter, "point": point, "measure": name, "value": known(value)}
        for name, value in values.items()
    ]


def _of_label_sets(labels: np.ndarray) -> tuple[float, float]:
    """Return the label cardinality of predictions, and the share of the commonest label set."""
    _, counts = np.unique(np.packbits(labels, axis=1), axis=0, return_counts=True)
    return float(labels.sum(axis=1).mean()), float(counts.max() / len(labels))


def _distinct(settings: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for one in settings:
        if one not in found:
            found.append(one)
    return found
