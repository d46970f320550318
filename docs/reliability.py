"""Write docs/reliability.md from what ``make test-faults`` found.

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

What happens to a study when something goes wrong, tried out rather than promised. Each trial takes a small
study, makes one fault in it while it runs, gives the same `snakemake` command again until it ends well, and
compares every table, figure and array file with those of an undisturbed run, byte for byte. (Times, dates,
and the figure and the page that show them, `efficiency.svg` and `report.html`, differ by nature.)

Made by `make test-faults`, and this page from its findings, [reliability.json](reliability.json), by
`python docs/reliability.py`.
"""

HOW = """\
## How

- **Kills.** A file is written under another name and renamed when it is complete. Snakemake makes again
  what was being made. Its locks of a killed run are taken away as soon as no run is alive in the folder, so
  that no `--unlock` is needed; on file systems without locks, and after a run on another machine, it still
  is.
- **Damaged files.** Every file that a study writes has its checksum beside it (`.NAME.sha256`, which
  `sha256sum -c` reads). A file that no longer agrees with it is removed when it is read, the job fails with
  one line that names it, and the next run makes it anew. That includes a table that was edited by hand:
  edit a copy. A file without such a record, as your own are, is never removed. Logs and Snakemake's tables
  of times have none; `timings.csv` is made of them.
- **What is not noticed.** A table that has lost its record as well as some of its rows, and two files that
  change places with their records. Checksums tell decay, not tampering.
- **Full disk, read-only folder.** One line, and nothing half-written. Free some space and give the same
  command again. If Snakemake's own folder (`.snakemake`) is on the full disk, it may end with an error of
  its own.
- **Clocks.** Snakemake takes an output that seems older than its input for a failure. Before a run, files
  of the study with a time in the future get the time of now, in their order. A clock that is set back
  during a run makes jobs fail; the next run makes them again. Your own data files keep their times: one
  that lies in the future is named, and nothing starts.
- **Downloads.** What broke off is asked for from where it ended, three times at most, with pauses that double
  or last as long as the server wishes. A file is used if its checksum is right. A study goes on without a
  set that cannot be had, says so, and the same command looks for it again. A mirror that goes away makes
  the jobs that need it fail, one line each.
- **Two runs.** The second is refused by Snakemake's lock, or with one line before it could alter the
  settings of the first.
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
        "of them kills (`kill -9`) that landed in a live job": len(kills),
        "rules whose jobs were alive then": len(_rules(kills)),
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
        f"Tried with {ran_on}.",
        "",
        "## Faults",
        "",
        "| fault | trials | recovered | rules whose jobs were alive, or that read the file |",
        "| --- | ---: | ---: | --- |",
        *_faults(trials),
        "",
        f"Kinds of file that were damaged: {', '.join(files)}.",
        "",
        *_skipped(found["skipped"]),
        "## Readers",
        "",
        *(readers or ["They were not fuzzed in this campaign; `make fuzz` does it alone."]),
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
    return [f"Not tried here: {'; '.join(reasons)}.", ""]


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
