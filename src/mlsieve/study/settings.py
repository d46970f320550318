"""Sections of a study's configuration: dataclasses with one typed field a key (see `mlsieve.schemas`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mlsieve.parameters import AtLeast, AtMost
from mlsieve.schemas import Names


@dataclass(frozen=True)
class WorkedExample:
    """Selectors worked out step by step on one dataset; see `mlsieve.selectors.worked.worked_example`."""

    dataset: Annotated[str, Names("data set"), "whose features are selected"]
    iterations: Annotated[int, AtLeast(1), AtMost(20), "how many features are selected"] = 2
    features: Annotated[
        tuple[Annotated[int, AtLeast(0)], ...],
        "whose values are shown beside those of the selected ones, from 0",
    ] = ()
