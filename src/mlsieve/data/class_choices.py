"""What is chosen about a hierarchy of classes: which classes stay, and what becomes of rows without any."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlsieve.data.dataset import Dataset
from mlsieve.data.readers.clus import BETWEEN_CLASSES, HIERARCHY_TYPES
from mlsieve.data.readers.edge_list import above_labels
from mlsieve.errors import DataNotice, UserError, did_you_mean, number_of
from mlsieve.hierarchy import Hierarchy

CLASSES = ("declared", "used")
WITHOUT_CLASS = ("keep", "drop")
# The hint of a method that takes no hierarchy.
FLATTEN = "take its classes as flat labels (--flatten; in a study and in Python: flatten)"


@dataclass(frozen=True)
class ClassChoices:
    """How the classes of hierarchical data are taken; None means the default.

    Attributes
    ----------
    hierarchy_type : {"tree", "dag"} or None
        What a CLUS file declares; default: recognised from the file, see `mlsieve.data.readers.clus`.
    class_separator : str or None
        Separates the parts of a path, or parent and child, in a CLUS file; default ``/``.
    classes : {"declared", "used"} or None
        declared (default): all classes of the file's header, as CLUS and the published counts have it; with
        an edge list, the data's labels and all classes above them. used: those that a row of the dataset,
        of the training or of the test part, belongs to.
    without_class : {"keep", "drop"} or None
        keep (default): an example without a class is a row of zeros that counts like any other. drop: such
        rows, and those whose classes are unknown (``?``), are left out, as CLUS does when it grows trees; in
        its error measures both count as examples without a class.
    flatten : bool or None
        Whether the classes that are left, those above others too, become flat labels: for methods that take
        no hierarchy.

    Raises
    ------
    UserError
        For another value.
    """

    hierarchy_type: str | None = None
    class_separator: str | None = None
    classes: str | None = None
    without_class: str | None = None
    flatten: bool | None = None

    def __post_init__(self) -> None:
        known = {"hierarchy_type": HIERARCHY_TYPES, "classes": CLASSES, "without_class": WITHOUT_CLASS}
        for name, values in known.items():
            value = getattr(self, name)
            if value is not None and value not in values:
                raise UserError(f"{name} is {value!r}", hint=did_you_mean(str(value), values))
        if not isinstance(self.flatten, bool | None):
            raise UserError(f"flatten is {self.flatten!r}", hint="write true or false")
        separator = self.class_separator
        if separator is not None and (not separator or {BETWEEN_CLASSES, ","} & set(separator)):
            raise UserError(
                f"class_separator must be a text without @ and comma, got {separator!r}",
                hint="give what separates the parts of a class, such as /",
            )

    @property
    def given(self) -> dict[str, str | bool]:
        """What is not left to the default, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, False)}


CHOICES = tuple(field.name for field in fields(ClassChoices))


def choices_from(mapping: Mapping[str, Any]) -> ClassChoices:
    """Return the choices among a mapping's keys."""
    return ClassChoices(**{name: mapping[name] for name in CHOICES if mapping.get(name) is not None})


def with_hierarchy(dataset: Dataset, hierarchy: Hierarchy) -> Dataset:
    """Return a flat dataset as a hierarchical one: its labels, all classes above them, closed upwards.

    Parameters
    ----------
    dataset : Dataset
    hierarchy : Hierarchy
        Labels that are none of its classes become top-level; classes of it that are neither labels nor above
        one are left out.
    """
    if dataset.hierarchy is not None:
        raise UserError(
            f"dataset '{dataset.name}' has a hierarchy of its own", hint="leave the other one out"
        )
    whole = above_labels(hierarchy, dataset.label_names)
    shape = (dataset.Y.shape[0], whole.n_classes)
    direct = sp.csr_array((dataset.Y.data, dataset.Y.indices, dataset.Y.indptr), shape=shape)
    closed = whole.close(direct)
    given = closed[:, : dataset.Y.shape[1]]
    completed = int((np.diff(given.indptr) > np.diff(dataset.Y.indptr)).sum())
    if completed:
        what = f"{number_of(completed, 'row')} with a label but not the one above it: it was added"
        warnings.warn(DataNotice(what, file=dataset.name), stacklevel=3)
    return replace(dataset, Y=closed, label_names=whole.names, task="hmlc", hierarchy=whole)


def with_choices(dataset: Dataset, choices: ClassChoices) -> Dataset:
    """Return the dataset with the classes and rows chosen.

    Raises
    ------
    UserError
        If there is no hierarchy to choose from, or no row or class would be left.
    """
    if dataset.hierarchy is None:
        if choices.given:
            names, several = " and ".join(choices.given), len(choices.given) > 1
            raise UserError(
                f"{names} {'apply' if several else 'applies'} to classes in a hierarchy only, and dataset"
                f" '{dataset.name}' has none",
                hint=f"leave {'them' if several else 'it'} out, or give a hierarchy",
            )
        return dataset
    hierarchy = dataset.hierarchy
    if choices.without_class == "drop":
        dataset = _rows(dataset, np.diff(dataset.Y.indptr) > 0)
    if choices.classes == "used":
        used = np.bincount(dataset.Y.indices, minlength=dataset.Y.shape[1]) > 0
        if not used.any():
            raise UserError(f"no row of dataset '{dataset.name}' has a class", hint="check the data")
        hierarchy = hierarchy.restricted_to(used)
        Y = sp.csr_array(dataset.Y[:, np.flatnonzero(used)])
        dataset = replace(dataset, Y=Y, label_names=hierarchy.names, hierarchy=hierarchy)
    return dataset.flattened() if choices.flatten else dataset


def _rows(dataset: Dataset, keep: np.ndarray) -> Dataset:
    if keep.all():
        return dataset
    if not (keep & dataset.train_mask).any():
        raise UserError(
            f"no training row of dataset '{dataset.name}' has a class",
            hint="check the data, or keep rows without a class (--without-class keep)",
        )
    rows = np.flatnonzero(keep)
    facts = dataset.facts | {"rows_without_class_dropped": int(len(keep) - len(rows))}
    return replace(dataset.with_rows(rows), facts=facts)
