"""A trial: a fault in a run of a small study, and whether its tables are what they are without the fault."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.workflow_project import HIERARCHICAL, SELECTING, TINY, Project, make_project

RECOVERED, LOST, CORRUPT = "recovered", "lost result", "silent corruption"

# What the trials run, as small as can be: every rule that a study always has, those that selectors need, and
# those of some questions only.
PROJECTS = {
    "trees": {
        **TINY,
        "study": "trees",
        "datasets": ["synthetic-linear"],
        "methods": [
            {"id": "pct", "ensembles": ["random-forest"], "scores": ["genie3"], "sizes": [2]},
            {"id": "uniform"},
        ],
    },
    "selectors": {
        **SELECTING,
        "study": "selectors",
        "datasets": ["synthetic-linear"],
        "split": {**SELECTING["split"], "repeats": 2, "repeats_per_job": 2},
        "methods": [{"id": "scls"}, {"id": "uniform", "name": "all-features", "select": "all"}],
        "analysis": {
            "questions": ["selection"],
            "worked_example": {"dataset": "synthetic-linear", "iterations": 2, "features": [0, 1]},
        },
    },
    "classes": {
        **HIERARCHICAL,
        "study": "classes",
        "datasets": ["synthetic-hierarchical"],
        "stability": {"seeds": 2},
        "methods": [
            {"id": "pct", "ensembles": ["extra-trees"], "scores": ["genie3"], "sizes": [1, 2]},
            {"id": "relief", "sizes": [10, 100], "params": {"k": 5}},
        ],
        "analysis": {
            **HIERARCHICAL["analysis"],
            "questions": ["convergence", "candidates", "efficiency", "similarity"],
        },
    },
}
# Seconds that one run may take; a machine that is busy with other things tells nothing of a study.
PATIENCE = 7200.0
# What differs from run to run by nature: times, dates, and the figure and the page that show them.
_OF_THE_RUN = ("timings.csv", "leaderboard.csv", "provenance.json", "efficiency.svg", "report.html")


@dataclass
class Trial:
    """What was done, and what came of it.

    Attributes
    ----------
    seed : int
        Decides the moment, the place or the byte.
    fault : str
        Its kind, in words.
    project : str
        Name of its study.
    rule : str
        Whose jobs were alive, or which reads the damaged file.
    outcome : {"recovered", "lost result", "silent corruption"}
        "recovered": the same command, given again, ended well, and every table is the same to the byte.
    detail : str
        Where in the run, which file, what was said.
    seconds : float
        From the start of the faulty run to the end of the last one.
    """

    seed: int
    fault: str
    project: str
    rule: str
    outcome: str
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the trial for reliability.json."""
        return {**asdict(self), "seconds": round(self.seconds, 1)}


class NotPossibleHere(Exception):
    """A fault that this machine does not let anyone make; its text is the reason."""


@dataclass
class Finished:
    """A study that ran without a fault, and copies of it for trials.

    Attributes
    ----------
    name : str
        Key of `PROJECTS`, or that of another study.
    folder : Path
        Where the copies go.
    original : Project
    digests : dict
        What `digests` returns of it.
    commands : list of str
        The shell command of each of its jobs.
    """

    name: str
    folder: Path
    original: Project
    digests: dict[str, str]
    commands: list[str]

    @classmethod
    def make(
        cls,
        name: str,
        folder: Path,
        study: dict[str, Any] | None = None,
        arrange: Callable[[Project], None] = lambda project: None,
    ) -> Finished:
        """Run a project's study from nothing to its end.

        Parameters
        ----------
        name, folder
            As the attributes.
        study : dict, optional
            Its configuration; default that of `PROJECTS`.
        arrange : callable
            Adds to the project what it needs besides.
        """
        place = folder / f"{name}-original"
        place.mkdir(parents=True)
        project = make_project(place, stand_in=False)
        project.configure(PROJECTS[name] if study is None else study)
        arrange(project)
        said = run_to_the_end(project, attempts=1)
        commands = re.findall(r"^Shell command: (mlsieve .*)$", said, re.MULTILINE)
        return cls(name, folder, project, digests(project), commands)

    def copy(self, *, until: str | None = None) -> Project:
        """Return a copy in a folder of its own.

        Parameters
        ----------
        until : str, optional
            A rule. What it makes, and all that is made after it, is left out.
        """
        folder = Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir=self.folder))
        shutil.copytree(self.original.folder, folder, dirs_exist_ok=True)
        project = Project(folder, False, dict(self.original.environment), PATIENCE)
        if until is not None:
            for path in made_from(project, until):
                path.unlink()
        return project

    def judge(self, project: Project) -> tuple[str, str]:
        """Return the outcome of a trial whose runs have ended, and the names of the tables that are wrong."""
        found = digests(project)
        lost = sorted(self.digests.keys() - found.keys())
        if lost:
            return LOST, ", ".join(lost)
        wrong = sorted(name for name, digest in self.digests.items() if found[name] != digest)
        return (CORRUPT, ", ".join(wrong)) if wrong else (RECOVERED, "")


# Rules in the order in which a study needs them, and what each makes.
MADE_BY = {
    "prepare": ("cache/*/data.npz",),
    "discretise": ("cache/*/*/discretise-*/cuts.npz",),
    "grow": ("cache/*/*/*/ensemble.npz",),
    "rank": ("cache/*/*/*/rankings.npz",),
    "predict": ("cache/*/*/*/*/predictions.npz",),
    "score": ("cache/*/*/*/*/*.csv",),
    "evaluate": ("cache/*/*/*/*/*/scores.csv",),
    "column_order": ("cache/*/*/column-order-*/effects.csv",),
    "collect": (
        "{study}/performance.csv",
        "{study}/rankings.csv",
        "{study}/skipped.csv",
        "{study}/timings.csv",
    ),
    "stability": ("{study}/stability.csv",),
    "worked": ("{study}/worked.csv",),
    "describe": ("{study}/datasets.csv",),
    "compare": (
        "{study}/tests.csv",
        "{study}/average_ranks.csv",
        "{study}/choices.csv",
        "{study}/findings.json",
        "{study}/verdict_counts.csv",
    ),
    "similarity": ("{study}/similarity*.csv",),
    "convergence": ("{study}/convergence*.csv",),
    "column_order_summary": ("{study}/column_order*",),
    "published": ("{study}/published*.csv",),
    "sections": ("{study}/sections.json", "{study}/leaderboard*.csv"),
    "figures": ("{study}/figures/*",),
    "report": ("{study}/report.html", "{study}/provenance.json", "{study}/paper/*"),
}


def made_from(project: Project, rule: str) -> Iterator[Path]:
    """Yield the files that a rule and the rules after it have made."""
    rules = list(MADE_BY)
    for later in rules[rules.index(rule) :]:
        for pattern in MADE_BY[later]:
            yield from (project.folder / "results").glob(pattern.format(study=study_of(project)))


def study_of(project: Project) -> str:
    """Return the name of a project's study."""
    return next(path.parent.name for path in (project.folder / "results").glob("*/configuration"))


def digests(project: Project) -> dict[str, str]:
    """Return the SHA-256 of each file that must be the same after any fault, by its path below results/."""
    root = project.folder / "results"
    found = {}
    for path in sorted(root.rglob("*")):
        of_a_run = path.name in _OF_THE_RUN or path.name.startswith(".")
        if path.is_file() and not of_a_run and path.suffix in (".csv", ".json", ".npz", ".svg"):
            content = _without_costs(path) if path.name == "sections.json" else path.read_bytes()
            found[path.relative_to(root).as_posix()] = hashlib.sha256(content).hexdigest()
    return found


def _without_costs(path: Path) -> bytes:
    """Return sections.json without what depends on times: the costs, and the tables that may show some."""
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["costs"], content["leaderboard"]
    for section in content["questions"].values():
        for name in ("findings", "tables", "overview"):
            del section[name]
    return json.dumps(content, sort_keys=True).encode()


def run_to_the_end(project: Project, attempts: int = 3) -> str:
    """Give the same command until it ends well; return what its last run said.

    Raises
    ------
    AssertionError
        If it does not end well in so many attempts.
    """
    said = ""
    for _ in range(attempts):
        done = project.snakemake()
        said = done.stdout + done.stderr
        if done.returncode == 0:
            return said
    raise AssertionError(f"the study does not end: {said[-3000:]}")


def trial(
    finished: Finished,
    project: Project,
    seed: int,
    fault: str,
    make_fault: Callable[[Project], tuple[str, str]],
) -> Trial:
    """Make a fault in a project, run its study to the end, judge its tables, and remove it.

    Parameters
    ----------
    finished : Finished
        What the tables should be.
    project : Project
        A copy of it.
    seed, fault
        As of `Trial`.
    make_fault : callable
        Takes the project; returns the rule and the detail of the trial.
    """
    start = time.monotonic()
    rule = detail = ""
    try:
        rule, detail = make_fault(project)
        run_to_the_end(project)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        outcome, more = LOST, str(error)
    else:
        outcome, more = finished.judge(project)
    if outcome == RECOVERED:
        shutil.rmtree(project.folder, ignore_errors=True)  # a disk mounted below it stays
    text = "; ".join(filter(None, (detail, more)))
    return Trial(seed, fault, finished.name, rule, outcome, text, time.monotonic() - start)
