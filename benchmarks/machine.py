"""What a run's numbers depend on: versions, processor, cores. No paths, no host names."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

PACKAGES = ("mlsieve", "numpy", "scipy", "scikit-learn", "pyclus")


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def facts() -> dict[str, str]:
    """Return names and values for the document."""
    found = {"processor": processor(), "cores": str(usable_cores())}
    found["system"] = f"{platform.system()} {platform.machine()}"
    found["Python"] = platform.python_version()
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            if package == "mlsieve":
                from mlsieve import __version__

                found[package] = __version__
    if java := java_version():
        found["Java"] = java
    return found


def processor() -> str:
    """Return the processor's model."""
    information = Path("/proc/cpuinfo")
    if information.is_file():
        match = re.search(r"^model name\s*:\s*(.+)$", information.read_text(errors="replace"), re.MULTILINE)
        if match:
            return match[1].strip()
    return platform.processor() or platform.machine()


def java_version() -> str | None:
    """Return the version that ``java -version`` tells, None without it."""
    if not shutil.which("java"):
        return None
    said = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    match = re.search(r'version "([^"]+)"', said)
    return match[1] if match else None
