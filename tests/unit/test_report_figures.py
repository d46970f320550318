"""The figures of a study as the report reads them."""

from __future__ import annotations

import base64
import json

import pytest

from mlsieve.files.writing import write_json, write_text
from mlsieve.report.files import read_figures
from mlsieve.report.pictures import picture_of


def svg(width: float, height: float) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"></svg>'


@pytest.mark.parametrize(
    ("name", "content", "wide"),
    [
        ("some.svg", svg(439, 900), False),
        ("some.svg", svg(440, 900), False),
        ("some.svg", svg(441, 9), True),
        ("some.svg", svg(440.5, 9), True),
        ("some.svg", '<svg xmlns="http://www.w3.org/2000/svg"></svg>', True),
        ("some.png", "not read", True),
    ],
)
def test_a_figure_of_more_than_440_points_is_wide(name, content, wide, tmp_path):
    write_text(tmp_path / name, content)
    item = {"name": "some", "question": "score", "title": "Some", "caption": "Some figure.", "files": [name]}
    write_json(tmp_path / "figures.json", [item])
    [read] = read_figures(tmp_path / "figures.json")
    assert read["wide"] is wide
    assert read == {**item, "group": "", "files": [name], "wide": wide, "picture": read["picture"]}
    if name.endswith(".png"):
        data = (
            read["picture"]
            .removeprefix('<img alt="Some. Some figure." src="data:image/png;base64,')
            .removesuffix('">')
        )
        assert base64.b64decode(data).decode() == content
    else:
        sides = content.removeprefix('<svg xmlns="http://www.w3.org/2000/svg"').removesuffix("></svg>")
        assert read["picture"] == f'<svg{sides} role="img" aria-label="Some. Some figure."></svg>'


def test_a_drawing_in_the_page_keeps_its_text_and_has_ids_of_its_own():
    drawing = (
        '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">\n'
        "<metadata><rdf>made</rdf></metadata><defs><style>*{fill: red}</style>"
        '<clipPath id="p1"><path d="M 0.12345 1.5"/></clipPath></defs>\n'
        '<g clip-path="url(#p1)"><text x="1.23456">0.12345 &amp; more</text></g><use href="#p1"/>\n'
        "</svg>\n<!-- checksum -->\n"
    )
    shown = str(picture_of(drawing.encode(), "svg", "a/b", 'less < "more"'))
    assert shown == (
        '<svg viewBox="0 0 9 9" role="img" aria-label="less &lt; &quot;more&quot;"><defs>'
        '<clipPath id="a-b--p1"><path d="M 0.12 1.5"/></clipPath></defs>'
        '<g clip-path="url(#a-b--p1)"><text x="1.23">0.12345 &amp; more</text></g>'
        '<use href="#a-b--p1"/></svg>'
    )


def test_a_figure_without_a_picture_is_left_out(tmp_path):
    (tmp_path / "figures.json").write_text(json.dumps([{"files": ["some.pdf"]}]))
    assert read_figures(tmp_path / "figures.json") == []
