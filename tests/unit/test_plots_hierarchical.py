"""Figures of the hierarchical study: nothing overlaps, and they show what the tables hold."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_nothing_overlaps
from matplotlib.text import Text
from synthetic_study import PAIRS, SHARES, hierarchical_table, ranking_tables, similarity_frames

from mlsieve.analysis import Analysis, run_questions
from mlsieve.cli import main
from mlsieve.plots.drawing.material import Material
from mlsieve.plots.drawing.style import save_figure
from mlsieve.registry import lookup

COMPARED = {"extra-trees/genie3": 50, "bagging/permutation": 100, "random-forest/symbolic": 75, "relief": 1}
NEW = ("size-saturation", "candidates-dots", "efficiency", "similarity-tetrahedron", "similarity-curves")


@pytest.fixture(scope="module")
def material():
    performance = hierarchical_table()
    analysis = Analysis(
        questions=("saturation", "relevance", "relief", "candidates"),
        rounding={"significant": 3},
        paper_methods=tuple(f"{ensemble}/{score}" for ensemble, score in PAIRS),
        paper_sizes={"relief": 1},
        settings={"relief_test": "wilcoxon", "binary_features": ("set-1", "set-2", "set-3", "set-4")},
    )
    answers = run_questions(performance, analysis)
    rankings, timings = ranking_tables(performance)
    similarity, curves = similarity_frames(performance, COMPARED)
    tables = (performance, answers.tests, answers.average_ranks, answers.choices, timings)
    return Material(*tables, rankings=rankings, similarity=similarity, curves=curves)


def drawn(material, id):
    return lookup("figure", id).target(material)


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text().strip()]


@pytest.mark.parametrize("id", [*NEW, "saturation", "baseline-dots", "relief-dots"])
def test_nothing_overlaps_and_equal_tables_give_equal_bytes(material, id, tmp_path):
    for name, drawing in drawn(material, id).items():
        assert_nothing_overlaps(drawing.figure)
        assert drawing.caption.endswith(".") and drawing.title
        save_figure(drawing.figure, tmp_path / "one.svg")
        save_figure(drawn(material, id)[name].figure, tmp_path / "two.svg")
        assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_without_their_tables_there_are_no_figures(material):
    bare = Material(material.performance, material.tests[:0], material.average_ranks[:0])
    assert [drawn(bare, id) for id in NEW] == [{}] * len(NEW)


def test_relief_has_its_own_curve_and_none_among_the_trees(material):
    drawing = drawn(material, "size-saturation")["size-saturation_relief"]
    mean, rank = drawing.figure.axes
    expected = material.performance.query("method == 'relief'").groupby("size")["value"].mean()
    assert mean.lines[0].get_ydata() == pytest.approx(expected.loc[list(SHARES)].to_numpy())
    own = material.average_ranks.query("comparison == 'relief' and family == 'paper' and variant == 'all'")
    assert rank.lines[0].get_ydata().tolist() == own["rank"].tolist()
    hollow = [line.get_xdata()[0] for line in rank.lines[1:-1] if line.get_markerfacecolor() == "white"]
    apart = own["rank"] - own["rank"].min() >= own["critical_distance"]
    assert hollow == np.flatnonzero(apart).tolist() and len(hollow) > 0
    assert mean.lines[-1].get_xdata() == [0, 0], "the size in use, one per cent"
    trees = drawn(material, "saturation")
    assert "relief" not in texts(trees["saturation_rank"].figure)
    assert "all-features/extra-trees/genie3" not in texts(trees["saturation_rank"].figure)


def test_variants_of_an_ensemble_look_different(material):
    figure = drawn(material, "saturation")["saturation_performance"].figure
    looks = [
        (handle.get_color(), handle.get_marker(), handle.get_linestyle())
        for handle in figure.legends[0].legend_handles
    ]
    assert len(set(looks)) == len(looks) == 10 + 2


def test_candidates_are_compared_at_the_size_of_the_test(material):
    found = drawn(material, "candidates-dots")
    assert set(found) == {"candidates-dots", "candidates-dots_binary"}
    sizes = material.sizes()
    size = max(sizes["extra-trees/genie3"], sizes["all-features/extra-trees/genie3"])
    some = material.performance.query(f"ensemble == 'extra-trees' and score == 'genie3' and size == {size}")
    wide = some.pivot_table(index="dataset", columns="method", values="value")
    lines = {line.get_gid(): line for line in found["candidates-dots"].figure.axes[0].lines}
    expected = (wide["pct"] - wide["all-features"]).to_numpy()
    assert lines["dots-extra-trees/genie3"].get_xdata() == pytest.approx(expected)
    assert "4 datasets" in found["candidates-dots_binary"].caption


def test_efficiency_shows_shares_at_the_size_in_use(material):
    figure = drawn(material, "efficiency")["efficiency"].figure
    lines = {line.get_gid(): line for axes in figure.axes for line in axes.lines}
    size = material.sizes()["bagging/genie3"]
    own = material.rankings.query(f"ensemble == 'bagging' and score == 'genie3' and size == {size}")
    assert lines["share-bagging/genie3"].get_xdata()[0] == pytest.approx(
        100 * (own["positive"] / own["features"]).mean()
    )
    assert lines["share-relief"].get_xdata()[0] < lines["share-uniform"].get_xdata()[0] == 100
    assert lines["seconds-relief"].get_xdata()[0] == pytest.approx(9.0)
    alone = Material(
        material.performance,
        material.tests,
        material.average_ranks,
        material.choices,
        rankings=material.rankings,
    )
    assert len(drawn(alone, "efficiency")["efficiency"].figure.axes) == 1


def test_the_tetrahedron_has_an_edge_for_each_pair(material):
    drawing = drawn(material, "similarity-tetrahedron")["similarity-tetrahedron"]
    space, plane, below = drawing.figure.axes
    edges = [line for line in space.lines if line.get_gid() == "edge"]
    distances = 1 - material.similarity.groupby(["first", "second"], sort=False)["similarity"].mean()
    assert len(edges) == len(distances) == 6
    by_width = np.argsort([-edge.get_linewidth() for edge in edges])
    assert by_width.tolist() == np.argsort(distances.to_numpy()).tolist()
    # Unfolded, every edge is as long as its distance; three of them are drawn twice.
    [bar] = [line for line in below.lines if line.get_gid() == "scale"]
    unit = np.ptp(bar.get_xdata()) / float(below.texts[0].get_text().split("=")[1])
    drawn_lengths = [
        np.hypot(*np.ptp(np.array(line.get_data()), axis=1)) / unit
        for line in plane.lines
        if line.get_gid() == "edge"
    ]
    np.testing.assert_allclose(sorted(drawn_lengths), sorted(_unfolded_edges(distances)), rtol=1e-6)
    shown = texts(drawing.figure)
    assert {"A  genie3 (extra-trees, 50 trees)", "D  relief (1 %)"} <= set(shown)
    assert sum(f"d = {value:.3f}" in text for value in distances for text in shown) == 6
    assert "10 datasets" in drawing.caption
    three = material.similarity.query("first != 'relief' and second != 'relief'")
    triangle = Material(material.performance, material.tests, material.average_ranks, similarity=three)
    drawing = drawn(triangle, "similarity-tetrahedron")["similarity-tetrahedron"]
    assert "triangle" in drawing.caption
    assert_nothing_overlaps(drawing.figure)
    two = three.query("first == 'extra-trees/genie3' and second == 'bagging/permutation'")
    assert drawn(Material(*[material.performance] * 3, similarity=two), "similarity-tetrahedron") == {}


def _unfolded_edges(distances):
    """The edges between the first three rankings once, those of the fourth twice."""
    return [*distances, *(value for pair, value in distances.items() if "relief" in pair)]


def test_distances_without_a_tetrahedron_say_by_how_much_the_drawn_one_differs(material):
    pairs = {("a", "b"): 0.45, ("a", "c"): 0.02, ("a", "d"): 0.6}
    pairs |= {("b", "c"): 0.47, ("b", "d"): 0.65, ("c", "d"): 0.1}
    rows = [("one", *pair, 1 - value) for pair, value in pairs.items()]
    table = pd.DataFrame(rows, columns=["dataset", "first", "second", "similarity"])
    tables = (material.performance, material.tests, material.average_ranks)
    drawing = drawn(Material(*tables, similarity=table), "similarity-tetrahedron")["similarity-tetrahedron"]
    assert_nothing_overlaps(drawing.figure)
    assert "No tetrahedron has exactly these edges" in drawing.caption
    listed = [text for text in texts(drawing.figure) if ", drawn " in text]
    assert len(listed) == 6
    differences = [
        abs(float(text.rsplit(" ", 1)[1]) - float(text.split("d = ")[1].split(" ")[0])) for text in listed
    ]
    assert f"by {max(differences):.3f} at most" in drawing.caption


@pytest.mark.parametrize("value", [0.0, 0.3])
def test_equal_distances_are_drawn_even_where_all_are_zero(material, value):
    rows = [("one", *pair, 1 - value) for pair in itertools.combinations("abcd", 2)]
    table = pd.DataFrame(rows, columns=["dataset", "first", "second", "similarity"])
    tables = (material.performance, material.tests, material.average_ranks)
    drawing = drawn(Material(*tables, similarity=table), "similarity-tetrahedron")["similarity-tetrahedron"]
    assert_nothing_overlaps(drawing.figure)
    assert "No tetrahedron" not in drawing.caption


SHAPES = {
    "regular": (0.3, 0.3, 0.3, 0.3, 0.3, 0.3),
    "a flat square": (0.3, 0.42426, 0.3, 0.3, 0.42426, 0.3),
    "a corner over the middle": (0.3, 0.3, 0.17, 0.3, 0.17, 0.17),
    "on a line": (0.1, 0.2, 0.3, 0.1, 0.2, 0.1),
    "a needle": (0.5, 0.5, 0.5, 0.03, 0.03, 0.03),
    "two pairs": (0.02, 0.6, 0.6, 0.6, 0.6, 0.02),
    "the study": (0.206, 0.047, 0.293, 0.211, 0.379, 0.320),
    "two the same": (0.0, 0.4, 0.5, 0.4, 0.5, 0.45),
    "all the same": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_corner_has_its_letter_and_every_edge_its_length(material, shape):
    distances = dict(zip(itertools.combinations("ABCD", 2), SHAPES[shape], strict=True))
    rows = [("one", *pair, 1 - value) for pair, value in distances.items()]
    table = pd.DataFrame(rows, columns=["dataset", "first", "second", "similarity"])
    tables = (material.performance, material.tests, material.average_ranks)
    figure = drawn(Material(*tables, similarity=table), "similarity-tetrahedron")[
        "similarity-tetrahedron"
    ].figure
    assert_nothing_overlaps(figure)
    renderer = figure.canvas.get_renderer()
    for axes, twice in zip(figure.axes[:2], ("", "D"), strict=True):
        of_kind = {
            kind: [text for text in axes.texts if text.get_gid() == kind] for kind in ("letter", "length")
        }
        names = [name for text in of_kind["letter"] for name in text.get_text().split(", ")]
        assert set(names) == set("ABCD") and names.count("A") == names.count("B") == names.count("C") == 1
        expected = [
            f"{one}{two} {value:.2f}"
            for (one, two), value in distances.items()
            for _ in range(1 + (two == twice))
        ]
        assert sorted(text.get_text() for text in of_kind["length"]) == sorted(expected)
        # Nothing is drawn over a text: no corner, and of the edges at most the one that it stands on.
        corners = [axes.transData.transform(line.get_xydata())[0] for line in axes.lines if is_corner(line)]
        edges = [along(axes, line) for line in axes.lines if line.get_gid() == "edge"]
        for text in axes.texts:
            box = text.get_window_extent(renderer)
            assert not any(box.contains(*corner) for corner in corners), text
            under = sum(any(box.contains(*point) for point in edge) for edge in edges)
            assert under <= (text.get_gid() == "length"), text


def is_corner(line):
    return line.get_gid() == "corner"


def along(axes, line):
    """Points of a drawn edge, in pixels, as close as one pixel or so."""
    one, two = axes.transData.transform(line.get_xydata())
    return one + np.linspace(0, 1, 400)[:, None] * (two - one)


def test_the_curves_are_those_of_the_first_data_set(material):
    drawing = drawn(material, "similarity-curves")["similarity-curves"]
    left, right = drawing.figure.axes
    assert "on set-1 over" in drawing.caption
    own = material.curves.query("dataset == 'set-1' and first == 'extra-trees/genie3' and second == 'relief'")
    assert left.lines[2].get_ydata().tolist() == own["similarity"].tolist()
    value = material.performance.query(
        "dataset == 'set-1' and ensemble == 'bagging' and score == 'permutation' and method == 'pct'"
    )
    assert right.lines[1].get_ydata().tolist() == value.sort_values("size")["value"].tolist()
    last = material.curves[material.curves["dataset"] == "set-3"]
    moved = pd.concat([last, material.curves])
    other = Material(
        material.performance, material.tests, material.average_ranks, material.choices, curves=moved
    )
    assert "on set-3 over" in drawn(other, "similarity-curves")["similarity-curves"].caption


def test_the_command_reads_the_tables(material, tmp_path):
    tables = {
        "performance": material.performance,
        "tests": material.tests,
        "ranks": material.average_ranks,
        "choices": material.choices,
        "timings": material.timings,
        "rankings": material.rankings,
        "similarity": material.similarity,
        "curves": material.curves,
    }
    words = ["figures", "--figures", ",".join(NEW), "--formats", "svg", "-o", str(tmp_path / "figures")]
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        words += [f"--{name}", str(tmp_path / f"{name}.csv")]
    assert main(words) == 0
    index = json.loads((tmp_path / "figures" / "figures.json").read_text())
    assert [item["name"] for item in index] == [
        *("size-saturation_relief", "candidates-dots", "candidates-dots_binary", "efficiency"),
        *("similarity-tetrahedron", "similarity-curves"),
    ]
    (tmp_path / "rankings.csv").write_text("dataset\na\n")
    assert main(words) == 2
