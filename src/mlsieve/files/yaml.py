"""YAML of a configuration or a catalog: plain values only, and no small text that becomes a large one."""

from __future__ import annotations

import os
from typing import Any

from mlsieve.errors import UserError

MOST_LEVELS = 100
MOST_VALUES = 1_000_000


def parse_yaml(text: str, file: str | os.PathLike[str] | None = None) -> Any:
    """Return what a text says in YAML, by the safe loader: mappings, lists, texts, numbers, dates.

    Parameters
    ----------
    text : str
    file : path-like, optional
        For error messages.

    Raises
    ------
    UserError
        With the line, where it is known: if the text is not YAML, asks for Python objects, holds a value that
        is none (2001-99-99), is nested in more than 100 levels, which breaks the parser's stack, or refers to
        its own parts (&a, *a) so often that they expand to more than 1,000,000 values.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _require_bounds(text, loader, file)
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        line = mark.line + 1 if mark is not None else None
        raise UserError(f"is not YAML ({problem})", file=file, line=line, hint="correct it") from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # The constructors of numbers and dates raise what Python does.
        raise UserError(
            f"is not YAML (a value is not what it looks like: {error})",
            file=file,
            hint="correct it, or put it in quotes",
        ) from error


def _require_bounds(text: str, loader: Any, file: str | os.PathLike[str] | None) -> None:
    """Raise for a text that is nested too deeply, or expands to too many values."""
    import yaml

    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    for event in yaml.parse(text, Loader=loader):
        problem = None
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, total))
            total += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            if anchor is not None:
                sizes[anchor] = total - before
        elif isinstance(event, yaml.ScalarEvent):
            total += 1
            if event.anchor is not None:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.AliasEvent):
            if any(event.anchor == anchor for anchor, _ in open_nodes):
                problem = f"'*{event.anchor}' is within what it refers to"
            total += sizes.get(event.anchor or "", 0)
        if len(open_nodes) > MOST_LEVELS:
            problem = f"nested in more than {MOST_LEVELS} levels"
        if total > MOST_VALUES:
            problem = f"expands to more than {MOST_VALUES:,} values"
        if problem is not None:
            line = event.start_mark.line + 1 if event.start_mark else None
            raise UserError(f"is not accepted as YAML ({problem})", file=file, line=line, hint="correct it")
