"""Figures inside a page: SVG as part of the page, so that text can be read and searched; others as images."""

from __future__ import annotations

import base64
import re
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
    text = _PLACES.sub(lambda found: _DECIMALS.sub(r"\1", found[0]), text)
    begin = re.sub(r"[^A-Za-z0-9_-]", "-", name) + "--"
    text = _ID.sub(lambda found: found[1] + begin, text)
    seen: Counter[str] = Counter()
    text = _NAMED.sub(lambda found: _once(found, seen), text)
    label = f' role="img" aria-label="{escape(alt)}">'
    return Markup(_FIRST.sub(lambda found: _NAMESPACE.sub("", found[0][:-1]) + label, text, count=1))


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
