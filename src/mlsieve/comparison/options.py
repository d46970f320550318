"""How results are compared: the options of `mlsieve.compare` and of the command."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal

from mlsieve.analysis.settings import Analysis
from mlsieve.comparison.columns import normal
from mlsieve.errors import InvalidSetting
from mlsieve.registry import entries
from mlsieve.stats.bayes import DRAWS, PRIOR

# Measures whose names say that lower is better, which only remarks use: a direction is never guessed.
_LOW_WORDS = ("error", "loss", "rmse", "mse", "mae", "time", "seconds", "runtime", "cost", "risk", "rank")
EXACT = {"significant": 12}  # values that differ only by the rounding of their mean tie


@dataclass(frozen=True)
class Options:
    """Options of a comparison.

    Attributes
    ----------
    reference : str or None
        The method with which alone the others are compared.
    lower_is_better : bool
        Of measures whose direction is not known.
    directions : mapping of str to {"higher", "lower"}
        By measure; they count before all else.
    significance : float
        Level of the tests.
    rounding : mapping or None
        ``{"decimals": 3}`` or ``{"significant": 3}``: values are rounded before they are ranked.
    rope : float
        Half the width of the region of practical equivalence.
    test_per_train : float or None
        Test rows divided by training rows of a repeat, for the corrected resampled test on one dataset; by
        default that of as many folds as there are repeats.
    friedman : {"chi-square", "f", "permutation"}
        The p-value that decides Friedman's test.
    zeros : {"pratt", "split", "wilcox"}
        Differences of zero in Wilcoxon's test.
    draws, seed : int
        Of the Bayesian signed-rank test.
    prior : float
        Of the Bayesian signed-rank test.
    """

    reference: str | None = None
    lower_is_better: bool = False
    directions: Mapping[str, str] = field(default_factory=dict)
    significance: float = 0.05
    rounding: Mapping[str, int] | None = None
    rope: float = 0.0
    test_per_train: float | None = None
    friedman: Literal["chi-square", "f", "permutation"] = "chi-square"
    zeros: Literal["pratt", "split", "wilcox"] = "pratt"
    draws: int = DRAWS
    seed: int = 0
    prior: float = PRIOR

    def __post_init__(self) -> None:
        """Refuse values that no option can have."""
        for name in ("significance", "rope", "prior", "draws", "seed"):
            _require_number(name, getattr(self, name))
        if self.test_per_train is not None:
            _require_number("test_per_train", self.test_per_train)
        if self.rounding is not None and not isinstance(self.rounding, Mapping):
            raise InvalidSetting(
                f"rounding must name decimals or significant digits, got {self.rounding!r}",
                hint='give e.g. {"decimals": 3} or {"significant": 3}',
            )
        if not 0 < self.significance < 1:
            raise InvalidSetting(
                f"the level of significance must be above 0 and below 1, got {self.significance}",
                hint="give e.g. 0.05",
            )
        if not 0 <= self.rope < math.inf:
            raise InvalidSetting(
                f"the region of practical equivalence must be at least 0, got {self.rope}",
                hint="give e.g. 0.01, in the unit of the measure",
            )
        if self.test_per_train is not None and not 0 < self.test_per_train < math.inf:
            raise InvalidSetting(
                f"the test rows per training row must be above 0, got {self.test_per_train}",
                hint="give e.g. 0.111 for ten folds",
            )
        for name, known in (
            ("friedman", ("chi-square", "f", "permutation")),
            ("zeros", ("pratt", "split", "wilcox")),
        ):
            if getattr(self, name) not in known:
                raise InvalidSetting(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}",
                    hint=f"give {known[0]}",
                )
        for measure, way in self.directions.items():
            if way not in ("higher", "lower"):
                raise InvalidSetting(
                    f"the direction of '{measure}' must be higher or lower, got {way!r}", hint="give lower"
                )

    def analysis(self, directions: Mapping[str, str], families: Mapping[str, str]) -> Analysis:
        """Return the settings of the tests."""
        return Analysis(
            questions=("comparison",),
            significance=self.significance,
            rounding=self.rounding or EXACT,
            domains=families,
            directions=directions,
            friedman=self.friedman,
            zeros=self.zeros,
        )


def _require_number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidSetting(f"{name} must be a number, got {value!r}", hint=f"give e.g. {name}=0.05")


def directions_of(measures: list[str], options: Options) -> tuple[dict[str, str], list[str]]:
    """Return whether higher or lower is better by each measure, and what is to be said of it.

    The order: what the user says of a measure; a measure that mlsieve knows, however it is written; then
    `lower_is_better`, and else higher is better. Where the table has one measure, `lower_is_better` is about
    this one, also if mlsieve knows it otherwise.

    Raises
    ------
    InvalidSetting
        If the user gives the direction of a measure that the table lacks.
    """
    unknown_names = [name for name in options.directions if name not in measures]
    if unknown_names:
        raise InvalidSetting(
            f"the table has no measure '{unknown_names[0]}'", hint="its measures: " + ", ".join(measures[:12])
        )
    known = {normal(id): str(entry.facts.direction) for id, entry in entries("measure").items()}
    found, notes = {}, []
    assumed = assumed_higher(measures, options)
    for measure in measures:
        of_registry = known.get(normal(measure))
        if measure in options.directions:
            found[measure] = options.directions[measure]
        elif options.lower_is_better and (of_registry is None or len(measures) == 1):
            found[measure] = "lower"
            if of_registry == "higher":
                notes.append(f"higher values of '{measure}' are better in mlsieve; here lower ones are")
        elif of_registry is not None:
            found[measure] = of_registry
        else:
            found[measure] = "higher"
    if assumed:
        listed = ", ".join(f"'{name}'" for name in assumed[:6])
        notes.append(f"higher values of {listed} are taken to be better (else --lower-is-better)")
        notes += [doubt_of(name) for name in assumed if doubt_of(name)][:1]
    return found, notes


def assumed_higher(measures: list[str], options: Options) -> list[str]:
    """Return the measures of whose direction nothing is known, so that higher values count as better."""
    known = {normal(id) for id in entries("measure")}
    return [
        measure
        for measure in measures
        if measure not in options.directions and not options.lower_is_better and normal(measure) not in known
    ]


def doubt_of(measure: str) -> str:
    """Return a clause where the name of a measure suggests that lower values are better; empty if not."""
    if not set(normal(measure).split()) & set(_LOW_WORDS):
        return ""
    return f"the name '{measure}' suggests that lower values are better: check the direction"
