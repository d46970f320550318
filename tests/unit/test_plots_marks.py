"""The values that a page shows beside the pointer are those of the figure, where its marks are."""

from __future__ import annotations

import json
import re
from xml.sax.saxutils import unescape

import pytest
from matplotlib.figure import Figure

from mlsieve.plots.drawing.marks import MOST, describe
from mlsieve.plots.drawing.style import save_figure


def saved(figure, tmp_path):
    save_figure(figure, tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    found = re.search(r'<metadata id="mlsieve-marks">(.*?)</metadata>', text)
    return text, json.loads(unescape(found[1])) if found else None


def drawn(**settings):
    figure = Figure(figsize=(4, 3), dpi=150)
    axes = figure.add_axes((0.25, 0.25, 0.5, 0.5))
    axes.set(xlim=(0, 2), ylim=(0, 10), **settings)
    return figure, axes


def test_marks_lie_where_the_figure_draws_them(tmp_path):
    figure, axes = drawn(xlabel="number of trees")
    axes.set_xticks([0, 1, 2], ["10", "50", "250"])
    axes.plot([0, 1, 2], [0, 5, float("nan")], "o-", gid="curve-bagging/<b>&")
    axes.axhline(3, gid="level-uniform")
    text, marks = saved(figure, tmp_path)
    [series] = marks["series"]
    assert series["label"] == "bagging/<b>&"
    # 4 by 3 inches are 288 by 216 points; the axes begin at a quarter, and y goes down.
    assert series["x"] == [72, 144] and series["y"] == [162, 108]
    assert series["at"] == ["number of trees 10, 0", "number of trees 50, 5"]
    assert 'viewBox="0 0 288 216"' in text


def test_a_name_on_an_axis_is_not_a_number(tmp_path):
    figure, axes = drawn()
    axes.set_yticks([2, 8], ["scls", "ami"])
    axes.plot([1.5], [8], "o", gid="median-ami")
    axes.plot([1.25], [8.2], "o", gid="dots-ami")
    assert [one["at"] for one in saved(figure, tmp_path)[1]["series"]] == [["1.5, ami"], ["1.25"]]


def test_a_figure_may_describe_its_points(tmp_path):
    figure, axes = drawn()
    [line] = axes.plot([0, float("nan"), 1], [1, 2, 3], gid="method-scls")
    describe(line, ["f1 1.00", "lost", "auroc 2.50"])
    assert saved(figure, tmp_path)[1]["series"][0]["at"] == ["f1 1.00", "auroc 2.50"]


@pytest.mark.parametrize(("count", "kept"), [(MOST, True), (MOST + 1, False)])
def test_a_figure_with_too_many_marks_has_none(count, kept, tmp_path):
    figure, axes = drawn()
    axes.plot([1.0] * count, [1.0] * count, gid="points-scls")
    assert (saved(figure, tmp_path)[1] is not None) == kept


def test_lines_without_a_name_have_no_values(tmp_path):
    figure, axes = drawn()
    axes.plot([0, 1], [1, 2])
    axes.plot([0, 1], [1, 2], gid="ring-1")
    assert saved(figure, tmp_path)[1] is None
