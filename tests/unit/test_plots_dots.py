"""Dots against the baseline and against Relief: numbers, verdicts, and that nothing overlaps."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_nothing_overlaps
from synthetic_study import DIRECTIONS, performance_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.plots.drawing.dots import differences, dots_figure
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.ensembles.relief_dots import relief_dots
from mlsieve.plots.methods.baseline_dots import baseline_dots
from mlsieve.stats import hodges_lehmann


def material(baselines=("uniform", "relief"), effect=1.0, n_datasets=8, **settings):
    performance = performance_table(
        n_datasets=n_datasets,
        measures=("coverage", "f1"),
        sizes=(10, 50),
        baselines=baselines,
        effect=effect,
    )
    answers = run_questions(performance, Analysis(directions=DIRECTIONS, **settings))
    return Material(performance, answers.tests, answers.average_ranks, answers.choices, directions=DIRECTIONS)


def marks(figure, prefix):
    """Return the lines of one kind by (panel, method)."""
    return {
        (axes.get_title(), str(line.get_gid()).removeprefix(prefix)): line
        for axes in figure.axes
        for line in axes.lines
        if str(line.get_gid()).startswith(prefix)
    }


def by_hand(performance, measure, label, size, reference):
    """Return how much better than the reference a method is, from the long table."""
    rows = performance[performance["measure"] == measure]
    names = (rows["ensemble"] + "/" + rows["score"]).where(rows["ensemble"] != "", rows["method"])
    first = rows[(names == label) & (rows["size"] == size)].set_index("dataset")["value"]
    second = rows[names == reference].set_index("dataset")["value"]
    return (first - second).to_numpy() * (-1 if measure == "coverage" else 1)


@pytest.mark.parametrize("draw", [baseline_dots, relief_dots])
def test_every_figure_is_readable(draw):
    drawings = draw(material())
    assert len(drawings) == 1
    for drawing in drawings.values():
        assert "8 datasets" in drawing.caption
        assert_nothing_overlaps(drawing.figure)


@pytest.mark.parametrize(
    ("draw", "name", "reference"),
    [(baseline_dots, "baseline-dots", "uniform"), (relief_dots, "relief-dots", "relief")],
)
def test_dots_are_the_differences_from_the_reference(draw, name, reference):
    study = material()
    figure = draw(study)[name].figure
    dots, medians = marks(figure, "dots-"), marks(figure, "median-")
    label, size = "random-forest/symbolic", 50  # the paper's size
    for measure in ("coverage", "f1"):
        expected = by_hand(study.performance, measure, label, size, reference)
        np.testing.assert_allclose(np.sort(dots[measure, label].get_xdata()), np.sort(expected))
        middle = float(medians[measure, label].get_xdata()[0])
        # The tests round values to three decimals.
        assert middle == pytest.approx(hodges_lehmann(expected)[0], abs=2e-3)


def test_against_relief_stand_the_scores_with_their_ensembles_and_the_controls():
    drawing = relief_dots(material())["relief-dots"]
    assert drawing.question == "relief" and drawing.title == "Difference from relief"
    assert [name for panel, name in marks(drawing.figure, "dots-") if panel == "f1"] == [
        "extra-trees/genie3",
        "bagging/permutation",
        "random-forest/symbolic",
        "uniform",
    ]


@pytest.mark.parametrize("settings", [{}, {"settings": {"relief_test": "wilcoxon"}}])
def test_filled_marks_are_the_rejected_tests(settings):
    study = material(effect=3.0, n_datasets=12, **settings)
    drawing = relief_dots(study)["relief-dots"]
    test = "wilcoxon" if settings else "bonferroni-dunn"
    rows = study.tests[
        (study.tests["question"] == "relief")
        & (study.tests["family"] == "extended")
        & (study.tests["variant"] == "all")
        & (study.tests["test"] == test)
    ]
    expected = {(row.measure, row.methods.split(";")[0]) for row in rows.itertuples() if row.rejected}
    filled = {
        key
        for key, line in marks(drawing.figure, "median-").items()
        if line.get_markerfacecolor() == line.get_color()
    }
    assert filled == expected and expected
    assert ("Wilcoxon" in drawing.caption) == bool(settings)


@pytest.mark.parametrize("effect", [0.0, 3.0])
def test_marks_against_relief_are_the_numbers_of_the_tests(effect):
    """Also where Friedman's test does not reject, and rounded as the tests are."""
    study = material(effect=effect, n_datasets=12)
    tests = study.tests[
        (study.tests["question"] == "relief")
        & (study.tests["family"] == "extended")
        & (study.tests["variant"] == "all")
        & study.tests["difference"].notna()
    ]
    assert ("effect-size" in set(tests["test"])) == (effect == 0.0)
    medians = marks(relief_dots(study)["relief-dots"].figure, "median-")
    shown = {key: float(line.get_xdata()[0]) for key, line in medians.items()}
    assert shown == {(row.measure, row.methods.split(";")[0]): row.difference for row in tests.itertuples()}


def test_no_relief_no_figure():
    assert relief_dots(material(baselines=("uniform",))) == {}


def test_rows_without_a_median_show_their_dots():
    medians = pd.DataFrame(
        {"measure": "f1", "method": ["a", "b"], "rejected": [True, False], "difference": [0.1, np.nan]}
    ).assign(interval_low=0.0, interval_high=0.2)
    figure = dots_figure(medians, {"f1": pd.DataFrame({"a": [0.0, 0.2], "b": [-0.3, 0.3]})})
    assert set(marks(figure, "dots-")) == {("f1", "a"), ("f1", "b")}
    assert set(marks(figure, "median-")) == {("f1", "a")}


def test_without_sizes_there_are_no_dots():
    study = material()
    bare = Material(study.performance, study.tests, study.average_ranks, None, directions=DIRECTIONS)
    assert differences(bare, "weighted-knn", "f1", ["bagging/genie3"], "uniform").empty
    assert len(baseline_dots(bare)) == 1 and relief_dots(bare) == {}
