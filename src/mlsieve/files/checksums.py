"""Files that a study made: their checksums, and the removal of those that are damaged.

A study marks its folders, and each file that mlsieve writes in a marked folder gets a record beside it: a
hidden file ``.NAME.sha256``, which ``sha256sum -c`` reads too. Whoever reads such a file checks it first.
A file that is no longer what was written is removed, so that the next run of the study makes it again.
Nothing without a record is ever removed: a user's own file has none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from mlsieve.errors import UserError


def record_of(path: str | os.PathLike[str]) -> Path:
    """Return the path of the record that belongs to a file, whether it is there or not."""
    path = Path(path)
    return path.with_name(f".{path.name}.sha256")


def record(path: str | os.PathLike[str], content: str | os.PathLike[str]) -> None:
    """Write down the checksum of what a file is about to hold.

    Parameters
    ----------
    path : path-like
        The file's own name.
    content : path-like
        Where its content lies now.
    """
    final = record_of(path)
    handle, name = tempfile.mkstemp(prefix=f"{final.name}.", suffix=".part", dir=final.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(f"{sha256_of(content)}  {Path(path).name}\n")
        os.chmod(name, 0o644)
        os.replace(name, final)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def require_intact(path: str | os.PathLike[str]) -> None:
    """Make sure that a file is still what mlsieve wrote, as far as its checksum is on record.

    Parameters
    ----------
    path : path-like
        An existing file. One without a record passes.

    Raises
    ------
    UserError
        If the file is not what was written. It has been removed then, and its record with it.
    """
    path = Path(path)
    expected = _recorded(path)
    while expected is not None:
        try:
            with path.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
                read = os.fstat(stream.fileno())
        except FileNotFoundError:
            return
        if found == expected:
            return
        replaced = not path.is_file() or not os.path.samestat(read, path.stat())
        latest = _recorded(path)
        if not replaced and latest == expected:
            raise _removed(path)
        expected = latest  # another process has written the file meanwhile


def require_file(path: str | os.PathLike[str], hint: str = "check the path") -> Path:
    """Return the path of a file that exists and is intact (see `require_intact`).

    Raises
    ------
    UserError
        Otherwise; the hint is about a file that does not exist.
    """
    path = Path(path)
    if path.is_dir():
        raise UserError("is a folder", file=path, hint="give the path of a file")
    if not path.is_file():
        if path.exists():
            raise UserError("is no ordinary file", file=path, hint="write its content to a file first")
        raise UserError("no such file", file=path, hint=hint)
    require_intact(path)
    return path


def withdraw(path: str | os.PathLike[str]) -> None:
    """Remove a file that mlsieve has on record, because its content no longer holds."""
    if _recorded(Path(path)) is not None:
        with contextlib.suppress(OSError):
            Path(path).unlink(missing_ok=True)
            record_of(path).unlink(missing_ok=True)


def is_intact(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is there and agrees with its record, if it has one; nothing is removed."""
    path = Path(path)
    return path.is_file() and _recorded(path) in (None, sha256_of(path))


def _removed(path: Path) -> UserError:
    try:
        path.unlink(missing_ok=True)
        record_of(path).unlink(missing_ok=True)
    except OSError as error:
        return UserError(
            f"is damaged: its checksum is not the one on record; it cannot be removed ({error.strerror})",
            file=path,
            hint="remove it and run the same command again; the study then makes a new one",
        )
    return UserError(
        "was damaged: its checksum was not the one on record, so it has been removed",
        file=path,
        hint="run the study again; it then makes a new file",
    )


def _recorded(path: Path) -> str | None:
    try:
        text = record_of(path).read_bytes().decode("ascii", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    return text[:64]  # of a damaged record: something that no file agrees with


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes as 64 hex digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
