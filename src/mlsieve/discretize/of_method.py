"""Which cuts of numeric features a method wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mlsieve.errors import UserError
from mlsieve.registry import lookup

if TYPE_CHECKING:
    from mlsieve.discretize.files import SplitCuts


def discretization_of(kind: str, id: str, settings: Mapping[str, Any]) -> str | None:
    """Return how a method wants numeric features to be cut; None: it takes them as they are.

    That is its parameter ``discretize``, where it has one and, by its registered fact ``cuts_if`` (a function
    of its parameters), uses it.

    Parameters
    ----------
    kind : {"ranker", "evaluator"}
    id : str
    settings : mapping
        Parameters that differ from their defaults.
    """
    entry = lookup(kind, id)
    values = {name: schema["default"] for name, schema in entry.parameters().items()} | dict(settings)
    if not entry.facts.cuts_if(values):
        return None
    return None if values.get("discretize") == "none" else values.get("discretize")


def require_own_cuts(cuts: SplitCuts, kind: str, id: str, settings: Mapping[str, Any]) -> None:
    """Raise a UserError if cuts are not those that a method with these parameters wants."""
    wanted, given = discretization_of(kind, id, settings), cuts.facts["method"]
    if wanted is None:
        raise UserError(
            f"{kind} '{id}' takes numeric features as they are, not cut by {given}",
            file=cuts.file,
            hint="leave out --cuts, or give a dataset that 'mlsieve discretise -o' wrote",
        )
    if wanted != given:
        raise UserError(
            f"its cuts are those of {given}, and {kind} '{id}' is to use {wanted}",
            file=cuts.file,
            hint=f"discretise with --method {wanted}, or set discretize={given}",
        )
