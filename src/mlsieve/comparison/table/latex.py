"""Tables in LaTeX: the rows of a tabular environment as cells of plain text."""

from __future__ import annotations

import re

from mlsieve.errors import composed

_BEGIN = re.compile(r"\\begin\{(tabular[xy*]?|longtable|tabu|array)\}")
_COMMENT = re.compile(r"(?<!\\)%.*")
_ROW_END = re.compile(r"\\\\(?:\s*\[[^\]]*\])?|\\tabularnewline\b")
_CELL_END = re.compile(r"(?<!\\)&")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|addlinespace|centering|endhead|endfirsthead)\b(?:\[[^\]]*\])?"
    r"|\\(?:cmidrule|cline|rowcolor|cellcolor|arrayrulecolor)\b(?:\([^)]*\)|\[[^\]]*\])*\{[^{}]*\}"
)
_SPAN = re.compile(r"\\multicolumn\s*\{(\d+)\}\s*\{[^{}]*\}\s*\{")
_SPAN_DOWN = re.compile(r"\\multirow(?:\[[^\]]*\])?\s*\{(\d+)\}\s*(?:\{[^{}]*\}|\*)\s*\{")
# A command prints its last argument: \textbf{0.75}, \num{0.75}, \textcolor{red}{0.75}.
_PRINTED = re.compile(r"\\(?!frac\b|pm\b)[A-Za-z]+\*?\s*(?:\{[^{}]*\}\s*)*\{([^{}]*)\}")
_NOTE = re.compile(r"\\(?:cite[a-z]*|footnote|label|ref)\*?(?:\[[^\]]*\])*\s*\{[^{}]*\}")
_SWITCH = re.compile(r"\\(?:bfseries|bf|itshape|it|em|rm|sc|small|footnotesize|scriptsize|tiny)\b\s*")
_ESCAPED = re.compile(r"\\([_&%#$])")
_GROUPED = re.compile(r"(?<!\\)[${}]")  # bounds of formulas and groups
# Signs in formulas, with the mark that sets them above or below the line.
_SIGNS = {
    **{"pm": "\u00b1", "uparrow": "\u2191", "downarrow": "\u2193", "bullet": "\u2022", "circ": "\u2218"},
    **{"dagger": "\u2020", "ddagger": "\u2021", "ast": "*", "star": "*"},
}
_SIGN = re.compile(rf"[_^]?\\({'|'.join(_SIGNS)})(?![A-Za-z])\s*")
_SPACE = re.compile(r"~|\\[,;:! ]")


def number_of_tables(text: str) -> int:
    """Return how many tables in LaTeX a text holds."""
    return len(_BEGIN.findall(text))


def rows_of(text: str) -> tuple[list[list[str]], list[int]]:
    """Return the rows of the first table of a LaTeX text, and the line at which each begins.

    A cell over several columns or rows is repeated in each.
    """
    begin = _BEGIN.search(text)
    assert begin is not None
    end = text.find(f"\\end{{{begin[1]}}}", begin.end())
    start = _behind_arguments(text, begin.end())
    body = text[start : end if end >= 0 else len(text)]
    body = "\n".join(_COMMENT.sub("", line) for line in body.split("\n"))
    first = text.count("\n", 0, start) + 1
    rows: list[list[str]] = []
    lines: list[int] = []
    place = 0
    below: dict[int, tuple[str, int]] = {}  # by column: the cell over further rows, and over how many
    for piece in [*_ROW_END.finditer(body), None]:
        stop = len(body) if piece is None else piece.start()
        raw = body[place:stop]
        plain = _RULES.sub(lambda rule: re.sub(r"\S", " ", rule[0]), raw)  # of the same length
        if plain.strip():
            ahead = len(plain) - len(plain.lstrip())
            cells: list[str] = []
            for cell in _CELL_END.split(plain):
                column = len(cells)
                down = _SPAN_DOWN.match(cell.strip())
                cells += _cells(cell.strip())
                if down is not None:
                    below[column] = (cells[column], int(down[1]) - 1)
                elif column in below and not cells[column] and below[column][1] > 0:
                    cells[column] = below[column][0]
                    below[column] = (cells[column], below[column][1] - 1)
            rows.append(cells)
            lines.append(first + body.count("\n", 0, place + ahead))
        place = len(body) if piece is None else piece.end()
    longest = max(map(len, rows), default=0)
    while longest > 1 and len(rows) > 2 and len(rows[-1]) == longest and len(set(rows[-1])) == 1:
        rows.pop(), lines.pop()  # a note in one cell over all columns
    return [row + [""] * (longest - len(row)) for row in rows], lines


def _behind_arguments(text: str, place: int) -> int:
    """Return the place behind the arguments of an environment, such as its columns, of any depth."""
    while (found := re.compile(r"\s*([\[{])").match(text, place)) is not None:
        place = _closing(text, found.end())
    return place


def _closing(text: str, place: int) -> int:
    """Return the place behind the bracket that closes the one which ends at a place."""
    depth = 1
    while place < len(text) and depth:
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(text[place], 0)
        place += 1
    return place


def _cells(text: str) -> list[str]:
    span = _SPAN.match(text)
    if span is not None:
        inner = text[span.end() : _closing(text, span.end()) - 1]
        return _cells(inner.strip())[:1] * int(span[1])
    down = _SPAN_DOWN.match(text)
    if down is not None:
        text = text[down.end() : _closing(text, down.end()) - 1]
    before = None
    while before != text:
        before, text = text, _PRINTED.sub(r"\1", _SWITCH.sub("", _NOTE.sub("", text)))
    text = _SIGN.sub(lambda sign: _SIGNS[sign[1]], _GROUPED.sub("", text))
    text = _SPACE.sub(" ", text.replace("^*", "*"))
    return [composed(" ".join(_ESCAPED.sub(r"\1", text).split()))]
