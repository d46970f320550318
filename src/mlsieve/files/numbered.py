"""Names such as x1, x2, ..., of which there may be millions: none is made before it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from mlsieve.files.arrays import texts_from

_NUMBER = re.compile(r"(.*?)(0|[1-9][0-9]{0,14})", re.DOTALL)
_BLOCK = 1 << 16  # names that are made at once


@dataclass(frozen=True, eq=False)
class Numbered(Sequence[str]):
    """A prefix with each number of a range, to be used, compared and hashed as a tuple of these names.

    Attributes
    ----------
    prefix : str
    numbers : range
        Of numbers from 0.
    """

    prefix: str
    numbers: range

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Numbered: ...
    def __getitem__(self, place: int | slice) -> str | Numbered:
        if isinstance(place, slice):
            return Numbered(self.prefix, self.numbers[place])
        return f"{self.prefix}{self.numbers[place]}"

    def __iter__(self) -> Iterator[str]:
        return (f"{self.prefix}{number}" for number in self.numbers)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered) and self.prefix == other.prefix:
            return self.numbers == other.numbers
        if not isinstance(other, Numbered | tuple):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __add__(self, other: Sequence[str]) -> tuple[str, ...]:
        return (*self, *other)

    def __radd__(self, other: Sequence[str]) -> tuple[str, ...]:
        return (*other, *self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return what `numpy.array` makes of a tuple of the names, without the tuple."""
        most = max(self.numbers, default=0)
        n_letters, n_digits = len(self.prefix), len(str(most))
        names = np.empty(len(self), f"U{n_letters + n_digits}")
        letters = names.view(np.uint32).reshape(len(self), n_letters + n_digits)
        letters[:, :n_letters] = [ord(letter) for letter in self.prefix]
        for first in range(0, len(self), _BLOCK):
            block = np.array(self.numbers[first : first + _BLOCK]).astype(f"U{n_digits}")
            letters[first : first + _BLOCK, n_letters:] = block.view(np.uint32).reshape(-1, n_digits)
        return names if dtype is None else names.astype(dtype, copy=False)


def names_from(array: np.ndarray) -> Sequence[str]:
    """Return the texts of an array as `texts_from` does, as `Numbered` if they are numbered one by one."""
    found = (
        _NUMBER.fullmatch(str(array[0]))
        if array.ndim == 1 and array.dtype.kind == "U" and len(array)
        else None
    )
    if found is not None:
        first = int(found[2])
        names = Numbered(found[1], range(first, first + len(array)))
        blocks = (slice(start, start + _BLOCK) for start in range(0, len(array), _BLOCK))
        if all(np.array_equal(array[block], np.asarray(names[block])) for block in blocks):
            return names
    return texts_from(array)


def text_array(names: Sequence[str]) -> np.ndarray:
    """Return an array of text of any names, also of none."""
    if isinstance(names, Numbered) and names:
        return np.asarray(names)
    return np.array(list(names), dtype=str) if len(names) else np.empty(0, dtype="<U1")
