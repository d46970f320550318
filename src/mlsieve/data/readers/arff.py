"""One strict and fast reader for ARFF files, dense and sparse.

The format is the one of Weka (https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/) with
numeric, real, integer and nominal attributes, and one ``hierarchical`` attribute as CLUS has it (see
`mlsieve.data.readers.clus`). Date attributes become days since 1970. String and relational attributes, keys
of CLUS and instance weights are refused with an error that names the line, unless the attribute is left out.
Where copies in circulation bend the format, it is read like this:

* an unquoted name or value is taken literally, backslashes and all, up to the next blank (names) or
  comma (values);
* inside quotes, single or double, a backslash escapes the next character;
* an unquoted ``?`` is a missing value, a quoted one is a value like others;
* what a sparse row does not list is 0, or the *first* declared value of a nominal attribute, or no class;
* in a file with a hierarchical attribute, whose attributes are identified by position, a name that occurs
  twice gets a number: ``x``, ``x#2``.
"""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

import numpy as np
import scipy.sparse as sp

from mlsieve.data.exchange.whole_numbers import OF_DECLARED, merged_texts, tell_of_long
from mlsieve.data.readers._arff_rows import Body, read_dense
from mlsieve.data.readers._arff_sparse import read_sparse
from mlsieve.data.readers._arff_text import QUOTED, shown, split_values, unquoted
from mlsieve.data.readers.text import BeyondLimit, read_first_lines, read_text
from mlsieve.errors import ColumnError, DataNotice, UserError

_NUMERIC = {"numeric", "real", "integer"}
_OF_TEXT = {"string", "date", "key"}
_KEYWORD = re.compile(r"@(\w+)")


class Attribute(NamedTuple):
    """One column of an ARFF file.

    Attributes
    ----------
    name : str
    categories : tuple of str or None
        Declared values of a nominal attribute in their order; None for a numeric one.
    line : int
        Line of its declaration, from 1.
    classes : tuple of str or None
        What a hierarchical attribute declares, in its order; None for any other.
    text : str or None
        Type of an attribute of text, such as string or date 'yyyy-MM-dd'; None for any other.
    """

    name: str
    categories: tuple[str, ...] | None
    line: int
    classes: tuple[str, ...] | None = None
    text: str | None = None


@dataclass(frozen=True)
class NumericAttributes(Sequence[Attribute]):
    """The attributes of numeric columns, each made when it is asked for.

    Attributes
    ----------
    names : sequence of str
    """

    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> Attribute: ...
    @overload
    def __getitem__(self, place: slice) -> NumericAttributes: ...
    def __getitem__(self, place: int | slice) -> Attribute | NumericAttributes:
        if isinstance(place, slice):
            return NumericAttributes(self.names[place])
        return Attribute(self.names[place], None, 1)


@dataclass(frozen=True)
class ArffTable:
    """What an ARFF file holds.

    Attributes
    ----------
    path : str
    relation : str
        The relation's name; MEKA keeps options in it.
    attributes : sequence of Attribute
        A tuple, or `NumericAttributes`.
    values : ndarray of float64, shape (n, n_attributes), or scipy.sparse.csr_array of float64
        Numbers, positions in the declaration for nominal attributes, positions in `cells` for a hierarchical
        one, NaN for a missing value. Sparse for a file of sparse rows.
    lines : ndarray of int64, shape (n,)
        Line of each row in the file, from 1.
    cells : tuple of str
        Different texts of the hierarchical attribute, the empty one first; empty without such an attribute.
    """

    path: str
    relation: str
    attributes: Sequence[Attribute]
    values: np.ndarray | sp.csr_array
    lines: np.ndarray
    cells: tuple[str, ...] = ()

    @property
    def names(self) -> Sequence[str]:
        """Names of all columns."""
        if isinstance(self.attributes, NumericAttributes):
            return self.attributes.names
        return [attribute.name for attribute in self.attributes]

    @property
    def categories(self) -> dict[int, tuple[str, ...]]:
        """Declared values of the nominal columns, by their positions."""
        if isinstance(self.attributes, NumericAttributes):
            return {}
        columns = enumerate(attribute.categories for attribute in self.attributes)
        return {place: categories for place, categories in columns if categories is not None}

    @property
    def class_column(self) -> int | None:
        """Position of the hierarchical attribute; None if there is none."""
        places = (i for i, attribute in enumerate(self.attributes) if attribute.classes is not None)
        return next(places, None)


def read_arff(
    path: str | os.PathLike[str],
    *,
    hierarchical: bool = False,
    encoding: str | None = None,
    unread: Callable[[Sequence[str]], Collection[str]] = lambda header: (),
) -> ArffTable:
    """Read an ARFF file, dense or sparse, plain, xz or gzip.

    Parameters
    ----------
    path : path-like
    hierarchical : bool, default False
        Whether an attribute may be hierarchical; if not, one is refused.
    encoding : str, optional
        Default: as a byte order mark says, and otherwise UTF-8.
    unread : callable, optional
        Returns the names in the header of attributes that are left out: those of text are not read.

    Returns
    -------
    ArffTable

    Raises
    ------
    UserError
        If anything in the file is not as declared; the message names the file and the line. Nothing is
        half-read.
    """
    path = os.fspath(path)
    text = read_text(path, encoding)
    # An old Macintosh ends lines with a carriage return alone.
    lines = text.replace("\r\n", "\n").split("\n") if "\n" in text else text.split("\r")
    relation, attributes, start = _header(path, lines)
    of_classes = [i for i, attribute in enumerate(attributes) if attribute.classes is not None]
    if of_classes and not hierarchical:
        raise UserError(
            f"attribute '{attributes[of_classes[0]].name}' has the unsupported type 'hierarchical'",
            file=path,
            line=attributes[of_classes[0]].line,
            hint="give the format clus (--format clus)",
        )
    body = Body(
        path,
        [attribute.name for attribute in attributes],
        [attribute.categories for attribute in attributes],
        of_classes[0] if of_classes else None,
        _readers_of_texts(path, attributes, unread),
    )
    rows, numbers = [], []
    for number, line in enumerate(lines[start:], start + 1):
        row = line.strip()
        if row and not row.startswith("%"):
            rows.append(row)
            numbers.append(number)
    if not rows:
        raise UserError(
            "no rows after @data",
            file=path,
            line=start,
            hint="the file may be truncated: fetch or copy it again",
        )
    read = read_sparse if rows[0].startswith("{") else read_dense
    values = read(body, rows, numbers)
    merged = [body.names[place] for place in (merged_texts(body.large) if body.large else ())]
    if merged:
        tell_of_long(merged, OF_DECLARED, file=path, left_out=unread(list(body.names)))
    lines_of_rows = np.array(numbers, dtype=np.int64)
    return ArffTable(path, relation, tuple(attributes), values, lines_of_rows, tuple(body.cells))


def _readers_of_texts(
    path: str, attributes: Sequence[Attribute], unread: Callable[[Sequence[str]], Collection[str]]
) -> dict[int, Callable[[str], float] | None]:
    """Return how the values of attributes of text become numbers, by position; None: they are not read.

    Raises
    ------
    UserError
        For an attribute of text that is neither left out nor a date.
    """
    places = [place for place, attribute in enumerate(attributes) if attribute.text is not None]
    if not places:
        return {}
    from mlsieve.data.readers.cells.dates import date_reader

    left_out = set(unread([attribute.name for attribute in attributes]))
    readers: dict[int, Callable[[str], float] | None] = {}
    for place in places:
        name, text = attributes[place].name, attributes[place].text or ""
        readers[place] = None
        if name in left_out:
            continue
        word, _, form = text.replace("\t", " ").partition(" ")
        quoted = QUOTED.match(form.strip())
        readers[place] = date_reader(unquoted(quoted) if quoted else form) if word.lower() == "date" else None
        if readers[place] is None:
            raise ColumnError(
                f"attribute '{name}' has the unsupported type {shown(text)}",
                ["write it as nominal {a,b,...}"],
                [f"leave it out (--drop '{name}')"],
                file=path,
                line=attributes[place].line,
            )
        what = f"attribute '{name}' has dates: they are read as days since 1970-01-01"
        warnings.warn(DataNotice(what, file=path), stacklevel=3)
    return readers


def read_relation(path: str | os.PathLike[str]) -> str | None:
    """Return the name of an ARFF file's relation, reading no further than there.

    Returns
    -------
    str or None
        Empty if the header has none; None if it does not come within the first megabytes.

    Raises
    ------
    UserError
        What `read_arff` says of a file that is missing, damaged or no ARFF file, as far as it shows so early.
    """
    try:
        return _header(os.fspath(path), read_first_lines(path), only_relation=True)[0]
    except BeyondLimit:
        return None


def _header(
    path: str, lines: Iterable[str], *, only_relation: bool = False
) -> tuple[str, list[Attribute], int]:
    """Return relation, attributes and the number of header lines (the line of @data).

    With `only_relation` the header ends at the relation.
    """
    number = 1
    relation: str | None = None
    attributes: list[Attribute] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        keyword = _KEYWORD.match(text)
        word = keyword[1].lower() if keyword else ""
        if word == "attribute":
            attributes.append(_attribute(path, number, text[len("@attribute") :]))
        elif word == "relation":
            relation = _relation(text[len("@relation") :].strip())
            if only_relation:
                return relation, attributes, number
        elif word == "data":
            if not attributes:
                raise UserError(
                    "@data before any @attribute", file=path, line=number, hint="declare the attributes first"
                )
            return relation or "", _distinct_names(path, attributes), number
        elif relation is None and not attributes:
            raise UserError(
                "is not an ARFF file: it does not begin with @relation",
                file=path,
                line=number,
                hint="check the path and --format",
            )
        else:
            raise UserError(
                f"neither @attribute nor @data: {shown(text)}",
                file=path,
                line=number,
                hint="check the header for a missing @data",
            )
    cause = "is not an ARFF file: it is empty" if relation is None and not attributes else "ends before @data"
    raise UserError(cause, file=path, line=number, hint="the file may be truncated: fetch or copy it again")


def _distinct_names(path: str, attributes: list[Attribute]) -> list[Attribute]:
    """Return attributes of different names: numbered if one is hierarchical, else an error if not so."""
    of_classes = [attribute for attribute in attributes if attribute.classes is not None]
    if len(of_classes) > 1:
        raise UserError(
            f"a second hierarchical attribute, '{of_classes[1].name}'; the first is '{of_classes[0].name}'",
            file=path,
            line=of_classes[1].line,
            hint="remove one of them",
        )
    first: dict[str, int] = {}
    times: dict[str, int] = {}
    names = {attribute.name for attribute in attributes}
    different = []
    for attribute in attributes:
        name = attribute.name
        if name in first and not of_classes:
            raise UserError(
                f"attribute '{name}' is declared twice, first in line {first[name]}",
                file=path,
                line=attribute.line,
                hint="rename or remove one of them",
            )
        while name in first or (name != attribute.name and name in names):
            times[attribute.name] = times.get(attribute.name, 1) + 1
            name = f"{attribute.name}#{times[attribute.name]}"
        first[name] = attribute.line
        different.append(attribute._replace(name=name))
    return different


def _relation(text: str) -> str:
    quoted = QUOTED.match(text)
    return unquoted(quoted) if quoted else text


def _attribute(path: str, number: int, text: str) -> Attribute:
    """Return the attribute that the text after ``@attribute`` declares."""
    declaration = text.strip()
    if not text[:1].isspace() or not declaration:
        raise UserError(
            "@attribute without a name", file=path, line=number, hint="write: @attribute NAME TYPE"
        )
    quoted = QUOTED.match(declaration)
    if quoted:
        name, kind = unquoted(quoted), declaration[quoted.end() :].strip()
    elif declaration[0] in "'\"":
        raise UserError(
            "the quote around the attribute's name is not closed", file=path, line=number, hint="close it"
        )
    else:
        name, _, kind = declaration.replace("\t", " ").partition(" ")
        if not kind and "{" in name:  # @attribute name{0,1}
            brace = name.index("{")
            name, kind = name[:brace], name[brace:]
        kind = kind.strip()
    if not name:
        raise UserError("an attribute's name is empty", file=path, line=number, hint="name it")
    if kind.startswith("{"):
        return Attribute(name, _categories(path, number, name, kind), number)
    word, _, rest = kind.replace("\t", " ").partition(" ")
    if word.lower() == "hierarchical":
        return Attribute(name, None, number, _classes(path, number, name, rest))
    if word.lower() in _NUMERIC and (not rest.strip() or rest.lstrip().startswith("%")):
        return Attribute(name, None, number)
    if not kind:
        raise UserError(
            f"attribute '{name}' has no type", file=path, line=number, hint="write: @attribute NAME TYPE"
        )
    if word.lower() in _OF_TEXT:
        return Attribute(name, None, number, text=kind)
    known = word.lower() == "relational"
    raise UserError(
        f"attribute '{name}' has the {'unsupported' if known else 'unknown'} type {shown(kind)}",
        file=path,
        line=number,
        hint="numeric, real, integer, date and nominal {a,b,...} attributes are read",
    )


def _classes(path: str, number: int, name: str, text: str) -> tuple[str, ...]:
    """Return what a hierarchical attribute declares, given ``01,01/01,...``."""
    if "'" in text or '"' in text:
        classes, rest = split_values(text)
    else:
        classes, rest = [each.strip() for each in text.split(",")], ""
    if rest is None or not all(classes):
        problem = "declares an empty class" if any(classes) else "declares no classes"
        if rest is None:
            problem = "has a quote that is not closed"
        raise UserError(
            f"hierarchical attribute '{name}' {problem}",
            file=path,
            line=number,
            hint="write its classes, separated by commas: 1,1/1,1/2,2",
        )
    return tuple(classes)


def _categories(path: str, number: int, name: str, kind: str) -> tuple[str, ...]:
    """Return the declared values of a nominal attribute, given ``{a, 'b c', ...}``."""
    if "'" not in kind and '"' not in kind:
        inner, brace, rest = kind[1:].partition("}")
        values = [value.strip() for value in inner.split(",")]
        closed = bool(brace)
        if closed and rest.strip() and not rest.lstrip().startswith("%"):  # a } inside an unquoted value
            closed = kind.endswith("}")
            values = [value.strip() for value in kind[1:-1].split(",")]
    else:
        values, after = split_values(kind[1:], end="}")
        closed = after is not None and (not after.strip() or after.lstrip().startswith("%"))
        values = [value.removeprefix("\0") for value in values]
    if not closed:
        raise UserError(
            f"the values of attribute '{name}' are not closed with }}",
            file=path,
            line=number,
            hint="close them",
        )
    if "" in values and "''" not in kind and '""' not in kind:
        raise UserError(
            f"attribute '{name}' declares an empty value",
            file=path,
            line=number,
            hint="quote it or remove it",
        )
    if len(set(values)) < len(values):
        twice = next(value for value, times in Counter(values).items() if times > 1)
        raise UserError(
            f"attribute '{name}' declares the value {shown(twice)} twice",
            file=path,
            line=number,
            hint="remove one",
        )
    return tuple(values)
