"""The values behind the marks of a figure, which a page shows beside the pointer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary
from xml.sax.saxutils import escape

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mlsieve.errors import spelled_out

# What precedes the name in the id of a line whose points are values.
KINDS = (
    *("curve", "dot", "dots", "median", "points", "mean", "method", "line", "first", "full", "marked"),
    *("share", "seconds", "progress", "draws", "static", "dynamic"),
)
MOST = 3000  # marks of a figure; one with more has none, so that a page stays small
_described: WeakKeyDictionary[Line2D, Sequence[str]] = WeakKeyDictionary()


def describe(line: Line2D, texts: Sequence[str]) -> None:
    """Set the text of each point of a line, where its coordinates do not say enough."""
    _described[line] = texts


def with_marks(svg: bytes, figure: Figure) -> bytes:
    """Return a figure's SVG with its marks as JSON in an element ``metadata`` with the id ``mlsieve-marks``.

    Its ``series`` are lists of points with a ``label``, places ``x`` and ``y`` in the units of the viewBox,
    and texts ``at``.
    """
    series = list(_series(figure))
    if not series or sum(len(one["x"]) for one in series) > MOST:
        return svg
    text = escape(json.dumps({"series": series}, ensure_ascii=False, separators=(",", ":")))
    end = svg.rindex(b"</svg>")
    return svg[:end] + f'<metadata id="mlsieve-marks">{text}</metadata>\n'.encode() + svg[end:]


def _series(figure: Figure) -> Iterator[dict[str, Any]]:
    scale, height = 72 / figure.dpi, 72 * figure.get_figheight()
    for axes in figure.axes:
        axes.get_xlim(), axes.get_ylim()  # limits that follow the values are set now
        for line in axes.lines:
            kind, _, name = str(line.get_gid() or "").partition("-")
            if kind not in KINDS or not name:
                continue
            data = np.column_stack([np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)])
            known = np.isfinite(data).all(axis=1)
            texts = _described.get(line) or _texts(axes, data)
            if not known.any():
                continue
            places = axes.transData.transform(data[known]) * scale
            yield {
                "label": spelled_out(name),
                "x": [round(float(x), 1) for x in places[:, 0]],
                "y": [round(height - float(y), 1) for y in places[:, 1]],
                "at": [spelled_out(text) for text, kept in zip(texts, known, strict=False) if kept],
            }


def _texts(axes: Axes, data: np.ndarray) -> list[str]:
    """Return the coordinates of points in words; nothing for an axis that lists names."""
    columns = [_words(axis, values) for axis, values in zip((axes.xaxis, axes.yaxis), data.T, strict=True)]
    return [", ".join(filter(None, words)) for words in zip(*columns, strict=True)]


def _words(axis: Axis, values: np.ndarray) -> list[str]:
    ticks = [label.get_text().replace("\n", "") for label in axis.get_majorticklabels()]
    places = dict(zip(map(float, axis.get_majorticklocs()), ticks, strict=False))
    numeric = all(_is_number(text) for text in ticks if text)
    label = axis.get_label_text()
    found = []
    for value in values:
        text = places.get(float(value), "")
        if not text and numeric:
            text = f"{value:.4g}"
        found.append(f"{label} {text}" if label and text else text)
    return found


def _is_number(text: str) -> bool:
    try:
        float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return False
    return True
