"""Random decision trees and label chains in plain loops: every step of a chain walks from the root."""

from __future__ import annotations

import itertools
import math

import numpy as np
from mlsieve._kernels.trees.grow.tree_grower import random_number

from mlsieve.data.coded_columns import code_columns

TEST, MISSING_CELL, ACTIVE_TEST = 101, 102, 103


def column_order(X, category_counts, seed):
    store = code_columns(X, category_counts, with_tests=False, order_seed=seed)
    return store.copy_of[store.data_column]


def grown_tree(X, Y, discrete, category_counts, *, p, max_depth, max_leaf, redraw, seed, tree):
    """One tree as a list of nodes: (test, children, threshold) or ("leaf", rows, label counts)."""
    n, n_features = X.shape
    columns = column_order(X, category_counts, seed)

    def uniform(stream, first, second):
        return random_number(seed, tree, stream, first, second)

    def below(stream, first, second, bound):
        return int(uniform(stream, first, second) * bound)

    def drawn_test(node, rows, used):
        labels = [j for j in range(Y.shape[1]) if ("label", j) not in used]
        features = [f for f in range(n_features) if ("feature", f) not in used]
        of_label = uniform(TEST, node, 0) < p
        if 0 < p < 1 and not (labels if of_label else features):
            of_label = not of_label
        choices = labels if of_label else features
        for draw in range(11 if choices else 0):
            choice = choices[below(TEST, node, 1 + 2 * draw, len(choices))]
            if of_label:
                values = [Y[row, choice] for row in rows]
                if redraw == "thresholds" or len(set(values)) == 2:
                    return ("label", choice), [0, 1], None, values
                continue
            column = columns[choice]
            cells = X[rows, column]
            known = [cell for cell in cells if not math.isnan(cell)]
            if discrete[column]:
                branches, threshold = sorted(set(known)), None
                if len(branches) < (1 if redraw == "thresholds" else 2):
                    continue
                values = [None if math.isnan(cell) else cell for cell in cells]
            else:
                threshold = cells[below(TEST, node, 2 + 2 * draw, len(rows))]
                branches = [0, 1]
                values = [None if math.isnan(cell) else int(cell > threshold) for cell in cells]
                if math.isnan(threshold) or len({v for v in values if v is not None}) < 2:
                    continue
            known = [value for value in values if value is not None]
            values = [
                known[below(MISSING_CELL, node, row, len(known))] if value is None else value
                for row, value in zip(rows, values, strict=True)
            ]
            return ("feature", choice), branches, threshold, values
        return None

    nodes = [None]
    pending = [(0, list(range(n)), 0, ())]
    while pending:
        node, rows, depth, used = pending.pop()
        test = drawn_test(node, rows, used) if len(rows) > max_leaf and depth < max_depth else None
        if test is None:
            nodes[node] = ("leaf", len(rows), Y[rows].sum(axis=0))
            continue
        (kind, which), branches, threshold, values = test
        once = kind == "label" or discrete[columns[which]]
        name = which if kind == "label" else columns[which]
        children = {}
        for branch in branches:
            children[branch] = len(nodes)
            nodes.append(None)
            own = [row for row, value in zip(rows, values, strict=True) if value == branch]
            pending.append((children[branch], own, depth + 1, (*used, *([(kind, which)] if once else []))))
        nodes[node] = (kind, name, threshold, children)
    return nodes


def reached(trees, tree, x, labels, n_active):
    """The leaves of a tree that a row reaches; labels: value of each, None while it is not set."""
    F, nodes = trees.n_features, trees.nodes
    found, pending = [], [int(trees.tree_start[tree])]
    while pending:
        node = nodes[pending.pop()]
        test, first = int(node["test"]), int(node["first"])
        if test == -1:
            found.append(first)
        elif test < -1:
            value = labels[-2 - test]
            known = value is not None and node["threshold"] < n_active
            pending += [first + int(value)] if known else [first, first + 1]
        elif test < F:
            value = x[test]
            pending += [first, first + 1] if math.isnan(value) else [first + int(value > node["threshold"])]
        else:
            value = x[test - F]
            children = range(first, first + int(node["threshold"]))
            pending += [c for c in children if math.isnan(value) or trees.category[c] == value]
    return found


def pooled(trees, tree, x, labels, n_active):
    """Rows and label counts over the reached leaves (eq. 9); the root's where there are none."""
    size, counts = 0, np.zeros(trees.n_labels, np.int64)
    for leaf in reached(trees, tree, x, labels, n_active):
        entries = slice(trees.leaf_start[leaf], trees.leaf_start[leaf + 1])
        size += int(trees.leaf_size[leaf])
        counts[trees.leaf_label[entries]] += trees.leaf_count[entries]
    return (size, counts) if size else (trees.n_rows, trees.prior.astype(np.int64))


def chain_of_row(trees, x, *, order=None, probable=False, decision="eq16", sigma=1.0, unit=None):
    """Steps (label, probability, value, R) of a row; without a unit of the weights, nothing is rounded."""
    L = trees.n_labels
    labels, steps = [None] * L, []
    spans = itertools.pairwise(trees.tree_start)
    tests = [int((trees.nodes["test"][first:last] < -1).sum()) for first, last in spans]
    for k in range(L):
        sums, total = np.zeros(L), 0.0
        for tree, n_tests in enumerate(tests):
            size, counts = pooled(trees, tree, x, labels, math.floor(sigma * n_tests + 0.5))
            part = 1 / size
            gini = (counts.sum() - (counts**2).sum() * part) * part
            scale = (1 - 4 / L * gini) * part if unit is None else (1 - 4 / L * gini) * (unit * 0.5 * part)
            scale = scale if unit is None else 2 * np.rint(scale)
            sums, total = sums + scale * counts, total + scale * size
        if total <= 0:
            sums, total = trees.prior.astype(float), float(trees.n_rows)
        unset = [j for j in range(L) if labels[j] is None]
        far = sums if probable else abs(2 * sums - total)
        label = max(unset, key=lambda j: far[j]) if order is None else int(order[k])
        R = math.floor(sums.sum() / total + 0.5)
        before = sum(value or 0 for value in labels)
        positive = sums[label] / total >= 0.5
        if decision == "eq16":
            positive = (positive and before < R) or L - (k + 1) < R - before
        labels[label] = int(positive)
        steps.append((label, sums[label] / total, bool(positive), R))
    return steps
