"""The ``mlsieve`` command: one module per subcommand, imported only when it is called.

The modules of `mlsieve.cli.steps` are what the workflow calls: ``mlsieve step NAME``. Its rules write
``mlsieve NAME``, which no list shows: another text would run the jobs of finished studies again.

A subcommand's module has HELP (one line), EXAMPLE (shown by ``--help``), ``add_arguments(parser)`` and
``run(args)``.
Heavy imports belong inside ``run``: a workflow starts many of these commands.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import os
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from mlsieve.cli._notes import notes
from mlsieve.cli._options import check_inputs, one_setting_each, option_group
from mlsieve.cli._outputs import check_outputs, closing_lines
from mlsieve.errors import UserError, composed, did_you_mean, printable
from mlsieve.files.streams import words_spelled_out
from mlsieve.progress import DELAY, shown, stage

# The commands that people type, in the order in which they come to need them.
LISTED = {
    "Start": ("example", "methods", "datasets"),
    "Rank and evaluate": ("rank", "evaluate", "chain", "compare", "similarity"),
    "Data": ("describe", "convert", "discretise", "prepare"),
    "One part at a time": ("grow", "show-tree", "predict", "score"),
    "Studies": ("study", "plan", "schema", "step"),
}
STEP_HELP = "run a step of a study, as its workflow does; alone: list the steps"
# What people look for under another name.
_OTHER_WORDS = {"select": "mlsieve rank DATA --select K selects the K best features"}
# SciPy's copy of NumPy takes every name of it, and so imports f2py and others, which no command uses.
NUMPY_OF_SCIPY = "scipy._lib.array_api_compat.numpy"


class _Parser(argparse.ArgumentParser):
    """argparse, but an error is one line that ends with a hint, and help has no colours."""

    color = property(lambda self: False, lambda self, value: None)  # from Python 3.14 on

    def error(self, message: str) -> None:  # type: ignore[override]
        unknown, _, words = message.partition("unrecognized arguments: ")
        option = words.split(" ")[0].partition("=")[0]
        near = ""
        if not unknown and option.startswith("--"):
            near = did_you_mean(option, [known for known in self._option_string_actions if known[:2] == "--"])
        raise UserError(message, hint=near if near.startswith("did you") else f"see '{self.prog} --help'")


def command_names() -> list[str]:
    """Return the subcommands' names, those of steps too, sorted."""
    return sorted(_places())


def step_names() -> list[str]:
    """Return the names of the commands that only a workflow calls, sorted."""
    return [name for name in command_names() if _places()[name].startswith(f"{__name__}.steps.")]


@functools.cache
def _places() -> dict[str, str]:
    """Return the module of each subcommand, from the folders of this package."""
    found = {}
    for folder in pkgutil.iter_modules(__path__):
        if folder.ispkg:
            for module in pkgutil.iter_modules([os.path.join(__path__[0], folder.name)]):
                found[module.name.replace("_", "-")] = f"{__name__}.{folder.name}.{module.name}"
    return found


def _module(command: str):
    return importlib.import_module(_places()[command])


def command_help(command: str) -> str:
    """Return the line that says what a subcommand does."""
    return str(_module(command).HELP)


def _overview() -> str:
    lines = ["usage: mlsieve COMMAND ...", "", "Feature ranking and selection for multi-label data."]
    for title, names in LISTED.items():
        helps = {name: STEP_HELP if name == "step" else command_help(name) for name in names}
        lines += ["", f"{title}:", *_table(helps)]
    return "\n".join([*lines, "", "mlsieve COMMAND --help shows a command's options and an example."])


def _step_overview() -> str:
    lines = ["usage: mlsieve step NAME ...", "", "The steps of a study that its workflow runs.", ""]
    lines += _table({name: command_help(name) for name in step_names()})
    return "\n".join([*lines, "", "mlsieve step NAME --help shows the options of a step and an example."])


def _table(helps: Mapping[str, str]) -> list[str]:
    return [f"  {name:<20} {text}" for name, text in helps.items()]


def command_parser(command: str) -> argparse.ArgumentParser:
    """Return the parser of a subcommand's words."""
    module = _module(command)
    parser = _Parser(
        prog=f"mlsieve step {command}" if command in step_names() else f"mlsieve {command}",
        description=module.HELP,
        epilog=f"example:\n  {module.EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    common = option_group(parser, "options of every command")
    common.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE.py",
        help="a file that registers methods of your own (docs/extending.md); repeatable",
    )
    common.add_argument(
        "--force", action="store_true", help="replace existing files that mlsieve did not write"
    )
    common.add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="at a terminal, show how far the work is; default: once it has taken two seconds",
    )
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser


def _waiting(progress: bool | None) -> contextlib.AbstractContextManager[None]:
    """Return a context in which a terminal shows how far the work is."""
    if progress is False:
        return contextlib.nullcontext()
    return shown(0.0 if progress else DELAY)


def _close(args: argparse.Namespace, files: list[Path], said: str) -> None:
    """Name the files that the command has not named itself."""
    from mlsieve.costs.measured import LOG_USAGE

    # Others, such as downloads, lie neither at a path that the command names nor below one.
    named = {Path(value) for value in vars(args).values() if isinstance(value, str) and value}
    own = [path for path in dict.fromkeys(files) if path in named or named & set(path.parents)]
    if not os.environ.get(LOG_USAGE):  # a study's jobs are not a person's commands
        for line in closing_lines(own, said):
            print(printable(f"mlsieve: {line}"), file=sys.stderr)


def _log_usage() -> None:
    """Write what this process has used, in jobs of the workflow: the last line of their logs."""
    from mlsieve.costs.measured import LOG_USAGE, usage, usage_line

    if os.environ.get(LOG_USAGE):
        print(usage_line(usage()), file=sys.stderr)


def _hint(word: str, known: Sequence[str]) -> str:
    """Return what was probably meant by a word that names no command, or no step."""
    steps = step_names()
    if known == steps:
        is_command = word in command_names()
        return f"it is no step: write mlsieve {word}" if is_command else did_you_mean(word, steps)
    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    near = did_you_mean(word, [*known, "step"])
    if not near.startswith("did you mean"):
        return did_you_mean(word, [name for names in LISTED.values() for name in names])
    return near.replace("'", "'step ", 1) if near.split("'")[1] in steps else near


def import_lightly() -> None:
    """Import SciPy's copy of NumPy while NumPy names only what is loaded.

    What the copy then lacks comes from NumPy when it is asked for. Nothing is done if SciPy is loaded
    already; if it has no such copy, or another one, it is imported as usual.
    """
    if "scipy" in sys.modules:
        return
    import numpy

    own = vars(numpy)
    before: dict[str, Any] = {name: own[name] for name in ("__all__", "__dir__") if name in own}
    loaded = [name for name in dir(numpy) if name in own]
    offered = [name for name in numpy.__all__ if name in own]
    own.update(__all__=offered, __dir__=lambda: loaded)
    try:
        with contextlib.suppress(Exception):
            copy = importlib.import_module(NUMPY_OF_SCIPY)
            vars(copy).setdefault("__getattr__", lambda name: getattr(numpy, name))
    finally:
        del own["__all__"], own["__dir__"]
        own.update(before)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Parameters
    ----------
    argv : sequence of str, optional
        Words after ``mlsieve``; default sys.argv.

    Returns
    -------
    int
        0; 2 after bad usage or bad input, with one line on stderr; 130 when interrupted.
    """
    try:
        with words_spelled_out():
            return _main(list(sys.argv[1:] if argv is None else argv))
    except BrokenPipeError:
        _let_go(sys.stdout)
        _let_go(sys.stderr)
        return 0


def _let_go(stream: TextIO) -> None:
    """Write nothing more to a stream that nobody reads: Python would complain when it ends."""
    try:
        stream.flush()
    except BrokenPipeError:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())


def _run(command: str, args: argparse.Namespace) -> int:
    """Run a subcommand; one whose reader has seen enough has done its work."""
    try:
        status = _module(command).run(args) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        _let_go(sys.stdout)
        return 0


def _composed(word: str) -> str:
    """Return a word with composed letters, as names and values of data are, unless it is a path."""
    value = word.partition("=")[2] if word.startswith("--") else word
    folder = os.path.dirname(value)
    is_path = os.path.lexists(value) or (folder and os.path.isdir(folder))
    return word if is_path else composed(word)


def _main(words: list[str]) -> int:
    for word in words:
        if "\0" in word or word.encode(errors="ignore").decode() != word:
            why = "is not UTF-8, or contains NUL; rename the file that it names"
            print(printable(f"mlsieve: '{word}' {why}"), file=sys.stderr)
            return 2
    words = list(map(_composed, words))
    if not words or words[0] in {"-h", "--help"}:
        print(_overview())
        return 0
    if words[0] == "--version":
        from mlsieve import __version__

        print(f"mlsieve {__version__}")
        return 0
    known = command_names()
    if words[0] == "step":
        words, known = words[1:], step_names()
        if not words or words[0] in {"-h", "--help"}:
            print(_step_overview())
            return 0
    try:
        if words[0] not in known:
            raise UserError(f"unknown command '{words[0]}'", hint=_hint(words[0], known))
        args = command_parser(words[0]).parse_args(one_setting_each(words[1:]))
        check_inputs(args)
        import_lightly()  # and NumPy, which takes a moment
        from mlsieve.files.ownership import protecting
        from mlsieve.files.writing import noted_files

        check_outputs(args)
        if args.plugin:
            from mlsieve.registry.plugins import load_plugins

            load_plugins(args.plugin)
        with (
            noted_files() as files,
            protecting(args.force),
            _waiting(args.progress),
            notes() as said,
            stage(f"mlsieve {words[0]}"),
        ):
            status = _run(words[0], args)
        _close(args, files, "".join(said))
        _log_usage()
        return status
    except UserError as error:
        if "--debug" in words:
            raise
        print(f"mlsieve: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        raise
    except OSError as error:
        if "--debug" in words:
            raise
        where, hint = (f"{error.filename}: ", "; check the path") if error.filename else ("", "")
        print(printable(f"mlsieve: {where}{error.strerror or error}{hint}"), file=sys.stderr)
        return 2
    except MemoryError as error:
        if "--debug" in words:
            raise
        detail = f" ({error})" if str(error) else ""
        print(f"mlsieve: out of memory{detail}; give it more, or smaller data", file=sys.stderr)
        return 2
    except Exception as error:
        from mlsieve.registry.plugins import failure_in_plugin

        failure = failure_in_plugin(error)
        if "--debug" in words or failure is None:
            raise
        print(f"mlsieve: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mlsieve: interrupted", file=sys.stderr)
        return 130
