"""Quotes and escapes of ARFF text."""

from __future__ import annotations

import re

from mlsieve.errors import shortened

QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
QUOTED_MISSING = "\0?"
"""A quoted question mark: a value, where the unquoted one is a missing value. Text files hold no NUL."""

_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_PLAIN = re.compile(r"[^,]*")


def unescape(text: str) -> str:
    r"""Resolve the backslash escapes of quoted text: ``\n``, ``\t``, ``\r``, else the character itself."""
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), text) if "\\" in text else text


def unquoted(match: re.Match[str]) -> str:
    """Return the text inside the quotes that `QUOTED` matched."""
    return unescape(match[1] if match[1] is not None else match[2])


def shown(text: str, width: int = 40) -> str:
    """Return text for an error message: in quotes, and cut where it is long."""
    return repr(shortened(text, width))


def split_values(text: str, end: str = "") -> tuple[list[str], str | None]:
    """Split comma-separated values, some of them quoted.

    Parameters
    ----------
    text : str
    end : str, optional
        The character that closes the list (``}`` in a declaration); default: the end of the text, or a
        comment (a blank and ``%``).

    Returns
    -------
    values : list of str
        Unquoted and stripped; a quoted ``?`` comes out as `QUOTED_MISSING`.
    rest : str or None
        The text after `end`; None if the list is not closed or a quote is wrong.
    """
    values: list[str] = []
    place = 0
    plain = re.compile(rf"[^,{re.escape(end)}]*") if end else _PLAIN
    while True:
        while place < len(text) and text[place].isspace():
            place += 1
        quote = QUOTED.match(text, place)
        if quote:
            value, place = unquoted(quote), quote.end()
            values.append(QUOTED_MISSING if value == "?" else value)
            while place < len(text) and text[place].isspace():
                place += 1
            if not end and text.startswith("%", place):
                place = len(text)
        else:
            word = plain.match(text, place)
            assert word is not None  # the pattern matches the empty text too
            if text[place : place + 1] in {"'", '"'}:
                return values, None
            value, place = word[0], word.end()
            if not end and " %" in value.replace("\t", " "):
                value, place = value[: value.replace("\t", " ").index(" %")], len(text)
            values.append(value.strip())
        if place >= len(text):
            return values, None if end else ""
        if end and text[place] == end:
            return values, text[place + 1 :]
        if text[place] != ",":
            return values, None
        place += 1
