"""Classifiers of one's own in files, by skops: objects of scikit-learn, NumPy and SciPy, and no code."""

from __future__ import annotations

import importlib
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.tree._tree import Tree

from mlsieve.chains.estimators.forest_files import require_walkable
from mlsieve.errors import InvalidSetting, UserError, shortened
from mlsieve.files.budget import memory

_ROOTS = ("builtins", "numpy", "scipy", "sklearn")
# How skops writes objects that it makes without a call of what the file names, and fills with data.
_OBJECTS = ("ObjectNode", "TreeNode", "DictNode")


def packed(base: Any, classifiers: Sequence[Any]) -> np.ndarray:
    """Return a classifier, and those fitted as it is, as bytes: ndarray of uint8.

    Raises
    ------
    InvalidSetting
        If they hold objects of other packages, or such that skops does not write.
    """
    from skops.io import dumps
    from skops.io.exceptions import UnsupportedTypeException

    try:
        data = dumps({"base": base, "classifiers": [*classifiers]})
    except UnsupportedTypeException as error:
        raise InvalidSetting(
            f"base = {shortened(repr(base))} cannot be written to a file ({shortened(str(error), 200)})",
            hint="choose another classifier",
        ) from error
    _trusted(data)
    return np.frombuffer(data, np.uint8)


def unpacked(data: np.ndarray, widths: Sequence[int], n_classes: int) -> tuple[Any, list[Any]]:
    """Return the classifiers of which `packed` made bytes.

    Raises
    ------
    ValueError
        If something is missing or of another kind, is of other packages, or the nodes of a tree lead to where
        there is nothing.
    """
    try:
        return _unpacked(data, widths, n_classes)
    except UserError:
        raise
    except Exception as error:  # of skops, or of the objects that it builds
        raise ValueError(str(error) or type(error).__name__) from error


def _unpacked(data: np.ndarray, widths: Sequence[int], n_classes: int) -> tuple[Any, list[Any]]:
    from skops.io import loads

    if data.ndim != 1 or data.dtype != np.uint8:
        raise ValueError("its classifiers are no bytes")
    content = data.tobytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
    if any(one.compress_type != zipfile.ZIP_STORED or one.file_size != one.compress_size for one in members):
        raise ValueError("its classifiers are packed")
    if sum(one.file_size for one in members) > min(len(content), memory() // 2):
        raise ValueError("its classifiers are larger than they can be")
    found = loads(content, trusted=_trusted(content))
    classifiers = found["classifiers"]
    if not isinstance(classifiers, list) or len(classifiers) != len(widths):
        raise ValueError("its classifiers do not fit its labels")
    for one, width in zip(classifiers, widths, strict=True):
        classes = np.asarray(one.classes_)
        if (
            one.n_features_in_ != width
            or classes.ndim != 1
            or not np.isin(classes, np.arange(n_classes)).all()
        ):
            raise ValueError("a classifier does not fit its columns or classes")
        for tree in _trees_in(one, set()):
            state = tree.__getstate__()["nodes"]
            require_walkable(state["left_child"], state["right_child"], state["feature"], tree.n_features)
            if tree.n_features > width:
                raise ValueError("a tree tests what there is not")
    return found["base"], classifiers


def _trusted(data: bytes) -> list[str]:
    """Return the types in what skops has written that it does not know, all of them classes of scikit-learn.

    Raises
    ------
    InvalidSetting
        If there are others, which it names.
    """
    from skops.io import get_untrusted_types

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        schema = json.loads(archive.read("schema.json"))
    loaders: dict[str, set[str]] = {}
    for each in _objects(schema):
        loaders.setdefault(f"{each['__module__']}.{each['__class__']}", set()).add(str(each["__loader__"]))
    unknown = get_untrusted_types(data=data)
    foreign = [name for name in loaders if name.partition(".")[0] not in _ROOTS]
    foreign += [name for name in unknown if not _is_data(name, loaders.get(name, set()))]
    if foreign:
        raise InvalidSetting(
            f"its classifiers hold {', '.join(map(shortened, sorted({*foreign})))}, and a model's file holds"
            " no functions, and objects of scikit-learn, NumPy and SciPy alone",
            hint="fit it each time, or choose another classifier",
        )
    return list(unknown)


def _is_data(name: str, loaders: set[str]) -> bool:
    """Whether a name is that of a class of scikit-learn, of which skops makes objects that hold data."""
    module, _, own = name.rpartition(".")
    if not loaders or not loaders <= {*_OBJECTS} or module.partition(".")[0] != "sklearn":
        return False
    found = getattr(importlib.import_module(module), own, None)
    if not isinstance(found, type) or found.__module__ != module:  # what a module imports is not its own
        return False
    return "DictNode" not in loaders or issubclass(found, dict)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
            if "__loader__" in one:
                yield one
        elif isinstance(one, list):
            waiting.extend(one)


def _trees_in(value: Any, seen: set[int]) -> Iterator[Tree]:
    """Yield the trees of scikit-learn within an object."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Tree):
            yield one
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list | tuple | set):
            waiting.extend(one)
        elif isinstance(one, np.ndarray):
            waiting.extend(one.ravel().tolist() if one.dtype == object else ())
        elif hasattr(one, "__dict__") and not isinstance(one, type):
            waiting.extend(vars(one).values())
