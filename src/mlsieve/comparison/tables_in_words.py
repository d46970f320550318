"""Tests, variants and probabilities of a comparison's tables as readers see them."""

from __future__ import annotations

from mlsieve.files.csv_tables import BY_DOMAIN, PERMUTATION
from mlsieve.paper.verdicts import RESAMPLED
from mlsieve.stats._lazy import pd

_WORDS = {
    "variant": {"all": "all datasets", BY_DOMAIN: "one value a family"},
    "test": {
        "friedman": "Friedman",
        "nemenyi": "Nemenyi",
        "bonferroni-dunn": "Bonferroni-Dunn",
        "wilcoxon": "Wilcoxon",
        PERMUTATION: "permutation over families",
        RESAMPLED: "corrected resampled t",
    },
}
_PROBABILITIES = ("p_better", "p_rope", "p_worse")


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table for readers: what the columns `variant` and `test` have as words, not as keys.

    Posterior probabilities, which are shares of draws, are never shown as 0 or 1.
    """
    found = table.copy()
    for name, words in _WORDS.items():
        if name in found:
            found[name] = [words.get(value, value) for value in found[name]]
    for name in _PROBABILITIES:
        if name in found:
            found[name] = [probability(value, "< ", "> ") for value in found[name]]
    return found


def probability(share: float, below: str, above: str) -> str:
    """Return a probability with three decimals; those of simulations are never exactly 0 or 1.

    Examples
    --------
    >>> probability(0.25, "below ", "above "), probability(1.0, "below ", "above ")
    ('0.250', 'above 0.999')
    """
    if share < 0.0005:
        return f"{below}0.001"
    return f"{above}0.999" if share >= 0.9995 else f"{share:.3f}"
