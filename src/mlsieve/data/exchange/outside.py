"""Data that are no file of a folder: the standard input, and datasets of OpenML by their number."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlsieve.data.readers.packed import is_pipe
from mlsieve.errors import DataNotice, UserError, shortened

STANDARD_INPUT = "-"
_OPENML = re.compile(r"openml:(\d{1,9})")
# Endings of formats that their first bytes tell; text needs none.
_BINARY = ((b"PAR1", ".parquet"), (b"ARROW1", ".feather"))


@contextlib.contextmanager
def as_file(
    data: str, cache: str | os.PathLike[str] | None = None
) -> Iterator[tuple[Path, str, list[str] | None]]:
    """Yield a file with the data, the name of the dataset, and the names of its labels if they are known.

    Parameters
    ----------
    data : str
        ``-`` or ``openml:ID``.
    cache : path-like, optional
        Where downloads are kept; default: as scikit-learn does.

    Raises
    ------
    UserError
        If nothing comes, or OpenML has no such dataset or does not answer.
    """
    with tempfile.TemporaryDirectory(prefix="mlsieve-") as folder:
        if data == STANDARD_INPUT:
            path = _standard_input(Path(folder))
            with _shown_as(path, "standard input"):
                yield path, "stdin", None
            return
        found = _OPENML.fullmatch(data)
        if found is None:
            raise UserError(f"'{shortened(data)}' is not a dataset of OpenML", hint="write e.g. openml:40597")
        frame, labels = _from_openml(int(found[1]), cache)
        path = Path(folder) / f"openml-{found[1]}.parquet"
        frame.to_parquet(path, index=False)
        with _shown_as(path, data):
            yield path, path.stem, labels


@contextlib.contextmanager
def _shown_as(path: Path, name: str) -> Iterator[None]:
    """Put a name that the user knows in place of a temporary file's, in what is said of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataNotice)
        try:
            yield
        except UserError as error:
            error.rename(str(path), name)
            raise
    for each in caught:
        if issubclass(each.category, DataNotice):
            warnings.warn(DataNotice(str(each.message).replace(str(path), name)), stacklevel=3)
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


@contextlib.contextmanager
def without_pipe(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path, or a file with the content of a pipe, which can be read once only."""
    path = Path(path)
    if not is_pipe(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="mlsieve-") as folder:
        file = _kept(path.read_bytes(), Path(folder), f"{path} is empty")
        with _shown_as(file, str(path)):
            yield file


def _standard_input(folder: Path) -> Path:
    if sys.stdin is None or sys.stdin.isatty():
        raise UserError(
            "the standard input contains no data", hint="write e.g. cat mydata.csv | mlsieve ... -"
        )
    return _kept(sys.stdin.buffer.read(), folder, "the standard input is empty")


def _kept(content: bytes, folder: Path, what_if_empty: str) -> Path:
    """Write what came through a pipe to a file, and return its path."""
    if not content:
        raise UserError(what_if_empty, hint="check the command that writes to the pipe")
    ending = next((ending for beginning, ending in _BINARY if content.startswith(beginning)), "")
    if not ending and content.lstrip()[:1] in (b"@", b"%"):
        ending = ".arff"
    path = folder / f"stdin{ending}"
    path.write_bytes(content)
    return path


def _from_openml(number: int, cache: str | os.PathLike[str] | None) -> tuple[Any, list[str] | None]:
    """Return a dataset's frame, and its target columns if there are several, or one of two values."""
    import urllib.error

    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of further attempts: an error says all
            found = fetch_openml(data_id=number, as_frame=True, parser="auto", data_home=cache)
    except urllib.error.HTTPError as error:
        raise UserError(
            f"OpenML does not provide dataset {number} (HTTP {error.code})", hint="check its number"
        ) from error
    except (OSError, ValueError) as error:
        raise UserError(
            f"OpenML's dataset {number} cannot be fetched ({shortened(str(error), 200)})",
            hint="check the network, or download its file and give that",
        ) from error
    targets = [name for name in found.target_names or [] if name in found.frame.columns]
    return found.frame, targets if len(targets) > 1 else None
