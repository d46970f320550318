"""YAML of a configuration or a catalog: plain values only, and no small text that becomes a large one.

Keys are texts, and each occurs once in its mapping. What YAML 1.1 takes for numbers to the base 60 (1:30) is
a text, as in YAML 1.2.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from mlsieve.errors import UserError, shortened

MOST_LEVELS = 100
MOST_VALUES = 1_000_000
MOST_DIGITS = 19
# Snakemake has files with this key filled in by yte, which runs the Python code within them.
_TEMPLATE_KEY = "__use_yte__"
_TAG = "tag:yaml.org,2002:"
_PLAIN = ("bool", "float", "int", "map", "null", "seq", "str", "timestamp")


def parse_yaml(text: str, file: str | os.PathLike[str] | None = None) -> Any:
    """Return what a text says in YAML: mappings with texts as keys, lists, texts, numbers, dates.

    Parameters
    ----------
    text : str
    file : path-like, optional
        For error messages.

    Raises
    ------
    UserError
        With the line and the key, where there is one: if the text is not YAML, asks for other objects, is
        nested in more than 100 levels, which breaks the parser's stack, refers to its own parts (&a, *a) so
        often that they expand to more than 1,000,000 values, has a key that is no text or occurs twice in a
        mapping, an integer of more than 19 digits, a number that is not finite, a text with a NUL, a value
        that is none (2001-99-99), or is a template.
    """
    import yaml

    loader = _loader()
    try:
        check = _Check(loader, file)
        for event in yaml.parse(text, Loader=loader):
            check.next(event)
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        line = mark.line + 1 if mark is not None else None
        raise UserError(f"is not YAML ({problem})", file=file, line=line, hint="correct it") from error


@functools.cache
def _loader() -> Any:
    """Return the safe loader without base 60 and types of rare use, whose wrong values have a line."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):
        yaml_constructors: ClassVar = {
            tag: make
            for tag, make in base.yaml_constructors.items()
            if tag is None or tag.removeprefix(_TAG) in _PLAIN
        }

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                problem = f"a value is not what it looks like: {error}"
                raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error

        def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
            tag = super().resolve(kind, value, implicit)
            return f"{_TAG}str" if tag in (f"{_TAG}int", f"{_TAG}float") and ":" in value else tag

    return Loader


@dataclass
class _Node:
    """A mapping or list whose end has not come yet.

    Attributes
    ----------
    anchor : str or None
    before : int
        Values of the text before it.
    keys : set of str or None
        Those that have come; None for a list.
    key : str or None
        The one whose value comes next; None: a key comes next.
    """

    anchor: str | None
    before: int
    keys: set[str] | None
    key: str | None = None


class _Check:
    """Raises for the first event of a text that is too much, or ambiguous."""

    def __init__(self, loader: Any, file: str | os.PathLike[str] | None) -> None:
        self.resolve, self.file = loader("").resolve, file
        self.sizes: dict[str, int] = {}
        self.open: list[_Node] = []
        self.total = 0

    def next(self, event: Any) -> None:
        import yaml

        def fail(problem: str, hint: str = "correct it") -> UserError:
            key = next((node.key for node in reversed(self.open) if node.key is not None), None)
            where = f"key '{shortened(key)}': " if key is not None else ""
            line = event.start_mark.line + 1 if event.start_mark else None
            return UserError(
                f"is not accepted as YAML ({where}{problem})", file=self.file, line=line, hint=hint
            )

        if isinstance(event, yaml.CollectionEndEvent):
            node = self.open.pop()
            if node.anchor is not None:
                self.sizes[node.anchor] = self.total - node.before
            self._end_value()
            return
        if not isinstance(event, yaml.NodeEvent):
            return
        inner = self.open[-1] if self.open else None
        if inner is not None and inner.keys is not None and inner.key is None:
            inner.key = self._key(event, inner.keys, fail)
            inner.keys.add(inner.key)
            self.total += 1
        elif isinstance(event, yaml.CollectionStartEvent):
            keys: set[str] | None = set() if isinstance(event, yaml.MappingStartEvent) else None
            self.open.append(_Node(event.anchor, self.total, keys))
            self.total += 1
        elif isinstance(event, yaml.ScalarEvent):
            self._require_plain(event, fail)
            self.total += 1
            if event.anchor is not None:
                self.sizes[event.anchor] = 1
            self._end_value()
        else:
            if any(event.anchor == node.anchor for node in self.open):
                raise fail(f"'*{event.anchor}' is within what it refers to")
            self.total += self.sizes.get(event.anchor or "", 0)
            self._end_value()
        if len(self.open) > MOST_LEVELS:
            raise fail(f"nested in more than {MOST_LEVELS} levels")
        if self.total > MOST_VALUES:
            raise fail(f"expands to more than {MOST_VALUES:,} values")

    def _end_value(self) -> None:
        if self.open:
            self.open[-1].key = None

    def _key(self, event: Any, known: set[str], fail: Callable[..., UserError]) -> str:
        """Return a key of a mapping; raise for one that is no text, or that it has already."""
        import yaml

        if not isinstance(event, yaml.ScalarEvent):
            raise fail("a key is no text", "give a text in its place")
        text, kind = event.value, self._tag(event).removeprefix(_TAG)
        if kind not in ("str", "merge"):
            raise fail(f"'{shortened(text)}' is a key, but no text", "put it in quotes")
        if text in known and kind != "merge":
            raise fail(f"'{shortened(text)}' occurs twice", "leave one of them out")
        if text == _TEMPLATE_KEY:
            raise fail(f"'{text}' makes it a template, which runs code", "write its values as they are")
        if "\0" in text:
            raise fail("a key contains NUL")
        if event.anchor is not None:
            self.sizes[event.anchor] = 1
        return text

    def _tag(self, event: Any) -> str:
        import yaml

        if event.tag is not None and event.tag != "!":
            return event.tag
        return self.resolve(yaml.ScalarNode, event.value, event.implicit)

    def _require_plain(self, event: Any, fail: Callable[..., UserError]) -> None:
        """Raise for a text with a NUL, and a number that is too long or not finite."""
        text, kind = event.value.replace("_", ""), self._tag(event).removeprefix(_TAG)
        if "\0" in text:
            raise fail("a text contains NUL")
        if kind == "int" and len(re.sub("^[-+]?(0[bx])?", "", text)) > MOST_DIGITS:
            raise fail(f"an integer of more than {MOST_DIGITS} digits", "put it in quotes if it is a text")
        if kind in ("int", "float") and ":" in text:
            raise fail("a number to the base 60", "write it to the base 10")
        if kind == "float":
            number = math.nan
            with contextlib.suppress(ValueError):
                number = float(text)
            if not math.isfinite(number):
                raise fail("not a finite number", "give a finite one, or put it in quotes")
