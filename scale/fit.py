"""Fit the factors of `mlsieve.costs` to jobs.csv, and write them: src/mlsieve/costs/coefficients.py.

    python -m scale.fit

Each factor is positive. What is made small is the difference of the logarithms of measured and reckoned
costs, so that small jobs count as much as large ones and twice too much is as bad as half; large differences
count less than by their square. A floor, below which a difference is noise, is added to both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import least_squares

from mlsieve.costs.model import Task, parts, terms
from scale.table import ROOT, read_jobs, task_of_row

TERMS = {
    "seconds": {
        "prepare": ("job", "values", "cells", "label_cells", "labels_set"),
        "discretise": ("job", "split_values", "split_cells", "split_label_cells"),
        "grow": ("job", "values", "tree_rows", "tree_labels"),
        "trees": (
            "level_rows",
            "dense_levels",
            "dense_unsorted_levels",
            "dense_level_labels",
            "dense_all_labels",
            "nominal_level_labels",
            "sparse_levels",
            "sparse_level_labels",
            "sparse_rows",
            "drawn_features",
            "tree_label_sums",
        ),
        "permutation": ("permuted_labels", "permuted_walks", "permuted_features", "permuted_classes"),
        "rank-ensemble": ("job", "tree_rows", "tree_labels"),
        "rank-relief": ("job", "values", "own"),
        "rank-ppt-rf": ("job", "split_features", "own"),
        "rank-scls": ("job", "split_values", "selected_values", "selected_features"),
        "rank-ami": ("job", "split_values", "selected_values", "selected_features"),
        "rank-mdmr": ("job", "value_labels", "selected_values", "label_pairs"),
        "rank-mlcfs": ("job", "split_values", "value_labels", "selected_values"),
        "rank": ("job", "split_values", "value_labels", "selected_values"),
        "predict": ("job", "values", "pairs", "pair_values", "predictions_set"),
        "score": ("job", "predictions", "label_predictions", "class_predictions"),
        "evaluate": ("job", "split_values", "split_test_labels", "selected_label_predictions"),
    },
    "megabytes": {
        "prepare": ("job", "values", "label_cells", "labels_set"),
        "discretise": ("job", "values", "features"),
        "grow": ("job", "values", "tree_rows", "tree_labels"),
        "rank-ensemble": ("job", "tree_rows", "tree_labels"),
        "rank": ("job", "values", "features"),
        "predict": ("job", "values", "test_labels", "label_predictions", "class_predictions"),
        "score": ("job", "test_labels", "label_predictions", "class_predictions"),
        "evaluate": ("job", "values", "test_labels"),
    },
    "bytes": {
        "prepare": ("job", "values", "labels_set", "features"),
        "discretise": ("job", "split_features"),
        "grow": ("job", "tree_rows", "tree_labels"),
        "rank-ensemble": ("job", "features"),
        "rank": ("job", "split_features"),
        "predict": ("job", "predictions", "predictions_set", "label_predictions", "class_predictions"),
        "score": ("job", "scores"),
        "evaluate": ("job", "splits"),
    },
}
FLOOR = {"seconds": 0.1, "megabytes": 1.0, "bytes": 100.0}
# Steps of one process each that only methods without a cost of their own take.
_SELECTORS = ("scls", "ami", "mdmr", "mlcfs", "uniform", "random", "no-label")
_NEGLIGIBLE = 1e-3  # share of all jobs' cost


def measured(row: dict[str, str], quantity: str, part: str) -> float | None:
    """Return what a row of jobs.csv says of a part of a job's cost; None if nothing."""
    if quantity != "seconds":
        return float(row[quantity]) if row[quantity] else None
    if row["step"] != "grow":
        return float(row["cpu_seconds"])
    if not row["trees_seconds"]:
        return None
    work = {name: float(row[f"{name}_seconds"]) for name in ("trees", "permutation")}
    if part in work:
        return work[part]
    # Only where the process was watched to its end: files and imports are what remains.
    return max(0.05, float(row["cpu_seconds"]) - sum(work.values())) if row["source"] == "watched" else None


def belongs(task: Task, quantity: str, part: str) -> bool:
    """Return whether a job tells something of a part of `TERMS`."""
    if part == "rank":
        return task.step == "rank" and not task.trees and (quantity != "seconds" or task.method in _SELECTORS)
    if quantity == "seconds" and part.startswith("rank-") and part != "rank-ensemble":
        return task.step == "rank" and task.method == part.removeprefix("rank-")
    if part == "rank-ensemble":
        return task.step == "rank" and task.trees > 0
    if quantity == "seconds" and part in ("trees", "permutation", "grow"):
        return part in parts(task)
    return task.step == part


def fitted(
    tasks: Sequence[Task], costs: Sequence[float], names: Sequence[str], floor: float
) -> dict[str, float]:
    """Return the factor of each term, by three digits; terms that hardly count are left out.

    Parameters
    ----------
    tasks : sequence of Task
    costs : sequence of float
        What was measured of each task.
    names : sequence of str
        Terms of `mlsieve.costs.model.terms`.
    floor : float
        Added to both sides of a comparison.
    """
    values = [terms(task) for task in tasks]
    table = np.array([[value[name] for name in names] for value in values])
    cost = np.asarray(costs, dtype=float)
    scale = table.mean(axis=0)
    used = scale > 0
    table, scale, names = (
        table[:, used] / scale[used],
        scale[used],
        [n for n, u in zip(names, used, strict=True) if u],
    )

    def difference(logarithms: np.ndarray) -> np.ndarray:
        return np.log((table @ np.exp(logarithms) + floor) / (cost + floor))

    start = np.full(len(names), np.log(max(cost.mean(), 1e-9) / len(names)))
    factors = np.exp(least_squares(difference, start, loss="soft_l1", bounds=(-40, 60)).x)
    shares = (table * factors).sum(axis=0) / (table @ factors).sum()
    return {
        name: float(f"{factor:.3g}")
        for name, factor, share in zip(names, factors / scale, shares, strict=True)
        if share > _NEGLIGIBLE
    }


def fit_all(rows: Sequence[dict[str, str]]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the factors of all quantities and parts, from rows of jobs.csv."""
    known = [(row, task) for row in rows if (task := task_of_row(row)) is not None]
    found: dict[str, dict[str, dict[str, float]]] = {}
    for quantity, by_part in TERMS.items():
        found[quantity] = {}
        for part, names in by_part.items():
            chosen = [
                (task, cost)
                for row, task in known
                if belongs(task, quantity, part) and (cost := measured(row, quantity, part)) is not None
            ]
            tasks, costs = [task for task, _ in chosen], [cost for _, cost in chosen]
            if not chosen:
                raise SystemExit(f"scale.fit: jobs.csv has no {quantity} of {part}")
            found[quantity][part] = fitted(tasks, costs, names, FLOOR[quantity])
    return found


def main() -> int:
    """Write src/mlsieve/costs/coefficients.py."""
    lines = [
        '"""Factors of the terms of `mlsieve.costs`, written by ``python -m scale.fit``; do not edit."""',
        "",
    ]
    lines += ["FACTORS: dict[str, dict[str, dict[str, float]]] = {"]
    for quantity, by_part in fit_all(read_jobs()).items():
        lines.append(f'    "{quantity}": {{')
        for part, factors in by_part.items():
            lines.append(f'        "{part}": {{')
            lines += [f'            "{name}": {factor!r},' for name, factor in factors.items()]
            lines.append("        },")
        lines.append("    },")
    lines.append("}")
    (ROOT / "src" / "mlsieve" / "fitted_costs.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
