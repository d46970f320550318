"""What one run of the benchmarks measures: a list of tasks, each with contenders that take turns."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks import goals

FAMILIES = ("forest", "bagging", "extra-trees", "scores", "relief", "knn", "memory", "threads", "curves")
N_WEIGHTINGS = 65
TREES = {"forest": 100, "scores": 100, "threads": 100, "bagging": 10, "extra-trees": 10}
MEMORY_TREES = 10

# scikit-learn and CLUS are slow on these: fewer trees are grown, and their time is scaled.
_SKLEARN_TREES = {
    "forest": {"delicious": 5, "bibtex": 20, "corel5k": 10, "tmc2007-500": 20, "yahoo_arts": 10},
    "bagging": {"delicious": 2, "bibtex": 3, "corel5k": 5, "tmc2007-500": 3, "yahoo_arts": 2},
    "extra-trees": {"delicious": 1, "bibtex": 2, "corel5k": 3, "tmc2007-500": 2, "yahoo_arts": 1},
}
_CLUS_TREES = {"emotions": 20, "scene": 5, "yeast": 5, "enron": 5}
_CLUS_TREES_ELSEWHERE = 2  # the fewest that make an ensemble for CLUS
# CLUS's Relief looks for the neighbours of all n examples whatever m is: fewer rows, scaled by n squared.
_CLUS_ROWS = {"bibtex": 1000, "delicious": 2000, "corel5k": 2000, "tmc2007-500": 2000, "yahoo_arts": 500}
# On these its forest is measured with one thread only: two minutes a run are enough.
_CLUS_ONE_THREAD = ("delicious",)
# A dense copy of these would not fit into the memory of a common machine several times over.
_CSR_ONLY = ("yahoo_arts",)

CURVE_BASE = {"n": 2000, "F": 100, "L": 40, "cardinality": 4}
CURVES = {
    "n": (500, 1000, 2000, 4000, 8000),
    "F": (25, 50, 100, 200, 400, 800),
    "L": (10, 20, 40, 80, 160, 320),
    "cardinality": (1, 2, 4, 8, 16),
}
CURVE_WORKS = {"forest": 20, "relief": 1, "knn": 1}
CURVE_NAMES = {"forest": "random forest", "relief": "Relief", "knn": "15-NN"}


@dataclass(frozen=True)
class Contender:
    """One side of a measurement.

    Attributes
    ----------
    name : str
        Key of `benchmarks.contenders.MODULES`.
    variant : str
        Form of the input ("dense", "csr"), or what else tells two measurements of one contender apart.
    amount, full : int
        Trees grown (rows searched, weightings) and how many the work is about; time is scaled from one to the
        other. CLUS's Relief tells its own scale.
    threads : int
    """

    name: str
    variant: str = ""
    amount: int = 1
    full: int = 1
    threads: int = 1


@dataclass(frozen=True)
class Task:
    """One row of a comparison: a work on a data set, by contenders that take turns.

    Attributes
    ----------
    work : str
        A family, "knn-65", "start", or "curve-n" and the like.
    dataset : str
    contenders : tuple of Contender
    shape : dict
        Of synthetic data; empty for catalog sets.
    """

    work: str
    dataset: str
    contenders: tuple[Contender, ...]
    shape: dict[str, int] = field(default_factory=dict)

    def key(self, contender: Contender) -> tuple[str, ...]:
        """Return what the contender's row is known by; see `benchmarks.table.Row`."""
        return (self.work, self.dataset, contender.name, contender.variant, str(contender.threads))

    def spec(self, contender: Contender, limit: float) -> dict[str, Any]:
        """Return what the contender's process is told."""
        work = self.work
        if work in ("threads", "memory"):
            work = "forest"
        elif work.startswith("curve-"):
            work = contender.variant
        told = {"contender": contender.name, "work": work, "dataset": self.dataset, "limit": limit}
        return told | dataclasses.asdict(contender) | ({"shape": self.shape} if self.shape else {})


def tasks(
    families: Sequence[str], datasets: Sequence[str], all_threads: int, peers: Sequence[str], quick: bool
) -> Iterator[Task]:
    """Yield the tasks in their order.

    Parameters
    ----------
    families : sequence of str
        Of `FAMILIES`.
    datasets : sequence of str
        Catalog ids.
    all_threads : int
        Threads of the second measurement; 1: there is none.
    peers : sequence of str
        Contenders besides mlsieve that can run here.
    quick : bool
        Few trees and short curves.
    """
    if "CLUS" in peers:
        for family, flag in (("scores", "forest"), ("relief", "relief")):
            if family in families:
                yield Task("start", flag, (Contender("CLUS", flag),))
    counts = (1,) if all_threads == 1 else (1, all_threads)
    for family in families:
        for dataset in datasets:
            for threads in counts:
                task = _comparison(family, dataset, threads, peers, quick)
                if task is not None:
                    yield task
        if family == "memory" and (quick or goals.MEMORY_DATASET in datasets):
            yield _memory(datasets[0] if quick else goals.MEMORY_DATASET, peers, quick)
        if family == "threads" and all_threads > 1:
            yield from _threads([name for name in datasets if quick or name in goals.THREAD_DATASETS], quick)
        if family == "curves":
            yield from _curves(quick)


def _comparison(family: str, dataset: str, threads: int, peers: Sequence[str], quick: bool) -> Task | None:
    """Return one row that sets mlsieve beside its peer, None for families without."""
    ours = Contender("mlsieve", threads=threads)
    if family in ("forest", "bagging", "extra-trees"):
        full = 5 if quick else TREES[family]
        few = _SKLEARN_TREES[family].get(dataset, full)
        forms = [
            Contender("scikit-learn", form, min(few, full), full, threads) for form in _forms(dataset)
        ] * ("scikit-learn" in peers)
        return Task(family, dataset, (dataclasses.replace(ours, amount=full, full=full), *forms))
    if family == "scores":
        full = 5 if quick else TREES[family]
        few = min(full, _CLUS_TREES.get(dataset, _CLUS_TREES_ELSEWHERE))
        there = "CLUS" in peers and (threads == 1 or dataset not in _CLUS_ONE_THREAD)
        clus = [Contender("CLUS", "", few, full, threads)] * there
        return Task(family, dataset, (dataclasses.replace(ours, amount=full, full=full), *clus))
    if family == "relief":
        rows = 200 if quick else _CLUS_ROWS.get(dataset, 10**9)
        # CLUS's Relief knows no threads.
        clus = [Contender("CLUS", "", rows)] * ("CLUS" in peers and threads == 1)
        return Task(family, dataset, (ours, *clus))
    if family == "knn":
        forms = [Contender("scikit-learn", form, threads=threads) for form in _forms(dataset)]
        many = Contender("mlsieve", f"{N_WEIGHTINGS} weightings", N_WEIGHTINGS, 1, threads)
        return Task(family, dataset, (ours, *forms * ("scikit-learn" in peers), many))
    return None


def _forms(dataset: str) -> tuple[str, ...]:
    return ("csr",) if dataset in _CSR_ONLY else ("dense", "csr")


def _memory(dataset: str, peers: Sequence[str], quick: bool) -> Task:
    trees = 5 if quick else MEMORY_TREES
    names = ["mlsieve", *(["scikit-learn"] if "scikit-learn" in peers else [])]
    forms = {"mlsieve": "", "scikit-learn": "dense"}
    return Task("memory", dataset, tuple(Contender(name, forms[name], trees, trees) for name in names))


def _threads(datasets: Sequence[str], quick: bool) -> Iterator[Task]:
    trees = 5 if quick else TREES["threads"]
    for dataset in datasets:
        sides = tuple(Contender("mlsieve", f"{n} threads", trees, trees, n) for n in (1, 2))
        yield Task("threads", dataset, sides)


def _curves(quick: bool) -> Iterator[Task]:
    for quantity, values in CURVES.items():
        for value in values[:2] if quick else values:
            shape = CURVE_BASE | {quantity: value}
            if quick:
                shape["n"] = min(shape["n"], 100 * (1 + (value == values[1])))
            sides = tuple(
                Contender("mlsieve", work, 2 if quick and amount > 1 else amount, amount)
                for work, amount in CURVE_WORKS.items()
            )
            yield Task(f"curve-{quantity}", str(value), sides, shape)
