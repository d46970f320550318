"""The figures of a study as the report reads them."""

from __future__ import annotations

import base64
import json
import re

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
        shape = "/".join(sides.split('"')[1].split()[2:]) if sides else ""
        style = f' style="aspect-ratio:{shape}"' if shape else ""
        assert read["picture"] == f'<svg{sides} role="img" aria-label="Some. Some figure."{style}></svg>'


def test_marks_of_one_look_name_it_once_and_matplotlibs_ids_are_short():
    marker, clip = "m0123456789", "p0123456789"
    style = "fill: #222222; fill-opacity: 0.45"
    marks = "".join(f'<use xlink:href="#{marker}" x="{x}.123" y="2" style="{style}"/>' for x in (1, 2))
    drawing = (
        f'<svg viewBox="0 0 9 9"><defs><path id="{marker}" d="M 0 1 \nL 2 3 \nz "/><clipPath id="{clip}"/>'
        f'</defs><g id="line2d_7"><g id="dots-scls"><g clip-path="url(#{clip})">{marks}</g></g></g>'
        '<g id="text_1"><text style="font-size: 9px; font-family: \'DejaVu Sans\', sans-serif; fill: #222222"'
        ' x="1" transform="rotate(-0 1 2)">uniform</text></g></svg>'
    )
    shown = str(picture_of(drawing.encode(), "svg", "baseline-dots", "text"))
    [short] = set(re.findall(r'href="#([^"]*)"', shown))
    assert shown.count(f'id="{short}"') == 1 and len(short) <= 11 and "--" not in short
    assert shown.count("fill-opacity") == 1 and 'style="fill:#222222;fill-opacity:0.45"><use ' in shown
    assert 'x="1.12" y="2"/>' in shown and 'd="M0 1L2 3z"' in shown
    assert 'id="baseline-dots--dots-scls"' in shown and "line2d" not in shown and "text_1" not in shown
    assert '<text style="font-size:9px;fill:#222222" x="1">uniform</text>' in shown
    other = str(picture_of(drawing.encode(), "svg", "relief-dots", "text"))
    assert short not in other, "two figures of a page share no id"


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
        '<svg viewBox="0 0 9 9" role="img" aria-label="less &lt; &quot;more&quot;" style="aspect-ratio:9/9">'
        "<defs>"
        '<clipPath id="a-b--p1"><path d="M0.12 1.5"/></clipPath></defs>'
        '<g clip-path="url(#a-b--p1)"><text x="1.23">0.12345 &amp; more</text></g>'
        '<use href="#a-b--p1"/></svg>'
    )


def test_a_figure_without_a_picture_is_left_out(tmp_path):
    (tmp_path / "figures.json").write_text(json.dumps([{"files": ["some.pdf"]}]))
    assert read_figures(tmp_path / "figures.json") == []
