"""What a killed run or a wrong clock has left in a project, put right before the next run."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from mlsieve.errors import UserError
from mlsieve.files.checksums import leads_out, require_within

# Folders in .snakemake that are full of links, and that no job writes.
_ENVIRONMENTS = {"conda", "conda-archive", "singularity"}
# Kept open while this process lives: the system gives the lock back however the process ends.
_held: list[int] = []


def hold_project(folder: str | os.PathLike[str] = ".snakemake") -> bool:
    """Tell the runs in a folder that this process is one of them; take away the locks of killed ones.

    Snakemake locks the files of a run and unlocks them at its end, which kill -9 and a power cut leave out.
    As soon as no run is alive in the folder, such locks say nothing.

    Parameters
    ----------
    folder : path-like
        Snakemake's own folder, in the working folder.

    Returns
    -------
    bool
        Whether another run is alive there. False also where that cannot be known, on a file system without
        locks. There, and after a run on another machine, Snakemake's locks stay until its ``--unlock``.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        return False
    path = Path(folder) / "mlsieve.running"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError:
        return False
    _held.append(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        others = False
        # On some network file systems, one machine does not see another's locks.
        machine, locks = os.pread(handle, 1000, 0).decode("utf-8", "replace"), path.parent / "locks"
        if machine in ("", platform.node()):
            _remove_locks(locks)
        if not list(locks.glob("*.lock")):
            os.ftruncate(handle, 0)
            os.pwrite(handle, platform.node().encode(), 0)
    except BlockingIOError:
        others = True
    except OSError:
        return False
    fcntl.flock(handle, fcntl.LOCK_SH)  # whoever has it for itself gives it back at once
    return others


def _remove_locks(folder: Path) -> None:
    stale = list(folder.glob("*.lock"))
    for path in stale:
        path.unlink(missing_ok=True)
    if stale:
        print("mlsieve: the previous run was killed; its locks have been removed", file=sys.stderr)


def require_no_links_out(folders: Iterable[str | os.PathLike[str]], root: str | os.PathLike[str]) -> None:
    """Refuse folders that links lead to or out of, and pipes: Snakemake and its shells follow links when they
    write, and wait for pipes.

    Parameters
    ----------
    folders : iterable of path-like
        Below the root; they are looked through whole, as far as they are there.
    root : path-like
        The project's folder, or the cache, which may be links themselves.

    Raises
    ------
    UserError
        That names the first link or pipe.
    """
    for folder in folders:
        real = os.path.join(os.path.realpath(root), os.path.relpath(folder, root))
        if os.path.realpath(folder) != real:
            raise leads_out(folder, root)
        passed = _ENVIRONMENTS if os.path.basename(folder) == ".snakemake" else ()
        for path in _unusual(folder, passed):
            require_within(path, real)
            if not os.path.islink(path):
                raise UserError("is a pipe or a device", file=path, hint="remove it")


def _unusual(folder: str | os.PathLike[str], passed: Collection[str] = ()) -> Iterator[str]:
    """Yield what is neither an ordinary file nor a folder, below a folder but for those of some names."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in passed:
                        yield from _unusual(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    yield entry.path
    except OSError:  # it is missing, or not ours to read
        return


def bring_back_from_the_future(files: Iterable[str], now: float | None = None) -> int:
    """Give files with a time in the future one just before now; their order stays.

    A clock that was ahead leaves such files, and so does one that is set back. Whatever is made of them would
    seem older than they are, which Snakemake takes for a failure.

    Parameters
    ----------
    files : iterable of str
        Of a study; those that are missing are passed over.
    now : float, optional
        Seconds since 1970; default the clock's.

    Returns
    -------
    int
        Number of files whose times were changed.
    """
    now_ns = int((time.time() if now is None else now) * 1e9)
    ahead: dict[int, list[str]] = {}
    for path in files:
        try:
            changed = os.lstat(path).st_mtime_ns
        except OSError:
            continue
        if changed > now_ns + 10**9:  # clocks of file servers differ by less
            ahead.setdefault(changed, []).append(path)
    # Distinct times stay distinct: a file that is older than what it is made of has to be made again.
    brought = 0
    for steps, changed in enumerate(sorted(ahead, reverse=True)):
        for path in ahead[changed]:
            with contextlib.suppress(OSError):  # a folder that may be read only, or another user's file
                times = (now_ns - steps * 10_000, now_ns - steps * 10_000)
                os.utime(path, ns=times, follow_symlinks=False)
                brought += 1
    return brought
