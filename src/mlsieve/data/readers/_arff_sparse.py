"""The rows of a sparse ARFF file, turned into numbers in bulk as those of a dense one."""

from __future__ import annotations

import itertools
import re

import numpy as np
import scipy.sparse as sp

from mlsieve.data.readers._arff_rows import TRUNCATED, Body, converted
from mlsieve.data.readers._arff_text import QUOTED, QUOTED_MISSING, shown, unquoted
from mlsieve.errors import number_of, shortened

# Rows are read in blocks: a token is a Python string while its block is in hand, eight bytes afterwards.
_BLOCK_ROWS = 2_000


def read_sparse(body: Body, rows: list[str], lines: list[int]) -> sp.csr_array:
    """Return the values of sparse rows as a CSR array of shape (n, n_attributes) with sorted indices.

    Parameters
    ----------
    body, rows, lines
        As for `read_dense`.
    """
    blocks = [
        _sparse_block(body, rows[start : start + _BLOCK_ROWS], lines[start : start + _BLOCK_ROWS])
        for start in range(0, len(rows), _BLOCK_ROWS)
    ]
    lengths, columns, values = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    width = len(body.names)
    index_type = np.int32 if max(width, len(columns)) < 2**31 else np.int64
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index_type)
    array = sp.csr_array((values, columns.astype(index_type), indptr), shape=(len(rows), width))
    array.sort_indices()
    array.eliminate_zeros()  # a listed 0 (or first declared value) is what is not listed
    return array


def _sparse_block(body: Body, rows: list[str], lines: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the number of pairs of each row, and all pairs' attribute indices and values."""
    split = _sparse_tokens_of_clean(rows)
    if split is None:
        each = [_sparse_tokens(body, row, line) for row, line in zip(rows, lines, strict=True)]
        lengths = np.array([len(tokens) // 2 for tokens in each], dtype=np.int64)
        tokens = list(itertools.chain.from_iterable(each))
    else:
        lengths, tokens = split
    pair_lines = np.repeat(np.array(lines, dtype=np.int64), lengths)
    columns = _columns(body, tokens[0::2], pair_lines)
    values = converted(body, columns, tokens[1::2], pair_lines)
    _no_repeats(body, columns, lengths, pair_lines)
    return lengths, columns, values


def _sparse_tokens_of_clean(rows: list[str]) -> tuple[np.ndarray, list[str]] | None:
    """Return the pairs of each row and all tokens, or None unless every row is exactly ``{i v,i v,...}``."""
    if not all(row[0] == "{" and row[-1] == "}" for row in rows):
        return None
    inner = [row[1:-1] for row in rows]
    text = ",".join(row for row in inner if row)
    if any(mark in text for mark in "'\"{}%\t"):
        return None
    lengths = np.array([row.count(",") + 1 if row else 0 for row in inner], dtype=np.int64)
    if not text:
        return lengths, []
    marks = np.frombuffer(text.encode(), dtype=np.uint8)
    marks = marks[(marks == ord(" ")) | (marks == ord(","))]
    tokens = text.replace(",", " ").split(" ")
    alternate = (marks[0::2] == ord(" ")).all() and (marks[1::2] == ord(",")).all() and len(marks) % 2 == 1
    return (lengths, tokens) if alternate and "" not in tokens else None


_PAIR = re.compile(
    r"\s*([^\s,]+)(?:\s+(?:(?P<quoted>" + QUOTED.pattern + r")|(?P<plain>[^,'\"\s][^,]*)))?\s*(?:,|$)"
)


def _sparse_tokens(body: Body, row: str, line: int) -> list[str]:
    """Return index, value, index, value, ... of one row."""
    if row[0] != "{":
        raise body.error("a dense row in a file of sparse rows", line, "use one layout in a file")
    if "%" in row and not row.endswith("}"):
        row = re.sub(r"\s%.*$", "", row) if row.rfind("}") < row.rfind("%") else row
    if re.search(r"\}\s*,\s*\{[^{}]*\}$", row):
        raise body.error(
            "instance weights are not supported", line, "remove the weight {...} at the end of the row"
        )
    if not row.endswith("}") or len(row) == 1:
        raise body.error("the sparse row is not closed with }", line, TRUNCATED)
    inner = row[1:-1].strip()
    tokens: list[str] = []
    place = 0
    while place < len(inner):
        pair = _PAIR.match(inner, place)
        if pair is None or pair.end() == place:
            raise body.error(
                f"cannot be read as 'index value': {shown(inner[place:])}", line, "check quotes and commas"
            )
        quoted = QUOTED.match(pair["quoted"]) if pair["quoted"] is not None else None
        value = (pair["plain"] or "").rstrip() if quoted is None else unquoted(quoted)
        if not value and quoted is None:
            raise body.error(
                f"index {shown(pair[1])} has no value", line, "write pairs 'index value' between commas"
            )
        tokens += [pair[1], QUOTED_MISSING if quoted is not None and value == "?" else value]
        place = pair.end()
    if inner.endswith(","):
        raise body.error("the sparse row ends with a comma", line, TRUNCATED)
    return tokens


def _columns(body: Body, tokens: list[str], lines: np.ndarray) -> np.ndarray:
    """Return the attribute indices of a sparse file's pairs."""
    if not tokens:
        return np.empty(0, dtype=np.int64)
    text = " ".join(tokens).encode()
    digits = not text.translate(None, b"0123456789 ")
    columns = np.fromstring(text, dtype=np.int64, sep=" ") if digits and max(map(len, tokens)) < 18 else None
    width = len(body.names)
    if columns is None or len(columns) != len(tokens) or columns.max() >= width:
        for token, line in zip(tokens, lines, strict=True):
            if not (token.isascii() and token.isdigit()):
                raise body.error(
                    f"{shown(token)} is not an attribute's index",
                    line,
                    "write pairs 'index value' between commas",
                )
            if len(token.lstrip("0")) > 18 or int(token.lstrip("0") or 0) >= width:
                hint = f"indices count from 0 over all {number_of(width, 'attribute')}"
                raise body.error(f"index {shortened(token)} is out of range", line, hint)
        columns = np.array([int(token.lstrip("0") or 0) for token in tokens], dtype=np.int64)
    return columns


def _no_repeats(body: Body, columns: np.ndarray, lengths: np.ndarray, lines: np.ndarray) -> None:
    rows = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((columns, rows)) if np.any((np.diff(columns) <= 0) & (np.diff(rows) == 0)) else None
    if order is None:
        return
    columns, rows = columns[order], rows[order]
    same = np.flatnonzero((np.diff(columns) == 0) & (np.diff(rows) == 0))
    if len(same):
        line = lines[order][same[0]]
        raise body.error(
            f"index {columns[same[0]]} occurs twice in the row", line, "list each attribute once"
        )
