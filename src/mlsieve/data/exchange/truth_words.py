"""Words for a label that is set and one that is not: 0 and 1, yes and no, TRUE and FALSE, -1 and 1."""

from __future__ import annotations

# Without the label, with it.
TRUTH_PAIRS = (("0", "1"), ("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"), ("-1", "1"))
_NO = frozenset(no for no, _ in TRUTH_PAIRS)
_YES = frozenset(yes for _, yes in TRUTH_PAIRS)


def plain_word(value: str) -> str:
    """Return a value as it is compared: in lower case, a whole number without a point."""
    text = value.strip().lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number - number == 0 and number == int(number) else text


def is_truth_word(value: str) -> bool:
    """Return whether a value says that a label is set or that it is not."""
    return plain_word(value) in _NO | _YES


def is_set(value: str) -> bool:
    """Return whether a value says that a label is set."""
    return plain_word(value) in _YES
