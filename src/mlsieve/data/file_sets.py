"""From the files of one dataset to the dataset: which columns are labels, which are left out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlsieve.data.assemble import assemble
from mlsieve.data.class_choices import ClassChoices, choices_from, with_hierarchy
from mlsieve.data.dataset import Dataset
from mlsieve.data.label_values import GivenLabels, label_sets
from mlsieve.data.labels import (
    chosen_names,
    label_columns,
    label_file_of,
    meka_label_count,
    read_label_parents,
    unknown_column,
)
from mlsieve.data.readers.arff import ArffTable, read_arff
from mlsieve.data.readers.clus import read_class_labels
from mlsieve.data.readers.delimited import TableFormat
from mlsieve.data.readers.packed import without_packing
from mlsieve.data.readers.tables import ARFF_FORMATS, FORMATS, Reading, read_tables
from mlsieve.data.readers.text import named_format, recognised_format
from mlsieve.errors import DataNotice, UserError, composed, did_you_mean, shortened
from mlsieve.hierarchy import Hierarchy


@dataclass(frozen=True)
class FileOptions:
    """How the files of a dataset are read; see `mlsieve.data.loading.load_dataset` for each.

    Attributes
    ----------
    labels : path-like, str, sequence of str or None
    label_count : int or None
    label_column, label_separator, positive, x, y, format : str or None
    drop, keep, nominal : sequence of str
    form : TableFormat or None
    choices : ClassChoices or None
    """

    labels: str | os.PathLike[str] | Sequence[str] | None = None
    label_count: int | None = None
    label_column: str | None = None
    label_separator: str | None = None
    positive: str | None = None
    x: str | None = None
    y: str | None = None
    format: str | None = None
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    nominal: Sequence[str] = ()
    form: TableFormat | None = None
    choices: ClassChoices | None = None

    @property
    def without_labels(self) -> bool:
        """Whether nothing says which columns are labels."""
        return self.labels is None and self.label_count is None and self.label_column is None

    @property
    def label_file(self) -> Path | None:
        """The Mulan file that names the labels; None if they are named otherwise."""
        return label_file_of(self.labels)

    @property
    def label_names(self) -> list[str] | None:
        """Names and patterns of the labels; None if none are given so."""
        if self.labels is None or self.label_file is not None:
            return None
        return [self.labels] if isinstance(self.labels, str) else [str(name) for name in self.labels]  # type: ignore[union-attr]


_WAYS = ("labels", "label_count", "label_column", "label_separator", "positive", "x", "y", "format")
_LISTS = ("drop", "keep", "nominal")
_FORM = ("separator", "decimal", "encoding", "header", "missing", "sheet")
_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}


def options_from(values: Mapping[str, Any]) -> FileOptions:
    """Return the options among a mapping's keys, which an entry, `load_dataset` and the commands have alike.

    Parameters
    ----------
    values : mapping
        Keys of `FileOptions`, of its form and its choices; None and an empty sequence say nothing. The label
        separator may be a word as in `form_from`.

    Raises
    ------
    UserError
        For a value that is none of its option.
    """
    values = {name: value if name == "labels" else _composed(value) for name, value in values.items()}
    ways: dict[str, Any] = {name: values.get(name) for name in _WAYS}
    ways["label_separator"] = _SEPARATORS.get(ways["label_separator"], ways["label_separator"])
    lists: dict[str, Any] = {name: tuple(values.get(name) or ()) for name in _LISTS}
    return FileOptions(**ways, **lists, form=form_from(values), choices=choices_from(values))


def _composed(value: Any) -> Any:
    """Return a value in which texts are composed, as those of data are."""
    if isinstance(value, list | tuple):
        return type(value)(map(_composed, value))
    return composed(value) if isinstance(value, str) else value


def form_from(values: Mapping[str, Any]) -> TableFormat | None:
    """Return how a table is written, by a mapping's keys; None if they do not say anything of it.

    A separator may be one of the words tab, space, comma and semicolon.
    """
    given = {name: values[name] for name in _FORM if values.get(name) not in (None, (), [])}
    if "missing" in given:
        given["missing"] = tuple(given["missing"])
    if "separator" in given:
        given["separator"] = _SEPARATORS.get(given["separator"], given["separator"])
    return TableFormat(**given) if given else None


def read_file_set(
    name: str, parts: Mapping[str, str | os.PathLike[str]], options: FileOptions, facts: dict[str, Any]
) -> Dataset:
    """Read the files of a dataset.

    Parameters
    ----------
    name : str
    parts : mapping of str to path-like
        Keyed train, valid, test, in this order.
    options : FileOptions
    facts : dict
        Stored with the dataset.

    Raises
    ------
    UserError
        If the options do not go together or with the files, or anything in a file is not as it should be.
    """
    _require_one_way(options)
    paths = [Path(path) for path in parts.values()]
    file_format = format_of(paths[0], options)
    require_fitting_form(options, file_format, paths[0])
    for option in ("x", "y"):
        if getattr(options, option) is not None and file_format != "mat":
            raise UserError(f"--{option} is for MATLAB files", file=paths[0], hint="leave it out")
    parents = None if options.label_file is None else read_label_parents(options.label_file)

    def unread_in(header: Sequence[str]) -> list[str]:
        if not options.drop and not options.keep:
            return []
        if options.label_column is not None:
            return _left_out(header, [_place(options.label_column, header, paths[0])], options, paths[0])
        return _left_out(header, [] if options.without_labels else labels_in(header), options, paths[0])

    def unread_texts(header: Sequence[str]) -> list[str]:
        return _left_out(header, [], options, paths[0])

    def labels_in(header: Sequence[str]) -> list[int]:
        return _label_places(paths[0], "", header, options, parents, file_format)

    if file_format in ARFF_FORMATS:
        if options.nominal:
            raise UserError(
                "--nominal does not apply to an ARFF file", file=paths[0], hint="declare it in the header"
            )
        encoding = None if options.form is None else options.form.encoding
        hierarchical = file_format == "clus"
        tables, given = (
            [
                read_arff(path, hierarchical=hierarchical, encoding=encoding, unread=unread_texts)
                for path in paths
            ],
            None,
        )
    else:
        reading = Reading(
            options.form or TableFormat(),
            options.nominal,
            options.label_column,
            unread_in,
            labels_in,
            options.positive,
            options.x,
            options.y,
        )
        tables, given = read_tables(paths, file_format, reading)
    header = tables[0].names
    places: list[int] = []
    if file_format == "clus":
        places, given = _classes(tables, options)
    elif given is not None:
        _refuse_labels(options, paths[0], "the file says which labels a row has")
    elif options.label_column is not None:
        places = [_place(options.label_column, header, paths[0])]
        given = label_sets(tables, places[0], options.label_separator)
    else:
        for option in ("hierarchy_type", "class_separator"):
            if options.choices is not None and option in options.choices.given:
                raise UserError(f"{option} is for CLUS files", file=paths[0], hint="leave it out")
        places = _label_places(paths[0], tables[0].relation, header, options, parents, file_format)
    roles = [*parts, "test"][: len(tables)]
    if len(roles) > len(parts):  # a file of MATLAB with both parts
        facts = {**facts, "whole": False}
    by_role = dict(zip(roles, tables, strict=True))
    test = by_role.pop("test", None)
    left_out = _left_out(header, places, options, paths[0])
    if left_out and "files" not in facts:
        facts = {**facts, "left_out": left_out}
    dataset = assemble(
        name,
        list(by_role.values()),
        test,
        places,
        drop=left_out,
        facts=facts,
        given=given,
        positive=options.positive,
    )
    if parents is not None and any(parent is not None for parent in parents.values()):
        return with_hierarchy(
            dataset, Hierarchy.from_parents({label: [p] if p else [] for label, p in parents.items()})
        )
    return dataset


# Which parts of a `TableFormat` say something of a format.
_OF_TYPED, _OF_PLAIN = {"decimal", "missing"}, {"encoding"}
_APPLIES: dict[str | None, set[str]] = {
    "csv": {"separator", "decimal", "encoding", "header", "missing"},
    "excel": {"decimal", "header", "missing", "sheet"},
    **{name: _OF_TYPED for name in ("parquet", "feather")},
    "r": _OF_TYPED | _OF_PLAIN,
    "mat": set(),
    **{name: _OF_PLAIN for name in (*ARFF_FORMATS, "svmlight", "xmlc")},
}


def unfit_parts(form: TableFormat | None, file_format: str | None) -> list[str]:
    """Return what is said of how a table is written that files of a format do not have."""
    given = [] if form is None else [name for name, value in vars(form).items() if value not in (None, ())]
    return [name for name in given if name not in _APPLIES.get(file_format, set())]


def require_fitting_form(options: FileOptions, file_format: str | None, path: Path) -> None:
    """Raise if it is said how a table is written, and the file's format has no such thing."""
    wrong = unfit_parts(options.form, file_format)
    if wrong:
        arff = without_packing(path).suffix.lower() == ".arff"
        named = arff or options.format is not None or named_format(path) is not None
        option = {"separator": "--sep"}.get(wrong[0], f"--{wrong[0]}")
        what = "an ARFF file" if file_format in ARFF_FORMATS else f"the format {file_format}"
        hint = "leave it out"
        if not named and wrong[0] in _APPLIES["csv"]:
            what, hint = (
                "an ARFF file, as which it is read",
                "leave it out, or give --format csv if it is a table",
            )
        raise UserError(f"{option} does not apply to {what}", file=path, hint=hint)


def _require_one_way(options: FileOptions) -> None:
    """Raise if the labels are given in two ways, or by an option that does not apply."""
    ways = {
        "--labels": options.labels,
        "--label-count": options.label_count,
        "--label-column": options.label_column,
    }
    given = [option for option, value in ways.items() if value is not None]
    if len(given) > 1:
        raise UserError(f"both {' and '.join(given)} are given", hint=f"give one of {' and '.join(given)}")
    if options.label_separator is not None and options.label_column is None:
        raise UserError(
            "--label-separator needs --label-column", hint="name the column that holds the labels"
        )
    if options.format is not None and options.format not in FORMATS:
        raise UserError(f"unknown format '{options.format}'", hint=did_you_mean(options.format, FORMATS))


def format_of(path: Path, options: FileOptions) -> str | None:
    """Return the format of a file, as an option says or as its name and beginning show; None: unknown."""
    if options.format is not None:
        return options.format
    encoding = None if options.form is None else options.form.encoding
    found, named = recognised_format(path, encoding), named_format(path)
    if named is not None and found != named:
        what = f"is named {path.suffix} but holds {found} data, and is read as such"
        warnings.warn(DataNotice(what, file=path), stacklevel=3)
    return found or ("mulan" if options.label_file is not None else None)


def _label_places(
    path: Path,
    relation: str,
    header: Sequence[str],
    options: FileOptions,
    parents: Mapping[str, str | None] | None,
    file_format: str | None,
) -> list[int]:
    """Return the label columns by label file, names, given count or MEKA's option, in this order."""
    if options.label_column is not None:
        return []
    count, names = options.label_count, None if parents is None else list(parents)
    if options.label_names is not None:
        names = chosen_names(options.label_names, header, file=path)
    if names is None and count is None and file_format in ARFF_FORMATS:
        count = meka_label_count(relation, path)
        if count is None and file_format == "meka":
            raise UserError(
                f"the relation's name '{shortened(relation)}' has no option -C N",
                file=path,
                hint="give --labels or --label-count",
            )
    return label_columns(header, names=names, count=count, file=path, labels_file=options.label_file)


def _classes(tables: Sequence[ArffTable], options: FileOptions) -> tuple[list[int], GivenLabels]:
    """Return the class column of CLUS files and their rows' classes, unknown ones only if dropped."""
    path = tables[0].path
    _refuse_labels(
        options, path, "its hierarchical attribute lists them", what="labels are given for a CLUS file"
    )
    choices = options.choices or ClassChoices()
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
    places = [place for place in [tables[0].class_column] if place is not None]
    return places, GivenLabels(classes.Y, classes.hierarchy.names, classes.hierarchy)


def _refuse_labels(
    options: FileOptions,
    path: str | Path,
    why: str,
    what: str = "labels are given for a file that holds them",
) -> None:
    if not options.without_labels:
        raise UserError(what, file=path, hint=f"leave them out: {why}")


def _place(name: str, header: Sequence[str], path: Path) -> int:
    if name not in header:
        raise unknown_column(name, header, path)
    return header.index(name)


def _left_out(header: Sequence[str], labels: Sequence[int], options: FileOptions, path: Path) -> list[str]:
    """Return the features that --drop names, and those that --keep does not."""
    dropped = [] if not options.drop else chosen_names(options.drop, header, file=path)
    if not options.keep:
        return dropped
    kept = set(chosen_names(options.keep, header, file=path))
    features = [name for place, name in enumerate(header) if place not in set(labels)]
    return [name for name in features if name in set(dropped) or name not in kept]
