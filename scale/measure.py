"""Run studies and write what each of their jobs used, as the operating system counts it.

    python -m scale.measure config/studies/mlc_ranking.yaml --only emotions,scene --folder build/scale

timings.csv is no substitute: Snakemake looks at a job every half minute after the first seconds, so that CPU
seconds and the peak of memory of a longer job are those of its last look. Here the process that waits for a
job is told both.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Stands before the real command on the search path.
WATCHER = """\
#!{python}
import json, os, sys, time

start = time.monotonic()
child = os.posix_spawn({command!r}, [{command!r}, *sys.argv[1:]], os.environ)
_, status, used = os.wait4(child, 0)
wall = time.monotonic() - start
words = sys.argv[1:]
named = [word for word in ("-o", "--cuts", "--performance", "--tests", "--available") if word in words]
output = words[words.index(named[0]) + 1] if named else ""
row = {{
    "step": words[0],
    "output": output,
    "seconds": wall,
    "cpu_seconds": used.ru_utime + used.ru_stime,
    "megabytes": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6,
    "bytes": os.path.getsize(output) if os.path.isfile(output) else 0,
    "words": words,
    "status": status,
}}
with open({records!r}, "a", encoding="utf-8") as stream:
    stream.write(json.dumps(row) + "\\n")
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run_watched(study: Path, folder: Path, only: str | None, cores: int) -> Path:
    """Run a study in a folder of its own; return the file with a line of JSON for each job.

    Parameters
    ----------
    study : Path
        Its configuration file.
    folder : Path
        Where results go; jobs that are done there are not run, nor measured, again.
    only : str or None
        Datasets to run, with commas between.
    cores : int
    """
    command = shutil.which("mlsieve")
    if command is None:
        raise SystemExit("scale.measure: the command mlsieve is not on the search path")
    folder = folder.resolve()
    records, watcher = folder / "records.jsonl", folder / "bin" / "mlsieve"
    watcher.parent.mkdir(parents=True, exist_ok=True)
    watcher.write_text(WATCHER.format(python=sys.executable, command=command, records=str(records)))
    watcher.chmod(0o755)
    environment = {**os.environ, "PATH": os.pathsep.join([str(watcher.parent), os.environ["PATH"]])}
    words = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--directory", str(folder)]
    words += ["--snakefile", str(ROOT / "Snakefile"), "--profile", str(ROOT / "profiles" / "default")]
    words += ["--configfile", str(ROOT / "config" / "config.yaml"), str(study.resolve())]
    words += ["--config", f"only={only}"] if only else []
    subprocess.run(words, env=environment, check=False)
    return records


def main() -> int:
    """Run the studies that are named; `scale.table` makes jobs.csv of the records."""
    parser = argparse.ArgumentParser(prog="python -m scale.measure", description=__doc__.split("\n")[0])
    parser.add_argument("studies", type=Path, nargs="+", metavar="STUDY.yaml")
    parser.add_argument("--only", help="datasets to run, with commas between; default all")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "scale")
    parser.add_argument("--cores", type=int, default=1)
    arguments = parser.parse_args()
    for study in arguments.studies:
        print(run_watched(study, arguments.folder, arguments.only, arguments.cores))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
