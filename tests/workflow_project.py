"""A project folder in which the real Snakefile runs, with the real command or one that only writes files."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]

TINY = {
    "study": "tiny",
    "datasets": ["synthetic-linear", "synthetic-interaction"],
    "methods": [
        {
            "id": "pct",
            "ensembles": ["random-forest"],
            "scores": ["symbolic", "genie3"],
            "sizes": [2, 4],
            "score_params": {"alpha": 0.5},
        },
        {"id": "uniform"},
    ],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 5, "ranges": "all"}}],
    "figures": {"formats": ["svg"]},
}

# Selectors on seeded splits, all of them in one job.
SELECTING = {
    "study": "selecting",
    "datasets": ["synthetic-linear", "synthetic-interaction"],
    "split": {"kind": "holdout", "train_share": 0.8, "repeats": 3, "repeats_per_job": 3},
    "methods": [
        {"id": "scls"},
        {"id": "ami", "params": {"form": "mean"}},
        {"id": "ami", "name": "ami-printed", "params": {"form": "printed"}},
        {"id": "mlcfs"},
        {"id": "uniform", "name": "all-features", "select": "all"},
        {"id": "no-label"},
    ],
    "evaluators": [{"id": "mlnb", "params": {"points": 3}}],
    "measures": ["hamming-loss"],
    "analysis": {"questions": ["comparison"]},
    "figures": {"formats": ["svg"]},
}

# Classes of a hierarchy, with every question of the hierarchical study.
HIERARCHICAL = {
    "study": "hierarchical",
    "task": "hmlc",
    "datasets": ["digits-hmlc", "synthetic-hierarchical"],
    "methods": [
        {"id": "pct", "ensembles": ["bagging"], "scores": ["genie3", "permutation"], "sizes": [2, 4]},
        {
            "id": "pct",
            "ensembles": ["extra-trees"],
            "scores": ["genie3"],
            "sizes": [2, 4],
            "ensemble_params": {"max_features": "sqrt"},
        },
        {
            "id": "pct",
            "name": "all-features",
            "ensembles": ["extra-trees"],
            "scores": ["genie3"],
            "sizes": [2, 4],
            "ensemble_params": {"max_features": "all"},
        },
        {"id": "relief", "sizes": [10, 100], "params": {"k": 5}},
        {"id": "uniform"},
    ],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 5, "ranges": "all"}}],
    "measures": ["pooled-auprc", "hierarchical-f1"],
    "definition": "paper",
    "analysis": {
        "questions": [
            "saturation",
            "convergence",
            "relevance",
            "ensemble",
            "relief",
            "score",
            "score-order",
            "candidates",
            "efficiency",
            "similarity",
        ],
        "choice": "own",
        "measures": ["pooled-auprc"],
        "rounding": {"significant": 3},
        "relief_test": "wilcoxon",
    },
    "figures": {"formats": ["svg"]},
}

# Methods that predict label sets: tuned, with another's parameters, in another's order, and without a grid.
CHAINS = {
    "study": "chains",
    "datasets": ["synthetic-linear", "synthetic-interaction"],
    "methods": [],
    "evaluators": [],
    "measures": ["hamming-accuracy", "f1"],
    "chains": [
        {
            "id": "rdt-dcc",
            "name": "rdt",
            "params": {"trees": 5},
            "variants": [
                {"name": "rdt-dynamic", "curve": {"sigma": [0, 1]}},
                {"name": "rdt-static", "params": {"order": "random"}, "draws": 2},
            ],
        },
        {
            "id": "xdcc",
            "params": {"rounds": 2},
            "grid": {"depth": [2, 3]},
            "variants": [
                {"name": "xdcc-program-standard", "params": {"cumulate": "none"}},
                {
                    "name": "xdcc-program-cumulated",
                    "params": {"cumulate": "sum"},
                    "curve": {"chain_length": "all"},
                },
            ],
        },
        {"id": "cc", "name": "cc-true", "params": {"base": "ml-xgb", "trees": 2}, "grid": {"depth": [2, 3]}},
        {"id": "cc", "params": {"base": "ml-xgb", "trees": 2}, "tuned_with": "cc-true", "order_of": "xdcc"},
        {"id": "lp", "datasets": ["synthetic-linear"]},
    ],
    "analysis": {"questions": ["chain-methods"]},
    "figures": {"formats": ["svg"]},
}

# Writes what a rule declares, in milliseconds: the workflow's own logic is tested, not the methods.
STAND_IN = """\
#!/bin/sh
command=$1; shift
name=$1
echo "stand-in for mlsieve $command" >&2
while [ $# -gt 0 ]; do
  case "$1" in
    -o|--performance|--rankings|--skipped|--timings|--tests|--ranks|--choices|--findings|--counts|--provenance|--index|--unavailable|--curves|--means|--summary|--columns|--leaderboard|--leaderboard-tests)
      if [ "$command" = figures ] && [ "$1" != --index ]; then
        if [ "$1" = -o ]; then mkdir -p "$2"; echo "$command" > "$2/one.svg"; fi
      elif [ "$command" = similarity ] && [ "$1" = --choices ]; then :
      elif [ "$command" = compare ] && [ "$1" = --rankings ]; then :
      else mkdir -p "$(dirname "$2")"; echo "$command" > "$2"; fi ;;
    --runs|--tuning|--steps|--orders)
      if [ "$command" = chain-tables ]; then mkdir -p "$(dirname "$2")"; echo "$command" > "$2"; fi ;;
    --paper) mkdir -p "$2"; echo "$command" > "$2/methods.md" ;;
    --cuts) if [ "$command" = discretise ]; then mkdir -p "$(dirname "$2")"; echo "$command" > "$2"; fi ;;
    --available) printf 'dataset,source\\n' > "$2" ;;
  esac
  shift
done
"""


def with_value(study: dict, *path: str | int, value: object) -> dict:
    """Return a study's configuration with another value at a path of keys and positions."""
    configuration = copy.deepcopy(study)
    target = configuration
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return configuration


@dataclass
class Project:
    """A project folder."""

    folder: Path
    stand_in: bool = True
    environment: dict[str, str] = field(default_factory=dict)
    patience: float = 600.0  # seconds that a run may take
    program: tuple[str, ...] = ("-m", "snakemake")  # what Python runs

    def configure(self, configuration: dict) -> None:
        """Write the study's configuration file."""
        (self.folder / "study.yaml").write_text(yaml.safe_dump(configuration, sort_keys=False))

    def snakemake(self, *options: str, configured: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Snakemake in the folder."""
        return subprocess.run(
            self._command(options, configured),
            cwd=self.folder,
            env=self.variables(),
            capture_output=True,
            text=True,
            timeout=self.patience,
            check=False,
        )

    def start(self, *options: str, **settings: Any) -> subprocess.Popen[str]:
        """Start Snakemake in a session of its own, with one pipe for all that it says, without waiting.

        Parameters
        ----------
        *options : str
            Of Snakemake.
        **settings
            Of Popen, instead of these.
        """
        usual: dict[str, Any] = {
            "cwd": self.folder,
            "env": self.variables(),
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
            "text": True,
            "start_new_session": True,
        }
        return subprocess.Popen(self._command(options, True), **usual | settings)

    def variables(self) -> dict[str, str]:
        """Return the environment of the project's commands."""
        path = [str(Path(sys.executable).parent), os.environ["PATH"]]
        if self.stand_in:
            path.insert(0, str(self.folder / "bin"))
        own = {name: value for name, value in os.environ.items() if name != "MLSIEVE_CACHE"}
        return {**own, "PATH": os.pathsep.join(path), **self.environment}

    def _command(self, options: Sequence[str], configured: bool) -> list[str]:
        command = [sys.executable, *self.program, "--cores", "2", *options]
        return [*command, "--configfile", "study.yaml"] if configured else command

    def planned(self, *options: str) -> Counter[str]:
        """Return the number of jobs of each rule that a dry run plans."""
        done = self.snakemake("-n", *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return job_counts(done.stdout + done.stderr)


def job_counts(text: str) -> Counter[str]:
    """Read Snakemake's first table of jobs by rule."""
    found: Counter[str] = Counter()
    table = re.search(r"^Job stats:\n(.*?)\n\n", text, re.S | re.M)
    for line in (table[1] if table else "").splitlines():
        words = line.split()
        if len(words) == 2 and words[1].isdigit() and words[0] not in {"total", "default", "all"}:
            found[words[0]] = int(words[1])
    return found


def make_project(folder: Path, stand_in: bool = True) -> Project:
    """Copy the workflow into a folder."""
    for name in ("workflow", "config", "profiles", "envs"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "Snakefile", folder / "Snakefile")
    if stand_in:
        command = folder / "bin" / "mlsieve"
        command.parent.mkdir()
        command.write_text(STAND_IN)
        command.chmod(0o755)
    project = Project(folder, stand_in)
    project.configure(TINY)
    return project
