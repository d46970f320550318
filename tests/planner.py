"""Many dry runs at the price of one start: a process that has imported Snakemake forks for each of them.

with Planner(folder) as planner:
    counts = planner.planned(configuration, raised="ranker pct")
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import yaml


class Planner:
    """Plans on one project folder.

    Parameters
    ----------
    folder : Path
        The project; nothing in it is changed but ``study.yaml``.
    package : Path, optional
        A folder that holds another mlsieve to plan with.
    """

    def __init__(self, folder: Path, package: Path | None = None) -> None:
        self._folder = folder
        environment = {key: value for key, value in os.environ.items() if key != "MLSIEVE_CACHE"}
        if package is not None:
            environment["PYTHONPATH"] = str(package)
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Planner:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def planned(self, configuration: dict, *options: str, raised: str = "") -> Counter[str]:
        """Return the number of jobs of each rule that a dry run plans.

        Parameters
        ----------
        configuration : dict
            The study's.
        *options : str
            Further options of Snakemake.
        raised : str
            A method or step, such as ``ranker pct``, whose version is one more in this run.
        """
        from workflow_project import job_counts

        (self._folder / "study.yaml").write_text(yaml.safe_dump(configuration, sort_keys=False))
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"options": options, "raised": raised}) + "\n")
        self._process.stdin.flush()
        status, said = json.loads(self._process.stdout.readline())
        assert status == 0, said
        return job_counts(said)


def raise_version(raised: str) -> None:
    """Raise a version in this process: that of a method, ``ranker pct``, or a step, ``step rank``."""
    kind, name = raised.split()
    if kind == "step":
        from mlsieve.study import STEPS

        STEPS[name] = dataclasses.replace(STEPS[name], version=STEPS[name].version + 1)
    else:
        from mlsieve.registry import lookup

        entry = lookup(kind, name)
        object.__setattr__(entry, "version", entry.version + 1)  # it is frozen for all others


def _serve() -> None:
    import snakemake.cli

    from mlsieve.registry import entries

    for kind in ("ranker", "evaluator", "measure", "question"):
        entries(kind)
    for line in sys.stdin:
        asked = json.loads(line)
        with tempfile.TemporaryFile("w+") as said:
            child = os.fork()
            if child == 0:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                if asked["raised"]:
                    raise_version(asked["raised"])
                options = ["--cores", "2", *asked["options"], "-n", "--configfile", "study.yaml"]
                sys.argv = ["snakemake", *options]
                snakemake.cli.main(options)
                sys.exit(0)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            print(json.dumps([status, said.read()]), flush=True)


if __name__ == "__main__":
    _serve()
