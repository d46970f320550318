"""Try an installed wheel as a newcomer would: the README's examples, and a study.

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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_examples import commands, examples, write_files

OTHERS = """\
mlsieve --version
mlsieve chain digits-mlc --method cc --set base=decision-tree -o chain.csv
mlsieve study init my_study
"""
STUDY = """\
mlsieve study init my_study
cd my_study
mlsieve study plan study.yaml
mlsieve study run study.yaml --cores 2
test -s results/my_study/report.html
test -s results/my_study/tests.csv
"""


def main() -> int:
    """Run the examples that need no study, then a study; return 0, or 1 after one that failed."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MLSIEVE_")}
    environment["PATH"] = path
    without_study = "--without-study" in sys.argv

    def started(language: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
        start = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}[language]
        return subprocess.run(
            [*start, text], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    parts = [(example["language"], example["text"], example) for example in examples("README.md")]
    if without_study:
        parts = [part for part in parts if "mlsieve study" not in part[1]]
    parts += [("sh", OTHERS, None)] + ([] if without_study else [("sh", STUDY, None)])
    for language, text, example in parts:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            if example:
                write_files(example, folder, lambda folder: started("sh", "mlsieve example", folder))
            done = started(language, text, folder)
        for command in commands(text) if language == "sh" else [text.splitlines()[-1]]:
            print(f"{'FAILED' if done.returncode else 'ok    '} {command}", flush=True)
        if done.returncode:
            print(done.stdout, done.stderr, sep="\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
