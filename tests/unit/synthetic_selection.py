"""A made-up table of performance with the shape of the selection study's, for tests of its analysis."""

import numpy as np
import pandas as pd

PAPER = ("scls", "ami", "mdmr", "mlcfs", "ppt-rf")
BASELINES = ("all-features", "no-features", "random", "no-label")
METHODS = (*PAPER, "ami-printed", *BASELINES)
MEASURES = ("hamming-loss", "ranking-loss-ties", "normalised-coverage")
POINTS = (1, 4, 9, 16, 25)
# How much worse than the best each method is; the printed form is a little better than SCLS.
LEVELS = {
    "scls": 0.0,
    "ami": 0.03,
    "mdmr": 0.035,
    "mlcfs": 0.05,
    "ppt-rf": 0.06,
    "ami-printed": -0.01,
    "all-features": 0.01,
    "random": 0.09,
    "no-features": 0.08,
    "no-label": 0.085,
}


def selection_table(n_datasets=25, repeats=10, methods=METHODS, measures=MEASURES, points=POINTS, seed=0):
    """Return a table with curves over the number of features; baselines have one point, random a curve."""
    generator = np.random.default_rng(seed)
    rows = []
    for d in range(n_datasets):
        base, gain = generator.uniform(0.05, 0.3), generator.uniform(0.5, 1.5)
        own = {method: gain * LEVELS[method] + generator.normal(0, 0.008) for method in methods}
        for repeat in range(repeats):
            for method in methods:
                single = method in BASELINES and method != "random"
                for features in points[-1:] if single else points:
                    used = {"no-features": 0, "no-label": 0, "all-features": 200}.get(method, features)
                    for measure in measures:
                        curve = 0.0 if single else 0.15 * np.exp(-features / 6)
                        value = base + own[method] + curve + generator.normal(0, 0.004)
                        if measure == "hamming-loss" and method == "no-label":
                            value = base + generator.normal(0, 0.01)
                        facts = (f"set-{d + 1}", "holdout", method, "", "", 0, repeat, "mlnb", measure)
                        rows.append((*facts, "scls", value, used))
    columns = ["dataset", "split", "method", "ensemble", "score", "size", "repeat", "evaluator", "measure"]
    return pd.DataFrame(rows, columns=[*columns, "definition", "value", "features"])
