"""Methods on a single dataset with repeats: the corrected resampled test of each pair."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlsieve.analysis.tests import Answer
from mlsieve.comparison.options import EXACT, Options
from mlsieve.comparison.table.layout import Results
from mlsieve.errors import number_of
from mlsieve.paper.verdicts import RESAMPLED
from mlsieve.stats import effects, multiple, ranks
from mlsieve.stats.resampled import corrected_resampled_test

MOST_FOLDS = 10  # that are taken for those of one division where no column numbers repeats


def repeats_compared(
    results: Results, options: Options, directions: Mapping[str, str], methods: Sequence[str]
) -> Answer:
    """Test pairs of methods over the repeats of the only dataset, and rank the methods in each repeat.

    The p-values of a measure's pairs are corrected by Benjamini and Hochberg. No pair is tested where the
    ratio of test rows to training rows is neither given nor that of folds.
    """
    answer = Answer()
    ratio, words = options.test_per_train, f"{options.test_per_train:g}" if options.test_per_train else ""
    if ratio is None and results.folds > 1:
        ratio, words = 1 / (results.folds - 1), f"1/{results.folds - 1}"
        answer.notes.append(
            f"the repeats are taken to be {results.folds} folds of a cross-validation ({words} test rows per"
            " training row; else --test-per-train)"
        )
    elif ratio is None:
        answer.notes.append(
            f"no pair is tested, because it is not known how many test rows per training row each"
            f" {results.repeats} has: give --test-per-train R, or number the folds in a column 'fold', and if"
            f" there are more than {MOST_FOLDS}, the divisions into folds in a column 'repeat'"
        )
    for measure in results.measures:
        part = results.frame[results.frame["measure"] == measure]
        wide = part.pivot(index="repeat", columns="method", values="value").reindex(columns=list(methods))
        complete = ranks.complete_rows(wide)
        rounded = ranks.round_values(complete.to_numpy(), **(options.rounding or EXACT))
        direction: Any = directions[measure]
        numbers = rounded if direction == "higher" else -rounded
        head = {
            "question": "comparison",
            "family": "extended",
            "variant": "all",
            "evaluator": "",
            "measure": measure,
            "comparison": "methods",
        }
        answer.tests += [head | row for row in _tests(numbers, methods, options, ratio, words)]
        average = ranks.rank_methods(
            complete.set_axis(list(methods), axis="columns").assign(
                **{name: rounded[:, place] for place, name in enumerate(methods)}
            ),
            direction,
        ).mean()
        answer.ranks += [
            head
            | {
                "method": name,
                "rank": float(average[name]),
                "critical_distance": math.nan,
                "n_datasets": 1,
                "test": RESAMPLED,
                "reference_method": options.reference or "",
            }
            for name in methods
        ]
    return answer


def in_whole_repeats(results: Results) -> Results:
    """Return the results of the only dataset without repeats that lack a method.

    A measure with fewer than two whole repeats is left out. Notes say what was left out.
    """
    frame = results.frame
    counts = frame.dropna(subset=["value"]).groupby(["measure", "repeat"])["method"].nunique()
    whole = set(counts.index[counts == len(results.methods)])
    notes, measures = list(results.notes), []
    for measure in results.measures:
        repeats = set(frame["repeat"][frame["measure"] == measure])
        lacking = sum((measure, repeat) not in whole for repeat in repeats)
        if len(repeats) - lacking < 2:
            notes.append(
                f"'{measure}' is left out, because fewer than 2 repeats have a value of every method"
            )
            continue
        measures.append(measure)
        if lacking:
            of_measure = f" by {measure}" if len(results.measures) > 1 else ""
            verb, was = ("lacks", "was") if lacking == 1 else ("lack", "were")
            of = number_of(len(repeats), "repeat")
            notes.append(f"{lacking} of {of} {verb} a value of some method{of_measure} and {was} left out")
    kept = [
        key in whole and key[0] in measures for key in zip(frame["measure"], frame["repeat"], strict=True)
    ]
    return replace(results, frame=frame[kept], measures=measures, notes=notes, folds=_folds(results))


def _folds(results: Results) -> int:
    """Return into how many folds the only dataset is divided; 0 where no column numbers them.

    More than ten may be the folds of several divisions, unless another column numbers the divisions.
    """
    of_division: dict[str, set[str]] = {}  # into folds, which a column of repeats may number
    for repeat, fold in zip(results.frame["repeat"], results.frame["fold"], strict=True):
        if fold:
            of_division.setdefault(repeat.removesuffix(fold), set()).add(fold)
    folds = max(map(len, of_division.values()), default=0)
    numbered = all(
        re.fullmatch(r"(?:\D*fold|cv)?\W*\d+\W*", fold, re.IGNORECASE)
        for own in of_division.values()
        for fold in own
    )
    return folds if numbered and ("" not in of_division or folds <= MOST_FOLDS) else 0


def _tests(
    numbers: np.ndarray, methods: Sequence[str], options: Options, ratio: float | None, words: str
) -> list[dict[str, Any]]:
    pairs = list(itertools.combinations(range(len(methods)), 2))
    if options.reference is not None:
        place = list(methods).index(options.reference)
        pairs = [(other, place) for other in range(len(methods)) if other != place]
    rows = []
    for first, second in pairs:
        differences = ranks.paired_differences(numbers[:, first], numbers[:, second])
        wins, ties, losses = effects.win_tie_loss(differences)
        row = {
            "test": RESAMPLED,
            "methods": f"{methods[first]};{methods[second]}",
            "n_datasets": 1,
            "statistic": math.nan,
            "p_value": math.nan,
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "difference": float(differences.mean()),
            "interval_low": math.nan,
            "interval_high": math.nan,
            "note": "no pair is tested, because the ratio of test rows to training rows is not known",
            "p_kind": "",
            "p_least": math.nan,
        }
        if ratio is not None:
            found = corrected_resampled_test(differences.tolist(), ratio)
            row |= {"statistic": found.statistic, "p_value": found.p_value, "difference": found.mean}
            row |= {"interval_low": found.low, "interval_high": found.high, "p_kind": "t", "p_least": 0.0}
            row["note"] = f"{words} test rows per training row"
        rows.append(row)
    adjusted = multiple.benjamini_hochberg([row["p_value"] for row in rows])
    for row, p_adjusted in zip(rows, adjusted.tolist(), strict=True):
        row |= {"p_adjusted": p_adjusted, "rejected": bool(p_adjusted <= options.significance)}
    return rows
