"""Files of a study that are cut short or have one bit flipped, and the jobs that read them next."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from mlsieve.files.checksums import record_of
from tests.faults.trials import (
    CORRUPT,
    RECOVERED,
    Finished,
    Trial,
    made_from,
    run_to_the_end,
    study_of,
)
from tests.workflow_project import Project

TRUNCATED, FLIPPED = "file truncated", "one bit of a file flipped"
MODES = (TRUNCATED, FLIPPED)
EXCHANGED = "file exchanged with its checksum for another one"

# Of each kind of file: where it lies, and the rule whose jobs read it.
READ_BY = {
    "data.npz": ("cache/*/data.npz", "rank"),
    "cuts.npz": ("cache/*/*/discretise-*/cuts.npz", "rank"),
    "ensemble.npz": ("cache/*/*/*/ensemble.npz", "rank"),
    "rankings.npz": ("cache/*/*/*/rankings.npz", "predict"),
    "rankings.npz of several splits": ("cache/*/*/*/rankings.npz", "evaluate"),
    "predictions.npz": ("cache/*/*/*/*/predictions.npz", "score"),
    "table of scores": ("cache/*/*/*/*/*.csv", "collect"),
    "scores.csv of several splits": ("cache/*/*/*/*/*/scores.csv", "collect"),
    "table of scores of a further seed": ("cache/*/*/*-seed1/*/*.csv", "stability"),
    "available.csv": ("{study}/available.csv", "collect"),
    "unavailable.csv": ("{study}/unavailable.csv", "collect"),
    "performance.csv": ("{study}/performance.csv", "compare"),
    "rankings.csv": ("{study}/rankings.csv", "sections"),
    "skipped.csv": ("{study}/skipped.csv", "sections"),
    "timings.csv": ("{study}/timings.csv", "sections"),
    "tests.csv": ("{study}/tests.csv", "figures"),
    "average_ranks.csv": ("{study}/average_ranks.csv", "figures"),
    "choices.csv": ("{study}/choices.csv", "figures"),
    "stability.csv": ("{study}/stability.csv", "sections"),
    "worked.csv": ("{study}/worked.csv", "sections"),
    "datasets.csv": ("{study}/datasets.csv", "compare"),
    "similarity.csv": ("{study}/similarity.csv", "sections"),
    "similarity_curves.csv": ("{study}/similarity_curves.csv", "figures"),
    "convergence_means.csv": ("{study}/convergence_means.csv", "figures"),
    "table of the order of the columns": ("cache/*/*/column-order-*/effects.csv", "column_order_summary"),
    "column_order_summary.csv": ("{study}/column_order_summary.csv", "sections"),
    "column_order_tests.csv": ("{study}/column_order_tests.csv", "sections"),
    "column_order_findings.json": ("{study}/column_order_findings.json", "sections"),
    "published.csv": ("{study}/published.csv", "sections"),
    "published_columns.csv": ("{study}/published_columns.csv", "sections"),
    "findings.json": ("{study}/findings.json", "sections"),
    "sections.json": ("{study}/sections.json", "report"),
    "verdict_counts.csv": ("{study}/verdict_counts.csv", "sections"),
    "figures.json": ("{study}/figures.json", "report"),
    "figure": ("{study}/figures/*.svg", "report"),
    "jobs.json": ("{study}/configuration/jobs.json", "collect"),
    "analysis.json": ("{study}/configuration/analysis.json", "compare"),
    "study.json": ("{study}/configuration/study.json", "report"),
}


def damage(path: Path, mode: str, seed: int) -> str:
    """Cut a file short, or flip one of its bits, where the seed says; return what was done.

    Its time of change stays, as with a disk that goes bad.
    """
    content = path.read_bytes()
    chance = random.Random(f"{seed} {path.name} {mode}")
    times = path.stat()
    if mode == TRUNCATED:
        length = chance.randrange(len(content))
        path.write_bytes(content[:length])
        told = f"{length} of {len(content)} bytes left"
    else:
        bit = chance.randrange(8 * len(content))
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(bytes(changed))
        told = f"bit {bit} of {8 * len(content)}"
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return told


def exchange(path: Path, others: Sequence[Path], seed: int) -> str:
    """Put another file with its record in the place of one; return which. The time of change stays."""
    other, times = random.Random(f"{seed} {path}").choice(others), path.stat()
    path.write_bytes(other.read_bytes())
    record_of(path).write_bytes(record_of(other).read_bytes())
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return f"now {other.parent.name}/{other.name}"


def noticed(project: Project, path: Path, command: str) -> str | None:
    """Run a job that reads a damaged file; return what is wrong with how it took that, if anything."""
    name = path.relative_to(project.folder).as_posix()
    log = project.folder / command.rsplit(" > ", 1)[1].split()[0]
    done = subprocess.run(command, shell=True, cwd=project.folder, env=project.variables(), check=False)
    lines = log.read_text(encoding="utf-8").splitlines()
    if done.returncode != 2:
        return f"{name}: not noticed, status {done.returncode}: {lines}"
    told = [line for line in lines if line.startswith(f"mlsieve: {name}: was damaged")]
    if len(told) != 1 or any("Traceback" in line for line in lines):
        return f"{name}: not told in one line: {lines}"
    return f"{name}: still there" if path.exists() else None


def damage_trials(finished: Finished, mode: str, seed: int) -> list[Trial]:
    """Damage one file of each kind that a study has, and let the job that reads it notice.

    The files that were removed are then made anew, in one run, from what the other jobs have left; a table of
    the study's folder that only a removed file could give is made again too.

    Parameters
    ----------
    finished : Finished
    mode : str
        One of `MODES`, or `EXCHANGED`.
    seed : int
        Decides which file of a kind, and which byte or bit.
    """
    project = finished.copy()
    root, study = project.folder / "results", study_of(project)
    trials: list[Trial] = []
    removed: set[Path] = set()
    for kind, (pattern, rule) in READ_BY.items():
        readers = {
            path: command
            for path in sorted(root.glob(pattern.format(study=study)))
            for command in finished.commands
            if command.startswith(f"mlsieve {rule} ") and _reads(command, path, project)
        }
        if not readers:
            continue
        start = time.monotonic()
        path = random.Random(f"{seed} {kind}").choice(list(readers))
        others = sorted({*root.glob(pattern.format(study=study))} - {path})
        if mode == EXCHANGED and not others:
            continue
        saved = path.read_bytes(), record_of(path).read_bytes(), path.stat().st_mtime_ns
        with _kept(root / study / "figures.json"):
            told = exchange(path, others, seed) if mode == EXCHANGED else damage(path, mode, seed)
            wrong = noticed(project, path, readers[path])
            # The next kind's reader needs the files of this one.
            path.write_bytes(saved[0])
            record_of(path).write_bytes(saved[1])
            os.utime(path, ns=(saved[2], saved[2]))
        removed.add(path)
        outcome = CORRUPT if wrong else RECOVERED
        detail = wrong or f"{path.relative_to(root).as_posix()}, {told}"
        trials.append(
            Trial(seed, f"{mode}: {kind}", finished.name, rule, outcome, detail, time.monotonic() - start)
        )
        print(f"{outcome} {trials[-1].fault}: {detail}", flush=True)
    _rebuild(finished, project, removed, trials)
    return trials


def _reads(command: str, path: Path, project: Project) -> bool:
    if command.startswith(("mlsieve sections ", "mlsieve report ")):
        return True
    if "cache" in path.parts and command.startswith(("mlsieve collect ", "mlsieve stability ")):
        # The tables of further seeds tell how stable rankings are; the study's result is that of the first.
        return command.startswith("mlsieve stability ") or "-seed" not in path.parts[-3]
    return f" {path.relative_to(project.folder).as_posix()} " in command


class _kept:
    """Puts a file and its record back that a trial removes besides the damaged one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        self.times = self.path.stat()
        self.saved = {path: path.read_bytes() for path in (self.path, record_of(self.path))}

    def __exit__(self, *error: object) -> None:
        for path, content in self.saved.items():
            path.write_bytes(content)
        os.utime(self.path, ns=(self.times.st_atime_ns, self.times.st_mtime_ns))


def _rebuild(finished: Finished, project: Project, removed: Iterable[Path], trials: list[Trial]) -> None:
    """Take the removed files away, and all that their readers and later rules make, and run."""
    made = (path for rule in {trial.rule for trial in trials} for path in made_from(project, rule))
    for path in [*removed, *made]:
        path.unlink(missing_ok=True)
    try:
        run_to_the_end(project)
        outcome, wrong = finished.judge(project)
    except AssertionError as error:
        outcome, wrong = CORRUPT, str(error)
    for trial in trials:
        if outcome != RECOVERED:
            trial.outcome, trial.detail = outcome, wrong
    if outcome == RECOVERED:
        shutil.rmtree(project.folder, ignore_errors=True)
