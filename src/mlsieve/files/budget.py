"""How much a file may become: one budget of whatever is unpacked, or declares its size."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path

LARGEST_UNPACKED, SMALL_UNPACKED = 1 << 31, 1 << 26
# The memory that a decoder itself may take, which the head of a packed file declares: xz -9 declares 64 MiB.
LARGEST_DECODER = 1 << 28
_CGROUPS = Path("/sys/fs/cgroup")


def most_unpacked(packed_size: int) -> int:
    """Return to how many bytes a packed file may unpack.

    Parameters
    ----------
    packed_size : int
        Bytes of the packed file.

    Notes
    -----
    A thousand times its own size, or 64 MiB for a small one, and 2 GiB at most. Real data shrink to a tenth,
    very sparse ones to a hundredth, while a few kilobytes made for it unpack to gigabytes.
    """
    return most_of(packed_size, SMALL_UNPACKED, 1000, LARGEST_UNPACKED)


def most_of(size: int, few: int, per_byte: int, most: int) -> int:
    """Return how much a file of some size may hold of something: so much per byte, from `few` to `most`."""
    return min(most, max(few, per_byte * size))


def memory() -> float:
    """Return how many bytes of memory this process may have; no bound where it is not known.

    That of the machine, or less if a control group (of a container, or of a job of a cluster) allows less.
    """
    bounds = [math.inf]
    with contextlib.suppress(AttributeError, OSError, ValueError):  # not on Windows
        bounds.append(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    for file in _control_files():
        with contextlib.suppress(OSError, ValueError):  # there is none, or it says "max"
            bounds.append(float(int(file.read_text())))
    return min(bounds)


def _control_files() -> Iterator[Path]:
    """Yield where the limits of this process's control groups stand: of its own, and of those above it."""
    try:
        groups = Path("/proc/self/cgroup").read_text().splitlines()
    except (OSError, ValueError):
        return
    for _, controllers, path in (line.split(":", 2) for line in groups if line.count(":") >= 2):
        if controllers and "memory" not in controllers.split(","):
            continue
        root = _CGROUPS / "memory" if controllers else _CGROUPS
        own = root / path.lstrip("/")
        for folder in (own, *own.parents):
            if folder.is_relative_to(root):
                yield folder / ("memory.limit_in_bytes" if controllers else "memory.max")
