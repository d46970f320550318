"""The criteria that the search tries, each as a relevance, a charge for a selected feature, and a merit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mlsieve.discretize import Discretization
from mlsieve.discretize.information import DiscreteData


@dataclass(frozen=True)
class Terms:
    """What criteria are made of, for the training part of one split.

    Attributes
    ----------
    data : DiscreteData
    labels : ndarray of float64, shape (F, L)
        M(f; l) of each feature and label, in bits.
    label_entropy : ndarray of float64, shape (L,)
    """

    data: DiscreteData
    labels: np.ndarray
    label_entropy: np.ndarray

    @property
    def entropy(self) -> np.ndarray:
        """H(f), and 1 where it is 0; ndarray of float64, shape (F,)."""
        return np.where(self.data.entropy > 0, self.data.entropy, 1.0)


Relevance = Callable[[Terms], np.ndarray]
# What a feature is charged for a selected one, given M(f; s), the position of s, and that of the first.
Share = Callable[[Terms, np.ndarray, int, int], np.ndarray]
# J from the relevance, the sum (or product, or maximum) of the charges, and how many there are.
Merit = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


# One number a feature, from the charges for all selected features in their order, shape (n, F).
Collect = Callable[[np.ndarray], np.ndarray]


def _added(shares: np.ndarray) -> np.ndarray:
    return np.asarray(shares.sum(axis=0))


def _largest(shares: np.ndarray) -> np.ndarray:
    return np.asarray(shares.max(axis=0))


def _latest(shares: np.ndarray) -> np.ndarray:
    return np.asarray(shares[-1])


def _each_round(shares: np.ndarray) -> np.ndarray:
    """Charge every selected feature anew in each round, as the authors' programs of D2F and PMU do."""
    return np.arange(len(shares), 0, -1) @ shares


@dataclass(frozen=True)
class Variant:
    """One criterion.

    Attributes
    ----------
    formula : str
        J(f), with R the sum over labels of M(f; l), and s over the selected features.
    relevance, share, merit : callable
    collect : callable
        How the charges of selected features are put together.
    by_position : bool
        Whether the first of equally good features in the file is taken, as programs commonly do.
    discretize : str
    """

    formula: str
    relevance: Relevance
    share: Share
    merit: Merit
    collect: Collect = _added
    by_position: bool = False
    discretize: Discretization = "laim"


def _sum(terms: Terms) -> np.ndarray:
    return terms.data.relevance


def _normalised(terms: Terms) -> np.ndarray:
    entropy = terms.label_entropy
    return terms.labels @ np.divide(1.0, entropy, out=np.zeros_like(entropy), where=entropy > 0)


def _mean(terms: Terms) -> np.ndarray:
    return terms.data.relevance / terms.labels.shape[1]


def _symmetric(terms: Terms) -> np.ndarray:
    return (2.0 * terms.labels / (terms.entropy[:, None] + terms.label_entropy)).sum(axis=1)


def _of_own(terms: Terms) -> np.ndarray:
    return terms.data.relevance / terms.entropy


def _best_label(terms: Terms) -> np.ndarray:
    return terms.labels.max(axis=1)


def _over(entropy: Callable[[np.ndarray, float], np.ndarray]) -> Share:
    """M(f; s) over some entropy of f and s."""
    return lambda terms, shared, s, first: shared / entropy(terms.entropy, float(terms.entropy[s]))


OVER: dict[str, tuple[str, Share]] = {
    "own": ("H(f)", _over(lambda own, other: own)),
    "selected": ("H(s)", _over(lambda own, other: np.full_like(own, other))),
    "max": ("max(H(f), H(s))", _over(np.maximum)),
    "min": ("min(H(f), H(s))", _over(np.minimum)),
    "root": ("sqrt(H(f) H(s))", _over(lambda own, other: np.sqrt(own * other))),
    "half": ("(H(f) + H(s)) / 2", _over(lambda own, other: (own + other) / 2)),
    "joint": (
        "H(f, s)",
        lambda terms, shared, s, first: shared / (terms.entropy + terms.entropy[s] - shared),
    ),
    "first": ("H(f1), f1 the first selected", lambda terms, shared, s, first: shared / terms.entropy[first]),
    "bits": ("1 bit", lambda terms, shared, s, first: shared),
    "nats": ("1 nat", lambda terms, shared, s, first: shared * np.log(2.0)),
}


def variants() -> dict[str, Variant]:
    """Return all variants by name; ``eq25`` is the paper's criterion as printed."""
    own = OVER["own"][1]
    shared = OVER["bits"][1]

    def scaled(relevance: np.ndarray, charges: np.ndarray, n: int) -> np.ndarray:
        return relevance * (1.0 - charges)

    def scaled_mean(relevance: np.ndarray, charges: np.ndarray, n: int) -> np.ndarray:
        return relevance * (1.0 - charges / max(n, 1))

    def clipped(relevance: np.ndarray, charges: np.ndarray, n: int) -> np.ndarray:
        return relevance * np.maximum(1.0 - charges, 0.0)

    def less(relevance: np.ndarray, charges: np.ndarray, n: int) -> np.ndarray:
        return relevance - charges

    def less_mean(relevance: np.ndarray, charges: np.ndarray, n: int) -> np.ndarray:
        return relevance - charges / max(n, 1)

    found = {"eq25": Variant("R (1 - sum_s M(f; s) / H(f))", _sum, own, scaled)}
    for name, (text, share) in OVER.items():
        if name != "own":
            found[f"over-{name}"] = Variant(f"R (1 - sum_s M(f; s) / {text})", _sum, share, scaled)
        found[f"over-{name}-mean"] = Variant(f"R (1 - mean_s M(f; s) / {text})", _sum, share, scaled_mean)
    found |= {
        "clipped": Variant("R max(0, 1 - sum_s M(f; s) / H(f))", _sum, own, clipped),
        "clipped-by-position": Variant(
            "the same; of equal features the first in the file", _sum, own, clipped, by_position=True
        ),
        "largest": Variant("R (1 - max_s M(f; s) / H(f))", _sum, own, scaled, collect=_largest),
        "latest": Variant("R (1 - M(f; s) / H(f)), s the last selected", _sum, own, scaled, collect=_latest),
        "each-round": Variant(
            "eq25, each selected feature charged anew in each round", _sum, own, scaled, collect=_each_round
        ),
        "each-round-selected": Variant(
            "over-selected, each selected feature charged anew in each round",
            _sum,
            OVER["selected"][1],
            scaled,
            collect=_each_round,
        ),
        "ami-each-round": Variant(
            "ami-printed, each selected feature charged anew in each round",
            _sum,
            shared,
            less,
            collect=_each_round,
        ),
        "ami-half": Variant("R - sum_s M(f; s) / 2", _sum, shared, lambda r, c, n: r - c / 2),
        "ami-twice": Variant("R - 2 sum_s M(f; s)", _sum, shared, lambda r, c, n: r - 2 * c),
        "ami-selected": Variant(
            "R - sum_s R(s) M(f; s) / H(s)",
            _sum,
            lambda terms, M, s, first: M / terms.entropy[s] * terms.data.relevance[s],
            less,
        ),
        "clipped-selected": Variant("R max(0, 1 - sum_s M(f; s) / H(s))", _sum, OVER["selected"][1], clipped),
        "survival": Variant(
            "R prod_s (1 - M(f; s) / H(f))",
            _sum,
            lambda terms, M, s, first: -np.log(np.maximum(1.0 - M / terms.entropy, 1e-300)),
            lambda relevance, charges, n: relevance * np.exp(-charges),
        ),
        "chosen-relevance": Variant(
            "R(f) - sum_s R(s) M(f; s) / H(f)",
            _sum,
            lambda terms, M, s, first: M / terms.entropy * terms.data.relevance[s],
            less,
        ),
        "chosen-relevance-mean": Variant(
            "R(f) - mean_s R(s) M(f; s) / H(f)",
            _sum,
            lambda terms, M, s, first: M / terms.entropy * terms.data.relevance[s],
            less_mean,
        ),
        "uncertainty": Variant("R - sum_s M(f; s) / H(f)", _sum, own, less),
        "uncertainty-mean": Variant("R - mean_s M(f; s) / H(f)", _sum, own, less_mean),
        "label-mean": Variant("R / L - sum_s M(f; s)", _mean, shared, less),
        "label-mean-mean": Variant("R / L - mean_s M(f; s)", _mean, shared, less_mean),
        "label-mean-uncertainty": Variant("R / L - sum_s M(f; s) / H(f)", _mean, own, less),
        "label-mean-uncertainty-mean": Variant("R / L - mean_s M(f; s) / H(f)", _mean, own, less_mean),
        "label-mean-half": Variant(
            "R / L - mean_s M(f; s) / 2", _mean, shared, lambda r, c, n: r - c / max(n, 1) / 2
        ),
        "label-mean-twice": Variant(
            "R / L - 2 mean_s M(f; s)", _mean, shared, lambda r, c, n: r - 2 * c / max(n, 1)
        ),
        "label-mean-largest": Variant("R / L - max_s M(f; s)", _mean, shared, less, collect=_largest),
        "label-mean-next": Variant(
            "R / L - sum_s M(f; s) / (|S| + 1)", _mean, shared, lambda r, c, n: r - c / (n + 1)
        ),
        "label-mean-over-selected": Variant(
            "R / L - mean_s M(f; s) / H(s)", _mean, OVER["selected"][1], less_mean
        ),
        "label-mean-over-max": Variant(
            "R / L - mean_s M(f; s) / max(H(f), H(s))", _mean, OVER["max"][1], less_mean
        ),
        "label-mean-quotient": Variant(
            "R / mean_s M(f; s)", _sum, shared, lambda r, c, n: r / (c / n + 1e-12) if n else r
        ),
        "label-root": Variant(
            "R / sqrt(L) - mean_s M(f; s)",
            lambda terms: terms.data.relevance / np.sqrt(terms.labels.shape[1]),
            shared,
            less_mean,
        ),
        "label-largest-mean": Variant("max_l M(f; l) - mean_s M(f; s)", _best_label, shared, less_mean),
        "uncertain-labels": Variant(
            "mean_l M(f; l) / H(l) - mean_s M(f; s) / H(s)",
            lambda terms: _normalised(terms) / terms.labels.shape[1],
            OVER["selected"][1],
            less_mean,
        ),
        "uncertain-own": Variant(
            "mean_l M(f; l) / H(f) - mean_s M(f; s) / H(f)",
            lambda terms: _of_own(terms) / terms.labels.shape[1],
            own,
            less_mean,
        ),
        "symmetric": Variant(
            "mean_l SU(f; l) - mean_s SU(f; s), SU = 2 M / (H + H)",
            lambda terms: _symmetric(terms) / terms.labels.shape[1],
            OVER["half"][1],
            less_mean,
        ),
        "label-entropy": Variant(
            "R / sum_l H(l) - mean_s M(f; s)",
            lambda terms: terms.data.relevance / terms.label_entropy.sum(),
            shared,
            less_mean,
        ),
        "label-mean-equal-width": Variant(
            "label-mean-mean, equal widths", _mean, shared, less_mean, discretize="equal-width"
        ),
        "label-mean-mdlp": Variant("label-mean-mean, MDLP", _mean, shared, less_mean, discretize="mdlp"),
        "label-mean-equal-frequency": Variant(
            "label-mean-mean, equal frequencies", _mean, shared, less_mean, discretize="equal-frequency"
        ),
        "own-relevance": Variant("R / H(f) (1 - sum_s M(f; s) / H(f))", _of_own, own, scaled),
        "own-relevance-mean": Variant("R / H(f) (1 - mean_s M(f; s) / H(f))", _of_own, own, scaled_mean),
        "normalised-relevance": Variant(
            "sum_l M(f; l) / H(l) (1 - sum_s M(f; s) / H(f))", _normalised, own, scaled
        ),
        "normalised-relevance-mean": Variant(
            "sum_l M(f; l) / H(l) (1 - mean_s M(f; s) / H(f))", _normalised, own, scaled_mean
        ),
        "symmetric-relevance": Variant(
            "sum_l 2 M(f; l) / (H(f) + H(l)) (1 - sum_s M(f; s) / H(f))", _symmetric, own, scaled
        ),
        "symmetric-relevance-mean": Variant(
            "sum_l 2 M(f; l) / (H(f) + H(l)) (1 - mean_s M(f; s) / H(f))", _symmetric, own, scaled_mean
        ),
        "best-label": Variant("max_l M(f; l) (1 - sum_s M(f; s) / H(f))", _best_label, own, scaled),
        "ami-printed": Variant("R - sum_s M(f; s), the printed form of AMI", _sum, shared, less),
        "ami-mean": Variant(
            "R - mean_s M(f; s), which gives the printed AMI columns", _sum, shared, less_mean
        ),
        "relevance": Variant("R", _sum, own, lambda relevance, charges, n: relevance),
        "least-entropy": Variant("- H(f)", lambda terms: -terms.entropy, own, lambda r, charges, n: r),
        "eq25-equal-width": Variant("eq25, equal widths", _sum, own, scaled, discretize="equal-width"),
        "eq25-equal-frequency": Variant(
            "eq25, equal frequencies", _sum, own, scaled, discretize="equal-frequency"
        ),
        "eq25-mdlp": Variant("eq25, MDLP", _sum, own, scaled, discretize="mdlp"),
    }
    return found
