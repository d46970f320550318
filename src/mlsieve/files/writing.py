"""Files that are written whole or not at all, and arrays with a checksum inside.

Every file that mlsieve writes goes through `atomic_path`; every cached array file goes through
`write_arrays` and `read_arrays`, so that a truncated or bit-flipped file is noticed when it is read.
Files of a study have a checksum beside them too, see `mlsieve.files.checksums`.
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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mlsieve.errors import UserError
from mlsieve.files.arrays import HEADER, UNREADABLE, array_from, read_members
from mlsieve.files.checked import require_encodable
from mlsieve.files.checksums import (
    record,
    record_of,
    require_file,
    require_within,
    study_folder_of,
    usual_mode,
)
from mlsieve.files.ownership import keep_what_is_there

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

_MEMBER_TIME = (1980, 1, 1, 0, 0, 0)  # fixed, so that equal arrays give equal bytes
_CHECKSUM = "checksum.txt"


def is_of_study(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is that of an array file of a study, whose rules keep test rows unseen."""
    return Path(path).suffix == ".npz" and study_folder_of(path) is not None


@contextlib.contextmanager
def noted_files() -> Iterator[list[Path]]:
    """Yield a list of the files that `atomic_path` makes meanwhile, in order."""
    _noted.append([])
    try:
        yield _noted[-1]
    finally:
        _noted.pop()


_noted: list[list[Path]] = []
_unfinished: set[str] = set()


def remove_unfinished() -> None:
    """Remove what `atomic_path` has begun to write in this process, which is about to end at once."""
    for name in list(_unfinished):
        with contextlib.suppress(OSError):
            os.unlink(name)


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` on success, remove it on failure.

    Parameters
    ----------
    path : path-like
        The final name. Missing parent folders are made. In a study's folders the checksum of the file goes on
        record, and what killed writers of the same file have left behind is removed.

    Raises
    ------
    UserError
        If the folder cannot be written or the disk is full.
    """
    final = Path(path)
    if final.exists() and not final.is_file():
        with _through(final) as content:
            yield content
        return
    folder = study_folder_of(final)
    if folder is not None:
        require_within(final.parent, folder)  # and a link is replaced by a file
    elif final.is_symlink():  # it stays, and what it leads to is written
        final = Path(os.path.realpath(final))
        if not final.is_file():
            raise UserError("is a link that leads nowhere", file=path, hint="remove it")
    temporary: Path | None = None
    name, handle = "", None
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        if folder is not None:
            _remove_leftovers(final)
        handle, name = tempfile.mkstemp(prefix=f".{final.name}.", suffix=".part", dir=final.parent)
        temporary = Path(name)
        _unfinished.add(name)
        _lock(handle)
        yield temporary
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        os.chmod(temporary, usual_mode())
        if folder is not None:
            record(final, temporary, folder)
        else:
            keep_what_is_there(final, temporary)
        os.replace(temporary, final)
        temporary = None
        for files in _noted:
            files.append(Path(path))
    except OSError as error:
        raise UserError(
            f"cannot be written: {error.strerror or error}",
            file=final,
            hint="free some disk space" if error.errno == errno.ENOSPC else "choose another place",
        ) from error
    finally:
        _unfinished.discard(name)
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if handle is not None:
            os.close(handle)  # gives the lock back


@contextlib.contextmanager
def _through(device: Path) -> Iterator[Path]:
    """Yield a temporary path whose content then goes to a device or a pipe, such as /dev/stdout."""
    if device.is_dir():
        raise UserError("is a folder", file=device, hint="give the path of a file")
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder) / "content"
        yield temporary
        try:
            device.write_bytes(temporary.read_bytes())
        except OSError as error:
            problem = f"cannot be written: {error.strerror or error}"
            raise UserError(problem, file=device, hint="choose another place") from error


def _lock(handle: int) -> bool:
    """Lock an open file, for as long as this process lives; False if another process has it, or none can."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):  # some network file systems have no locks
        return False
    return True


def _remove_leftovers(final: Path) -> None:
    """Remove temporary files of a file's killed writers: those that no living process has locked."""
    for name in os.listdir(final.parent):
        of_file = name.startswith(f".{final.name}.") and name.endswith(".part")
        if not of_file or name.startswith(record_of(final).name):  # a record is written without a lock
            continue
        with contextlib.suppress(OSError):
            handle = os.open(final.parent / name, os.O_RDWR)
            try:
                if _lock(handle):
                    os.unlink(final.parent / name)
            finally:
                os.close(handle)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` (UTF-8) to `path`, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def record_file(path: str | os.PathLike[str]) -> Path:
    """Return the file that says what another one was made of, for its owner to read: ``ranking.csv.json``."""
    path = Path(path)
    return path.with_name(f"{path.name}.json")


def write_json(path: str | os.PathLike[str], content: Any) -> None:
    """Write `content` to `path` as indented JSON, whole or not at all."""
    write_text(path, json_text(content))


def json_text(content: Any) -> str:
    """Return `content` as indented JSON."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


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
        What the file holds ("dataset", "ensemble", "predictions", ...); `read_arrays` insists on it.
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
    members[HEADER] = json.dumps(header, sort_keys=True, ensure_ascii=False).encode()
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
        The JSON header; ``meta["kind"]`` names the kind of file.

    Raises
    ------
    UserError
        If the file is missing, damaged, or of another kind. A damaged file of a study has been removed.
    """
    path = require_file(path)
    try:
        members = read_members(path)
        checksum = members.pop(_CHECKSUM).decode()
        if checksum != _digest(members):
            raise ValueError("checksum mismatch")
        meta = json.loads(members.pop(HEADER))
        if not isinstance(meta, dict):
            raise ValueError("its header is not a mapping")
        # Each member's bytes go when its array is made: no more than one is there twice.
        arrays = {name.removesuffix(".npy"): array_from(members.pop(name)) for name in list(members)}
        require_encodable(arrays.values(), meta)
    except UNREADABLE as error:
        raise UserError(
            f"is not a readable mlsieve file ({error})",
            file=path,
            hint="give a file that mlsieve wrote; if it is one, make it again",
        ) from error
    if kind is not None and meta.get("kind") != kind:
        raise UserError(
            f"holds {meta.get('kind')!r}, not {kind!r}", file=path, hint=f"give a file of kind {kind!r}"
        )
    return arrays, meta
