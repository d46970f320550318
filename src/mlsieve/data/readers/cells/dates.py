"""Dates and times in the ways people write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mlsieve.data.readers.cells.column import Column, Remark, Where
from mlsieve.errors import ColumnError, shortened

_TIME = re.compile(r"(-?\d{1,6}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?(?:\s*([AaPp])\.?[Mm]\.?)?")
_DATE = re.compile(
    r"\d{4}([-/])\d{1,2}\1\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)
# Day and month in either order, then the year.
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,? (\d{1,2}:.+))?")
_OTHER_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?: \d{1,2}:\d{2}.*)?|\d{4}/\d{1,2}/\d{1,2}.*")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
    *("november", "december"),
)
# The month as an English word, before or behind the day: December 31, 2020; 31-Dec-2020; 31 December 2020.
_NAMED_MONTH = re.compile(
    r"(?:(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? "
    r"|(?P<day_first>\d{1,2})(?P<mark>[ -])(?P<month_second>[A-Za-z]{3,9})\.?(?P=mark))"
    r"(?P<year>\d{4})(?:,? (?P<time>\d{1,2}:.+))?"
)
_TIMES = Remark("times", "12:30 is read as 12.5 hours")
_AS_DAYS = "they are read as days since 1970-01-01"

# What the letters of a date's form in Java, which ARFF files use, are for Python.
_JAVA = {
    **{"yyyy": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d"},
    **{"HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S"},
    **{"a": "%p", "SSS": "%f", "EEE": "%a", "EEEE": "%A"},
}
_JAVA_PART = re.compile(r"'([^']*)'|(([A-Za-z])\3*)|([^A-Za-z']+)")
_JAVA_DEFAULT = "yyyy-MM-dd'T'HH:mm:ss"


def date_reader(form: str) -> Callable[[str], float] | None:
    """Return the function that makes days since 1970 of a date, or raises ValueError if it is none.

    Parameters
    ----------
    form : str
        Of the dates, as Java writes it, such as ``dd.MM.yyyy``; empty: that of ISO 8601.

    Returns
    -------
    callable or None
        None if the form has letters that are not known, or twice.
    """
    pattern, seen = "", set()
    for quoted, letters, _, other in _JAVA_PART.findall(form or _JAVA_DEFAULT):
        if letters and (letters not in _JAVA or _JAVA[letters] in seen):
            return None
        seen.add(_JAVA.get(letters))
        pattern += _JAVA[letters] if letters else (quoted + other).replace("%", "%%")

    def days(text: str) -> float:
        return (datetime.strptime(text, pattern) - datetime(1970, 1, 1)) / timedelta(days=1)

    return days


def is_written_date(cell: str) -> bool:
    """Return whether a cell is a date or a time in any of the ways that are known."""
    return any(form.fullmatch(cell) for form in (_TIME, _DATE, _OTHER_DATE, _NAMED_MONTH))


def times_of(cells: Sequence[str]) -> Column | None:
    """Return the column of hours that times of day and durations are; None if one of the cells is none."""
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


def dates_of(cells: Sequence[str], where: Where) -> Column | None:
    """Return the column of days since 1970 that the cells are; None if one of them is no date.

    Raises
    ------
    ColumnError
        If the order of day and month is not clear.
    """
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
    if all(map(_NAMED_MONTH.fullmatch, cells)):
        return _named_dates(cells)
    if all(map(_OTHER_DATE.fullmatch, cells)):
        cell, path, line = where.first(lambda cell: True)
        raise ColumnError(
            f"column '{where.name}' holds dates such as {shortened(cell)}, whose order is not clear",
            ["write them as 2020-12-31"],
            where.choices,
            file=path,
            line=line,
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
    try:
        days = {
            cell: _moment(
                date[4], date[3 if order.day_first else 1], date[1 if order.day_first else 3], date[5]
            )
            for cell, date in dates.items()
        }
    except ValueError:
        return None
    if not order.shown:
        return Column(days, remarks=(Remark("dates", f"the day is assumed to come first; {_AS_DAYS}"),))
    which = "day before the month" if order.day_first else "month before the day"
    return Column(days, remarks=(Remark(f"dates with the {which}", _AS_DAYS),))


def _named_dates(cells: Sequence[str]) -> Column | None:
    days: dict[str, float] = {}
    try:
        for cell in cells:
            date = _NAMED_MONTH.fullmatch(cell)
            assert date is not None
            word = (date["month"] or date["month_second"]).lower()
            month = next(
                number for number, name in enumerate(_MONTHS, 1) if word in (name, name[:3], name[:4])
            )
            days[cell] = _moment(date["year"], month, date["day"] or date["day_first"], date["time"])
    except (ValueError, StopIteration):
        return None
    return Column(days, remarks=(Remark("dates", _AS_DAYS),))


def _moment(year: str, month: int | str, day: str, time: str | None) -> float:
    """Return the days from 1970-01-01 to a date and a time of day, such as 3:15 pm.

    Raises
    ------
    ValueError
        If there is no such date or time.
    """
    clock = _TIME.fullmatch(time or "0:00")
    if clock is None or int(clock[1]) > 23:
        raise ValueError(f"no time of day: {time}")
    return _days(f"{year}-{month}-{day}") + _hours(clock) / 24


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
