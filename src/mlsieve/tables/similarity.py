"""Similarity of a study's rankings: the tables similarity.csv and similarity_curves.csv."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlsieve.files.csv_tables import require_columns
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.stats.similarity import Features, fuzzy_jaccard_curve
from mlsieve.study import Study, first_unfinished
from mlsieve.tables.labels import Labels, label_records

OF_PAIR = ("dataset", "split", "repeat", "first", "first_size", "second", "second_size")
SIMILARITY = (*OF_PAIR, "features", "similarity")
CURVES = ("dataset", "split", "repeat", "first", "second", "features", "similarity")
POINTS = 100  # of a curve, in even steps and once more in even ratios


def compared_rankings(choices: Iterable[Mapping[str, str]], rival: str, labels: Labels) -> dict[str, int]:
    """Return the labels to compare with their sizes: each score with its ensemble in use, and a rival.

    Parameters
    ----------
    choices : iterable of mapping
        Rows of choices.csv.
    rival : str
        Label of the method without an ensemble, which has the size 0 where no choice names it.
    labels : Labels
        Of the study's rankings.
    """
    used = [row for row in choices if row["used"].lower() == "true"]
    sizes = {row["item"]: int(row["value"]) for row in used if row["kind"] == "size"}
    found = {}
    for row in used:
        if row["kind"] != "ensemble" or not row["value"]:
            continue
        pair = row["value"], row["item"]
        same = [name for name in sizes if (labels[name].ensemble, labels[name].score) == pair]
        # Of several methods with such an ensemble and score the study's own kind of tree, which has no name.
        for label in sorted(same, key=lambda name: labels[name].named)[:1]:
            found[label] = sizes[label]
    return {**found, rival: sizes.get(rival, 0)}


def labels_of_study(study: Study) -> Labels:
    """Return the labels of a study's rankings by their names."""
    records = label_records((one.label, one.ensemble, one.score) for one in study.content.rankers.values())
    return Labels((str(label), label) for label in records.values())


def rankings_of_study(
    study: Study, datasets: Sequence[str] | None, compared: Mapping[str, int], *, partial: bool = False
) -> Iterator[tuple[tuple[str, str, int], dict[str, Ranking]]]:
    """Yield (dataset, kind of split, repeat) and the rankings there by label, in the order of `compared`.

    Parameters
    ----------
    study : Study
    datasets : sequence of str or None
        Keys of the datasets in use; None: all.
    compared : mapping of str to int
        Labels and sizes; the size of a method that has only one does not matter.
    partial : bool
        Whether to use only the jobs that have finished.

    Raises
    ------
    UserError
        If a ranking is missing (unless `partial`) or damaged.
    """
    rankers = study.content.rankers.values()
    names = label_records((ranker.label, ranker.ensemble, ranker.score) for ranker in rankers)
    found: dict[tuple[str, str, int], dict[str, Ranking]] = {}
    seen: set[tuple[str, str]] = set()
    for chain in study.jobs.chains(datasets):
        place = next(place for place, job in enumerate(chain) if job.step == "rank")
        job = chain[place]
        ranker, split = job.ranker, job.split
        if ranker is None or split is None or (job.output, ranker.label) in seen:
            continue
        label = str(names[ranker.label, ranker.ensemble, ranker.score])
        if label not in compared or (partial and first_unfinished(chain[: place + 1]) is not None):
            continue
        seen.add((job.output, ranker.label))
        rankings = ranker.own(RankingBundle.load(job.output).rankings)
        for ranking in rankings:
            if len({other.size for other in rankings}) > 1 and ranking.size != compared[label]:
                continue
            repeat = split.repeats[0] if ranking.repeat is None else ranking.repeat
            found.setdefault((job.data.id, split.kind_of(job.data), repeat), {})[label] = ranking
    for of_split, by_label in found.items():
        yield of_split, {label: by_label[label] for label in compared if label in by_label}


def curve_points(n_features: int) -> np.ndarray:
    """Return at how many features a curve is written: all up to 200, else some in even steps and ratios."""
    if n_features <= 2 * POINTS:
        return np.arange(1, n_features + 1)
    steps = np.linspace(1, n_features, POINTS), np.geomspace(1, n_features, POINTS)
    return np.unique(np.rint(np.concatenate(steps)).astype(int))


def similarity_tables(
    places: Iterable[tuple[tuple[str, str, int], Mapping[str, Ranking]]],
    first: str | None = None,
    features: Features = "all",
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of similarity.csv and of similarity_curves.csv.

    Parameters
    ----------
    places : iterable
        As `rankings_of_study` yields them.
    first : str, optional
        Dataset whose curves come first: figures show those of the first one.
    features : {"all", "positive"}
        Which features FUJI takes into account, see `mlsieve.stats.similarity.fuzzy_jaccard_curve`.

    Returns
    -------
    similarity : list of dict
        Keys `SIMILARITY`: FUJI similarity of each pair of rankings, the mean over the top j of all numbers of
        features j.
    curves : list of dict
        Keys `CURVES`: FUJI_j at `curve_points`, of the first repeat of each dataset only.
    """
    rows: list[dict[str, Any]] = []
    curves: list[dict[str, Any]] = []
    drawn: dict[str, tuple[str, str, int]] = {}
    for place, rankings in places:
        dataset, split, repeat = place
        for (name, one), (second, other) in itertools.combinations(rankings.items(), 2):
            curve = fuzzy_jaccard_curve(one.scores, other.scores, features)
            head = {"dataset": dataset, "split": split, "repeat": repeat, "first": name, "second": second}
            rows.append(
                {
                    **head,
                    "first_size": one.size,
                    "second_size": other.size,
                    "features": len(curve),
                    "similarity": repr(float(curve.mean())) if len(curve) else "NaN",
                }
            )
            if drawn.setdefault(dataset, place) == place:
                curves += [
                    {**head, "features": j, "similarity": f"{curve[j - 1]:.6f}"}
                    for j in curve_points(len(curve)).tolist()
                ]
    return rows, sorted(curves, key=lambda row: row["dataset"] != first)


def require_choices(rows: Sequence[Mapping[str, str]], path: str) -> None:
    """Raise UserError unless rows have the columns of choices.csv."""
    needed = ("kind", "item", "value", "used")
    require_columns(rows[0] if rows else needed, needed, path, "mlsieve compare")
