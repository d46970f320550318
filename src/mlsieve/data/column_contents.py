"""Columns and rows by their content: digests, and a seeded order that ignores the columns' positions.

A ranking must not depend on the order in which a file lists its columns. Wherever a method has to prefer one
of several columns that are equally good, it takes the first in the order of `canonical_order`: a hash of
each column's content and of a seed. Columns of equal content have the same digest and follow each other.
Trees take the order of `order_of_coded`, by the features' codes.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

_DIGEST_BYTES = 8


def column_digests(X: Any) -> np.ndarray:
    """Return a digest of each column's values, the same for dense and sparse arrays.

    The digest is blake2b, of 8 bytes, over the number of rows, the rows whose cell is not 0, and these cells,
    as little-endian int64 and float64. All NaN are one value, and so are 0 and -0. Different columns share a
    digest with probability 2**-64 a pair.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
        NaN is missing.

    Returns
    -------
    ndarray of uint64, shape (F,)
    """
    empty = hashlib.blake2b(X.shape[0].to_bytes(8, "little"), digest_size=_DIGEST_BYTES)
    found = np.full(X.shape[1], _number(empty.digest()))
    for place, rows, cells in _filled_columns(X):
        state = empty.copy()
        state.update(np.ascontiguousarray(rows, "<i8").data)
        state.update(np.ascontiguousarray(cells, "<f8").data)
        found[place] = _number(state.digest())
    return found


def content_digest(X: Any, Y: Any, feature_names: Sequence[str], label_names: Sequence[str]) -> str:
    """Return a digest of features, labels and their names, the same for dense and sparse arrays.

    The digest is blake2b, of 16 bytes, over the numbers of rows, features and labels, the names, and the
    columns' digests (`column_digests`). The order of rows and of columns counts.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
    Y : scipy.sparse array of 0 and 1, shape (n, L)
    feature_names, label_names : sequence of str

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    state = hashlib.blake2b(digest_size=2 * _DIGEST_BYTES)
    for number in (*X.shape, Y.shape[1]):
        state.update(number.to_bytes(8, "little"))
    for name in itertools.chain(feature_names, label_names):
        encoded = name.encode("utf-8", "surrogatepass")
        state.update(len(encoded).to_bytes(8, "little") + encoded)
    for part in (X, Y):
        state.update(column_digests(part).astype("<u8").data)
    return state.hexdigest()


def row_digests(
    X: Any,
    Y: Any,
    feature_names: Sequence[str],
    label_names: Sequence[str],
    categories: Sequence[Sequence[str]],
) -> np.ndarray:
    """Return a digest of each row's features and labels, the same for dense and sparse arrays.

    It does not depend on the order of the columns, nor on the codes of categories. All NaN are one value, and
    so are 0 and -0. Different rows share a digest with probability 2**-48 a pair.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse array, shape (n, F)
    Y : scipy.sparse array of 0 and 1, shape (n, L)
    feature_names, label_names : sequence of str
    categories : sequence of F sequences of str
        The texts behind the codes of nominal features, empty for numeric ones.

    Returns
    -------
    ndarray of uint64, shape (n,)
        Below 2**48.
    """
    found = np.zeros(X.shape[0], np.uint64)
    with np.errstate(over="ignore"):
        for name, texts in zip(feature_names, categories, strict=True) if any(categories) else ():
            if texts:  # a cell that is 0 has the first category
                found += _text_digest("category", name, texts[0])
        for place, rows, cells in _filled_columns(X):
            name, texts = feature_names[place], categories[place]
            if texts:
                of_code = np.array([_text_digest("category", name, text) for text in ("", *texts)])
                found[rows] += of_code[np.where(np.isnan(cells), -1, cells).astype(np.int64) + 1] - of_code[1]
            else:
                found[rows] += mixed(
                    np.ascontiguousarray(cells).view(np.uint64) + _text_digest("number", name)
                )
        for place, rows, _ in _filled_columns(Y):
            found[rows] += _text_digest("label", label_names[place])
        return mixed(found) >> np.uint64(16)


def _text_digest(*texts: str) -> np.uint64:
    encoded = "\0".join(texts).encode("utf-8", "surrogatepass")
    return _number(hashlib.blake2b(encoded, digest_size=_DIGEST_BYTES).digest())


def _number(digest: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(digest, "little"))


def canonical_order(digests: np.ndarray, seed: int) -> np.ndarray:
    """Return the columns in an order that depends on their content and a seed only.

    Parameters
    ----------
    digests : ndarray of uint64, shape (F,)
        Of `column_digests`.
    seed : int
        Any integer; taken modulo 2**64.

    Returns
    -------
    ndarray of intp, shape (F,)
        Column positions. Columns with the same digest follow each other, the lower position first.
    """
    with np.errstate(over="ignore"):
        keys = mixed(np.asarray(digests, np.uint64) + mixed(np.array([seed % 2**64], np.uint64)))
    return np.argsort(keys, kind="stable")


def canonical_places(digests: np.ndarray, seed: int) -> np.ndarray:
    """Return each column's place in `canonical_order`; ndarray of intp, shape (F,)."""
    order = canonical_order(digests, seed)
    places = np.empty(len(order), np.intp)
    places[order] = np.arange(len(order))
    return places


class ColumnOrder(NamedTuple):
    """An order of the features that depends on their content and a seed alone.

    Attributes
    ----------
    feature : ndarray of int64, shape (F,)
        The column of the data at each place of the order.
    copy_of : ndarray of int32, shape (F,)
        By column of the data: the first column that equals it.
    """

    feature: np.ndarray
    copy_of: np.ndarray


def order_of_coded(coded: Mapping[str, np.ndarray], n_categories: np.ndarray, seed: int) -> ColumnOrder:
    """Order coded features by a digest of their codes, mixed with a seed.

    A strictly rising transformation of a feature's values leaves its codes and so its place alone. Features
    with the same codes follow each other by their values, and equal ones by their columns: whoever uses the
    order must treat those alike (`ColumnOrder.copy_of`).

    Parameters
    ----------
    coded : mapping of ndarray
        As `mlsieve.data.coded_columns.code_columns` joins them: codes of the dense features, and of the
        others rest, n_listed, row, code; values and n_values of all.
    n_categories : ndarray of int32, shape (F,)
        Categories of nominal features with more than two, else 0.
    seed : int
        From 0 to 2**63 - 1.

    Returns
    -------
    ColumnOrder
    """
    of_codes = code_digests(coded, n_categories)
    return order_of_digests(of_codes, value_digests(coded, np.flatnonzero(are_shared(of_codes))), seed)


def order_of_digests(of_codes: np.ndarray, of_values: np.ndarray, seed: int) -> ColumnOrder:
    """Do what `order_of_coded` does, by `code_digests` and `value_digests` of all features."""
    by_values = np.argsort(of_values, kind="stable")
    feature = by_values[canonical_order(of_codes[by_values], seed)]
    content = np.unique(np.column_stack([of_codes, of_values]), axis=0, return_inverse=True)[1].ravel()
    first = np.full(len(feature), len(feature), np.int32)
    np.minimum.at(first, content, np.arange(len(feature), dtype=np.int32))
    return ColumnOrder(feature, first[content])


def mixed(keys: np.ndarray) -> np.ndarray:
    """Return hashes of keys, uint64 of any shape: the finaliser of splitmix64, a bijection."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def _filled_columns(X: Any) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield the place of each column with cells that are not 0, their rows, and the cells, all NaN alike."""
    if not sp.issparse(X):
        for place, column in enumerate(np.asarray(X, np.float64).T):
            rows = np.flatnonzero(column)
            if len(rows):
                cells = column[rows]
                yield place, rows, np.where(np.isnan(cells), np.nan, cells)
        return
    columns = sp.csc_array(X, dtype=np.float64, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    columns.data[np.isnan(columns.data)] = np.nan
    for place in np.flatnonzero(np.diff(columns.indptr)).tolist():
        own = slice(columns.indptr[place], columns.indptr[place + 1])
        yield place, columns.indices[own], columns.data[own]


def code_digests(coded: Mapping[str, np.ndarray], n_categories: np.ndarray) -> np.ndarray:
    """Return digests of features' codes, uint64 of shape (F,); parameters as of `order_of_coded`."""
    return np.frombuffer(b"".join(_code_digests(coded, n_categories)), "<u8").astype(np.uint64)


def are_shared(of_codes: np.ndarray) -> np.ndarray:
    """Return which features share their codes with another one, bool of shape (F,)."""
    _, same, count = np.unique(of_codes, return_inverse=True, return_counts=True)
    return count[same] > 1


def _code_digests(coded: Mapping[str, np.ndarray], n_categories: np.ndarray) -> Iterator[bytes]:
    """Yield 8 bytes a feature: the same for features with the same codes."""
    rest, n_listed = coded["rest"].tolist(), coded["n_listed"].tolist()
    row, code = (coded[name].astype("<i4", copy=False).data.cast("B") for name in ("row", "code"))
    codes = iter(coded["codes"].reshape(max(1, rest.count(-1)), -1).astype("<i4", copy=False))
    cell = 0
    alike: dict[tuple[int, int], bytes] = {}  # of features without a listed row
    for rest_code, listed, categories in zip(rest, n_listed, n_categories.tolist(), strict=True):
        if not listed and (rest_code, categories) in alike:
            yield alike[rest_code, categories]
            continue
        content = hashlib.blake2b(b"%d %d %d " % (rest_code, categories, listed), digest_size=8)
        if rest_code < 0:
            content.update(next(codes))
        else:
            content.update(row[4 * cell : 4 * (cell + listed)])
            content.update(code[4 * cell : 4 * (cell + listed)])
            cell += listed
        digest = content.digest()
        if not listed and rest_code >= 0:
            alike[rest_code, categories] = digest
        yield digest


def value_digests(coded: Mapping[str, np.ndarray], features: np.ndarray | None = None) -> np.ndarray:
    """Return digests of the values of all features, or of some and 0 of the others; uint64 of shape (F,)."""
    n_values = coded["n_values"]
    end = np.cumsum(n_values, dtype=np.int64)
    digests = np.zeros(len(n_values), np.uint64)
    asked = np.arange(len(n_values)) if features is None else features
    single = asked[n_values[asked] == 1]  # empty columns, of which there may be millions
    held, same = np.unique(_plain(coded["values"][end[single] - 1]).view(np.uint64), return_inverse=True)
    digests[single] = np.array([_value_digest(value) for value in held], np.uint64)[same]
    for feature in asked[n_values[asked] != 1].tolist():
        own = coded["values"][end[feature] - n_values[feature] : end[feature]]
        digests[feature] = _value_digest(_plain(own))
    return digests


def _plain(values: np.ndarray) -> np.ndarray:
    return values.astype("<f8") + 0.0  # -0.0 is the same value as 0.0


def _value_digest(values: np.ndarray) -> int:
    return int.from_bytes(hashlib.blake2b(values.tobytes(), digest_size=8).digest(), "little")
