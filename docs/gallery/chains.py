"""Classifier chains and binary relevance.

Share of examples of `digits-mlc` whose label set is predicted exactly, by a chain over decision trees and by
a dynamic chain of random decision trees.
"""

import matplotlib.pyplot as plt

from mlsieve.chains import BinaryRelevance, ClassifierChain, LabelPowerset, RDTDynamicChain
from mlsieve.data import load_dataset
from mlsieve.measures import evaluate_all

data = load_dataset("digits-mlc")
METHODS = {
    "binary relevance": BinaryRelevance(random_state=0),
    "classifier chain": ClassifierChain(random_state=0),
    "label power set": LabelPowerset(random_state=0),
    "dynamic chain (RDT)": RDTDynamicChain(n_estimators=100, random_state=0),
}
values = {}
for name, method in METHODS.items():
    scores = method.fit(data.X_train, data.Y_train).predict_proba(data.X_test)
    values[name] = evaluate_all(data.Y_test, scores)["subset-accuracy"]
figure, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.barh(list(values), list(values.values()))
ax.set(xlabel="subset accuracy", xlim=(0, 1))
ax.invert_yaxis()
