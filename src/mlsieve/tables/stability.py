"""Dependence of a ranking and its quality on the seed: the table stability.csv of a study."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlsieve.errors import UserError
from mlsieve.files.csv_tables import PERFORMANCE, read_rows
from mlsieve.rankings.files import RankingBundle
from mlsieve.stats._lazy import pd
from mlsieve.stats.similarity import Features, fuzzy_jaccard
from mlsieve.study import Job, Study, first_unfinished
from mlsieve.tables.performance import Measured, scores_of

OF_ROW = tuple(name for name in PERFORMANCE if name not in ("value", "features"))
STABILITY = (*OF_ROW, "seeds", "mean", "standard_deviation", "similarity")


def stability_rows(
    study: Study, datasets: Sequence[str], *, partial: bool = False, features: Features = "all"
) -> Iterator[dict[str, Any]]:
    """Yield a row for each dataset, split, method, size, evaluator and measure.

    Parameters
    ----------
    study : Study
        One that ranks with several seeds.
    datasets : sequence of str
        Keys of the datasets in use.
    partial : bool
        Whether to use only the seeds whose jobs have finished; fewer than two give no row.
    features : {"all", "positive"}
        Which features FUJI takes into account, see `mlsieve.stats.similarity.fuzzy_jaccard_curve`.

    Yields
    ------
    dict
        Keys `STABILITY`: the columns of performance.csv that describe a ranking (of several numbers of
        features those of the largest), the number of seeds, mean and standard deviation (n - 1 in the
        denominator) of the measure over them, and the mean FUJI similarity of their rankings, over all pairs.

    Raises
    ------
    UserError
        If a file is missing (unless `partial`) or damaged.
    """
    similarities: dict[tuple[str, tuple[str, ...]], dict[int, float]] = {}
    for chains in _same_but_for_the_seed(study, datasets):
        finished = [chain for chain in chains if not partial or first_unfinished(chain) is None]
        if len(finished) < 2:
            continue
        ranker = finished[0][-1].ranker
        assert ranker is not None
        rankings = ranker.label, tuple(_output(chain, "rank") for chain in finished)
        if rankings not in similarities:
            bundles = map(RankingBundle.load, rankings[1])
            similarities[rankings] = mean_similarities(
                [replace(bundle, rankings=tuple(ranker.own(bundle.rankings))) for bundle in bundles], features
            )
        tables = [_read_scores(chain[-1], study.content.measured) for chain in finished]
        for key, first in tables[0].items():
            values = [float(table[key]["value"]) for table in tables]
            mean, deviation = _moments(values)
            yield {
                **{name: first[name] for name in OF_ROW},
                "seeds": len(values),
                "mean": _number(mean),
                "standard_deviation": _number(deviation),
                "similarity": _number(similarities[rankings][int(first["size"])]),
            }


def mean_similarities(bundles: Sequence[RankingBundle], features: Features = "all") -> dict[int, float]:
    """Return, for each size, the mean FUJI similarity over all pairs of two or more bundles' rankings."""
    found = {}
    for rankings in zip(*(bundle.rankings for bundle in bundles), strict=True):
        pairs = itertools.combinations(rankings, 2)
        found[rankings[0].size] = statistics.fmean(
            fuzzy_jaccard(a.scores, b.scores, features) for a, b in pairs
        )
    return found


def _same_but_for_the_seed(study: Study, datasets: Sequence[str]) -> Iterator[list[tuple[Job, ...]]]:
    """Yield sequences of jobs in groups that differ in their seed only."""
    groups: dict[tuple[str, str], list[tuple[Job, ...]]] = {}
    for chain in study.jobs.chains(datasets, every_seed=True):
        job = chain[-1]
        if job.ranker is not None and job.ranker.random:
            key = job.output.replace(f"/{job.ranker.folder}/", f"/{job.ranker.again(0).folder}/")
            groups.setdefault((job.ranker.label, key), []).append(chain)
    yield from groups.values()


def _output(chain: Sequence[Job], step: str) -> str:
    return next(job.output for job in chain if job.step == step)


def _read_scores(job: Job, measured: Measured) -> dict[tuple[str, str, str], dict[str, str]]:
    path, ranker = job.output, job.ranker
    assert ranker is not None
    scores_of(path, [job], measured)
    rows = read_rows(path)
    if ranker.shared:
        rows = [row for row in rows if row.get("method") == ranker.label]
    try:
        rows.sort(key=lambda row: int(row["features"]))  # of equal keys the last stays
        return {(row["size"], row["measure"], row["definition"]): row for row in rows if row["value"]}
    except (KeyError, ValueError) as error:
        raise UserError(
            f"has no column {error}", file=path, line=1, hint="remove it and run the study again"
        ) from error


def _moments(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation; NaN if a value is."""
    if any(math.isnan(value) for value in values):
        return math.nan, math.nan
    # Equal values have no rounding error in their deviation.
    deviation = float(np.std(values, ddof=1)) if max(values) > min(values) else 0.0
    return statistics.fmean(values), deviation


def _number(value: float) -> str:
    return "NaN" if math.isnan(value) else repr(float(value))


def seed_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each ranking: similarity between seeds, and how its quality spreads.

    Parameters
    ----------
    frame : DataFrame
        Rows of stability.csv at one size a ranking, with a column ``label``.

    Returns
    -------
    DataFrame
        Index label; columns size, sets, seeds (the fewest), similarity, least, most (means of FUJI over pairs
        of seeds: their mean, least and largest over the datasets) and deviation: the standard deviation of a
        measure between seeds, averaged over datasets and the measures that stay within [0, 1].
    """
    similar = (
        frame.groupby(["label", "dataset"], sort=False)["similarity"].mean().groupby("label", sort=False)
    )
    unit = frame.groupby("measure")["mean"].agg(lambda values: values.dropna().between(0, 1).all())
    within = frame[frame["measure"].map(unit)]
    by_measure = within.groupby(["label", "dataset", "measure"])["standard_deviation"].mean()
    groups = frame.groupby("label", sort=False)
    return pd.DataFrame(
        {
            "size": groups["size"].first(),
            "sets": groups["dataset"].nunique(),
            "seeds": groups["seeds"].min(),
            "similarity": similar.mean(),
            "least": similar.min(),
            "most": similar.max(),
            "deviation": by_measure.groupby("label").mean(),
        }
    ).reindex(dict.fromkeys(frame["label"]))
