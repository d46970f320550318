"""Figures of one dataset, of the sizes' ranks, and of efficiency against quality: what is where."""

from dataclasses import replace

import numpy as np
import pytest
from figure_checks import assert_nothing_overlaps
from synthetic_study import DIRECTIONS, hierarchical_table, performance_table, ranking_tables

from mlsieve.analysis import Analysis, run_questions
from mlsieve.cli import main
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.drawing.style import save_figure
from mlsieve.registry import lookup

FIGURES = ("one-dataset-saturation", "one-dataset-scores", "size-diagrams", "efficiency-quality")


def made(performance, rankings=True, **settings):
    questions = ("saturation", "relevance", "relief")
    analysis = Analysis(questions=questions, directions=DIRECTIONS, **settings)
    answers = run_questions(performance, analysis)
    tables = (performance, answers.tests, answers.average_ranks, answers.choices)
    counted = ranking_tables(performance)[0] if rankings else None
    return Material(*tables, rankings=counted, directions=DIRECTIONS)


@pytest.fixture(scope="module")
def flat():
    performance = performance_table(8, ("f1", "ranking-loss", "auroc"), (10, 50, 100), ("uniform", "relief"))
    return replace(made(performance), datasets=("set-2",), measures=("f1", "ranking-loss"))


@pytest.fixture(scope="module")
def nested():
    settings = {"paper_sizes": {"relief": 1}, "settings": {"relief_test": "wilcoxon"}}
    return replace(made(hierarchical_table(6), **settings), datasets=("set-1", "set-3"))


def drawn(material, id):
    return lookup("figure", id).target(material)


def curve(axis, label):
    [line] = [line for line in axis.lines if line.get_gid() == f"curve-{label}"]
    return line


@pytest.mark.parametrize("id", FIGURES)
@pytest.mark.parametrize("study", ["flat", "nested"])
def test_nothing_overlaps_and_equal_tables_give_equal_bytes(request, study, id, tmp_path):
    material = request.getfixturevalue(study)
    drawings = drawn(material, id)
    assert drawings
    for name, drawing in drawings.items():
        assert_nothing_overlaps(drawing.figure)
        assert drawing.caption.endswith(".") and drawing.title
        save_figure(drawing.figure, tmp_path / "one.svg")
        save_figure(drawn(material, id)[name].figure, tmp_path / "two.svg")
        assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_column_an_ensemble_and_a_column_a_score(flat):
    drawings = drawn(flat, "one-dataset-saturation")
    assert list(drawings) == ["one-dataset_by-ensemble_set-2", "one-dataset_by-score_set-2"]
    ensembles, scores = (drawing.figure.axes for drawing in drawings.values())
    assert [axis.get_title() for axis in ensembles] == [
        f"{kind}: {measure}"
        for measure in ("f1 ↑", "ranking-loss ↓")
        for kind in ("bagging", "extra-trees", "random-forest")
    ]
    assert [axis.get_title() for axis in scores[:3]] == [
        "genie3: f1 ↑",
        "permutation: f1 ↑",
        "symbolic: f1 ↑",
    ]
    own = flat.performance.query(
        "dataset == 'set-2' and measure == 'ranking-loss' and ensemble == 'bagging' and score == 'symbolic'"
    )
    expected = own.sort_values("size")["value"].tolist()
    assert curve(ensembles[3], "bagging/symbolic").get_ydata().tolist() == expected
    assert curve(scores[5], "bagging/symbolic").get_ydata().tolist() == expected
    # Panels of a measure have one scale; the baseline and the rival are levels.
    assert len({axis.get_ylim() for axis in ensembles[:3]}) == 1
    baseline = flat.performance.query("dataset == 'set-2' and measure == 'f1' and method == 'uniform'")[
        "value"
    ]
    levels = {round(float(line.get_ydata()[0]), 12) for line in ensembles[0].lines if line.get_gid() is None}
    assert round(float(baseline.iloc[0]), 12) in levels and len(levels) == 2


def test_extra_trees_of_both_kinds_are_curves_of_one_panel(nested):
    axes = drawn(nested, "one-dataset-saturation")["one-dataset_by-score_set-3"].figure.axes
    found = {line.get_gid() for line in axes[-1].lines if line.get_gid()}
    assert found == {
        *(f"curve-{kind}/symbolic" for kind in ("bagging", "extra-trees", "random-forest")),
        "curve-all-features/extra-trees/symbolic",
    }


def test_scores_stand_at_the_size_in_use(flat):
    drawing = drawn(flat, "one-dataset-scores")["one-dataset_scores_set-2"]
    axis = drawing.figure.axes[0]
    sizes = flat.sizes()
    for ensemble, score in (("bagging", "symbolic"), ("extra-trees", "genie3")):
        own = flat.performance.query(
            "dataset == 'set-2' and measure == 'f1' and ensemble == @ensemble and score == @score"
        ).set_index("size")["value"]
        label = f"{ensemble}/{score}"
        [dot] = [line for line in axis.lines if line.get_gid() == f"dot-{label}"]
        assert dot.get_ydata()[0] == own[sizes[label]]
    dots = [line.get_gid() for line in axis.lines if line.get_gid()]
    assert len(dots) == 8 + 2 and {"dot-uniform", "dot-relief"} <= set(dots)
    assert drawing.question == "relevance"


def test_the_sizes_ranks_have_a_panel_a_method(flat, nested):
    drawings = drawn(flat, "size-diagrams")
    assert list(drawings) == ["critical-difference_sizes_f1", "critical-difference_sizes_ranking-loss"]
    figure = drawings["critical-difference_sizes_f1"].figure
    assert len(figure.axes) == 8
    ranks = flat.average_ranks.query(
        "question == 'saturation' and family == 'paper' and variant == 'all' and measure == 'f1'"
    )
    words = " ".join(text.get_text() for axis in figure.axes for text in axis.texts)
    for row in ranks.itertuples():
        assert f"{row.method} trees" in words and f"{row.rank:.2f}" in words
    [other] = drawn(nested, "size-diagrams").values()
    shown = " ".join(text.get_text() for axis in other.figure.axes for text in axis.texts)
    assert "100 %" in shown and "250 trees" in shown


def test_efficiency_stands_against_the_gain_over_the_control(flat):
    drawing = drawn(flat, "efficiency-quality")["efficiency-quality"]
    lower = drawing.figure.axes[1]
    [relief] = [line for line in lower.lines if line.get_gid() == "points-relief"]
    values = flat.performance.query("measure == 'ranking-loss' and size == 0").pivot_table(
        index="dataset", columns="method", values="value"
    )
    np.testing.assert_allclose(relief.get_ydata(), values["uniform"] - values["relief"], atol=1e-12)
    own = flat.rankings[flat.rankings["method"] == "relief"].set_index("dataset").sort_index()
    np.testing.assert_allclose(relief.get_xdata(), 100 * own["positive"] / own["features"])
    [mean] = [line for line in lower.lines if line.get_gid() == "mean-relief"]
    assert mean.get_ydata()[0] == pytest.approx(np.mean(relief.get_ydata()))
    assert drawn(replace(flat, rankings=None), "efficiency-quality") == {}


def test_without_named_datasets_or_sizes_there_are_no_such_figures(flat):
    bare = replace(flat, datasets=())
    assert drawn(bare, "one-dataset-saturation") == drawn(bare, "one-dataset-scores") == {}
    one_size = made(performance_table(4, ("f1",), (10,), ("uniform", "relief")))
    assert drawn(replace(one_size, datasets=("set-1",)), "one-dataset-saturation") == {}
    assert drawn(one_size, "size-diagrams") == {}


def test_without_named_measures_the_first_two_of_the_tests_are_shown(flat):
    drawings = drawn(replace(flat, measures=()), "size-diagrams")
    tested = list(dict.fromkeys(flat.tests["measure"]))
    assert list(drawings) == [f"critical-difference_sizes_{name}" for name in tested[:2]]


def test_a_named_dataset_without_values_is_told(flat, tmp_path, capsys):
    names = {"performance": flat.performance, "tests": flat.tests, "ranks": flat.average_ranks}
    words = ["figures", "--figures", "one-dataset-saturation", "--formats", "svg", "-o", str(tmp_path / "f")]
    for name, table in names.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        words += [f"--{name}", str(tmp_path / f"{name}.csv")]
    assert main([*words, "--datasets", "set-1,nowhere", "--measures", "f1"]) == 0
    assert "no figures of the dataset 'nowhere'" in capsys.readouterr().err
    assert (tmp_path / "f" / "one-dataset_by-score_set-1.svg").is_file()
