"""Numbers as published tables print them: with a standard deviation, in bold, with a mark of significance."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from mlsieve.data.readers.cells.column import Where
from mlsieve.data.readers.cells.dates import is_written_date
from mlsieve.data.readers.cells.missing import missing_among
from mlsieve.data.readers.cells.numbers import DECIMAL_COMMAS, is_written_number, numeric_column
from mlsieve.data.readers.delimited import MISSING, RawTable
from mlsieve.errors import UserError, shortened

DASHES = frozenset({"-", "--", "---", "\u2013", "\u2014", "n.a.", "DNF"})
_BOLD = re.compile(r"\\(?:textbf|mathbf|underline|emph|textit)\{([^{}]*)\}|\*\*([^*]+)\*\*|__([^_]+)__")
_SPREAD = re.compile(r"^(.*?\d[^\s]*?)\s*(?:\u00b1|\+/-|\+-|\\pm)\s*.*$")
_BRACKETS = re.compile(r"^(.*\d%?)\s*[(\[][^()\[\]]*[)\]]$")
_MINUS = re.compile(r"^[\u2010-\u2015\u2212\ufe63\uff0d](?=\s*[\d.,])")
# A decimal comma: behind a zero, before other than three digits, or behind thousands that points separate.
_DECIMAL_COMMA = re.compile(r"[+-]?(?:0*,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{1,3}(?:\.\d{3})+,\d*)%?")
# What stands for a number that is none: text around a decimal number, a letter behind a whole one, a bound,
# a run that failed. A version such as 0.24.1 or v1.2 is none.
_NEARLY = re.compile(
    r"(?:.*[^\w.,+-])?[+-]?(?:\d*[.,\u00b7]\d+(?![.,\d]).*)|(?:\\[a-z]+|[^\w.,+-])*[+-]?\d+\s*%?\s*[a-e]?"
    r"|[<>\u2264\u2265~]\s*\d.*|[+-]?(?:inf|infinity|\u221e)|(?:n/?a|nan)\W.*|#\w+[/!?].*"
    r"|oom|out of memory|memout|time ?out|t/o|[tm]le|dn[cf]|err(?:or)?|fail(?:ed)?|crash(?:ed)?|killed",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[\s*\u2020\u2021\u2022\u25cf\u25cb\u2218\u25aa\u25b2\u25bc\u2191\u2193]+$")


@dataclass
class Remarks:
    """What was taken off cells, each with the first cell that shows it."""

    found: dict[str, str] = field(default_factory=dict)

    def add(self, what: str, cell: str) -> None:
        """Take a remark, of which the first cell counts."""
        self.found.setdefault(what, cell)

    def sentences(self) -> list[str]:
        """Return the remarks as clauses."""
        return [f"{what}, as in '{shortened(cell)}'" for what, cell in self.found.items()]


def plain_cell(cell: str, remarks: Remarks) -> str:
    """Return the number that a cell prints, without what is printed around it.

    Parameters
    ----------
    cell : str
    remarks : Remarks
        Takes what was left out.
    """
    text = cell.strip().strip("$").replace("\\%", "%").strip()
    text = _MINUS.sub("-", text)
    bare = _BOLD.sub(lambda found: next(part for part in found.groups() if part is not None), text)
    if (spread := _SPREAD.match(bare)) is not None:
        remarks.add("the standard deviations in its cells are not used", cell)
        bare = spread[1]
    if (bracket := _BRACKETS.match(bare)) is not None:
        remarks.add("what its cells hold in brackets is not used", cell)
        bare = bracket[1]
    return _MINUS.sub("-", _MARKS.sub("", bare).strip().strip("$").strip())


def numbers_of(
    columns: Sequence[Sequence[Any]],
    names: Sequence[str],
    lines: Sequence[int],
    path: str,
    *,
    decimal: str | None = None,
    missing: Collection[str] = (),
    remarks: Remarks,
) -> list[list[float]]:
    """Return columns of cells as numbers, NaN where a cell is missing.

    Parameters
    ----------
    columns : sequence of sequences of str or float
        All of the same kind, so that a decimal comma in one of them decides for all.
    names : sequence of str
        Of the columns, for messages.
    lines : sequence of int
        Line of each row.
    path : str
        Of the file, for messages; may be empty.
    decimal : {".", ","}, optional
    missing : collection of str
        Further cells that are missing.
    remarks : Remarks

    Raises
    ------
    UserError
        With the line of a cell that is no number.
    """
    texts = [[plain_cell(_text(cell), remarks) for cell in column] for column in columns]
    every = {cell for column in texts for cell in column}
    absent = MISSING | DASHES | set(missing_among(every, tuple(missing)))
    comma = next((cell for cell in sorted(every - absent) if _DECIMAL_COMMA.fullmatch(cell)), None)
    if decimal is None and comma is not None:
        decimal = ","
        remarks.add(f"{DECIMAL_COMMAS.what}: {DECIMAL_COMMAS.reading}", comma)
    found: dict[str, float] = {}
    for place, column in enumerate(texts):
        known = sorted(set(column) - absent)
        table = RawTable(path, [names[place]], [[cell] for cell in column], list(lines))
        read = numeric_column(known, decimal, Where([table], 0, names[place], absent)) if known else None
        if known and (read is None or not all(map(math.isfinite, read.values.values()))):
            _refuse(columns[place], column, names[place], lines, path, absent)
        if read is not None:
            for remark in read.remarks:
                remarks.add(f"{remark.what}: {remark.reading}", next(iter(known)))
            found |= {f"{place} {cell}": value for cell, value in read.values.items()}
    return [[found.get(f"{place} {cell}", math.nan) for cell in column] for place, column in enumerate(texts)]


def is_numeric(cells: Sequence[Any], missing: Collection[str] = ()) -> bool:
    """Return whether most of the known cells of a column are numbers, and one is there."""
    known = _known(cells, missing)
    return bool(known) and 2 * sum(map(_is_number, known)) > len(known)


def holds_results(cells: Sequence[Any], missing: Collection[str] = (), *, some: bool = False) -> bool:
    """Return whether a column is meant to hold results, among which some cells may be no numbers.

    Parameters
    ----------
    cells : sequence
    missing : collection of str
        Further cells that are missing.
    some : bool
        Whether one number is enough; by default, most of the known cells are numbers, or stand for one, such
        as ``0.95a``, ``> 0.95`` or ``timeout``.
    """
    known = _known(cells, missing)
    numbers = sum(map(_is_number, known))
    meant = numbers + sum(_NEARLY.fullmatch(cell) is not None for cell in known if not _is_number(cell))
    return bool(known) and (2 * meant > len(known) or (some and numbers > 0))


def _known(cells: Sequence[Any], missing: Collection[str]) -> list[str]:
    texts = (plain_cell(_text(cell), Remarks()) for cell in cells)
    return [text for text in texts if text not in MISSING | DASHES | set(missing)]


def _is_number(cell: str) -> bool:
    return is_written_number(cell) and not is_written_date(cell)


def _text(cell: Any) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool) or not isinstance(cell, Real):
        return str(cell).strip()
    return repr(float(cell))


def _refuse(
    given: Sequence[Any],
    texts: Sequence[str],
    name: str,
    lines: Sequence[int],
    path: str,
    absent: Collection[str],
) -> None:
    known = [cell for cell in texts if cell not in absent]
    wrong = [place for place, cell in enumerate(texts) if cell not in absent and not _is_finite(cell)]
    if not wrong and len({cell.endswith("%") for cell in known}) > 1:
        raise UserError(
            f"column '{shortened(name)}' has numbers with and without a percent sign",
            file=path or None,
            hint="write all of them in the same way",
        )
    place = wrong[0] if wrong else 0
    raise UserError(
        f"'{shortened(str(given[place]))}' in column '{shortened(name)}' is not a number",
        file=path or None,
        line=lines[place] if path else None,
        hint="correct it, or declare it missing (--missing), or name the columns of the methods (--methods)",
    )


def _is_finite(cell: str) -> bool:
    try:
        return math.isfinite(float(cell.rstrip("%").replace(",", ".")))
    except ValueError:
        return False
