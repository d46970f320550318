"""Write docs/reliability.md from the findings of ``make test-faults``.

    python docs/reliability.py [results/reliability.json]

The findings are kept in docs/reliability.json; without an argument the page is made from those.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
RECOVERED, LOST, CORRUPT = "recovered", "lost result", "silent corruption"


HEAD = """\
# Reliability

This page shows what happens to a study when something goes wrong. The results come from
experiments. Each trial runs a small study and causes one fault during the run. It then repeats the
same `snakemake` command until the study is complete, and compares every table, figure and array
file with those of an undisturbed run, byte for byte. Times, dates, and what shows times
(`efficiency.svg`, `sections.json`, `report.html` and the texts for a paper) differ by nature and are not
compared.
"""

HOW = """\
## Explanations

- **Kills.** Every file is written under a temporary name and renamed when it is complete. Snakemake
  repeats interrupted jobs. mlsieve removes the locks of a killed run as soon as no run is active in
  the folder, so that you need no `--unlock`. You still need it on file systems without locks, and
  after a run on another machine.
- **Damaged files.** Every file that a study writes has a checksum next to it (`.NAME.sha256`, which
  `sha256sum -c` reads). If a file does not match its checksum, the job that reads it removes it and
  fails with one line that names it, and the next run makes it again. This includes tables that were
  edited by hand, so edit a copy. Files without a checksum, such as your own, are never removed.
  Logs and Snakemake's tables of times have no checksum; `timings.csv` is made from them.
- **Exchanged files.** The record of a checksum also has the file's place in the results or the cache, so a
  file that was exchanged for another one together with its record is removed like a damaged one. The
  rows of each table of scores are compared with the jobs of the study: a row that is missing or occurs
  twice ends the job with one line. Checksums detect accidents, not manipulation.
- **Your own files.** The content of your data files decides, and no time does: a file that was replaced,
  with its time set back, gives new results, and projects that share a cache never take each other's
  data for their own ([reruns.md](reruns.md#one-cache-for-several-projects-versions-and-users)).
- **Links.** A run ends with one line if the study's folder of results, a dataset's folder of the cache or
  `.snakemake` is a link, or contains one that leads out of it.
- **Full disk, read-only folder.** The job fails with one line and leaves no incomplete file. Free
  some space and run the same command again. If Snakemake's own folder (`.snakemake`) is on the full
  disk, Snakemake may end with an error of its own.
- **Clocks.** Snakemake treats an output that seems older than its input as a failure. Before a run,
  files of the study with a time in the future therefore get the current time, in their order. If
  the clock is set back during a run, jobs fail and the next run repeats them.
- **Downloads.** An interrupted download continues where it ended. There are at most three attempts,
  with pauses that double or last as long as the server requests. A file is only used if its
  checksum is right. A study continues without a dataset that is not available and reports it; the
  same command looks for it again. If a mirror becomes unavailable, the jobs that need it fail with
  one line each.
- **Two runs.** A second run in the same folder stops at Snakemake's lock, or with one line before
  it could change the settings of the first.

## How this page is made

`make test-faults` runs the trials. `python docs/reliability.py` makes this page from its findings,
[reliability.json](reliability.json).
"""


def page(found: dict[str, Any]) -> str:
    """Return docs/reliability.md.

    Parameters
    ----------
    found : mapping
        The content of reliability.json: ``versions``, ``trials``, ``skipped`` and ``fuzz``.
    """
    trials, fuzz = found["trials"], found["fuzz"]
    kills = [trial for trial in trials if trial["fault"].startswith("kill -9")]
    numbers = {
        "kinds of fault": len({_kind(trial) for trial in trials}),
        "trials": len(trials),
        "trials with `kill -9` during a job": len(kills),
        "rules of these jobs": len(_rules(kills)),
        "lost results": sum(trial["outcome"] == LOST for trial in trials),
        "silent corruptions": sum(trial["outcome"] == CORRUPT for trial in trials),
    }
    if fuzz:
        numbers["inputs fuzzed"] = sum(reader["inputs"] for reader in fuzz.values())
        numbers["crashes of readers"] = sum(reader["crashes"] for reader in fuzz.values())
    files = sorted({trial["fault"].partition(": ")[2] for trial in trials} - {""})
    readers = ["| reader | inputs | crashes | seconds |", "| --- | ---: | ---: | ---: |"] if fuzz else []
    readers += [
        f"| {name} | {reader['inputs']:,} | {reader['crashes']} | {reader['seconds']:.0f} |"
        for name, reader in fuzz.items()
    ]
    ran_on = ", ".join(f"{name} {value}" for name, value in found["versions"].items())
    lines = [
        HEAD,
        "| | |",
        "| --- | ---: |",
        *(f"| {name} | {number:,} |" for name, number in numbers.items()),
        "",
        f"The versions were {ran_on}.",
        "",
        "## Faults",
        "",
        "| fault | trials | recovered | rules of the jobs that ran then, or that read the file |",
        "| --- | ---: | ---: | --- |",
        *_faults(trials),
        "",
        f"These kinds of files were damaged: {', '.join(files)}.",
        "",
        *_skipped(found["skipped"]),
        "## Readers",
        "",
        *(readers or ["The readers were not fuzzed in this campaign. `make fuzz` fuzzes them."]),
        "",
        HOW,
    ]
    return "\n".join(lines)


def _rules(trials: list[dict[str, Any]]) -> list[str]:
    return sorted({rule for trial in trials for rule in trial["rule"].split("+")})


def _kind(trial: dict[str, Any]) -> str:
    """Return the kind of fault, whatever file it hit."""
    return trial["fault"].partition(": ")[0]


def _faults(trials: list[dict[str, Any]]) -> list[str]:
    of_kind = defaultdict(list)
    for trial in trials:
        of_kind[_kind(trial)].append(trial)
    rows = []
    for fault, some in sorted(of_kind.items()):
        recovered = sum(trial["outcome"] == RECOVERED for trial in some)
        rows.append(f"| {fault} | {len(some)} | {recovered} | {', '.join(_rules(some))} |")
    return rows


def _skipped(skipped: list[dict[str, str]]) -> list[str]:
    if not skipped:
        return []
    reasons = sorted({item["reason"] for item in skipped})
    return [f"Parts of the trials were left out: {'; '.join(reasons)}.", ""]


def main(words: list[str]) -> int:
    """Copy the findings to docs/ if they are given, and write the page."""
    kept = DOCS / "reliability.json"
    if words:
        shutil.copyfile(words[0], kept)
    found = json.loads(kept.read_text(encoding="utf-8"))
    (DOCS / "reliability.md").write_text(page(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
