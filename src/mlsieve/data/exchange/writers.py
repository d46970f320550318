"""A dataset in another format: ARFF of Mulan or MEKA, CSV, Parquet, Feather, Excel, svmlight, XMLC, R."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
import re
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.exchange.losses import losses, numbers_in_file, require_holdable
from mlsieve.data.readers.packed import without_packing
from mlsieve.errors import DataNotice, UserError, number_of
from mlsieve.files.ownership import SIGNATURE, protecting_data
from mlsieve.files.streams import csv_writer
from mlsieve.files.writing import atomic_path, write_text
from mlsieve.progress import counted, stage

if TYPE_CHECKING:
    import pandas as pd

_PLAIN = re.compile(r"[A-Za-z_][\w.-]*")
# What is written by the ending of the name.
_ENDINGS = {
    ".npz": "prepared",
    ".arff": "mulan",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".feather": "feather",
    ".xlsx": "excel",
    ".ods": "excel",
    ".svm": "svmlight",
    ".txt": "xmlc",
    ".rda": "r",
    ".rdata": "r",
    ".rds": "r",
}
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
# Other separators, quotes and line ends; what begins a comment, or names the separator.
_ODD_IN_CSV = re.compile(r"[\t;|'\r\n#]|sep=")
# Cells that are written in a second.
_RATES = {"prepared": 4e6, "parquet": 1e7, "feather": 1e7, "r": 2e6, "excel": 4e4, ".ods": 4e3}
_TEXT_RATE = 1e6
_ROWS_AT_ONCE = 500  # of CSV and of a sheet
_IN_ONE_TEXT = ("csv", "meka", "svmlight", "xmlc")
FORMATS = ("prepared", "mulan", "meka", "csv", "parquet", "feather", "excel", "svmlight", "xmlc", "r")


def format_to_write(path: str | os.PathLike[str], given: str | None = None) -> str:
    """Return the format of a file that is to be written, as given or by its ending.

    Raises
    ------
    UserError
        If the name says none, or is that of a packed file.
    """
    path = Path(path)
    plain, known = without_packing(path), f"known: {', '.join(_ENDINGS)}"
    if plain != path:
        hint = f"give {plain.name}" if plain.suffix.lower() in _ENDINGS else known
        raise UserError("compressed output is not supported", file=path, hint=hint)
    if given is not None:
        return given
    if path.suffix.lower() not in _ENDINGS:
        raise UserError(f"no format has the ending '{path.suffix}'", file=path, hint=known)
    return _ENDINGS[path.suffix.lower()]


def written_beside(dataset: Dataset, path: str | os.PathLike[str], file_format: str) -> list[Path]:
    """Return the further files that `write_dataset` writes: labels of Mulan, edges of a hierarchy."""
    path = Path(path)
    beside = [path.with_suffix(".xml")] if file_format == "mulan" else []
    if dataset.hierarchy is not None and file_format != "prepared" and not _is_nested(dataset, file_format):
        beside.append(path.with_name(f"{path.stem}-hierarchy.csv"))
    return beside


def write_dataset(dataset: Dataset, path: str | os.PathLike[str], file_format: str) -> None:
    """Write all rows of a dataset, the training part first; labels are the last columns.

    Parameters
    ----------
    dataset : Dataset
        A sparse one stays sparse where the format can be.
    path : path-like
    file_format : str
        One of `FORMATS`. Mulan's labels go to an XML file of the same name, nested if they are a tree; what
        is above the classes of another hierarchy goes to ``<name>-hierarchy.csv``, for ``--hierarchy``.

    Raises
    ------
    UserError
        If the format cannot hold the data, or a package that writes it is missing.

    Warns
    -----
    DataNotice
        Of what the file does not say of the data, see `mlsieve.data.exchange.losses`.
    """
    path = Path(path)
    require_holdable(dataset, path, file_format)
    for loss in losses(dataset, file_format):
        warnings.warn(DataNotice(loss, file=path), stacklevel=2)
    beside = written_beside(dataset, path, file_format)
    with (
        protecting_data(),
        stage(f"writing {path.name}", lambda: writing_seconds(dataset, path, file_format)),
    ):
        if file_format == "prepared":
            dataset.save(path, overwrite=True)  # the command has asked
        elif file_format in (*_IN_ONE_TEXT, "mulan"):
            write_text(path, _text(dataset, path, file_format))
        else:
            _write_frame(frame_of(dataset), path, file_format)
        for other in beside:
            write_text(other, _label_file(dataset) if other.suffix == ".xml" else _edges(dataset))


def writing_seconds(dataset: Dataset, path: str | os.PathLike[str], file_format: str) -> float:
    """Return the seconds that writing a dataset in one of `FORMATS` is expected to take."""
    (rows, columns), stores_zeros = dataset.X.shape, file_format not in ("prepared", "mulan", "meka")
    cells = rows * columns if stores_zeros or not dataset.is_sparse else dataset.X.nnz
    return cells / _RATES.get(Path(path).suffix.lower(), _RATES.get(file_format, _TEXT_RATE))


def require_one_text(file_format: str, place: str) -> None:
    """Raise a `UserError` unless a format is one text, as a place such as the standard output takes."""
    if file_format not in _IN_ONE_TEXT:
        what = "needs a second file" if file_format == "mulan" else "is not text"
        hint = f"give --to {', '.join(_IN_ONE_TEXT[:-1])} or {_IN_ONE_TEXT[-1]}, or the name of a file"
        raise UserError(f"the format {file_format} {what}", file=place, hint=hint)


def dataset_text(dataset: Dataset, file_format: str, place: str) -> str:
    """Return what `write_dataset` writes, in a format that `require_one_text` allows.

    Parameters
    ----------
    dataset : Dataset
    file_format : str
    place : str
        Where the text goes, for messages.

    Raises
    ------
    UserError
        As `write_dataset`; also for labels with a hierarchy, which needs a file of its own.
    """
    require_one_text(file_format, place)
    if dataset.hierarchy is not None:
        what = "the hierarchy of the labels needs a second file"
        raise UserError(what, file=place, hint="give the name of a file, or --flatten")
    require_holdable(dataset, place, file_format)
    for loss in losses(dataset, file_format):
        warnings.warn(DataNotice(loss, file=place), stacklevel=2)
    return _text(dataset, Path(place), file_format)


def _text(dataset: Dataset, path: Path, file_format: str) -> str:
    if file_format in ("mulan", "meka"):
        return _arff(dataset, meka=file_format == "meka")
    if file_format == "csv":
        return _csv(frame_of(dataset), path)
    return _svmlight(dataset, path, xmlc=file_format == "xmlc")


def frame_of(dataset: Dataset) -> pd.DataFrame:
    """Return a data frame of all rows: features, nominal ones as categories, then labels of 0 and 1."""
    import pandas as pd

    X = dataset.X.toarray() if dataset.is_sparse else dataset.X
    columns: dict[str, Any] = {}
    for j, name in enumerate(dataset.feature_names):
        if dataset.nominal[j]:
            codes = np.where(np.isnan(X[:, j]), -1, X[:, j]).astype(np.int64)
            columns[name] = pd.Categorical.from_codes(codes, categories=list(dataset.categories[j]))
        else:
            columns[name] = X[:, j]
    Y = dataset.Y.toarray()
    for j, name in enumerate(dataset.label_names):
        columns[name] = Y[:, j]
    return pd.DataFrame(columns)


def _write_frame(frame: pd.DataFrame, path: Path, file_format: str) -> None:
    try:
        with atomic_path(path) as temporary:
            if file_format == "parquet":
                frame.to_parquet(temporary, index=False)
            elif file_format == "feather":
                frame.to_feather(temporary)
            elif file_format == "excel":
                _write_sheet(frame, path, temporary)
            else:
                _write_r(frame, path, temporary)
    except ImportError as error:
        raise UserError(
            f"{file_format} files need a further package ({error})",
            file=path,
            hint="pip install 'mlsieve[tables]', or choose another format",
        ) from error


def _blocks(frame: pd.DataFrame) -> Iterator[tuple[int, pd.DataFrame]]:
    """Yield the first row and the rows of each block of a frame, and show how many are written."""
    for start in counted(range(0, max(1, len(frame)), _ROWS_AT_ONCE), "blocks of rows"):
        yield start, frame.iloc[start : start + _ROWS_AT_ONCE]


def _csv(frame: pd.DataFrame, path: Path) -> str:
    """Return a table of text, quoting each text if one has a sign that means something elsewhere."""
    of_cells = (frame[name].cat.categories for name in frame.select_dtypes("category"))
    texts = [*frame.columns, *itertools.chain.from_iterable(of_cells)]
    odd = any(_ODD_IN_CSV.search(text) for text in texts)
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    quoting = csv.QUOTE_NONNUMERIC if odd else csv.QUOTE_MINIMAL
    parts = []
    for start, part in _blocks(frame):
        parts.append(
            part.to_csv(index=False, header=not start, sep=separator, quoting=quoting, lineterminator="\n")
        )
    return "".join(parts)


def _write_sheet(frame: pd.DataFrame, path: Path, temporary: Path) -> None:
    if frame.shape[1] > 1 << 14 or frame.shape[0] >= 1 << 20:
        raise UserError(
            f"{frame.shape[0]} rows and {frame.shape[1]} columns do not fit a sheet",
            file=path,
            hint="choose another format, such as .parquet",
        )
    import pandas as pd

    content = io.BytesIO()
    if path.suffix.lower() == ".ods":  # whose writer takes a sheet at once
        frame.to_excel(content, index=False, engine="odf")
    else:
        with pd.ExcelWriter(content, engine="openpyxl") as writer:
            for start, part in _blocks(frame):
                part.to_excel(writer, index=False, header=not start, startrow=start + bool(start))
    with zipfile.ZipFile(content, "a") as archive:
        archive.comment = SIGNATURE.encode()
    temporary.write_bytes(content.getvalue())


def _write_r(frame: pd.DataFrame, path: Path, temporary: Path) -> None:
    import rdata

    if frame.isna().any(axis=None) and any(
        frame[name].isna().any() for name in frame.select_dtypes("category")
    ):
        raise UserError(
            "missing categories cannot be written in R's format", file=path, hint="choose another format"
        )
    frame = frame.astype(dict.fromkeys(frame.select_dtypes("uint8"), "int32"))  # R has no smaller integers
    if path.suffix.lower() == ".rds":
        rdata.write_rds(temporary, frame)
    else:
        rdata.write_rda(temporary, {re.sub(r"\W", "_", path.stem): frame})
    # Its writer packs the time, and the name of the temporary file, too.
    temporary.write_bytes(gzip.compress(gzip.decompress(temporary.read_bytes()), mtime=0))


def _svmlight(dataset: Dataset, path: Path, *, xmlc: bool) -> str:
    name = "XMLC" if xmlc else "svmlight"
    n_nominal = int(dataset.nominal.sum())
    if n_nominal:
        raise UserError(
            f"an {name} file cannot hold categories, and {number_of(n_nominal, 'feature')}"
            f" {'is' if n_nominal == 1 else 'are'} nominal",
            file=path,
            hint="choose another format, such as .arff",
        )
    first, labels_of = numbers_in_file(dataset, "xmlc" if xmlc else "svmlight")
    X = sp.csr_array(dataset.X)
    if np.isnan(X.data).any():
        raise UserError(
            f"an {name} file cannot hold missing values, and the dataset has some",
            file=path,
            hint="choose another format, such as .arff",
        )
    rows = [f"{X.shape[0]} {X.shape[1]} {dataset.Y.shape[1]}"] if xmlc else []
    for i in counted(range(X.shape[0]), "rows"):
        entries = slice(X.indptr[i], X.indptr[i + 1])
        own = dataset.Y.indices[dataset.Y.indptr[i] : dataset.Y.indptr[i + 1]].tolist()
        labels = ",".join(str(labels_of[label]) for label in own)
        pairs = zip((X.indices[entries] + first).tolist(), X.data[entries].tolist(), strict=True)
        row = " ".join([labels, *(f"{feature}:{value!r}" for feature, value in pairs)])
        rows.append(row or " ")  # an empty line is none
    return "\n".join(rows) + "\n"


def _arff(dataset: Dataset, *, meka: bool) -> str:
    names = [*dataset.feature_names, *dataset.label_names]
    kinds = [
        "{" + ",".join(map(_quoted, dataset.categories[j])) + "}" if dataset.nominal[j] else "numeric"
        for j in range(len(dataset.feature_names))
    ] + ["{0,1}"] * len(dataset.label_names)
    relation = f"{dataset.name}: -C -{len(dataset.label_names)}" if meka else dataset.name
    head = ["", f"@relation {_quoted(relation)}", ""]
    head += [f"@attribute {_quoted(name)} {kind}" for name, kind in zip(names, kinds, strict=True)]
    return "\n".join([f"% {SIGNATURE}", *head, "", "@data", *_arff_rows(dataset)]) + "\n"


def _arff_rows(dataset: Dataset) -> list[str]:
    n_features = len(dataset.feature_names)
    categories = [list(map(_quoted, own)) for own in dataset.categories]

    def cell(j: int, value: float) -> str:
        if np.isnan(value):
            return "?"
        return categories[j][int(value)] if dataset.nominal[j] else _number(value)

    rows = []
    Y = dataset.Y
    for i in counted(range(dataset.X.shape[0]), "rows"):
        labels = Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist()
        if dataset.is_sparse:
            entries = slice(dataset.X.indptr[i], dataset.X.indptr[i + 1])
            pairs = zip(dataset.X.indices[entries].tolist(), dataset.X.data[entries].tolist(), strict=True)
            cells = [f"{j} {cell(j, value)}" for j, value in pairs if value != 0]
            rows.append("{" + ",".join([*cells, *(f"{n_features + label} 1" for label in labels)]) + "}")
        else:
            has = set(labels)
            own = [cell(j, value) for j, value in enumerate(dataset.X[i].tolist())]
            rows.append(",".join([*own, *("1" if j in has else "0" for j in range(Y.shape[1]))]))
    return rows


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _quoted(text: str) -> str:
    """Return a name or value as ARFF writes it."""
    if _PLAIN.fullmatch(text) or re.fullmatch(r"[\w.+-]+", text):
        return text
    return "'" + text.translate(_ESCAPES) + "'"


def _is_nested(dataset: Dataset, file_format: str) -> bool:
    """Return whether the file that names the labels says which one is above which."""
    return file_format == "mulan" and dataset.hierarchy is not None and dataset.hierarchy.is_tree


def _label_file(dataset: Dataset) -> str:
    tree = dataset.hierarchy if _is_nested(dataset, "mulan") else None
    below: dict[int, list[int]] = {}
    for c in range(len(dataset.label_names)):
        parents = [] if tree is None else tree.parents(c).tolist()
        below.setdefault(parents[0] if parents else -1, []).append(c)

    def elements(of: int, blanks: str) -> str:
        return "".join(
            f"{blanks}<label name={quoteattr(dataset.label_names[c])}>"
            + (f"\n{elements(c, blanks + '  ')}{blanks}" if c in below else "")
            + "</label>\n"
            for c in below[of]
        )

    lines = elements(-1, "  ")
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<!-- {SIGNATURE} -->\n'
    return f'{head}<labels xmlns="http://mulan.sourceforge.net/labels">\n{lines}</labels>\n'


def _edges(dataset: Dataset) -> str:
    assert dataset.hierarchy is not None
    text = io.StringIO()
    writer = csv_writer(text)
    writer.writerow(("parent", "child"))
    for c, name in enumerate(dataset.hierarchy.names):
        parents = [dataset.hierarchy.names[p] for p in dataset.hierarchy.parents(c)] or ["root"]
        writer.writerows((parent, name) for parent in parents)
    return text.getvalue()
