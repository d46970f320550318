"""The study of dynamic classifier chains, which is not built yet: a guess of its cost, with no model fitted.

Each training is taken to cost a factor times its count of operations. The factors come from CPU seconds of
the authors' program: 1.0 s for 20 rounds of multi-label boosting and 3.6 s for the chains of it on emotions,
41.9 s for 10 rounds on yeast. Those of other methods are orders of magnitude. Tuning of hyper-parameters is
not counted.
"""

from __future__ import annotations

import math

from mlsieve.costs import Cost
from mlsieve.data.catalog import catalog
from mlsieve.study.estimates import counts_of
from mlsieve.study.schedule import PlannedJob

SETS = (
    "emotions",
    "scene",
    "flags",
    "yeast",
    "birds",
    "genbase",
    "medical",
    "enron",
    "cal500",
    "bibtex",
    "tmc2007-500",
)
SPLIT_FUNCTIONS, ROUNDS, TREES, CLASSIC_TREES = 6, 20, 300, 100
START = 3.0  # seconds: Python with scikit-learn and XGBoost
# Seconds for each value looked at and label (chains, boosting), for each tree, test example and label, and
# for each comparison.
CHAIN, BOOST, WALK, COMPARE = 1.6e-7, 3e-7, 1e-6, 1e-8


def chain_jobs() -> list[PlannedJob]:
    """Return the jobs of the study: preparation, and one for each method on each data set."""
    jobs = []
    for name in SETS:
        jobs.append(PlannedJob("prepare", name, name, (), _cost(1.0)))
        for method, seconds in _trainings(name).items():
            jobs.append(PlannedJob(method, name, f"{name}/{method}", (name,), _cost(START + seconds)))
    return jobs


def _cost(seconds: float) -> Cost:
    return Cost(seconds / 60, 1_000.0, 1.0)


def _trainings(name: str) -> dict[str, float]:
    """Return the guessed CPU seconds of each method on a data set."""
    counts = counts_of(catalog()[name])
    n, labels = counts["n"], counts["L"]
    train = counts["n_train"] or 2 / 3 * n
    stored = (counts["nonzeros"] or n * counts["F"]) * train / n
    sort = COMPARE * math.log2(train) * stored
    found = {"random-decision-trees": WALK * TREES * (train * 30 / 100 + (n - train) * labels)}
    for number in range(SPLIT_FUNCTIONS):
        # A chain trains a booster for each of its labels, on the features and what is predicted so far.
        found[f"chain-{number}"] = CHAIN * labels * ROUNDS * labels * (stored + train * labels)
        found[f"boosting-{number}"] = BOOST * ROUNDS * labels * stored
    for transformation, models in (("relevance", labels), ("chain", labels), ("powerset", 1.0)):
        found[f"{transformation}-tree"] = models * sort * 10
        found[f"{transformation}-forest"] = models * CLASSIC_TREES * sort
        if transformation != "powerset":
            found[f"{transformation}-boosting"] = models * CLASSIC_TREES * sort
    return found
