"""Numbers, dates and times in the ways people write them: money, percentages, thousands in groups."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from mlsieve.data.readers.delimited import RawTable, is_number
from mlsieve.errors import UserError, shortened

# With a decimal comma, or points between thousands; with commas between thousands.
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?")
_POINT_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?")
_COMMA_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
# Groups that an apostrophe or a blank stands between, as in Switzerland and in France.
_GROUPS = re.compile(r"([+-]?[1-9]\d{0,2})((?:['\u2019]\d{3})+|(?:[ \u00a0\u2009\u202f]\d{3})+)([.,]\d*)?")
_SIGNS = "$\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20aa\u20ba\u20ab\u0e3f\u20b4\u00a2"
_CODES = (
    *("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "RUB", "KRW", "BRL", "CAD", "AUD", "NZD", "SEK"),
    *(
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "HUF",
        "RON",
        "TRY",
        "ZAR",
        "MXN",
        "ILS",
        "SGD",
        "HKD",
        "Fr.",
        "kr",
        "Kč",
        "zł",
    ),
)
_CURRENCY = rf"(?:[A-Z]{{0,3}}[{_SIGNS}]|{'|'.join(map(re.escape, _CODES))})"
_MONEY = re.compile(rf"([+-]?)\s*(?:({_CURRENCY})\s*([+-]?[\d.,].*)|([\d.,].*?)\s*({_CURRENCY}))")
_LONGEST = 64  # of the letters of a number, a date or a time
_HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]+")
_TIME = re.compile(r"(-?\d{1,6}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?(?:\s*([AaPp])\.?[Mm]\.?)?")
_DATE = re.compile(
    r"\d{4}([-/])\d{1,2}\1\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)
# Day and month in either order, then the year.
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,? (\d{1,2}:.+))?")
_OTHER_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?: \d{1,2}:\d{2}.*)?|\d{4}/\d{1,2}/\d{1,2}.*")
_BEGINS_WITH_NUMBER = re.compile(r"[^\w\s]{0,2}\s?\d")


@dataclass(frozen=True)
class Remark:
    """What a column has, as the object of a sentence, and how it was read."""

    what: str
    reading: str


@dataclass(frozen=True)
class Column:
    """One column of all files: how a cell becomes a number, and its categories if they are not numbers."""

    values: dict[str, float]  # of each cell that is not missing
    categories: tuple[str, ...] | None = None
    remarks: tuple[Remark, ...] = ()


DECIMAL_COMMAS = Remark("decimal commas", "1,5 is read as 1.5")
_HEXADECIMAL = Remark("hexadecimal numbers", "0x1F is read as 31")
_TIMES = Remark("times", "12:30 is read as 12.5 hours")
_AS_DAYS = "they are read as days since 1970-01-01"


@dataclass(frozen=True)
class Where:
    """A column's place, for what is said of it."""

    tables: Sequence[RawTable]
    place: int
    name: str
    missing: Collection[str]

    def first(self, fits: Callable[[str], bool]) -> tuple[str, str, int]:
        """Return the first cell that is not missing and fits, its file and its line."""
        for table in self.tables:
            for row, line in zip(table.rows, table.lines, strict=True):
                if row[self.place] not in self.missing and fits(row[self.place]):
                    return row[self.place], table.path, line
        raise AssertionError("no cell fits")


@dataclass(frozen=True)
class _Bare:
    """A number without what is written around it."""

    text: str
    currency: str = ""
    percent: bool = False
    negative: bool = False  # by brackets
    groups: str = ""


def numeric_column(cells: Sequence[str], decimal: str | None, where: Where) -> Column | None:
    """Return the column of numbers that the cells are; None if they are categories or mixed.

    Parameters
    ----------
    cells : sequence of str
        The different cells that are not missing.
    decimal : {".", ","} or None
        Decimal mark; None: found out.
    where : Where

    Raises
    ------
    UserError
        If the numbers or dates can be read in two ways.
    """
    if not cells or (decimal != "," and all(map(is_number, cells))):
        return Column({cell: float(cell) for cell in cells})
    if max(map(len, cells)) > _LONGEST or all(map(is_address, cells)):
        return None
    for read in (_numbers, _hexadecimal, _times, _dates):
        column = read(cells, decimal, where)
        if column is not None:
            return column
    return None


def is_written_number(cell: str) -> bool:
    """Return whether a cell is a number, a date or a time in any of the ways that are known."""
    if len(cell) > _LONGEST:
        return is_number(cell)
    if is_address(cell):
        return False
    text = _bare(cell).text
    if is_number(text) or any(form.fullmatch(text) for form in _NUMBER_FORMS):
        return True
    return any(form.fullmatch(cell) for form in (_HEX, _TIME, _DATE, _OTHER_DATE))


def is_address(cell: str) -> bool:
    """Return whether a cell is an IP address of four numbers, which are no thousands in groups."""
    try:
        ipaddress.IPv4Address(cell)
    except ValueError:
        return False
    return True


def is_infinite(cell: str) -> bool:
    """Return whether a cell is infinite, or a number that is too large."""
    try:
        return math.isinf(float(cell))
    except ValueError:
        return False


def begins_with_number(cell: str) -> bool:
    """Return whether a cell begins as a number does, with up to two signs before it."""
    return _BEGINS_WITH_NUMBER.match(cell) is not None


def has_thousands_or_point(cells: Sequence[str]) -> bool:
    """Return whether every point in these numbers may stand before thousands, and one is there."""
    pointed = [cell for cell in cells if "." in cell]
    return bool(pointed) and all(map(_POINT_THOUSANDS.fullmatch, pointed))


_NUMBER_FORMS = (_COMMA_NUMBER, _POINT_THOUSANDS, _COMMA_THOUSANDS)


def _bare(cell: str) -> _Bare:
    text, currency, groups = cell.replace("\u2212", "-").strip(), "", ""
    negative = text[:1] + text[-1:] == "()"
    text = text[1:-1].strip() if negative else text
    percent = text.endswith("%")
    text = text.removesuffix("%").rstrip()
    money = _MONEY.fullmatch(text)
    if money:
        currency = money[2] or money[5]
        text = money[1] + (money[3] or money[4])
    grouped = _GROUPS.fullmatch(text)
    if grouped:
        groups = "spaces" if grouped[2][0].isspace() else "apostrophes"
        text = grouped[1] + re.sub(r"\D", "", grouped[2]) + (grouped[3] or "")
    return _Bare(text, currency, percent, negative, groups)


def _numbers(cells: Sequence[str], decimal: str | None, where: Where) -> Column | None:
    """Read money, percentages, decimal commas and thousands in groups."""
    bare = {cell: _bare(cell) for cell in cells}
    signs = {each.currency for each in bare.values()} - {""}
    if len({each.percent for each in bare.values()}) != 1 or len(signs) > 1:
        return None
    negative = [each.negative for each in bare.values()]
    if all(negative):  # as in a list of footnotes
        return None
    texts = [each.text for each in bare.values()]
    found = _decimals(texts, decimal, where)
    if found is None or not all(map(math.isfinite, found[0].values())):
        return None
    values, remarks = found
    groups = sorted({each.groups for each in bare.values()} - {""})
    if signs:
        (sign,) = signs
        kind = "sign" if sign[-1] in _SIGNS else "unit"
        remarks.append(Remark(f"amounts in {sign}", f"the {kind} was removed"))
    remarks += map(_between_thousands, groups)
    if any(negative):
        remarks.append(Remark("numbers in brackets", "they are read as negative"))
    share = 100 if next(iter(bare.values())).percent else 1
    if share == 100:
        remarks.append(Remark("percentages", "50% is read as 0.5"))
    return Column(
        {cell: (-1 if each.negative else 1) * values[each.text] / share for cell, each in bare.items()},
        remarks=tuple(remarks),
    )


def _between_thousands(what: str) -> Remark:
    return Remark(f"{what} between thousands", "they were removed")


def _decimals(
    texts: Sequence[str], decimal: str | None, where: Where
) -> tuple[dict[str, float], list[Remark]] | None:
    """Return the values of texts of digits, points and commas, and remarks on them."""
    with_point = all(is_number(text) or _COMMA_THOUSANDS.fullmatch(text) for text in texts)
    with_comma = all(_COMMA_NUMBER.fullmatch(text) or _POINT_THOUSANDS.fullmatch(text) for text in texts)
    plain = all(map(is_number, texts))
    if decimal is None and with_point and with_comma and not plain:
        cell, path, line = where.first(lambda cell: "," in cell)
        raise UserError(
            f"column '{where.name}' holds {shortened(cell)}: a decimal comma, or thousands?",
            file=path,
            line=line,
            hint="give --decimal , or --decimal .",
        )
    has_comma, has_point = (any(mark in text for text in texts) for mark in ",.")
    if with_point and decimal != ",":
        remarks = [_between_thousands("commas")] if has_comma else []
        return {text: float(text.replace(",", "")) for text in texts}, remarks
    if with_comma and decimal != ".":
        remarks = [DECIMAL_COMMAS] if has_comma and decimal is None else []
        remarks += [_between_thousands("points")] if has_point else []
        return {text: float(text.replace(".", "").replace(",", ".")) for text in texts}, remarks
    return None


def _hexadecimal(cells: Sequence[str], decimal: str | None, where: Where) -> Column | None:
    if not all(map(_HEX.fullmatch, cells)):
        return None
    return Column({cell: float(int(cell, 16)) for cell in cells}, remarks=(_HEXADECIMAL,))


def _times(cells: Sequence[str], decimal: str | None, where: Where) -> Column | None:
    found = {cell: _TIME.fullmatch(cell) for cell in cells}
    if not all(found.values()):
        return None
    return Column(
        {cell: _hours(time) for cell, time in found.items() if time},
        remarks=(_TIMES,),
    )


def _hours(time: re.Match[str]) -> float:
    hours = abs(int(time[1]))
    if time[4]:
        hours = hours % 12 + 12 * (time[4].lower() == "p")
    found = hours + int(time[2]) / 60 + float(time[3] or 0) / 3600
    return -found if time[1].startswith("-") else found


def _dates(cells: Sequence[str], decimal: str | None, where: Where) -> Column | None:
    if all(map(_DATE.fullmatch, cells)):
        try:
            days = {cell: _days(cell) for cell in cells}
        except ValueError:
            return None
        return Column(days, remarks=(Remark("dates", _AS_DAYS),))
    dates = {cell: date for cell in cells if (date := _YEAR_LAST.fullmatch(cell))}
    order = _order(list(dates.values())) if len(dates) == len(cells) else None
    if order is not None:
        return _ordered_dates(dates, order)
    if all(map(_OTHER_DATE.fullmatch, cells)):
        cell, path, line = where.first(lambda cell: True)
        raise UserError(
            f"column '{where.name}' holds dates such as {shortened(cell)}, whose order is not clear",
            file=path,
            line=line,
            hint=f"write them as 2020-12-31, leave the column out (--drop '{where.name}'),"
            f" or declare it nominal (--nominal '{where.name}')",
        )
    return None


@dataclass(frozen=True)
class _Order:
    """Whether dates have the day before the month, and whether they show it: some day is above 12."""

    day_first: bool
    shown: bool


def _order(dates: Sequence[re.Match[str]]) -> _Order | None:
    """Return the order of day and month; None if it is not clear. With points the day is first."""
    first, second = (any(int(date[group]) > 12 for date in dates) for group in (1, 3))
    marks = {date[2] for date in dates}
    if len(marks) > 1 or (first and second) or not (first or second or marks == {"."}):
        return None
    return _Order(day_first=not second, shown=first or second)


def _ordered_dates(dates: dict[str, re.Match[str]], order: _Order) -> Column | None:
    days: dict[str, float] = {}
    try:
        for cell, date in dates.items():
            day, month = (date[1], date[3]) if order.day_first else (date[3], date[1])
            clock = _TIME.fullmatch(date[5] or "0:00")
            if clock is None or int(clock[1]) > 23:
                return None
            days[cell] = _days(f"{date[4]}-{month}-{day}") + _hours(clock) / 24
    except ValueError:
        return None
    if not order.shown:
        return Column(days, remarks=(Remark("dates", f"the day is assumed to come first; {_AS_DAYS}"),))
    which = "day before the month" if order.day_first else "month before the day"
    return Column(days, remarks=(Remark(f"dates with the {which}", _AS_DAYS),))


def _days(text: str) -> float:
    """Return the days from 1970-01-01 to a date; its time of day is a fraction, UTC without a zone."""
    date, _, time = text.replace("/", "-").replace("T", " ").partition(" ")
    year, month, day = (int(part) for part in date.split("-"))
    moment = datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}")
    days = float((moment - datetime(1970, 1, 1)).days)
    if not time:
        return days
    clock, sign, zone = re.fullmatch(r"([\d:.]+)(?:Z|([+-])(\d{2}:?\d{2}))?", time).groups()  # type: ignore[union-attr]
    hours, minutes, seconds = (*clock.split(":"), "0")[:3]
    offset = 0 if zone is None else int(zone[:2]) * 60 + int(zone[-2:])
    total = int(hours) * 60 + int(minutes) + float(seconds) / 60 - (offset if sign == "+" else -offset)
    return days + total / 1440
