"""Methods on a single dataset with repeats: the corrected resampled test of each pair."""

from __future__ import annotations

import itertools
import math
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


def repeats_compared(
    results: Results, options: Options, directions: Mapping[str, str], methods: Sequence[str]
) -> Answer:
    """Test pairs of methods over the repeats of the only dataset, and rank the methods in each repeat.

    The p-values of a measure's pairs are corrected by Benjamini and Hochberg.
    """
    answer = Answer()
    noted: set[str] = set()
    for measure in results.measures:
        part = results.frame[results.frame["measure"] == measure]
        wide = part.pivot(index="repeat", columns="method", values="value").reindex(columns=list(methods))
        complete = ranks.complete_rows(wide)
        rounded = ranks.round_values(complete.to_numpy(), **(options.rounding or EXACT))
        direction: Any = directions[measure]
        numbers = rounded if direction == "higher" else -rounded
        ratio = options.test_per_train
        if ratio is None:
            ratio = 1 / max(len(numbers) - 1, 1)
            noted.add(f"1/{max(len(numbers) - 1, 1)}")
        head = {
            "question": "comparison",
            "family": "extended",
            "variant": "all",
            "evaluator": "",
            "measure": measure,
            "comparison": "methods",
        }
        answer.tests += [head | row for row in _tests(numbers, methods, options, ratio)]
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
    if noted:
        answer.notes.append(
            "the repeats are taken to be folds of a cross-validation"
            f" ({', '.join(sorted(noted))} test rows per training row; else --test-per-train)"
        )
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
    return replace(results, frame=frame[kept], measures=measures, notes=notes)


def _tests(
    numbers: np.ndarray, methods: Sequence[str], options: Options, ratio: float
) -> list[dict[str, Any]]:
    pairs = list(itertools.combinations(range(len(methods)), 2))
    if options.reference is not None:
        place = list(methods).index(options.reference)
        pairs = [(other, place) for other in range(len(methods)) if other != place]
    rows = []
    for first, second in pairs:
        differences = ranks.paired_differences(numbers[:, first], numbers[:, second])
        found = corrected_resampled_test(differences.tolist(), ratio)
        wins, ties, losses = effects.win_tie_loss(differences)
        median, low, high = effects.median_difference(differences)
        note = "" if found.n_folds > 1 else "the corrected resampled test needs at least 2 repeats"
        rows.append(
            {
                "test": RESAMPLED,
                "methods": f"{methods[first]};{methods[second]}",
                "n_datasets": 1,
                "statistic": found.statistic,
                "p_value": found.p_value,
                "wins": wins,
                "ties": ties,
                "losses": losses,
                "median_difference": float(median),
                "interval_low": float(low),
                "interval_high": float(high),
                "note": note,
                "p_kind": "t",
                "p_least": 0.0,
            }
        )
    adjusted = multiple.benjamini_hochberg([row["p_value"] for row in rows])
    for row, p_adjusted in zip(rows, adjusted.tolist(), strict=True):
        row |= {"p_adjusted": p_adjusted, "rejected": bool(p_adjusted <= options.significance)}
    return rows
