"""Radar plots: what is where, and that nothing overlaps with three to six methods."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_nothing_overlaps
from synthetic_study import DIRECTIONS, HIGHER, LOWER, performance_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.drawing.style import save_figure
from mlsieve.plots.ensembles.radar import (
    HOLE,
    RADIUS,
    measure_groups,
    radar,
    radar_panels,
    rank_matrix,
)

MEASURES = (*HIGHER, *LOWER)
METHODS = (
    "extra-trees/genie3",
    "bagging/permutation",
    "random-forest/symbolic",
    "relief",
    "uniform",
    "random",
    "oracle",
    "scls",
)


def made_up(n_methods, n_measures=15):
    generator = np.random.default_rng(n_methods)
    draws = [generator.permuted(np.tile(np.arange(1.0, n_methods + 1), (6, 1)), axis=1) for _ in MEASURES]
    ranks = np.array([draw.mean(axis=0) for draw in draws[:n_measures]])
    return pd.DataFrame(ranks, list(MEASURES[:n_measures]), list(METHODS[:n_methods]))


def polygons(figure):
    """Return the corners of each method's polygon, in inches from the centre."""
    lines = [line for line in figure.axes[0].lines if str(line.get_gid()).startswith("method-")]
    return {line.get_label(): np.column_stack(line.get_data()) for line in lines}


@pytest.mark.parametrize("n_methods", [3, 4, 5, 6, 8])
@pytest.mark.parametrize("n_measures", [3, 4, 8, 15])
def test_nothing_overlaps(n_methods, n_measures):
    figure = radar_panels({"": made_up(n_methods, n_measures)}, starred=MEASURES[:2])
    assert_nothing_overlaps(figure)
    assert set(polygons(figure)) == set(METHODS[:n_methods])


def test_rank_one_is_in_the_centre_and_the_spokes_go_clockwise_from_the_top():
    ranks = pd.DataFrame({"a": [1.0, 1.0, 3.0, 2.0], "b": [2.0, 3.0, 1.0, 2.0], "c": [3.0, 2.0, 2.0, 2.0]})
    ranks.index = ["top", "right", "bottom", "left"]
    corners = polygons(radar_panels({"": ranks}))
    best, middle = RADIUS * HOLE, RADIUS * (1 + HOLE) / 2
    expected = [[0, best], [best, 0], [0, -RADIUS], [-middle, 0]]
    np.testing.assert_allclose(corners["a"][:4], expected, atol=1e-12)
    np.testing.assert_array_equal(corners["a"][0], corners["a"][-1])  # closed


def test_methods_differ_without_their_colours():
    lines = [
        line
        for line in radar_panels({"": made_up(8)}).axes[0].lines
        if str(line.get_gid()).startswith("method-")
    ]
    assert len({line.get_marker() for line in lines}) == 8


def test_the_picture_names_its_polygons(tmp_path):
    save_figure(radar_panels({"": made_up(4)}), tmp_path / "radar.svg")
    text = (tmp_path / "radar.svg").read_text()
    assert set(re.findall(r'<g id="method-([^"]+)"', text)) == set(METHODS[:4])
    assert len(re.findall(r'<g id="ring-\d+"', text)) == 4


def material(measures=("coverage", "f1", "auroc"), baselines=("uniform", "relief"), **settings):
    performance = performance_table(n_datasets=5, measures=measures, sizes=(10, 50), baselines=baselines)
    answers = run_questions(performance, Analysis(directions=DIRECTIONS, **settings))
    return Material(performance, answers.tests, answers.average_ranks, answers.choices, directions=DIRECTIONS)


def test_one_plot_for_each_set_of_ranks():
    # The extended family of "score" holds the methods of that of "relief", so it is drawn once.
    drawings = radar(material())
    assert list(drawings) == ["radar_relief_paper", "radar_relief_extended", "radar_score_paper"]
    assert {name: drawing.question for name, drawing in drawings.items()} == {
        "radar_relief_paper": "relief",
        "radar_relief_extended": "relief",
        "radar_score_paper": "score",
    }
    assert "the innermost ring" in drawings["radar_score_paper"].caption
    assert "5 datasets" in drawings["radar_score_paper"].caption
    assert list(radar(material(baselines=("uniform",)))) == ["radar_score_paper", "radar_score_extended"]


def test_corners_are_the_average_ranks():
    study = material()
    ranks = study.average_ranks
    some = ranks[(ranks["question"] == "score") & (ranks["family"] == "paper") & (ranks["variant"] == "all")]
    wide = rank_matrix(some)
    assert set(wide.index) == {"coverage", "f1", "auroc"}
    corners = polygons(radar(study)["radar_score_paper"].figure)
    for method, points in corners.items():
        radii = np.hypot(*points[:-1].T) / RADIUS
        np.testing.assert_allclose(1 + 2 * (radii - HOLE) / (1 - HOLE), wide[method])


def test_a_star_says_that_friedman_rejects():
    study = material()
    ranks = study.average_ranks
    some = (ranks["question"] == "score") & (ranks["family"] == "paper")
    known = ranks["critical_distance"].where(~some, 1.0).mask(some & (ranks["measure"] != "f1"))
    figure = radar(replace(study, average_ranks=ranks.assign(critical_distance=known)))["radar_score_paper"]
    names = {text.get_text() for text in figure.figure.axes[0].texts}
    assert {"f1 *", "coverage", "auroc"} <= names and not {"coverage *", "auroc *"} & names
    none = radar(replace(study, average_ranks=ranks.assign(critical_distance=float("nan"))))
    assert "here on none" in none["radar_score_paper"].caption


def test_two_measures_make_no_radar():
    assert radar(material(measures=("coverage", "f1"))) == {}


def test_pairwise_tests_have_no_common_ranks():
    pairwise = material(settings={"relief_test": "wilcoxon"})
    assert list(radar(pairwise)) == [
        "radar_score_paper",
        "radar_score_extended",
    ]


@pytest.mark.parametrize("n_methods", [3, 4, 8])
def test_fifteen_measures_make_the_papers_four_panels(n_methods):
    groups = measure_groups(MEASURES)
    assert {title: len(own) for title, own in groups.items()} == {
        "areas under curves": 3,
        "micro-averaged measures": 3,
        "other measures": 5,
        "multi-label measures": 4,
    }
    assert sorted(name for own in groups.values() for name in own) == sorted(MEASURES)
    ranks = made_up(n_methods)
    figure = radar_panels({title: ranks.loc[own] for title, own in groups.items()}, starred=MEASURES[:2])
    assert_nothing_overlaps(figure)
    assert [axes.texts[0].get_text() for axes in figure.axes] == list(groups)
    for axes, own in zip(figure.axes, groups.values(), strict=True):
        [rim] = [line for line in axes.lines if line.get_gid() == f"ring-{n_methods}"]
        radius = np.hypot(*np.array(rim.get_data())[:, 0])
        for line in [line for line in axes.lines if str(line.get_gid()).startswith("method-")]:
            radii = np.hypot(*np.array(line.get_data())[:, :-1]) / radius
            expected = ranks.loc[own, line.get_label()]
            np.testing.assert_allclose(1 + (n_methods - 1) * (radii - HOLE) / (1 - HOLE), expected)


def test_groups_that_are_too_small_for_a_panel_join_others():
    assert measure_groups(["auroc", "auprc", "f1"]) == {"": ["auroc", "auprc", "f1"]}
    some = ["micro-precision", "micro-recall", "micro-f1", "auroc"]
    assert measure_groups(some) == {"": some}
    more = [*some, "one-error", "f1 [textbook]"]
    assert measure_groups(more) == {
        "micro-averaged measures": some[:3],
        "other measures": ["auroc", "one-error", "f1 [textbook]"],
    }
