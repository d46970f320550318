"""Curves over the number of features, and the diagrams of the questions about selectors."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_nothing_overlaps
from matplotlib.text import Text
from synthetic_selection import BASELINES, MEASURES, PAPER, POINTS, selection_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.cli import main
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.methods.selection_curves import curve_points
from mlsieve.registry import entries, lookup

ANALYSIS = Analysis(
    questions=("selection", "conclusion"),
    friedman="f",
    paper_methods=PAPER,
    baselines=BASELINES,
    settings={"replacements": {"ami": "ami-printed"}},
)
LONG = {"set-1": "yahoo_entertainment_top2pct", "set-2": "yahoo_recreation_top2pct"}


def material(n_datasets, **changes):
    table = selection_table(n_datasets=n_datasets, repeats=3, **changes).replace({"dataset": LONG})
    answers = run_questions(table, ANALYSIS)
    return Material(table, answers.tests, answers.average_ranks, answers.choices)


@pytest.fixture(scope="module")
def many():
    return material(25)


def curves(study):
    return entries("figure")["selection-curves"].target(study)


@pytest.fixture(scope="module")
def drawings(many):
    return curves(many)


def lines_of(axis, gid):
    return [line for line in axis.lines if line.get_gid() == gid]


def test_a_panel_a_data_set_and_nothing_overlaps(drawings):
    assert sorted(drawings) == [
        "selection-curves_hamming-loss",
        "selection-curves_normalised-coverage",
        "selection-curves_ranking-loss-ties",
    ]
    for drawing in drawings.values():
        assert len(drawing.figure.axes) == 25 and drawing.question == "selection"
        assert "means over 3 splits" in drawing.caption and "Lower is better" in drawing.caption
    assert_nothing_overlaps(drawings["selection-curves_hamming-loss"].figure)


@pytest.mark.parametrize("n_datasets", [1, 2, 4, 7])
def test_few_data_sets(n_datasets):
    for drawing in curves(material(n_datasets, measures=("hamming-loss",))).values():
        assert len(drawing.figure.axes) == n_datasets
        assert_nothing_overlaps(drawing.figure)


def test_curves_are_means_over_the_splits_and_controls_are_levels(many, drawings):
    axis = drawings["selection-curves_hamming-loss"].figure.axes[2]
    assert axis.get_title() == "set-3"
    table = many.performance
    own = table[(table["dataset"] == "set-3") & (table["measure"] == "hamming-loss")]
    for method in (*PAPER, "ami-printed", "random"):
        (line,) = lines_of(axis, f"curve-{method}")
        means = own[own["method"] == method].groupby("features")["value"].mean()
        assert line.get_xdata().tolist() == list(POINTS)
        assert line.get_ydata() == pytest.approx(means.to_numpy())
    for method in ("all-features", "no-features", "no-label"):
        (line,) = lines_of(axis, f"level-{method}")
        assert line.get_ydata()[0] == pytest.approx(own[own["method"] == method]["value"].mean())
        assert line.get_linestyle() != "-"
    assert axis.get_xlim()[1] < 2 * max(POINTS), "all 200 features would squeeze the curves"


def test_methods_differ_in_colour_and_marker_and_the_control_of_the_tests_stands_out(drawings):
    figure = drawings["selection-curves_hamming-loss"].figure
    lines = [line for line in figure.axes[0].lines if str(line.get_gid()).startswith("curve-")]
    looks = {(line.get_color(), line.get_marker()) for line in lines}
    assert len(looks) == len(lines) == 7
    assert max(lines, key=lambda line: line.get_linewidth()).get_gid() == "curve-scls"
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:5] == list(PAPER) and set(names[5:]) == {"ami-printed", *BASELINES}


def test_a_method_with_more_features_than_the_tested_one_is_a_level(many):
    """All features, evaluated at several numbers of them, too: only the last says what all are worth."""
    more = selection_table(
        n_datasets=2, repeats=3, methods=("all-features",), measures=("hamming-loss",), points=(25,)
    )
    fewer = more.assign(features=60, value=0.9)
    table = many.performance[many.performance["dataset"].isin(["set-3", "set-4"])]
    table = table[(table["measure"] == "hamming-loss") & (table["method"] != "all-features")]
    extra = pd.concat([more, fewer]).replace({"dataset": {"set-1": "set-3", "set-2": "set-4"}})
    study = Material(pd.concat([table, extra]), many.tests, many.average_ranks)
    axis = curves(study)["selection-curves_hamming-loss"].figure.axes[0]
    (line,) = lines_of(axis, "level-all-features")
    assert not lines_of(axis, "curve-all-features") and line.get_ydata()[0] < 0.8
    assert axis.get_ylim()[1] < 0.8 and axis.get_xlim()[1] < 50


def test_a_level_far_from_the_curves_is_left_out_and_told(many):
    table = many.performance[many.performance["measure"] == "hamming-loss"].copy()
    far = (table["dataset"] == "set-3") & (table["method"] == "no-label")
    table.loc[far, "value"] = 50.0
    drawing = curves(Material(table, many.tests, many.average_ranks))["selection-curves_hamming-loss"]
    axes = {axis.get_title(): axis for axis in drawing.figure.axes}
    assert not lines_of(axes["set-3"], "level-no-label") and lines_of(axes["set-4"], "level-no-label")
    assert axes["set-3"].get_ylim()[1] < 1.0
    assert "farther from the curves than their span (no-label) is left out" in drawing.caption


def test_mean_and_standard_error_by_hand():
    table = selection_table(n_datasets=1, repeats=2, methods=("scls",), measures=("hamming-loss",))
    table["value"] = table["features"] / 100 + table["repeat"] / 10
    points = curve_points(table)
    assert points["features"].tolist() == list(POINTS) and set(points["splits"]) == {2}
    assert points["mean"].tolist() == pytest.approx([features / 100 + 0.05 for features in POINTS])
    assert points["error"].tolist() == pytest.approx([0.05] * len(POINTS))  # 0.1 / sqrt(2) / sqrt(2)


def test_without_several_numbers_of_features_there_are_no_curves(many):
    one = selection_table(n_datasets=2, repeats=1, points=(9,))
    assert curve_points(one).empty
    assert curve_points(one.drop(columns="features")).empty
    assert curves(Material(one, many.tests, many.average_ranks)) == {}


def test_the_bar_of_the_selection_diagrams_reaches_one_distance_around_the_reference(many):
    drawings = entries("figure")["critical-difference"].target(many)
    paper = drawings["critical-difference_selection_paper"]
    assert paper.title == "Average ranks, main methods"
    assert "one Bonferroni-Dunn distance to both sides of scls" in paper.caption
    ranks = many.average_ranks
    ranks = ranks[(ranks["question"] == "selection") & (ranks["family"] == "paper")]
    for axis, (_, group) in zip(paper.figure.axes, ranks.groupby("measure", sort=False), strict=True):
        reference = group.set_index("method")["rank"]["scls"]
        distance = group["critical_distance"].iloc[0]
        low, high = max(1.0, reference - distance), min(5.0, reference + distance)
        (bar,) = [line for line in axis.lines if line.get_gid() == "bar"]
        inches = abs(np.diff(bar.get_xdata()))[0]
        scale = axis.lines[0].get_xdata()  # the axis itself, over ranks 1 to 5
        assert inches / abs(np.diff(scale))[0] * 4 == pytest.approx(high - low)
        texts = {
            text.get_text().split()[0]: text.get_position()[0]
            for text in axis.findobj(Text)
            if text.get_text()
        }
        assert texts["scls"] > texts["ppt-rf"], "the best on the right"
    replaced = drawings["critical-difference_conclusion_extended_ami-printed-for-ami"]
    assert replaced.title == "Average ranks, main methods with ami-printed for ami"
    assert "both sides of scls" in replaced.caption
    assert drawings["critical-difference_conclusion_extended_with-random"].title.endswith(
        "methods with random"
    )


def test_every_number_of_features_has_a_figure_of_its_own(many):
    """Only what was evaluated at 1, 2, ..., K is drawn, with its means over the splits."""
    steps = selection_table(2, 3, methods=("scls", "ami"), points=tuple(range(1, 31)))
    gaps = selection_table(2, 3, methods=("mdmr",), points=(1, 4, 9, 16, 25))
    performance = pd.concat([steps[steps["dataset"] == "set-1"], gaps])
    study = replace(many, performance=performance)
    drawings = lookup("figure", "selection-steps").target(study)
    assert list(drawings) == ["selection-steps_set-1"]
    drawing = drawings["selection-steps_set-1"]
    assert_nothing_overlaps(drawing.figure)
    assert "every k from 1 to 30" in drawing.caption and drawing.question == "selection"
    assert [axis.get_title() for axis in drawing.figure.axes] == [f"{name} ↓" for name in MEASURES]
    for axis, measure in zip(drawing.figure.axes, MEASURES, strict=True):
        assert {line.get_gid() for line in axis.lines} == {"curve-scls", "curve-ami"}
        [line] = lines_of(axis, "curve-ami")
        own = performance[(performance["method"] == "ami") & (performance["measure"] == measure)]
        own = own.groupby("features")["value"].mean()
        assert line.get_xdata().tolist() == list(range(1, 31))
        np.testing.assert_allclose(line.get_ydata(), own)
    assert lookup("figure", "selection-steps").target(many) == {}


def test_the_command_draws_them(tmp_path):
    selection_table(n_datasets=3, repeats=2).to_csv(tmp_path / "performance.csv", index=False)
    words = ["compare", str(tmp_path / "performance.csv"), "-o", str(tmp_path), "--questions", "selection"]
    assert main(words) == 0
    files = {name: str(tmp_path / name) for name in ("performance.csv", "tests.csv", "average_ranks.csv")}
    words = ["figures", "--performance", files["performance.csv"], "--tests", files["tests.csv"]]
    words += ["--ranks", files["average_ranks.csv"], "--figures", "selection-curves", "--formats", "svg"]
    assert main([*words, "-o", str(tmp_path / "figures")]) == 0
    first = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert len(first) == 4 and main([*words, "-o", str(tmp_path / "again")]) == 0
    assert first == {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert pd.read_csv(files["tests.csv"])["f_critical"].notna().any()
