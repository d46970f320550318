"""What is fuzzed: each reader of files from elsewhere, as a function of a file's bytes.

A reader is done well with a file if it returns a result or says in one line what is wrong. Anything else is a
crash: another exception, a message of several lines, and, by the limits that who calls sets, a hang or too
much memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from mlsieve.data import load_dataset
from mlsieve.data.catalog import read_catalog
from mlsieve.data.labels import read_mulan_labels
from mlsieve.data.readers.edge_list import read_edge_list
from mlsieve.data.readers.text import read_text, recognised_format
from mlsieve.errors import DataNotice, UserError
from tests.fuzz.array_edits import edited_file, load_any

LABELS = ("a", "b", "c", "root")
LONGEST_MESSAGE = 5_000


def read_arff_file(path: Path) -> None:
    """Read an ARFF file, its last attribute the label unless it has a hierarchical one."""
    clus = recognised_format(path) == "clus"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)
        load_dataset(path, label_count=None if clus else -1).counts()


def read_xml_file(path: Path) -> None:
    """Read a Mulan label file."""
    assert read_mulan_labels(path)


def read_csv_file(path: Path) -> None:
    """Read a CSV file, its last column the label, whatever there is to be said of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)
        load_dataset(path, label_count=-1).counts()


def read_edges_file(path: Path) -> None:
    """Read a hierarchy of the labels of `LABELS`."""
    hierarchy = read_edge_list(path, LABELS)
    assert hierarchy.names[: len(LABELS)] == LABELS
    assert hierarchy.ancestors.shape == (hierarchy.n_classes, hierarchy.n_classes)


def read_catalog_file(path: Path) -> None:
    """Read a catalog of datasets."""
    read_catalog(path)


def read_packed_file(path: Path) -> None:
    """Read a text that may be packed."""
    read_text(path)


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "arff": ("file.arff", read_arff_file),
    "xml": ("file.xml", read_xml_file),
    "csv": ("file.csv", read_csv_file),
    "npz": ("file.npz", load_any),
    "edge list": ("edges.csv", read_edges_file),
    "packed": ("file.arff.xz", read_packed_file),
    "catalog": ("datasets.yaml", read_catalog_file),
}
"""Name of the file and function, by reader."""


def outcome(reader: str, data: bytes, folder: Path) -> str:
    """Read a file of these bytes, and return "read" or "refused".

    Parameters
    ----------
    reader : str
        One of `READERS`.
    data : bytes
        What the file holds; for "npz", edits of a whole file, see `tests.fuzz.array_edits`.
    folder : Path
        Where the file is written.

    Raises
    ------
    Exception
        If that is a crash.
    """
    name, read = READERS[reader]
    path = folder / name
    path.write_bytes(edited_file(data) if reader == "npz" else data)
    try:
        read(path)
    except UserError as error:
        told = str(error)
        assert told.isprintable(), f"not one line of text: {told!r}"
        assert len(told) <= LONGEST_MESSAGE, f"a message of {len(told)} characters: {told[:200]!r}"
        assert str(path) in told, f"no file in the message: {told!r}"
        return "refused"
    return "read"
