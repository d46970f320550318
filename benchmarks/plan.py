"""What one run of the benchmarks measures: a list of tasks, each with contenders that take turns."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from benchmarks import boosting_plan, curves, goals, hierarchical_plan
from benchmarks.tasks import Contender, Task

FAMILIES = (
    "forest",
    "bagging",
    "extra-trees",
    "scores",
    "relief",
    "knn",
    "selection",
    "mdmr",
    "laim",
    "memory",
    "threads",
    "curves",
    *hierarchical_plan.FAMILIES,
    *boosting_plan.FAMILIES,
    "chain-curves",
)
FORMS = ("dense", "csr")  # of scikit-learn's input
N_WEIGHTINGS = 65
TREES = {"forest": 100, "scores": 100, "threads": 100, "bagging": 10, "extra-trees": 10}
# Both sides grow as many; on delicious all 100 of scikit-learn would take minutes and many GB.
MEMORY_TREES = {"delicious": 10, "scene": 100}

# scikit-learn and CLUS are slow on these: fewer trees are grown, and their time is scaled.
_SKLEARN_TREES = {
    "forest": {"delicious": 5, "bibtex": 20, "corel5k": 10, "tmc2007-500": 20, "yahoo_arts": 10},
    "bagging": {"delicious": 2, "bibtex": 3, "corel5k": 4, "tmc2007-500": 2, "yahoo_arts": 2},
    "extra-trees": {"delicious": 1, "bibtex": 2, "corel5k": 3, "tmc2007-500": 2, "yahoo_arts": 1},
}
# CLUS does two parts of the work, and what lies between them is scaled; on the other sets it does all of it.
# Two trees are the fewest that make an ensemble for CLUS.
_CLUS_TREES = {
    "bibtex": (2, 3),
    "delicious": (2, 3),
    "corel5k": (2, 4),
    "tmc2007-500": (2, 3),
    "yahoo_arts": (2, 3),
}
# CLUS's Relief looks for the neighbours of all n examples whatever m is: its time is quadratic in the rows.
_CLUS_ROWS = {
    "bibtex": (1000, 2000),
    "delicious": (1500, 3000),
    "corel5k": (1000, 2000),
    "tmc2007-500": (1000, 2000),
    "yahoo_arts": (250, 500),
}
# On the others its forest is measured with one thread only: minutes a run are enough.
_CLUS_THREADS = ("emotions", "enron")
# Dense numpy takes a quarter of a second and more for each feature after the first, and the naive LAIM as
# much for each feature that it cuts.
_NUMPY_FEATURES = {"mdmr": {"bibtex": 10, "delicious": 8}, "laim": {"yeast": 4, "scene": 6}}
_QUICK_SHAPE = curves.SELECTION.base | {"n": 200, "F": 30, "L": 10, "ones": 5}
# One tree on all of these features takes 35 and 88 s dense, 4 and 5 s in CSR form: dense is left out.
_CSR_ONLY = {("bagging", "yahoo_arts"), ("extra-trees", "yahoo_arts")}


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
        for flag, users in (
            ("forest", ("scores", "hmlc-forest", "hmlc-bagging")),
            ("relief", ("relief", "hmlc-relief")),
        ):
            if set(families) & set(users):
                yield Task("start", flag, (Contender("CLUS", flag),))
    counts = (1,) if all_threads == 1 else (1, all_threads)
    hierarchical = [name for name in datasets if quick or name in goals.HIERARCHICAL]
    every = [name for name in datasets if name not in goals.HIERARCHICAL]
    datasets = [name for name in every if name not in goals.CHAINS_ONLY]
    for family in families:
        for dataset in datasets:
            for threads in counts:
                task = _comparison(family, dataset, threads, peers, quick)
                if task is not None:
                    yield task
        if family in ("selection", "mdmr", "laim"):
            yield from _selection(family, datasets, peers, quick)
        if family == "memory":
            yield from _memory([name for name in datasets if quick or name in MEMORY_TREES], peers, quick)
            yield from _selection("selection-memory", datasets, (), quick)
        if family == "threads" and all_threads > 1:
            yield from _threads([name for name in datasets if quick or name in goals.THREAD_DATASETS], quick)
        if family == "curves":
            for lines in (curves.LEARNING, curves.SELECTION):
                yield from _curves(lines, quick)
        if family == "classes":
            yield from _curves(curves.CLASSES, quick)
        if family == "chain-curves":
            for lines in (curves.BOOSTING, curves.CHAINS):
                yield from _curves(lines, quick)
    yield from hierarchical_plan.tasks(families, hierarchical, peers, quick)
    yield from boosting_plan.tasks(families, every, peers, quick)


def _comparison(family: str, dataset: str, threads: int, peers: Sequence[str], quick: bool) -> Task | None:
    """Return one row that sets mlsieve beside its peer, None for families without."""
    ours = Contender("mlsieve", threads=threads)
    if family in ("forest", "bagging", "extra-trees"):
        full = 5 if quick else TREES[family]
        few = _SKLEARN_TREES[family].get(dataset, full)
        forms = [
            Contender("scikit-learn", form, min(few, full), full, threads)
            for form in FORMS
            if form == "csr" or (family, dataset) not in _CSR_ONLY
        ] * ("scikit-learn" in peers)
        return Task(family, dataset, (dataclasses.replace(ours, amount=full, full=full), *forms))
    if family == "scores":
        full = 5 if quick else TREES[family]
        first, few = (0, full) if quick else _CLUS_TREES.get(dataset, (0, full))
        there = "CLUS" in peers and (threads == 1 or quick or dataset in _CLUS_THREADS)
        clus = [Contender("CLUS", "", few, full, threads, first)] * there
        return Task(family, dataset, (dataclasses.replace(ours, amount=full, full=full), *clus))
    if family == "relief":
        first, rows = (100, 200) if quick else _CLUS_ROWS.get(dataset, (0, 10**9))
        # CLUS's Relief knows no threads.
        clus = [Contender("CLUS", "", rows, first=first)] * ("CLUS" in peers and threads == 1)
        return Task(family, dataset, (ours, *clus))
    if family == "knn":
        forms = [Contender("scikit-learn", form, threads=threads) for form in FORMS]
        many = Contender("mlsieve", f"{N_WEIGHTINGS} weightings", N_WEIGHTINGS, 1, threads)
        return Task(family, dataset, (ours, *forms * ("scikit-learn" in peers), many))
    return None


def _memory(datasets: Sequence[str], peers: Sequence[str], quick: bool) -> Iterator[Task]:
    for dataset in datasets:
        trees = 5 if quick else MEMORY_TREES[dataset]
        forms = [Contender("scikit-learn", form, trees, trees) for form in FORMS]
        ours = Contender("mlsieve", "", trees, trees)
        yield Task("memory", dataset, (ours, *forms * ("scikit-learn" in peers)))


def _threads(datasets: Sequence[str], quick: bool) -> Iterator[Task]:
    trees = 5 if quick else TREES["threads"]
    for dataset in datasets:
        sides = tuple(Contender("mlsieve", f"{n} threads", trees, trees, n) for n in (1, 2))
        yield Task("threads", dataset, sides)


def _selection(work: str, datasets: Sequence[str], peers: Sequence[str], quick: bool) -> Iterator[Task]:
    """Yield rows of feature selection, one thread; a quick run does with small synthetic data."""
    known = goals.LAIM_DATASETS if work == "laim" else tuple(goals.SELECTED)
    peer = "plain scipy" if work == "selection" else "plain numpy"
    for dataset in datasets:
        if not quick and dataset not in known:
            continue
        full = 5 if quick else goals.SELECTED.get(dataset, 1)
        few = full if quick else _NUMPY_FEATURES.get(work, {}).get(dataset, full)
        ours, theirs = Contender("mlsieve", "", full, full), Contender(peer, "", few, full)
        binary = quick and work != "laim"
        shape = {name: size for name, size in _QUICK_SHAPE.items() if name != "k"} if binary else {}
        yield Task(work, dataset, (ours, *[theirs] * (peer in peers)), shape)


def _curves(lines: curves.Curves, quick: bool) -> Iterator[Task]:
    for quantity, values in lines.values.items():
        for value in values[:2] if quick else values:
            shape = lines.base | {quantity: value}
            if quick:
                shape["n"] = min(shape["n"], 100 * (1 + (value == values[1])))
            k = next((shape.pop(name) for name in ("k", "rounds", "steps") if name in shape), 1)
            sides = []
            for work in lines.works:
                full = lines.amounts.get(work, k)
                few = 2 if quick and full > 1 else full
                # Of selection much is done before the first feature: its time is not scaled.
                sides.append(Contender("mlsieve", work, few, full if work in lines.amounts else few))
            yield Task(f"curve-{quantity}", str(value), tuple(sides), shape)
