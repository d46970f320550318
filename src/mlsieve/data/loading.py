"""One way in: prepared files, dataset ids and data files all become a `Dataset`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlsieve.data.assemble import assemble
from mlsieve.data.catalog import DatasetEntry, catalog, entry_from, find_entry
from mlsieve.data.class_choices import ClassChoices, choices_from, with_choices, with_hierarchy
from mlsieve.data.dataset import Dataset
from mlsieve.data.document_frequency import require_document_frequency, with_frequent_features
from mlsieve.data.labels import label_columns, meka_label_count, read_mulan_labels
from mlsieve.data.public.acquire import acquire, source_facts
from mlsieve.data.readers.arff import ArffTable, read_arff
from mlsieve.data.readers.clus import ClassLabels, read_class_labels
from mlsieve.data.readers.csv import read_csv_files
from mlsieve.data.readers.edge_list import read_edge_list
from mlsieve.data.readers.text import PACKED_SUFFIXES, recognised_format
from mlsieve.errors import UserError, did_you_mean
from mlsieve.hierarchy import Hierarchy

FILE_FORMATS = ("mulan", "meka", "csv", "clus")
_OWN_OPTIONS = (
    "test",
    "valid",
    "labels",
    "label_count",
    "format",
    "nominal",
    "hierarchy_type",
    "class_separator",
)


def load_dataset(
    data: str | os.PathLike[str] | Mapping[str, Any] | DatasetEntry,
    *,
    test: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | None = None,
    label_count: int | None = None,
    format: str | None = None,
    valid: str | os.PathLike[str] | None = None,
    drop: Sequence[str] = (),
    nominal: Sequence[str] = (),
    document_frequency: int | float | None = None,
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
    hierarchy_type: str | None = None,
    class_separator: str | None = None,
    classes: str | None = None,
    without_class: str | None = None,
    name: str | None = None,
    mirror: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    entries: Mapping[str, DatasetEntry] | None = None,
) -> Dataset:
    """Read a dataset.

    Parameters
    ----------
    data : path-like, str, mapping or DatasetEntry
        A prepared ``.npz``, a data file (ARFF or CSV, plain, .xz or .gz), a dataset id, or a catalog entry.
    test, valid : path-like, optional
        Test part and further training part, where `data` is a file that holds the training part.
    labels : path-like, optional
        Mulan XML that names the labels of a data file.
    label_count : int, optional
        The first so many attributes of a data file are labels; negative: the last.
    format : {"mulan", "meka", "csv", "clus"}, optional
        Of a data file; default: recognised from its suffix and header.
    drop : sequence of str, optional
        Attributes to leave out, of a data file or besides those that a catalog entry leaves out.
    nominal : sequence of str, optional
        Columns of a CSV file that are nominal whatever they hold, see
        `mlsieve.data.readers.csv.read_csv_files`; ARFF files declare theirs themselves.
    document_frequency : int or float, optional
        Keep only so many of the features, a count or a share, those that are not zero in most rows; in place
        of what a catalog entry says. See `mlsieve.data.document_frequency`.
    hierarchy : path-like or Hierarchy, optional
        Of the labels of flat data: what is above them. A file holds edges, see
        `mlsieve.data.readers.edge_list.read_edge_list`.
    hierarchy_type, class_separator : str, optional
        How a CLUS file declares its classes, see `mlsieve.data.class_choices.ClassChoices`.
    classes : {"declared", "used"}, optional
        Which classes of hierarchical data are kept, see there.
    without_class : {"keep", "drop"}, optional
        What becomes of examples of hierarchical data without a class, see there.
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
    """
    own = {
        "test": test,
        "valid": valid,
        "labels": labels,
        "label_count": label_count,
        "format": format,
        "nominal": nominal or None,
        "hierarchy_type": hierarchy_type,
        "class_separator": class_separator,
    }
    choices = ClassChoices(hierarchy_type, class_separator, classes, without_class)
    if document_frequency is not None:
        require_document_frequency(document_frequency)
    if isinstance(data, Mapping):
        data = entry_from(data)
    if isinstance(data, DatasetEntry):
        _refuse(own, data.id, "the entry gives them")
        entry = _changed(data, document_frequency, choices)
        return load_entry(entry, mirror=mirror, cache=cache, hierarchy=hierarchy)
    path = Path(data)
    if path.suffix == ".npz":
        _refuse(own, os.fspath(data), "a prepared file holds them; prepare it again to change them")
        return _finished(Dataset.load(path), document_frequency, hierarchy, choices)
    if path.is_file():
        dataset = _load_files(
            name or _stem(path),
            {
                role: file
                for role, file in (("train", path), ("valid", valid), ("test", test))
                if file is not None
            },
            labels=labels,
            label_count=label_count,
            format=format,
            drop=drop,
            nominal=nominal,
            choices=choices,
            facts={"whole": test is None},
        )
        return _finished(dataset, document_frequency, hierarchy, choices)
    known = catalog() if entries is None else entries
    if os.fspath(data) in known:
        _refuse(own, os.fspath(data), "its catalog entry gives them")
        entry = find_entry(os.fspath(data), known)
        if drop and entry.format == "embedded":
            raise UserError(f"--drop with {entry.id}: it has no files", hint="leave it out")
        entry = _changed(replace(entry, drop=(*entry.drop, *drop)), document_frequency, choices)
        return load_entry(entry, mirror=mirror, cache=cache, hierarchy=hierarchy)
    if path.is_dir():
        raise UserError("is a folder, not a data file", file=path, hint="give the file")
    near = did_you_mean(os.fspath(data), list(known))
    hint = near if near.startswith("did you") else "'mlsieve datasets list' shows the known ids"
    raise UserError(f"'{os.fspath(data)}' is neither a file nor a dataset's id", hint=hint)


def _refuse(own: Mapping[str, Any], what: str, why: str) -> None:
    given = [f"--{key.replace('_', '-')}" for key in _OWN_OPTIONS if own[key] is not None]
    if given:
        raise UserError(
            f"{', '.join(given)} with {what}", hint=f"leave {'them' if len(given) > 1 else 'it'} out: {why}"
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


def _stem(path: Path) -> str:
    """Return a file's name without .arff.xz and the like."""
    name = path.name
    for suffix in (*PACKED_SUFFIXES, ".arff", ".csv"):
        name = name.removesuffix(suffix)
    return name or path.name


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

        return _finished(make_embedded(entry.id), entry.document_frequency, hierarchy, choices)
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
    dataset = _load_files(
        entry.id,
        {role: path for role, path in parts.items() if path is not None},
        labels=paths.get("labels"),
        label_count=entry.label_count,
        format=entry.format,
        drop=entry.drop,
        nominal=entry.nominal,
        choices=choices,
        facts=facts,
    )
    return _finished(dataset, entry.document_frequency, hierarchy or paths.get("hierarchy"), choices)


def _load_files(
    name: str,
    parts: Mapping[str, str | os.PathLike[str]],
    *,
    labels: str | os.PathLike[str] | None,
    label_count: int | None,
    format: str | None,
    drop: Sequence[str],
    nominal: Sequence[str],
    choices: ClassChoices,
    facts: dict[str, Any],
) -> Dataset:
    """Read the files of a dataset, parts keyed train, valid, test."""
    if format is not None and format not in FILE_FORMATS:
        raise UserError(f"unknown format '{format}'", hint=did_you_mean(format, FILE_FORMATS))
    if labels is not None and label_count is not None:
        raise UserError(
            "both a label file and a label count are given", hint="give one of --labels and --label-count"
        )
    paths = [Path(path) for path in parts.values()]
    if format is None:
        format = recognised_format(paths[0]) or ("mulan" if labels else None)
    if format == "csv":
        tables = read_csv_files(
            paths,
            nominal=nominal,
            unread=drop,
            labels=lambda header: _columns(paths[0], "", header, labels, label_count, format),
        )
    elif nominal:
        raise UserError("nominal columns are for CSV files", file=paths[0], hint="declare them in the file")
    else:
        tables = [read_arff(path, hierarchical=format == "clus") for path in paths]
    by_role = dict(zip(parts, tables, strict=True))
    test = by_role.pop("test", None)
    if format == "clus":
        if labels is not None or label_count is not None:
            raise UserError(
                "labels are given for a CLUS file",
                file=paths[0],
                hint="leave them out: its hierarchical attribute lists them",
            )
        classes = _classes(tables, choices)
        column = [place for place in [tables[0].class_column] if place is not None]
        return assemble(name, list(by_role.values()), test, column, drop=drop, facts=facts, classes=classes)
    for option in ("hierarchy_type", "class_separator"):
        if option in choices.given:
            raise UserError(f"{option} is for CLUS files", file=paths[0], hint="leave it out")
    names = [attribute.name for attribute in tables[0].attributes]
    columns = _columns(paths[0], tables[0].relation, names, labels, label_count, format)
    return assemble(name, list(by_role.values()), test, columns, drop=drop, facts=facts)


def _classes(tables: Sequence[ArffTable], choices: ClassChoices) -> ClassLabels:
    """Return the classes of CLUS files' rows; unknown ones only if such rows are dropped."""
    separator = choices.class_separator or "/"
    classes = read_class_labels(tables, hierarchy_type=choices.hierarchy_type, separator=separator)
    if classes.unknown.any() and choices.without_class != "drop":
        row = int(classes.unknown.argmax())
        for table in tables:
            if row < len(table.lines):
                break
            row -= len(table.lines)
        raise UserError(
            "the example's classes are missing",
            file=table.path,
            line=int(table.lines[row]),
            hint="leave the cell empty if it has none, or drop such rows (--without-class drop)",
        )
    return classes


def _columns(
    path: Path,
    relation: str,
    attributes: Sequence[str],
    labels: str | os.PathLike[str] | None,
    label_count: int | None,
    format: str | None,
) -> list[int]:
    """Return the label columns by label file, given count or MEKA's option, in this order."""
    names = None if labels is None else read_mulan_labels(labels)
    if names is None and label_count is None and format != "csv":
        label_count = meka_label_count(relation, sure=format == "meka")
        if label_count is None and format == "meka":
            raise UserError(
                "no '-C N' in the relation's name",
                file=path,
                line=1,
                hint="give --labels or --label-count",
            )
    return label_columns(attributes, names=names, count=label_count, file=path, labels_file=labels)
