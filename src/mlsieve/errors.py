"""The one exception that reaches a user as a line of text instead of a traceback."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence

__all__ = ["DataNotice", "InvalidSetting", "UserError"]

_LONGEST = 1_500
# What moves a terminal's cursor, ends a line, turns the direction of a text, or is not seen. The two joiners
# (U+200C, U+200D) are letters of some scripts.
CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2060-\u206f"
    r"\u061c\u200b\u200e\u200f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# Names and texts that may be a user's whole file are not compared letter by letter.
_LONGEST_WORD = 200


class UserError(Exception):
    r"""Bad usage or bad input, reported in one line: problem, place, hint.

    Parameters
    ----------
    what : str
        What is wrong, in the user's terms, without a trailing full stop.
    file : path-like, optional
        The file in which it is wrong.
    line : int, optional
        Line number in `file`, from 1.
    hint : str, optional
        What the user can do about it.

    Notes
    -----
    The command line prints ``str(error)`` on stderr and exits with status 2. Parts of a file that come along
    are cut where they are long, and what would move a terminal's cursor is spelled out (``\x1b``).
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | os.PathLike[str] | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.what = what
        self.file = None if file is None else os.fspath(file)
        self.line = line
        self.hint = hint
        super().__init__(self._text())

    def rename(self, old: str, new: str) -> None:
        """Put another name in place of one in all that the error says."""
        for attribute, text in vars(self).items():
            if isinstance(text, str):
                setattr(self, attribute, text.replace(old, new))
        self.args = (self._text(),)

    def _text(self) -> str:
        where = ""
        if self.file is not None:
            where = self.file + (f":{self.line}" if self.line is not None else "") + ": "
        hint = f"; {shortened(self.hint, _LONGEST)}" if self.hint else ""
        return printable(" ".join((where + shortened(self.what, _LONGEST) + hint).split()))


class ColumnError(UserError):
    """What is wrong in a column of data, which may be corrected, left out, or read otherwise.

    Parameters
    ----------
    what : str
    corrections : sequence of str
        What the user can do about it in the data.
    choices : sequence of str
        What else, where the user chooses which columns are read, and as what.
    file : path-like
    line : int
    """

    def __init__(
        self,
        what: str,
        corrections: Sequence[str],
        choices: Sequence[str],
        *,
        file: str | os.PathLike[str],
        line: int,
    ) -> None:
        self.corrections = _alternatives(corrections)
        super().__init__(what, file=file, line=line, hint=_alternatives([*corrections, *choices]))


def _alternatives(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)}, or {last}" if others else last


class DataNotice(UserWarning):
    """What was found out about data, or done with them, that their owner should know.

    Parameters
    ----------
    what : str
        A clause without a full stop, about the file if there is one.
    file : path-like, optional

    Notes
    -----
    The command line prints it on stderr, in one line.
    """

    def __init__(self, what: str, *, file: str | os.PathLike[str] | None = None) -> None:
        where = "" if file is None else f"{os.fspath(file)}: "
        super().__init__(printable(" ".join((where + shortened(what, _LONGEST)).split())))


def printable(text: str) -> str:
    r"""Return text with control characters and the like spelled out, such as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def spelled_out(text: str) -> str:
    r"""Return text for a document or a figure, whose control characters are spelled out (``\x1b``)."""
    return CONTROLS.sub(lambda found: printable(found[0]), text)


def shortened(text: str, width: int = 60) -> str:
    """Return text for a message, cut where it is longer than `width` characters, with ``...`` at its end."""
    return text if len(text) <= width else text[: width - 3] + "..."


def composed(text: str) -> str:
    """Return text in which a letter and its accent are one sign (NFC), as names are compared."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def number_of(count: float | str, noun: str) -> str:
    """Return a number with its noun: ``1 test``, ``3 tests``, ``3 to 5 classes``."""
    plural = "" if str(count) == "1" else "es" if noun.endswith("s") else "s"
    return f"{count} {noun}{plural}"


class InvalidSetting(UserError, ValueError):
    """A wrong parameter or argument: a ValueError for scikit-learn, one line for the command line."""


class MissingPackage(InvalidSetting):
    """A package that is not installed, and without which nothing can be said of what needs it."""


def did_you_mean(word: str, known: list[str] | tuple[str, ...]) -> str:
    """Return ``did you mean 'x'?`` for the nearest known word, else the list of them.

    Parameters
    ----------
    word : str
        What the user typed.
    known : sequence of str
        What would have been accepted.
    """
    import difflib

    short = [each for each in known if len(each) <= _LONGEST_WORD]
    in_other_case = next((each for each in short if each.lower() == word.lower()), None)
    if in_other_case is not None:
        return f"did you mean '{in_other_case}'?"
    near = difflib.get_close_matches(word, short, n=1, cutoff=0.6) if len(word) <= _LONGEST_WORD else []
    if near:
        return f"did you mean '{near[0]}'?"
    return "known: " + ", ".join(map(_as_in_a_list, sorted(set(known))))


def _as_in_a_list(name: str) -> str:
    """Return a name as it is written in a list with commas."""
    if not any(map(str.isalnum, name)):
        return f"'{name}'"
    doubled = name.replace('"', '""')
    return f'"{doubled}"' if "," in name else name
