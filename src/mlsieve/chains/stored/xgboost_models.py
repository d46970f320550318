"""Trees of XGBoost as JSON in files: what is not known and checked is not passed on to its reader."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlsieve.chains.classifiers import xgboost
from mlsieve.errors import InvalidSetting
from mlsieve.files.arrays import require_starts

_OBJECTIVES = {
    "binary:logistic": ("reg_loss_param", "scale_pos_weight"),
    "multi:softprob": ("softmax_multiclass_param", "num_class"),
}
_NUMBERS = ("base_weights", "loss_changes", "split_conditions", "sum_hessian")
_EMPTY = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
_NO_PARENT = 2**31 - 1


def state_of_boosters(boosters: Sequence[Any]) -> dict[str, np.ndarray]:
    """Return the arrays by which a file holds models of XGBoost: ``Booster`` or ``XGBClassifier``.

    Raises
    ------
    InvalidSetting
        If this XGBoost writes them in a form that is not known.
    """
    texts = []
    for one in boosters:
        booster = one.get_booster() if hasattr(one, "get_booster") else one
        text = bytes(booster.save_raw("json"))
        try:
            _checked(json.loads(text), booster.num_features(), None)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise InvalidSetting(
                f"XGBoost {xgboost().__version__} writes its models in an unknown form ({error})",
                hint="install XGBoost 3, or choose another base",
            ) from error
        texts.append(text)
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return {"xgboost": np.frombuffer(b"".join(texts), np.uint8), "xgboost_start": starts}


def boosters_from(
    arrays: Mapping[str, np.ndarray], widths: Sequence[int], n_classes: int, *, alone: bool
) -> list[Any]:
    """Return the models of which `state_of_boosters` made arrays.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    widths : sequence of int
        The number of columns that each model sees.
    n_classes : int
    alone : bool
        Whether each is a ``Booster``, in place of an ``XGBClassifier``.

    Raises
    ------
    ValueError, KeyError, TypeError
        If a model is not of the known form, or leads to where there is nothing.
    MissingPackage
        If XGBoost is not installed.
    """
    library = xgboost()
    data, starts = arrays["xgboost"], arrays["xgboost_start"]
    if data.ndim != 1 or data.dtype != np.uint8:
        raise ValueError("its models of XGBoost are no text")
    require_starts(starts, len(widths), len(data))
    found = []
    for first, last, width in zip(starts[:-1].tolist(), starts[1:].tolist(), widths, strict=True):
        model = _checked(json.loads(data[first:last].tobytes()), width, n_classes)
        content = bytearray(json.dumps(model).encode())
        if alone:
            booster = library.Booster(model_file=content)
            booster.set_param({"nthread": 1})
        else:
            booster = library.XGBClassifier(n_jobs=1)
            booster.load_model(content)
        found.append(booster)
    return found


def _checked(model: Any, width: int, n_classes: int | None) -> dict[str, Any]:
    """Return a model with the known keys alone, after checking all of them; None: any number of classes."""
    learner = model["learner"]
    boosted, of_model = learner["gradient_booster"], learner["learner_model_param"]
    objective = learner["objective"]["name"]
    group, key = _OBJECTIVES[objective]
    n_groups = 1 if objective == "binary:logistic" else _whole(of_model["num_class"])
    classes = 2 if objective == "binary:logistic" else n_groups
    if _whole(of_model["num_feature"]) != width or (n_classes is not None and classes != n_classes):
        raise ValueError("a model of XGBoost does not fit its columns or classes")
    if of_model["num_target"] != "1" or boosted["name"] != "gbtree" or not 0 < n_groups < 2**24:
        raise ValueError("a model of XGBoost is of an unknown kind")
    base = [_finite(float(part)) for part in str(of_model["base_score"]).strip("[]").split(",")]
    if len(base) not in (1, n_groups) or (n_groups == 1 and not 0 < base[0] < 1):
        raise ValueError("a model of XGBoost does not begin where it can")
    trees, info, rounds = (boosted["model"][name] for name in ("trees", "tree_info", "iteration_indptr"))
    require_starts(np.array(rounds, np.int64), len(rounds) - 1, len(trees))
    if len(info) != len(trees) or any(type(one) is not int or not 0 <= one < n_groups for one in info):
        raise ValueError("trees of XGBoost are those of no class")
    scale = objective == "binary:logistic"
    return {
        "version": [*map(_natural, model["version"])],
        "learner": {
            "attributes": {},
            "feature_names": [],
            "feature_types": [],
            "learner_model_param": {
                "base_score": str(of_model["base_score"]),
                "boost_from_average": "1",
                "num_class": "0" if scale else str(n_groups),
                "num_feature": str(width),
                "num_target": "1",
            },
            "objective": {"name": objective, group: {key: "1" if scale else str(n_groups)}},
            "gradient_booster": {
                "name": "gbtree",
                "model": {
                    "cats": {"enc": [], "feature_segments": [], "sorted_idx": []},
                    "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
                    "iteration_indptr": rounds,
                    "tree_info": info,
                    "trees": [_tree(number, tree, width) for number, tree in enumerate(trees)],
                },
            },
        },
    }


def _tree(number: int, tree: Mapping[str, Any], width: int) -> dict[str, Any]:
    n = _whole(tree["tree_param"]["num_nodes"])
    if not 0 < n < 2**31 or _whole(tree["tree_param"]["num_deleted"]) or tree["id"] != number:
        raise ValueError("a tree of XGBoost has an unknown form")
    numbers = {name: np.array(tree[name], np.float64) for name in _NUMBERS}
    names = ("left_children", "right_children", "parents", "split_indices", "default_left", "split_type")
    whole = {name: np.array(tree[name]) for name in names}
    if any(array.shape != (n,) for array in (*numbers.values(), *whole.values())):
        raise ValueError("the nodes of a tree of XGBoost are not alike")
    if any(array.dtype.kind not in "iu" for array in whole.values()) or any(tree[name] for name in _EMPTY):
        raise ValueError("a tree of XGBoost has an unknown form")
    if not all(np.isfinite(array).all() for array in numbers.values()):
        raise ValueError("the numbers of a tree of XGBoost are not finite")
    left, right, place = whole["left_children"], whole["right_children"], np.arange(n)
    inner = left != -1
    children = np.concatenate([left[inner], right[inner]])
    above = np.concatenate([place[inner], place[inner]])
    if (children <= above).any() or (children >= n).any() or (right[~inner] != -1).any():
        raise ValueError("a node of a tree of XGBoost does not lead down the tree")
    parents = np.full(n, _NO_PARENT)
    parents[children] = above
    if not np.array_equal(np.sort(children), place[1:]) or not np.array_equal(parents, whole["parents"]):
        raise ValueError("a node of a tree of XGBoost is not the child of one other")
    limits = {"split_indices": width - 1, "default_left": 1, "split_type": 0}
    if any((whole[name] < 0).any() or (whole[name] > most).any() for name, most in limits.items()):
        raise ValueError("a tree of XGBoost tests what there is not")
    return {
        **{name: array.tolist() for name, array in {**numbers, **whole}.items()},
        **{name: [] for name in _EMPTY},
        "id": number,
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(width),
            "num_nodes": str(n),
            "size_leaf_vector": "1",
        },
    }


def _whole(text: Any) -> int:
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 15:
        raise ValueError("a count of XGBoost is none")
    return int(text)


def _natural(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 2**31:
        raise ValueError("a count of XGBoost is none")
    return number


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError("a number of XGBoost is not finite")
    return number
