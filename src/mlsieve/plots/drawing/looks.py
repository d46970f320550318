"""One look a method: the same colour, marker and line in all figures of a study.

The colour of an ensemble's ranking shows its score; marker and line show the ensemble. Relief is black, and
baselines are grey, in every study. All other methods have a colour and a marker of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from mlsieve.plots.drawing.style import FAINT, INK, LINES, MARKERS, PALETTE
from mlsieve.registry import entries
from mlsieve.tables.labels import Label, Labels

# Colours that readers with red-green blindness tell apart, the lightest last; black and grey are taken.
HUES = tuple(PALETTE[place] for place in (0, 1, 2, 4, 9, 5, 8))
_ROLES = ("rival", "baseline", "method")
_MARKERS = tuple(marker for marker in MARKERS if marker != "D")  # which is the rival's
_GREY_MARKERS = ("x", "+", "1", "2", "3", "4", "|", "_")
_GREY_LINES: tuple[Any, ...] = (
    *("--", ":", "-.", (0, (6, 1.5, 1, 1.5, 1, 1.5))),
    *((0, (1, 2.5)), (0, (8, 2)), (0, (3, 1, 1, 1)), "-"),
)


@dataclass(frozen=True)
class Look:
    """How a method is drawn.

    Attributes
    ----------
    color, marker : str
    line : str or tuple
        As matplotlib's ``linestyle``.
    """

    color: str
    marker: str
    line: Any

    def curve(self, **others: Any) -> dict[str, Any]:
        """Return the settings of a curve with markers, and other settings."""
        return {"color": self.color, "marker": self.marker, "linestyle": self.line, **others}

    def level(self, **others: Any) -> dict[str, Any]:
        """Return the settings of a horizontal line, which is never a solid one."""
        line = LINES[1] if self.line == LINES[0] else self.line
        return {"color": self.color, "linestyle": line, **others}

    def dot(self, **others: Any) -> dict[str, Any]:
        """Return the settings of a marker alone."""
        return {"color": self.color, "marker": self.marker, "linestyle": "", **others}


class Looks:
    """The looks of a study's methods.

    Parameters
    ----------
    labels : Labels
        All rankings of the study.
    others : collection of str
        Further names, such as those of variants that only curves show.
    baselines : collection of str, optional
        The study's baselines; default: the methods that are registered as such.
    rival : str
        The method that is black.
    """

    def __init__(
        self,
        labels: Labels,
        others: Collection[str] = (),
        *,
        baselines: Collection[str] | None = None,
        rival: str = "relief",
    ) -> None:
        self._labels = labels
        known = {name: labels[name] for name in (*labels, *others)}
        pairs = [label for label in known.values() if label.ensemble and label.score]
        self._scores = sorted({label.score for label in pairs})
        # With the method's name, where the label has it; those come last, so that the others look as ever.
        kinds = {label.kind: label.named for label in pairs}
        self._kinds = sorted(kinds, key=lambda kind: (kinds[kind], kind))
        single = {name: label for name, label in known.items() if not (label.ensemble and label.score)}
        grey = {*(baselines or ()), *_registered_baselines()}
        self._roles = {name: _role(name, label, rival, grey) for name, label in single.items()}
        self._slots = {role: _slots(self._roles, role) for role in _ROLES}
        self._own = self._looks_of_methods(
            {(look.color, look.marker) for look in map(self.of, map(str, pairs))}
        )

    def of(self, name: str) -> Look:
        """Return the look of a method by its name in tables."""
        label = self._labels[name]
        if label.ensemble and label.score and label.score in self._scores:
            return Look(self._hue(self._scores.index(label.score)), *self._mark(label.kind))
        role = self._roles.get(name, "method")
        place = self._slots[role].get(name, len(self._slots[role]))
        if role == "rival":
            return Look(INK, ("D", "d", "P", "X")[place % 4], LINES[place % len(LINES)])
        if role == "baseline":
            return Look(FAINT, _GREY_MARKERS[place % 8], _GREY_LINES[place % 8])
        return self._own.get(name) or self._method(place, 0)

    def _looks_of_methods(self, used: set[tuple[str, str]]) -> dict[str, Look]:
        """Return the looks of the methods without a role; no two rankings have the same colour and marker."""
        found: dict[str, Look] = {}
        for name, place in self._slots["method"].items():
            candidates = [self._method(place, more) for more in range(len(_MARKERS))]
            free = (look for look in candidates if (look.color, look.marker) not in used)
            found[name] = next(free, candidates[0])
            used.add((found[name].color, found[name].marker))
        return found

    def _method(self, place: int, more: int) -> Look:
        mark = place + place // len(HUES) + more
        line = LINES[(place // len(HUES)) % len(LINES)]
        return Look(self._hue(len(self._scores) + place), _MARKERS[mark % len(_MARKERS)], line)

    def of_score(self, score: str) -> Look:
        """Return the look of a score, whatever the ensemble."""
        return Look(self._hue(self._scores.index(score)), "", LINES[0])

    def of_ensemble(self, kind: str) -> Look:
        """Return the look of an ensemble, whatever the score."""
        return Look(INK, *self._mark(kind))

    @staticmethod
    def _hue(place: int) -> str:
        return HUES[place % len(HUES)]

    def _mark(self, kind: str) -> tuple[str, Any]:
        place = self._kinds.index(kind)
        return _MARKERS[place % len(_MARKERS)], LINES[place % len(LINES)]


def _registered_baselines() -> list[str]:
    """Return their names backwards, so that the most common ones come first."""
    names = (name for name, entry in entries("ranker").items() if entry.facts.baseline)
    return sorted(names, reverse=True)


def _role(name: str, label: Label, rival: str, baselines: Collection[str]) -> str:
    if rival in (name, label.method):
        return "rival"
    return "baseline" if name in baselines or label.method in baselines else "method"


def _slots(roles: Mapping[str, str], role: str) -> dict[str, int]:
    """Return the places of the names of a role.

    Registered baselines have the same places in every study, and others follow.
    """
    names = sorted(name for name in roles if roles[name] == role)
    fixed = _registered_baselines() if role == "baseline" else []
    order = [*fixed, *(name for name in names if name not in fixed)]
    return {name: place for place, name in enumerate(order)}
