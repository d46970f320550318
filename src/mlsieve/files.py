"""Files that are written whole or not at all, and arrays with a checksum inside.

Every file that mlsieve writes goes through `atomic_path`; every cached array file goes through
`write_arrays` and `read_arrays`, so that a truncated or bit-flipped file is noticed when it is read.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mlsieve.errors import UserError

_MEMBER_TIME = (1980, 1, 1, 0, 0, 0)  # fixed, so that equal arrays give equal bytes
_META, _CHECKSUM = "meta.json", "checksum.txt"


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` on success, remove it on failure.

    Parameters
    ----------
    path : path-like
        The final name. Missing parent folders are made.

    Raises
    ------
    UserError
        If the folder cannot be written or the disk is full.
    """
    final = Path(path)
    temporary: Path | None = None
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{final.name}.", suffix=".part", dir=final.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, final)
        temporary = None
    except OSError as error:
        raise UserError(
            f"cannot be written: {error.strerror or error}",
            file=final,
            cure="free some disk space" if error.errno == errno.ENOSPC else "choose another place",
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` (UTF-8) to `path`, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _digest(members: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(members):
        digest.update(f"{name}\0{len(members[name])}\0".encode())
        digest.update(members[name])
    return digest.hexdigest()


def write_arrays(
    path: str | os.PathLike[str],
    kind: str,
    arrays: Mapping[str, np.ndarray],
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write named arrays and a JSON header to an .npz file that holds its own checksum.

    Parameters
    ----------
    path : path-like
        Target, conventionally ``*.npz``; numpy.load can read it too.
    kind : str
        What the file holds ("dataset", "ensemble", "votes", ...); `read_arrays` insists on it.
    arrays : mapping of str to ndarray
        No object arrays: nothing is ever pickled. Text goes in as fixed-width unicode.
    meta : mapping, optional
        JSON-serialisable facts.

    Notes
    -----
    Equal content gives equal bytes: member times are fixed and members are sorted by name.
    """
    members: dict[str, bytes] = {}
    for name, array in arrays.items():
        array = np.asarray(array)
        if array.dtype.hasobject:
            raise TypeError(f"array {name!r} holds Python objects; only plain dtypes are written")
        buffer = io.BytesIO()
        np.lib.format.write_array(
            buffer, np.ascontiguousarray(array) if array.ndim else array, allow_pickle=False
        )
        members[f"{name}.npy"] = buffer.getvalue()
    header = {"kind": kind, "format": 1, **(meta or {})}
    members[_META] = json.dumps(header, sort_keys=True, ensure_ascii=False).encode()
    checksum = _digest(members)
    with (
        atomic_path(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive,
    ):
        for name in sorted(members):
            archive.writestr(_member(name), members[name])
        archive.writestr(_member(_CHECKSUM), checksum)


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _MEMBER_TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def read_arrays(
    path: str | os.PathLike[str], kind: str | None = None
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what `write_arrays` wrote, after checking its checksum.

    Parameters
    ----------
    path : path-like
        An .npz file.
    kind : str, optional
        What the file must hold; None accepts any kind.

    Returns
    -------
    arrays : dict of str to ndarray
    meta : dict
        The JSON header; ``meta["kind"]`` tells what the file is.

    Raises
    ------
    UserError
        If the file is missing, damaged, or of another kind.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError("no such file", file=path, cure="check the path")
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        checksum = members.pop(_CHECKSUM).decode()
        if checksum != _digest(members):
            raise ValueError("checksum mismatch")
        meta = json.loads(members.pop(_META))
        arrays = {
            name.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
            for name, data in members.items()
        }
    except (
        OSError,
        KeyError,
        ValueError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise UserError(
            f"is not a readable mlsieve file ({error})",
            file=path,
            cure="remove it and make it again (a study makes it anew by itself once it is gone)",
        ) from error
    if kind is not None and meta.get("kind") != kind:
        raise UserError(
            f"holds {meta.get('kind')!r}, not {kind!r}", file=path, cure=f"give a file of kind {kind!r}"
        )
    return arrays, meta


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes as 64 hex digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
