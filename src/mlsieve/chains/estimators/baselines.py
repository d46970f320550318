"""The baselines as scikit-learn estimators: binary relevance, classifier chains, label power set."""

from __future__ import annotations

from mlsieve.chains.baselines import BinaryRelevanceLearner, ClassifierChainLearner, LabelPowersetLearner
from mlsieve.chains.estimator import LabelChain, described_by


@described_by(BinaryRelevanceLearner)
class BinaryRelevance(LabelChain, BinaryRelevanceLearner):
    """Binary relevance: a classifier for each label, which knows nothing of the others.

    {described}

    Attributes
    ----------
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    """


@described_by(ClassifierChainLearner)
class ClassifierChain(LabelChain, ClassifierChainLearner):
    """Classifier chain: the classifier of each label also sees the labels before it in one static order.

    {described}

    Attributes
    ----------
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    order_ : ndarray of int64, shape (L,)
        The label that each step sets.
    """


@described_by(LabelPowersetLearner)
class LabelPowerset(LabelChain, LabelPowersetLearner):
    """Label power set: one classifier whose classes are the label sets of the training part.

    {described}

    Attributes
    ----------
    classes_ : ndarray
        Classes of a single column, or 0 .. L - 1 for several labels.
    label_sets_ : ndarray of bool, shape (sets, L)
        The training part's distinct label sets, in the order in which they first occur.
    """
