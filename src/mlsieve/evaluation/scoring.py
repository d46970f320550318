"""Tables of measures computed from predictions."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.errors import DataNotice, UserError
from mlsieve.evaluation.predictions import Predictions, scores_and_labels
from mlsieve.files.csv_tables import PERFORMANCE
from mlsieve.files.streams import csv_writer
from mlsieve.measures import Measure, choose, counted_as_undefined, evaluate, undefined_labels

if TYPE_CHECKING:
    from mlsieve.evaluation.predictions import Evaluation
    from mlsieve.evaluators.prediction import Prediction


@dataclass(frozen=True)
class _Scored:
    """One prediction's measures."""

    facts: Mapping[str, Any]
    name: str
    size: int
    n_features: int
    values: Sequence[float]


def scores_table(
    predictions: Predictions,
    *,
    measures: Sequence[str] | None = None,
    definition: str | None = None,
    tidy: bool = False,
) -> str:
    """Return the measures of every prediction as CSV text.

    Parameters
    ----------
    predictions : Predictions
    measures : sequence of str, optional
        Default: all of the definition.
    definition : {"clus", "paper", "sklearn", "textbook", "scls"}, optional
        By default "paper" for labels with a hierarchy, else "clus".
    tidy : bool
        One row per observation with the columns of a study's performance table; else ``measure,value``, with
        a first column ``ranking`` if there are several. Predictions of one ranking differ there by the number
        of features, such as ``scls (k=12)``.

    Returns
    -------
    str
        Numbers as Python's repr, so that they are read back exactly; ``NaN`` where a measure is undefined.

    Raises
    ------
    UserError
        On an unknown measure or definition, and on a measure of hierarchies for flat labels.
    """
    chosen = choose(measures, definition, hierarchical=predictions.hierarchy is not None)
    if predictions.truth is None:
        raise UserError(
            "the predicted rows have no labels to compare with",
            hint="predict data with labels: 'mlsieve chain DATA --model MODEL -o TABLE'",
        )
    truth = predictions.truth.toarray().astype(bool)
    scored = [
        _Scored(
            predictions.facts,
            name,
            predictions.sizes[position],
            predictions.n_features[position],
            evaluate(chosen, truth, *predictions.scores_and_labels(position), predictions.hierarchy),
        )
        for position, name in enumerate(predictions.names)
    ]
    if not tidy:
        _tell_of_undefined(chosen, [truth])
    return _table(scored, chosen, tidy)


def evaluation_table(
    evaluations: Iterable[Evaluation],
    *,
    measures: Sequence[str] | None = None,
    definition: str | None = None,
    tidy: bool = False,
    n_threads: int = 1,
) -> str:
    """Predict and score, holding one prediction at a time; the table is that of `scores_table`.

    Parameters
    ----------
    evaluations : iterable of mlsieve.evaluation.predictions.Evaluation
        One, or that of each split; a generator may make the next when it is asked for.
    measures, definition, tidy
        See `scores_table`.
    n_threads : int
        Does not change the result.
    """
    scored: list[_Scored] = []
    chosen: list[Measure] = []
    truths: list[np.ndarray] = []
    for evaluation in evaluations:
        hierarchical = evaluation.dataset.hierarchy is not None
        chosen = choose(measures, definition, hierarchical=hierarchical)
        truths.append(evaluation.dataset.Y_test.toarray().astype(bool))
        names, rankings = evaluation.names, evaluation.bundle.rankings
        for one, values in measured_predictions(evaluation, chosen, n_threads):
            size = rankings[one.ranking].size
            scored.append(_Scored(evaluation.facts, names[one.ranking], size, one.n_features, values))
    if not tidy:
        _tell_of_undefined(chosen, truths)
    return _table(scored, chosen, tidy)


def measured_predictions(
    evaluation: Evaluation, measures: Sequence[Measure], n_threads: int = 1
) -> Iterator[tuple[Prediction, Sequence[float]]]:
    """Yield each prediction of an evaluation with the values of some measures, one prediction at a time.

    Parameters
    ----------
    evaluation : mlsieve.evaluation.predictions.Evaluation
    measures : sequence of Measure
        As `mlsieve.measures.choose` returns them.
    n_threads : int
        Does not change the result.

    Yields
    ------
    (Prediction, sequence of float)
        In the order of the rankings; NaN where a measure is undefined.
    """
    dataset, learner = evaluation.dataset, evaluation.learner
    truth = dataset.Y_test.toarray().astype(bool)
    for one in evaluation.predictions(n_threads):
        scores, predicted = scores_and_labels(one.values, learner.denominator, learner.relevant)
        yield one, evaluate(measures, truth, scores, predicted, dataset.hierarchy)


def _tell_of_undefined(measures: Sequence[Measure], truths: Sequence[np.ndarray]) -> None:
    """Say what measures count for labels of the test parts without a value; a study's page says it itself."""
    counts = [
        sum(int(undefined_labels(measure.facts.undefined, truth, truth).sum()) for truth in truths)
        for measure in measures
    ]
    part = "the test part" if len(truths) == 1 else "test parts"
    for what in counted_as_undefined(measures, counts, f"{sum(t.shape[1] for t in truths)} labels of {part}"):
        warnings.warn(DataNotice(what), stacklevel=3)


def _table(scored: Sequence[_Scored], chosen: Sequence[Measure], tidy: bool) -> str:
    splits = {one.facts.get("repeat") for one in scored}
    names = [one.name if len(splits) == 1 else f"{one.name} (split {one.facts['repeat']})" for one in scored]
    several = len(names) > 1
    header = PERFORMANCE if tidy else ("ranking", "measure", "value") if several else ("measure", "value")
    text = io.StringIO()
    writer = csv_writer(text)
    writer.writerow(header)
    for one, called in zip(scored, names, strict=True):
        for measure, value in zip(chosen, one.values, strict=True):
            if tidy:
                row: Iterable[Any] = (
                    *_described(one),
                    measure.id,
                    measure.definition,
                    _number(value),
                    one.n_features,
                )
            else:
                name = called if names.count(called) == 1 else f"{called} (k={one.n_features})"
                row = (*((name,) if several else ()), measure.id, _number(value))
            writer.writerow(row)
    return text.getvalue()


def _described(one: _Scored) -> tuple[Any, ...]:
    """Return the first columns of a performance row."""
    facts = one.facts
    return (
        facts.get("dataset", ""),
        facts.get("split", ""),
        one.name if facts.get("varied") else facts.get("name") or facts.get("method") or one.name,
        facts.get("ensemble") or "",
        facts.get("score") or "",
        one.size,
        facts.get("repeat", 0),
        facts.get("evaluator", ""),
    )


def _number(value: float) -> str:
    return "NaN" if value != value else repr(float(value))
