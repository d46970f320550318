"""The rows about classes of a hierarchy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks import hierarchical
from benchmarks.tasks import Contender, Task

FAMILIES = ("hmlc-forest", "hmlc-bagging", "hmlc-relief", "hmlc-complete", "hmlc-memory", "classes", "pairs")
TERMS = 10_000  # of the graph on which the largest distance of two classes is looked for
QUICK_DATASET = "digits-hmlc"


def tasks(
    families: Sequence[str], datasets: Sequence[str], peers: Sequence[str], quick: bool
) -> Iterator[Task]:
    """Yield the tasks in their order, all with one thread; "classes" is with the curves.

    Parameters
    ----------
    families, datasets, peers, quick
        See `benchmarks.plan.tasks`. Of the datasets only those that a family knows count; a quick run takes
        all.
    """
    for family in families:
        if family == "pairs":
            terms = 300 if quick else TERMS
            sides = [
                Contender(name) for name in ("mlsieve", "plain scipy") if name == "mlsieve" or name in peers
            ]
            yield Task(family, f"{terms} terms", tuple(sides), {"terms": terms})
        elif family in FAMILIES and family != "classes":
            known = hierarchical.COMPLETE if family == "hmlc-complete" else hierarchical.DATASETS
            for dataset in datasets:
                if quick or dataset in known:
                    yield _comparison(family, dataset, peers, quick)


def _comparison(family: str, dataset: str, peers: Sequence[str], quick: bool) -> Task:
    peer = "scikit-learn" if family == "hmlc-complete" else "CLUS"
    there = peer in peers
    if family == "hmlc-relief":
        rows = 10**9  # CLUS takes all it has
        return Task(family, dataset, (Contender("mlsieve"), *[Contender(peer, "", rows)] * there))
    full = 2 if quick else hierarchical.TREES.get(family, 0) or hierarchical.MEMORY_TREES[dataset]
    first, few = (0, full) if quick else hierarchical.CLUS_TREES.get((family, dataset), (0, full))
    if peer == "scikit-learn":
        few = min(full, hierarchical.SKLEARN_TREES)
    theirs = Contender(peer, "dense" if peer == "scikit-learn" else "", few, full, first=first)
    return Task(family, dataset, (Contender("mlsieve", "", full, full), *[theirs] * there))
