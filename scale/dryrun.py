"""What planning costs Snakemake: dry runs of the studies with each dataset several times.

    python -m scale.dryrun --times 1 10 -o scale/dryruns.json

All copies of a dataset are one small file of the project's own, so that nothing has to be found first and
the whole graph of jobs is built.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from mlsieve.configuration.merge import load_configuration
from mlsieve.study import Study

ROOT = Path(__file__).resolve().parents[1]
STUDIES = ("mlc_ranking", "hmlc_ranking", "scls_selection")


def copied(name: str, times: int, folder: Path) -> dict[str, Any]:
    """Return a study's configuration with each of its datasets so many times, all of them one small file.

    Parameters
    ----------
    name : str
        Of a file in config/studies, without its ending.
    times : int
    folder : Path
        Where the small file, and one with a hierarchy, are written.
    """
    default = ROOT / "config" / "config.yaml"
    configuration = load_configuration(ROOT / "config" / "studies" / f"{name}.yaml", default=default)
    study = Study(configuration)
    (folder / "rows.csv").write_text("x,first,second\n1,0,1\n2,1,0\n")
    (folder / "edges.txt").write_text("root\tfirst\nroot\tsecond\n")
    files: dict[str, Any] = {"train": "rows.csv", "test": "rows.csv", "label_count": -2}
    datasets = []
    for data in study.content.datasets.values():
        hierarchy = {"hierarchy": "edges.txt"} if study.content.task_of(data) == "hmlc" else {}
        for copy in range(times):
            datasets.append({"id": data.id if copy == 0 else f"{data.id}-{copy}", **files, **hierarchy})
    analysis = {key: value for key, value in configuration["analysis"].items() if key != "worked_example"}
    return configuration | {"datasets": datasets, "analysis": analysis, "leave_out": []}


def dry_run(name: str, times: int) -> dict[str, Any]:
    """Return jobs, seconds, CPU seconds and megabytes (10^6 bytes, at the most) of a dry run."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        (folder / "study.yaml").write_text(yaml.safe_dump(copied(name, times, folder), sort_keys=False))
        words = [sys.executable, "-m", "snakemake", "-n", "--quiet", "rules", "--cores", "1"]
        words += ["--snakefile", str(ROOT / "Snakefile"), "--profile", str(ROOT / "profiles" / "default")]
        words += ["--directory", text, "--configfile", str(folder / "study.yaml")]
        start = time.monotonic()
        with (folder / "said.txt").open("wb") as said:
            child = subprocess.Popen(words, stdout=said, stderr=said)
            _, status, used = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        text = (folder / "said.txt").read_text()
        if status:
            raise SystemExit(f"scale.dryrun: the dry run of {name} failed:\n{text[-3000:]}")
        total = re.search(r"^total\s+(\d+)$", text, re.M)
        if total is None:
            raise SystemExit(f"scale.dryrun: the dry run of {name} tells no number of jobs:\n{text[-3000:]}")
    return {
        "study": name,
        "times": times,
        "jobs": int(total[1]),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "megabytes": round(used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6),
    }


def main() -> int:
    """Measure and write a JSON file; measurements of other studies and sizes stay in it."""
    parser = argparse.ArgumentParser(prog="python -m scale.dryrun", description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--studies", nargs="+", choices=STUDIES, default=STUDIES)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "scale" / "dryruns.json")
    arguments = parser.parse_args()
    known = json.loads(arguments.output.read_text()) if arguments.output.is_file() else []
    found = {(row["study"], row["times"]): row for row in known}
    for times in arguments.times:
        for name in arguments.studies:
            row = dry_run(name, times)
            print(json.dumps(row), flush=True)
            found[name, times] = row
            rows = [found[key] for key in sorted(found)]
            arguments.output.write_text("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
