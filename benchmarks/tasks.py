"""What one row of a comparison is: a work on a dataset, and the contenders that take turns at it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from benchmarks import hierarchical

MEMORY_WORKS = ("memory", "selection-memory", "hmlc-memory", "boosting-memory")
# CLUS grows no two trees within minutes here: so many seconds give a lower bound.
_CLUS_LIMITS = {("scores", "yahoo_arts"): 60.0} | hierarchical.CLUS_LIMITS


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
        Trees grown (rows searched, weightings, features selected or cut) and how many the work is about; time
        is scaled from one to the other. CLUS's Relief and the naive LAIM tell their own numbers.
    threads : int
    first : int
        A smaller amount that is done before; the difference of the two is scaled. 0: there is none.
    """

    name: str
    variant: str = ""
    amount: int = 1
    full: int = 1
    threads: int = 1
    first: int = 0


@dataclass(frozen=True)
class Task:
    """One row of a comparison: a work on a dataset, by contenders that take turns.

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

    @property
    def of_memory(self) -> bool:
        """Whether the peak of the memory is what counts."""
        return self.work in MEMORY_WORKS

    def spec(self, contender: Contender, limit: float) -> dict[str, Any]:
        """Return what the contender's process is told."""
        work = self.work
        if work in ("threads", "memory"):
            work = "forest"
        elif work == "hmlc-memory":
            work = "hmlc-forest"
        elif work == "selection-memory":
            work = "selection"
        elif work.startswith("curve-"):
            work = contender.variant
        limit = min(limit, _CLUS_LIMITS.get((self.work, self.dataset), limit))
        told = {"contender": contender.name, "work": work, "dataset": self.dataset, "limit": limit}
        told["once"] = self.of_memory
        return told | dataclasses.asdict(contender) | ({"shape": self.shape} if self.shape else {})
