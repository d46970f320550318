"""The process of one contender: prepares its input once, then does the work each time it is told to.

    echo '{"contender": "mlsieve", ...}' | python -m benchmarks.child

The first line of the standard input is the specification; then each line ``run`` does the work once and
prints a line of JSON: CPU and wall-clock seconds, and the contender's facts. ``peak`` prints the largest
memory that the process has held since it started, ``reset`` forgets what loading took (Linux).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import math
import resource
import sys
import time
from pathlib import Path
from typing import Any

SHORTEST = 1.0  # second: shorter work is repeated within a run, and its mean counts


def timed(work: Any, shortest: float = SHORTEST) -> dict[str, Any]:
    """Do the work once, more often if it is shorter than so many seconds; return the seconds of one time."""
    facts, cpu, wall = once(work)
    if wall < shortest and "wall" not in facts:
        times = math.ceil(shortest / max(wall, 1e-4))
        cpu = wall = 0.0
        for _ in range(times):
            _, more_cpu, more_wall = once(work)
            cpu, wall = cpu + more_cpu / times, wall + more_wall / times
    return {"cpu": cpu, "wall": wall} | facts


def once(work: Any) -> tuple[dict[str, Any], float, float]:
    """Return the facts, CPU and wall-clock seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    facts = work()
    return facts, time.process_time() - cpu, time.perf_counter() - wall


def peak_mib() -> float:
    """Return the process's largest resident memory in MiB."""
    status = Path("/proc/self/status")
    if status.is_file():  # getrusage would also count the parent's, of which this process is a copy
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / (1 << 10)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def reset_peak() -> None:
    """Forget the height so far, where the system can: what is held now becomes the height.

    What loading has freed is given back first (glibc); a small forest would fit into it unseen.
    """
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def main() -> int:
    """Serve one specification until the standard input ends."""
    from benchmarks.contenders import contender

    spec = json.loads(sys.stdin.readline())
    try:
        work = contender(spec["contender"]).prepare(spec)
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            if line.strip() == "reset":
                reset_peak()
            answer = (
                timed(work, 0.0 if spec.get("once") else SHORTEST)
                if line.strip() == "run"
                else {"peak": peak_mib()}
            )
            print(json.dumps(answer), flush=True)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # whatever a peer throws becomes a note in the table
        print(json.dumps({"error": f"{type(error).__name__}: {error}".splitlines()[0]}), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
