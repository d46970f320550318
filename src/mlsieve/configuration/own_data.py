"""Checks the labels and nominal columns of a user's own dataset before any job starts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mlsieve.errors import CONTROLS, UserError

if TYPE_CHECKING:
    from mlsieve.data.catalog import DatasetEntry

_HINT = (
    "give labels: FILE.xml (Mulan) or names, label_count: N (the first N attributes; negative: the last),"
    " or label_column"
)
# Formats whose files hold the labels apart: CLUS in its hierarchical attribute, objects of R mostly, MATLAB
# in a matrix.
_WITH_LABELS = ("clus", "svmlight", "xmlc", "r", "mat")
_WAYS = ("labels", "label_count", "label_column")


def own_data_errors(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of an entry's labels and nominal columns, each with a hint.

    Parameters
    ----------
    item : mapping
        The entry in its short form: format, train or all, what it says of labels, nominal columns and how
        files are written. What else it says is checked where it becomes a catalog's entry.

    Notes
    -----
    An ARFF file may give the number of its labels itself, by MEKA's ``-C`` in its relation's name, and a CSV
    file names its columns: their first lines are read for it. Where they do not decide, nothing is said here.
    """
    from mlsieve.data.readers.text import recognised_format

    path = item.get("train") or item.get("all")
    if not isinstance(path, str):
        return
    encoding = item["encoding"] if isinstance(item.get("encoding"), str) else None
    file_format = item.get("format") or recognised_format(path, encoding)
    for check in (_label_error, _column_error):
        try:
            wrong = check(item, path, file_format)
        except UserError as error:
            wrong = str(error)
        if wrong:
            yield wrong


def path_errors(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield which of an entry's paths Snakemake does not take, or show, as they are.

    It fills in what is in braces, and shows control characters unchanged.
    """
    from mlsieve.data.catalog import given_paths

    for role, path in given_paths(item).items():
        if not isinstance(path, str):
            continue
        if CONTROLS.search(path):
            yield f"{role} {path!r} holds control characters, which Snakemake shows; rename the file"
        if re.search(r"\{\s*\w", path):
            yield f"{role} {path!r} holds braces, which Snakemake takes for a wildcard; rename the file"


def own_paths(entry: DatasetEntry) -> dict[str, str]:
    """Return the paths that a catalog's entry gives, by role; files that are looked for by name have none."""
    return {role: file.path for role, file in entry.files.items() if file.path is not None}


def short_form(entry: DatasetEntry, mirror: str | None = None) -> dict[str, Any]:
    """Return a catalog's entry as `own_data_errors` takes it; the file of its rows where it is found."""
    from mlsieve.data.public.acquire import locate

    try:
        found = locate(entry, mirror=mirror)
    except UserError:  # a mirror that is none: said by what looks for the files
        found = {}
    item: dict[str, Any] = {**vars(entry), "nominal": list(entry.nominal)}
    if entry.label_names:
        item["labels"] = list(entry.label_names)
    for role, file in entry.files.items():
        item[role] = os.fspath(found[role][1]) if role in found else file.path or file.name
    return item


def _label_error(item: Mapping[str, Any], path: str, file_format: str | None) -> str | None:
    from mlsieve.data.labels import meka_label_count
    from mlsieve.data.readers.arff import read_relation
    from mlsieve.data.readers.tables import ARFF_FORMATS

    ways = [way for way in _WAYS if item.get(way) is not None]
    if len(ways) > 1:
        return f"both {ways[0]} and {ways[1]} are given; give one of them"
    if ways or file_format in _WITH_LABELS:
        return None
    unknown = f"{path} does not say which attributes are labels; {_HINT}"
    if file_format not in ARFF_FORMATS:
        return unknown
    if not os.path.isfile(path):
        return None  # reported with all other missing files
    relation = read_relation(path)
    if relation is None:
        return None
    count = meka_label_count(relation, path)
    if count == 0:
        return f"{path}: '-C 0' in the relation's name: no attribute is a label; {_HINT}"
    return unknown if count is None else None


def _column_error(item: Mapping[str, Any], path: str, file_format: str | None) -> str | None:
    """Return which column that an entry names is not among those of a CSV file."""
    from mlsieve.data.catalog import given_paths
    from mlsieve.data.file_sets import form_from
    from mlsieve.data.labels import chosen_names
    from mlsieve.data.readers.delimited import TableFormat, read_header
    from mlsieve.data.readers.tables import ARFF_FORMATS, UNDECLARED

    nominal = item.get("nominal")
    if not isinstance(nominal, list):
        nominal = []
    if nominal and file_format not in UNDECLARED:
        kind = "an ARFF file" if file_format in ARFF_FORMATS else f"the format {file_format}"
        return f"{path}: nominal does not apply to {kind}; leave it out"
    if file_format != "csv" or not os.path.isfile(path) or item.get("header") is False:
        return None
    names = [] if "labels" in given_paths(item) else item.get("labels") or []
    named = [*([names] if isinstance(names, str) else names), *filter(None, [item.get("label_column")])]
    chosen = [item[key] for key in ("drop", "keep") if isinstance(item.get(key), list | tuple)]
    header = read_header(path, form_from(item) or TableFormat()) if nominal or named or any(chosen) else None
    if header is not None:
        for names in ([*nominal, *named], *chosen):
            chosen_names(names, header, file=path)
    return None
