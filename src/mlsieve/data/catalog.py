"""The catalog of datasets: the public one of the package, a project's own, and a study's inline entries.

All three have one form (see `DatasetEntry` and config/README.md)::

    datasets:
      - id: emotions
        format: mulan
        files:
          train: {name: emotions-train.arff, sha256: ..., sources: [https://...]}
          test: {name: emotions-test.arff, sha256: ..., sources: [https://...]}
          labels: {name: emotions.xml, sha256: ..., sources: [https://...]}
      - {id: mine, format: mulan, train: data/mine.arff, labels: data/mine.xml}   # short form: paths
      - {id: survey, all: data/survey.csv, labels: "likes_*", separator: ";", decimal: ","}
"""

from __future__ import annotations

import functools
import importlib.resources
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlsieve.data.class_choices import choices_from
from mlsieve.data.feature_choices import require_document_frequency
from mlsieve.data.file_sets import form_from, unfit_parts
from mlsieve.data.labels import label_file_of
from mlsieve.data.public.sources import ROLES, DataFile, file_from
from mlsieve.data.readers.tables import FORMATS as FILE_FORMATS
from mlsieve.data.readers.text import recognised_format
from mlsieve.errors import UserError, did_you_mean, shortened
from mlsieve.files.yaml import parse_yaml

FORMATS = (*FILE_FORMATS, "embedded")
TASKS = ("mlc", "hmlc")
PROJECT_CATALOG = Path("config") / "datasets.yaml"

# An id is the name of a folder, and has no more bytes than a file's name.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,199}")


@dataclass(frozen=True)
class DatasetEntry:
    """A catalog's entry of a dataset.

    Attributes
    ----------
    id : str
    task : {"mlc", "hmlc"}
        Where an entry does not give it: hmlc for CLUS files and with a hierarchy, unless it is flattened.
    format : str
        One of `FORMATS`. Where an entry does not give it, it is recognised from the file: csv by its ending,
        clus by a hierarchical attribute, or else mulan.
    files : mapping of role to DataFile
        Roles: train, valid (joined with train), test, all (a set without official split), labels (Mulan XML),
        hierarchy (edges of the labels' hierarchy, see `mlsieve.data.readers.edge_list`).
    label_count : int or None
        The first attributes are labels (negative: the last); None where the label file or MEKA's ``-C``
        gives the labels.
    label_names : tuple of str
        Names and patterns of the labels: what an entry's key ``labels`` holds if it is no file.
    label_column, label_separator, positive, x, y : str or None
    separator, decimal, encoding, header, missing, sheet
        How the files are read, see `mlsieve.data.load_dataset`.
    drop, keep : tuple of str
        Attributes to leave out, or the features to keep: names and patterns.
    nominal : tuple of str
        Columns that are nominal whatever they hold, names or patterns; not of ARFF files.
    document_frequency : int, float or None
        Only so many of the features are kept, a count or a share, those that are not zero in most rows; see
        `mlsieve.data.feature_choices`.
    hierarchy_type, class_separator, classes, without_class : str or None
    flatten : bool
        How hierarchical classes are taken, see `mlsieve.data.class_choices.ClassChoices`.
    incomplete : str or None
        What the public copy lacks; such a set can be read and takes part in no test.
    counts : mapping
        What the files with these checksums hold: n_train, n_test, F_numeric, F_nominal, L, cardinality,
        distinct, missing; of sparse files also nonzeros; of hierarchies also edges, depth and leaves.
    published : mapping of source to mapping
        What papers and home pages print: n, n_train, n_test, F, L, cardinality, density, distinct; of
        hierarchies also shape ("tree" or "dag"), depth (of the deepest class) and leaf_depth (the mean depth
        of the classes without children).
    studies : tuple of str
        Studies whose paper uses the set.
    differs_from_paper : bool
        Whether the public copy is not the papers' data.
    stands_in_for : str or None
        The complete set of which this is a part.
    domain : str or None
        Related sets, which are not independent observations in a test, share a domain.
    reference, origin, notes : str
    """

    id: str
    task: str = "mlc"
    format: str = "mulan"
    files: Mapping[str, DataFile] = field(default_factory=dict)
    label_count: int | None = None
    label_names: tuple[str, ...] = ()
    label_column: str | None = None
    label_separator: str | None = None
    positive: str | None = None
    x: str | None = None
    y: str | None = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    document_frequency: int | float | None = None
    hierarchy_type: str | None = None
    class_separator: str | None = None
    classes: str | None = None
    without_class: str | None = None
    flatten: bool = False
    incomplete: str | None = None
    counts: Mapping[str, float] = field(default_factory=dict)
    published: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    studies: tuple[str, ...] = ()
    differs_from_paper: bool = False
    stands_in_for: str | None = None
    domain: str | None = None
    reference: str = ""
    origin: str = ""
    notes: str = ""

    @property
    def has_official_split(self) -> bool:
        """Whether a test part comes with the data (embedded sets have a fixed one)."""
        return "test" in self.files or self.format == "embedded"

    @property
    def mirror_folder(self) -> str:
        """Folder of the set below a mirror."""
        return f"{'clus' if self.format == 'clus' else 'mulan'}/{self.id}"


_KEYS = tuple(name for name in DatasetEntry.__dataclass_fields__ if name != "label_names")
TEXTS = (  # keys of texts, and options of the commands that read files
    "label_column",
    "label_separator",
    "positive",
    "x",
    "y",
    "separator",
    "decimal",
    "encoding",
    "sheet",
)
_LISTS = ("drop", "keep", "nominal", "missing", "studies")
# Keys that once had another name, or are that of an option.
RENAMED_KEYS = {"family": "domain", "sep": "separator"}
_FORM_HINTS = {
    "separator": "give one character, or tab or space",
    "decimal": "give '.' or ','",
    "encoding": "",
}


def given_paths(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return the paths that an entry in its short form gives, by role; names of labels are none."""
    found = {role: mapping[role] for role in ROLES if mapping.get(role) is not None}
    return {role: path for role, path in found.items() if role != "labels" or not _are_names(path)}


def _are_names(labels: Any) -> bool:
    return isinstance(labels, list | tuple) or (isinstance(labels, str) and label_file_of(labels) is None)


def entry_from(mapping: Mapping[str, Any], where: str | os.PathLike[str] | None = None) -> DatasetEntry:
    """Return the entry that a mapping of a catalog or a study describes.

    Parameters
    ----------
    mapping : mapping
        Keys as in `DatasetEntry`; instead of `files`, the roles themselves may be keys with a path each.
    where : path-like, optional
        The file it comes from, for error messages.

    Raises
    ------
    UserError
        For unknown keys, a missing id, bad values, or files that do not make a dataset.
    """

    def fail(what: str, hint: str) -> UserError:
        name = mapping.get("id") if isinstance(mapping, Mapping) else None
        whose = f"dataset {shortened(repr(name), 200)}" if name else "a dataset's entry"
        return UserError(f"{whose}: {what}", file=where, hint=hint)

    if not isinstance(mapping, Mapping):
        raise fail(f"is {mapping!r}", "write a mapping with id, format and files")
    allowed = (*_KEYS, *ROLES)
    for key in mapping:
        if key not in allowed:
            renamed = f"it is called '{RENAMED_KEYS[key]}'" if key in RENAMED_KEYS else ""
            raise fail(f"unknown key '{key}'", renamed or did_you_mean(str(key), allowed))
    identity = mapping.get("id")
    if not isinstance(identity, str) or not _ID.fullmatch(identity):
        raise fail(
            f"id is {shortened(repr(identity), 100)}",
            "give an id of letters, digits, '-', '_', '.', at most 200 of them",
        )
    for key, known in (("format", FORMATS), ("task", TASKS)):
        if mapping.get(key) is not None and mapping[key] not in known:
            raise fail(f"{key} is {mapping[key]!r}", did_you_mean(str(mapping[key]), known))
    short = {role: {"path": path} for role, path in given_paths(mapping).items()}
    given = mapping.get("files") or {}
    if not isinstance(given, Mapping) or (short and given):
        raise fail(
            "files are given twice or not as a mapping", "give either files: {...} or a path for each role"
        )
    files = {role: file_from(role, value, fail) for role, value in (given or short).items()}
    values = {key: mapping[key] for key in _KEYS if key in mapping and mapping[key] is not None}
    values["files"] = files
    rows = files.get("train") or files.get("all")
    if "format" not in values and rows is not None:
        encoding = values["encoding"] if isinstance(values.get("encoding"), str) else None
        values["format"] = recognised_format(rows.path or rows.name, encoding) or "mulan"
    if "label_count" in values and (
        isinstance(values["label_count"], bool)
        or not isinstance(values["label_count"], int)
        or values["label_count"] == 0
    ):
        raise fail(
            f"label_count is {values['label_count']!r}",
            "give a number of labels: the first attributes; negative: the last",
        )
    if "document_frequency" in values:
        try:
            require_document_frequency(values["document_frequency"])
        except UserError as error:
            raise fail(error.what, error.hint or "leave it out") from None
    try:
        choices_from(values)
    except UserError as error:
        raise fail(error.what, error.hint or "leave it out") from None
    if _are_names(mapping.get("labels")):
        labels = mapping["labels"]
        values["labels"] = [labels] if isinstance(labels, str) else labels
    for key in (*_LISTS, "labels"):
        if key in values:
            if not isinstance(values[key], list | tuple) or not all(
                isinstance(item, str) for item in values[key]
            ):
                raise fail(f"{key} is {values[key]!r}", "give a list of names")
            values[key] = tuple(values[key])
    values["label_names"] = values.pop("labels", ())
    _check_reading(values, fail)
    if (values.get("format") == "clus" or "hierarchy" in files) and not values.get("flatten"):
        values.setdefault("task", "hmlc")
    entry = DatasetEntry(**values)
    _check_files(entry, fail)
    return entry


def _check_reading(values: Mapping[str, Any], fail: Any) -> None:
    """Raise unless what an entry says of how its files are read is of the right kind."""
    for key in TEXTS:
        if not isinstance(values.get(key, ""), str):
            raise fail(f"{key} is {values[key]!r}", "give a text, in quotes")
    if not isinstance(values.get("header", True), bool):
        raise fail(f"header is {values['header']!r}", "write true or false")
    for key, hint in _FORM_HINTS.items():
        try:
            form_from({key: values.get(key)})
        except UserError as error:
            raise fail(error.what, hint or error.hint or "leave it out") from None
    if "label_separator" in values and "label_column" not in values:
        raise fail("label_separator without label_column", "name the column that holds the labels")


def _check_files(entry: DatasetEntry, fail: Any) -> None:
    """Raise unless the files of an entry make a dataset of its task."""
    files, made = set(entry.files), entry.format == "embedded"
    if not made and (
        ("train" in files) == ("all" in files) or ("all" in files and files - {"all", "labels", "hierarchy"})
    ):
        problem = "has neither a training file nor one file for all rows"
        if "all" in files:
            problem = f"has one file for all rows, and {min(files - {'all', 'labels', 'hierarchy'})}"
        raise fail(problem, "give train (with valid, test) or all")
    if entry.format == "clus" and (
        needless := [role for role in ("labels", "hierarchy") if role in files]
        + ["labels"] * bool(entry.label_names)
        + [key for key in ("label_count", "label_column") if getattr(entry, key) is not None]
    ):
        raise fail(f"{needless[0]} with format clus", "leave it out: the hierarchical attribute gives it")
    hierarchical = entry.format == "clus" or "hierarchy" in files
    if not made and (hierarchical and not entry.flatten) != (entry.task == "hmlc"):
        hint = "leave task out" if hierarchical else "give hierarchy: edges.csv, or format clus"
        raise fail(f"task is {entry.task}", hint)
    if "labels" in files and entry.label_names:
        raise fail("labels are given by a file and by names", "give one of them")
    if wrong := unfit_parts(form_from(vars(entry)), entry.format):
        raise fail(f"{wrong[0]} with format {entry.format}", "leave it out, or give the file's format")
    of_mat = [key for key in ("x", "y") if getattr(entry, key) is not None]
    if of_mat and entry.format != "mat":
        raise fail(f"{of_mat[0]} with format {entry.format}", "leave it out: it is for MATLAB files")
    given = choices_from(vars(entry)).given
    of_clus = {"hierarchy_type", "class_separator"} & set(given)
    if of_clus and entry.format != "clus":
        raise fail(f"{min(of_clus)} with format {entry.format}", "leave it out: it is for CLUS files")
    if given and not (hierarchical or made):
        raise fail(f"{min(given)} without a hierarchy", "leave it out, or give hierarchy: edges.csv")


def read_catalog(path: str | os.PathLike[str]) -> dict[str, DatasetEntry]:
    """Return the entries of a catalog file by id.

    Parameters
    ----------
    path : path-like
        YAML file ``datasets: [...]``.

    Raises
    ------
    UserError
        If it is no such file, an entry is wrong, or an id occurs twice.
    """
    from mlsieve.data.readers.text import read_text

    return _parsed(read_text(path), os.fspath(path))


def _parsed(text: str, where: str) -> dict[str, DatasetEntry]:
    document = parse_yaml(text, where)
    if document is None:
        return {}
    if not isinstance(document, Mapping) or set(document) - {"datasets"}:
        raise UserError(
            "is not a catalog of datasets", file=where, hint="its only key is 'datasets', a list of entries"
        )
    return entries_by_id(document.get("datasets") or [], where)


def entries_by_id(
    mappings: Iterable[Mapping[str, Any]], where: str | os.PathLike[str] | None = None
) -> dict[str, DatasetEntry]:
    """Return entries by id; an id that occurs twice is an error."""
    if not isinstance(mappings, list | tuple):
        raise UserError("datasets is not a list", file=where, hint="write '- id: ...' for each dataset")
    entries: dict[str, DatasetEntry] = {}
    for mapping in mappings:
        entry = entry_from(mapping, where)
        if entry.id in entries:
            raise UserError(f"dataset '{entry.id}' is listed twice", file=where, hint="remove one of them")
        entries[entry.id] = entry
    return entries


@functools.cache
def public_catalog() -> Mapping[str, DatasetEntry]:
    """Return the entries that ship with the package, by id."""
    text = importlib.resources.files("mlsieve.data").joinpath("catalog.yaml").read_text(encoding="utf-8")
    return _parsed(text, "mlsieve/data/catalog.yaml")


def catalog(
    project: str | os.PathLike[str] | None = None, inline: Iterable[Mapping[str, Any]] = ()
) -> dict[str, DatasetEntry]:
    """Return all known datasets by id; later ones replace earlier ones of the same id.

    Parameters
    ----------
    project : path-like, optional
        A project's catalog; default ``config/datasets.yaml`` below the working folder if there is one.
    inline : iterable of mapping, optional
        Entries of a study's configuration.
    """
    entries = dict(public_catalog())
    if project is not None or PROJECT_CATALOG.is_file():
        entries |= read_catalog(project or PROJECT_CATALOG)
    return entries | entries_by_id(list(inline))


def find_entry(id: str, entries: Mapping[str, DatasetEntry] | None = None) -> DatasetEntry:
    """Return the entry of an id.

    Raises
    ------
    UserError
        If there is none; the message suggests the nearest id.
    """
    entries = catalog() if entries is None else entries
    if id not in entries:
        near = did_you_mean(id, list(entries))
        hint = near if near.startswith("did you") else "'mlsieve datasets list' shows the known ones"
        raise UserError(f"unknown dataset '{id}'", hint=hint)
    return entries[id]
