"""Figures printed by the study of selections, each found in its tables in another way."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from published_study import figure_of, selected_tables
from synthetic_selection import PAPER

from mlsieve.published import known_papers
from mlsieve.replication.conclusions import conclusion
from mlsieve.replication.rows import find
from mlsieve.replication.tables import Absent, StudyTables


@pytest.fixture(scope="module")
def selected() -> StudyTables:
    return selected_tables()


def test_the_selection_papers_figures(selected):
    percentage = find(figure_of("scls_selection", find="percentage_best", measure="hamming-loss"), selected)
    means = selected.performance[selected.performance["features"] == 25]
    means = means[(means["measure"] == "hamming-loss") & means["method"].isin(PAPER)]
    means = means.groupby(["dataset", "method"])["value"].mean().unstack().round(3)
    assert percentage.value == pytest.approx(100 * (means["scls"] <= means.min(axis=1)).mean())
    for what, number in (("critical value of F", 2.466), ("critical distance", 1.117), ("q of", 2.498)):
        figures = [f for f in known_papers()["scls_selection"].figures if what in f.what]
        for figure in figures:
            found = find(figure, selected)
            assert round(found.value, 3) == number and conclusion(figure, found).same
    figure = figure_of("scls_selection", what="largest value of the smaller rank sum")
    assert find(figure, selected).value == 8
    sums = find(figure_of("scls_selection", find="rank_sum", method="mdmr", measure="hamming-loss"), selected)
    tests = selected.tests
    row = tests[(tests["question"] == "many-labels") & (tests["methods"] == "scls;mdmr")]
    row = row[(row["measure"] == "hamming-loss") & (row["family"] == "paper") & (row["variant"] == "all")]
    assert (sums.value, sums.of) == (row["rank_sum_worse"].item(), 55)
    verdict = figure_of("scls_selection", find="verdict", method="ppt-rf", measure="hamming-loss")
    row = tests[(tests["question"] == "selection") & (tests["methods"] == "ppt-rf;scls")]
    row = row[(row["measure"] == "hamming-loss") & (row["family"] == "paper") & (row["variant"] == "all")]
    found = find(verdict, selected)
    assert row["test"].item() == "bonferroni-dunn" and found.significant == bool(
        row["rejected"].item() and row["statistic"].item() > 0
    )


def test_the_curve_on_bibtex(selected):
    figure = figure_of("scls_selection", find="better_along_curve", measure="hamming-loss")
    with pytest.raises(Absent, match="no values of scls on bibtex"):
        find(figure, selected)
    named = dataclasses.replace(selected, performance=selected.performance.replace("set-1", "bibtex"))
    frame = named.performance
    frame = frame[(frame["dataset"] == "bibtex") & (frame["measure"] == "hamming-loss")]
    means = frame.groupby(["method", "features"])["value"].mean()
    found = find(figure, named)
    assert (found.value, found.of) == (int((means["scls"] < means["ami"]).sum()), 5)


def test_steps_along_a_curve_on_bibtex(selected):
    named = dataclasses.replace(selected, performance=selected.performance.replace("set-1", "bibtex"))
    frame = named.performance
    frame = frame[(frame["dataset"] == "bibtex") & (frame["measure"] == "ranking-loss-ties")]
    means = frame.groupby(["method", "features"])["value"].mean()
    figure = figure_of("scls_selection", find="improvements_along_curve")
    found, steps = find(figure, named), np.diff(means["scls"].to_numpy())
    assert (found.value, found.of) == (int((steps < 0).sum()), len(steps)), "a loss: lower is better"
    figure = figure_of("scls_selection", find="change_along_curve", measure="ranking-loss-ties")
    first, second = sorted(means["ami"].index)[:2]
    with pytest.raises(Absent, match="not evaluated with"):
        find(dataclasses.replace(figure, arguments={"start": first, "end": 999}), named)
    own = dataclasses.replace(figure, arguments={"start": first, "end": second})
    change = find(own, named)
    assert change.value == pytest.approx(means["ami"][second] - means["ami"][first])
    assert conclusion(own, change).same == (change.value >= 0)


def test_mdmr_before_ami(selected):
    figure = figure_of("scls_selection", find="rank_difference", measure="hamming-loss")
    ranks = {
        name: find(
            figure_of("scls_selection", find="average_rank", method=name, measure="hamming-loss"), selected
        ).value
        for name in ("ami", "mdmr")
    }
    found = find(figure, selected)
    assert found.value == pytest.approx(ranks["mdmr"] - ranks["ami"])
    assert conclusion(figure, found).same == (ranks["mdmr"] < ranks["ami"])


@pytest.mark.parametrize(
    ("entropy", "mutual", "word"),
    [(0.587, 0.587, "equal"), (0.587, 0.5, "not equal"), (0.6, 0.587, "not equal")],
)
def test_two_features_with_the_same_information(selected, entropy, mutual, word):
    names = ("selector", "iteration", "feature", "entropy", "redundancy", "criterion")
    figure = figure_of("scls_selection", find="same_information")
    for first, other in ((951, 1823), (1823, 951)):
        rows = [("scls", 2, first, 0.587, 0.587, np.nan), ("scls", 2, other, entropy, mutual, 0.0)]
        worked = dataclasses.replace(selected, worked=pd.DataFrame(rows, columns=names))
        assert find(figure, worked).value == word
    with pytest.raises(Absent, match="neither or both"):
        rows = [("scls", 2, 951, 0.587, 0.587, 0.1), ("scls", 2, 1823, entropy, mutual, 0.0)]
        find(figure, dataclasses.replace(selected, worked=pd.DataFrame(rows, columns=names)))


def test_either_of_two_equal_features_may_be_selected_first(selected):
    names = (
        "selector",
        "iteration",
        "feature",
        "entropy",
        "relevance",
        "redundancy",
        "reduction",
        "criterion",
    )
    for first, other in ((951, 1823), (1823, 951)):
        rows = [
            ("scls", 1, first, 0.587, 1.596, 0.0, 0.0, 1.596, 1),
            ("scls", 1, other, 0.587, 1.596, 0.0, 0.0, 1.596, 0),
            ("scls", 2, other, 0.587, 1.596, 0.587, 1.596, 0.0, 0),
            ("scls", 2, first, 0.587, 1.596, 0.587, np.nan, np.nan, 0),
            ("scls", 2, 381, 0.845, 1.007, 0.314, 0.374, 0.633, 1),
        ]
        worked = dataclasses.replace(selected, worked=pd.DataFrame(rows, columns=[*names, "selected"]))
        figures = [
            figure
            for figure in known_papers()["scls_selection"].figures
            if figure.find in ("worked", "worked_choice") and figure.fact("method") != "ami"
        ]
        shown = {}
        for figure in figures:
            try:
                shown[figure.place, figure.what] = conclusion(figure, find(figure, worked)).same
            except Absent as error:
                assert "feature 1 " in str(error) or "feature 382 in iteration 1" in str(error)
        assert len(shown) == 4 + 2 + 4 + 3 and all(shown.values()), shown
