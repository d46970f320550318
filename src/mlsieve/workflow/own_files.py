"""Checksums of people's own files, by which a study notices that one has another content."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mlsieve.files.checksums import sha256_of

_SETTLED = 2 * 10**9  # nanoseconds after which a further change gives a file another time


class KnownDigests:
    """SHA-256 of files, computed again when a file's size, times or inode differ.

    The time of the last change of the inode (ctime) is among them: no program can set it back.

    Parameters
    ----------
    store : path-like
        Where the checksums are kept from run to run.
    """

    def __init__(self, store: str | os.PathLike[str]) -> None:
        self._store = Path(store)
        try:
            known = json.loads(self._store.read_bytes())
        except (OSError, ValueError, RecursionError):
            known = {}
        self._known: dict[str, list[object]] = known if isinstance(known, dict) else {}
        self._before = dict(self._known)

    def __call__(self, path: str) -> str:
        """Return the SHA-256 of a file; OSError if it cannot be read."""
        place, now = os.path.realpath(path), time.time_ns()
        is_now = os.stat(place)
        facts = [is_now.st_size, is_now.st_mtime_ns, is_now.st_ctime_ns, is_now.st_ino, is_now.st_dev]
        known = self._known.get(place)
        if isinstance(known, list) and len(known) == len(facts) + 1 and known[:-1] == facts:
            return str(known[-1])
        digest = sha256_of(place)
        if is_now.st_ctime_ns + _SETTLED < now:
            self._known[place] = [*facts, digest]
        return digest

    def save(self) -> None:
        """Keep the checksums for the next run; a folder that cannot be written keeps none."""
        if self._known == self._before:
            return
        with contextlib.suppress(OSError):
            self._store.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self._store.parent) as folder:
                written = Path(folder, self._store.name)
                written.write_text(json.dumps(self._known), encoding="utf-8")
                os.replace(written, self._store)  # which follows no link


def recorded_digests(study: Mapping[str, Any]) -> Callable[[str], str]:
    """Return the checksums with which a run has begun, for its jobs; of a file that has none, today's.

    Parameters
    ----------
    study : mapping
        The study's configuration as the run has written it.
    """
    known = study.get("digests") or {}
    return lambda path: str(known[path]) if path in known else sha256_of(path)
