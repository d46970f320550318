"""The lock: version and fingerprint of every unit, and what has changed since it was written."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fingerprints.units import Behind
from mlsieve.errors import UserError, did_you_mean

LOCK = Path(__file__).with_name("lock.json")
RENEW = "python -m fingerprints --renew"


@dataclass(frozen=True)
class Change:
    """A unit that is not as the lock has it.

    Attributes
    ----------
    behind : Behind
    sources : tuple of str
        What has changed or come, as far as the lock tells; empty where something only went.
    locked : int or None
        The version in the lock; None for a unit that is new.
    """

    behind: Behind
    sources: tuple[str, ...]
    locked: int | None

    @property
    def raised(self) -> bool:
        """Whether the version was raised, or is the first."""
        return self.locked is None or self.behind.unit.version > self.locked

    @property
    def lowered(self) -> bool:
        """Whether the version is less than it was."""
        return self.locked is not None and self.behind.unit.version < self.locked

    def line(self) -> str:
        """Return in one line what has changed and what is to be done."""
        unit, name = self.behind.unit, self.behind.unit.name
        if self.locked is None:
            return f"{name} is new: run {RENEW}"
        if self.lowered:
            return f"{name}: version {self.locked} was lowered to {unit.version}: raise {unit.raised_at}"
        shown = ", ".join(self.sources[:3]) + (f" and {len(self.sources) - 3} more" * (len(self.sources) > 3))
        what = f"its sources changed ({shown or 'something that it used went'})"
        if self.raised:
            return f"{name}: version raised from {self.locked} to {unit.version}: run {RENEW}"
        return (
            f"{name}: {what} and its version is still {unit.version}: raise {unit.raised_at} and run {RENEW};"
            f" or, where every result stays as it was, {RENEW} --same-results '{name}'"
        )


def read_lock(path: Path = LOCK) -> dict[str, Any]:
    """Return the lock, or an empty one where there is none yet."""
    if not path.is_file():
        return {"units": {}, "sources": {}}
    return json.loads(path.read_text(encoding="utf-8"))


def lock_text(found: Iterable[Behind]) -> str:
    """Return the lock of what there is, as JSON."""
    units: dict[str, dict[str, int | str]] = {}
    sources: dict[str, str] = {}
    for each in found:
        units[each.unit.name] = {"version": each.unit.version, "fingerprint": each.fingerprint}
        sources |= {str(source): digest for source, digest in each.sources.items()}
    lines = [f"  {json.dumps(name)}: {json.dumps(said)}" for name, said in sorted(units.items())]
    of_sources = [f"  {json.dumps(name)}: {json.dumps(digest)}" for name, digest in sorted(sources.items())]
    return '{"units": {\n' + ",\n".join(lines) + '\n},\n"sources": {\n' + ",\n".join(of_sources) + "\n}}\n"


def changes(found: Iterable[Behind], lock: dict[str, Any]) -> list[Change]:
    """Return the units that are not as the lock has them; those that went are none."""
    changed = []
    for each in found:
        known = lock["units"].get(each.unit.name)
        if known == {"version": each.unit.version, "fingerprint": each.fingerprint}:
            continue
        differing = [
            str(source)
            for source, digest in each.sources.items()
            if lock["sources"].get(str(source)) != digest
        ]
        differing += ["its entry"] if each.unit.text and known else []
        changed.append(Change(each, tuple(differing), known and known["version"]))
    return changed


def renewed(found: list[Behind], lock: dict[str, Any], same_results: Collection[str] = ()) -> str:
    """Return the text of a lock of what there is.

    Parameters
    ----------
    found : list of Behind
    lock : dict
        The lock so far.
    same_results : collection of str
        Names of units whose sources changed and whose results did not; "all" stands for all.

    Raises
    ------
    UserError
        If sources changed and neither was the version raised nor is the unit among `same_results`; if a
        version was lowered; if a name is not that of a unit.
    """
    known = [each.unit.name for each in found]
    for name in same_results:
        if name not in known and name != "all":
            raise UserError(f"nothing with a version is called '{name}'", cure=did_you_mean(name, known))
    refused = [
        change
        for change in changes(found, lock)
        if change.lowered
        or not (change.raised or "all" in same_results or change.behind.unit.name in same_results)
    ]
    if refused:
        names = ", ".join(change.behind.unit.name for change in refused)
        raise UserError(
            f"not renewed: sources changed and versions were not raised of: {names}",
            cure=f"first {refused[0].line()}",
        )
    return lock_text(found)
