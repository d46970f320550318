"""Objects of R: those of the packages mldr and mldr.datasets, and data frames (.rda, .RData, .rds)."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.data.label_values import GivenLabels, label_matrix_of
from mlsieve.data.readers.arff import ArffTable
from mlsieve.data.readers.frames import frame_tables
from mlsieve.data.readers.packed import read_bytes
from mlsieve.data.readers.text import ANY_BYTES, WESTERN, NotInEncoding, remark_on_encoding
from mlsieve.errors import DataNotice, UserError, shortened

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.data.readers.tables import Reading

# rdata takes some 50 microseconds and 400 bytes for each text of a column: a minute for so many.
_MOST_TEXTS = 1_000_000
# R writes 1:n as its length alone; of columns of that kind so many numbers are read in all.
_MOST_COUNTED = 20_000_000
# How the serialised texts of R begin: their type, and a mark for ASCII, UTF-8 or Latin-1.
_CHAR, _MARKS = 9, (64, 8, 4)


def read_r(paths: Sequence[Path], reading: Reading) -> tuple[list[ArffTable], GivenLabels | None]:
    """Read one object of each file: an mldr object, whose labels it names, or a data frame.

    Raises
    ------
    UserError
        If the package that reads them is missing, the file is damaged, or it holds none or several such
        objects.
    """
    import dataclasses

    objects = [_only_object(path, reading.form.encoding) for path in paths]
    frames = [frame for frame, _ in objects]
    labels = objects[0][1]
    if labels is None:
        return frame_tables(frames, [str(path) for path in paths], reading), None
    names = [str(name).strip() for name in frames[0].columns]
    for label in labels:
        if label not in names:
            raise UserError(
                f"label '{shortened(label)}' is not a column of its object's dataset",
                file=paths[0],
                hint="save the object as mldr made it, or its dataset alone",
            )
    places = [names.index(label) for label in labels]
    reading = dataclasses.replace(reading, labels=lambda header: places)
    tables = frame_tables(frames, [str(path) for path in paths], reading)
    import scipy.sparse as sp

    parts = [label_matrix_of(table, places, reading.positive) for table in tables]
    Y = sp.csr_array(sp.vstack(parts, format="csr"))
    kept = [i for i in range(len(names)) if i not in set(places)]
    without = [
        dataclasses.replace(
            table,
            attributes=tuple(table.attributes[i] for i in kept),
            values=np.asarray(table.values)[:, kept],
        )
        for table in tables
    ]
    return without, GivenLabels(Y, tuple(labels))


def _only_object(path: Path, encoding: str | None) -> tuple[pd.DataFrame, list[str] | None]:
    """Return the data frame of a file's object, and the names of its labels if it is one of mldr."""
    try:
        import rdata
    except ImportError:
        raise UserError(
            "files of R need the package 'rdata'",
            file=path,
            hint="pip install 'mlsieve[tables]', or write the data with mldr's write_arff",
        ) from None
    content = read_bytes(path)
    n_texts = sum(content.count((mark << 12 | _CHAR).to_bytes(4, "big")) for mark in _MARKS)
    if n_texts > _MOST_TEXTS:
        raise UserError(
            f"holds {n_texts:,} texts, more than the {_MOST_TEXTS:,} that are read from a file of R",
            file=path,
            hint="make numbers or factors of its columns of texts in R, or write it with mldr's write_arff",
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message="Exception while decoding")
            parsed = rdata.parser.parse_data(content, altrep_constructor_dict=_bounded_sequences(path))
            read, used = _converted(parsed, encoding)
    except NotInEncoding as error:
        raise NotInEncoding(error.what, file=path, hint="give its --encoding") from None
    except UserError:
        raise
    except Exception as error:  # the parser has many of its own
        raise UserError(
            f"is not a file of R that can be read ({shortened(str(error), 200)})",
            file=path,
            hint="fetch or copy it again",
        ) from error
    objects = read if isinstance(read, Mapping) and "dataset" not in read else {path.stem: read}
    found = {name: own for name, own in ((name, _as_table(value)) for name, value in objects.items()) if own}
    if len(found) != 1:
        names = shortened(", ".join(map(str, found or objects)), 200)
        what = f"holds neither a data frame nor an mldr object ({names})"
        if found:
            what = f"holds {len(found)} data frames or mldr objects: {names}"
        raise UserError(what, file=path, hint="save one of them in a file of its own")
    frame, labels = next(iter(found.values()))
    if encoding is None and not used.lower().startswith("utf"):
        warnings.warn(DataNotice(remark_on_encoding(used, _texts(frame)), file=path), stacklevel=3)
    return frame, labels


def _bounded_sequences(path: Path) -> dict[bytes, Callable[..., Any]]:
    """Return what expands short forms of columns, which raises beyond `_MOST_COUNTED` values in all."""
    from rdata.parser import DEFAULT_ALTREP_MAP

    left = {"numbers": _MOST_COUNTED, "texts": _MOST_TEXTS}

    def bounded(kind: str, expand: Callable[..., Any], state: Any) -> Any:
        left[kind] -= abs(int(state.value[0])) if kind == "numbers" else len(state.value[0].value)
        if left[kind] < 0:
            most = _MOST_COUNTED if kind == "numbers" else _MOST_TEXTS
            raise UserError(
                f"declares more than the {most:,} {kind} in sequences that are read from a file of R",
                file=path,
                hint="write it with mldr's write_arff",
            )
        return expand(state)

    kinds = {b"compact_intseq": "numbers", b"compact_realseq": "numbers", b"deferred_string": "texts"}
    known = dict(DEFAULT_ALTREP_MAP)
    return known | {name: partial(bounded, kind, known[name]) for name, kind in kinds.items()}


def _converted(parsed: Any, encoding: str | None) -> tuple[Any, str]:
    """Return the objects of a parsed file, and the encoding in which its texts are read.

    R marks texts of UTF-8. Others are in the encoding of the computer that wrote them, which is stated only
    in files of its third version; by default it is found out.
    """
    import rdata

    stated = parsed.extra.encoding or "utf-8"
    for tried in (stated, WESTERN) if encoding is None else (encoding,):
        try:
            return rdata.conversion.convert(parsed, default_encoding=tried), tried
        except (LookupError, UserWarning, UnicodeError):
            if encoding is not None:
                raise NotInEncoding(f"is not {encoding} text") from None
    read = rdata.conversion.convert(parsed, default_encoding=ANY_BYTES, force_default_encoding=True)
    return read, ANY_BYTES


def _texts(frame: pd.DataFrame) -> str:
    """Return the names and categories of a data frame."""
    categories = (frame[name].cat.categories for name in frame.select_dtypes("category"))
    return " ".join(map(str, itertools.chain(frame.columns, *categories)))


def _as_table(value: Any) -> tuple[pd.DataFrame, list[str] | None] | None:
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        return value, None
    if not (isinstance(value, Mapping) and isinstance(value.get("dataset"), pd.DataFrame)):
        return None
    labels, frame = value.get("labels"), value["dataset"]
    if not isinstance(labels, pd.DataFrame):
        return None
    frame = frame.drop(columns=[name for name in (".labelcount", ".SCUMBLE") if name in frame.columns])
    return frame, [str(name).strip() for name in labels.index]
