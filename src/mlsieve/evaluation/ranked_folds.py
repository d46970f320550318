"""Cross-validation of rankers: each ranks the training rows of a fold, an evaluator predicts the fold."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError, did_you_mean, number_of
from mlsieve.evaluation.folds import (
    divided,
    kinds_of,
    left_out,
    mean_and_deviation,
    notice_folds,
    number_text,
)
from mlsieve.evaluation.predictions import prepare_evaluation, scores_and_labels
from mlsieve.files.streams import csv_writer
from mlsieve.measures import Measure, evaluate_fold
from mlsieve.rankers.dataset_rankings import check_request, rank_dataset
from mlsieve.rankings.selection import FeatureCount, feature_count
from mlsieve.registry import lookup
from mlsieve.registry.parameters import settings_of
from mlsieve.stats.resampled import corrected_resampled_test

SIGNIFICANCE = 0.05
# What a word says beside the ranker's parameters: the options of `mlsieve rank`, and fields of the method.
OPTIONS = ("ensemble", "score", "trees", "select")
_EXAMPLE = "pct:score=symbolic,trees=50"


@dataclass(frozen=True)
class RankingMethod:
    """A registered ranker with its settings, which are checked.

    Attributes
    ----------
    name : str
        What tables call it: the word that asked for it.
    id : str
        Of the ranker.
    settings : mapping
        Its parameters.
    ensemble, score : str or None
        Of a ranker that grows trees; None: its defaults.
    trees : int or None
        Number of trees; None: the default.
    select : int, float, str or None
        How many of the best features a selection takes; None: the ranking as it is.
    """

    name: str
    id: str
    settings: Mapping[str, Any]
    ensemble: str | None = None
    score: str | None = None
    trees: int | None = None
    select: FeatureCount | None = None


def ranking_method(word: str) -> RankingMethod:
    """Return the method that a word asks for, such as ``relief`` or ``pct:score=symbolic,trees=50``.

    Parameters
    ----------
    word : str
        The id of a ranker. After a colon follow settings with commas between them: parameters of the ranker,
        ``ensemble``, ``score``, ``trees`` and ``select``.

    Raises
    ------
    UserError
        On what the ranker does not have or accept, and on another form of word.
    """
    id, colon, text = word.partition(":")
    given = [each.strip() for each in text.split(",")] if colon else []
    if not all("=" in each for each in given):
        raise UserError(
            f"--method {word}: what follows the colon is not of the form name=value",
            hint=f"write e.g. --method {_EXAMPLE}",
        )
    settings = settings_of(given, f"--method {id}:", "trees=50")
    facts = lookup("ranker", id).facts
    options = {name: settings.pop(name) for name in OPTIONS if name in settings}
    for name in ("ensemble", "score"):
        options |= {name: str(options[name])} if name in options else {}
    trees = options.get("trees")
    if trees is not None and not facts.scores:
        raise UserError(f"--method {word}: ranker '{id}' does not grow trees", hint="leave out trees")
    if trees is not None and (not isinstance(trees, int) or isinstance(trees, bool) or trees < 1):
        raise UserError(
            f"--method {word}: trees must be a count of at least 1", hint=f"write e.g. {_EXAMPLE}"
        )
    if options.get("select") is not None:
        feature_count(options["select"], 1, 1)  # refuses what is none
    known = settings_known(id)
    for name in settings:
        if name not in known:
            what = f"--method {word}: ranker '{id}' has no parameter '{name}'"
            raise UserError(what, hint=did_you_mean(name, known))
    check_request(id, settings, options.get("ensemble"), options.get("score"))
    return RankingMethod(word, id, settings, **options)


def settings_known(id: str) -> list[str]:
    """Return what may follow the colon of a ranker: its parameters, and options of `mlsieve rank`."""
    entry = lookup("ranker", id)
    options = OPTIONS if entry.facts.scores else () if entry.facts.selects else ("select",)
    # The number of trees is an option in place of a parameter.
    return [*(name for name in entry.parameters() if name != "n_estimators" or not options[1:]), *options]


def ranking_methods(words: Sequence[str]) -> list[RankingMethod]:
    """Return the methods that words ask for; a UserError if two words are the same."""
    for word in words:
        if words.count(word) > 1:
            raise UserError(f"--method {word} is given twice", hint="give each method once")
    return [ranking_method(word) for word in words]


class Row(NamedTuple):
    """What a table says of one method and one measure.

    Attributes
    ----------
    method, measure : str
    mean, standard_deviation : float
        Over the folds that count; NaN if there are too few.
    folds : int
        How many count: those in which every method with values has one.
    best : str
        The best method of the measure; empty where no fold has a value of every method.
    p_value : float or None
        Of the corrected resampled t-test against the best method; None for that itself.
    labels_left_out : int
        By the measure, over all folds.
    division : str
        How the rows were divided into folds.
    """

    method: str
    measure: str
    mean: float
    standard_deviation: float
    folds: int
    best: str
    p_value: float | None
    labels_left_out: int
    division: str

    @property
    def differs(self) -> bool:
        """Whether the difference from the best method is significant."""
        return self.p_value is not None and self.p_value < SIGNIFICANCE

    def readable(self) -> str:
        """Return the mean and the deviation in print, with a mark where the method `differs`."""
        return f"{self.mean:.3f} ± {self.standard_deviation:.3f}{' *' if self.differs else ''}"


@dataclass(frozen=True)
class RankedFolds:
    """Values of measures of several methods in the folds of one cross-validation.

    Attributes
    ----------
    names : sequence of str
        Of the methods.
    measures : sequence of Measure
    values : ndarray of float64, shape (methods, folds, measures)
        NaN where a measure is undefined.
    test_per_train : float
        Test rows divided by training rows, over all folds.
    labels_left_out : ndarray of int, shape (methods, measures)
        Over all folds.
    division : str
        How the rows were divided into folds.
    dataset : str
        Its name.
    repeats : int
        How many times they were divided; the folds of one division follow each other.
    """

    names: Sequence[str]
    measures: Sequence[Measure]
    values: np.ndarray
    test_per_train: float
    labels_left_out: np.ndarray
    division: str
    dataset: str = ""
    repeats: int = 1

    def rows(self) -> list[Row]:
        """Return the rows of `table`, by measure, best method first; equal ones by name.

        Only folds count in which all methods have a value, so that means are over the same folds. Where there
        is none, means are over each method's own folds, and no method is the best. Methods without a value in
        any fold are left aside and come last.
        """
        found = []
        for position, measure in enumerate(self.measures):
            sign = -1.0 if measure.direction == "higher" else 1.0
            common = self._common(position)
            comparable = bool(common.any())
            values = np.where(common | (not comparable), self.values[:, :, position], np.nan)
            columns = dict(zip(self.names, values, strict=True))
            cells = {name: mean_and_deviation(column.tolist()) for name, column in columns.items()}
            order = sorted(cells, key=lambda name: (*_badness(sign * cells[name][0]), name))
            best = order[0] if comparable else ""
            left = dict(zip(self.names, self.labels_left_out[:, position].tolist(), strict=True))
            for name in order:
                p_value = None if name == best else math.nan
                if best not in ("", name):
                    differences = (columns[name] - columns[best]).tolist()
                    p_value = corrected_resampled_test(differences, self.test_per_train).p_value
                row = Row(name, measure.id, *cells[name], best, p_value, left[name], self.division)
                found.append(row)
        return found

    def _common(self, position: int) -> np.ndarray:
        """Return in which folds all methods that have values by a measure have one, shape (folds,)."""
        known = ~np.isnan(self.values[:, :, position])
        return known[known.any(axis=1)].all(axis=0) & known.any()

    def notes(self) -> list[str]:
        """Return which methods lack values in some folds only, which therefore do not count."""
        said: dict[str, list[str]] = {}
        for position, measure in enumerate(self.measures):
            known, common = ~np.isnan(self.values[:, :, position]), self._common(position)
            lost = known.any(axis=0) & ~common
            lacking = known.any(axis=1) & (lost & ~known).any(axis=1)
            if lost.any():
                names = ", ".join(name for name, lacks in zip(self.names, lacking, strict=True) if lacks)
                count = f"{lost.sum()} of {number_of(len(lost), 'fold')}"
                do = "does" if lost.sum() == 1 else "do"
                text = f"{count} {do} not count, because {names} {'has' if lacking.sum() == 1 else 'have'}"
                said.setdefault(f"{text} no value there", []).append(measure.id)
        return [f"by {', '.join(measures)}: {text}" for text, measures in said.items()]

    def table(self) -> str:
        """Return `rows` as CSV text with the names of `Row`; ``NaN`` where a value is undefined."""
        return _as_csv(Row._fields, self.rows())

    def tidy_table(self) -> str:
        """Return each value in a row of CSV text, with the columns that `mlsieve.compare` knows."""
        n_folds = self.values.shape[1] // self.repeats
        rows = (
            (self.dataset, name, measure.id, *divmod(number, n_folds), value)
            for name, of_method in zip(self.names, self.values.tolist(), strict=True)
            for position, measure in enumerate(self.measures)
            for number, value in enumerate(of_fold[position] for of_fold in of_method)
        )
        return _as_csv(("dataset", "method", "measure", "repeat", "fold", "value"), rows)

    def readable(self, measures: Sequence[str]) -> str:
        """Return a table for a terminal: a row for each method, a column for each of some measures."""
        rows = [row for row in self.rows() if row.measure in measures]
        cells = {(row.method, row.measure): row.readable() for row in rows}
        shown = list(dict.fromkeys(row.measure for row in rows))
        names = [row.method for row in rows if row.measure == shown[0]]
        columns = [["method", *names]]
        columns += [[measure, *(cells[name, measure] for name in names)] for measure in shown]
        padded = [[cell.ljust(max(map(len, column))) for cell in column] for column in columns]
        lines = ["  ".join(line).rstrip() for line in zip(*padded, strict=True)]
        lower = [one.id for one in self.measures if one.id in shown and one.direction == "lower"]
        if lower:
            lines.append(f"lower is better: {', '.join(lower)}")
        if any(row.differs for row in rows):
            lines.append(f"* differs from the best (corrected resampled t-test, p < {SIGNIFICANCE})")
        lines.append(f"folds: {self.division}")
        return "".join(f"{line}\n" for line in lines)


def _as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv_writer(text)
    writer.writerow(header)
    for row in rows:
        writer.writerow(number_text(cell) if isinstance(cell, float) else cell for cell in row)
    return text.getvalue()


def _badness(value: float) -> tuple[bool, float]:
    """Return a key that sorts small values first and NaN last."""
    return math.isnan(value), 0.0 if math.isnan(value) else value


def cross_validate_rankings(
    methods: Sequence[RankingMethod],
    dataset: Dataset,
    *,
    folds: int,
    repeats: int = 1,
    evaluator: str = "weighted-knn",
    settings: Mapping[str, Any] | None = None,
    measures: Sequence[Measure],
    split_seed: int = 0,
    division: str = "auto",
    seed: int = 0,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RankedFolds:
    """Rank and evaluate in each fold of all rows of a dataset; all methods have the same folds.

    Parameters
    ----------
    methods : sequence of RankingMethod
    dataset : Dataset
        Its own split does not count.
    folds, repeats : int
        So many folds, in so many divisions of the rows.
    evaluator : str
        Id of a registered evaluator.
    settings : mapping, optional
        Its parameters.
    measures : sequence of Measure
        As `mlsieve.measures.choose` returns them.
    split_seed : int
        Of the divisions, see `mlsieve.evaluation.folds.divided`.
    division : {"auto", "random", "stratified", "stratified-pairs"}
        How the rows are divided into folds.
    seed : int
        Of the methods; the same in each fold, as that of an estimator in scikit-learn's ``cross_validate``.
    n_threads : int
        Does not change the result.
    progress : callable, optional
        Called as ``progress(done, total)`` after each ranking that was evaluated.

    Raises
    ------
    UserError
        On more folds than rows, a method or an evaluator that is not for such data, or an evaluator that
        predicts several times with one ranking.
    """
    values = np.full((len(methods), folds * repeats, len(measures)), np.nan)
    undefined, divisions = np.zeros(values.shape, np.int64), {}
    n_train = n_test = done = 0
    for number, fold in enumerate(divided(dataset, folds, repeats, split_seed, division)):
        part, divisions[fold.repeat] = fold.dataset, fold.division
        truth = part.Y_test.toarray().astype(bool)
        n_train, n_test = n_train + part.n_train, n_test + part.X.shape[0] - part.n_train
        for position, method in enumerate(methods):
            # Whatever is fitted sees the training rows of the fold alone, discretisation included.
            bundle = rank_dataset(
                part,
                method.id,
                method.settings,
                ensemble=method.ensemble,
                score=method.score,
                seed=seed,
                n_threads=n_threads,
                select=method.select,
                sizes=() if method.trees is None else (method.trees,),
                n_rows=part.n_train,
            )
            evaluation = prepare_evaluation(
                part, bundle, evaluator=evaluator, settings=settings or {}, facts={"split": "folds"}
            )
            learner = evaluation.learner
            found = [
                scores_and_labels(each.values, learner.denominator, learner.relevant)
                for each in evaluation.predictions(n_threads)
            ]
            if len(found) != 1:
                raise UserError(
                    f"evaluator '{evaluator}' predicts {len(found)} times with each ranking of a fold",
                    hint="set points=1",
                )
            measured = evaluate_fold(measures, truth, *found[0], part.hierarchy)
            values[position, number], undefined[position, number] = measured
            done += 1
            if progress is not None:
                progress(done, len(methods) * folds * repeats)
    every = [*divisions.values()]
    notice_folds(dataset, folds, every, measures, undefined[0])
    names, left = [method.name for method in methods], left_out(measures, undefined)
    ratio, kinds = n_test / n_train, kinds_of(every)
    return RankedFolds(names, measures, values, ratio, left, kinds, dataset.name, repeats)
