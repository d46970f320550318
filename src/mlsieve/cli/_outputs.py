"""The files that a command writes: none is one that it reads, or one that someone else wrote."""

from __future__ import annotations

import argparse
import contextlib
import os

from mlsieve.errors import UserError

STANDARD_OUTPUT = ("-", "/dev/stdout")  # as the name of a file to write


class OutputFile(str):
    """The path of a file that a command writes: the type of such an argument, for `check_outputs`."""


# Arguments that name something, and may be empty by a slip: a variable of a shell that is not set.
_NAMED = {
    **{name: f"--{name}" for name in ("method", "ensemble", "score")},
    "methods": "--method",
    "data": "DATA",
    "study": "STUDY.yaml",
}
_NAMES_HINT = {
    **dict.fromkeys(("method", "methods"), "give one; 'mlsieve methods' lists them"),
    "data": "give a data file, or the id of a dataset",
    "study": "give a study's file",
}


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
    outputs: dict[str, str] = {}
    for name, value in vars(args).items():
        if name in _NAMED and "" in (value if isinstance(value, list) else [value]):
            raise UserError(f"{_NAMED[name]} '': a name is missing", hint=_NAMES_HINT.get(name, "give one"))
        if value == "" and (isinstance(value, OutputFile) or name == "output"):
            raise UserError(
                f"--{name.replace('_', '-')} '': a file name is missing", hint="give one, or leave it out"
            )
        if isinstance(value, OutputFile) and value and value not in STANDARD_OUTPUT:
            outputs[_option(name)] = value
    taken = _inputs(args)
    for option, path in outputs.items():
        place = os.path.realpath(path)
        if place in taken:
            raise UserError(
                f"is given for both {taken[place]} and {option}", file=path, hint="choose another name"
            )
        require_replaceable(path, force=args.force)
        if os.path.isfile(place) or not os.path.exists(place):  # a device takes several
            taken[place] = option


def require_no_input(path: str, args: argparse.Namespace) -> None:
    """Raise a UserError if a file that a command writes beside its output is one of its inputs."""
    option = _inputs(args).get(os.path.realpath(path))
    if option is not None:
        raise UserError(
            f"is read as {option}, and the command would overwrite it",
            file=path,
            hint="choose another output",
        )


def _option(name: str) -> str:
    return "DATA" if name == "data" else f"--{name.replace('_', '-')}"


def _inputs(args: argparse.Namespace) -> dict[str, str]:
    """Return the options that give the files a command reads, by the real paths of these."""
    found: dict[str, str] = {}
    for name, value in vars(args).items():
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, OutputFile) or not isinstance(path, str):
                continue
            if path == "-" and name == "data":
                with contextlib.suppress(OSError):  # what the standard input is redirected from
                    place = os.readlink("/dev/fd/0")
                    found |= {place: "the standard input"} if os.path.isfile(place) else {}
            elif os.path.isfile(path):
                found[os.path.realpath(path)] = _option(name)
    return found


def require_replaceable(path: str, *, force: bool) -> None:
    """Raise a UserError if a file cannot be written, or is there and mlsieve did not write it.

    The same holds of the record beside a table.
    """
    from mlsieve.files.ownership import written_by_mlsieve
    from mlsieve.files.writing import record_file

    if record_file(path).is_file():
        require_replaceable(os.fspath(record_file(path)), force=force)
    place = os.path.realpath(path)
    if os.path.islink(place):  # the end of all links is none but in a circle
        raise UserError("is a link that leads to itself", file=path, hint="choose another name")
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
    if os.path.isfile(place) and not force and not written_by_mlsieve(place):
        raise UserError(
            "already exists, and mlsieve did not write it or someone has changed it since",
            file=path,
            hint="choose another name, or replace it with --force",
        )


def write_or_print(text: str, path: str | None) -> None:
    """Write a text to a file, or to standard output if none is given, or ``-``."""
    from mlsieve.files.writing import write_text

    if path and path not in STANDARD_OUTPUT:
        write_text(path, text)
    else:
        print(text, end="")
