"""Sparse files of numbered features: svmlight with several labels a row, and those of the XMLC repository."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.whole_numbers import EXACT_UP_TO, OF_DECLARED, merged_texts, tell_of_long
from mlsieve.data.label_values import GivenLabels
from mlsieve.data.readers.arff import ArffTable, NumericAttributes
from mlsieve.data.readers.text import read_text
from mlsieve.errors import DataNotice, UserError, number_of, shortened
from mlsieve.files.numbered import Numbered

_COUNTS = re.compile(r"\s*(\d+)\s+(\d+)\s+(\d+)\s*")
_ROW = re.compile(r"\s*([^\s:#]*)((?:\s+\S+:\S+)*)\s*(?:#.*)?")
_GROUP = re.compile(r"\sqid:\d+")
_LONG_NUMBER = re.compile(r"\s(\d+):([+-]?\d{16,})(?!\S)")
_LARGE_INDEX = re.compile(r"\s(\d{7,}):")
# Features and labels that there may be: each takes memory, whether a row has it or not.
_MOST_NUMBERED = 3_000_000
_LONGEST_LABEL = 15  # digits, which a float holds


def read_svmlight(
    paths: Sequence[Path],
    *,
    xmlc: bool,
    encoding: str | None = None,
    unread: Callable[[Sequence[str]], Collection[str]] = lambda header: (),
) -> tuple[list[ArffTable], GivenLabels]:
    """Read ``1,3 7:0.5 9:1``: the labels of a row with commas, then features with their values.

    Parameters
    ----------
    paths : sequence of Path
        Training file(s) and test file.
    xmlc : bool
        Whether the first line holds the numbers of rows, features and labels; features and labels are then
        counted from 0, and all of them exist whether a row has them or not.
    encoding : str, optional
    unread : callable, optional
        Returns the names in the header of features that are left out later.

    Returns
    -------
    tables : list of ArffTable
        Of the features alone, sparse. They are named ``x7`` by their numbers in the file, which begin at 1
        unless some row has the number 0.
    labels : GivenLabels
        Named ``y3`` by their numbers in the file.

    Raises
    ------
    UserError
        If a row is not of this form, or the numbers do not fit.
    """
    from sklearn.datasets import load_svmlight_files

    counts: list[tuple[int, int, int]] = []
    streams, lines, signed = [], [], False
    for path in paths:
        text = read_text(path, encoding)
        rows = text.splitlines()
        first = 0
        if xmlc:
            found = _COUNTS.fullmatch(rows[0]) if rows else None
            if found is None:
                raise UserError(
                    "does not begin with the numbers of rows, features and labels", file=path, line=1
                )
            counts.append((int(found[1]), int(found[2]), int(found[3])))
            _require_few(max(counts[-1][1:]), "its first line states {}", path, 1)
            first = 1
        head, rows = rows[:first], _without_groups(path, rows[first:])
        if not xmlc and _is_signed(rows):
            rows, signed = _without_minus_one(path, rows), True
        rows = [*head, *rows]
        _require_rows(path, rows, first)
        kept = [i for i in range(first, len(rows)) if rows[i].split("#")[0] or xmlc]
        n_empty = sum(not row for row in rows[first:])
        if n_empty and not xmlc:
            count = number_of(n_empty, "empty line")
            what = f"{count} left out (a row without labels and features is written as a space)"
            warnings.warn(DataNotice(what, file=path), stacklevel=3)
        # A row without labels begins with a blank, which scikit-learn's reader would strip.
        streams.append(io.BytesIO("\n".join(_with_labels(rows[i]) for i in kept).encode()))
        lines.append(np.array(kept, dtype=np.int64) + 1)
    sizes = {sizes[1:] for sizes in counts}
    if len(sizes) > 1:
        raise UserError("training and test file have different numbers of features or labels", file=paths[-1])
    try:
        loaded = load_svmlight_files(
            streams,
            n_features=counts[0][1] if xmlc else None,
            multilabel=True,
            zero_based=True,
        )
    except (ValueError, OverflowError) as error:
        raise UserError(f"not an svmlight file ({shortened(str(error), 200)})", file=paths[0]) from error
    large = [(np.abs(part.data) >= EXACT_UP_TO).any() for part in loaded[0::2]]
    texts = [stream.getvalue().decode() for stream, is_large in zip(streams, large, strict=True) if is_large]
    merged = merged_texts(
        (f"x{index}", number) for text in texts for index, number in _LONG_NUMBER.findall(text)
    )
    X, labels = loaded[0::2], [[_known(row) for row in part] for part in loaded[1::2]]
    for path, part, own in zip(paths, X, counts, strict=False):
        if part.shape[0] != own[0]:
            raise UserError(f"has {number_of(part.shape[0], 'row')}, but states {own[0]}", file=path, line=1)
    seen = {label for part in labels for row in part for label in row} | ({1} if signed else set())
    names = range(counts[0][2]) if xmlc else sorted(seen)
    if xmlc and any(label >= len(names) for part in labels for row in part for label in row):
        raise UserError(f"has a label beyond its {len(names)}", file=paths[0], hint="correct its first line")
    start = 0 if xmlc or any((part.indices == 0).any() for part in X) else 1
    X = [part[:, start:] for part in X]
    features = Numbered("x", range(start, start + X[0].shape[1]))
    if merged:
        tell_of_long(merged, OF_DECLARED, file=paths[0], left_out=unread(features))
    tables = [
        ArffTable(str(path), "", NumericAttributes(features), sp.csr_array(part), own)
        for path, part, own in zip(paths, X, lines, strict=True)
    ]
    place = names if xmlc else {name: i for i, name in enumerate(names)}
    rows_of = [sorted(place[label] for label in row) for part in labels for row in part]
    index = np.array([label for row in rows_of for label in row], dtype=np.int32)
    starts = np.cumsum([0, *map(len, rows_of)])
    Y = sp.csr_array((np.ones(len(index), np.uint8), index, starts), shape=(len(rows_of), len(names)))
    named = Numbered("y", names) if isinstance(names, range) else tuple(f"y{name}" for name in names)
    return tables, GivenLabels(Y, named)


_NO_LABEL = -1


def _with_labels(row: str) -> str:
    """Return a row with labels: a number that stands for none, if it has none."""
    return f"{_NO_LABEL} {row.lstrip()}" if row[:1].isspace() or ":" in row.split(" ")[0] or not row else row


def _known(row: Sequence[float]) -> set[int]:
    return {int(label) for label in row if label != _NO_LABEL}


def _without_groups(path: Path, rows: list[str]) -> list[str]:
    """Return rows without the groups of a ranking task."""
    if not any(_GROUP.search(row) for row in rows):
        return rows
    warnings.warn(DataNotice("the query numbers of the rows (qid) are left out", file=path), stacklevel=2)
    return [_GROUP.sub("", row) for row in rows]


def _is_signed(rows: Sequence[str]) -> bool:
    """Return whether the labels of rows are 1 and -1, or -1 alone: a label's own number is not negative."""
    if not any(row.startswith("-1") for row in rows):
        return False
    labels = {row.partition(" ")[0].strip() for row in rows if row.split("#")[0].strip()}
    return {"-1"} <= labels <= {"-1", "1", "+1"}


def _without_minus_one(path: Path, rows: Sequence[str]) -> list[str]:
    """Return rows whose labels are 1 and -1 without the latter, which say that a row has no label."""
    what = "its labels are 1 and -1: they are read as one label, y1, which rows with -1 do not have"
    if not any(row.startswith(("1", "+1")) for row in rows):
        what = "all its labels are -1: they are read as one label, y1, which no row has"
    warnings.warn(DataNotice(what, file=path), stacklevel=2)
    return [re.sub(r"^-1(?!\S)", " ", row) for row in rows]


def _require_few(number: int, what: str, path: Path, line: int) -> None:
    if number > _MOST_NUMBERED:
        raise UserError(
            f"{what.format(number)}, more features or labels than {_MOST_NUMBERED:,}",
            file=path,
            line=line,
            hint="number them without gaps",
        )


def _require_rows(path: Path, rows: Sequence[str], first: int) -> None:
    for number, row in enumerate(rows[first:], start=first + 1):
        found = _ROW.fullmatch(row)
        labels = [] if found is None else [label for label in found[1].split(",") if label]
        if found is None or not all(label.removeprefix("+").isdecimal() for label in labels):
            raise UserError(
                f"'{shortened(row)}' is not labels and index:value pairs",
                file=path,
                line=number,
                hint="a row is such as 1,3 7:0.5 9:1",
            )
        for label in labels:
            if len(label) > _LONGEST_LABEL:
                raise UserError(
                    f"label {shortened(label)} has more than {_LONGEST_LABEL} digits",
                    file=path,
                    line=number,
                    hint="number the labels anew",
                )
        for index in _LARGE_INDEX.findall(row):
            _require_few(int(index[:30]), "index {}", path, number)
