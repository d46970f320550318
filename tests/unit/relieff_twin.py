"""ReliefF and the pruned problem transformation as their definitions read: slow and plain."""

from collections import Counter

import numpy as np
from relief_twin import by_distance, feature_distance, scales


def pruned_examples(Y, *, p, pruned, n_subsets):
    """Pairs of a row and its new label set, the rows not falling."""
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in Y]
    counts = Counter(sets)
    frequent = [s for s in dict.fromkeys(sets) if counts[s] >= p]
    examples = []
    for row, own in enumerate(sets):
        if own in frequent:
            examples.append((row, own))
        elif pruned == "subsets":
            within = [s for s in frequent if s and s < own]
            within.sort(key=lambda s: (-len(s), -counts[s]))  # stable: then as they first occur
            examples += [(row, s) for s in within[:n_subsets]]
    return examples


def relieff(X, classes, *, n_neighbors, examples, n_values):
    """X and classes of the examples; `examples` those that look for neighbours."""
    n, n_features = X.shape
    low, span = scales(X, n_values)
    sizes = Counter(classes)
    scores = np.zeros(n_features)
    for own in examples:
        d = [
            [
                feature_distance(X[own, i], X[other, i], low[i], span[i], n_values[i])
                for i in range(n_features)
            ]
            for other in range(n)
        ]
        for c in sizes:
            others = [other for other in range(n) if other != own and classes[other] == c]
            nearest = by_distance({other: sum(d[other]) for other in others}, 1e-12 * n_features)[
                :n_neighbors
            ]
            if not nearest:
                continue
            mean = np.mean([d[other] for other in nearest], axis=0)
            if c == classes[own]:
                scores -= mean / len(examples)
            else:
                share = (sizes[c] / n) / (1 - sizes[classes[own]] / n)
                scores += share * mean / len(examples)
    return scores
