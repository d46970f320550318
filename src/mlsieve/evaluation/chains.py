"""Methods that predict label sets, run on a dataset: what the command ``chain`` does."""

from __future__ import annotations

import contextlib
import inspect
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.chains.sequence import ChainPrediction, prediction_of
from mlsieve.data.class_choices import FLATTEN
from mlsieve.data.dataset import Dataset
from mlsieve.data.validation import require_test_part
from mlsieve.errors import UserError, did_you_mean
from mlsieve.evaluation.predictions import Predictions, sequence_arrays
from mlsieve.evaluation.trained import (
    TrainedModel,
    load_trained,
    one_line,
    require_probabilities,
)
from mlsieve.measures import Measure, available, choose, default_definition
from mlsieve.progress import counting
from mlsieve.registry import Entry, check_parameters, check_values, lookup

# What the paper on dynamic chains shows; the first rows of a table.
LEADING = ("hamming-accuracy", "subset-accuracy", "f1")


@dataclass(frozen=True)
class ChainMethod:
    """A registered method with its parameters, which are checked.

    Attributes
    ----------
    entry : Entry
        Of the kind ``chain``.
    settings : dict
        As given, by short names.
    """

    entry: Entry
    settings: Mapping[str, Any]

    def estimator(self, dataset: Dataset, seed: int, n_threads: int, *, bare: bool = False) -> Any:
        """Return a new estimator for a dataset's rows; bare: its learner, which needs no scikit-learn."""
        automatic = {
            "random_state": self.entry.seed_from(seed),
            "n_jobs": n_threads,
            "nominal": dataset.nominal,
            "n_categories": [len(values) for values in dataset.categories],
        }
        accepted = inspect.signature(self.entry.target).parameters
        given = {name: value for name, value in automatic.items() if name in accepted}
        made = self.entry.target if bare else self.entry.estimator
        return made(**self.entry.arguments(self.settings), **given)


@dataclass(frozen=True)
class ChainRun:
    """What a method has predicted for the test part of a dataset, and what that took.

    Attributes
    ----------
    prediction : ChainPrediction
    training_seconds, prediction_seconds : float
        CPU seconds of all threads.
    learner : estimator
        Fitted.
    """

    prediction: ChainPrediction
    training_seconds: float
    prediction_seconds: float
    learner: Any


def chain_method(id: str, settings: Mapping[str, Any], *, more_follow: bool = False) -> ChainMethod:
    """Return a registered method with its parameters.

    Parameters
    ----------
    id : str
    settings : mapping
        Its parameters by their short names. True, False and None stand for the words ``true``, ``false`` and
        ``none`` where a parameter is one of several words.
    more_follow : bool
        Whether these are some of the parameters: it is not checked whether they go together.

    Raises
    ------
    UserError
        If there is no such method, or it does not accept a setting.
    """
    entry, values = lookup("chain", id), dict(settings)
    schemas = entry.parameters()
    for name, value in settings.items():
        word, words = str(value).lower(), schemas.get(name, {}).get("enum", ())
        if (value is None or isinstance(value, bool)) and word in words and value not in words:
            values[name] = word
    if more_follow:
        return ChainMethod(entry, check_values(f"chain '{id}'", schemas, values))
    return ChainMethod(entry, check_parameters("chain", id, values))


def run_chain(
    method: ChainMethod,
    dataset: Dataset,
    *,
    seed: int = 0,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> ChainRun:
    """Fit a method to the training part of a dataset and predict the test part.

    Parameters
    ----------
    method : ChainMethod
    dataset : Dataset
        With a test part.
    seed : int
    n_threads : int
        Does not change the result.
    progress : callable, optional
        Called as ``progress(done, total)`` after each step of training, by methods that count steps.

    Raises
    ------
    UserError
        If the method is not for such data, or there is no test part.
    """
    require_test_part(int((~dataset.train_mask).sum()), dataset.name, also="")
    learner, trained = fit_chain(method, dataset, seed=seed, n_threads=n_threads, progress=progress)
    return predicted_run(method, learner, dataset, trained)


def fit_chain(
    method: ChainMethod,
    dataset: Dataset,
    *,
    seed: int = 0,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
    bare: bool = False,
) -> tuple[Any, float]:
    """Fit a method to the training part of a dataset; return the estimator and the CPU seconds.

    Other parameters and errors are those of `run_chain`, which predicts, too.

    Parameters
    ----------
    bare : bool
        Whether the estimator may be a learner of `mlsieve.chains.learner`: scikit-learn takes longer to
        import than many a model to fit.
    """
    require_fit(method, dataset, seed)
    with one_line(method.entry.id, dataset.name, dataset.feature_names):
        learner = method.estimator(dataset, seed, n_threads, bare=bare)
        fit = learner.fit if hasattr(learner, "fit") else learner.learn
        counts = "progress" in inspect.signature(fit).parameters
        with counting("steps") as report:

            def step(done: int, total: int) -> None:
                report(done, total)
                if progress is not None:
                    progress(done, total)

            begin = time.process_time()
            fit(dataset.X_train, dataset.Y_train, **({"progress": step} if counts else {}))
            return learner, time.process_time() - begin


def rehearse(method: ChainMethod, dataset: Dataset) -> None:
    """Fit a method to a few rows and a single label, so that what it imports does not count as training.

    Whatever goes wrong is left to the fit that counts.

    Parameters
    ----------
    method : ChainMethod
    dataset : Dataset
        Whose first rows are taken.
    """
    rows = min(8, dataset.X.shape[0])
    labels = np.zeros((rows, len(dataset.label_names)), np.uint8)
    labels[::2, 0] = 1
    with contextlib.suppress(Exception):
        few = replace(
            dataset, X=dataset.X[:rows], Y=sp.csr_array(labels), train_mask=np.ones(rows, dtype=bool)
        )
        fit_chain(method, few, bare=True)


def predicted_run(method: ChainMethod, learner: Any, dataset: Dataset, training_seconds: float) -> ChainRun:
    """Predict the test part of a dataset with a fitted estimator.

    Parameters
    ----------
    method : ChainMethod
    learner : estimator
    dataset : Dataset
        With a test part, of the features and labels that the estimator was fitted to.
    training_seconds : float
        What the fit took.
    """
    return predicted_runs(method, learner, dataset, training_seconds, [{}])[0]


def predicted_runs(
    method: ChainMethod,
    learner: Any,
    dataset: Dataset,
    training_seconds: float,
    params: Sequence[Mapping[str, Any]],
) -> list[ChainRun]:
    """Predict the test part with several parameters of prediction, by their short names.

    Other parameters are those of `predicted_run`.
    """
    settings = [method.entry.arguments(one) for one in params]
    with one_line(method.entry.id, dataset.name, dataset.feature_names):
        if hasattr(learner, "predict_each"):
            found = learner.predict_each(dataset.X_test, settings)
        else:
            found = [_timed(learner.varied(**one) if one else learner, dataset.X_test) for one in settings]
        for prediction, _ in found:
            require_probabilities(method.entry, prediction, dataset.Y_test.shape)
        return [ChainRun(prediction, training_seconds, seconds, learner) for prediction, seconds in found]


def _timed(learner: Any, X: Any) -> tuple[ChainPrediction, float]:
    begin = time.process_time()
    prediction = prediction_of(learner, X)
    return prediction, time.process_time() - begin


def load_chain(path: str | os.PathLike[str], settings: Mapping[str, Any]) -> tuple[ChainMethod, TrainedModel]:
    """Return a fitted estimator from a file, with other parameters of prediction.

    Parameters
    ----------
    path : path-like
        Which the estimator's `save` wrote.
    settings : mapping
        Parameters that need no new fit, by their short names.

    Returns
    -------
    method : ChainMethod
        With the parameters that are not defaults.
    model : TrainedModel

    Raises
    ------
    UserError
        If it is no such file, or a parameter is not one of prediction.
    """
    model = load_trained(path, "chain")
    changes, learner = chain_method(model.entry.id, settings, more_follow=True), model.learner
    known = {*learner.PREDICTION}
    for name, long in zip(settings, changes.entry.arguments(settings), strict=True):
        if long not in known:
            raise UserError(
                f"{name} cannot be changed: the model of {path} is fitted",
                hint=did_you_mean(name, sorted(known)) if known else "leave it out",
            )
    learner = learner.varied(**changes.entry.arguments(changes.settings))
    schemas = changes.entry.parameters()
    names = zip(schemas, changes.entry.own_parameters(), strict=True)
    values = {name: getattr(learner, long) for name, long in names}
    unusual = {name: value for name, value in values.items() if value != schemas[name]["default"]}
    return ChainMethod(changes.entry, unusual), replace(model, learner=learner)


def run_loaded(method: ChainMethod, model: TrainedModel, dataset: Dataset, n_threads: int = 1) -> ChainRun:
    """Predict the test part of a dataset with a fitted estimator of `load_chain`.

    Parameters
    ----------
    method : ChainMethod
    model : TrainedModel
    dataset : Dataset
        With a test part, and the columns that `with_columns_of` gives it.
    n_threads : int
        Does not change the result.

    Raises
    ------
    UserError
        If the dataset has no test part.
    """
    require_test_part(int((~dataset.train_mask).sum()), dataset.name, also="")
    return predicted_run(method, model.learner.varied(n_jobs=n_threads), dataset, 0.0)


def require_fit(method: ChainMethod, dataset: Dataset, seed: int) -> None:
    """Raise a UserError if a method is not for a dataset's kind of labels, or the seed is none."""
    if not 0 <= seed < 2**63:
        raise UserError(f"seed {seed} is out of range", hint="give a whole number from 0 to 2**63 - 1")
    tasks = method.entry.facts.tasks
    if dataset.task in tasks:
        return
    if dataset.task == "hmlc":
        raise UserError(
            f"method '{method.entry.id}' does not support dataset '{dataset.name}', whose classes have a"
            " hierarchy: it could predict a class without the classes above it",
            hint=f"{FLATTEN}, or evaluate rankings with 'mlsieve evaluate'",
        )
    raise UserError(
        f"method '{method.entry.id}' does not support {dataset.task} data",
        hint=f"it supports {' and '.join(tasks)}",
    )


def stored_chain(
    method: ChainMethod, prediction: ChainPrediction, dataset: Dataset, facts: Mapping[str, Any]
) -> Predictions:
    """Return what a method has predicted as the content of a file.

    Parameters
    ----------
    method : ChainMethod
    prediction : ChainPrediction
    dataset : Dataset
        Whose test part was predicted.
    facts : mapping
        Further facts for the file's header: split, repeat, seed, ...
    """
    return Predictions(
        prediction.probabilities[None],
        dataset.Y_test,
        (method.entry.id,),
        (0,),
        (dataset.X.shape[1],),
        1.0,
        facts={
            **facts,
            "dataset": dataset.name,
            "method": method.entry.id,
            "parameters": dict(method.settings),
        },
        hierarchy=dataset.hierarchy,
        sets=prediction.labels[None],
        sequence=sequence_arrays(prediction.sequence),
    )


def chain_measures(
    dataset: Dataset, measures: Sequence[str] | None = None, definition: str | None = None
) -> list[Measure]:
    """Return the measures asked for; by default all of the definition, after `LEADING`.

    Parameters
    ----------
    dataset : Dataset
    measures : sequence of str, optional
    definition : str, optional
        As of `mlsieve.measures.choose`.
    """
    hierarchical = dataset.hierarchy is not None
    if measures is None:
        known = available(definition or default_definition(hierarchical), hierarchical)
        measures = [*LEADING, *(name for name in known if name not in LEADING)]
    return choose(measures, definition, hierarchical)
