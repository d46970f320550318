"""A ranking for classes of a hierarchy.

The labels of `digits-hmlc` are classes of a tree. Classes near the root weigh more in the forest's tests.
The picture shows the importance of each of the 8 x 8 pixels.
"""

import matplotlib.pyplot as plt

from mlsieve.data import load_dataset
from mlsieve.rankers import PCTForestRanker

data = load_dataset("digits-hmlc")
figure, panels = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained")
for ax, hierarchy in zip(panels, (data.hierarchy, None), strict=True):
    ranker = PCTForestRanker(n_estimators=50, hierarchy=hierarchy, random_state=0)
    ranker.fit(data.X_train, data.Y_train)
    ax.imshow(ranker.feature_importances_.reshape(8, 8), cmap="viridis")
    ax.set_title("classes of a hierarchy" if hierarchy is not None else "flat labels")
    ax.set_axis_off()
