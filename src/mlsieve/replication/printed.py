"""Printed numbers: their value, and the largest difference of a number that prints alike."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

BOUNDS = ("<=", ">=", "<", ">")


def printed_number(text: str) -> float | None:
    """Return the number that a paper prints; None for words and for bounds (``> 0.05``)."""
    try:
        return float(Decimal(text))
    except InvalidOperation:
        return None


def half_unit(text: str) -> float:
    """Return half a unit of the last digit of a printed number: 0.0005 for "0.063", 5e-6 for "1.95e-3".

    A whole number is a count, which must agree: 0.
    """
    exponent = Decimal(text).as_tuple().exponent
    if not isinstance(exponent, int) or (exponent >= 0 and "e" not in text.lower()):
        return 0.0
    return float(Decimal(5).scaleb(exponent - 1))


def bound_holds(text: str, value: float) -> bool:
    """Return whether a value satisfies a printed bound such as ``> 0.05`` or ``<= 0.43``.

    Raises
    ------
    ValueError
        If the text is not a bound.
    """
    sign = next((sign for sign in BOUNDS if text.startswith(sign)), None)
    if sign is None:
        raise ValueError(f"{text!r} is not a bound: it starts with none of {', '.join(BOUNDS)}")
    limit = float(text.removeprefix(sign))
    return {"<=": value <= limit, ">=": value >= limit, "<": value < limit, ">": value > limit}[sign]
