"""Places that cannot be written: a full disk, a folder that is read-only; and two runs in one folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.faults.kills import end, live_jobs, process_tree, wait_for
from tests.faults.trials import CORRUPT, PATIENCE, PROJECTS, Finished, NotPossibleHere, Trial, trial
from tests.workflow_project import Project, with_value

FULL, READ_ONLY, TWO, OTHER = (
    "full disk",
    "read-only results folder",
    "two runs in one folder",
    "a second run with other settings",
)


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """Mount a disk in memory at a folder, with what the folder held on it.

    Raises
    ------
    NotPossibleHere
        Where only another user may mount, or none.
    """
    if os.geteuid() != 0 or shutil.which("mount") is None:
        raise NotPossibleHere("only root can mount a small disk")
    size = f"size={kilobytes}k"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        raise NotPossibleHere(f"no disk could be mounted: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def kilobytes_of(folder: Path) -> int:
    """Return what a folder's files take on a disk of pages of 4 kB."""
    return sum(4 * -(-path.stat().st_size // 4096) if path.is_file() else 0 for path in folder.rglob("*"))


def full_disk_trial(finished: Finished, share: float, seed: int) -> Trial:
    """Run a study from nothing on a disk that holds a share of it, then on one that is large enough."""
    project = finished.copy()
    results = project.folder / "results"
    whole = kilobytes_of(results)
    shutil.rmtree(results)
    results.mkdir()
    shutil.rmtree(project.folder / ".snakemake")

    def fill(copy: Project) -> tuple[str, str]:
        done = copy.snakemake()
        said = done.stdout + done.stderr
        assert done.returncode != 0, "the study fitted the small disk"
        assert "Traceback" not in said, said[-3000:]
        told = [line for line in said.splitlines() if "No space left" in line]
        enlarged = ["mount", "-o", f"remount,size={16 * whole}k", str(results)]
        subprocess.run(enlarged, check=True)
        # A disk that fills up lets no job say why it failed; then its log is empty, and Snakemake names it.
        return rules_failed(said), f"{share:.0%} of its {whole} kB; {len(told)} lines of 'No space left'"

    with small_disk(results, int(share * whole)):
        found = trial(finished, Project(project.folder, False, {}, PATIENCE), seed, FULL, fill)
    shutil.rmtree(project.folder, ignore_errors=True)
    return found


def rules_failed(said: str) -> str:
    """Return the rules of which Snakemake says that a job failed."""
    marks = ("Error in rule ", "Error in checkpoint ")
    lines = [line for line in said.splitlines() if line.startswith(marks)]
    return "+".join(sorted({line.split()[3].rstrip(":") for line in lines})) or "Snakemake itself"


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nobody write in a folder: by its permissions, or, for root, who may write anywhere, by a mount.

    Raises
    ------
    NotPossibleHere
        If root may not mount here.
    """
    if os.geteuid() == 0:
        for words in (["--bind", folder, folder], ["-o", "remount,ro,bind", folder]):
            mounted = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
            if mounted.returncode:
                raise NotPossibleHere(f"no folder could be made read-only: {mounted.stderr.strip()}")
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
        return
    folders = [path for path in (folder, *folder.rglob("*")) if path.is_dir()]
    for path in folders:
        os.chmod(path, 0o555)
    try:
        yield
    finally:
        for path in folders:
            os.chmod(path, 0o755)


def read_only_trial(finished: Finished, rule: str, seed: int) -> Trial:
    """Run a study whose results folder may not be written, then one whose may."""
    project = finished.copy(until=rule)

    def refuse(copy: Project) -> tuple[str, str]:
        with read_only(copy.folder / "results"):
            done = copy.snakemake()
        said = done.stdout + done.stderr
        assert done.returncode != 0 and "Traceback" not in said, said[-3000:]
        reasons = ("Permission denied", "Read-only file system", "Write-protected")
        line = [line for line in said.splitlines() if any(reason in line for reason in reasons)]
        assert line, said[-3000:]
        return rule, line[0].replace(f"{copy.folder}/", "")

    return trial(finished, project, seed, READ_ONLY, refuse)


@contextlib.contextmanager
def suspended(jobs: dict[str, list[psutil.Process]]) -> Iterator[None]:
    """Keep jobs from going on meanwhile."""
    processes = [process for found in jobs.values() for process in found]
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.suspend()
    try:
        yield
    finally:
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()


def two_runs_trial(finished: Finished, rule: str, seed: int, other: bool = False) -> Trial:
    """Start a second run while a job of a rule of the first is alive; the first must not notice.

    Parameters
    ----------
    finished, seed
        As elsewhere.
    rule : str
        Of the first run.
    other : bool
        Whether the second has other settings of the same study.
    """
    project = finished.copy(until=rule)

    def twice(copy: Project) -> tuple[str, str]:
        first = copy.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(first, rule)
            settings = copy.folder / "other.yaml"
            if other:
                second_project = Project(copy.folder, False, copy.environment)
                before = (copy.folder / "study.yaml").read_text()
                second_project.configure(
                    with_value(PROJECTS[finished.name], "methods", 0, "sizes", value=[3])
                )
                os.replace(copy.folder / "study.yaml", settings)
                (copy.folder / "study.yaml").write_text(before)
            options = ("--configfile", str(settings)) if other else ("--configfile", "study.yaml")
            with suspended(live_jobs(first.pid)):  # which keeps the first run from ending before
                second = copy.snakemake(*options, configured=False)
            said = second.stdout + second.stderr
            alive = "+".join(sorted(live_jobs(first.pid))) or rule
            assert second.returncode != 0, said[-2000:]
            wanted = "another run is in progress" if other else "cannot be locked"
            assert wanted in said and "Traceback" not in said, said[-3000:]
            assert first.wait(timeout=PATIENCE) == 0
        finally:
            if first.poll() is None:
                end(process_tree(first.pid))
        line = next(line for line in said.splitlines() if wanted in line)
        return alive, f"the second was refused: {line[:120]}"

    try:
        return trial(finished, project, seed, OTHER if other else TWO, twice)
    except AssertionError as error:
        return Trial(seed, OTHER if other else TWO, finished.name, rule, CORRUPT, str(error))
