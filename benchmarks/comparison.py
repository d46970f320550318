"""From measurements to ratios: the peer's median over mlsieve's, for the same work on the same data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.curves import CLASSES, Curves
from benchmarks.goals import MOST_SECONDS, goal
from benchmarks.table import Row
from benchmarks.tasks import MEMORY_WORKS

WORKS = {
    "forest": "random forest, 100 trees, ceil(sqrt(F)) features a node",
    "bagging": "bagging, 10 trees, all features",
    "extra-trees": "extra trees, 10 trees, all features",
    "scores": "random forest, 100 trees, and all three scores",
    "relief": "MLC-Relief, K = 15, m = n/4",
    "knn": "15 nearest neighbours of the test part",
    "selection": "SCLS, ceil(sqrt(n)) features",
    "mdmr": "MDMR, ceil(sqrt(n)) features",
    "laim": "LAIM cuts of all features",
    "memory": "peak memory of a random forest",
    "selection-memory": "peak memory of SCLS",
    "threads": "random forest, 100 trees, 2 threads",
    "hmlc-forest": "hierarchy: random forest, 100 trees, and two scores",
    "hmlc-bagging": "hierarchy: bagging, 10 trees, and two scores",
    "hmlc-relief": "HMLC-Relief, K = 15, m = n",
    "hmlc-complete": "hierarchy: random forest, 100 trees, no missing values",
    "hmlc-memory": "hierarchy: peak memory of a random forest",
    "classes": "100 to 10,000 classes: the least over the most seconds",
    "pairs": "the two classes that differ most (mu = pairs)",
    "boosting": "ML-XGB, sum_gain, depth 6",
    "boosting-multi": "ML-XGB, a tree for all labels on both sides",
    "boosting-csr": "ML-XGB, zeros missing for the peer",
    "xdcc": "XDCC, 10 rounds a step, whole chain",
    "rdt": "RDT-DCC, growth of 300 trees",
    "rdt-dynamic": "RDT-DCC, dynamic prediction",
    "boosting-memory": "peak memory of ML-XGB",
}
PEERS = dict.fromkeys(("forest", "bagging", "extra-trees", "knn", "memory"), "scikit-learn")
PEERS |= {"scores": "CLUS", "relief": "CLUS", "threads": "1 thread"}
PEERS |= {"selection": "plain scipy", "mdmr": "plain numpy", "laim": "plain numpy"}
PEERS["selection-memory"] = "the data's size"
PEERS |= dict.fromkeys(("hmlc-forest", "hmlc-bagging", "hmlc-relief", "hmlc-memory"), "CLUS")
PEERS |= {"hmlc-complete": "scikit-learn", "classes": "itself", "pairs": "plain scipy"}
PEERS |= {"boosting": "XGBoost, CatBoost", "boosting-multi": "XGBoost", "boosting-csr": "XGBoost"}
PEERS |= {work: f"limit of {seconds:g} CPU s" for work, seconds in MOST_SECONDS.items()}
PEERS |= {"rdt-dynamic": "binary relevance", "boosting-memory": "data and gradients"}


@dataclass(frozen=True)
class Ratio:
    """One comparison.

    Attributes
    ----------
    work, dataset : str
    threads : int
    ours, theirs : Row
        `theirs` is the faster of the peer's forms, the lighter one for memory.
    value : float
        Peer over mlsieve: CPU seconds with one thread, wall-clock seconds with more; MiB for memory, or those
        that the data hold. Of CLUS without the Java machine's start.
    whole, inner : float or None
        For CLUS: with the start, and of the learning alone, by its own account.
    more : bool
        The peer was cut off: the ratio is larger.
    """

    work: str
    dataset: str
    threads: int
    ours: Row
    theirs: Row
    value: float
    whole: float | None = None
    inner: float | None = None
    more: bool = False

    @property
    def goal(self) -> float | None:
        """What the ratio must reach; set for one thread only."""
        return goal(self.work, self.dataset) if self.threads == 1 or self.work == "threads" else None

    @property
    def met(self) -> str:
        """Return "yes", "no", or nothing without a goal; "unknown" if the peer was cut off too early."""
        if self.goal is None:
            return ""
        if self.value >= self.goal:
            return "yes"
        return "unknown" if self.more else "no"


def ratios(rows: Sequence[Row], work: str) -> list[Ratio]:
    """Return the comparisons of one work, in the order of the rows."""
    if work == "threads":
        return list(_thread_ratios(rows))
    if work in MOST_SECONDS:
        return [
            Ratio(work, row.dataset, 1, row, row, MOST_SECONDS[work] / float(row.cpu))
            for row in ours_of(rows, work)
        ]
    if work == "rdt-dynamic":
        return list(_against_own(rows, work, "binary relevance"))
    if work in ("selection-memory", "boosting-memory"):
        return [
            Ratio(work, row.dataset, 1, row, row, float(row.data_mib) / max(float(row.peak_mib), 0.1))
            for row in ours_of(rows, work)
        ]
    if work == "classes":
        return list(_flatness(rows))
    return [ratio for ratio in map(lambda ours: _ratio(rows, ours), ours_of(rows, work)) if ratio is not None]


def ours_of(rows: Sequence[Row], work: str) -> Iterator[Row]:
    """Yield mlsieve's rows of one work, without its variants."""
    yield from (
        row for row in rows if (row.work, row.contender, row.variant) == (work, "mlsieve", "") and row.cpu
    )


def counted_seconds(threads: int | str) -> str:
    """Return which seconds count: "cpu" with one thread, "wall" with more."""
    return "cpu" if int(threads) == 1 else "wall"


def _ratio(rows: Sequence[Row], ours: Row) -> Ratio | None:
    kind = counted_seconds(ours.threads)
    best = "peak_mib" if ours.work in MEMORY_WORKS else kind
    same = (ours.work, ours.dataset, ours.threads)
    peers = [
        row
        for row in rows
        if (row.work, row.dataset, row.threads) == same and row.contender != "mlsieve" and row.cpu
    ]
    if not peers:
        return None
    theirs = min(peers, key=lambda row: float(getattr(row, best)))
    mine, other = float(getattr(ours, kind)), float(getattr(theirs, kind))
    sides = (ours.work, ours.dataset, int(ours.threads), ours, theirs)
    if ours.work in MEMORY_WORKS:
        # At least a little: a small forest may fit into what loading has freed.
        return Ratio(*sides, float(theirs.peak_mib) / max(float(ours.peak_mib), 0.1))
    if theirs.contender != "CLUS":
        return Ratio(*sides, other / mine)
    start = java_start(rows, ours.work, kind)
    inner = theirs.number("inner_cpu") if kind == "cpu" else None
    return Ratio(
        *sides,
        value=max(other - start, 0.0) / mine,
        whole=other / mine,
        inner=None if inner is None else inner / mine,
        more=theirs.note == "more than",
    )


def java_start(rows: Sequence[Row], work: str, kind: str) -> float:
    """Return the seconds of CLUS on next to no data, 0 if they were not measured."""
    flag = "relief" if work in ("relief", "hmlc-relief") else "forest"
    found = [row for row in rows if (row.work, row.dataset) == ("start", flag) and row.cpu]
    return float(getattr(found[-1], kind)) if found else 0.0


def _flatness(rows: Sequence[Row]) -> Iterator[Ratio]:
    """Yield, of each work, the least over the most seconds among the numbers of classes."""
    for work in CLASSES.works:
        measured = [row for row in rows if (row.work, row.variant) == ("curve-classes", work) and row.cpu]
        if len(measured) > 1:
            least, *_, most = sorted(measured, key=lambda row: float(row.cpu))
            yield Ratio("classes", work, 1, most, least, float(least.cpu) / float(most.cpu))


def _against_own(rows: Sequence[Row], work: str, variant: str) -> Iterator[Ratio]:
    """Yield the seconds of another variant of mlsieve's over those of the work."""
    others = {row.dataset: row for row in rows if (row.work, row.variant) == (work, variant) and row.cpu}
    for row in ours_of(rows, work):
        if row.dataset in others:
            other = others[row.dataset]
            yield Ratio(work, row.dataset, 1, row, other, float(other.cpu) / float(row.cpu))


def _thread_ratios(rows: Sequence[Row]) -> Iterator[Ratio]:
    one = {row.dataset: row for row in rows if row.work == "threads" and row.threads == "1" and row.wall}
    for row in rows:
        if row.work == "threads" and row.threads == "2" and row.wall and row.dataset in one:
            other = one[row.dataset]
            yield Ratio("threads", row.dataset, 2, row, other, float(other.wall) / float(row.wall))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of the logarithm of the seconds over that of the sizes, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def curve_points(
    rows: Sequence[Row], curves: Curves
) -> dict[str, dict[str, tuple[list[float], list[float]]]]:
    """Return what was measured of how the cost grows.

    Returns
    -------
    dict
        By quantity (n, F, L, and so on) and work, in the order of the curves: its values, rising, and the CPU
        seconds. A quantity without rows is not in it.
    """
    found: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
    for quantity in curves.values:
        measured = [row for row in rows if row.work == f"curve-{quantity}" and row.cpu]
        for work in curves.works:
            of_work = sorted((float(row.dataset), float(row.cpu)) for row in measured if row.variant == work)
            if of_work:
                sizes, seconds = map(list, zip(*of_work, strict=True))
                found.setdefault(quantity, {})[work] = (sizes, seconds)
    return found
