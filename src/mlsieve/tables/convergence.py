"""How the order of the features settles as an ensemble grows: the tables convergence.csv and its means.

Scores are means over trees, so that their variance falls in proportion to the number of trees, and the order
of the features converges with probability 1 (Petković, Džeroski, Kocev, Machine Learning 2020, Proposition 1
and Corollary 1).
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.stats.similarity import fuzzy_jaccard
from mlsieve.study import Job, Study, first_unfinished
from mlsieve.tables.labels import label_records

OF_RANKING = ("dataset", "split", "repeat", "method", "ensemble", "score", "label")
AGREEMENT = ("tau", "similarity", "tau_seeds", "similarity_seeds")
CONVERGENCE = (*OF_RANKING, "size", "largest", "features", "seeds", *AGREEMENT)
MEANS = (
    "label",
    "size",
    "largest",
    "datasets",
    "seeds",
    *(f"{name}{what}" for name in AGREEMENT for what in ("", "_least", "_most")),
)


def kendall_tau(first: np.ndarray, second: np.ndarray) -> float:
    """Return Kendall's tau-b of two rankings, in [-1, 1]: how far they order pairs of features alike.

    Parameters
    ----------
    first, second : ndarray of float64, shape (F,)
        Scores of the same features. Features of equal score are tied.

    Returns
    -------
    float
        Rounded to 12 decimals, so that the same order gives 1; NaN where a ranking holds one value only.
    """
    from scipy import stats

    if len(first) < 2:
        return math.nan
    return round(float(stats.kendalltau(first, second).statistic), 12)


def convergence_rows(
    study: Study, datasets: Sequence[str] | None = None, *, partial: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield a row for each dataset, split, ensemble, score and number of trees.

    Parameters
    ----------
    study : Study
    datasets : sequence of str, optional
        Keys of the datasets in use; default all.
    partial : bool
        Whether to use only the rankings whose jobs have finished.

    Yields
    ------
    dict
        Keys `CONVERGENCE`. ``tau`` is Kendall's tau-b and ``similarity`` the FUJI similarity of the ranking
        with that of the largest ensemble, whose first trees are the smaller one's. ``tau_seeds`` and
        ``similarity_seeds`` are means over all pairs of seeds at the same number of trees, which share no
        tree; NaN with one seed.

    Raises
    ------
    UserError
        If a ranking is missing (unless `partial`) or damaged.
    """
    names = label_records((one.label, one.ensemble, one.score) for one in study.content.rankers.values())
    for jobs in _same_but_for_the_seed(study, datasets, partial):
        bundles = [RankingBundle.load(job.output) for job in jobs]
        ranker, split, data = jobs[0].ranker, jobs[0].split, jobs[0].data
        assert ranker is not None and split is not None
        by_seed = [{ranking.size: ranking for ranking in bundle.rankings} for bundle in bundles]
        first = by_seed[0]
        largest = max(first)
        for size in sorted(first):
            one, last = first[size].scores, first[largest].scores
            yield {
                "dataset": data.id,
                "split": split.kind_of(data),
                "repeat": split.repeats[0],
                "method": ranker.label,
                "ensemble": ranker.ensemble,
                "score": ranker.score,
                "label": str(names[ranker.label, ranker.ensemble, ranker.score]),
                "size": size,
                "largest": largest,
                "features": len(one),
                "seeds": len(by_seed),
                "tau": kendall_tau(one, last),
                "similarity": fuzzy_jaccard(one, last),
                **_between_seeds([rankings[size] for rankings in by_seed if size in rankings]),
            }


def _between_seeds(rankings: Sequence[Ranking]) -> dict[str, float]:
    pairs = [(one.scores, other.scores) for one, other in itertools.combinations(rankings, 2)]
    if not pairs:
        return {"tau_seeds": math.nan, "similarity_seeds": math.nan}
    return {
        "tau_seeds": statistics.fmean(kendall_tau(*pair) for pair in pairs),
        "similarity_seeds": statistics.fmean(fuzzy_jaccard(*pair) for pair in pairs),
    }


def _same_but_for_the_seed(
    study: Study, datasets: Sequence[str] | None, partial: bool
) -> Iterator[list[Job]]:
    """Yield the ranking jobs of ensembles at several sizes, the seeds of one ranking together."""
    groups: dict[str, dict[str, Job]] = {}
    for chain in study.jobs.chains(datasets, every_seed=True):
        place = next(place for place, job in enumerate(chain) if job.step == "rank")
        job = chain[place]
        if job.ranker is None or not job.ranker.ensemble or len(job.ranker.sizes) < 2:
            continue
        if partial and first_unfinished(chain[: place + 1]) is not None:
            continue
        key = job.output.replace(f"/{job.ranker.folder}/", f"/{job.ranker.again(0).folder}/")
        groups.setdefault(key, {})[job.output] = job
    for found in groups.values():
        # The questions are about the first seed; without it the others have no place.
        jobs = sorted(found.values(), key=lambda job: job.ranker.seed_number if job.ranker else 0)
        if jobs[0].ranker is not None and jobs[0].ranker.seed_number == 0:
            yield jobs


def convergence_means(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each ensemble, score and number of trees: means over the datasets.

    Parameters
    ----------
    rows : iterable of mapping
        As `convergence_rows` yields them; several splits of a dataset are averaged first.

    Returns
    -------
    list of dict
        Keys `MEANS`: of each agreement the mean over the datasets, the least and the most; NaN where no
        dataset has a value. ``seeds`` is the fewest.
    """
    groups: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["label"], int(row["size"])), []).append(row)
    found = []
    for (label, size), own in groups.items():
        datasets = list(dict.fromkeys(row["dataset"] for row in own))
        made: dict[str, Any] = {
            "label": label,
            "size": size,
            "largest": max(int(row["largest"]) for row in own),
            "datasets": len(datasets),
            "seeds": min(int(row["seeds"]) for row in own),
        }
        for name in AGREEMENT:
            values = [_mean([float(row[name]) for row in own if row["dataset"] == each]) for each in datasets]
            values = [value for value in values if not math.isnan(value)]
            made[name] = _mean(values)
            made[f"{name}_least"] = min(values, default=math.nan)
            made[f"{name}_most"] = max(values, default=math.nan)
        found.append(made)
    return found


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else math.nan


def as_text(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its numbers as text that is read back exactly."""
    return {
        name: ("NaN" if math.isnan(value) else repr(value)) if isinstance(value, float) else value
        for name, value in row.items()
    }
