"""Whether a user's own data set says which of its attributes are labels, told before any job starts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from mlsieve.errors import UserError

_CURE = "give labels: FILE.xml (Mulan) or label_count: N (the first N attributes; negative: the last)"


def label_error(item: Mapping[str, Any], file_format: str | None = None) -> str | None:
    """Return what is wrong with what an entry says of its labels, with the cure; None if nothing is.

    Parameters
    ----------
    item : mapping
        The entry in its short form: format, train or all, labels, label_count, ...
    file_format : str, optional
        Its format where the entry itself has none.

    Notes
    -----
    An ARFF file may tell the number itself, by MEKA's ``-C`` in its relation's name: its first lines are
    read for it. Where they do not decide, nothing is said here.
    """
    from mlsieve.data.arff import read_relation
    from mlsieve.data.labels import meka_label_count
    from mlsieve.data.loading import told_format

    if item.get("labels") is not None and item.get("label_count") is not None:
        return "both labels and label_count are given; give one of them"
    if item.get("labels") is not None or item.get("label_count") is not None:
        return None
    path = item.get("train") or item.get("all")
    if not isinstance(path, str):
        return None
    file_format = item.get("format") or file_format or told_format(path)
    unknown = f"{path} does not say which attributes are labels; {_CURE}"
    if file_format == "csv":
        return unknown
    if not os.path.isfile(path):
        return None  # told with all other missing files
    try:
        relation = read_relation(path)
    except UserError as error:
        return str(error)
    if relation is None or meka_label_count(relation, sure=file_format == "meka") is not None:
        return None
    return unknown
