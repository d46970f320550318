"""Every kind of fault in small studies, with what came of it, in one JSON file.

    python -m tests.faults.run -o results/reliability.json [--only kills damage] [--fuzz-minutes 10]

``docs/reliability.py`` makes docs/reliability.md of it. With ``--join`` several such files become one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mlsieve.files import write_text
from tests.faults import clocks, damage, kills, places
from tests.faults.trials import RECOVERED, Finished, NotPossibleHere, Trial
from tests.workflow_project import ROOT

KILLED = {
    "trees": ["prepare", "grow", "rank", "predict", "score", "collect", "compare", "figures", "report"],
    "selectors": ["discretise", "rank", "evaluate"],
}
DAY = 86400.0
Studies = dict[str, Finished]
Made = Iterator[Callable[[], list[Trial]]]


def of_kills(studies: Studies, seed: int) -> Made:
    """Yield chains of killed runs; three seeds bring every rule together with every mode."""
    for name, rules in KILLED.items():
        for number in range(3 * seed, 3 * seed + 3):
            yield lambda name=name, rules=rules, number=number: kills.chain_of_kills(
                studies[name], rules, number
            )


def of_damage(studies: Studies, seed: int) -> Made:
    """Yield the trials of damaged files."""
    for study in studies.values():
        for mode in damage.MODES:
            yield lambda study=study, mode=mode: damage.damage_trials(study, mode, seed)


def of_places(studies: Studies, seed: int) -> Made:
    """Yield the trials of places that cannot be written, and of two runs at once."""
    trees = studies["trees"]
    for share in (0.2, 0.5, 0.8):
        yield lambda share=share: [places.full_disk_trial(trees, share, seed)]
    for rule in ("grow", "report"):
        yield lambda rule=rule: [places.read_only_trial(trees, rule, seed)]
    for rule in ("predict", "compare"):
        for other in (False, True):
            yield lambda rule=rule, other=other: [places.two_runs_trial(trees, rule, seed, other)]


def of_clocks(studies: Studies, seed: int) -> Made:
    """Yield the trials of clocks that jump."""
    trees = studies["trees"]
    for rule, days in (("predict", 400.0), ("compare", 0.05)):
        yield lambda rule=rule, days=days: [clocks.between_runs_trial(trees, rule, days * DAY, seed)]
    for rule, days in (("predict", 30.0), ("predict", -1.0), ("compare", -0.05)):
        yield lambda rule=rule, days=days: [clocks.within_run_trial(trees, rule, days * DAY, seed)]
    for days in (30.0, -30.0):
        yield lambda days=days: [clocks.whole_run_trial(trees, days * DAY, seed)]


PARTS = {"kills": of_kills, "damage": of_damage, "places": of_places, "clocks": of_clocks}


def fuzz(minutes: float) -> dict[str, Any]:
    """Return what fuzzing the readers found: inputs, crashes and seconds of each."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "fuzz.json"
        command = [sys.executable, "-m", "tests.fuzz.run", "--minutes", str(minutes), "-o", str(output)]
        subprocess.run(command, cwd=ROOT, check=True)
        return json.loads(output.read_text(encoding="utf-8"))


def joined(files: list[str]) -> dict[str, Any]:
    """Return one result of several."""
    whole: dict[str, Any] = {"versions": {}, "trials": [], "skipped": [], "fuzz": {}}
    for file in files:
        part = json.loads(Path(file).read_text(encoding="utf-8"))
        whole["versions"] |= part["versions"]
        whole["fuzz"] |= part["fuzz"]
        for name in ("trials", "skipped"):
            whole[name] += part[name]
    return whole


def versions() -> dict[str, str]:
    """Return what the trials ran on."""
    from importlib.metadata import version

    found = {name: version(name) for name in ("snakemake", "numpy", "scikit-learn")}
    return {"python": platform.python_version(), "system": platform.system(), **found}


def campaign(parts: list[str], seeds: int, folder: Path) -> tuple[list[Trial], list[dict[str, str]]]:
    """Return all trials of the parts, and the faults that this machine does not let anyone make."""
    needed = KILLED if {"kills", "damage"} & set(parts) else ["trees"]
    studies = {name: Finished.make(name, folder) for name in needed}
    trials: list[Trial] = []
    skipped: list[dict[str, str]] = []
    for part, seed in itertools.product(parts, range(seeds)):
        for make in PARTS[part](studies, seed):
            try:
                made = make()
            except NotPossibleHere as reason:
                skipped.append({"part": part, "reason": str(reason)})
                continue
            trials += made
            for found in made:
                print(f"{found.outcome}: {found.fault}, {found.rule}: {found.detail[:300]}", flush=True)
    return trials, skipped


def main() -> int:
    """Run the parts; exit with 1 if a result was lost, or corrupted in silence, or a reader crashed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("-o", "--output", default="results/reliability.json")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts to run")
    parser.add_argument("--seeds", type=int, default=1, help="how often each trial is made, with other seeds")
    parser.add_argument("--fuzz-minutes", type=float, default=0.0, help="fuzz the readers as well")
    parser.add_argument("--join", nargs="+", metavar="JSON", help="only join results of earlier runs")
    args = parser.parse_args()
    if args.join:
        whole = joined(args.join)
    else:
        folder = Path(tempfile.mkdtemp(prefix="mlsieve-faults-"))
        trials, skipped = campaign(args.only, args.seeds, folder)
        if all(found.outcome == RECOVERED for found in trials):
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"the projects of the trials that failed are in {folder}", file=sys.stderr)
        whole = {
            "versions": versions(),
            "trials": [found.as_dict() for found in trials],
            "skipped": skipped,
            "fuzz": fuzz(args.fuzz_minutes) if args.fuzz_minutes else {},
        }
    write_text(args.output, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    bad = [found for found in whole["trials"] if found["outcome"] != RECOVERED]
    crashes = sum(found["crashes"] for found in whole["fuzz"].values())
    print(f"{len(whole['trials'])} trials, {len(bad)} not recovered; {crashes} crashes of readers")
    return 1 if bad or crashes else 0


if __name__ == "__main__":
    sys.exit(main())
