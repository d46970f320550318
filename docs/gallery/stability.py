"""How much a ranking depends on the seed.

The fuzzy Jaccard index compares the first k features of two forests with different seeds. More trees make
the rankings more alike.
"""

import matplotlib.pyplot as plt

from mlsieve.data import load_dataset
from mlsieve.rankers import PCTForestRanker
from mlsieve.stats import fuzzy_jaccard_curve

data = load_dataset("digits-mlc")


def importances(trees, seed):
    ranker = PCTForestRanker(n_estimators=trees, random_state=seed)
    return ranker.fit(data.X_train, data.Y_train).feature_importances_


figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for trees in (2, 10, 50):
    curve = fuzzy_jaccard_curve(importances(trees, 0), importances(trees, 1))
    ax.plot(range(1, len(curve) + 1), curve, label=f"{trees} trees")
ax.set(xlabel="number of features k", ylabel="fuzzy Jaccard index", ylim=(0, 1.02))
ax.legend(frameon=False)
