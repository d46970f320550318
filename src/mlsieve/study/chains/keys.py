"""The key ``chains`` of a study: dataclasses with a typed field a key (`mlsieve.schemas`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from mlsieve.registry.parameters import AtLeast, AtMost, Keywords, Schema
from mlsieve.schemas import SUBSET, Names, not_null

Dataset = Annotated[str, Names("dataset of the study")]
Chain = Annotated[str, Names("chain of the study")]
CHAIN_NAME = Keywords(pattern=r"^[a-z0-9][a-z0-9.-]*$(?!\n)")


def grids(grid: Schema) -> Schema:
    """Return the schema of one grid or a list of them, none of which is empty."""
    several = {"type": "array", "minItems": 1, "items": {**grid, "minProperties": 1}}
    return {"if": {"type": "array"}, "then": several, "else": grid}


def _of_any_method(_: Schema) -> Schema:
    lists = {"type": "array", "minItems": 1, "uniqueItems": True}
    return grids({"type": "object", "additionalProperties": lists})


def _curve(_: Schema) -> Schema:
    return {"type": "object", "maxProperties": 1}


@dataclass(frozen=True)
class VariantKeys:
    """One way of predicting with a fitted model."""

    name: Annotated[str, CHAIN_NAME, "name of the method in tables"]
    params: Annotated[Mapping[str, Any], "parameters of prediction, which need no new training"] = field(
        default_factory=dict
    )
    draws: Annotated[
        int,
        AtLeast(1),
        AtMost(1000),
        "how many random orders of the labels; `performance.csv` has the mean of their values",
    ] = 1
    curve: Annotated[
        Mapping[str, Any],
        _curve,
        "a parameter of prediction and its values, such as `{sigma: [0, 0.5, 1]}`; "
        "`{chain_length: all}`: every length of the chain",
    ] = field(default_factory=dict)


@dataclass(frozen=True)
class ChainKeys:
    """A method that predicts label sets, how it is tuned, and what is predicted with it."""

    id: Annotated[str, "which method it is: one of those that `mlsieve methods` lists as chains"]
    name: Annotated[str, CHAIN_NAME, "name of the method in tables; its id by default"] = ""
    params: Annotated[Mapping[str, Any], "parameters, see `mlsieve methods ID`"] = field(default_factory=dict)
    grid: Annotated[
        Mapping[str, Any] | tuple[Mapping[str, Any], ...],
        _of_any_method,
        "values of parameters to try; each combination is measured on a fixed fifth of the training part. Of "
        "a list of such mappings the combinations of each are tried",
    ] = field(default_factory=dict)
    tuned_at: Annotated[
        Mapping[str, Any],
        "parameters with which the combinations of the grid are measured, in place of those of `params`: any "
        "of them, smaller or larger, such as a shorter chain",
    ] = field(default_factory=dict)
    tuned_by: Annotated[
        tuple[Annotated[str, Names("measure of the study")], ...],
        SUBSET,
        "measures that choose from the grid, with a model for each; `performance.csv` has each measure of the"
        " model that it has chosen, others of the first model",
    ] = ("f1",)
    tuned_with: Annotated[
        Chain | None, not_null, "name of another method of the study whose chosen values are taken"
    ] = None
    order_of: Annotated[
        Chain | None,
        not_null,
        "name of another method of the study, in the mean order of whose predictions the labels are set",
    ] = None
    datasets: Annotated[tuple[Dataset, ...], SUBSET, "the only datasets to use it on; all by default"] = ()
    without: Annotated[tuple[Dataset, ...], SUBSET, "datasets not to use it on"] = ()
    only_curves: Annotated[bool, "whether it is left out of `performance.csv`, and so of the tests"] = False
    variants: Annotated[
        tuple[VariantKeys, ...],
        Keywords(minItems=1),
        "what is predicted with one trained model; by default its own parameters under its own name",
    ] = ()

    @property
    def grids(self) -> tuple[Mapping[str, Any], ...]:
        """The mappings of `grid`; none without one."""
        return tuple(one for one in (self.grid if isinstance(self.grid, tuple) else (self.grid,)) if one)

    @property
    def grid_names(self) -> tuple[str, ...]:
        """Parameters of which a grid has values."""
        return tuple(dict.fromkeys(name for grid in self.grids for name in grid))
