"""The naive twin of the tree kernels: plain numpy that enumerates everything, variances by definition."""

from __future__ import annotations

import numpy as np
from mlsieve._kernels.trees.grow.tree_grower import random_number

CANDIDATES, THRESHOLD, SUBSET, TIES = 2, 3, 4, 6
MIN_GAIN, TIE, LEAF_SLACK = 1e-9, 1e-10, 1e-9


def impurity_mass(Y, weights, label_weight):
    """n * sum_j w_j Var(y_j), from the definition of the variance."""
    n = weights.sum()
    if n == 0:
        return 0.0
    mean = (weights[:, None] * Y).sum(axis=0) / n
    variance = (weights[:, None] * (Y - mean) ** 2).sum(axis=0) / n
    return n * float((label_weight * variance).sum())


def gain(Y, weights, label_weight, yes):
    """h of a test on examples whose value is known."""
    return (
        impurity_mass(Y, weights, label_weight)
        - impurity_mass(Y[yes], weights[yes], label_weight)
        - impurity_mass(Y[~yes], weights[~yes], label_weight)
    )


def admissible(weights, yes, min_leaf):
    least = min_leaf * (1 - LEAF_SLACK)
    return weights[yes].sum() >= least and weights[~yes].sum() >= least


def candidates(n_features, n_candidates, seed, tree, node):
    if n_candidates >= n_features:
        return list(range(n_features))
    order = list(range(n_features))
    for i in range(n_candidates):
        other = i + int(random_number(seed, tree, CANDIDATES, node, i) * (n_features - i))
        order[i], order[other] = order[other], order[i]
    return sorted(order[:n_candidates])


def numeric_tests(x, random_tests, u):
    """Thresholds to try, highest first."""
    values = np.unique(x)
    if len(values) < 2:
        return []
    if not random_tests:
        return list(values[:-1][::-1])
    threshold = values[0] + u * (values[-1] - values[0])
    return [threshold if threshold < values[-1] else values[-2]]


def best_feature(found, tie, random_ties, draw):
    """Of the features' best tests, in their order: the first of those that gain most, or one by draw."""
    if not random_ties:
        best = found[0]
        for test in found[1:]:
            best = test if test["gain"] > best["gain"] + tie else best
        return best
    most = max(test["gain"] for test in found)
    return min((test for test in found if test["gain"] >= most - tie), key=lambda test: draw(test["feature"]))


def grow(
    X,
    Y,
    weights,
    label_weight,
    n_categories,
    *,
    n_candidates,
    min_leaf,
    random_tests,
    seed,
    tree,
    random_ties=True,
):
    """Return the nodes in preorder ("yes" first) as dicts of feature, gain, threshold or subset, ..."""
    nodes = []

    def visit(rows, w, depth):
        node = len(nodes)
        Yn = Y[rows].astype(float)
        record = {"feature": -1, "depth": depth, "weight": w.sum(), "labels": (w[:, None] * Yn).sum(axis=0)}
        nodes.append(record)
        tie = TIE * float((label_weight * record["labels"]).sum())
        found = []
        if w.sum() < 2 * min_leaf * (1 - LEAF_SLACK) or impurity_mass(Yn, w, label_weight) <= MIN_GAIN + tie:
            return
        for feature in candidates(X.shape[1], n_candidates, seed, tree, node):
            x = X[rows, feature]
            known = ~np.isnan(x)
            if not known.any():
                continue
            judge = (x[known], Yn[known], w[known], label_weight, min_leaf, tie)
            if n_categories[feature] > 2:
                if len(np.unique(x[known])) < 2:
                    continue
                subset, h = nominal_test(*judge, random_tests, (seed, tree, node, feature))
                if subset and h > MIN_GAIN + tie:
                    found.append({"gain": h, "feature": feature, "subset": sorted(subset)})
                continue
            best = {"gain": MIN_GAIN}
            for t in numeric_tests(
                x[known], random_tests, random_number(seed, tree, THRESHOLD, node, feature)
            ):
                yes = x[known] > t
                if admissible(w[known], yes, min_leaf):
                    h = gain(Yn[known], w[known], label_weight, yes)
                    if h > best["gain"] + tie:
                        best = {"gain": h, "feature": feature, "threshold": t}
            if "feature" in best:
                found.append(best)
        if not found:
            return
        best = best_feature(
            found, tie, random_ties, lambda feature: random_number(seed, tree, TIES, node, feature)
        )
        record.update(best)
        x = X[rows, best["feature"]]
        missing = np.isnan(x)
        yes = np.isin(x, best["subset"]) if "subset" in best else x > best["threshold"]
        share = w[yes & ~missing].sum() / w[~missing].sum()
        go_yes, go_no = yes | missing, ~yes | missing
        visit(rows[go_yes], np.where(missing, share, 1.0)[go_yes] * w[go_yes], depth + 1)
        visit(rows[go_no], np.where(missing, 1 - share, 1.0)[go_no] * w[go_no], depth + 1)

    seen = weights > 0
    visit(np.flatnonzero(seen), weights[seen].astype(float), 0)
    return nodes


def nominal_test(x, Y, w, label_weight, min_leaf, tie, random_tests, key):
    present = sorted(int(v) for v in np.unique(x))
    if random_tests:
        seed, tree, node, feature = key
        throws = 0
        while True:
            subset = [
                v
                for v in present
                if random_number(seed, tree, SUBSET, (node << 32) | feature, (throws << 32) | v) < 0.5
            ]
            if 0 < len(subset) < len(present):
                break
            throws += 1
        yes = np.isin(x, subset)
        return (subset, gain(Y, w, label_weight, yes)) if admissible(w, yes, min_leaf) else ([], 0.0)
    subset, best = [], None
    while True:
        chosen, chosen_gain = None, 0.0
        for value in present:
            if value in subset:
                continue
            yes = np.isin(x, [*subset, value])
            if admissible(w, yes, min_leaf):
                h = gain(Y, w, label_weight, yes)
                if chosen is None or h > chosen_gain + tie:
                    chosen, chosen_gain = value, h
        if chosen is None or (best is not None and chosen_gain <= best + tie):
            return subset, best or 0.0
        subset.append(chosen)
        best = chosen_gain


def predict(nodes, x):
    """Label means for one example; a missing value goes down both branches.

    Leaves are added from the leftmost "yes" on, one after the other, as the kernels do: a mean of exactly 1/2
    is then the same number in both.
    """
    children = child_positions(nodes)

    def leaves(at, share):
        node = nodes[at]
        if node["feature"] < 0:
            return [share * (node["labels"] / node["weight"])]
        value = x[node["feature"]]
        if np.isnan(value):
            yes, no = share * node["yes_share"], share * (1 - node["yes_share"])
            return leaves(children[at][0], yes) + leaves(children[at][1], no)
        yes = value in node["subset"] if "subset" in node else value > node["threshold"]
        return leaves(children[at][0 if yes else 1], share)

    return sum(leaves(0, 1.0))


def child_positions(nodes):
    """(yes, no) position of each inner node, from the preorder and depths alone."""
    found = {}
    for at, node in enumerate(nodes):
        if node["feature"] >= 0:
            yes = at + 1
            no = next(i for i in range(yes + 1, len(nodes)) if nodes[i]["depth"] == node["depth"] + 1)
            found[at] = (yes, no)
    return found


def of_arrays(tree, leaf_counts):
    """The nodes of a kernel's tree, for `predict`; `leaf_counts` gives the labels' weights in a leaf."""
    nodes = []
    for at, feature in enumerate(tree["feature"].tolist()):
        node = {"feature": feature, "depth": int(tree["depth"][at]), "weight": tree["weight"][at]}
        node |= {"yes_share": tree["yes_share"][at], "labels": leaf_counts(at)}
        subset = tree["subset"][tree["subset_start"][at] : tree["subset_start"][at + 1]].tolist()
        nodes.append(node | ({"subset": subset} if subset else {"threshold": tree["threshold"][at]}))
    return nodes
