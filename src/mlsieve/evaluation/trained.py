"""Models as files: what a command has fitted, and its predictions for rows without labels."""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.sequence import ChainPrediction, prediction_of
from mlsieve.data.dataset import Dataset
from mlsieve.data.exchange.unlabelled import KnownFeatures, UnlabelledRows, known_columns
from mlsieve.data.feature_choices import with_features
from mlsieve.data.frames import FrameColumns
from mlsieve.data.validation import FeatureError
from mlsieve.errors import UserError, number_of, shortened
from mlsieve.evaluation.predictions import Predictions, predicts_nothing, sequence_arrays
from mlsieve.evaluators.model_files import is_storable, model_from, read_header
from mlsieve.registry import Entry, check_parameters, entries, lookup
from mlsieve.registry.plugins import failure_in_plugin
from mlsieve.seeds import derive_seed

if TYPE_CHECKING:
    from mlsieve.rankings.files import Ranking


@dataclass(frozen=True)
class TrainedModel:
    """A fitted estimator of a file.

    Attributes
    ----------
    entry : Entry
        Its registered method, a ``chain`` or an ``evaluator``.
    learner : estimator
        Without names of features: it takes rows as `features` has them.
    features : KnownFeatures
    label_names : tuple of str
    facts : dict
        What `training_facts` says, of a model that a command has written.
    """

    entry: Entry
    learner: Any
    features: KnownFeatures
    label_names: tuple[str, ...]
    facts: Mapping[str, Any]


def load_trained(path: str | os.PathLike[str], kind: str | None = None) -> TrainedModel:
    """Return the model of a file.

    Parameters
    ----------
    path : path-like
    kind : {"chain", "evaluator"}, optional
        What it must be.

    Raises
    ------
    UserError
        If it is no such file, or its classifiers are of one's own: what skops builds is for Python, where
        whoever loads it knows where it comes from.
    """
    entry, arrays, header = read_header(path)
    if kind is not None and entry.kind != kind:
        raise UserError(
            f"holds '{entry.kind}', not '{kind}'", file=path, hint="predict with it by 'mlsieve predict'"
        )
    if "state_own" in arrays:
        raise UserError(
            "holds a classifier of one's own, which no command loads",
            file=path,
            hint=f"load it in Python: {entry.estimator.__name__}.load(path)",
        )
    learner = model_from(path, entry.estimator, arrays, header)
    columns = learner._frame_columns
    names = getattr(learner, "feature_names_in_", None)
    categories = (None,) * learner.n_features_in_ if columns is None else columns.categories
    labels = getattr(learner, "label_names_in_", None)
    if labels is None:
        labels = [f"y{number}" if learner._multi_label else str(number) for number in learner.classes_]
    for name in ("feature_names_in_", "label_names_in_"):
        if hasattr(learner, name):
            delattr(learner, name)
    features = KnownFeatures(None if names is None else tuple(names), categories)
    return TrainedModel(entry, learner, features, tuple(map(str, labels)), learner.facts_)


def save_trained(
    learner: Any, path: str | os.PathLike[str], dataset: Dataset, facts: Mapping[str, Any] | None = None
) -> None:
    """Write an estimator that was fitted to the training part of a dataset, with the names of its columns.

    Parameters
    ----------
    learner : estimator
    path : path-like
    dataset : Dataset
    facts : mapping, optional
        Further ones, beside `training_facts`.
    """
    named = copy.copy(learner)
    named.feature_names_in_ = np.array([*dataset.feature_names], dtype=object)
    named.label_names_in_ = np.array([*dataset.label_names], dtype=object)
    pairs = zip(dataset.categories, dataset.nominal.tolist(), strict=True)
    categories = tuple(values if is_nominal else None for values, is_nominal in pairs)
    named._frame_columns = FrameColumns(tuple(dataset.feature_names), categories)
    named.save(path, training_facts(dataset) | dict(facts or {}))


def with_columns_of(model: TrainedModel, dataset: Dataset) -> Dataset:
    """Return a dataset with the features and the labels of a model, in its order.

    Parameters
    ----------
    model : TrainedModel
        One that Python has written may not know the names of its labels; these are taken as they come.
    dataset : Dataset

    Raises
    ------
    UserError
        If a feature or a label is missing, there are further labels, the classes of a hierarchy have another
        order, or a numeric feature holds categories.

    Warns
    -----
    DataNotice
        Of other columns, which are left out, and of categories that the model does not know, which are
        missing values.
    """
    columns = model.facts.get("columns")
    if columns == training_facts(dataset)["columns"]:
        return dataset
    labels, known = list(dataset.label_names), list(model.label_names)
    same = len(labels) == len(known)
    if columns is None and {*labels} != {*known}:  # by Python, whose labels may have no names
        known, said = labels, f"has {number_of(len(labels), 'label')}, not {len(known)}"
    else:
        same, said = same and {*labels} == {*known}, _first_other(labels, known)
    if not same or (dataset.hierarchy is not None and labels != known):
        raise UserError(
            f"the model was fitted to other labels than those of dataset '{dataset.name}', which {said}",
            hint="give data with the labels of the model",
        )
    place = {name: number for number, name in enumerate(labels)}
    order = [place[name] for name in known]
    dataset = replace(dataset, Y=sp.csr_array(dataset.Y[:, order]).sorted_indices(), label_names=tuple(known))
    categories = model.features.categories
    if model.features.names is None and len(dataset.feature_names) == len(categories):
        return dataset  # which categories the positions of an array stood for is not known
    return replace(
        dataset,
        X=known_columns(dataset, model.features),
        feature_names=tuple(model.features.names or dataset.feature_names),
        nominal=np.array([words is not None for words in categories], bool),
        categories=tuple(words or () for words in categories),
    )


def _first_other(labels: list[str], known: list[str]) -> str:
    """Return how labels differ first from those that a model knows."""
    if lacking := [name for name in known if name not in labels]:
        return f"lacks the label '{shortened(lacking[0])}'"
    if further := [name for name in labels if name not in known]:
        return f"has one more label, '{shortened(further[0])}'"
    return "has them in another order"


def training_facts(dataset: Dataset) -> dict[str, str]:
    """Return what the file of a fitted model says of its data: name, and digest of the columns' names."""
    names = (dataset.feature_names, dataset.categories, dataset.label_names)
    return {"dataset": dataset.name, "columns": f"{derive_seed(0, *map(repr, names)):x}"}


def require_storable(entry: Entry) -> None:
    """Raise a UserError unless a fitted estimator of a method can be written to a file."""
    if is_storable(entry.estimator) and (entry.kind == "chain" or hasattr(entry.estimator, "trained")):
        return
    able = [id for id, other in entries(entry.kind).items() if is_storable(other.estimator)]
    raise UserError(
        f"{'method' if entry.kind == 'chain' else 'evaluator'} '{entry.id}' has no file of a fitted model",
        hint=f"fit it each time, or use {', '.join(able[:-1])} or {able[-1]}",
    )


def train_evaluator(
    id: str, settings: Mapping[str, Any], dataset: Dataset, ranking: Ranking
) -> tuple[Any, Dataset]:
    """Fit an evaluator to the training part of a dataset, with the features that a ranking gives it.

    Parameters
    ----------
    id : str
        Of a registered evaluator.
    settings : mapping
        Its parameters.
    dataset : Dataset
    ranking : Ranking
        Of the dataset's features.

    Returns
    -------
    learner : estimator
        Fitted to the features that count, in the order in which it was given them.
    dataset : Dataset
        With these features alone.

    Raises
    ------
    UserError
        If the evaluator has no files, is not for such data, or no feature counts.
    """
    entry = lookup("evaluator", id)
    evaluator = entry.target(**check_parameters("evaluator", id, settings))
    require_storable(entry)
    if dataset.task not in entry.facts.tasks:
        raise UserError(
            f"evaluator '{id}' does not support {dataset.task} data", hint="choose another evaluator"
        )
    if getattr(evaluator, "points", 1) != 1:
        raise UserError(f"points = {evaluator.points}: a model predicts once", hint="set points=1")
    features, weights = evaluator.weighted(dataset, ranking)
    if not len(features):
        raise UserError("no feature has a positive weight", hint="choose another ranking, or more features")
    fewer = with_features(dataset, features)
    return entry.estimator.trained(evaluator, fewer, weights), fewer


def require_predictor(method: str | None) -> None:
    """Raise a UserError for rankings of a baseline that predicts nothing, whatever the evaluator."""
    if predicts_nothing(method):
        raise UserError(f"method '{method}' predicts no label at all", hint="choose another method")


def predict_rows(model: TrainedModel, rows: UnlabelledRows, n_threads: int = 1) -> Predictions:
    """Predict rows with a model of a file.

    Parameters
    ----------
    model : TrainedModel
    rows : UnlabelledRows
        Of the model's features.
    n_threads : int
        Does not change the result.

    Returns
    -------
    Predictions
        Without truth.

    Raises
    ------
    UserError
        If the model cannot take the rows, or does not predict probabilities.
    """
    id, learner = model.entry.id, model.learner
    if hasattr(learner, "n_jobs"):
        learner = copy.copy(learner).set_params(n_jobs=n_threads)
    hint = "give smaller numbers, or leave such cells empty"
    with one_line(id, rows.name, model.features.names or (), of_feature=hint):
        if model.entry.kind == "chain":
            found = prediction_of(learner, rows.X)
        else:
            scores = learner.predict_proba(rows.X)
            found = ChainPrediction(learner._relevant(scores, 0.5), scores)
    shape = (rows.X.shape[0], len(model.label_names))
    require_probabilities(model.entry, found, shape)
    parameters = {name: value for name, value in learner.get_params(deep=False).items() if _is_plain(value)}
    return Predictions(
        found.probabilities[None],
        None,
        (id,),
        (0,),
        (rows.X.shape[1],),
        1.0,
        facts={"dataset": rows.name, model_word(model.entry): id, "parameters": parameters},
        hierarchy=getattr(learner, "hierarchy", None),
        sets=np.asarray(found.labels, bool)[None],
        sequence=sequence_arrays(found.sequence),
    )


def model_word(entry: Entry) -> str:
    """Return what facts call a method: ``method`` of a chain, ``evaluator`` of an evaluator."""
    return "method" if entry.kind == "chain" else entry.kind


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


@contextlib.contextmanager
def one_line(
    id: str, name: str, feature_names: Sequence[str], *, of_feature: str | None = None
) -> Iterator[None]:
    """Turn what an estimator says of the data of a name into one line.

    Parameters
    ----------
    id, name : str
        Of the method and of the data.
    feature_names : sequence of str
    of_feature : str, optional
        The hint for a feature that it does not take; default: its own, which is for training.
    """
    try:
        yield
    except UserError:
        raise
    except ValueError as error:
        if failure_in_plugin(error):  # its own error says more
            raise
        why, hint = str(error), "give other data, or another method"
        if isinstance(error, FeatureError):
            named = feature_names[error.feature] if len(feature_names) else error.feature
            why, hint = f"its feature '{named}' {error.what}", of_feature or error.hint
        raise UserError(f"method '{id}' cannot take dataset '{name}': {why}", hint=hint) from error


def require_probabilities(entry: Entry, prediction: ChainPrediction, shape: tuple[int, int]) -> None:
    """Raise a UserError unless an estimator has predicted a set and a probability for each row and label."""
    scores = prediction.probabilities
    if prediction.labels.shape == scores.shape == shape and not ((scores >= 0) & (scores <= 1)).all():
        raise UserError(
            f"method '{entry.id}' does not predict probabilities: some are missing, below 0 or above 1",
            hint="give less extreme parameters" if entry.origin is None else "correct its predict_proba",
        )
    if not prediction.labels.shape == scores.shape == shape:
        raise UserError(
            f"method '{entry.id}' does not predict a probability for each of {shape[0]} x {shape[1]}"
            f" labels, but arrays of shape {prediction.labels.shape} and {scores.shape}",
            hint="correct its predict and predict_proba",
        )
