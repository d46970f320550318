"""One way in: prepared files, dataset ids and data files all become a `Dataset`."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlsieve.data.catalog import DatasetEntry, catalog, entry_from, find_entry
from mlsieve.data.class_choices import ClassChoices, choices_from, with_choices, with_hierarchy
from mlsieve.data.dataset import Dataset
from mlsieve.data.exchange.remarks import remarks_on
from mlsieve.data.feature_choices import (
    require_document_frequency,
    with_frequent_features,
    without_columns,
)
from mlsieve.data.file_sets import FileOptions, options_from, read_file_set
from mlsieve.data.readers.edge_list import read_edge_list
from mlsieve.data.readers.packed import is_pipe, without_packing
from mlsieve.data.readers.tables import FORMATS
from mlsieve.errors import DataNotice, UserError, did_you_mean
from mlsieve.hierarchy import Hierarchy
from mlsieve.progress import stage

FILE_FORMATS = FORMATS
_OWN_OPTIONS = {
    "test": "--test",
    "valid": "--valid",
    "labels": "--labels",
    "label_count": "--label-count",
    "label_column": "--label-column",
    "label_separator": "--label-separator",
    "positive": "--positive",
    "x": "--x",
    "y": "--y",
    "format": "--format",
    "nominal": "--nominal",
    "separator": "--sep",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "header": "--header",
    "missing": "--missing",
    "sheet": "--sheet",
    "hierarchy_type": "--hierarchy-type",
    "class_separator": "--class-separator",
}
# Bytes of a file that are read in a second: of ARFF, of other tables of text, and of packed files.
_ARFF_RATE, _TABLE_RATE, _PACKED_RATE = 2e7, 5e6, 2e6
_PACKED = (".gz", ".xz", ".bz2", ".zst", ".zip", ".parquet", ".feather", ".xlsx", ".rda", ".rdata", ".mat")


def load_dataset(
    data: str | os.PathLike[str] | Mapping[str, Any] | DatasetEntry,
    *,
    test: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | Sequence[str] | None = None,
    label_count: int | None = None,
    label_column: str | None = None,
    label_separator: str | None = None,
    positive: str | None = None,
    x: str | None = None,
    y: str | None = None,
    format: str | None = None,
    valid: str | os.PathLike[str] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    nominal: Sequence[str] = (),
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] = (),
    sheet: str | None = None,
    document_frequency: int | float | None = None,
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
    hierarchy_type: str | None = None,
    class_separator: str | None = None,
    classes: str | None = None,
    without_class: str | None = None,
    flatten: bool = False,
    name: str | None = None,
    mirror: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    entries: Mapping[str, DatasetEntry] | None = None,
) -> Dataset:
    """Read a dataset.

    Parameters
    ----------
    data : path-like, str, mapping or DatasetEntry
        A prepared ``.npz``, a data file (plain or packed as gz, xz, bz2, zst or zip) or pipe, ``openml:ID``,
        ``-`` for the standard input, a dataset id, or a catalog entry, whose keys are those of a study's
        dataset.
    test, valid : path-like, optional
        Test part and further training part, where `data` is a file that holds the training part.
    labels : path-like, str or sequence of str, optional
        Mulan XML that names the labels of a data file; or the labels' names, with patterns such as
        ``label_*``, in one text with commas between them or in a sequence.
    label_count : int, optional
        The first so many attributes of a data file are labels; negative: the last.
    label_column : str, optional
        A column whose cells hold sets of labels, such as ``sea;beach``.
    label_separator : str, optional
        The text between the labels of a cell of `label_column`; default: the first of ``;``, ``|``, ``,``,
        ``/`` and a space that the column contains, see `mlsieve.data.label_values.label_sets`.
    positive : str, optional
        The value of a label that is set, while any other, and a missing cell, is not; default: 1, or true,
        yes, t or y.
    x, y : str, optional
        Variables of a MATLAB file that hold the features and the labels; default: found by their names, see
        `mlsieve.data.readers.matlab_files.matrices.read_mat`.
    format : {"mulan", "meka", "csv", "clus", "parquet", "feather", "excel", "svmlight", "xmlc", "r",
    "mat"},
    optional
        Of a data file; default: recognised from its suffix and beginning.
    drop, keep : sequence of str, optional
        Features to leave out, or those to keep: names or patterns. Besides those that a catalog entry or a
        prepared file leaves out.
    nominal : sequence of str, optional
        Columns that are nominal whatever they hold, names or patterns, see
        `mlsieve.data.readers.columns.typed_tables`; ARFF files declare theirs themselves.
    separator, decimal, encoding, header, missing, sheet
        How a table is written, see `mlsieve.data.readers.delimited.TableFormat`; default: found out. The
        separator may also be one of the words tab, space, comma and semicolon.
    document_frequency : int or float, optional
        Keep only so many of the features, a count or a share, those that are not zero in most rows; in place
        of what a catalog entry says. See `mlsieve.data.feature_choices`.
    hierarchy : path-like or Hierarchy, optional
        Of the labels of flat data: what is above them. A file holds edges, see
        `mlsieve.data.readers.edge_list.read_edge_list`.
    hierarchy_type, class_separator : str, optional
        How a CLUS file declares its classes, see `mlsieve.data.class_choices.ClassChoices`.
    classes : {"declared", "used"}, optional
        Which classes of hierarchical data are kept, see there.
    without_class : {"keep", "drop"}, optional
        What becomes of examples of hierarchical data without a class, see there.
    flatten : bool, default False
        Whether the classes of a hierarchy are taken as flat labels, see there.
    name : str, optional
        Name of a data file's dataset; default: the file's name without suffixes.
    mirror, cache : path-like, optional
        See `mlsieve.data.public.acquire.acquire`; for ids only.
    entries : mapping of str to DatasetEntry, optional
        Known datasets by id; default: the public catalog and the project's.

    Returns
    -------
    Dataset
        `official_split` is False and every row is a training row where no test part comes with the data;
        ``facts["whole"]`` is then True for a user's own file, which a split "official" leaves whole.

    Raises
    ------
    UserError
        If there is no such file or id, or the data are not as they should be.

    Warns
    -----
    DataNotice
        Of what was found out about a file, and of what its owner should know, see `remarks_on`.
    """
    own = {
        "test": test,
        "valid": valid,
        "labels": labels,
        "label_count": label_count,
        "label_column": label_column,
        "label_separator": label_separator,
        "positive": positive,
        "x": x,
        "y": y,
        "format": format,
        "nominal": nominal or None,
        "separator": separator,
        "decimal": decimal,
        "encoding": encoding,
        "header": header,
        "missing": missing or None,
        "sheet": sheet,
        "hierarchy_type": hierarchy_type,
        "class_separator": class_separator,
    }
    more = {"drop": drop, "keep": keep, "classes": classes, "without_class": without_class}
    options = options_from({**own, **more, "flatten": flatten or None})
    choices = options.choices or ClassChoices()
    if document_frequency is not None:
        require_document_frequency(document_frequency)
    if isinstance(data, Mapping):
        data = entry_from(data)
    if isinstance(data, DatasetEntry):
        _refuse(own, data.id, "the entry gives them")
        entry = _changed(data, document_frequency, choices)
        return load_entry(entry, mirror=mirror, cache=cache, hierarchy=hierarchy)
    if os.fspath(data) == "-" or os.fspath(data).startswith("openml:"):
        from mlsieve.data.exchange.outside import as_file

        with as_file(os.fspath(data), cache) as (file, found, known_labels):
            if known_labels is not None and options.without_labels:
                options = replace(options, labels=known_labels)
            dataset = _own(name or found, {"train": file, "valid": valid, "test": test}, options)
        return _finished(dataset, document_frequency, hierarchy, choices)
    path = Path(data)
    if path.suffix == ".npz":
        _refuse(own, os.fspath(data), "a prepared file holds them; prepare it again to change them")
        dataset = without_columns(Dataset.load(path), drop, keep)
        return _finished(dataset, document_frequency, hierarchy, choices)
    if path.is_file() or is_pipe(path):
        dataset = _own(name or stem_of(path), {"train": path, "valid": valid, "test": test}, options)
        return _finished(dataset, document_frequency, hierarchy, choices)
    known = catalog() if entries is None else entries
    if os.fspath(data) in known:
        _refuse(own, os.fspath(data), "its catalog entry gives them")
        entry = find_entry(os.fspath(data), known)
        entry = replace(entry, drop=(*entry.drop, *drop), keep=(*entry.keep, *keep))
        entry = _changed(entry, document_frequency, choices)
        return load_entry(entry, mirror=mirror, cache=cache, hierarchy=hierarchy)
    if path.is_dir():
        raise UserError("is a folder, not a data file", file=path, hint="give the file")
    near = did_you_mean(os.fspath(data), list(known))
    hint = near if near.startswith("did you") else "'mlsieve datasets list' shows the known ids"
    raise UserError(f"'{os.fspath(data)}' is neither a file nor a dataset's id", hint=hint)


def _reading_seconds(path: str | os.PathLike[str]) -> float:
    """Return the seconds that reading a file is expected to take, 0 where there is none."""
    name = os.fspath(path).lower()
    if not os.path.isfile(path):
        return 0.0
    rate = _PACKED_RATE if name.endswith(_PACKED) else _ARFF_RATE if ".arff" in name else _TABLE_RATE
    return os.path.getsize(path) / rate


def _read(
    name: str, parts: Mapping[str, str | os.PathLike[str]], options: FileOptions, facts: dict[str, Any]
) -> Dataset:
    """Read the files of a dataset, and show meanwhile that this is being done."""
    with reading(name, parts.values()):
        return read_file_set(name, parts, options, facts)


def reading(
    name: str, paths: Collection[str | os.PathLike[str]]
) -> contextlib.AbstractContextManager[object]:
    """Return a context that shows that files are being read."""
    return stage(f"reading {name}", lambda: sum(map(_reading_seconds, paths)))


def _own(name: str, parts: Mapping[str, str | os.PathLike[str] | None], options: FileOptions) -> Dataset:
    """Read the files of a user, and warn of what their owner should know."""
    from mlsieve.data.exchange.outside import without_pipe

    with contextlib.ExitStack() as pipes:
        given = {
            role: pipes.enter_context(without_pipe(file)) for role, file in parts.items() if file is not None
        }
        dataset = _read(name, given, options, {"whole": "test" not in given})
    for remark in remarks_on(dataset):
        warnings.warn(DataNotice(remark, file=name), stacklevel=3)
    return dataset


def _refuse(own: Mapping[str, Any], what: str, why: str) -> None:
    given = [option for key, option in _OWN_OPTIONS.items() if own[key] is not None]
    if given:
        raise UserError(
            f"{', '.join(given)} cannot be combined with {what}",
            hint=f"leave {'them' if len(given) > 1 else 'it'} out: {why}",
        )


def _changed(
    entry: DatasetEntry, document_frequency: int | float | None, choices: ClassChoices
) -> DatasetEntry:
    """Return an entry with what is given in place of what it says."""
    given: dict[str, Any] = dict(choices.given)
    entry = replace(entry, **given)
    return entry if document_frequency is None else replace(entry, document_frequency=document_frequency)


def _finished(
    dataset: Dataset,
    document_frequency: int | float | None,
    hierarchy: str | os.PathLike[str] | Hierarchy | None,
    choices: ClassChoices,
) -> Dataset:
    """Return a dataset as read with its hierarchy, and what is chosen of classes, rows and features."""
    if hierarchy is not None:
        if dataset.hierarchy is not None:
            raise UserError(
                f"a hierarchy is given for dataset '{dataset.name}', which has its own", hint="leave it out"
            )
        if not isinstance(hierarchy, Hierarchy):
            hierarchy = read_edge_list(hierarchy, dataset.label_names)
        dataset = with_hierarchy(dataset, hierarchy)
    dataset = with_choices(dataset, choices)
    return dataset if document_frequency is None else with_frequent_features(dataset, document_frequency)


def stem_of(path: Path) -> str:
    """Return a file's name without .arff.xz and the like."""
    return without_packing(path).with_suffix("").name or path.name


def load_entry(
    entry: DatasetEntry,
    *,
    mirror: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
) -> Dataset:
    """Read the dataset of a catalog entry; see `load_dataset` and `mlsieve.data.public.acquire.acquire`."""
    choices = choices_from(vars(entry))
    if entry.format == "embedded":
        from mlsieve.data.generated.synthetic import make_embedded

        embedded = without_columns(make_embedded(entry.id), entry.drop, entry.keep)
        return _finished(embedded, entry.document_frequency, hierarchy, choices)
    from mlsieve.data.public.acquire import acquire, source_facts  # http and ssl, which few commands need

    paths = acquire(entry, mirror=mirror, cache=cache)
    parts = {
        "train": paths.get("train") or paths.get("all"),
        "valid": paths.get("valid"),
        "test": paths.get("test"),
    }
    facts = {
        "files": source_facts(entry, paths),
        "family": entry.domain,
        "differs_from_paper": entry.differs_from_paper,
        "reference": entry.reference,
        "whole": False,
    }
    options = options_from({**vars(entry), "labels": paths.get("labels") or entry.label_names or None})
    dataset = _read(
        entry.id, {role: path for role, path in parts.items() if path is not None}, options, facts
    )
    return _finished(dataset, entry.document_frequency, hierarchy or paths.get("hierarchy"), choices)
