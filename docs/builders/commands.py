"""The reference of the command line: a page for each command, from its parser."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from mlsieve.cli import LISTED, command_help, command_parser, step_names

WIDTH = 68  # characters in a line of code beside two columns of links
INTRODUCTION = """\
Command line
============

The pages are made from the parsers of the commands. ``mlsieve COMMAND --help`` shows the same text.
"""


def sections() -> dict[str, list[str]]:
    """Return the names of the commands, by the headings of the overview."""
    typed = {title: [name for name in names if name != "step"] for title, names in LISTED.items()}
    return typed | {"Steps of a study": step_names()}


def pages() -> Iterator[tuple[str, str]]:
    """Yield the overview and a page for each command."""
    lines = [INTRODUCTION]
    for title, names in sections().items():
        lines += [title, "-" * len(title), "", ".. list-table::", "   :widths: 25 75", ""]
        for name in names:
            lines += [f"   * - :doc:`{name} <{name}>`", f"     - {escaped(command_help(name))}"]
            yield f"commands/{name}.rst", _page(command_parser(name))
        lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in names), ""]
    yield "commands/index.rst", "\n".join(lines)


def _page(parser: argparse.ArgumentParser) -> str:
    lines = [*_section(parser.prog, "="), f".. program:: {parser.prog}", ""]
    lines += [_sentence(parser.description), "", *_body(parser)]
    example = (parser.epilog or "").partition("example:\n")[2]
    if example:
        lines += [*_section("Example", "-"), ".. code-block:: sh", ""]
        lines += [f"   {line.strip()}" for line in example.strip().splitlines()]
    return "\n".join([*lines, ""])


def _body(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the usage, the options and the actions of a parser."""
    yield from [".. code-block:: text", ""]
    yield from (f"   {line}" for line in _usage(parser).splitlines())
    yield ""
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]
        choices = [action for action in actions if isinstance(action, argparse._SubParsersAction)]
        plain = [action for action in actions if action not in choices and action.dest != "help"]
        if plain:
            yield from _section(_heading(group.title), "-")
            for action in plain:
                yield from _option(action)
        for action in choices:
            for sub in action.choices.values():
                yield from _section(sub.prog, "-")
                yield from [f".. program:: {sub.prog}", "", _sentence(sub.description), ""]
                yield from (line for line in _below(sub))


def _usage(parser: argparse.ArgumentParser) -> str:
    """Return the usage in lines that fit the page, however wide the terminal is that builds it."""
    formatter = parser.formatter_class(parser.prog, width=WIDTH)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    return formatter.format_help().strip()


def _below(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of an action of a command, whose headings are one level deeper."""
    lines = list(_body(parser))
    for at, line in enumerate(lines):
        ruled = at + 1 < len(lines) and set(lines[at + 1]) == {"-"}
        yield re.sub("-", "~", line) if line and set(line) == {"-"} and not ruled else line


def _heading(title: str | None) -> str:
    return {"positional arguments": "Arguments", "options": "Options"}.get(title or "", _sentence(title)[:-1])


def _option(action: argparse.Action) -> Iterator[str]:
    value = _value(action)
    names = list(action.option_strings) or [value]
    words = [f"{name} {value}".strip() if action.option_strings else name for name in names]
    yield f".. option:: {', '.join(words)}"
    yield ""
    help = (action.help or "") % {**vars(action), "prog": ""} if action.help else ""
    yield f"   {escaped(help)}"
    yield ""


def _value(action: argparse.Action) -> str:
    """Return what stands for an option's value, such as ``FILE`` or ``{mean,sum}``."""
    if action.nargs == 0:
        return ""
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper()


def _section(title: str, rule: str) -> list[str]:
    return [title, rule * len(title), ""]


def _sentence(text: str | None) -> str:
    """Return a line of help as a sentence."""
    words = escaped(text or "")
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "?")) else ".")


def escaped(text: str) -> str:
    """Return plain text without anything that reStructuredText reads as markup; quoted names as code."""
    plain = re.sub(r"([\\*`|_])", r"\\\1", " ".join(text.split()))
    return re.sub(r"(?<!\w)'(mlsieve [\w -]+)'", r"``\1``", plain)
