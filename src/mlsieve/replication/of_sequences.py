"""Finders about active label tests, and about what the steps of chains set."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mlsieve.analysis.chains.lengths import cardinalities
from mlsieve.analysis.chains.steps import Ends, ends_of, settings_of
from mlsieve.questions.chains.chain_sequence import ChainSequenceKeys, progress_of
from mlsieve.questions.chains.label_tests import sigma_curves, sigma_ends
from mlsieve.replication.of_chains import beside_the_others
from mlsieve.replication.tables import Absent, Found, StudyTables, finder


def _label_test_changes(tables: StudyTables, method: str, measure: str) -> pd.Series:
    """Return a measure with all label tests active, minus that with none, by dataset."""
    if tables.chain_curves is None:
        raise Absent("the study has no values at several shares of active label tests")
    ends = sigma_ends(sigma_curves(tables.chain_curves, {method: method}))
    changes = {one.dataset: one.change for one in ends if one.measure == measure}
    if not changes:
        raise Absent(f"{method} has no {measure} at several shares of active label tests")
    return pd.Series(changes)


@finder()
def larger_changes(tables: StudyTables, *, measure: str, method: str, among: Sequence[str]) -> Found:
    """On how many of some datasets active label tests change a measure more than on the median others."""
    changes = _label_test_changes(tables, method, measure).abs()
    _, larger = beside_the_others(changes, among)
    return Found(larger, int(changes.index.isin(among).sum()), n_datasets=len(changes))


@finder()
def with_label_tests(
    tables: StudyTables, *, dataset: str, method: str, measure: str, within: float = 0.0
) -> Found:
    """Whether a measure with all label tests active is lower than with none: "falls" or "does not fall"."""
    changes = _label_test_changes(tables, method, measure)
    if dataset not in changes:
        raise Absent(f"{method} has no {measure} at several shares of active label tests on {dataset}")
    return Found("falls" if changes[dataset] < -within - 1e-12 else "does not fall", n_datasets=1)


def _steps(tables: StudyTables) -> pd.DataFrame:
    if tables.chain_steps is None or tables.chain_steps.empty:
        raise Absent("the study has no table of the chains' steps")
    return settings_of(tables.chain_steps)


def _ends(tables: StudyTables) -> dict[str, list[Ends]]:
    """Return first and last steps by dataset, of all shares of label tests and of active ones."""
    methods = tables.analysis.of(ChainSequenceKeys).label_test_methods
    found: dict[str, list[Ends]] = {}
    for one in ends_of(_steps(tables)):
        if one.method in methods:
            found.setdefault(one.dataset, []).append(one)
    if not found:
        raise Absent("the study has no steps of random decision trees")
    return found


@finder()
def accurate_first_steps(tables: StudyTables) -> Found:
    """On how many datasets the first step is more accurate than the last, whatever the label tests."""
    found = _ends(tables)
    count = sum(all(one.more_accurate_first for one in ends) for ends in found.values())
    return Found(count, len(found), n_datasets=len(found))


@finder()
def negative_first_steps(tables: StudyTables) -> Found:
    """On how many datasets the first step sets fewer positive labels than the last, whatever the tests."""
    found = _ends(tables)
    count = sum(all(one.more_positive_last for one in ends) for ends in found.values())
    return Found(count, len(found), n_datasets=len(found))


@finder()
def positive_labels_first(tables: StudyTables, *, method: str) -> Found:
    """On how many datasets more of the positive labels than of the negative are set at the cardinality."""
    known = [
        one
        for one in progress_of(_steps(tables), method, cardinalities(tables.datasets))
        if one.positive == one.positive and one.negative == one.negative
    ]
    if not known:
        raise Absent(f"{method} has no steps, or no label cardinality is known")
    return Found(sum(one.positive_ahead for one in known), len(known), n_datasets=len(known))
