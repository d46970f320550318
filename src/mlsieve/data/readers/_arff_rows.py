"""The rows of an ARFF file, turned into numbers in bulk.

The rows of a clean file are joined and split again as one text, so that the loops run in C; rows with quotes,
comments or odd blanks are taken apart one by one. Both end in the same list of tokens, whose values are
converted a whole column at a time. A value that does not fit its attribute is looked for, with its line, only
when that fails.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mlsieve.data.exchange.whole_numbers import EXACT_UP_TO
from mlsieve.data.readers._arff_text import QUOTED_MISSING, shown, split_values
from mlsieve.errors import ColumnError, UserError, number_of

TRUNCATED = "the file may be truncated: fetch or copy it again"
# Rows are read in blocks: a token is a Python string while its block is in hand, eight bytes afterwards.
_BLOCK_TOKENS = 500_000
# Up to so many changes of kind from left to right, runs of one kind are converted by themselves.
_MOST_RUNS = 64
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NUMBER_BYTES = b"0123456789+-.eE ?"
_LARGEST_TABLE = 20_000_000
_UNKNOWN, _MISSING = -1, -2
_NUMERIC, _NOMINAL, _CLASSES, _TEXT = range(4)


class Body:
    """What is needed to read the rows below a header.

    Parameters
    ----------
    path : str
        For error messages.
    names : sequence of str
        The attributes' names.
    categories : sequence of (tuple of str or None)
        Declared values of each nominal attribute; None for another one.
    class_column : int, optional
        Position of the hierarchical attribute, if there is one.
    texts : mapping of int to (callable or None), optional
        How the values of attributes of text become numbers, by position; None: they are not read.

    Attributes
    ----------
    large : list of (int, str)
        Positions and texts of the numbers that may be whole ones which no float holds.
    cells : dict of str to int
        Different texts of the hierarchical attribute, numbered as they come; none is what a sparse row lists
        not, and 0.
    """

    def __init__(
        self,
        path: str,
        names: Sequence[str],
        categories: Sequence[tuple[str, ...] | None],
        class_column: int | None = None,
        texts: Mapping[int, Callable[[str], float] | None] | None = None,
    ) -> None:
        self.path = path
        self.names = names
        self.categories = categories
        self.class_column = class_column
        self.large: list[tuple[int, str]] = []
        self.cells: dict[str, int] = {} if class_column is None else {"": 0}
        self.numeric = np.array([values is None for values in categories], dtype=bool)
        if class_column is not None:
            self.numeric[class_column] = False
        self.kinds = np.where(self.numeric, _NUMERIC, _NOMINAL)
        if class_column is not None:
            self.kinds[class_column] = _CLASSES
        self.texts = texts or {}
        self.kinds[list(self.texts)] = _TEXT
        groups: dict[tuple[str, ...], int] = {}
        self.group = np.array(
            [-1 if values is None else groups.setdefault(values, len(groups)) for values in categories],
            dtype=np.int64,
        )
        self.positions = [
            {QUOTED_MISSING if value == "?" else value: place for place, value in enumerate(values)}
            for values in groups
        ]

    def error(self, what: str, line: int, hint: str) -> UserError:
        """Return the error for a line of this file."""
        return UserError(what, file=self.path, line=int(line), hint=hint)


def read_dense(body: Body, rows: list[str], lines: list[int]) -> np.ndarray:
    """Return the values of dense rows, float64 of shape (n, n_attributes).

    Parameters
    ----------
    body : Body
    rows : list of str
        Stripped lines, none of them empty or a comment.
    lines : list of int
        Their line numbers.
    """
    width = len(body.names)
    rows = _with_commas(rows, width)
    values = np.empty((len(rows), width), dtype=np.float64)
    step = max(1, _BLOCK_TOKENS // width)
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        values[block] = _dense_block(body, rows[block], lines[block])
    return values


def _with_commas(rows: list[str], width: int) -> list[str]:
    """Return rows with commas between their values, where tabs are in each, which Weka reads alike."""
    if all("," not in row and row.count("\t") == width - 1 > 0 for row in rows):
        return [row.replace("\t", ",") for row in rows]
    return rows


def _dense_block(body: Body, rows: list[str], lines: list[int]) -> np.ndarray:
    width = len(body.names)
    text = ",".join(rows)
    if "'" in text or '"' in text or "%" in text or "{" in text:
        tokens = [
            token for row, line in zip(rows, lines, strict=True) for token in _dense_tokens(body, row, line)
        ]
    else:
        for row, line in zip(rows, lines, strict=True):
            if row.count(",") != width - 1:
                raise _wrong_width(body, row.split(","), line)
        tokens = text.split(",")
        if " " in text or "\t" in text:
            tokens = [token.strip() for token in tokens]
    return _dense_values(body, tokens, lines)


def _dense_tokens(body: Body, row: str, line: int) -> list[str]:
    if row.startswith("{"):
        raise body.error("a sparse row in a file of dense rows", line, "use one layout in a file")
    tokens, rest = split_values(row)
    if rest is None:
        raise body.error(f"a quote is not closed, or text follows it: {shown(row)}", line, TRUNCATED)
    if len(tokens) != len(body.names):
        raise _wrong_width(body, tokens, line)
    return tokens


def _wrong_width(body: Body, tokens: list[str], line: int) -> UserError:
    width = len(body.names)
    if len(tokens) == width + 1 and tokens[-1].strip().startswith("{"):
        return body.error(
            "instance weights are not supported", line, "remove the weight {...} at the end of the row"
        )
    few = len(tokens) < width
    hint = TRUNCATED if few else "remove what does not belong to the row, or declare the missing attribute"
    return body.error(
        f"too {'few' if few else 'many'} values: {len(tokens)} for {number_of(width, 'attribute')}",
        line,
        hint,
    )


def _dense_values(body: Body, tokens: list[str], lines: list[int]) -> np.ndarray:
    """Return the values of all tokens of rows, float64 of shape (rows, n_attributes).

    Neighbouring attributes of one kind are converted together; where kinds change often, all at once.
    """
    width = len(body.names)
    n = len(lines)
    every = np.array(lines, dtype=np.int64)
    starts = [0, *(np.flatnonzero(np.diff(body.kinds)) + 1).tolist(), width]
    if len(starts) > _MOST_RUNS:
        columns = np.tile(np.arange(width), n)
        return converted(body, columns, tokens, np.repeat(every, width)).reshape(n, width)
    values = np.empty((n, width), dtype=np.float64)
    for start, stop in itertools.pairwise(starts):
        here = stop - start
        if here == width:
            part = tokens
        elif here == 1:
            part = tokens[start::width]
        else:
            part = list(
                itertools.chain.from_iterable(
                    tokens[i + start : i + stop] for i in range(0, len(tokens), width)
                )
            )
        columns = np.tile(np.arange(start, stop), n)
        convert = _CONVERTERS[body.kinds[start]]
        values[:, start:stop] = convert(body, columns, part, np.repeat(every, here)).reshape(n, here)
    return values


def converted(body: Body, columns: np.ndarray, tokens: list[str], lines: np.ndarray) -> np.ndarray:
    """Return the value of each token, given the attribute and the line it belongs to."""
    kinds = body.kinds[columns]
    values = np.empty(len(tokens), dtype=np.float64)
    for kind, convert in enumerate(_CONVERTERS):
        mask = kinds == kind
        if mask.all():
            return convert(body, columns, tokens, lines)
        if mask.any():
            some = list(itertools.compress(tokens, mask.tolist()))
            values[mask] = convert(body, columns[mask], some, lines[mask])
    return values


def _class_cells(body: Body, columns: np.ndarray, tokens: list[str], lines: np.ndarray) -> np.ndarray:
    """Return the number of each text of the hierarchical attribute; NaN for a missing one."""
    numbers = [
        np.nan if token == "?" else body.cells.setdefault(token.removeprefix("\0"), len(body.cells))
        for token in tokens
    ]
    return np.array(numbers, dtype=np.float64)


def _numbers(body: Body, columns: np.ndarray, tokens: list[str], lines: np.ndarray) -> np.ndarray:
    values, unknown = None, tokens.count("?")
    text = " ".join(tokens).encode()
    # A question mark within a token is no missing value: it must not become part of a "nan".
    if not text.translate(None, _NUMBER_BYTES) and text.count(b"?") == unknown and "" not in tokens:
        with (
            warnings.catch_warnings()
        ):  # numpy warns of text that it cannot read to its end; newer ones raise
            warnings.simplefilter("error")
            try:
                filled = text.replace(b"?", b"nan")
                values = np.fromstring(filled, dtype=np.float64, sep=" ") if tokens else np.empty(0)
            except (ValueError, DeprecationWarning):
                values = None
    if (
        values is None
        or len(values) != len(tokens)
        or np.count_nonzero(np.isfinite(values)) != len(tokens) - unknown
    ):
        for column, token, line in zip(columns, tokens, lines, strict=True):
            if token != "?" and (not _NUMBER.fullmatch(token) or not math.isfinite(float(token))):
                hint = "write a finite number, or ? for a missing value"
                raise body.error(
                    f"{shown(token)} is not a number, for numeric attribute '{body.names[column]}'",
                    line,
                    hint,
                )
        values = np.array([math.nan if token == "?" else float(token) for token in tokens])
    body.large += [(int(columns[k]), tokens[k]) for k in np.flatnonzero(np.abs(values) >= EXACT_UP_TO)]
    return values


def _places(body: Body, columns: np.ndarray, tokens: list[str], lines: np.ndarray) -> np.ndarray:
    """Return the position of each nominal token in its attribute's declaration; NaN for a missing value."""
    vocabulary = {token: code for code, token in enumerate(dict.fromkeys(tokens))}
    groups = body.group[columns]
    if len(body.positions) * len(vocabulary) <= _LARGEST_TABLE:
        table = np.full((len(body.positions), len(vocabulary)), _UNKNOWN, dtype=np.int64)
        for group, positions in enumerate(body.positions):
            small, large = sorted((positions, vocabulary), key=len)
            for token in small:
                if token in large:
                    table[group, vocabulary[token]] = positions[token]
        if "?" in vocabulary:
            table[:, vocabulary["?"]] = _MISSING
        codes = np.fromiter(map(vocabulary.__getitem__, tokens), dtype=np.int64, count=len(tokens))
        places = table[groups, codes]
    else:
        pairs = zip(groups.tolist(), tokens, strict=True)
        found = (
            _MISSING if token == "?" else body.positions[group].get(token, _UNKNOWN) for group, token in pairs
        )
        places = np.fromiter(found, dtype=np.int64, count=len(tokens))
    wrong = np.flatnonzero(places == _UNKNOWN)
    if len(wrong):
        k = wrong[0]
        token = tokens[k].removeprefix("\0")
        hint = "declare it in the header or correct the row"
        raise body.error(
            f"{shown(token)} is not a declared value of nominal attribute '{body.names[columns[k]]}'",
            lines[k],
            hint,
        )
    return np.where(places == _MISSING, np.nan, places)


def _texts(body: Body, columns: np.ndarray, tokens: list[str], lines: np.ndarray) -> np.ndarray:
    """Return the numbers that texts stand for, such as dates; NaN for those that are not read."""
    values = np.full(len(tokens), math.nan)
    for k, (column, token) in enumerate(zip(columns.tolist(), tokens, strict=True)):
        read = body.texts[column]
        if read is None or token == "?":
            continue
        try:
            values[k] = read(token)
        except ValueError:
            name = body.names[column]
            what = f"{shown(token)} is not a date as attribute '{name}' declares it"
            out = [f"leave the attribute out (--drop '{name}')"]
            raise ColumnError(what, ["correct it"], out, file=body.path, line=int(lines[k])) from None
    return values


_CONVERTERS = (_numbers, _places, _class_cells, _texts)
