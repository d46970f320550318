"""Ways of predicting with one fitted model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlsieve.errors import UserError, did_you_mean, number_of
from mlsieve.evaluation.chain_tuning import variant_params
from mlsieve.evaluation.chains import ChainMethod

LENGTH, ALL = "chain_length", "all"


@dataclass(frozen=True)
class Variant:
    """One way of predicting with a fitted model; a method of the study's tables.

    Attributes
    ----------
    name : str
    params : mapping
        Parameters of prediction, by their short names.
    draws : int
        How many random orders of the labels; the values are means over them.
    parameter : str
        Of a curve; empty without one.
    points : tuple
        Values of this parameter; empty: all lengths of the chain.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    draws: int = 1
    parameter: str = ""
    points: tuple[Any, ...] = ()


def checked_variant(method: ChainMethod, variant: Variant) -> Variant:
    """Return a variant whose parameters are checked.

    Raises
    ------
    UserError
        On a parameter that needs a new fit, a value that is not accepted, or draws of a method without
        orders or with another order that is set.
    """
    params = variant_params(method, variant.params)
    if variant.parameter:
        if not variant.points and variant.parameter != LENGTH:
            raise UserError(
                f"a curve of '{variant.name}' has no values of {variant.parameter}",
                hint=f"'{ALL}' is for {LENGTH}: give numbers",
            )
        for value in variant.points or (ALL,):
            variant_params(method, {variant.parameter: value})
    known_names = method.entry.parameters()
    if variant.draws > 1 and not {"order", "given"} <= known_names.keys():
        raise UserError(
            f"'{method.entry.id}' has no orders of the labels to draw for '{variant.name}'",
            hint="leave the draws out",
        )
    if variant.draws > 1:  # what nobody sets may be chosen from a grid
        require_random(variant, params.get("order", method.settings.get("order", "random")))
    return replace(variant, params=params)


def require_random(variant: Variant, order: object) -> None:
    """Raise a UserError if a variant whose order of the labels is drawn has another one."""
    if order != "random":
        raise UserError(
            f"'{variant.name}' asks for several draws, and its order of the labels is not random",
            hint="set order=random, or leave the draws out",
        )


def require_lengths(variant: Variant, n_steps: int) -> None:
    """Raise a UserError if a variant's curve has lengths that a chain of so many steps does not have."""
    length = variant.params.get(LENGTH)
    n_steps = min(n_steps, length) if isinstance(length, int) else n_steps
    for point in variant.points if variant.parameter == LENGTH else ():
        if not isinstance(point, int) or point > n_steps:
            raise UserError(
                f"a curve of '{variant.name}' has {LENGTH} {point}, and its chain has"
                f" {number_of(n_steps, 'step')}",
                hint=f"give lengths up to {n_steps}, or '{ALL}' alone",
            )


def require_names(variants: Sequence[Variant], named: Sequence[str]) -> None:
    """Raise a UserError if variants share a name, or an option names none of them."""
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two variants are called '{name}'", hint="give each its own name")
    for name in named:
        if name not in names:
            raise UserError(f"there is no variant '{name}'", hint=did_you_mean(name, names))
