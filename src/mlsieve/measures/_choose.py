"""Which function answers to a measure's name under which definition."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlsieve.errors import UserError, did_you_mean
from mlsieve.registry import Entry, entries, lookup
from mlsieve.registry.facts import MeasureFacts

DEFINITIONS = ("clus", "paper", "sklearn", "textbook", "scls")


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
        ``function(truth, scores, predicted) -> float``; with a fourth parameter ``hierarchy`` if it needs it.
    direction : {"lower", "higher"}
        Which values are better.
    registered : str
        Id under which the function is registered, e.g. "one-error-textbook".
    """

    id: str
    definition: str
    function: Callable[..., float]
    direction: str
    registered: str

    @property
    def facts(self) -> MeasureFacts:
        """What the function is registered with."""
        return lookup("measure", self.registered).facts

    @property
    def takes_hierarchy(self) -> bool:
        """Whether the function has a parameter ``hierarchy``."""
        return "hierarchy" in inspect.signature(self.function).parameters


def default_definition(hierarchical: bool) -> str:
    """Return the definition of data with a hierarchy of classes, "paper", or of flat data, "clus"."""
    return "paper" if hierarchical else "clus"


def definitions_of(entry: Entry) -> tuple[str, ...]:
    """Return the definitions that a registered function computes.

    The papers compute as CLUS does, so "paper" follows "clus" by itself, except where CLUS treats a hierarchy
    in its own way.
    """
    own = (entry.facts.definition, *entry.facts.also)
    follows = "clus" in own and "paper" not in own and not _hierarchical_only(entry)
    return (*own, "paper") if follows else own


def _hierarchical_only(entry: Entry) -> bool:
    return bool(entry.facts.hierarchical)


def _measure(entry: Entry, name: str, definition: str) -> Measure:
    return Measure(name, definition, entry.target, entry.facts.direction, entry.id)


def _found(definition: str, hierarchical: bool) -> dict[str, Entry]:
    """Return the registered functions of a definition by the measure's name.

    One that is only for data with a hierarchy goes before another of the same name.
    """
    fitting = [
        entry
        for entry in entries("measure").values()
        if definition in definitions_of(entry) and (hierarchical or not _hierarchical_only(entry))
    ]
    return {entry.facts.measure or entry.id: entry for entry in sorted(fitting, key=_hierarchical_only)}


def available(definition: str, hierarchical: bool = False) -> dict[str, Measure]:
    """Return the measures of a definition by name, sorted.

    Parameters
    ----------
    definition : str
        One of `DEFINITIONS`.
    hierarchical : bool
        Whether the labels have a hierarchy.

    Raises
    ------
    UserError
        If there is no such definition.
    """
    if definition not in DEFINITIONS:
        raise UserError(f"unknown definition '{definition}'", hint=did_you_mean(definition, DEFINITIONS))
    found = _found(definition, hierarchical)
    return {name: _measure(entry, name, definition) for name, entry in sorted(found.items())}


def choose(
    measures: Sequence[str] | None = None, definition: str | None = None, hierarchical: bool = False
) -> list[Measure]:
    """Return the measures asked for.

    Parameters
    ----------
    measures : sequence of str, optional
        Names under `definition`; a name that only another definition has (such as ``normalised-coverage``,
        or the registered ``one-error-textbook``) is taken from there. Default: all of `definition`.
    definition : {"clus", "paper", "sklearn", "textbook", "scls"}, optional
        By default "paper" for labels with a hierarchy and "clus" for flat ones.
    hierarchical : bool
        Whether the labels have a hierarchy.

    Raises
    ------
    UserError
        On an unknown name, with the nearest one, and on a measure of hierarchies for flat labels.
    """
    definition = default_definition(hierarchical) if definition is None else definition
    known = available(definition, hierarchical)
    if measures is None:
        return list(known.values())
    registered = entries("measure")
    chosen = []
    for name in measures:
        if name in known:
            chosen.append(known[name])
        elif name not in registered:
            raise UserError(
                f"unknown measure '{name}'", hint=did_you_mean(name, sorted({*known, *registered}))
            )
        elif _hierarchical_only(registered[name]) and not hierarchical:
            raise UserError(
                f"measure '{name}' needs a hierarchy of classes, and the labels are flat", hint="leave it out"
            )
        else:
            entry = registered[name]
            chosen.append(_measure(entry, name, _own_definition(entry, hierarchical)))
    return chosen


def _own_definition(entry: Entry, hierarchical: bool) -> str:
    """Return the first definition under which the function is the one that computes its measure."""
    name, own = entry.facts.measure or entry.id, definitions_of(entry)
    computing = (each for each in own if _found(each, hierarchical).get(name) is entry)
    return next(computing, own[0])
