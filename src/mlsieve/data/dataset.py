"""The canonical dataset: what every reader makes and every method takes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.examples import formerly, require_labels, require_same_index, require_same_rows
from mlsieve.data.exchange.frame_labels import named_labels, of_hierarchy
from mlsieve.data.frames import as_pandas, feature_table, require_features
from mlsieve.errors import InvalidSetting, number_of, printable
from mlsieve.files.arrays import complete, require_starts, texts_from
from mlsieve.files.checked import csr_from, is_texts, require_finite, require_json
from mlsieve.files.names import require_npz
from mlsieve.files.numbered import names_from, text_array
from mlsieve.files.ownership import require_own
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.hierarchy import Hierarchy


@dataclass(frozen=True)
class Dataset:
    """Multi-label data: features, labels, a split, and the names of things.

    Attributes
    ----------
    name : str
        Dataset id.
    X : ndarray of float64, shape (n, F), C-contiguous, or scipy.sparse.csr_array of float64
        Features of all rows. Nominal features hold the category's position in the declaration (0, 1, ...).
        A missing value is NaN, in sparse data an explicit NaN.
    Y : scipy.sparse.csr_array of uint8, shape (n, L)
        Labels; stored entries are all 1, column indices sorted within a row.
    train_mask : ndarray of bool, shape (n,)
        True for the rows of the training part. All True where the data have no test part.
    nominal : ndarray of bool, shape (F,)
        True for nominal features.
    categories : tuple of F tuples of str
        Declared values of each nominal feature, fixed over train and test; empty for a numeric one.
    feature_names, label_names : sequence of str
        A tuple; or, of columns that are numbered, a sequence that equals one and makes each name when it is
        asked for, see `mlsieve.files.numbered.Numbered`.
    task : {"mlc", "hmlc"}
    official_split : bool
        False where `train_mask` did not come with the data.
    facts : dict
        JSON-serialisable extras (source files, their checksums, reference, ...).
    hierarchy : Hierarchy or None
        Of the labels, with their names; None for flat data. Y then holds, with each class, all above it.
    """

    name: str
    X: Any
    Y: sp.csr_array
    train_mask: np.ndarray
    nominal: np.ndarray
    categories: tuple[tuple[str, ...], ...]
    feature_names: Sequence[str]
    label_names: Sequence[str]
    task: str = "mlc"
    official_split: bool = True
    facts: dict[str, Any] = field(default_factory=dict)
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        n, n_features = self.X.shape
        checks = {
            "Y": self.Y.shape[0] == n,
            "train_mask": self.train_mask.shape == (n,) and self.train_mask.dtype == np.bool_,
            "nominal": self.nominal.shape == (n_features,) and self.nominal.dtype == np.bool_,
            "categories": len(self.categories) == n_features,
            "feature_names": len(self.feature_names) == n_features,
            "label_names": len(self.label_names) == self.Y.shape[1],
            "X": self.X.dtype == np.float64,
            "task": self.task == ("mlc" if self.hierarchy is None else "hmlc"),
            "hierarchy": self.hierarchy is None
            or (self.hierarchy.names == self.label_names and self.hierarchy.is_closed(self.Y)),
        }
        wrong = [name for name, fits in checks.items() if not fits]
        if wrong:
            raise ValueError(
                f"dataset {self.name!r}: {', '.join(wrong)} do not fit X of shape {self.X.shape}"
            )

    @classmethod
    @formerly(Y="y")
    def from_frame(
        cls,
        X: Any,
        y: Any,
        *,
        train_mask: Any = None,
        test: tuple[Any, Any] | None = None,
        hierarchy: Any = None,
        name: str = "frame",
    ) -> Dataset:
        """Make a dataset of pandas objects or arrays.

        Parameters
        ----------
        X : DataFrame, array or scipy.sparse array, shape (n, F)
            Columns of texts or of dtype ``category`` become nominal features, all others are numbers; None,
            NaN and NA are missing. See `mlsieve.data.frames.FrameColumns`.
        y : DataFrame, array or scipy.sparse array of 0/1 or bool, shape (n, L); or Series or list of lists
            The labels of all rows, or the list of labels that each row has. A frame may also hold yes and no,
            true and false, or -1 and 1, as files may.
        train_mask : array-like of bool, shape (n,), optional
            The rows of the training part; default all.
        test : pair of X and y, optional
            The test part, in place of `train_mask`. Categories that only it has come behind the others.
        hierarchy : Hierarchy, or iterable of (parent, child) pairs of str, optional
            Of the labels; it may have further classes. Rows then have all classes above their own.
        name : str

        Raises
        ------
        InvalidSetting
            A ValueError, if numbers of rows differ or are 0, pandas objects have different indexes, there is
            no feature or no label, a label is neither 0 nor 1, or a column holds dates, lists, infinite
            values, or a mixture of texts and numbers.
        """
        if test is not None and (
            train_mask is not None or not isinstance(test, tuple | list) or len(test) != 2
        ):
            raise InvalidSetting(
                "the test part must be a pair of X and y, without a train_mask", hint="give test=(X, y)"
            )
        X, y = as_pandas(X), as_pandas(y)
        parts = [(X, y)] if test is None else [(X, y), tuple(map(as_pandas, test))]
        for features, labels in parts:
            require_same_rows(features, labels)
        if not (np.shape(X)[0] if hasattr(X, "shape") else len(X)):
            raise InvalidSetting("X and y have no rows", hint="give at least one example")
        table = feature_table([features for features, _ in parts])
        matrices, label_names = named_labels([labels for _, labels in parts])
        labels = sp.csr_array(sp.vstack(matrices, format="csr"))
        if hierarchy is not None:
            labels, label_names, hierarchy = of_hierarchy(labels, label_names, hierarchy)
        require_labels(labels)
        if train_mask is not None:
            require_same_index(X, train_mask, "train_mask")
        n = table.X.shape[0]
        mask = np.arange(n) < matrices[0].shape[0] if train_mask is None else np.asarray(train_mask)
        if mask.shape != (n,) or mask.dtype != np.bool_:
            raise InvalidSetting(
                f"train_mask has the shape {mask.shape} and the dtype {mask.dtype}",
                hint=f"give {n} booleans, one for each row",
            )
        whole = test is None and train_mask is None
        return cls(
            name=name,
            X=table.X,
            Y=labels,
            train_mask=mask,
            nominal=table.nominal,
            categories=table.categories,
            feature_names=table.names,
            label_names=label_names,
            task="mlc" if hierarchy is None else "hmlc",
            official_split=not whole,
            facts={"whole": True} if whole else {},
            hierarchy=hierarchy,
        )

    def __repr__(self) -> str:
        n_test = self.X.shape[0] - self.n_train
        parts = [
            f"{self.n_train} training and {number_of(n_test, 'test row')}",
            number_of(self.X.shape[1], "feature") + (", sparse" if self.is_sparse else ""),
            number_of(self.Y.shape[1], "label") + ("" if self.hierarchy is None else " in a hierarchy"),
        ]
        return printable(f"<Dataset '{self.name}': {', '.join(parts)}>")

    def _repr_html_(self) -> str:
        """Return the summary that a notebook shows: `counts` and the first names."""
        rows = {name: f"{value:.6g}" for name, value in self.counts().items()}
        for what, names in (("features", self.feature_names), ("labels", self.label_names)):
            rows[what] = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        cells = "".join(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in rows.items())
        return f"<table><caption>Dataset '{escape(self.name)}'</caption>{cells}</table>"

    @property
    def is_sparse(self) -> bool:
        """Whether X is a sparse array."""
        return sp.issparse(self.X)

    @property
    def n_train(self) -> int:
        """Number of rows of the training part."""
        return int(self.train_mask.sum())

    @property
    def X_train(self) -> Any:
        """Features of the training part."""
        return self.X if self.train_mask.all() else self.X[np.flatnonzero(self.train_mask)]

    @property
    def X_test(self) -> Any:
        """Features of the test part."""
        return self.X[np.flatnonzero(~self.train_mask)]

    @property
    def Y_train(self) -> sp.csr_array:
        """Labels of the training part."""
        return self.Y if self.train_mask.all() else self.Y[np.flatnonzero(self.train_mask)]

    @property
    def Y_test(self) -> sp.csr_array:
        """Labels of the test part."""
        return self.Y[np.flatnonzero(~self.train_mask)]

    @property
    def label_cardinality(self) -> float:
        """Mean number of labels of an example, over all rows."""
        return float(self.Y.nnz / self.Y.shape[0]) if self.Y.shape[0] else 0.0

    def counts(self) -> dict[str, float]:
        """Return what describes the data in a table.

        Keys: n_train, n_test, F (features), F_numeric, F_nominal, L (labels), cardinality, distinct (label
        sets), missing (cells), nonzeros (cells that hold something else than 0). With a hierarchy also edges
        (those from the root among them), depth (of the deepest class; 1 at the top), leaves, and
        several_parents (classes that have them).
        """
        rows = {
            self.Y.indices[a:b].tobytes() for a, b in zip(self.Y.indptr[:-1], self.Y.indptr[1:], strict=True)
        }
        values = self.X.data if self.is_sparse else self.X
        return {
            "n_train": self.n_train,
            "n_test": int(self.X.shape[0] - self.n_train),
            "F": int(self.X.shape[1]),
            "F_numeric": int((~self.nominal).sum()),
            "F_nominal": int(self.nominal.sum()),
            "L": int(self.Y.shape[1]),
            "cardinality": self.label_cardinality,
            "distinct": len(rows),
            "missing": int(np.isnan(values).sum()),
            "nonzeros": int(np.count_nonzero(values)),
            **({} if self.hierarchy is None else _hierarchy_counts(self.hierarchy)),
        }

    def summary(self) -> str:
        """Return one line: rows, features, labels, cardinality, missing cells, columns left out."""
        counts = self.counts()
        rows = number_of(counts["n_train"] + counts["n_test"], "row")
        if counts["n_test"]:
            rows = f"{counts['n_train']} training and {counts['n_test']} test rows"
        features = f"{counts['F_numeric']} numeric and {counts['F_nominal']} nominal features"
        labels = number_of(counts["L"], "label")
        if self.hierarchy is not None:
            shape = "a tree" if self.hierarchy.is_tree else "a graph"
            labels = f"{number_of(counts['L'], 'class')} in {shape} of {number_of(counts['depth'], 'level')}"
        cardinality = f"cardinality {counts['cardinality']:.3f}"
        missing = number_of(counts["missing"], "missing cell")
        without = self.facts.get("left_out", [])
        left_out = (
            f", left out: {', '.join(without[:5])}{', ...' if len(without) > 5 else ''}" if without else ""
        )
        return printable(f"{self.name}: {rows}, {features}, {labels}, {cardinality}, {missing}{left_out}")

    def with_split(self, train_mask: np.ndarray, official: bool = False) -> Dataset:
        """Return the same data with another split."""
        return replace(self, train_mask=np.ascontiguousarray(train_mask, dtype=bool), official_split=official)

    def flattened(self) -> Dataset:
        """Return the same data with the classes of the hierarchy, those above others too, as flat labels."""
        return replace(self, task="mlc", hierarchy=None)

    def with_rows(self, rows: np.ndarray) -> Dataset:
        """Return some of the rows, given by their numbers or a mask, in this order."""
        return replace(self, X=self.X[rows], Y=self.Y[rows], train_mask=self.train_mask[rows])

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the dataset to an .npz file (no pickles, checksum inside, equal bytes for equal data).

        Parameters
        ----------
        path : path-like
            Ends in .npz.
        overwrite : bool
            Whether a file that mlsieve did not write may be replaced.

        Raises
        ------
        UserError
            If the file cannot be written, its name has another ending, or another program's file has it.
        InvalidSetting
            A ValueError, if there is no feature or no label.
        """
        require_npz(path)
        require_labels(self.Y)
        require_features(self.X)
        if not overwrite:
            require_own(path)
        arrays = {
            "Y_indptr": self.Y.indptr.astype(np.int64),
            "Y_indices": self.Y.indices.astype(np.int32),
            "train_mask": self.train_mask,
            "nominal": self.nominal,
            "feature_names": text_array(self.feature_names),
            "label_names": text_array(self.label_names),
            "categories": text_array([value for values in self.categories for value in values]),
            "categories_indptr": np.concatenate([[0], np.cumsum(_sizes(self.categories))]),
        }
        if self.is_sparse:
            arrays |= {
                "X_data": self.X.data,
                "X_indices": self.X.indices.astype(np.int32),
                "X_indptr": self.X.indptr.astype(np.int64),
            }
        else:
            arrays["X"] = self.X
        if self.hierarchy is not None:
            arrays |= {
                "hierarchy_start": self.hierarchy.parent_start.astype(np.int64),
                "hierarchy_parent": self.hierarchy.parent_index.astype(np.int32),
            }
        meta = {
            "name": self.name,
            "shape": list(self.X.shape),
            "task": self.task,
            "official_split": self.official_split,
            "facts": self.facts,
        }
        write_arrays(path, "dataset", arrays, meta)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Dataset:
        """Read what `save` wrote.

        Raises
        ------
        UserError
            If the file is missing, damaged, or not a dataset.
        """
        arrays, meta = read_arrays(path, "dataset")
        with complete(path, "dataset", "prepare it again"):
            n, n_features = meta["shape"]
            if "X" in arrays:
                X = np.ascontiguousarray(arrays["X"])
            else:
                X = csr_from(arrays["X_data"], arrays["X_indices"], arrays["X_indptr"], (n, n_features))
            if X.shape != (n, n_features):
                raise ValueError("its values have another shape than it states")
            indices = arrays["Y_indices"]
            label_names = names_from(arrays["label_names"])
            Y = csr_from(np.ones(len(indices), np.uint8), indices, arrays["Y_indptr"], (n, len(label_names)))
            hierarchy = None
            if "hierarchy_start" in arrays:
                hierarchy = Hierarchy(
                    tuple(label_names), arrays["hierarchy_start"], arrays["hierarchy_parent"]
                )
            values, starts = texts_from(arrays["categories"]), arrays["categories_indptr"]
            require_starts(starts, n_features, len(values))
            places = np.flatnonzero(np.diff(starts)).tolist()
            own = {place: values[starts[place] : starts[place + 1]] for place in places}
            require_json(meta, {"name": str, "task": str, "official_split": bool, "facts": dict})
            require_json(meta["facts"], {"whole": bool, "discretised": dict})
            if not is_texts(meta["facts"].get("left_out", [])):
                raise ValueError("the features that were left out are not names")
            dataset = cls(
                name=meta["name"],
                X=X,
                Y=Y,
                train_mask=arrays["train_mask"],
                nominal=arrays["nominal"],
                categories=categories_of(n_features, own),
                feature_names=names_from(arrays["feature_names"]),
                label_names=label_names,
                task=meta["task"],
                official_split=meta["official_split"],
                facts=meta["facts"],
                hierarchy=hierarchy,
            )
            _require_values(dataset)
            return dataset


def _require_values(dataset: Dataset) -> None:
    """Raise ValueError unless values are numbers or missing, and those of nominal features are categories."""
    X, sizes = dataset.X, _sizes(dataset.categories)
    require_finite("its values", X.data if dataset.is_sparse else X, missing=True)
    if (sizes[~dataset.nominal] > 0).any():
        raise ValueError("a numeric feature has categories")
    if dataset.is_sparse:
        of_nominal = dataset.nominal[X.indices]
        codes, most = X.data[of_nominal], sizes[X.indices[of_nominal]]
    else:
        codes, most = X[:, dataset.nominal], sizes[dataset.nominal]
    if not (np.isnan(codes) | ((codes >= 0) & (codes < most) & (codes == np.floor(codes)))).all():
        raise ValueError("a nominal feature has a value that is none of its categories")


def _hierarchy_counts(hierarchy: Hierarchy) -> dict[str, float]:
    parents = np.diff(hierarchy.parent_start)
    return {
        "edges": hierarchy.n_edges + int((parents == 0).sum()),
        "depth": int(hierarchy.depth.max()) + 1 if hierarchy.n_classes else 0,
        "leaves": int((np.diff(hierarchy.child_csr[0]) == 0).sum()),
        "several_parents": int((parents > 1).sum()),
    }


def _sizes(categories: Sequence[Sequence[str]]) -> np.ndarray:
    return np.fromiter(map(len, categories), np.int64, len(categories))


def categories_of(n_features: int, declared: Mapping[int, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return `Dataset.categories`, given those of the nominal features by position."""
    categories: list[tuple[str, ...]] = [()] * n_features
    for place, values in declared.items():
        categories[place] = values
    return tuple(categories)


def label_matrix(positives: Sequence[Sequence[int]], n_labels: int) -> sp.csr_array:
    """Return the canonical CSR label matrix from the positive label indices of each row."""
    indptr = np.cumsum([0, *map(len, positives)], dtype=np.int64)
    indices = np.array([j for row in positives for j in sorted(row)], dtype=np.int32)
    return sp.csr_array((np.ones(len(indices), np.uint8), indices, indptr), shape=(len(positives), n_labels))
