"""Try an installed wheel as a newcomer would: an example, a ranking, an evaluation, a study.

Run it with the Python that has mlsieve installed. It works in a temporary folder, needs no network, and ends
with status 1 and the output of the command that failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

COMMANDS = (
    "mlsieve --version",
    "mlsieve example",
    "mlsieve rank mydata.arff --labels mydata.xml --method pct --trees 20 -o ranking.csv",
    "mlsieve evaluate mydata.arff --labels mydata.xml --method pct:trees=10 uniform --cv 3 -o scores.csv",
    "mlsieve chain digits-mlc --method cc --set base=decision-tree -o chain.csv",
    "mlsieve study init my_study",
)
STUDY = ("mlsieve study plan study.yaml", "mlsieve study run study.yaml --cores 2")
RESULTS = ("ranking.csv", "scores.csv", "chain.csv", "my_study/study.yaml")


def main() -> int:
    """Run the commands; return 0, or 1 after one that failed or left no result."""
    scripts = sysconfig.get_path("scripts")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MLSIEVE_")}
    environment["PATH"] = os.pathsep.join([scripts, environment.get("PATH", os.defpath)])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        steps = [(command, folder) for command in COMMANDS]
        wanted = list(RESULTS)
        if "--without-study" not in sys.argv:
            steps += [(command, folder / "my_study") for command in STUDY]
            wanted += [f"my_study/results/my_study/{name}" for name in ("report.html", "tests.csv")]
        for command, where in steps:
            done = subprocess.run(
                command.split(), cwd=where, env=environment, capture_output=True, text=True, check=False
            )
            print(f"{'ok    ' if done.returncode == 0 else 'FAILED'} {command}", flush=True)
            if done.returncode:
                print(done.stdout, done.stderr, sep="\n")
                return 1
        missing = [name for name in wanted if not (folder / name).is_file()]
        print(*(f"FAILED {name} was not written" for name in missing), sep="\n", end="")
        return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
