"""Figures: nothing overlaps, bars mean what they say, equal figures give equal bytes."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_nothing_overlaps, boxes
from matplotlib.text import Text
from synthetic_study import DIRECTIONS, HIGHER, LOWER, performance_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.cli import main
from mlsieve.plots.drawing.critical_difference import (
    Panel,
    bar_rows,
    critical_difference_diagram,
    critical_difference_panels,
)
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.drawing.style import save_figure
from mlsieve.registry import entries

NAMES = [
    "random-forest/genie3",
    "extra-trees/genie3",
    "bagging/permutation",
    "uniform",
    "random",
    "relief",
    "bagging/symbolic-with-a-very-long-name",
    "scls",
    "ami",
    "mdmr",
    "mlcfs",
    "ppt-rf",
]


def average_ranks(k, *, ties=False, seed=0):
    """Return average ranks of k methods over 10 made-up datasets."""
    generator = np.random.default_rng(seed)
    ranks = np.array([generator.permutation(k) + 1.0 for _ in range(10)]).mean(axis=0)
    if ties:
        ranks[: k // 2 + 1] = ranks[: k // 2 + 1].mean()
    return pd.Series(ranks, NAMES[:k])


def bars_of(figure):
    return [line for axes in figure.axes for line in axes.lines if line.get_gid() == "bar"]


@pytest.mark.parametrize("k", [2, 3, 8, 12])
@pytest.mark.parametrize("distance", [None, 0.7, 2.5, 30.0])
@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_critical_difference_labels_meet_nothing(k, distance, reference, ties):
    figure = critical_difference_diagram(
        average_ranks(k, ties=ties),
        distance,
        reference=NAMES[1] if reference else None,
        best="left" if ties else "right",
        title="a measure with a name",
    )
    assert_nothing_overlaps(figure)
    bars = bars_of(figure)
    renderer = figure.canvas.get_renderer()
    for bar in bars:
        bar_box = bar.get_window_extent(renderer)
        for text, box in boxes(figure):
            assert not box.overlaps(bar_box), f"a bar meets {text!r}"


def test_bars_are_exactly_the_groups_within_the_distance():
    ranks = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": 4.2})
    assert Panel(ranks, 1.5).bars() == [(1.0, 2.0), (2.0, 3.0), (3.0, 4.2)]
    assert Panel(ranks, 0.1).bars() == []
    assert len(bars_of(critical_difference_diagram(ranks, 1.5))) == 3


def test_one_bar_over_all_and_no_distance_when_nothing_is_rejected():
    figure = critical_difference_diagram(average_ranks(5), None)
    ranks = average_ranks(5)
    assert Panel(ranks, float("nan")).bars() == [(ranks.min(), ranks.max())]
    texts = [text.get_text() for text in figure.findobj(Text)]
    assert "Friedman's test is not significant" in texts
    assert not any("critical distance" in text for text in texts)


def test_the_bar_of_a_control_ends_one_distance_away():
    ranks = pd.Series({"a": 1.5, "b": 2.0, "reference": 3.0, "d": 3.5})
    assert Panel(ranks, 0.9, "reference").bars() == [(2.1, 3.9)]
    assert Panel(ranks, 1.8, "reference").bars() == [(1.2, 4.0)]  # the axis ends at 4
    assert Panel(ranks, 1.0, "reference", interval="from-best").bars() == [(1.5, 2.5)]


def test_bars_of_one_row_do_not_touch():
    bars = [(1.0, 2.0), (1.5, 3.0), (2.1, 4.0), (3.2, 5.0)]
    rows = bar_rows(bars, 0.1)
    for (one, a), (other, b) in itertools.combinations(zip(bars, rows, strict=True), 2):
        assert a != b or other[0] > one[1] + 0.1


@pytest.mark.parametrize("best", ["right", "left"])
def test_the_best_method_stands_on_the_wanted_side(best):
    figure = critical_difference_diagram(pd.Series({"good": 1.0, "middle": 2.0, "bad": 3.0}), best=best)
    place = {
        text.get_text().split()[0]: text.get_position()[0] for text in figure.findobj(Text) if text.get_text()
    }
    assert (place["good"] > place["bad"]) == (best == "right")


def test_panels_share_one_figure_without_overlap():
    panels = [Panel(average_ranks(5, seed=i), 1.5 if i % 2 else None, title=f"measure {i}") for i in range(7)]
    figure = critical_difference_panels(panels)
    assert len(figure.axes) == 7
    assert_nothing_overlaps(figure)


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_equal_figures_give_equal_bytes(tmp_path, suffix):
    for name in ("one", "two"):
        save_figure(critical_difference_diagram(average_ranks(4), 1.5), tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


@pytest.fixture(scope="module")
def study():
    performance = performance_table(
        n_datasets=6, measures=("coverage", "f1"), sizes=(10, 25, 50), baselines=("uniform", "relief")
    )
    analysis = Analysis(directions=DIRECTIONS)
    answers = run_questions(performance, analysis)
    return Material(performance, answers.tests, answers.average_ranks, answers.choices, directions=DIRECTIONS)


@pytest.mark.parametrize("name", ["critical-difference", "saturation"])
def test_every_figure_of_a_study_is_readable(study, name):
    drawings = entries("figure")[name].target(study)
    assert drawings
    for drawing in drawings.values():
        assert drawing.title and drawing.caption and drawing.question
        if drawing.figure is not None:
            assert_nothing_overlaps(drawing.figure)
    assert any(drawing.figure is not None for drawing in drawings.values())


def test_figures_without_their_tests_are_left_out(study):
    nothing = Material(
        study.performance, study.tests.iloc[:0], study.average_ranks.iloc[:0], directions=DIRECTIONS
    )
    assert entries("figure")["baseline-dots"].target(nothing) == {}
    assert entries("figure")["critical-difference"].target(nothing) == {}
    assert list(entries("figure")["saturation"].target(nothing)) == ["saturation_performance"]


def test_figures_command(tmp_path, capsys):
    table = performance_table(n_datasets=4, measures=("coverage", "f1"), sizes=(10, 50))
    table.to_csv(tmp_path / "performance.csv", index=False)
    ways = ["--higher", ",".join(HIGHER), "--lower", ",".join(LOWER)]
    assert main(["compare", str(tmp_path / "performance.csv"), "-o", str(tmp_path), *ways]) == 0
    words = [
        "figures",
        "--performance",
        str(tmp_path / "performance.csv"),
        "--tests",
        str(tmp_path / "tests.csv"),
    ]
    words += [
        "--ranks",
        str(tmp_path / "average_ranks.csv"),
        "--choices",
        str(tmp_path / "choices.csv"),
        *ways,
    ]
    assert main([*words, "--formats", "svg", "-o", str(tmp_path / "figures")]) == 0
    index = json.loads((tmp_path / "figures" / "figures.json").read_text())
    assert {entry["question"] for entry in index} >= {"saturation", "relevance", "score"}
    written = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert written == sorted(["figures.json", *(file for entry in index for file in entry["files"])])
    assert main([*words, "--formats", "jpg", "-o", str(tmp_path / "figures")]) == 2
    assert "unknown format 'jpg'" in capsys.readouterr().err
