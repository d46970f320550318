"""Get the files of a catalog's dataset: from a mirror, the cache, or their public sources.

A file whose checksum is wrong is an error wherever it comes from; a file that nobody has is `Unavailable`,
which a workflow turns into a row of skipped.csv.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from mlsieve.data.catalog import DatasetEntry
from mlsieve.data.public.download import LONGEST_TRY_SECONDS, NotHad, WrongSource, fetch
from mlsieve.data.public.sources import DataFile, Source, lines_of
from mlsieve.data.readers.packed import PACKED_SUFFIXES, Unreadable, read_bytes
from mlsieve.errors import UserError
from mlsieve.files.writing import atomic_path
from mlsieve.progress import stage

ATTEMPTS = 3
TIMEOUT_SECONDS = 30.0
BACK_OFF_SECONDS = 1.0


class Unavailable(UserError):
    """A dataset's file is in no mirror and no cache and cannot be downloaded.

    Attributes
    ----------
    reason : str
        What a row of skipped.csv says.
    """

    def __init__(
        self, reason: str, *, hint: str = "give a mirror (MLSIEVE_MIRROR) that has it, or leave the set out"
    ) -> None:
        self.reason = reason
        super().__init__(reason, hint=hint)


def mirror_folder(mirror: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the mirror in use: $MLSIEVE_MIRROR, else the argument, else None.

    Raises
    ------
    UserError
        If it is not a folder.
    """
    chosen = os.environ.get("MLSIEVE_MIRROR") or mirror
    if not chosen:
        return None
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        raise UserError(
            "the mirror is not a folder",
            file=folder,
            hint="correct MLSIEVE_MIRROR or 'mirror' in the configuration",
        )
    return folder


def cache_folder(cache: str | os.PathLike[str] | None = None) -> Path:
    """Return the argument, else $MLSIEVE_CACHE, else results/cache in a project, else the user's cache.

    A project is a working folder that holds a Snakefile and a folder config. The cache need not exist yet.
    """
    chosen = cache or os.environ.get("MLSIEVE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    if Path("Snakefile").is_file() and Path("config").is_dir():
        return Path("results") / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "mlsieve"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mlsieve"


def locate(
    entry: DatasetEntry,
    *,
    mirror: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> dict[str, tuple[str, Path]]:
    """Return where each file of a dataset is at hand, without any download.

    Returns
    -------
    dict of role to (str, Path)
        Where: "own", "mirror" or "cache"; and the path. Roles that are nowhere at hand are left out.
    """
    folder, found = mirror_folder(mirror), {}
    for role, file in entry.files.items():
        if file.path is not None:
            candidates = [("own", Path(file.path))]
        else:
            candidates = [] if folder is None else _packed("mirror", folder / entry.mirror_folder / file.name)
            candidates += _packed("cache", _cached(entry, file, cache))
        for where, path in candidates:
            if path.is_file():
                found[role] = (where, path)
                break
    return found


def _packed(where: str, path: Path) -> list[tuple[str, Path]]:
    return [(where, path), *((where, path.with_name(path.name + suffix)) for suffix in PACKED_SUFFIXES)]


def _cached(entry: DatasetEntry, file: DataFile, cache: str | os.PathLike[str] | None) -> Path:
    return cache_folder(cache) / "downloads" / entry.id / file.name


def unavailable_reason(
    entry: DatasetEntry,
    *,
    mirror: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> str | None:
    """Return why a dataset is not available; None if it is at hand or has sources. Nothing is downloaded."""
    if entry.format == "embedded":
        return None
    found = locate(entry, mirror=mirror, cache=cache)
    for role, file in entry.files.items():
        if role not in found and not file.sources:
            return _nowhere(entry, file)
    return None


def replaced(entries: Iterable[DatasetEntry], available: Collection[str]) -> dict[str, str]:
    """Return why reduced copies are left out, by id: the complete dataset is available.

    Parameters
    ----------
    entries : iterable of DatasetEntry
        The datasets of a study.
    available : collection of str
        Ids of those that are available.
    """
    return {
        entry.id: f"dataset '{entry.id}' stands in for '{entry.stands_in_for}', which is available"
        for entry in entries
        if entry.stands_in_for in available
    }


def _nowhere(entry: DatasetEntry, file: DataFile) -> str:
    if file.path is not None:
        return f"dataset '{entry.id}': no such file: {file.path}"
    if entry.incomplete:
        return f"dataset '{entry.id}' is incomplete: {entry.incomplete}"
    return f"dataset '{entry.id}': {file.name} is in no mirror and has no public source"


def acquire(
    entry: DatasetEntry,
    *,
    mirror: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    attempts: int = ATTEMPTS,
    back_off: float = BACK_OFF_SECONDS,
    timeout: float = TIMEOUT_SECONDS,
    longest: float = LONGEST_TRY_SECONDS,
) -> dict[str, Path]:
    """Return a path for each file of a dataset, downloading what is not at hand, checksums verified.

    Parameters
    ----------
    entry : DatasetEntry
    mirror : path-like, optional
        Folder searched first; $MLSIEVE_MIRROR overrides it.
    cache : path-like, optional
        Where downloads are kept, see `cache_folder`.
    attempts : int, default 3
        Tries of each URL.
    back_off : float, default 1.0
        Seconds before the second try; doubled before each further one.
    timeout : float, default 30.0
        Seconds without an answer after which a try is given up.
    longest : float, default 900.0
        Seconds after which a try is given up however much comes.

    Returns
    -------
    dict of role to Path

    Raises
    ------
    Unavailable
        If a file is not available.
    UserError
        If a file's checksum is wrong, the mirror is no folder, or the cache cannot be written.
    """
    paths: dict[str, Path] = {}
    served: dict[str, bytes] = {}
    found = locate(entry, mirror=mirror, cache=cache)

    patience = {"attempts": attempts, "back_off": back_off, "timeout": timeout, "longest": longest}

    def download(file: DataFile, path: Path) -> None:
        with stage(f"downloading {file.name}"):
            _download(entry, file, path, served, **patience)

    for role, file in entry.files.items():
        if role in found:
            where, path = found[role]
            try:
                verify(path, file.sha256, where, file.equals)
            except Unreadable:
                # A mirror may vanish midway; what else has the file serves as well.
                elsewhere = locate(entry, mirror=mirror, cache=cache).get(role)
                if where != "mirror" or elsewhere == (where, path) or not (elsewhere or file.sources):
                    raise
                path = _cached(entry, file, cache) if elsewhere is None else elsewhere[1]
                if elsewhere is None:
                    download(file, path)
                else:
                    verify(path, file.sha256, elsewhere[0], file.equals)
        elif file.sources:
            path = _cached(entry, file, cache)
            download(file, path)
        else:
            raise Unavailable(_nowhere(entry, file))
        paths[role] = path
    return paths


def verify(path: Path, sha256: str | None, where: str = "own", equals: Collection[str] = ()) -> None:
    """Raise UserError unless the unpacked bytes of a file have the SHA-256 given (None: anything).

    `equals` are those of files with the same data, which are right as well.

    A packed file that is damaged or cut short is such an error too. The hint depends on where the file is.
    """
    if sha256 is None:
        return
    hints = {
        "cache": "remove it; it is then fetched again",
        "mirror": "replace the mirror's copy",
        "own": "correct the entry's sha256 or the file",
    }
    try:
        content = read_bytes(path)
    except UserError as error:
        raise type(error)(
            error.what, file=path, hint=hints[where] if where != "own" else error.hint
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256 and found not in equals:
        raise UserError(f"checksum mismatch: sha256 {found}, not {sha256}", file=path, hint=hints[where])


def _download(
    entry: DatasetEntry, file: DataFile, target: Path, served: dict[str, bytes], **patience: Any
) -> None:
    """Store a file, unpacked, from the first source that has it with the right checksum.

    `served` keeps what several files are parts of, so that it is downloaded once; `patience` goes to `fetch`.
    """
    folder = target.parent.parent.resolve()
    if not target.parent.resolve().is_relative_to(folder):
        raise UserError("points out of the cache", file=target.parent, hint="remove that link")
    failures: list[str] = []
    wrong: list[UserError] = []
    for source in file.sources:
        try:
            with atomic_path(target) as temporary:
                temporary.write_bytes(_content(source, file, temporary, served, **patience))
            return
        except NotHad as error:
            failures.append(f"{source.url}: {error}")
        except WrongSource as error:
            wrong.append(error)
    if wrong:
        raise wrong[0]
    raise Unavailable(f"dataset '{entry.id}': {file.name} cannot be downloaded ({'; '.join(failures)})")


def _content(
    source: Source, file: DataFile, temporary: Path, served: dict[str, bytes], **patience: Any
) -> bytes:
    """Return the bytes of a file, from one source."""
    if source.url in served:
        whole = served[source.url]
    else:
        fetch(source.url, temporary, **patience)
        whole = _checked(temporary, source.url, source.sha256 or file.sha256)
    if source.rows is None:
        return whole
    served[source.url] = whole
    part = lines_of(whole, source.rows, source.relation)
    if part is None or hashlib.sha256(part).hexdigest() != file.sha256:
        raise WrongSource(
            f"checksum mismatch: {source} are not {file.name}",
            hint="correct the source's rows and relation in the catalog",
        )
    return part


def _checked(temporary: Path, url: str, sha256: str | None) -> bytes:
    """Return the unpacked bytes of a download; an error names its source, not the file that goes away."""
    try:
        unpacked = read_bytes(temporary)
    except UserError as error:
        raise WrongSource(
            f"{url}: {error.what}",
            hint="the source is damaged: use a mirror, or report it to the maintainers",
        ) from error
    found = hashlib.sha256(unpacked).hexdigest()
    if sha256 is not None and found != sha256:
        raise WrongSource(
            f"checksum mismatch: {url} has sha256 {found}, not {sha256}",
            hint="the source has changed: use a mirror, or report it to the maintainers",
        )
    return unpacked


def source_facts(entry: DatasetEntry, paths: Mapping[str, Path]) -> dict[str, dict[str, str | None]]:
    """Return name and checksum of each file, for a dataset's facts; no path of this machine is in them."""
    return {
        role: {
            "name": entry.files[role].name,
            "sha256": _sha256_of(entry.files[role], path),
        }
        for role, path in paths.items()
    }


def _sha256_of(file: DataFile, path: Path) -> str:
    """Return the checksum of what is read, which the catalog knows unless other bytes have the same data."""
    if file.sha256 is not None and not file.equals:
        return file.sha256
    return hashlib.sha256(read_bytes(path)).hexdigest()
