"""The best features of a ranking.

Six features of `synthetic-linear` decide its labels. A forest with the Genie3 score finds them.
"""

from mlsieve.data import load_dataset
from mlsieve.plots import plot_ranking
from mlsieve.rankers import PCTForestRanker

data = load_dataset("synthetic-linear")
ranker = PCTForestRanker(n_estimators=50, score="genie3", random_state=0)
ranker.fit(data.X_train, data.Y_train)
plot_ranking(ranker, top=15)
