"""A clock that jumps, ahead or back, between runs and within one."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from tests.faults.kills import end, live_jobs, process_tree, wait_for
from tests.faults.trials import PATIENCE, Finished, NotPossibleHere, Trial, trial
from tests.workflow_project import Project

AHEAD, BACK, DURING_AHEAD, DURING_BACK = (
    "files of a clock that was ahead",
    "a run whose clock is behind",
    "clock jumps ahead during a run",
    "clock jumps back during a run",
)
_LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1")


def faketime() -> Path:
    """Return the library that gives processes another clock.

    Raises
    ------
    NotPossibleHere
        If it is not installed.
    """
    for pattern in _LIBRARIES:
        found = sorted(Path("/").glob(pattern.lstrip("/")))
        if found:
            return found[0]
    raise NotPossibleHere("libfaketime is not installed (Debian, Ubuntu: the package faketime)")


def shift(folder: Path, seconds: float) -> None:
    """Add seconds to the time of change of every file of a results folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            times = path.stat()
            moved = times.st_mtime_ns + int(seconds * 1e9)
            os.utime(path, ns=(moved, moved))


def between_runs_trial(finished: Finished, rule: str, seconds: float, seed: int) -> Trial:
    """Kill a run while a job of a rule is alive, and go on with a clock that is so much behind.

    Which of the two clocks was right makes no difference: the files lie in the future of the second run.
    """
    project = finished.copy(until=rule)

    def jump(copy: Project) -> tuple[str, str]:
        run = copy.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(run, rule)
        alive = "+".join(sorted(live_jobs(run.pid))) or rule
        end(process_tree(run.pid))
        run.wait()
        shift(copy.folder / "results", seconds)
        return alive, f"killed; the clock goes on {seconds / 86400:.1f} days earlier"

    return trial(finished, project, seed, AHEAD, jump)


def within_run_trial(finished: Finished, rule: str, seconds: float, seed: int) -> Trial:
    """Let the clock of Snakemake and its jobs jump while a job of a rule is alive.

    Parameters
    ----------
    seconds : float
        Of the jump; negative: back. Files made before it have later times than those after it then.
    """
    library = faketime()
    project = finished.copy(until=rule)
    offset = project.folder / "offset"
    offset.write_text("+0\n")
    variables = {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "NO_FAKE_STAT": "1",
        # Waiting is not what jumps: a wait for a time of day would never end.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }

    def jump(copy: Project) -> tuple[str, str]:
        run = Project(copy.folder, False, copy.environment | variables).start(stdout=subprocess.DEVNULL)
        try:
            wait_for(run, rule)
            alive = "+".join(sorted(live_jobs(run.pid))) or rule
            offset.write_text(f"{seconds:+.0f}\n")
            if seconds < 0:
                shift(copy.folder / "results", -seconds)  # relative to the clock that is now
            status = run.wait(timeout=PATIENCE)
        finally:
            end(process_tree(run.pid))
        return alive, f"by {seconds / 86400:+.1f} days; this run ended with status {status}"

    return trial(finished, project, seed, DURING_AHEAD if seconds > 0 else DURING_BACK, jump)


def whole_run_trial(finished: Finished, seconds: float, seed: int) -> Trial:
    """Run part of a study with a wrong clock, the rest with the right one."""
    library = faketime()
    project = finished.copy(until="rank")
    wrong = {"LD_PRELOAD": str(library), "FAKETIME": f"{seconds:+.0f}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def jump(copy: Project) -> tuple[str, str]:
        run = Project(copy.folder, False, copy.environment | wrong, PATIENCE).snakemake("--until", "rank")
        time.sleep(0.01)
        return "rank", f"{seconds / 86400:+.1f} days; this run ended with status {run.returncode}"

    return trial(finished, project, seed, BACK if seconds < 0 else AHEAD, jump)
