"""Text of a data file, whole or its first lines, in the encoding that it has."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from pathlib import Path

from mlsieve.data.readers.packed import opened, read_bytes, without_packing
from mlsieve.errors import UserError, composed, did_you_mean, number_of, shortened

# How much of a file is read for what its header says: long comments, but no file that unpacks without end.
FIRST_BYTES = 1 << 24
# The encodings whose byte order mark a file may begin with; a longer mark before one that begins alike.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# A file of two bytes a letter without a mark: its first letters, where every other byte is 0.
_UNMARKED = (
    (re.compile(rb"(?:[\t\n\r -~]\0){2}"), "utf-16-le"),
    (re.compile(rb"(?:\0[\t\n\r -~]){2}"), "utf-16-be"),
)
# What a file is read as that is not UTF-8: Windows and R in western Europe write it. All but five bytes are
# letters and signs in it. ISO 8859-1, which it extends, has a meaning for each byte.
WESTERN, ANY_BYTES = "cp1252", "latin-1"
_USUAL, _ESCAPED = "Name-1.x, 'y';+ \t\n" + 64 * "z", rb"\u0041"
_EXAMPLES = "cp1251, gb18030 or shift-jis"  # of encodings that cannot be told from western ones
_OTHER_LETTERS = re.compile(r"[^\x00-\x7f]+")
_WORD_END = re.compile(r"[\s,;|\"']")
_DATA = re.compile(r"\s*@data\b", re.IGNORECASE)
_HIERARCHICAL = re.compile(
    r"""\s*@attribute\s+(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s'"]\S*)\s*\bhierarchical(?!\S)""",
    re.IGNORECASE,
)
# Endings from which a format follows.
_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".arff": None,
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".rda": "r",
    ".rdata": "r",
    ".rds": "r",
    ".mat": "mat",
}
_BINARY = ("parquet", "feather", "excel", "r", "mat")
_FIRST_OF_BINARY = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "feather"),
    (b"FEA1", "feather"),
    (b"PK\x03\x04", "excel"),
    (b"\xd0\xcf\x11\xe0", "excel"),
    (b"MATLAB ", "mat"),
    (b"RDX", "r"),
    (b"X\n\0\0", "r"),
)
_XMLC_FIRST = re.compile(r"\s*\d+\s+\d+\s+\d+\s*")
_PAIR = re.compile(r"\s\d+:[^\s:]")
_SVMLIGHT_ROW = re.compile(r"\s*[\d,.:+-]*(?:\s+qid:\d+)?(?:\s+\d+:[^\s:]+)+\s*(?:#.*)?")


def recognised_format(path: str | os.PathLike[str], encoding: str | None = None) -> str | None:
    """Return the format of a file, as recognised from its name and beginning.

    Parameters
    ----------
    path : path-like
    encoding : str, optional
        Of its text. Without it, text that is not UTF-8 is looked at as western: a format shows in letters
        that most encodings share.

    Returns
    -------
    str or None
        By the first bytes of a file that is there, if it is no text, whatever its name; by the name, such as
        csv for ``.csv`` and ``.tsv``; by the first lines: clus by a hierarchical attribute in the header,
        xmlc by three counts above a row of pairs, svmlight by pairs of an index and a value, csv by a
        separator in the first line. None for other ARFF files, and those that cannot be read.
    """
    path = Path(path)
    named = named_format(path)
    if not path.is_file():
        return named
    try:
        found = _format_of_bytes(path)
        if found is not None or named not in (None, *_BINARY):
            return found or named
        if encoding is not None:
            require_encoding(encoding)
        found = _format_of_lines(path, encoding)
    except (UserError, BeyondLimit):
        return named
    if named is not None:
        return "csv" if found == "csv" and named != "r" else named
    return found if without_packing(path).suffix.lower() != ".arff" or found == "clus" else None


def named_format(path: str | os.PathLike[str]) -> str | None:
    """Return the format that a file's name says; None if it says none."""
    return _FORMATS.get(without_packing(path).suffix.lower())


def _format_of_bytes(path: Path) -> str | None:
    """Return the format that is no text, by the first bytes."""
    with opened(path) as stream:
        beginning = stream.read(8)
    return next((found for first, found in _FIRST_OF_BINARY if beginning.startswith(first)), None)


def _format_of_lines(path: Path, encoding: str | None) -> str | None:
    try:
        return _format_of_text(path, read_first_lines(path, encoding=encoding))
    except NotInEncoding:
        if encoding is not None:
            raise
        return _format_of_text(path, read_first_lines(path, encoding=ANY_BYTES))


def _format_of_text(path: Path, lines: Iterator[str]) -> str | None:
    for first in lines:
        if first.strip() and not first.lstrip().startswith(("%", "#")):
            break
    else:
        return None
    if first.lstrip().startswith("<"):  # a page of HTML, or XML
        return None
    if not first.lstrip().startswith("@"):
        if _XMLC_FIRST.fullmatch(first) and _PAIR.search(next(lines, "")):
            return "xmlc"
        if _SVMLIGHT_ROW.fullmatch(first):
            return "svmlight"
        by_blanks = path.suffix.lower() in (".txt", ".dat", ".data") or '" "' in first
        return "csv" if by_blanks or any(separator in first for separator in ",;\t|") else None
    for line in lines:
        if _HIERARCHICAL.match(line):
            return "clus"
        if _DATA.match(line):
            break
    return None


class BeyondLimit(Exception):
    """A file's first lines do not hold what they were read for."""


class NotInEncoding(UserError):
    """A text is in another encoding than it was read in."""


def require_encoding(encoding: str) -> None:
    """Raise a UserError for what is no encoding of texts in files that Python knows."""
    if not _is_of_files(encoding):
        known = ("utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "mac-roman", "gb18030", "shift-jis")
        raise UserError(f"unknown encoding '{encoding}'", hint=did_you_mean(encoding, known))


def _is_of_files(encoding: str) -> bool:
    """Whether each letter of a usual text takes equally many bytes, and comes back from them.

    Python's codecs of source code, domain names and bytes do something else, or raise errors of their own.
    """
    try:
        if not codecs.lookup(encoding)._is_text_encoding:
            return False
        content, before = _USUAL.encode(encoding), len("".encode(encoding))
        if (len(content) - before) % len(_USUAL) or content.decode(encoding) != _USUAL:
            return False
        return _ESCAPED.decode(encoding, "replace") != "A"
    except (LookupError, ValueError):
        return False


def read_first_lines(
    path: str | os.PathLike[str], limit: int = FIRST_BYTES, encoding: str | None = None
) -> Iterator[str]:
    """Yield a file's lines without their line feeds, unpacking no more of it than is asked for.

    Parameters
    ----------
    path : path-like
        As for `read_text`.
    limit : int
        Unpacked bytes to read at most.
    encoding : str, optional
        As for `read_text`.

    Raises
    ------
    UserError
        As `read_text`, as far as it shows in the lines that are asked for.
    BeyondLimit
        Instead of a line that does not end within the limit.
    """
    path = Path(path)
    number, left = 0, limit
    with opened(path) as stream:
        mark = stream.read(4)
        wide = _marked(mark) if encoding is None else encoding
        if wide is not None and _is_wide(wide):
            content = mark + stream.read(limit)
            yield from _decoded(content, path, 1, wide, whole=len(content) <= limit).splitlines()
            return
        rest = mark
        while True:
            line = rest if rest.endswith(b"\n") else rest + stream.readline(left)
            if b"\n" in line[:-1]:
                line, _, rest = line.partition(b"\n")
                line += b"\n"
            else:
                rest = b""
            left -= len(line)
            if left <= 0:
                raise BeyondLimit
            number += 1
            text = _decoded(line.removesuffix(b"\n"), path, number, encoding)
            # An old Macintosh ends lines with a carriage return alone.
            yield from text.split("\r") if number == 1 and not line.endswith(b"\n") else [text]
            if not line.endswith(b"\n"):
                return


def read_text(path: str | os.PathLike[str], encoding: str | None = None) -> str:
    """Return a file's text, unpacked and decoded; line ends stay as in the file.

    Parameters
    ----------
    path : path-like
        A file of text, plain or packed.
    encoding : str, optional
        Default: as the byte order mark says, which is dropped, and otherwise UTF-8.

    Raises
    ------
    UserError
        As `mlsieve.data.readers.packed.read_bytes`; also if the file holds NUL bytes or is not in this
        encoding (the message names the line).
    """
    return _decoded(read_bytes(path), path, 1, encoding)


def found_encoding(path: str | os.PathLike[str]) -> str:
    """Return the encoding of a table: by its byte order mark, else UTF-8 if it fits, else a western one.

    Raises
    ------
    UserError
        If it holds bytes that stand for no letter of any of them.
    """
    content = read_bytes(path)
    marked = _marked(content)
    if marked is not None:
        return marked
    for encoding in ("utf-8", WESTERN):
        try:
            content.decode(encoding)
        except UnicodeDecodeError as error:
            wrong = error
            if encoding == "utf-8":
                _require_no_slip(content, error, path)
            continue
        return encoding
    raise NotInEncoding(
        f"is neither UTF-8 nor western text (byte 0x{content[wrong.start]:02x})",
        file=path,
        line=content.count(b"\n", 0, wrong.start) + 1,
        hint=f"give its encoding, e.g. --encoding {_EXAMPLES}",
    )


def remark_on_encoding(encoding: str, text: str) -> str:
    """Return what a text was read as, with a word by which its owner sees whether that is right.

    Parameters
    ----------
    encoding : str
        Found out from the file, and not UTF-8.
    text : str
        As read.

    Returns
    -------
    str
        A clause without a full stop. Words of western text have few letters beyond ASCII; where most of these
        letters stand in words that have no others, it is another alphabet.
    """
    words = [word for word in _WORD_END.split(text[: 1 << 20]) if _OTHER_LETTERS.search(word)]
    if encoding != WESTERN or not words:
        return f"read as {encoding} text (give --encoding if that is wrong)"
    foreign = [word for word in words if _looks_foreign(word)]
    # A word that reads otherwise as central European text shows better which of the two it is.
    odd = next((word for word in words if _as_central_european(word) != word), words[0])
    word = shortened(foreign[0] if foreign else odd, 40)
    if 2 * sum(map(_other_letters, foreign)) > sum(map(_other_letters, words)):
        return (
            f"read as {encoding} text, although '{word}' looks like another alphabet"
            f" (give --encoding, such as {_EXAMPLES})"
        )
    return f"read as {encoding} text, such as '{word}' (give --encoding if that is wrong)"


def _require_no_slip(content: bytes, error: UnicodeDecodeError, path: str | os.PathLike[str]) -> None:
    """Raise for bytes that are UTF-8 but for a few, as in a file that two programs have written."""
    text = content.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    if _other_letters(text) - wrong > wrong:
        raise NotInEncoding(
            f"is UTF-8 text but for byte 0x{content[error.start]:02x}"
            + (f" and {number_of(wrong - 1, 'other')}" if wrong > 1 else ""),
            file=path,
            line=content.count(b"\n", 0, error.start) + 1,
            hint="correct it, or give the file's encoding (--encoding)",
        )


def _other_letters(text: str) -> int:
    return sum(map(len, _OTHER_LETTERS.findall(text)))


def _looks_foreign(word: str) -> bool:
    """Return whether most letters of a word are beyond ASCII, and several in a row."""
    others = _other_letters(word)
    letters = sum(letter.isalpha() and letter.isascii() for letter in word)
    return others > letters and any(len(run) > 1 for run in _OTHER_LETTERS.findall(word))


def _as_central_european(word: str) -> str:
    return word.encode(WESTERN, "replace").decode("cp1250", "replace")


def _marked(beginning: bytes) -> str | None:
    """Return the encoding that a file's first bytes show; None if they show none."""
    marked = next((encoding for mark, encoding in _MARKS if beginning.startswith(mark)), None)
    return marked or next((encoding for first, encoding in _UNMARKED if first.match(beginning)), None)


def _is_wide(encoding: str) -> bool:
    """Whether a line feed is more than one byte."""
    return len("\n".encode(encoding).removeprefix("".encode(encoding))) > 1


def _decoded(
    data: bytes, path: str | os.PathLike[str], first: int, encoding: str | None = None, whole: bool = True
) -> str:
    """Return the text of a file's bytes from the line `first` on; unless whole, they may end in a letter."""
    chosen = encoding or (_marked(data) if first == 1 else None) or "utf-8"
    zero = -1 if _is_wide(chosen) else data.find(b"\0")
    if zero >= 0:
        raise UserError(
            "is not a text file", file=path, line=data.count(b"\n", 0, zero) + first, hint="check the path"
        )
    try:
        if chosen == "utf-8" and first == 1:
            chosen = "utf-8-sig"
        return composed(codecs.getincrementaldecoder(chosen)().decode(data, final=whole))
    except UnicodeError as error:
        if _is_wide(chosen) or not isinstance(error, UnicodeDecodeError):
            raise NotInEncoding(f"is not {chosen} text", file=path, hint="give its --encoding") from error
        line = error.object.count(b"\n", 0, error.start) + first
        raise NotInEncoding(
            f"is not {'UTF-8' if chosen.startswith('utf-8') else chosen} text"
            f" (byte 0x{error.object[error.start]:02x})",
            file=path,
            line=line,
            hint=f"give its encoding, e.g. --encoding latin-1, {_EXAMPLES}",
        ) from error
