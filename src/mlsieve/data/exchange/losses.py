"""What a format cannot hold of a dataset: refused before it is written, or said."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlsieve.data.dataset import Dataset
from mlsieve.data.readers.cells.column import Where
from mlsieve.data.readers.cells.first_rows import holds_values
from mlsieve.data.readers.cells.numbers import is_written_number, numeric_column
from mlsieve.data.readers.delimited import MISSING, RawTable
from mlsieve.errors import UserError, number_of, shortened

_UNTYPED = ("csv", "excel")
_FRAMES = (*_UNTYPED, "parquet", "feather", "r")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_NUMBERED = re.compile(r"y(?:0|[1-9]\d{0,14})")
_SHOWN = 5
_LONGEST_OPTION = 800


def require_holdable(dataset: Dataset, path: str | os.PathLike[str], file_format: str) -> None:
    """Raise for what would come back as something else from a file, with whatever options it is read.

    Raises
    ------
    UserError
        If names are empty or alike as the format is read, or a category of a text table or a sheet would be
        read as a missing cell, or as a formula.
    """
    names = [*dataset.feature_names, *dataset.label_names]
    numbered = file_format in ("prepared", "svmlight", "xmlc")
    twice = sorted(set(dataset.feature_names) & set(dataset.label_names))
    if twice and not numbered:
        raise UserError(
            f"'{shortened(twice[0])}' is the name of a feature and of a label",
            file=path,
            hint="rename one of them",
        )
    if file_format in ("mulan", "meka") and "" in names:
        raise UserError("an ARFF file cannot contain an empty name", file=path, hint="choose another format")
    if file_format in _FRAMES:
        _require_different([name.strip() for name in names], "name", path)
    if file_format not in _UNTYPED:
        return
    for j, name in enumerate(dataset.feature_names):
        for category in _occurring(dataset, j):
            if category.strip() in MISSING:
                raise UserError(
                    f"category '{category}' of '{shortened(name)}' would be read as a missing cell",
                    file=path,
                    hint="choose another format, such as .arff or .parquet",
                )
            names.append(category)
        stripped = [category.strip() for category in _occurring(dataset, j)]
        _require_different(stripped, f"category of '{shortened(name)}'", path)
    if file_format == "excel":
        _require_in_sheet(names, path)


def _require_different(texts: Sequence[str], what: str, path: str | os.PathLike[str]) -> None:
    """Raise for texts that are empty or the same without the blanks around them, which readers take away."""
    odd = next((text for text, times in Counter(texts).items() if not text or times > 1), None)
    if odd is not None:
        problem = f"one more '{shortened(odd)}'" if odd else "an empty one"
        raise UserError(
            f"without the spaces around it, each {what} must differ, and there is {problem}",
            file=path,
            hint="rename it, or choose another format, such as .arff",
        )


def _require_in_sheet(texts: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Raise for texts that the cells of an .xlsx file do not hold as they are."""
    for text in texts:
        control = _CONTROL.search(text)
        if control or (text.startswith("=") and not os.fspath(path).lower().endswith(".ods")):
            what = (
                "holds a control character, which a sheet cannot" if control else "would be read as a formula"
            )
            raise UserError(
                f"'{shortened(text)}' {what}", file=path, hint="choose another format, such as .parquet"
            )


def losses(dataset: Dataset, file_format: str) -> list[str]:
    """Return what a file of a format does not say of a dataset, in clauses without a full stop."""
    if file_format == "prepared":
        return []
    said = []
    if not dataset.train_mask.all() and dataset.train_mask.any():
        said.append("the split into training and test rows is lost (--part writes one of them)")
    if file_format in ("svmlight", "xmlc"):
        said += _of_numbered(dataset, file_format)
    if file_format in _FRAMES:
        said += _of_names(dataset)
    if file_format in _UNTYPED:
        said += _of_categories(dataset)
    if file_format == "excel" and not dataset.is_sparse and _has_long_numbers(dataset.X):
        said.append("numbers are rounded to 16 digits")
    return said


def numbers_in_file(dataset: Dataset, file_format: str) -> tuple[int, Sequence[int]]:
    """Return the number of the first feature and those of the labels in a svmlight or XMLC file.

    Names that come from such a file, x7 and y3, keep their numbers where the format can.
    """
    labels = range(len(dataset.label_names))
    if file_format == "xmlc":
        return 0, labels
    columns = dataset.X.nonzero()[1]
    names = tuple(f"x{j}" for j in range(len(dataset.feature_names)))
    first = 0 if dataset.feature_names == names and (columns == 0).any() else 1
    numbers = [int(name[1:]) for name in dataset.label_names if _NUMBERED.fullmatch(name)]
    return first, numbers if len(numbers) == len(labels) and numbers == sorted(numbers) else labels


def _of_numbered(dataset: Dataset, file_format: str) -> list[str]:
    said = []
    first, numbers = numbers_in_file(dataset, file_format)
    features = tuple(f"x{first + j}" for j in range(len(dataset.feature_names)))
    for what, names, kept in (
        ("features", dataset.feature_names, features),
        ("labels", dataset.label_names, tuple(f"y{number}" for number in numbers)),
    ):
        if names != kept:
            said.append(f"the names of the {what} are lost: numbers replace them")
    if file_format == "svmlight":
        unused = int((np.bincount(dataset.Y.indices, minlength=dataset.Y.shape[1]) == 0).sum())
        if unused:
            said.append(f"lost: {number_of(unused, 'label')} without a row")
        columns = dataset.X.nonzero()[1]
        last = dataset.X.shape[1] - (int(columns.max()) + 1 if len(columns) else 0)
        if last:
            which = "feature, which is" if last == 1 else f"{last} features, which are"
            said.append(f"lost: the last {which} 0 in every row")
    return said


def _of_names(dataset: Dataset) -> list[str]:
    names = [*dataset.feature_names, *dataset.label_names]
    said = []
    blank = [name for name in names if name != name.strip()]
    if blank:
        said.append(f"blanks around names are lost: {_listed(blank)}")
    unnamed = [name for name in names if name.startswith("Unnamed: ")]
    if unnamed:
        said.append(f"names that are read as missing ones: {_listed(unnamed)} (rename them)")
    return said


def _of_categories(dataset: Dataset) -> list[str]:
    """Return what a table without types says of nominal features."""
    numeric, sorted_anew, stripped = [], [], []
    for j, name in enumerate(dataset.feature_names):
        if not dataset.nominal[j]:
            continue
        occurring = _occurring(dataset, j)
        if _reads_as_numbers(occurring):
            numeric.append(name)
        if tuple(sorted(occurring)) != dataset.categories[j]:
            sorted_anew.append(name)
        if any(category != category.strip() for category in occurring):
            stripped.append(name)
    said = []
    if numeric:
        said.append(f"categories that read as numbers: {_listed(numeric)} ({_reading_nominal(numeric)})")
    if sorted_anew:
        said.append(f"the order of categories, and those without a row, are lost: {_listed(sorted_anew)}")
    if stripped:
        said.append(f"blanks around categories are lost: {_listed(stripped)}")
    names = [*dataset.feature_names, *dataset.label_names]
    row = ["x" if nominal else "0" for nominal in dataset.nominal] + ["0"] * len(dataset.label_names)
    if holds_values([name.strip() for name in names], [row], MISSING):
        said.append("names that look like values (read the file with --header)")
    return said


def _reading_nominal(names: Sequence[str]) -> str:
    """Return how a file is read again in which columns are categories, as it can be pasted."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    option = f"--nominal {shlex.quote(text.getvalue())}"
    return f"read the file with {option}" if len(option) < _LONGEST_OPTION else "--nominal reads them as such"


def _occurring(dataset: Dataset, feature: int) -> list[str]:
    """Return the categories of a feature that a row has, in their order; empty for a numeric one."""
    if not dataset.nominal[feature]:
        return []
    values: Any = dataset.X[:, [feature]].toarray() if dataset.is_sparse else dataset.X[:, [feature]]
    codes = np.unique(values[~np.isnan(values)]).astype(np.int64)
    return [dataset.categories[feature][code] for code in codes]


def _reads_as_numbers(categories: Sequence[str]) -> bool:
    """Return whether a column of these cells would be numeric, or refused for some that are numbers."""
    cells = [category.strip() for category in categories]
    if not cells:
        return True
    table = RawTable("", [""], [[cell] for cell in cells], list(range(len(cells))))
    try:
        if numeric_column(cells, None, Where([table], 0, "", ())) is not None:
            return True
    except UserError:
        return True
    return any(map(is_written_number, cells))


def _has_long_numbers(X: np.ndarray) -> bool:
    known = X[np.isfinite(X)]
    return bool((known != np.char.mod("%.16g", known).astype(np.float64)).any()) if len(known) else False


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{shortened(name)}'" for name in names[:_SHOWN])
    return shown + (", ..." if len(names) > _SHOWN else "")
