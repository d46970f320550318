"""Files that a study made: their checksums, and the removal of those that are damaged.

A study marks its folders, and each file that mlsieve writes in a marked folder gets a record beside it: a
hidden file ``.NAME.sha256``, which ``sha256sum -c`` reads too. Its second line, a comment, is the study and
the file's path in its folder. Whoever reads such a file checks it first. A file that is no longer what was
written there is removed, so that the next run of the study makes it again. Nothing without a record is ever
removed, and nothing outside of a study's own folders: a mark is a file that anyone can put anywhere, so it
counts only below ``results`` in the working folder, and in the cache (``MLSIEVE_CACHE``).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from mlsieve.errors import UserError

MARK = ".mlsieve"
_MARK_TEXT = (
    "mlsieve writes the files of this folder. A hidden file next to each one holds its checksum. If a file\n"
    "no longer matches its checksum, mlsieve removes it on reading, and the next run writes it again.\n"
)
_LONGEST_RECORD = 1 << 16  # bytes; a path has 4,096 at most, each of which may be spelled out
_NAME = "name: "  # of the folder when it was made: it may be renamed
_marked: set[Path] = set()  # by this process


def mark_folder(folder: str | os.PathLike[str]) -> None:
    """Declare that mlsieve may remove what it wrote in a folder, or below it, once it is damaged.

    A folder that cannot be written stays without the mark: nothing will be written or removed in it either.
    """
    mark = Path(os.path.abspath(folder)) / MARK
    with contextlib.suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        if not mark.is_file():
            with mark.open("x", encoding="utf-8") as stream:  # which follows no link
                stream.write(f"{_MARK_TEXT}{_NAME}{mark.parent.name}\n")
        _marked.add(mark.parent)


def study_folder_of(path: str | os.PathLike[str]) -> Path | None:
    """Return the marked folder of a study, or of the cache, in which a path lies; None outside of them."""
    place = Path(os.path.abspath(path))
    results = Path(os.path.abspath("results"))
    own = {*_marked, Path(os.path.abspath(os.environ.get("MLSIEVE_CACHE") or results / "cache"))}
    own |= {parent for parent in place.parents if parent.parent == results}
    found = (parent for parent in place.parents if parent in own)
    return next((folder for folder in found if (folder / MARK).is_file()), None)


def require_within(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """Raise a UserError if links lead from a file's path in a folder out of that folder.

    Parameters
    ----------
    path : path-like
        Its last part may be missing, or be a link that leads nowhere.
    folder : path-like
        It may be a link itself.
    """
    place, root = os.path.realpath(path), os.path.realpath(folder)
    if os.path.commonpath([place, root]) != root:
        raise leads_out(path, folder)


def leads_out(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> UserError:
    """Return the error that links lead from a path in a folder out of it."""
    place = os.path.realpath(path)
    return UserError(
        f"a link leads out of {folder}, to {place}, and mlsieve does not write there",
        file=path,
        hint="remove the link; MLSIEVE_CACHE gives the cache another place",
    )


def record_of(path: str | os.PathLike[str]) -> Path:
    """Return the path of the record that belongs to a file, whether it is there or not."""
    path = Path(path)
    return path.with_name(f".{path.name}.sha256")


def record(
    path: str | os.PathLike[str], content: str | os.PathLike[str], folder: str | os.PathLike[str]
) -> None:
    """Write down the checksum of what a file is about to hold, and where the file lies.

    Parameters
    ----------
    path : path-like
        The file's own name.
    content : path-like
        Where its content lies now.
    folder : path-like
        The marked folder in which the file lies.
    """
    final = record_of(path)
    handle, name = tempfile.mkstemp(prefix=f"{final.name}.", suffix=".part", dir=final.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(f"{sha256_of(content)}  {Path(path).name}\n# {_place(path, folder)}\n")
        os.chmod(name, usual_mode())
        os.replace(name, final)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def usual_mode() -> int:
    """Return the permissions that a new file has by this process's umask; a temporary one has fewer."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def require_intact(path: str | os.PathLike[str]) -> None:
    """Make sure that a file is still what mlsieve wrote, as far as its checksum is on record.

    Parameters
    ----------
    path : path-like
        An existing file. One without a record passes.

    Raises
    ------
    UserError
        If the file is not what was written there, such as that of another dataset. One of a study has been
        removed then, and its record with it.
    """
    path = Path(path)
    recorded, folder = _recorded(path), study_folder_of(path)
    while recorded is not None:
        expected, place = recorded
        try:
            with path.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
                read = os.fstat(stream.fileno())
        except FileNotFoundError:
            return
        moved = folder is not None and place not in (None, _place(path, folder))
        if found == expected and not moved:
            return
        replaced = not path.is_file() or not os.path.samestat(read, path.stat())
        latest = _recorded(path)
        if not replaced and latest == recorded:
            raise _removed(path, "its checksum" if found != expected else "the place", folder)
        recorded = latest  # another process has written the file meanwhile


@contextlib.contextmanager
def all_damaged_removed(paths: Iterable[str | os.PathLike[str]]) -> Iterator[None]:
    """Once the body finds a damaged file, remove all of these that are damaged: one more run mends them then.

    Parameters
    ----------
    paths : iterable of path-like
        Files of a study, which may be missing.
    """
    try:
        yield
    except UserError:
        for path in paths:
            with contextlib.suppress(UserError, OSError):
                require_intact(path)
        raise


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
    recorded, folder = _recorded(path), study_folder_of(path)
    if recorded is None or not path.is_file():
        return path.is_file()
    moved = folder is not None and recorded[1] not in (None, _place(path, folder))
    return not moved and recorded[0] == sha256_of(path)


def _removed(path: Path, what: str, folder: Path | None) -> UserError:
    """Remove a file of a study whose checksum or place is not the one on record; return what to say of it."""
    why = f"{what} is not the one on record"
    if folder is not None:
        try:
            path.unlink(missing_ok=True)
            record_of(path).unlink(missing_ok=True)
            return UserError(
                f"was damaged: {what} was not the one on record, so it has been removed",
                file=path,
                hint="run the study again; it then makes a new file",
            )
        except OSError as error:
            why += f"; it cannot be removed ({error.strerror})"
    return UserError(
        f"is damaged: {why}",
        file=path,
        hint="remove it and run the same command again; the study then makes a new one",
    )


def _place(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> str:
    """Return a file's path in a folder, below the name in its mark: in one line, the same on all systems."""
    with open(Path(folder) / MARK, encoding="utf-8", errors="replace") as stream:
        name = stream.read(1 << 12).partition(f"\n{_NAME}")[2].strip()
    place = Path(name, os.path.relpath(path, folder)).as_posix()
    return place.encode("unicode_escape").decode()


def _recorded(path: Path) -> tuple[str, str | None] | None:
    """Return the checksum and the place that are on record; None where there is no record."""
    try:
        handle = os.open(record_of(path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        is_file = stat.S_ISREG(os.fstat(handle).st_mode)  # a pipe or a device may be read without end
        text = os.read(handle, _LONGEST_RECORD).decode("ascii", "replace") if is_file else ""
    finally:
        os.close(handle)
    _, _, place = text.partition("\n# ")
    return text[:64], place.rstrip("\n") or None  # of a damaged record: something that no file agrees with


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes as 64 hex digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
