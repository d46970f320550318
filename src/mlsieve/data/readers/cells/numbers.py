"""Numbers in the ways people write them: money, percentages, thousands in groups."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mlsieve.data.exchange.whole_numbers import LONG_NUMBERS, OF_COLUMNS, merged_texts
from mlsieve.data.readers.cells.column import Column, Remark, Where
from mlsieve.data.readers.cells.dates import dates_of, is_written_date, times_of
from mlsieve.data.readers.cells.first_rows import is_number
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
_BEGINS_WITH_NUMBER = re.compile(r"[^\w\s]{0,2}\s?\d")


DECIMAL_COMMAS = Remark("decimal commas", "1,5 is read as 1.5")
_MERGED = Remark(LONG_NUMBERS, OF_COLUMNS)
_ZEROS_BEFORE = Remark(
    "numbers with zeros before them", "01067 is read as 1067 (--nominal if they are codes)"
)
_HEXADECIMAL = Remark("hexadecimal numbers", "0x1F is read as 31")


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
        return Column({cell: float(cell) for cell in cells}, remarks=_of_digits(cells))
    if max(map(len, cells)) > _LONGEST or all(map(is_address, cells)):
        return None
    column = _numbers(cells, decimal, where) or _hexadecimal(cells) or times_of(cells)
    return column or dates_of(cells, where)


def _of_digits(cells: Sequence[str]) -> tuple[Remark, ...]:
    """Return what plain numbers lose: zeros before them, and digits beyond the sixteenth."""
    has_zeros = any(cell[:1] == "0" and len(cell) > 1 and cell.isdecimal() for cell in cells)
    return (*([_ZEROS_BEFORE] if has_zeros else []), *_of_merged(cells))


def _of_merged(numbers: Iterable[str]) -> list[Remark]:
    return [_MERGED] if merged_texts(("", number) for number in numbers) else []


def is_written_number(cell: str) -> bool:
    """Return whether a cell is a number, a date or a time in any of the ways that are known."""
    if len(cell) > _LONGEST:
        return is_number(cell)
    if is_address(cell):
        return False
    text = _bare(cell).text
    if is_number(text) or any(form.fullmatch(text) for form in _NUMBER_FORMS):
        return True
    return _HEX.fullmatch(cell) is not None or is_written_date(cell)


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
        plain_texts = {text: text.replace(",", "") for text in texts}
    elif with_comma and decimal != ".":
        remarks = [DECIMAL_COMMAS] if has_comma and decimal is None else []
        remarks += [_between_thousands("points")] if has_point else []
        plain_texts = {text: text.replace(".", "").replace(",", ".") for text in texts}
    else:
        return None
    remarks += _of_merged(plain_texts.values())
    return {text: float(written) for text, written in plain_texts.items()}, remarks


def _hexadecimal(cells: Sequence[str]) -> Column | None:
    if not all(map(_HEX.fullmatch, cells)):
        return None
    whole = {cell: int(cell, 16) for cell in cells}
    merged = _of_merged(map(str, whole.values()))
    return Column({cell: float(number) for cell, number in whole.items()}, remarks=(_HEXADECIMAL, *merged))
