"""The rows about label chains: boosted trees beside XGBoost and CatBoost, XDCC, and random decision trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks import goals
from benchmarks.tasks import Contender, Task

FAMILIES = ("boosting", "boosting-multi", "boosting-csr", "xdcc", "rdt", "rdt-dynamic", "boosting-memory")
ROUNDS = {"bibtex": 5, "tmc2007-500": 5}  # 20 on the other sets
WHOLE_CHAIN = 10**6  # steps, of which there is one for each label at most
RDT_TREES = 300
_NO_SYMMETRIC = ("enron", "bibtex")  # which take 40 and 58 seconds, depthwise trees less than half
# The forms of each peer that a row is about. XGBoost takes cells that a CSR matrix does not hold as missing.
_FORMS: dict[str, dict[str, tuple[str, ...]]] = {
    "boosting": {"XGBoost": ("dense", "multi dense"), "CatBoost": ("symmetric", "depthwise")},
    "boosting-multi": {"XGBoost": ("multi dense",)},
    "boosting-csr": {"XGBoost": ("csr", "multi csr")},
}


def tasks(
    families: Sequence[str], datasets: Sequence[str], peers: Sequence[str], quick: bool
) -> Iterator[Task]:
    """Yield the tasks in their order, all with one thread.

    Parameters
    ----------
    families, datasets, peers, quick
        See `benchmarks.plan.tasks`. Of the datasets only those that a family knows count; a quick run takes
        all.
    """
    for family in families:
        if family in FAMILIES:
            known = goals.CHAIN_DATASETS[family]
            for dataset in datasets:
                if quick or dataset in known:
                    yield Task(family, dataset, _sides(family, dataset, peers, quick))


def _sides(family: str, dataset: str, peers: Sequence[str], quick: bool) -> tuple[Contender, ...]:
    if family in ("rdt", "rdt-dynamic"):
        trees = 5 if quick else RDT_TREES
        variants = ("",) if family == "rdt" else ("", "binary relevance")
        return tuple(Contender("mlsieve", variant, trees, trees) for variant in variants)
    if family == "xdcc":
        steps = 2 if quick else WHOLE_CHAIN
        return (Contender("mlsieve", "", steps, steps),)
    rounds = 2 if quick else ROUNDS.get(dataset, 20)
    theirs = [
        Contender(peer, form, rounds, rounds)
        for peer, forms in _FORMS.get(family, {}).items()
        for form in forms
        if peer in peers and (quick or form != "symmetric" or dataset not in _NO_SYMMETRIC)
    ]
    return (Contender("mlsieve", "", rounds, rounds), *theirs)
