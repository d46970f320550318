"""Where a study's files lie."""

from __future__ import annotations

from mlsieve.study.parts import beside
from mlsieve.study.steps import STEPS


class Paths:
    """Paths of outputs, logs and benchmark tables.

    Parameters
    ----------
    cache : str
        Folder of the files that studies share.
    folder : str
        The study's own folder.
    """

    def __init__(self, cache: str, folder: str) -> None:
        self.cache, self.folder = cache.rstrip("/"), folder

    def of(self, step: str, **wildcards: str) -> str:
        """Return a job's output; wildcards that are not given stay in braces, as in a rule's `output`."""
        given = {name: wildcards.get(name, f"{{{name}}}") for name in STEPS[step].wildcards}
        return f"{self.cache}/{STEPS[step].output.format(**given)}"

    def table(self, name: str) -> str:
        """Return a file of the study's own folder."""
        return f"{self.folder}/{name}"

    def log(self, step: str) -> str:
        """Return a step's log, with the wildcards of its jobs in braces."""
        return self._beside(step, ".log")

    def benchmark(self, step: str) -> str:
        """Return a step's benchmark table, with the wildcards of its jobs in braces."""
        return self._beside(step, ".tsv")

    def _beside(self, step: str, suffix: str) -> str:
        if STEPS[step].summary:
            return self.table(f"logs/{step}{suffix}")
        return beside(self.of(step), step, suffix)
