"""RDT-DCC as a scikit-learn estimator."""

from __future__ import annotations

from mlsieve.chains.estimator import LabelChain, described_by
from mlsieve.chains.rdt import RDTLearner


@described_by(RDTLearner)
class RDTDynamicChain(LabelChain, RDTLearner):
    """Classifier chains collapsed into one ensemble of random decision trees that test features and labels.

    {described}

    Attributes
    ----------
    trees_ : mlsieve.chains.random_trees.RandomTrees
        The ensemble, whose labels are in the order of `label_order_`.
    label_order_ : ndarray of int, shape (L,)
        The labels in a seeded order by content. Of equally certain labels the first in this order is next,
        so that the result does not depend on the order of the labels.
    classes_, n_features_in_, feature_names_in_
        As of `mlsieve.chains.estimator.LabelChain`.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value (in sparse data an explicit NaN), and is followed into
    all branches when predicting. Probabilities are those at the moment when a label is set; with eq. 16 the
    predicted labels are not always those of at least 1/2.

    Sections 4.1 to 4.3 of the paper on dynamic chains; see `mlsieve.chains.random_trees.grow_trees` and
    `mlsieve.chains.label_chains.predicted_sequences`.
    """
