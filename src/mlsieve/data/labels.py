"""Which attributes are labels: Mulan's XML, MEKA's ``-C`` in the relation name, or a count."""

from __future__ import annotations

import csv
import fnmatch
import io
import os
import re
import xml.parsers.expat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlsieve.data.readers.packed import read_bytes, without_packing
from mlsieve.errors import UserError, composed, did_you_mean, number_of, shortened

_MEKA_OPTION = re.compile(r"(?:^|\s)-[Cc](?:\s+(\S*)|$)")
# Filters of WEKA after which a label may be in another place than MEKA's option says.
_MOVES = re.compile(r"\battribute\.(?:Remove|Reorder)\b[^.\s]*")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
NO_FEATURES_HINT = "keep at least one column besides the labels"
_NO_FEATURES_AT_ALL = "give a file that has columns of features, too"
LABEL_HINT = "check which attributes are labels; a label must be 0 or 1 in every row"
_NO_LABELS = (
    "give --labels with a Mulan XML file or with names, --label-count N (the first N attributes; negative:"
    " the last), or --label-column"
)


class NoLabels(UserError):
    """Nothing says which attributes of data are labels."""


def label_file_of(labels: Any) -> Path | None:
    """Return the Mulan file that names the labels; None if these are given by names or patterns.

    Parameters
    ----------
    labels : path-like, str, or sequence of str
        A text is a file if it ends in .xml, packed or not, or if there is such a file.
    """
    if not isinstance(labels, str | os.PathLike):
        return None
    path = Path(labels)
    is_path = isinstance(labels, os.PathLike) or without_packing(path).suffix.lower() == ".xml"
    return path if is_path or os.path.isfile(path) else None


def read_mulan_labels(path: str | os.PathLike[str]) -> list[str]:
    """Return the label names in a Mulan label file, in the file's order.

    Parameters
    ----------
    path : path-like
        XML file with a root element ``labels`` that holds ``<label name="..."/>`` elements. Nested ones (a
        hierarchy of labels) are all returned, each parent before its children.

    Raises
    ------
    UserError
        If it is not such a file, names a label twice or none, or declares a document type or entities (a
        label file needs none, and they can make a small file expand without bounds).
    """
    return list(read_label_parents(path))


def read_label_parents(path: str | os.PathLike[str]) -> dict[str, str | None]:
    """Return the labels of a Mulan label file, and the one around each, None at the top.

    Raises
    ------
    UserError
        As `read_mulan_labels`.
    """
    data = read_bytes(path)
    names: dict[str, str | None] = {}
    around: list[str] = []
    depth = 0
    parser = xml.parsers.expat.ParserCreate()

    def fail(what: str, hint: str) -> UserError:
        return UserError(what, file=path, line=parser.CurrentLineNumber, hint=hint)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        local = tag.rpartition(":")[2]
        if local != ("label" if depth else "labels"):
            raise fail(
                f"unexpected element <{tag}>", 'a Mulan label file is <labels><label name="..."/>...</labels>'
            )
        if depth:
            if "name" not in attributes:
                raise fail("a <label> without a name", "give it a name attribute")
            name = composed(attributes["name"])
            if name in names:
                raise fail(f"label '{name}' is listed twice", "remove one of them")
            names[name] = around[-1] if around else None
            around.append(name)
        depth += 1

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        if around:
            around.pop()

    def refuse(*_: object) -> None:
        raise fail("declares a document type or an entity", "remove the <!DOCTYPE ...>")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except xml.parsers.expat.ExpatError as error:
        message = xml.parsers.expat.errors.messages[error.code]
        raise UserError(
            f"is not well-formed XML ({message})", file=path, line=error.lineno, hint="check the path"
        ) from error
    except (LookupError, ValueError) as error:  # what its first line names is looked up among all codecs
        raise UserError(
            f"has an unsupported encoding ({error})", file=path, line=1, hint="save it as UTF-8"
        ) from error
    if not names:
        raise UserError("names no labels", file=path, hint="check the path")
    return names


def meka_label_count(relation: str, path: str | os.PathLike[str]) -> int | None:
    """Return the number of label attributes that a MEKA relation name gives.

    Parameters
    ----------
    relation : str
        For instance ``Slashdot: -C 22 -split-number 1891``, to which WEKA's filters append their names. As in
        MEKA, the options are behind the colon.
    path : path-like
        Of the file, for the message.

    Returns
    -------
    int or None
        Positive: the first attributes are labels, negative: the last ones. None if the name has no such
        option.

    Raises
    ------
    UserError
        If the option's value is no whole number, or a filter has removed or reordered attributes since.
    """
    _, colon, options = relation.partition(":")
    found = _MEKA_OPTION.search(options if colon else relation.partition("-weka.filters")[0])
    if found is None:
        return None
    option, moved = shortened(found[0].strip()), _MOVES.search(options)
    if not _WHOLE_NUMBER.fullmatch(found[1] or ""):
        raise UserError(
            f"the option '{option}' in the relation's name gives no number of labels",
            file=path,
            hint="correct it to -C N, or give --labels or --label-count",
        )
    if moved:
        raise UserError(
            f"the option '{option}' in the relation's name is older than WEKA's filter"
            f" '{shortened(moved[0])}', which may have moved or removed labels",
            file=path,
            hint="give --label-count N if the labels are the first N attributes, or --labels",
        )
    return int(found[1])


def chosen_names(
    chosen: Sequence[str], known: Sequence[str], file: str | os.PathLike[str] | None = None
) -> list[str]:
    """Return the names that are chosen, in the order of `known`.

    Parameters
    ----------
    chosen : sequence of str
        Names; or names and patterns with ``*`` and ``?``, several of them with commas between them, and
        quotes around a name that has a comma: ``"a,b",c``.
    known : sequence of str
    file : path-like, optional
        Where they come from, for error messages.

    Raises
    ------
    UserError
        If a name is not known, or a pattern fits none.
    """
    place = {name: i for i, name in enumerate(known)}
    found: set[int] = set()
    for text in map(composed, chosen):
        for word in [text] if text in place else _words(text):
            fits = [place[word]] if word in place else _fitting(word, known)
            if not fits:
                raise unknown_column(word, known, file)
            found.update(fits)
    return [known[i] for i in sorted(found)]


def unknown_column(name: str, known: Sequence[str], file: str | os.PathLike[str] | None = None) -> UserError:
    """Return the error for the name of a column, or a pattern, that a header does not have."""
    near = did_you_mean(name, _like_pattern(name, known) if _is_pattern(name) else list(known))
    if not near.startswith("did you"):
        near = f"the columns are {', '.join(map(shortened, known[:8]))}" + ", ..." * (len(known) > 8)
    return UserError(f"no column '{shortened(name)}'", file=file, hint=near)


def _words(text: str) -> list[str]:
    """Return the words of a list with commas, some of them in quotes as in CSV."""
    row = next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True), [])
    found = [word.strip() for word in row if word.strip()]
    if not found:
        raise UserError(f"'{text}' names no column", hint="give names of columns, with commas between them")
    return found


def _is_pattern(text: str) -> bool:
    return any(letter in text for letter in "*?")


def _like_pattern(pattern: str, known: Sequence[str]) -> list[str]:
    """Return patterns that fit a name, and begin otherwise than one that fits none: label_* for labl_*."""
    length = next(place for place, letter in enumerate(pattern) if letter in "*?")
    lengths = range(max(1, length - 2), length + 3)
    candidates = {name[:own] + pattern[length:] for name in known for own in lengths}
    return sorted(each for each in candidates if _fitting(each, known))


def _fitting(pattern: str, known: Sequence[str]) -> list[int]:
    if not _is_pattern(pattern):
        return []
    return [i for i, name in enumerate(known) if fnmatch.fnmatchcase(name, pattern)]


def label_columns(
    attributes: Sequence[str],
    *,
    names: Sequence[str] | None = None,
    count: int | None = None,
    file: str | os.PathLike[str],
    labels_file: str | os.PathLike[str] | None = None,
) -> list[int]:
    """Return the positions of the label attributes, ascending.

    Parameters
    ----------
    attributes : sequence of str
        All attribute names of the data file.
    names : sequence of str, optional
        Names of the labels.
    count : int, optional
        Number of labels if they are not named: positive for the first attributes, negative for the last.
    file, labels_file : path-like
        Where they come from, for error messages.

    Raises
    ------
    UserError
        If a label is not among the attributes, or the count leaves no label or no feature; `NoLabels` if
        there are neither names nor a count.
    """
    most = len(attributes) - 1
    if names is not None:
        place = {name: i for i, name in enumerate(attributes)}
        unknown = [name for name in names if name not in place]
        if unknown:
            more = f" (nor {len(unknown) - 1} more of its {len(names)} labels)" if len(unknown) > 1 else ""
            near = did_you_mean(unknown[0], list(attributes))
            hint = (
                near if near.startswith("did you") else "check that the label file belongs to the data file"
            )
            raise UserError(
                f"label '{unknown[0]}' is not an attribute of {os.fspath(file)}{more}",
                file=labels_file or file,
                hint=hint,
            )
        columns = sorted(place[name] for name in names)
    elif count is None:
        raise NoLabels("does not say which attributes are labels", file=file, hint=_NO_LABELS)
    elif count == 0 or abs(count) > len(attributes):
        raise UserError(
            f"label count {count} does not fit {number_of(len(attributes), 'attribute')}",
            file=file,
            hint=_NO_FEATURES_AT_ALL
            if most < 1
            else "give 1, or -1 for the last one"
            if most == 1
            else f"give 1 to {most}, or -1 to -{most} for the last ones",
        )
    else:
        columns = list(range(count)) if count > 0 else list(range(len(attributes) + count, len(attributes)))
    if len(columns) == len(attributes):
        raise UserError(
            "every column is a label, so there are no features",
            file=labels_file or file,
            hint="name fewer labels" if most else _NO_FEATURES_AT_ALL,
        )
    return columns
