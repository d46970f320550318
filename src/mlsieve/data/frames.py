"""pandas DataFrames as mlsieve's arrays: numbers stay numbers, texts and categories become positions."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.whole_numbers import EXACT_UP_TO, OF_ARRAYS, merged_columns, tell_of_long
from mlsieve.errors import InvalidSetting, composed, shortened

# pandas is imported by the functions below: the commands do not wait for it.
if TYPE_CHECKING:
    import pandas as pd

# What `pandas.api.types` calls such a column, what it is, and what to give in its place.
_REFUSED = (
    ("is_datetime64_any_dtype", "dates", "give numbers, such as its year or the days since a date"),
    ("is_timedelta64_dtype", "durations", "give numbers, such as seconds: column.dt.total_seconds()"),
    ("is_complex_dtype", "complex numbers", "give real numbers"),
)
_MIXED_HINT = "convert it: pandas.to_numeric(column) for numbers, column.astype(str) for categories"


def as_pandas(table: Any) -> Any:
    """Return a table or column of Arrow, such as those of Polars and PyArrow, as pandas has it.

    Anything else is returned as it is.

    Raises
    ------
    InvalidSetting
        A ValueError, if it cannot be converted.
    """
    if hasattr(table, "iloc") or not (
        hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")
    ):
        return table
    kind = f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}"
    try:
        found = table.to_pandas()
        if is_frame(found) and (found.select_dtypes("float64").abs() >= EXACT_UP_TO).any(axis=None):
            return table.to_pandas(integer_object_nulls=True)  # large ones beside missing ones stay exact
        return found
    except (AttributeError, ImportError) as error:
        raise InvalidSetting(
            f"a {kind} cannot be converted to pandas ({shortened(str(error))})",
            hint="pip install pyarrow, or give a pandas DataFrame",
        ) from None


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas DataFrame with at least one column that is not stored sparse."""
    if not (hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "dtypes")):
        return False
    import pandas as pd

    return not (X.shape[1] and all(isinstance(dtype, pd.SparseDtype) for dtype in X.dtypes))


@dataclass(frozen=True)
class FrameColumns:
    """How the columns of a DataFrame are coded as numbers.

    A column of bool, of whole numbers or of numbers is numeric, also where its dtype is one of pandas' own
    (``boolean``, ``Int64``, ``Float64``) or ``object``. A column of dtype ``category``, ordered or not, is
    nominal with its declared categories in their order; ``column.cat.codes`` makes numbers of an ordered one.
    A column of texts is nominal with the sorted texts that occur. Missing cells (None, NaN, NA, NaT) are NaN.
    Categories are compared as texts: 1, 1.0 and "1" are the same.

    Attributes
    ----------
    names : tuple of F str
        Of the columns.
    categories : tuple of F tuples of str, or None for a numeric column
    """

    names: tuple[str, ...]
    categories: tuple[tuple[str, ...] | None, ...]

    @classmethod
    def of(cls, frame: pd.DataFrame) -> FrameColumns:
        """Learn the categories of a frame.

        Raises
        ------
        InvalidSetting
            A ValueError, if a column holds dates, durations, complex numbers or a mixture of texts and other
            values, or if two of its categories are the same as texts.
        """
        names = tuple(composed(str(name)) for name in frame.columns)
        if _is_plain(frame):
            return cls(names, (None,) * len(names))
        columns = (frame.iloc[:, place] for place in range(frame.shape[1]))
        return cls(
            names, tuple(_categories(column, name) for column, name in zip(columns, names, strict=True))
        )

    @property
    def nominal(self) -> np.ndarray:
        """Whether each column is nominal; ndarray of bool, shape (F,)."""
        return np.array([values is not None for values in self.categories], dtype=bool)

    @property
    def n_categories(self) -> np.ndarray:
        """Number of categories of each column, 0 for a numeric one; ndarray of int32, shape (F,)."""
        return np.array([len(values or ()) for values in self.categories], dtype=np.int32)

    def with_categories_of(self, frame: pd.DataFrame) -> FrameColumns:
        """Return these columns with the further categories of another frame behind their own.

        Raises
        ------
        InvalidSetting
            If the frame has other columns, or one of another kind.
        """
        other = FrameColumns.of(frame)
        if other.names != self.names:
            raise InvalidSetting(
                f"the columns of the two frames differ: {_difference(self.names, other.names)}",
                hint="give frames with the same columns in the same order",
            )
        merged: list[tuple[str, ...] | None] = []
        for name, own, more in zip(self.names, self.categories, other.categories, strict=True):
            if (own is None) != (more is None) and frame.iloc[:, len(merged)].notna().any():
                kinds = ["numeric" if values is None else "nominal" for values in (own, more)]
                raise InvalidSetting(
                    f"column '{name}' is {kinds[0]} in one frame and {kinds[1]} in the other",
                    hint="give it the same dtype in both",
                )
            merged.append(None if own is None else tuple(dict.fromkeys((*own, *(more or ())))))
        return FrameColumns(self.names, tuple(merged))

    def values(self, frame: pd.DataFrame) -> np.ndarray:
        """Return a frame's cells as numbers: nominal columns hold positions of these columns' categories.

        A category that is not among these is missing (NaN), and a warning names it.

        Parameters
        ----------
        frame : DataFrame, shape (n, F)

        Returns
        -------
        ndarray of float64, shape (n, F), C-contiguous

        Raises
        ------
        InvalidSetting
            If a numeric column holds texts or categories, or a value of a kind that is not accepted.
        """
        if _is_plain(frame) and not self.nominal.any():
            return np.ascontiguousarray(frame.to_numpy(dtype=np.float64))
        out = np.empty(frame.shape, dtype=np.float64)
        for place, (name, categories) in enumerate(zip(self.names, self.categories, strict=True)):
            column = frame.iloc[:, place]
            if categories is not None:
                out[:, place] = _positions(column, name, categories)
            elif _categories(column, name) is None:
                out[:, place] = _numbers(column)
            else:
                raise InvalidSetting(
                    f"column '{name}' holds categories, and held numbers before",
                    hint="give it the dtype that it had then",
                )
        return out

    def coded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the `values` of a frame as a frame with the same index and column names."""
        import pandas as pd

        return pd.DataFrame(self.values(frame), index=frame.index, columns=frame.columns, copy=False)


def _is_plain(frame: pd.DataFrame) -> bool:
    """Return whether all columns have one of numpy's types of numbers, none of which needs a closer look."""
    return all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in frame.dtypes)


def _categories(column: pd.Series, name: str) -> tuple[str, ...] | None:
    """Return the categories of a column as texts; None for a numeric one."""
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _different([category_text(value) for value in column.cat.categories], name)
    for check, what, hint in _REFUSED:
        if getattr(pd.api.types, check)(dtype):
            raise InvalidSetting(f"column '{name}' holds {what}", hint=hint)
    if isinstance(dtype, pd.PeriodDtype | pd.IntervalDtype):
        raise InvalidSetting(
            f"column '{name}' has the dtype {dtype}", hint="give numbers, or astype('category')"
        )
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        return None
    known = _distinct(column, name)
    if all(isinstance(value, numbers.Real | np.bool_) for value in known):
        return None
    if not all(isinstance(value, str) for value in known):
        other = next(value for value in known if not isinstance(value, str))
        kind = "texts and other values" if any(isinstance(value, str) for value in known) else "values"
        raise InvalidSetting(
            f"column '{name}' holds {kind} such as {other!r} ({type(other).__name__})", hint=_MIXED_HINT
        )
    return tuple(sorted({category_text(value) for value in known}))


def _distinct(column: pd.Series, name: str) -> list[Any]:
    """Return the values that occur in a column, those missing left out."""
    try:
        return column[column.notna()].unique().tolist()
    except TypeError:  # what cannot be compared: lists, sets, mappings, arrays
        other = next(value for value in column if getattr(type(value), "__hash__", None) is None)
        raise InvalidSetting(
            f"column '{name}' holds values such as {shortened(repr(other))} ({type(other).__name__})",
            hint="give one column for each value, such as 0/1 columns",
        ) from None


def _different(texts: list[str], name: str) -> tuple[str, ...]:
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise InvalidSetting(
            f"column '{name}' has two categories that read '{twice}'", hint="rename or join them"
        )
    return tuple(texts)


def category_text(value: Any) -> str:
    """Return a category as text; 1.0 reads as 1 does, for a column with missing cells may turn 1 into 1.0."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value))
    if (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool | np.bool_)
        and float(value).is_integer()
    ):
        return str(int(float(value)))
    return composed(str(value))


def _numbers(column: pd.Series) -> np.ndarray:
    if column.dtype == object:
        return column.where(column.notna(), np.nan).astype(np.float64).to_numpy()
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _positions(column: pd.Series, name: str, categories: Sequence[str]) -> np.ndarray:
    """Return the position of each cell's category, NaN for a missing or an unknown one."""
    import pandas as pd

    if column.dtype == object:
        _distinct(column, name)
    codes, values = pd.factorize(column)  # -1 for a missing cell
    place = {category: float(position) for position, category in enumerate(categories)}
    texts = [category_text(value) for value in values]
    unknown = [text for text in texts if text not in place]
    if unknown:
        more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        warnings.warn(
            f"column '{name}' holds the unknown category '{unknown[0]}'{more}: such cells count as missing",
            UserWarning,
            stacklevel=2,
        )
    return np.array([*(place.get(text, np.nan) for text in texts), np.nan])[codes]


def _difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    if len(ours) != len(theirs):
        return f"{len(ours)} and {len(theirs)} columns"
    place = next(place for place, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1])
    return f"column {place} is '{ours[place]}' in one and '{theirs[place]}' in the other"


@dataclass(frozen=True)
class FeatureTable:
    """Features of several parts of a dataset, one below the other, with what a `Dataset` knows of them.

    Attributes
    ----------
    X : ndarray of float64, C-contiguous, or csr_array, shape (n, F)
    nominal : ndarray of bool, shape (F,)
    categories : tuple of F tuples of str, empty for a numeric feature
    names : tuple of F str
    """

    X: Any
    nominal: np.ndarray
    categories: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]


def feature_table(parts: Sequence[Any]) -> FeatureTable:
    """Join the features of a dataset's parts.

    Parameters
    ----------
    parts : sequence of DataFrame, array or scipy.sparse array, shape (n, F)
        All of one kind. Categories that only a later one has come behind those of the first. Features of an
        array are called x0, x1, ...

    Raises
    ------
    InvalidSetting
        A ValueError, if the parts differ in their columns, or a value is of a kind that is not accepted or
        infinite.
    """
    first = parts[0]
    require_features(first)
    for part in parts:
        require_one_level(part, "X")
    if all(is_frame(part) for part in parts):
        columns = FrameColumns.of(first)
        for part in parts[1:]:
            columns = columns.with_categories_of(part)
        X: Any = np.ascontiguousarray(np.vstack([columns.values(part) for part in parts]))
    else:
        widths = {np.shape(part)[1:] for part in parts}
        if len(widths) > 1 or len(next(iter(widths))) != 1:
            raise InvalidSetting(
                "X must be a table, the same columns in each part", hint="give (n, F) arrays"
            )
        n_features = np.shape(first)[1]
        names = getattr(first, "columns", [f"x{place}" for place in range(n_features)])
        columns = FrameColumns(tuple(composed(str(name)) for name in names), (None,) * n_features)
        X = _numeric_parts(parts)
    if len(set(columns.names)) < len(columns.names):
        twice = next(name for name in columns.names if columns.names.count(name) > 1)
        raise InvalidSetting(f"two columns are called '{twice}'", hint="name each column once")
    tell_of_long([columns.names[place] for place in merged_columns(parts)], OF_ARRAYS)
    infinite = np.isinf(X.data if sp.issparse(X) else X)
    if infinite.any():
        place = (sp.csr_array(X).indices[infinite] if sp.issparse(X) else np.argwhere(infinite)[:, 1])[0]
        raise InvalidSetting(
            f"column '{columns.names[place]}' holds an infinite value",
            hint="give a number, or NaN for missing",
        )
    return FeatureTable(
        X, columns.nominal, tuple(values or () for values in columns.categories), columns.names
    )


def require_one_level(table: Any, name: str) -> None:
    """Raise an InvalidSetting if the columns of a DataFrame have names of several levels, a MultiIndex.

    Parameters
    ----------
    table : DataFrame or anything else
    name : str
        What it is called, for the message.
    """
    if getattr(getattr(table, "columns", None), "nlevels", 1) > 1:
        raise InvalidSetting(
            f"the columns of {name} have names of {table.columns.nlevels} levels (a MultiIndex)",
            hint=f"join them: {name}.columns = ['_'.join(map(str, names)) for names in {name}.columns]",
        )


def require_features(X: Any) -> None:
    """Raise an InvalidSetting if a table of features has no columns."""
    if np.shape(X)[1:] == (0,):
        raise InvalidSetting("X has no features", hint="give at least one column")


def _numeric_parts(parts: Sequence[Any]) -> Any:
    """Return parts that hold numbers only, one below the other; sparse if the first is."""
    given = [part.sparse.to_coo() if hasattr(part, "sparse") else part for part in parts]
    try:
        if not sp.issparse(given[0]):
            dense = [part.toarray() if sp.issparse(part) else np.asarray(part, np.float64) for part in given]
            return np.ascontiguousarray(np.vstack(dense), dtype=np.float64)
        stacked = sp.csr_array(sp.vstack([sp.csr_array(part) for part in given], format="csr"))
    except (TypeError, ValueError) as error:
        raise InvalidSetting(
            f"X contains a value that is not a number ({error})",
            hint="give a pandas DataFrame, which may contain texts",
        ) from None
    stacked = sp.csr_array(stacked.astype(np.float64))
    stacked.sum_duplicates()
    stacked.sort_indices()
    return stacked
