"""Figures inside a page: SVG as part of the page, so that text can be read and searched; others as images."""

from __future__ import annotations

import base64
import re
import zlib
from collections import Counter
from html import escape

from mlsieve.report.render import Markup

_BEFORE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_STYLE = re.compile(r"<style\b[^>]*>.*?</style>", re.DOTALL)  # it would apply to the whole page
_ABOUT = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)  # who made the file and when
_SPACES = re.compile(r">\s*\n\s*<")
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_NAMED = re.compile(r' id="([^"]*)"')
_SIDES = re.compile(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"')
_FIRST = re.compile(r"<svg\b[^>]*>")
_NAMESPACE = re.compile(r'\s+(?:xmlns(?::xlink)?|version)="[^"]*"')
_PLACES = re.compile(r' (?:d|x|y|points)="[^"]*"')
_DECIMALS = re.compile(r"(\d\.\d\d)\d+")  # a hundredth of a point is not seen
_HASHED = re.compile(
    r'(?<=id=")[mp][0-9a-f]{10}(?=")'
)  # ids that matplotlib makes, of markers and clip paths
_NUMBERED = re.compile(r' id="[A-Za-z0-9.]+_[0-9]+"')  # of matplotlib's parts, to which nothing refers
_GROUP = re.compile(r"<g>((?:(?!</?g\b).)*)</g>", re.DOTALL)
_UNTURNED = re.compile(r' transform="rotate\(-?0 [^"]*"')
_FONT = re.compile(r"font-family: 'DejaVu Sans', sans-serif;? ?")  # the page's style says it once
_STYLES = re.compile(r'style="[^"]*"')
_STEPS = re.compile(r"\s*\n\s*| (?=[A-Zz] )|(?<=[MLCQ]) |\s+(?=\"$)")
_MARKS = re.compile(r'<g((?: clip-path="[^"]*")?)>((?:<use [^>]*/>)+)</g>')
_OWN_STYLE = re.compile(r' style="([^"]*)"/>')
_INNER = "mlsieve-inner:"  # marks ids that have their figure's beginning already
_DEPTH = 3  # of groups without a name
WIDE = 440  # points above which a figure needs the page's whole width


def picture_of(content: bytes, kind: str, name: str, alt: str) -> Markup:
    """Return a figure as a part of a page.

    Parameters
    ----------
    content : bytes
        Of the file.
    kind : {"svg", "png"}
    name : str
        Precedes the ids of an SVG's parts, which would not be unique in the page otherwise.
    alt : str
        What the figure shows, for readers who do not see it.
    """
    if kind != "svg":
        data = base64.b64encode(content).decode()
        return Markup(f'<img alt="{escape(alt)}" src="data:image/{kind};base64,{data}">')
    text = content.decode("utf-8")
    for pattern in (_BEFORE, _COMMENT, _STYLE, _ABOUT):
        text = pattern.sub("", text)
    text = _SPACES.sub("><", text).strip()
    text = _smaller(text, f"{zlib.crc32(name.encode()):x}-")
    begin = re.sub(r"[^A-Za-z0-9_-]", "-", name) + "--"
    text = _ID.sub(lambda found: found[1] + begin, text).replace(f"{begin}{_INNER}", "")
    seen: Counter[str] = Counter()
    text = _NAMED.sub(lambda found: _once(found, seen), text)
    label = f' role="img" aria-label="{escape(alt)}"{_shape(text)}>'
    return Markup(_FIRST.sub(lambda found: _NAMESPACE.sub("", found[0][:-1]) + label, text, count=1))


def _shape(text: str) -> str:
    """Return a style with the shape of a drawing, which keeps its place until the browser draws it."""
    sides = _SIDES.search(text[:2000])
    return f' style="aspect-ratio:{sides[1]}/{sides[2]}"' if sides else ""


def _smaller(text: str, begin: str) -> str:
    """Return a drawing in fewer letters: a page holds tens of thousands of marks.

    Coordinates have two decimals. Of matplotlib's own ids, those that something refers to become numbers
    after `begin`, which is the figure's, and the others go. Marks of one look name it once.
    """
    text = _PLACES.sub(lambda found: _DECIMALS.sub(r"\1", _STEPS.sub("", found[0])), text)
    for place, hashed in enumerate(dict.fromkeys(_HASHED.findall(text)), 1):
        text = text.replace(hashed, f"{_INNER}{begin}{place}")
    for pattern in (_FONT, _UNTURNED, _NUMBERED):
        text = pattern.sub("", text)
    text = text.replace("xlink:href", "href")
    text = _STYLES.sub(lambda found: found[0].replace("; ", ";").replace(": ", ":"), text)
    text = _MARKS.sub(_with_one_style, text)
    for _ in range(_DEPTH):
        text = _GROUP.sub(r"\1", text)
    return text


def _with_one_style(found: re.Match[str]) -> str:
    """Return a group of marks with the style that they share."""
    styles = set(_OWN_STYLE.findall(found[2]))
    if len(styles) != 1 or found[2].count("style=") != found[2].count("<use "):
        return found[0]
    return f'<g{found[1]} style="{styles.pop()}">{_OWN_STYLE.sub("/>", found[2])}</g>'


def _once(found: re.Match[str], seen: Counter[str]) -> str:
    """Return an id with its number where the same marks are in several panels; nothing refers to those."""
    seen[found[1]] += 1
    return found[0] if seen[found[1]] == 1 else f' id="{found[1]}-{seen[found[1]]}"'


def is_wide(content: bytes, kind: str) -> bool:
    """Return whether a picture of many panels needs the page's whole width."""
    if kind != "svg":
        return True
    sides = _SIDES.search(content[:2000].decode("utf-8", errors="replace"))
    return sides is None or float(sides[1]) > WIDE
