"""The methods that a question about selectors compares: the paper's, the baselines, all."""

from __future__ import annotations

from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.registry import entries


def baselines_of(table: PerformanceTable, analysis: Analysis) -> list[str]:
    """Return the labels of the baselines, in the order of the analysis, else of the table.

    Without ``baselines`` these are the methods that are registered as such. A study may give a method a name
    of its own, which is then its label and no registered id.
    """
    present = table.labels["label"].tolist()
    if analysis.baselines is not None:
        return [label for label in analysis.baselines if label in present]
    known = entries("ranker")
    return [label for label in present if label in known and known[label].facts.baseline]


def paper_labels(table: PerformanceTable, analysis: Analysis) -> tuple[str, ...]:
    """Return the labels of the paper's methods, in the paper's order.

    Without ``paper_methods`` these are all methods but the baselines.
    """
    present = table.labels["label"].tolist()
    if analysis.paper_methods is None:
        others = baselines_of(table, analysis)
        return tuple(label for label in present if label not in others)
    return tuple(label for label in analysis.paper_methods if label in present)


def singles_of_family(table: PerformanceTable, analysis: Analysis, family: str) -> list[str]:
    """Return the methods without an ensemble that a method group has beside its ensembles and scores.

    The extended group has all that apply to every dataset. The other one has none where a paper's questions
    are about its ensembles and scores; in a study of one's own, it has those of ``paper_methods``, which are
    all but the baselines by default.
    """
    singles = table.companions()
    if family == "extended":
        return singles
    own = paper_labels(table, analysis) if analysis.paper is None else ()
    return [label for label in singles if label in own and label != analysis.unweighted]


def labels_of_family(table: PerformanceTable, analysis: Analysis, family: str) -> tuple[str, ...]:
    """Return the labels of a method group; the extended one begins with the paper's.

    A method that applies to some of the datasets only takes no part in the extended group.
    """
    own = paper_labels(table, analysis)
    if family == "paper":
        return own
    taking_part = {*table.pairs()["label"], *table.companions()}
    return (*own, *(label for label in table.labels["label"] if label in taking_part and label not in own))
