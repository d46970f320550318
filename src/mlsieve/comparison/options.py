"""How results are compared: the options of `mlsieve.compare` and of the command."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal

from mlsieve.analysis.settings import Analysis
from mlsieve.errors import InvalidSetting
from mlsieve.stats.bayes import DRAWS, PRIOR

EXACT = {"significant": 12}  # values that differ only by the rounding of their mean tie


@dataclass(frozen=True)
class Options:
    """Options of a comparison.

    Attributes
    ----------
    reference : str or None
        The method with which alone the others are compared.
    lower_is_better, higher_is_better : bool
        Which values are better by the measures whose names mlsieve does not know, or by the only measure.
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
        default 1 / (K - 1), where the table numbers K folds, and else there is no test.
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
    higher_is_better: bool = False
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
        if self.lower_is_better and self.higher_is_better:
            raise InvalidSetting(
                "--lower-is-better and --higher-is-better exclude each other", hint="give one of them"
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
            measures=tuple(sorted(directions)),  # else counts of undefined labels would be left out
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
