"""Cython sources as what they compute: tokens without comments and docstrings, and what they cimport."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<string>[bBrRuUfF]{0,2}
      (?:'{3}(?:[^\\]|\\.)*?'{3} | "{3}(?:[^\\]|\\.)*?"{3} | '(?:[^'\\\n]|\\.)*' | "(?:[^"\\\n]|\\.)*"))
  | (?P<joined>\\\n)
  | (?P<line>\n)
  | (?P<space>[ \t\f\r]+)
  | (?P<word>\w+(?:\.\w+)*(?<=\d)[eE][+-]\d+|\w+)
  | (?P<sign>->|<<=|>>=|\*\*=|//=|<<|>>|<=|>=|==|!=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\*\*|//|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CIMPORT = re.compile(
    r"^[ \t]*from[ \t]+([\w.]+)[ \t]+c?import\b|^[ \t]*c?import[ \t]+([\w.]+)", re.MULTILINE
)


@functools.cache
def canonical(text: str) -> str:
    """Return one text for all ways of writing the same code: its tokens, one space between them.

    Of the layout, only the depth of each line counts. A comma before a closing bracket does not, unless it is
    the only one between the two.
    """
    lines: list[str] = []
    for depth, tokens in _lines(text):
        kept = _without_last_commas(tokens)
        # A line that is but a string is a docstring, or, after `cdef extern`, code in C.
        is_text = len(kept) == 1 and kept[0].endswith(('"', "'"))
        if not is_text or (lines and " extern " in lines[-1]):
            lines.append(f"{depth} {' '.join(kept)}")
    return "\n".join(lines)


@functools.cache
def modules_used(text: str) -> frozenset[str]:
    """Return the dotted names of the modules that the code imports or cimports."""
    code = "\n".join(" " * int(line.split(" ", 1)[0]) + line.split(" ", 1)[1] for line in _plain(text))
    return frozenset(found[1] or found[2] for found in _CIMPORT.finditer(code))


def _plain(text: str) -> Iterator[str]:
    for depth, tokens in _lines(text):
        yield f"{depth} " + " ".join(tokens).replace(" . ", ".")


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each logical line's depth, in columns, and its tokens."""
    tokens: list[str] = []
    depth, at_start, open_brackets = 0, True, 0
    for found in _TOKEN.finditer(text.expandtabs(8)):
        kind, token = found.lastgroup, found[0]
        if kind == "space":
            depth = len(token) if at_start else depth
        elif kind == "line":
            if tokens and not open_brackets:
                yield depth, tokens
                tokens = []
            if not open_brackets:
                at_start, depth = True, 0
                continue
        elif kind not in {"comment", "joined"}:
            open_brackets += (token in "([{") - (token in ")]}") if kind == "sign" else 0
            tokens.append(token)
        if kind not in {"comment", "line"}:
            at_start = False
    if tokens:
        yield depth, tokens


def _without_last_commas(tokens: list[str]) -> list[str]:
    kept: list[str] = []
    commas: list[int] = []
    for token in tokens:
        if token in {"(", "[", "{"}:
            commas.append(0)
        elif token in {")", "]", "}"} and commas:
            if kept and kept[-1] == "," and commas[-1] > 1:
                kept.pop()
            commas.pop()
        elif token == "," and commas:
            commas[-1] += 1
        kept.append(token)
    return kept
