"""Quality against the number of trees.

The nearest neighbours of `digits-mlc` are weighted by forests of different sizes. The baseline without
weights is a horizontal line.
"""

import pandas as pd

from mlsieve.data import load_dataset
from mlsieve.evaluators import WeightedKNN
from mlsieve.measures import evaluate_all
from mlsieve.plots import plot_saturation
from mlsieve.rankers import PCTForestRanker

data = load_dataset("digits-mlc")


def quality(weights):
    model = WeightedKNN(k=15, weights=weights).fit(data.X_train, data.Y_train)
    return evaluate_all(data.Y_test, model.predict_proba(data.X_test))["hamming-loss"]


rows = [{"method": "no weights", "size": None, "value": quality(None)}]
for ensemble in ("random-forest", "extra-trees"):
    for trees in (1, 2, 5, 10, 25, 50):
        ranker = PCTForestRanker(ensemble=ensemble, n_estimators=trees, random_state=0)
        ranker.fit(data.X_train, data.Y_train)
        value = quality(ranker.feature_importances_)
        rows.append({"method": ensemble, "size": trees, "value": value})
table = pd.DataFrame(rows).assign(measure="hamming-loss")
plot_saturation(table)
