"""A made-up table of performance with the shape of the ranking study's, for tests of its analysis."""

import numpy as np
import pandas as pd

PAIRS = [
    (ensemble, score)
    for ensemble in ("bagging", "extra-trees", "random-forest")
    for score in ("genie3", "permutation", "symbolic")
    if (ensemble, score) != ("extra-trees", "permutation")
]
SIZES = (10, 25, 50, 75, 100, 150, 200, 250)
LOWER = ("coverage", "hamming-loss", "one-error", "ranking-loss")
HIGHER = (
    "accuracy",
    "auprc",
    "auroc",
    "f1",
    "micro-f1",
    "micro-precision",
    "micro-recall",
    "pooled-auprc",
    "precision",
    "recall",
    "subset-accuracy",
)
DIRECTIONS = {**dict.fromkeys(LOWER, "lower"), **dict.fromkeys(HIGHER, "higher")}


def performance_table(
    n_datasets=8, measures=(*HIGHER, *LOWER), sizes=SIZES, controls=("uniform", "random"), effect=1.0, seed=0
):
    """Return a table in which more trees help up to about 50, scores help and random weights harm."""
    generator = np.random.default_rng(seed)
    rows = []
    methods = [("pct", *pair, size) for pair in PAIRS for size in sizes] + [
        (name, "", "", 0) for name in controls
    ]
    for d in range(n_datasets):
        base = generator.uniform(0.4, 0.7)
        gain = effect * generator.uniform(0.01, 0.06)
        for method, ensemble, score, size in methods:
            level = {"uniform": 0.0, "random": -0.6, "relief": 0.4}.get(method, 0.0)
            if size:
                level = {"genie3": 1.0, "symbolic": 0.8, "permutation": 0.5}[score] * (1 - np.exp(-size / 25))
                level += {"bagging": 0.0, "random-forest": 0.1, "extra-trees": 0.15}[ensemble]
            for measure in measures:
                value = base + gain * level + generator.normal(0, 0.006)
                value = 1 - value if DIRECTIONS.get(measure) == "lower" else value
                value = value * 10 if measure == "coverage" else value
                facts = (f"set-{d + 1}", "official", method, ensemble, score, size, 0, "weighted-knn")
                rows.append((*facts, measure, "clus", value))
    columns = ["dataset", "split", "method", "ensemble", "score", "size", "repeat", "evaluator"]
    return pd.DataFrame(rows, columns=[*columns, "measure", "definition", "value"])


SHARES = (1, 5, 10, 25, 50, 100)


def hierarchical_table(n_datasets=10, sizes=(10, 25, 50, 75, 100, 150, 250), seed=0):
    """Return a table with the shape of the hierarchical study's: Relief has sizes, extra trees two forms."""
    generator = np.random.default_rng(seed)
    table = performance_table(n_datasets, ("pooled-auprc",), sizes, ("uniform", "random"), 1.0, seed)
    more = []
    for row in table[(table["ensemble"] == "extra-trees") & (table["size"] > 0)].itertuples(index=False):
        more.append(row._replace(method="all-features", value=row.value + generator.normal(0.01, 0.01)))
    for row in table[table["method"] == "uniform"].itertuples(index=False):
        for share in SHARES:
            value = row.value + 0.01 * np.log10(share) + generator.normal(0, 0.004)
            more.append(row._replace(method="relief", size=share, value=value))
    return pd.concat([table, pd.DataFrame(more)], ignore_index=True).assign(definition="paper")
