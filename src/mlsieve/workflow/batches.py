"""Small jobs of a study packed together, for schedulers to which each job of their own is a burden.

A job of a second takes a cluster ten, and waits in its queue besides. Jobs that belong together, up to some
minutes of estimated work, become one batch: several small datasets with everything that is computed on them,
or, of a dataset that is more work than that, several ensembles with their rankings, several rankings with
their evaluations, or several evaluations. A job that alone is more work than a batch stays alone.

A batch needs nothing that needs the batch itself, or it could never start: it holds whole branches of the
tree dataset - ensemble - ranking - evaluation which begin at one place, and nothing leads from one branch to
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace

from mlsieve.study.parts import Job
from mlsieve.study.study import Study

# Estimated minutes on one core, and number of jobs, of a batch. What Snakemake spends on a group grows with
# the square of its jobs; for so many it is less than a second.
MINUTES = 10.0
JOBS = 100


@dataclass
class Branch:
    """The jobs at a place of the tree, and the branches that begin there.

    Attributes
    ----------
    own : dict of str to float
        Estimated minutes by output, of jobs that the branches below need.
    below : dict of str to Branch
    """

    own: dict[str, float] = field(default_factory=dict)
    below: dict[str, Branch] = field(default_factory=dict)

    def outputs(self) -> Iterator[str]:
        """Yield the outputs of all jobs, those below included."""
        yield from self.own
        for branch in self.below.values():
            yield from branch.outputs()

    @property
    def minutes(self) -> float:
        """Estimated minutes of all jobs, those below included."""
        return sum(self.own.values()) + sum(branch.minutes for branch in self.below.values())


def batches(study: Study, minutes: float = MINUTES, jobs: int = JOBS) -> dict[str, str]:
    """Return the batch of each job of a study that goes into one.

    Parameters
    ----------
    study : Study
    minutes : float
        Estimated minutes on one core that a batch may take.
    jobs : int
        Number of jobs that a batch may hold.

    Returns
    -------
    dict of str to str
        Names of batches, ``batch-0001`` and so on, by the jobs' outputs. A job that is not in it stays alone.
    """
    found: dict[str, str] = {}
    several = [packed for packed in _packed(tree(study).below.values(), minutes, jobs) if len(packed) > 1]
    for number, packed in enumerate(several, start=1):
        found.update(dict.fromkeys(packed, f"batch-{number:04d}"))
    return found


def tree(study: Study) -> Branch:
    """Return a study's jobs as a tree: datasets below its root, their ensembles below these, and so on."""
    root = Branch()
    for chain in study.jobs.every_chain():
        for job in chain:
            branch = root
            for name in _place(job):
                branch = branch.below.setdefault(name, Branch())
            if job.output not in branch.own:
                branch.own[job.output] = study.resources.estimate(job.step, wildcards_of(job))[0]
    return root


def wildcards_of(job: Job) -> SimpleNamespace:
    """Return what the workflow's rules require of a job; empty where it has none.

    Its attributes are dataset, split, ensemble, ranker, evaluator, point and chain.
    """
    ranker = job.ranker
    return SimpleNamespace(
        dataset=job.data.key,
        split=job.split.key if job.split else "",
        ensemble=ranker.ensemble_key if ranker and ranker.ensemble else "",
        ranker=ranker.folder if ranker else "",
        evaluator=job.evaluator.key if job.evaluator else "",
        point=job.point.key if job.point else "",
        chain=job.chain.key if job.chain else "",
    )


def _place(job: Job) -> list[str]:
    """Return a job's place in the tree, outermost first."""
    place = [job.data.key]
    if job.step == "column_order":
        return [*place, job.step]
    if job.split is not None and (job.point or job.chain):  # a method may be tuned with another's points
        return [*place, f"{job.split.key}/chains", *([job.chain.key] if job.chain else [])]
    if job.split is None or job.ranker is None:  # prepare, discretise
        return place
    place.append(f"{job.split.key}/{job.ranker.ensemble_key if job.ranker.ensemble else ''}")
    if job.step == "grow":
        return place
    place.append(job.ranker.folder)
    if job.evaluator is not None:
        place.append(job.evaluator.key)
    return place


def _packed(branches: Iterable[Branch], minutes: float, jobs: int) -> Iterator[list[str]]:
    """Yield the outputs of each batch of some branches that begin at one place.

    Branches that fit are packed in their order, until the next would be too much; one that does not fit is
    divided into what it begins with and what is below.
    """
    batch: list[str] = []
    taken = 0.0
    for branch in branches:
        outputs, needed = list(branch.outputs()), branch.minutes
        if needed > minutes or len(outputs) > jobs:
            if sum(branch.own.values()) <= minutes and len(branch.own) <= jobs:
                yield list(branch.own)
            yield from _packed(branch.below.values(), minutes, jobs)
            continue
        if taken + needed > minutes or len(batch) + len(outputs) > jobs:
            yield batch
            batch, taken = [], 0.0
        batch += outputs
        taken += needed
    yield batch
