"""Simulate the tests that count domains once, and write the table of statistics.md.

    python docs/statistics_power.py [--repeats 500]

Each row is a design of domains like those of a study. Values of k methods on a dataset are normal; a share
of their variance is common to the datasets of a domain. The level is the share of significant tests where all
methods are equally good, the power that where the first is better by `EFFECT` standard deviations.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from mlsieve.stats import friedman_test, one_row_per_domain, permutation_test, rank_methods, wilcoxon_test
from mlsieve.stats.wilcoxon import signed_ranks

PAGE = Path(__file__).with_name("statistics.md")
TABLE = re.compile(r"(?<=<!-- power -->\n).*?(?=<!-- end of power -->)", re.DOTALL)
# Domains as in mlc_ranking (11 Yahoo sets), scls_selection (these and 5 of RCV1) and hmlc_ranking (10 of
# yeast).
DESIGNS = {"13": (11, *[1] * 12), "11": (11, 5, *[1] * 9), "4": (10, 1, 1, 1)}
METHODS, SHARED, EFFECT, SIGNIFICANCE = (2, 3), (0.0, 0.3, 0.8), 1.2, 0.05
RATIOS = np.concatenate([[0.0], np.geomspace(0.01, 100, 200)])  # of the two variances of the mixed model
TESTS = (
    "each dataset by itself",
    "domain ranks, ranked again",
    "permutation of mean ranks",
    "mixed model, F",
    "mixed model, Wald",
)


def mixed_model(ranks: np.ndarray, domain: np.ndarray) -> tuple[float, float]:
    """Return the p-values of a mixed model: methods fixed, methods by domains random.

    Parameters
    ----------
    ranks : ndarray of float64, shape (N, p)
        Signed ranks of two methods (p = 1), or orthonormal contrasts of the ranks of p + 1 methods, which are
        uncorrelated and of one variance.
    domain : ndarray of int, shape (N,)
        From 0.

    Returns
    -------
    f, wald : float
        From the F distribution with p and p (domains - 1) degrees of freedom, and from chi-squared with p.
        The ratio of the variances is that of the largest restricted likelihood among `RATIOS`.
    """
    size = np.bincount(domain)
    n, p = ranks.shape
    means = np.stack([np.bincount(domain, column) for column in ranks.T], axis=1) / size[:, None]
    within = (ranks**2).sum() - (size[:, None] * means**2).sum()
    weight = size / (1 + size * RATIOS[:, None])
    total = weight.sum(axis=1)
    effect = weight @ means / total[:, None]
    between = np.stack([w @ ((means - e) ** 2).sum(axis=1) for w, e in zip(weight, effect, strict=True)])
    variance = np.maximum(within + between, 1e-12) / (p * (n - 1))
    likelihood = -((n - 1) * np.log(variance) + np.log1p(size * RATIOS[:, None]).sum(axis=1) + np.log(total))
    best = int(np.argmax(likelihood))
    f = float((effect[best] ** 2).sum() * total[best] / (p * variance[best]))
    return float(stats.f.sf(f, p, p * (len(size) - 1))), float(stats.chi2.sf(f * p, p))


def p_values(values: np.ndarray, domain: np.ndarray) -> list[float]:
    """Return the p-value of each of `TESTS` for datasets by methods, higher is better."""
    names = [f"dataset {place}" for place in range(len(values))]
    domains_of = {name: f"domain {number}" for name, number in zip(names, domain, strict=True)}
    k = values.shape[1]
    if k == 2:
        ranks = pd.DataFrame(signed_ranks(values[:, 0] - values[:, 1]), index=names)
        contrasts = ranks.to_numpy()
        means = one_row_per_domain(ranks, domains_of)
        alone, once = wilcoxon_test(ranks[0]).p_value, wilcoxon_test(means[0]).p_value
    else:
        ranks = rank_methods(pd.DataFrame(values, index=names))
        basis = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, 1:]]))[0][:, 1:]
        contrasts = ranks.to_numpy() @ basis
        means = one_row_per_domain(ranks, domains_of)
        alone, once = (friedman_test(table, "lower").p_value for table in (ranks, means))
    return [alone, once, permutation_test(means).p_value, *mixed_model(contrasts, domain)]


def rows(repeats: int) -> Iterator[list[str]]:
    """Yield the rows of the table: design, then level and power of each test."""
    for k in METHODS:
        for domains, sizes in DESIGNS.items():
            domain = np.repeat(np.arange(len(sizes)), sizes)
            for shared in SHARED:
                generator = np.random.default_rng(0)
                counts = np.zeros((2, len(TESTS)))
                for _ in range(repeats):
                    common = generator.normal(size=(len(sizes), k))[domain]
                    values = np.sqrt(shared) * common
                    values += np.sqrt(1 - shared) * generator.normal(size=values.shape)
                    for better, effect in enumerate((0.0, EFFECT)):
                        moved = values + np.eye(k)[0] * effect
                        counts[better] += np.array(p_values(moved, domain)) <= SIGNIFICANCE
                cells = [f"{level:.3f} / {power:.2f}" for level, power in (counts / repeats).T]
                yield [str(k), f"{domains} ({len(domain)} datasets)", str(shared), *cells]


def table(repeats: int) -> str:
    """Return the table in Markdown."""
    head = ["methods", "domains", "shared variance", *TESTS]
    lines = [head, ["---"] * len(head), *rows(repeats)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repeats", type=int, default=500, help="simulated studies of each row")
    made = table(parser.parse_args().repeats)
    PAGE.write_text(TABLE.sub(lambda _: made, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
