"""The one exception that reaches a user as a line of text instead of a traceback."""

from __future__ import annotations

import os


class UserError(Exception):
    """Bad usage or bad input, told in one line that names what, where and the cure.

    Parameters
    ----------
    what : str
        What is wrong, in the user's terms, without a trailing full stop.
    file : path-like, optional
        The file in which it is wrong.
    line : int, optional
        Line number in `file`, from 1.
    cure : str, optional
        What the user can do about it.

    Notes
    -----
    The command line prints ``str(error)`` on stderr and exits with status 2.
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | os.PathLike[str] | None = None,
        line: int | None = None,
        cure: str | None = None,
    ) -> None:
        self.what = what
        self.file = None if file is None else os.fspath(file)
        self.line = line
        self.cure = cure
        super().__init__(self._text())

    def _text(self) -> str:
        where = ""
        if self.file is not None:
            where = self.file + (f":{self.line}" if self.line is not None else "") + ": "
        text = where + self.what + (f"; {self.cure}" if self.cure else "")
        return " ".join(text.split())


def shortened(text: str, width: int = 60) -> str:
    """Return text for a message, cut where it is longer than `width` characters, with ``...`` at its end."""
    return text if len(text) <= width else text[: width - 3] + "..."


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

    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{near[0]}'?"
    return "known: " + ", ".join(sorted(known))
