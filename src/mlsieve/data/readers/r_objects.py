"""Objects of R: those of the packages mldr and mldr.datasets, and data frames (.rda, .RData, .rds)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mlsieve.data.label_values import GivenLabels, label_matrix_of
from mlsieve.data.readers.arff import ArffTable
from mlsieve.data.readers.frames import frame_tables
from mlsieve.data.readers.packed import read_bytes
from mlsieve.errors import UserError, shortened

if TYPE_CHECKING:
    import pandas as pd

    from mlsieve.data.readers.tables import Reading


def read_r(paths: Sequence[Path], reading: Reading) -> tuple[list[ArffTable], GivenLabels | None]:
    """Read one object of each file: an mldr object, whose labels it names, or a data frame.

    Raises
    ------
    UserError
        If the package that reads them is missing, the file is damaged, or it holds none or several such
        objects.
    """
    import dataclasses

    objects = [_only_object(path) for path in paths]
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

    Y = sp.csr_array(sp.vstack([label_matrix_of(table, places) for table in tables], format="csr"))
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


def _only_object(path: Path) -> tuple[pd.DataFrame, list[str] | None]:
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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read: Any = rdata.conversion.convert(rdata.parser.parse_data(content))
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
    return next(iter(found.values()))


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
