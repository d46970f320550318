"""Average ranks over datasets with Nemenyi's critical distance.

Four rankings are compared on six synthetic datasets. Methods that a bar joins do not differ significantly.
"""

import pandas as pd

from mlsieve.data import load_dataset
from mlsieve.evaluators import WeightedKNN
from mlsieve.measures import evaluate_all
from mlsieve.plots import plot_critical_difference
from mlsieve.rankers import PCTForestRanker, RandomRanker, ReliefRanker, UniformRanker
from mlsieve.stats import friedman_test, nemenyi_distance, rank_methods

METHODS = {
    "forest": PCTForestRanker(n_estimators=30, random_state=0),
    "Relief": ReliefRanker(m=200, random_state=0),
    "uniform": UniformRanker(),
    "random": RandomRanker(random_state=0),
}
DATASETS = ["linear", "interaction", "redundant", "noise", "mixed", "sparse"]


def quality(data, ranker):
    model = WeightedKNN(k=15, weights=ranker).fit(data.X_train, data.Y_train)
    return evaluate_all(data.Y_test, model.predict_proba(data.X_test))["pooled-auprc"]


values = {}
for name in DATASETS:
    data = load_dataset(f"synthetic-{name}")
    values[name] = {method: quality(data, ranker) for method, ranker in METHODS.items()}
table = pd.DataFrame(values).T
print(friedman_test(table))
ranks = rank_methods(table, direction="higher").mean()
plot_critical_difference(ranks, nemenyi_distance(len(METHODS), len(DATASETS), 0.05))
