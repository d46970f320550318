"""What the name of a file must be."""

from __future__ import annotations

import os

from mlsieve.errors import UserError


def require_npz(path: str | os.PathLike[str]) -> None:
    """Raise a UserError if an array file is asked for under another ending.

    Parameters
    ----------
    path : path-like
        That is to be written.
    """
    name = os.fspath(path)
    if not name.endswith(".npz"):
        what = "is not the name of an array file"
        raise UserError(what, file=name or "''", hint="give a name that ends in .npz")
