"""Every kind of fault in small studies, with what came of it, in one JSON file.

    python -m tests.faults.run -o results/reliability.json [--only kills damage] [--seeds 0 1 2]

``docs/reliability.py`` makes docs/reliability.md of it. With ``--join`` several such files become one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from mlsieve.files.writing import write_text
from tests.faults import clocks, damage, kills, network, places, strangers
from tests.faults.trials import RECOVERED, Finished, NotPossibleHere, Trial
from tests.workflow_project import ROOT

KILLED = {
    "trees": [
        "prepare",
        "grow",
        "rank",
        "predict",
        "score",
        "collect",
        "compare",
        "sections",
        "figures",
        "report",
    ],
    "selectors": ["discretise", "rank", "evaluate", "worked"],
    "classes": ["stability", "describe", "similarity", "convergence"],
}
DAY = 86400.0
Studies = dict[str, Finished]
Made = Iterator[Callable[[], list[Trial]]]


def of_kills(studies: Studies, seed: int) -> Made:
    """Yield chains of killed runs; three seeds in a row bring every rule together with every mode."""
    for name, rules in KILLED.items():
        yield lambda name=name, rules=rules: kills.chain_of_kills(studies[name], rules, seed)


def of_damage(studies: Studies, seed: int) -> Made:
    """Yield the trials of damaged files."""
    for study in studies.values():
        for mode in (*damage.MODES, damage.EXCHANGED):
            yield lambda study=study, mode=mode: damage.damage_trials(study, mode, seed)


def of_places(studies: Studies, seed: int) -> Made:
    """Yield the trials of places that cannot be written, and of two runs at once."""
    trees, turn = studies["trees"], seed % 3
    share, closed, twice = (
        (0.2, 0.5, 0.8)[turn],
        ("grow", "report", "score")[turn],
        ("predict", "compare")[seed % 2],
    )
    yield lambda: [places.read_only_trial(trees, closed, seed)]
    for other in (False, True):
        yield lambda other=other: [places.two_runs_trial(trees, twice, seed, other)]
    yield lambda: [places.full_disk_trial(trees, share, seed)]


def of_clocks(studies: Studies, seed: int) -> Made:
    """Yield the trials of clocks that jump."""
    trees, turn = studies["trees"], seed % 3
    between, ahead = (("compare", 0.05), ("predict", 400.0), ("rank", 1.0))[turn]
    within, jump = (("predict", -1.0), ("collect", 30.0), ("compare", -0.05))[turn]
    yield lambda: [clocks.between_runs_trial(trees, between, ahead * DAY, seed)]
    yield lambda: [clocks.within_run_trial(trees, within, jump * DAY, seed)]
    yield lambda: [clocks.whole_run_trial(trees, (30.0, -30.0)[seed % 2] * DAY, seed)]


def of_network(studies: Studies, seed: int) -> Made:
    """Yield the trials of downloads and of the mirror."""
    folder = studies["trees"].folder / f"network-{seed}"
    with network.web(folder) as made:
        yield from network.download_trials(made, seed)


def of_strangers(studies: Studies, seed: int) -> Made:
    """Yield the trials of contents, caches and links of others."""
    trees = studies["trees"]
    old, new = strangers.own_studies(trees.folder / f"strangers-{seed}")
    yield lambda: [strangers.replaced_trial(old, new, seed)]
    yield lambda: [strangers.shared_trial(old, new, seed)]
    yield lambda: [strangers.linked_trial(trees, *strangers.LINKS[seed % 3], seed)]


PARTS = {
    "kills": of_kills,
    "damage": of_damage,
    "places": of_places,
    "clocks": of_clocks,
    "network": of_network,
    "strangers": of_strangers,
}


def fuzz(minutes: float) -> dict[str, Any]:
    """Return what fuzzing the readers found: inputs, crashes and seconds of each.

    Raises
    ------
    NotPossibleHere
        If the fuzzer is not installed.
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "fuzz.json"
        command = [sys.executable, "-m", "tests.fuzz.run", "--minutes", str(minutes), "-o", str(output)]
        done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
        if not output.is_file():
            raise NotPossibleHere(done.stderr.strip())
        return json.loads(output.read_text(encoding="utf-8"))


def joined(files: list[str]) -> dict[str, Any]:
    """Return one result of several, or of what fuzzing alone has found."""
    whole: dict[str, Any] = {"versions": {}, "trials": [], "skipped": [], "fuzz": {}}
    for file in files:
        part = json.loads(Path(file).read_text(encoding="utf-8"))
        if "trials" not in part:
            part = {"versions": {}, "trials": [], "skipped": [], "fuzz": part}
        whole["versions"] |= part["versions"]
        whole["fuzz"] |= part["fuzz"]
        for name in ("trials", "skipped"):
            whole[name] += part[name]
    return whole


def as_text(whole: dict[str, Any]) -> str:
    """Return a result as JSON, a trial a line."""
    trials = ",\n  ".join(json.dumps(found, ensure_ascii=False) for found in whole["trials"])
    others = {name: part for name, part in whole.items() if name != "trials"}
    text = json.dumps(others, indent=1, ensure_ascii=False)
    return text[:-2] + f',\n "trials": [\n  {trials}\n ]\n}}\n'


def versions() -> dict[str, str]:
    """Return what the trials ran on."""
    from importlib.metadata import version

    found = {name: version(name) for name in ("snakemake", "numpy", "scikit-learn")}
    return {"python": platform.python_version(), "system": platform.system(), **found}


def trials_of(part: str, seed: int, studies: Studies) -> dict[str, Any]:
    """Return the trials of one part with one seed, and the faults that nobody can make on this machine."""
    found: dict[str, Any] = {"trials": [], "skipped": []}
    for make in PARTS[part](studies, seed):
        try:
            made = make()
        except NotPossibleHere as reason:
            found["skipped"].append({"part": part, "reason": str(reason)})
            continue
        except kills.Missed as rule:
            print(f"no job of {rule} was alive in time: no trial", flush=True)
            continue
        found["trials"] += [one.as_dict() for one in made]
        for one in made:
            print(f"{one.outcome}: {one.fault}, {one.rule}: {one.detail[:300]}", flush=True)
    return found


def campaign(
    parts: list[str], seeds: list[int], fuzz_minutes: float, processes: int, folder: Path
) -> Iterator[dict[str, Any]]:
    """Yield the whole result each time that a part has ended with a seed, so that what was found can be kept.

    The order of the trials is that of seeds and parts, whichever ends first.
    """
    needed = KILLED if {"kills", "damage"} & set(parts) else ["trees"]
    cases = list(itertools.product(seeds, parts))
    with ProcessPoolExecutor(processes) as pool:
        made = {name: pool.submit(Finished.make, name, folder) for name in needed}
        studies = {name: study.result() for name, study in made.items()}
        # PARTS begins with those that take longest, and what takes longest begins first.
        running = {
            case: pool.submit(trials_of, case[1], case[0], studies)
            for case in sorted(cases, key=lambda case: list(PARTS).index(case[1]))
        }
        fuzzing = pool.submit(fuzz, fuzz_minutes) if fuzz_minutes else None
        for _ in as_completed(running.values()):
            ended = [running[case].result() for case in cases if running[case].done()]
            whole = {
                "versions": versions(),
                **{kind: [one for found in ended for one in found[kind]] for kind in ("trials", "skipped")},
                "fuzz": {},
            }
            yield whole
        if fuzzing:
            try:
                whole["fuzz"] = fuzzing.result()
            except NotPossibleHere as reason:
                whole["skipped"].append({"part": "fuzz", "reason": str(reason)})
            yield whole


def main() -> int:
    """Run the parts; exit with 1 if a result was lost, or corrupted in silence, or a reader crashed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("-o", "--output", default="results/reliability.json")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts to run")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="default: 0 1 2")
    parser.add_argument("--fuzz-minutes", type=float, default=0.0, help="fuzz the readers as well")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="default: a CPU each")
    parser.add_argument("--join", nargs="+", metavar="JSON", help="only join results of earlier runs")
    args = parser.parse_args()
    if args.join:
        whole = joined(args.join)
    else:
        folder = Path(tempfile.mkdtemp(prefix="mlsieve-faults-"))
        for whole in campaign(args.only, args.seeds, args.fuzz_minutes, args.processes, folder):
            write_text(args.output, as_text(whole))
        if all(found["outcome"] == RECOVERED for found in whole["trials"]):
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"the projects of the trials that failed are in {folder}", file=sys.stderr)
    write_text(args.output, as_text(whole))
    bad = [found for found in whole["trials"] if found["outcome"] != RECOVERED]
    crashes = sum(found["crashes"] for found in whole["fuzz"].values())
    print(f"{len(whole['trials'])} trials, {len(bad)} not recovered; {crashes} crashes of readers")
    return 1 if bad or crashes else 0


if __name__ == "__main__":
    sys.exit(main())
