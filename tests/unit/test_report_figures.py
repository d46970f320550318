"""The figures of a study as the report reads them."""

from __future__ import annotations

import base64
import json

import pytest

from mlsieve.files.writing import write_json, write_text
from mlsieve.report.files import read_figures


def svg(width: float, height: float) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"></svg>'


@pytest.mark.parametrize(
    ("name", "content", "wide"),
    [
        ("some.svg", svg(559, 900), False),
        ("some.svg", svg(560, 900), False),
        ("some.svg", svg(561, 9), True),
        ("some.svg", svg(560.5, 9), True),
        ("some.svg", '<svg xmlns="http://www.w3.org/2000/svg"></svg>', True),
        ("some.png", "not read", True),
    ],
)
def test_a_figure_of_more_than_560_points_is_wide(name, content, wide, tmp_path):
    write_text(tmp_path / name, content)
    item = {"name": "some", "question": "score", "title": "Some", "caption": "Some figure.", "files": [name]}
    write_json(tmp_path / "figures.json", [item])
    [read] = read_figures(tmp_path / "figures.json")
    assert read["wide"] is wide
    head, data = read["data"].split(",")
    assert head == {"svg": "data:image/svg+xml;base64", "png": "data:image/png;base64"}[name[-3:]]
    assert base64.b64decode(data).decode() == content
    assert read == {**item, "group": "", "files": name, "wide": wide, "data": read["data"]}


def test_a_figure_without_a_picture_is_left_out(tmp_path):
    (tmp_path / "figures.json").write_text(json.dumps([{"files": ["some.pdf"]}]))
    assert read_figures(tmp_path / "figures.json") == []
