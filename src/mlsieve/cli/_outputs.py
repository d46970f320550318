"""The files that a command writes: none is one that it reads, or of others; its last lines name them."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from mlsieve.cli._notes import in_words
from mlsieve.errors import UserError
from mlsieve.files.streams import data_output

_LISTED = 3  # files of a folder that are named; more are counted
STANDARD_OUTPUT = ("-", "/dev/stdout")  # as the name of a file to write


class OutputFile(str):
    """The path of a file that a command writes: the type of such an argument, for `check_outputs`.

    Attributes
    ----------
    endings : tuple of str
        Those of the formats that the command writes, the usual one first; empty where it looks by itself.
    """

    endings: tuple[str, ...] = ()


def output_file(*endings: str) -> Callable[[str], OutputFile]:
    """Return the type of an argument that names a file to write, by the endings of its formats."""

    def of(path: str) -> OutputFile:
        file = OutputFile(path)
        file.endings = endings
        return file

    return of


class OutputFolder(str):
    """The path of a folder that a command writes files into: the type of such an argument."""


TABLE_FILE = output_file(".csv", ".tex", ".md")  # see `write_or_print`
CSV_FILE, JSON_FILE, HTML_FILE = output_file(".csv"), output_file(".json"), output_file(".html")
ARRAY_FILE = output_file(".npz")
PREDICTIONS_FILE = output_file(".npz", ".csv", ".arff", ".parquet")


def add_table_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``-o``, for commands that print a table where no file is given."""
    help = "write the table here instead of printing it: .csv, .tex (LaTeX) or .md (Markdown)"
    parser.add_argument("-o", "--output", type=TABLE_FILE, metavar="TABLE", help=help)


def check_outputs(args: argparse.Namespace) -> None:
    """Raise a UserError if a command would write over what it reads, or over a file that is not mlsieve's.

    What a command has fitted for an hour is lost if its file cannot be written then.

    Parameters
    ----------
    args : argparse.Namespace
        Parsed words of a command. The outputs are those of type `OutputFile`; any other argument that is the
        path of a file is an input. ``args.force`` allows to replace a file that mlsieve did not write.

    Raises
    ------
    UserError
        Also for two outputs in one file, a folder, and a place that cannot be written.
    """
    outputs: dict[str, OutputFile] = {}
    for name, value in vars(args).items():
        if value == "" and (isinstance(value, OutputFile) or name == "output"):
            raise UserError(
                f"--{name.replace('_', '-')} '': a file name is missing", hint="give one, or leave it out"
            )
        if isinstance(value, OutputFolder):
            _require_folder(value, _option(name))
        if isinstance(value, OutputFile) and value in STANDARD_OUTPUT and ".npz" in value.endings:
            what = f"is the standard output, and {_option(name)} writes {_listed(value.endings)}"
            raise UserError(what, file=value, hint="give the name of a file")
        if isinstance(value, OutputFile) and value and value not in STANDARD_OUTPUT:
            outputs[_option(name)] = value
    taken = _inputs(args)
    for option, path in outputs.items():
        place, content = os.path.realpath(path), _identity(path)
        if content in taken:
            raise UserError(
                f"is given for both {taken[content]} and {option}", file=path, hint="choose another name"
            )
        _require_ending(path, option)
        require_replaceable(path, force=args.force)
        if os.path.isfile(place) or not os.path.exists(place):  # a device takes several
            taken[content] = option


def _require_ending(path: OutputFile, option: str) -> None:
    """Raise a UserError if a file's name has the ending of a format that the command does not write.

    A text may have a name without an ending: a pipe, for example.
    """
    root, suffix = os.path.splitext(path)
    if not path.endings or suffix in path.endings or (not suffix and ".npz" not in path.endings):
        return
    ending = f"ends in '{suffix}'" if suffix else "has no ending"
    stem, inner = os.path.splitext(root)  # table.csv.gz is a packed table.csv
    named = {suffix.lower(): root, inner.lower(): stem}
    meant = next((name + end for end, name in named.items() if end in path.endings), root + path.endings[0])
    raise UserError(
        f"the name {ending}, and {option} writes {_listed(path.endings)}",
        file=path,
        hint=f"give e.g. {meant}",
    )


def _listed(endings: Sequence[str]) -> str:
    *others, last = endings
    return f"{', '.join(others)} or {last}" if others else last


def _require_folder(path: OutputFolder, option: str) -> None:
    """Raise a UserError if the name of a folder is that of a file, such as ``figure.svg``.

    It may be that of a folder that is there, or end in a slash; a number after a point is no ending.
    """
    endings = re.search(r"(?<=[^/.])(\.[A-Za-z]\w*)+$", path)
    if endings and not os.path.isdir(path):
        raise UserError(
            f"the name ends in '{endings[1]}', and {option} writes several files into a folder",
            file=path,
            hint=f"give e.g. {path[: endings.start()]}, or {path}/ for a folder of that name",
        )


def require_no_input(path: str, args: argparse.Namespace) -> None:
    """Raise a UserError if a file that a command writes beside its output is one of its inputs."""
    option = _inputs(args).get(_identity(path))
    if option is not None:
        raise UserError(
            f"is read as {option}, and the command would overwrite it",
            file=path,
            hint="choose another output",
        )


def _option(name: str) -> str:
    return "DATA" if name == "data" else f"--{name.replace('_', '-')}"


def _identity(path: str) -> tuple[int, int] | str:
    """Return the inode of a file that is there, whatever its name, else where it would be."""
    place = os.path.realpath(path)  # also by way of a folder that is made first: new/../data.csv
    try:
        found = os.stat(place)
    except OSError:
        return place
    return found.st_dev, found.st_ino


def _inputs(args: argparse.Namespace) -> dict[tuple[int, int] | str, str]:
    """Return the options that give the files a command reads, by what `_identity` returns of these."""
    found: dict[tuple[int, int] | str, str] = {}
    for name, value in vars(args).items():
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, OutputFile) or not isinstance(path, str):
                continue
            if path == "-" and name == "data":
                with contextlib.suppress(OSError):  # what the standard input is redirected from
                    place = os.readlink("/dev/fd/0")
                    found |= {_identity(place): "the standard input"} if os.path.isfile(place) else {}
            elif os.path.isfile(path):
                found[_identity(path)] = _option(name)
    return found


def require_replaceable(path: str, *first: str, force: bool) -> None:
    """Raise a UserError if a file cannot be written, or is there and shows already that it is not mlsieve's.

    Parameters
    ----------
    path : str
    *first : str
        How the new content begins, or ways in which it may, where that is known. A table is else looked at
        when it is written.
    force : bool
        Whether to replace what others have written.
    """
    from mlsieve.files.ownership import may_be_replaced

    place = os.path.realpath(path)
    if os.path.islink(place):  # the end of all links is none but in a circle
        raise UserError("is a link that leads to itself", file=path, hint="choose another name")
    if os.path.islink(path) and not os.path.exists(path):
        raise UserError("is a link that leads nowhere", file=path, hint="remove it, or choose another name")
    if os.path.isdir(place):
        raise UserError("is a folder", file=path, hint="give the path of a file")
    folder = os.path.dirname(place)
    while not os.path.exists(folder):  # it is made
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise UserError(
            f"cannot be written: '{folder}' is not a folder", file=path, hint="choose another place"
        )
    if not os.access(folder, os.W_OK):
        raise UserError(f"the folder '{folder}' is read-only", file=path, hint="choose another place")
    if os.path.isfile(place) and not force and not may_be_replaced(place, *first):
        raise UserError(
            "already exists, and mlsieve did not write it",
            file=path,
            hint="choose another name, or replace it with --force",
        )


def write_or_print(text: str, path: str | None, caption: str = "") -> None:
    """Write a text to a file, or to standard output if none is given, or ``-``.

    Parameters
    ----------
    text : str
        A table as CSV, which becomes LaTeX in a file .tex and Markdown in a file .md; or another text.
    path : str or None
    caption : str
        Of the table.
    """
    from mlsieve.files.writing import write_text

    if not path or path in STANDARD_OUTPUT:
        with data_output() as stream:
            stream.write(text)
    elif path.endswith((".tex", ".md")):
        import pandas as pd

        from mlsieve.paper.files import table_text, write_marked_up
        from mlsieve.paper.markup import PaperTable

        table = PaperTable(caption, pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""]))
        place = Path(path)
        label = re.sub(r"[^\w-]+", "-", place.stem)
        write_marked_up(table_text(table, label, place.suffix), place)
    else:
        write_text(path, text)


def closing_lines(files: Sequence[Path], said: str) -> list[str]:
    """Return a line for each file that was written, or for a folder with what is below it.

    Parameters
    ----------
    files : sequence of Path
        That were written, in order.
    said : str
        What the command has written on the standard error: a file that it has named there is left out.
    """
    named = {file for line in said.splitlines() for file in line.partition(": ")[0].split(", ")}
    silent = [path for path in files if not named & {str(path), str(path.parent)}]
    silent = [path for path in silent if not (path.suffix == ".json" and path.with_suffix("") in files)]
    lines: list[str] = []
    folders = dict.fromkeys(path.parent for path in silent)
    for folder in (folder for folder in folders if not folders.keys() & set(folder.parents)):
        there = [path for path in silent if folder in path.parents]
        if len(there) > _LISTED:
            lines.append(f"wrote {len(there)} files in {folder}")
        else:
            lines += [f"wrote {in_words([path])}" for path in there]
    return lines
