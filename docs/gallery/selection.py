"""Quality against the number of selected features.

Naive Bayes predicts the labels of `synthetic-redundant` from the first k features of each method. With more
than about ten features, the error does not fall any more.
"""

import matplotlib.pyplot as plt
import numpy as np

from mlsieve.data import load_dataset
from mlsieve.evaluators import MLNB
from mlsieve.measures import evaluate_all
from mlsieve.rankers import PCTForestRanker
from mlsieve.selectors import MDMR, SCLS

data = load_dataset("synthetic-redundant")
METHODS = {
    "SCLS": SCLS(n_features_to_select=20),
    "MDMR": MDMR(n_features_to_select=20),
    "forest": PCTForestRanker(n_estimators=50, random_state=0),
}
counts = np.arange(1, 16)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, ranker in METHODS.items():
    order = np.argsort(-ranker.fit(data.X_train, data.Y_train).feature_importances_, kind="stable")
    losses = []
    for count in counts:
        best = order[:count]
        model = MLNB().fit(data.X_train[:, best], data.Y_train)
        scores = model.predict_proba(data.X_test[:, best])
        losses.append(evaluate_all(data.Y_test, scores)["hamming-loss"])
    ax.plot(counts, losses, marker="o", markersize=3, label=name)
ax.set(xlabel="number of features", ylabel="Hamming loss")
ax.legend(frameon=False)
