"""Rows divided by a seed, into folds or a training and a test part; and a record of the rows of a part."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlsieve.data.column_contents import canonical_order, column_digests, content_digest, row_digests
from mlsieve.data.dataset import Dataset
from mlsieve.errors import DataNotice, UserError, did_you_mean, number_of, shortened
from mlsieve.seeds import derive_seed

SPLITS = ("official", "holdout")
FOLDS = ("auto", "random", "stratified", "stratified-pairs")
TRAIN_SHARE = 2 / 3
_TABLE = 2**26  # entries of a table of all pairs; above it, the pairs that occur are sorted


class Division(NamedTuple):
    """Rows divided into parts.

    Attributes
    ----------
    part : ndarray of int32, shape (n,)
        The part of each row, from 0.
    kind : {"random", "stratified", "stratified-pairs"}
        How they were divided.
    left_out : int
        Labels that a part lacks though they have examples enough for every part.
    avoided : int
        Labels that a random division leaves out so; 0 where none was looked at.
    """

    part: np.ndarray
    kind: str
    left_out: int
    avoided: int = 0


def divide(dataset: Dataset, weights: np.ndarray, places: np.ndarray, seed: int, folds: str) -> Division:
    """Divide the rows of a dataset: every seeded split and every division into folds is made here.

    Parameters
    ----------
    dataset : Dataset
    weights : ndarray of int, shape (K,)
        A part should have the share weight / (sum of weights) of a label's examples. A label with less than
        one example for some part cannot be in all of them, and does not count as left out.
    places : ndarray of int, shape (n,)
        The part of the row that a random permutation puts first, second, ...; how often a part occurs is its
        size, of stratified parts, too.
    seed : int
        In [0, 2**53).
    folds : {"auto", "random", "stratified", "stratified-pairs"}
        stratified: by labels, stratified-pairs: by pairs of labels, see `stratified_parts`. auto: random,
        or stratified if a random division leaves out a label.

    Returns
    -------
    Division
        Each row has a part from 0 to K - 1.

    Raises
    ------
    UserError
        On another kind of folds.
    """
    if folds not in FOLDS:
        raise UserError(f"unknown kind of folds '{folds}'", hint=did_you_mean(folds, FOLDS))
    avoided = 0
    if folds in ("auto", "random"):
        part = _drawn(places, seed)
        avoided = _left_out(dataset, part, weights)
        if folds == "random" or not avoided:
            return Division(part, "random", avoided)
    kind = "stratified" if folds == "auto" else folds
    order = canonical_order(digests_of_rows(dataset), seed)
    sizes = np.bincount(places, minlength=len(weights))
    part = stratified_parts(dataset.Y, sizes, weights, order, seed, pairs=kind == "stratified-pairs")
    return Division(part, kind, _left_out(dataset, part, weights), avoided)


def stratified_parts(
    Y: sp.csr_array, sizes: np.ndarray, weights: np.ndarray, order: np.ndarray, seed: int, *, pairs: bool
) -> np.ndarray:
    """Return the part of each row.

    Of the labels that rows without a part have, the rarest among these rows comes first. Each of its rows
    goes to the part that lacks most of the label's examples; of equal ones to the part that lacks most
    examples of the row's labels together, then to the one that lacks most rows. Rows without a label fill the
    parts. In the end, rows move from parts with too many to parts with too few, those first whose labels gain
    most by it.

    Parameters
    ----------
    Y : csr_array of shape (n, L)
        Labels; stored entries are all 1.
    sizes : ndarray of int, shape (K,)
        Rows of each part; their sum is n.
    weights : ndarray of int, shape (K,)
        Above 0; a part should have the share weight / (sum of weights) of a label's examples.
    order : ndarray of int, shape (n,)
        The rows in the order in which those of a label are taken.
    seed : int
        In [0, 2**53): decides between labels, and between parts, that are equal otherwise.
    pairs : bool
        Whether pairs of labels take the place of labels.

    Returns
    -------
    ndarray of int32, shape (n,)
        From 0 to K - 1. It does not depend on the order of the labels, nor on that of the rows where `order`
        follows them.

    Notes
    -----
    First order: K. Sechidis, G. Tsoumakas, I. Vlahavas, ECML PKDD 2011, algorithm 1. Second order, with pairs
    and each label with itself: P. Szymański, T. Kajdanowicz, LIDTA 2017. The papers draw where parts lack
    equally many examples and rows, and sizes are near those asked for.
    """
    from mlsieve._kernels.common.stratification import stratify

    labels = sp.csr_array(Y[order], dtype=np.float64)
    labels = labels[:, canonical_order(column_digests(labels), seed)]
    labels.sort_indices()
    strata, is_label = _pairs_of(labels) if pairs else (labels, np.ones(labels.shape[1], np.uint8))
    columns = strata.tocsc()
    draws = np.random.Generator(np.random.Philox(seed)).random(len(order))
    parts = np.full(len(order), -1, np.int32)
    stratify(
        strata.indptr.astype(np.int64),
        strata.indices.astype(np.int32),
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.int32),
        is_label,
        weights.astype(np.int64),
        sizes.astype(np.int64),
        draws,
        parts,
    )
    found = np.empty_like(parts)
    found[order] = parts
    return found


def _pairs_of(labels: sp.csr_array) -> tuple[sp.csr_array, np.ndarray]:
    """Return the pairs of labels that each row has, and which of them are a label with itself.

    The first is a csr_array of ones, shape (n, pairs that occur), the second uint8 of that many.
    """
    n, n_labels = labels.shape
    places = np.arange(labels.nnz)
    counts = np.repeat(labels.indptr[1:], np.diff(labels.indptr)) - places  # of pairs with an entry first
    starts = places - np.cumsum(counts) + counts
    second = labels.indices[np.repeat(starts, counts) + np.arange(counts.sum())]
    codes = np.repeat(labels.indices.astype(np.int64) * n_labels, counts) + second
    if n_labels**2 <= _TABLE:
        occurs = np.zeros(n_labels**2, bool)
        occurs[codes] = True
        known = np.flatnonzero(occurs)
        pairs = (np.cumsum(occurs, dtype=np.int32) - 1)[codes]
    else:
        known, pairs = np.unique(codes, return_inverse=True)
    before = np.concatenate([[0], np.cumsum(counts)])
    ones = np.ones(len(pairs), np.uint8)
    strata = sp.csr_array((ones, pairs, before[labels.indptr]), shape=(n, len(known)))
    return strata, (known // n_labels == known % n_labels).astype(np.uint8)


def _drawn(places: np.ndarray, seed: int) -> np.ndarray:
    part = np.empty(len(places), np.int32)
    part[np.random.Generator(np.random.Philox(seed)).permutation(len(places))] = places
    return part


def _left_out(dataset: Dataset, part: np.ndarray, weights: np.ndarray) -> int:
    counts = np.stack([dataset.Y[np.flatnonzero(part == each)].sum(axis=0) for each in range(len(weights))])
    enough = counts.sum(axis=0, dtype=np.int64) * int(weights.min()) >= int(weights.sum())
    return int(((counts == 0).any(axis=0) & enough).sum())


def split_dataset(
    dataset: Dataset,
    split: str = "official",
    *,
    study_seed: int = 0,
    repeat: int = 0,
    train_share: float = TRAIN_SHARE,
    folds: str = "auto",
) -> Dataset:
    """Return the dataset with the split asked for.

    Parameters
    ----------
    dataset : Dataset
    split : {"official", "holdout"}, default "official"
        official: the split that comes with the data; a seeded one for a catalog's set without one; a user's
        own file without a test part (``facts["whole"]``) stays whole. holdout: always a seeded one.
    study_seed : int, default 0
    repeat : int, default 0
        The seeded split depends on study seed, name of the dataset and repeat only, so that all methods
        share it; a stratified one also on the content of the rows, but not on their order.
    train_share : float, default 2/3
        Share of the rows that a seeded split learns from, within (0, 1).
    folds : {"auto", "random", "stratified", "stratified-pairs"}, default "auto"
        How a seeded split is made, see `divide`.

    Raises
    ------
    UserError
        For another split, share or kind of folds, or if a part of a seeded split would be empty.
    """
    if split not in SPLITS:
        raise UserError(f"unknown split '{split}'", hint=did_you_mean(split, SPLITS))
    if not 0 < train_share < 1:
        raise UserError(
            f"training share must be above 0 and below 1, got {train_share:g}", hint="give e.g. 0.7"
        )
    if split == "official" and (dataset.official_split or dataset.facts.get("whole")):
        return dataset
    n = dataset.X.shape[0]
    if n < 2:
        raise UserError(
            f"dataset '{dataset.name}' has {number_of(n, 'row')}, too few for a training and a test part",
            hint="give more rows",
        )
    seed = derive_seed(study_seed, dataset.name, repeat)
    mask = training_mask(dataset, seed, train_share, folds, f"the seeded split {repeat}")
    return dataset.with_split(mask, official=False)


def holdout_size(n: int, train_share: float = TRAIN_SHARE) -> int:
    """Return how many of n rows (at least 2) a seeded split learns from: never none, never all."""
    return min(max(round(n * train_share), 1), n - 1)


def holdout_mask(n: int, seed: int, train_share: float = TRAIN_SHARE) -> np.ndarray:
    """Return a mask of shape (n,), dtype bool, True for a random share of the rows (rounded to the nearest).

    Parameters
    ----------
    n : int
        At least 2, so that neither part is empty.
    seed : int
        In [0, 2**53).
    train_share : float
        Within (0, 1).
    """
    n_train = holdout_size(n, train_share)
    return _drawn(np.repeat([0, 1], [n_train, n - n_train]), seed) == 0


def training_mask(dataset: Dataset, seed: int, train_share: float, folds: str, what: str) -> np.ndarray:
    """Return a mask as `holdout_mask` does, of the rows of a dataset divided as `folds` says; see `divide`.

    A notice says of `what` that it is stratified, if it is only because a random division leaves out a label.
    """
    n = dataset.X.shape[0]
    sizes = np.array([holdout_size(n, train_share), n - holdout_size(n, train_share)])
    found = divide(dataset, sizes, np.repeat([0, 1], sizes), seed, folds)
    if found.avoided and found.kind != "random":
        labels = f"{found.avoided} of {number_of(dataset.Y.shape[1], 'label')}"
        why = f"a random one leaves out {labels} in one part (else --folds random)"
        notice = f"{what} of dataset '{dataset.name}' is stratified by labels, because {why}"
        warnings.warn(DataNotice(notice), stacklevel=3)
    return found.part == 0


def record_of_rows(dataset: Dataset, rows: str, split: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record of the rows that a method learns from, by which they are recognised later.

    Parameters
    ----------
    dataset : Dataset
    rows : {"train", "all"}
        The training part, or all rows.
    split : mapping
        How the training part was chosen: kind, seed, repeat, share.

    Returns
    -------
    dict
        JSON-serialisable: the dataset's name, its number of rows (`n_dataset_rows`) and the digest of its
        content (`data`); the numbers of the learned rows from 0 (`rows`, such as ``0-390,392``), how many
        they are (`n_rows`) and the digest of their content (`part`); a digest of each (`contents`, see
        `contents_as_text`); and the split. Digests are those of `mlsieve.data.column_contents`: they do not
        depend on a file's name or format.
    """
    n = dataset.X.shape[0]
    learned = np.ones(n, bool) if rows == "all" else dataset.train_mask
    whole = digest_of_rows(dataset)
    return {
        "dataset": dataset.name,
        "data": whole,
        "n_dataset_rows": n,
        "part": whole if learned.all() else digest_of_rows(dataset, learned),
        "n_rows": int(learned.sum()),
        "rows": rows_as_text(learned),
        "contents": contents_as_text(digests_of_rows(dataset)[learned]),
        "split": {**split, "rows": rows},
    }


def digest_of_rows(dataset: Dataset, mask: np.ndarray | None = None) -> str:
    """Return the digest of the content of a dataset, or of the rows for which a bool mask (n,) is True."""
    X, Y = dataset.X, dataset.Y
    if mask is not None:
        chosen = np.flatnonzero(mask)
        X, Y = X[chosen], Y[chosen]
    return content_digest(X, Y, dataset.feature_names, dataset.label_names)


def digests_of_rows(dataset: Dataset) -> np.ndarray:
    """Return a digest of each row of a dataset, uint64 of shape (n,); see `row_digests`."""
    return row_digests(dataset.X, dataset.Y, dataset.feature_names, dataset.label_names, dataset.categories)


def contents_as_text(digests: np.ndarray) -> str:
    """Return digests below 2**48 as text, in rising order: base64 of 6 bytes each, the lowest first."""
    ordered = np.sort(digests).astype("<u8")
    return base64.b64encode(ordered.view(np.uint8).reshape(-1, 8)[:, :6].tobytes()).decode()


def contents_from_text(text: str) -> np.ndarray:
    """Return what `contents_as_text` wrote down, uint64.

    Raises
    ------
    ValueError
        On another form of text.
    """
    content = np.frombuffer(base64.b64decode(text, validate=True), np.uint8).reshape(-1, 6)
    padded = np.zeros((len(content), 8), np.uint8)
    padded[:, :6] = content
    return padded.view("<u8").ravel().astype(np.uint64)


def repeated_rows(tested: np.ndarray, learned: np.ndarray) -> tuple[int, bool]:
    """Return how many test rows equal a learned row, and whether these are more than chance explains.

    Parameters
    ----------
    tested, learned : ndarray of uint64
        Digests of rows.

    Notes
    -----
    Rows of few categories repeat by chance. The share of learned rows that equal another learned row says how
    often: the limit is three standard errors of that share above it, and one test row in twenty more.
    """
    n_equal = int(np.isin(tested, learned).sum())
    if n_equal < 2:
        return n_equal, False
    counts = np.unique(learned, return_counts=True)[1]
    share = counts[counts > 1].sum() / len(learned)
    limit = share + 3 * np.sqrt(share * (1 - share) / len(tested)) + 0.05
    return n_equal, bool(n_equal > limit * len(tested))


def rows_as_text(mask: np.ndarray) -> str:
    """Return the positions at which a bool mask of shape (n,) is True, such as ``0-390,392``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    runs = zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True)
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def rows_from_text(text: str, n: int) -> np.ndarray:
    """Return what `rows_as_text` wrote down, a bool mask of shape (n,).

    Raises
    ------
    ValueError
        On another form of text, or rows that do not rise or are not among the first n.
    """
    mask, before = np.zeros(n, bool), -1
    for run in text.split(",") if text else ():
        first, _, last = run.partition("-")
        begin, end = int(first), int(last or first)
        if not before < begin <= end < n:
            raise ValueError(f"rows {shortened(run)} are not among {n}, or not in order")
        mask[begin : end + 1] = True
        before = end
    return mask
