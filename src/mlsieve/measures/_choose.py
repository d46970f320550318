"""Which function answers to a measure's name under which definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlsieve.errors import UserError, did_you_mean
from mlsieve.registry import Entry, entries

DEFINITIONS = ("clus", "sklearn", "textbook", "scls")


@dataclass(frozen=True)
class Measure:
    """One measure under one definition.

    Attributes
    ----------
    id : str
        The measure's name in tables, e.g. "one-error"; "one-error-textbook" if it was asked for like that.
    definition : str
        Whose definition is computed, one of `DEFINITIONS`.
    function : callable
        ``function(truth, scores, predicted) -> float``.
    direction : {"lower", "higher"}
        Which values are better.
    """

    id: str
    definition: str
    function: Callable[..., float]
    direction: str


def definitions_of(entry: Entry) -> tuple[str, ...]:
    """Return the definitions that a registered function computes."""
    return (entry.facts["definition"], *entry.facts.get("also", ()))


def _measure(entry: Entry, name: str, definition: str) -> Measure:
    return Measure(name, definition, entry.target, entry.facts["direction"])


def available(definition: str) -> dict[str, Measure]:
    """Return the measures of a definition by name, sorted.

    Raises
    ------
    UserError
        If there is no such definition.
    """
    if definition not in DEFINITIONS:
        raise UserError(f"unknown definition '{definition}'", cure=did_you_mean(definition, DEFINITIONS))
    found = {
        entry.facts.get("measure", entry.id): entry
        for entry in entries("measure").values()
        if definition in definitions_of(entry)
    }
    return {name: _measure(entry, name, definition) for name, entry in sorted(found.items())}


def choose(measures: Sequence[str] | None = None, definition: str = "clus") -> list[Measure]:
    """Return the measures asked for.

    Parameters
    ----------
    measures : sequence of str, optional
        Names under `definition`; a name that only another definition knows (such as ``normalised-coverage``,
        or the registered ``one-error-textbook``) is taken from there. Default: all of `definition`.
    definition : {"clus", "sklearn", "textbook", "scls"}

    Raises
    ------
    UserError
        On an unknown name; the message suggests the nearest one.
    """
    known = available(definition)
    if measures is None:
        return list(known.values())
    registered = entries("measure")
    chosen = []
    for name in measures:
        if name in known:
            chosen.append(known[name])
        elif name in registered:
            chosen.append(_measure(registered[name], name, definitions_of(registered[name])[0]))
        else:
            raise UserError(
                f"unknown measure '{name}'", cure=did_you_mean(name, sorted({*known, *registered}))
            )
    return chosen
