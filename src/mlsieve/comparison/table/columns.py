"""Which column of a table of results holds what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mlsieve.comparison.table.names import NAMES, normal, numbers_folds
from mlsieve.comparison.table.reading import Sheet
from mlsieve.errors import UserError, did_you_mean


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they hold; None for a role that no column has.

    Attributes
    ----------
    dataset, method, measure, value, repeats, family : str or None
    folds : str or None
        A second column of repeats, where `repeats` counts repeats of a cross-validation.
    """

    dataset: str | None = None
    method: str | None = None
    measure: str | None = None
    value: str | None = None
    repeats: str | None = None
    family: str | None = None
    folds: str | None = None

    def used(self) -> set[str]:
        """Return the names of the columns."""
        return {name for name in vars(self).values() if name is not None}


def roles_of(sheet: Sheet, given: Mapping[str, str | None]) -> Roles:
    """Return which column holds what, by the user's word or else by the columns' names.

    Parameters
    ----------
    sheet : Sheet
    given : mapping of role to name of a column
        Keys of `Roles`; None where the user says nothing.

    Raises
    ------
    UserError
        If there is no such column, or one has two roles.
    """
    found: dict[str, str] = {}
    for role, name in given.items():
        if name is not None:
            found[role] = _column(sheet, name, role)
    twice = next((name for name in found.values() if list(found.values()).count(name) > 1), None)
    if twice is not None:
        first, second = (_OPTION[role] for role in found if found[role] == twice)
        raise UserError(f"{first} and {second} both name the column '{twice}'", hint="name it in one of them")
    for role, names in NAMES.items():
        if role not in found:
            name = _first_named(sheet.names, names, found.values())
            if name is None and role == "repeats":
                name = _column_of_folds(sheet, found)
            if name is not None:
                found[role] = name
    return Roles(**found, folds=_folds(sheet, found))


def _folds(sheet: Sheet, found: Mapping[str, str]) -> str | None:
    """Return a further column of folds, without which a row of a method and dataset is not alone."""
    if "repeats" not in found:
        return None
    keys = [found[role] for role in ("dataset", "method", "measure", "repeats") if role in found]
    labels = list(zip(*(sheet.text(name) for name in keys), strict=True))
    if len(set(labels)) == len(labels):
        return None
    second = _column_of_folds(sheet, found) or _first_named(sheet.names, NAMES["repeats"], found.values())
    if second is None or "method" not in found:
        return second
    keys = [found[role] for role in ("dataset", "measure", "repeats") if role in found]
    shared = set(zip(*(sheet.text(name) for name in [*keys, second]), strict=True))
    # Most rows are shared, though some may be missing; a seed of each run pairs no methods.
    return second if 4 * len(shared) <= 3 * len(labels) else None


def _column_of_folds(sheet: Sheet, found: Mapping[str, str]) -> str | None:
    taken = set(found.values())
    return next((name for name in sheet.names if name not in taken and numbers_folds(name)), None)


_OPTION = {
    "dataset": "--dataset-column",
    "method": "--method-column",
    "measure": "--measure-column",
    "value": "--value-column",
    "repeats": "--repeats",
    "family": "--family",
}


def _column(sheet: Sheet, name: str, role: str) -> str:
    if name in sheet.names:
        return name
    raise UserError(
        f"{_OPTION[role]} {name}: there is no such column",
        file=sheet.path or None,
        hint=did_you_mean(name, sheet.names),
    )


def _first_named(columns: Iterable[str], names: Iterable[str], taken: Iterable[str]) -> str | None:
    by_name = {
        normal(column).removesuffix(" name").removeprefix("key "): column
        for column in columns
        if column not in set(taken)
    }
    return next((by_name[name] for name in names if name in by_name), None)
