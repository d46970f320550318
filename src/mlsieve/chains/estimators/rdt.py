"""RDT-DCC as a scikit-learn estimator, with files of fitted chains."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlsieve.chains.estimator import LabelChain, described_by
from mlsieve.chains.orders import label_order
from mlsieve.chains.random_tree_files import read_trees, write_trees
from mlsieve.chains.rdt import ID, RDTLearner
from mlsieve.data.frames import FrameColumns
from mlsieve.data.validation import nominal_mask, nominal_with_frame, seed_from
from mlsieve.files.arrays import complete
from mlsieve.registry import lookup

_KIND = "chain"


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
    facts_ : dict
        Of a chain that was loaded: the facts that `save` was given.
    classes_, n_features_in_, feature_names_in_
        As of `mlsieve.chains.estimator.LabelChain`.

    Notes
    -----
    X may be dense or sparse; NaN is a missing value (in sparse data an explicit NaN), and is followed into
    all branches when predicting. Probabilities are those at the moment when a label is set; with eq. 16 the
    predicted labels are not always those of at least 1/2.

    Sections 4.1 to 4.3 of the paper on dynamic chains; see `mlsieve.chains.random_trees.grow_trees` and
    `mlsieve.chains.label_chains.predicted_sequence`.
    """

    def varied(self, **parameters: Any) -> RDTDynamicChain:
        """Return a fitted chain of the same trees with other parameters of prediction.

        Parameters
        ----------
        **parameters
            Of `PREDICTION`, or `n_jobs`. Another `order` leaves out the labels `given` before.

        Raises
        ------
        InvalidSetting
            On another parameter, which would need new trees, or a value that is not accepted.
        """
        without = {"given": None} if "order" in parameters else {}
        return super().varied(**(without | parameters))

    def save(self, path: str | os.PathLike[str], facts: Mapping[str, Any] | None = None) -> None:
        """Write the fitted chain to an .npz file (no pickles, checksum inside).

        Parameters
        ----------
        path : path-like
        facts : mapping, optional
            Values of JSON that `load` puts into ``facts_``.
        """
        check_is_fitted(self)
        own = {name: getattr(self, name) for name in (*lookup("chain", ID).own_parameters(), "nominal")}
        own = {name: one.item() if isinstance(one, np.generic) else one for name, one in own.items()}
        if self.given is not None:
            own["given"] = label_order("given", self.trees_.prior, given=self.given).tolist()
        names = getattr(self, "feature_names_in_", None)
        nominal, declared = nominal_with_frame(self, self.nominal)
        if nominal is not None:
            own["nominal"] = nominal_mask(nominal, self.n_features_in_, names).tolist()
        header = {
            "method": ID,
            "parameters": {**own, "random_state": self._seed},
            "multi_label": self._multi_label,
            "feature_names": None if names is None else names.tolist(),
            "categories": None if declared is None else self._frame_columns.categories,
            "facts": dict(facts or {}),
        }
        arrays = {
            "label_order": self.label_order_.astype(np.int64),
            "label_digests": self._label_digests,
            "classes": np.asarray(self.classes_.tolist()),
        }
        write_trees(path, _KIND, self.trees_, arrays, header)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RDTDynamicChain:
        """Return the fitted chain that `save` wrote, with its parameters and one thread.

        Parameters
        ----------
        path : path-like

        Raises
        ------
        UserError
            If the file is missing, damaged, or not a chain of random decision trees.
        """
        trees, arrays, header = read_trees(path, _KIND)
        with complete(path, _KIND, "fit it again"):
            if header["method"] != ID:
                raise ValueError(f"it is of the method {header['method']}")
            chain = cls(**header["parameters"])
            chain._check_parameters(ID, without=("given",))
            chain._seed = seed_from(chain.random_state)
            chain.trees_, chain.label_order_ = trees, arrays["label_order"]
            chain.n_features_in_, chain.facts_ = trees.n_features, dict(header["facts"])
            chain.classes_, chain._multi_label = arrays["classes"], bool(header["multi_label"])
            chain._label_digests = arrays["label_digests"]
            if header["feature_names"] is not None:
                chain.feature_names_in_ = np.array(header["feature_names"], dtype=object)
            categories = header.get("categories")
            if categories is not None:
                names = header["feature_names"] or map(str, range(trees.n_features))
                known = tuple(None if values is None else tuple(values) for values in categories)
                chain._frame_columns = FrameColumns(tuple(names), known)
                if not len(chain._frame_columns.names) == len(known) == trees.n_features:
                    raise ValueError("its categories are not those of its features")
            for array in (chain.label_order_, chain._label_digests, chain.classes_):
                if array.shape != (trees.n_labels,):
                    raise ValueError("its labels are not those of its trees")
            if not np.array_equal(np.sort(chain.label_order_), np.arange(trees.n_labels)):
                raise ValueError("its order of the labels leaves one out")
            chain._static_order(trees.prior)
        return chain
