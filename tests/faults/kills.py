"""Runs killed with kill -9 at a moment that a seed decides, while a job is alive."""

from __future__ import annotations

import random
import signal
import subprocess
import time

import psutil

from mlsieve.cli import command_names
from tests.faults.trials import PATIENCE, Finished, Trial, made_from, trial
from tests.workflow_project import Project

ALL, JOBS, SNAKEMAKE = "kill -9 of Snakemake and its jobs", "kill -9 of a job", "kill -9 of Snakemake alone"
MODES = (ALL, JOBS, SNAKEMAKE)
# The command of a rule, where it is not the rule's name.
_RULES = {"worked-example": "worked"}
# Seconds within which a job is killed after it was seen; if it has ended by then, half of them, and so on.
_WINDOW, _TRIES = 1.2, 4


class Missed(Exception):
    """No job of the wanted rule was alive when the kill came."""


def live_jobs(pid: int) -> dict[str, list[psutil.Process]]:
    """Return the processes of `mlsieve` commands below a process, by rule."""
    found: dict[str, list[psutil.Process]] = {}
    try:
        below = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return found
    for process in below:
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        for place, word in enumerate(words[:-1]):
            if word.rsplit("/", 1)[-1] == "mlsieve" and words[place + 1] in command_names():
                found.setdefault(_RULES.get(words[place + 1], words[place + 1]), []).append(process)
    return found


def wait_for(run: subprocess.Popen[str], rule: str, seconds: float = 240.0) -> None:
    """Wait until a job of a rule is alive in a run.

    Raises
    ------
    Missed
        If the run ends, or time is up, before.
    """
    end = time.monotonic() + seconds
    while rule not in live_jobs(run.pid):
        if run.poll() is not None or time.monotonic() > end:
            raise Missed(rule)
        time.sleep(0.03)


def process_tree(pid: int) -> list[psutil.Process]:
    """Return a process and all below it; none if it has ended."""
    try:
        whole = psutil.Process(pid)
        return [whole, *whole.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def end(processes: list[psutil.Process]) -> None:
    """Kill processes with signal 9, and wait until they are gone."""
    for process in processes:
        try:
            process.send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(processes, timeout=10)


def kill_in(project: Project, rule: str, mode: str, delay: float) -> tuple[str, str]:
    """Start a study and kill it while a job of a rule is alive.

    Parameters
    ----------
    project : Project
    rule : str
    mode : str
        One of `MODES`.
    delay : float
        Seconds for which the job has been seen to be alive.

    Returns
    -------
    rule, detail : str
        The rules of all jobs that were alive, and when it happened.

    Raises
    ------
    Missed
        If no job of that rule was alive at that moment; the run has been killed all the same.
    """
    run = project.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(run, rule)
        time.sleep(delay)
        alive = live_jobs(run.pid)
        if rule not in alive:
            raise Missed(rule)
        jobs = [process for processes in alive.values() for process in processes]
        whole = psutil.Process(run.pid)
        detail = f"{delay:.2f} s after the job was seen"
        if mode == JOBS:
            end(alive[rule][:1])
            run.wait(timeout=PATIENCE)  # it finishes the study without the job
        elif mode == SNAKEMAKE:
            end([whole])
            detail += "; the jobs went on"
        else:
            end([whole, *jobs])
    finally:
        if run.poll() is None:
            end(process_tree(run.pid))
        run.wait()
    return "+".join(sorted(alive)) if mode != JOBS else rule, detail


def chain_of_kills(finished: Finished, rules: list[str], seed: int) -> list[Trial]:
    """Kill a study in one rule after the other on its way from nothing to its end, then judge its tables.

    Parameters
    ----------
    finished : Finished
    rules : list of str
        In the order in which the study needs them.
    seed : int
        Decides moments, and which of `MODES` comes with which rule; three seeds in a row go through all.

    Returns
    -------
    list of Trial
        One for each kill that landed in a live job, all with the outcome of the study.
    """
    project = finished.copy(until=rules[0])
    start = time.monotonic()
    landed = []
    for place, rule in enumerate(rules):
        mode = MODES[(place + seed) % len(MODES)]
        delay = random.Random(f"{seed} {rule} {mode}").uniform(0.0, _WINDOW)
        for half in range(_TRIES):
            try:
                alive, detail = kill_in(project, rule, mode, delay / 2**half)
            except Missed:
                for path in made_from(project, rule):
                    path.unlink()
                continue
            landed.append((mode, alive, detail))
            print(f"{mode}, {alive}: {detail}", flush=True)
            break
    whole = trial(finished, project, seed, "", lambda copy: ("", ""))
    share = (time.monotonic() - start) / max(1, len(landed))
    return [
        Trial(
            seed, mode, finished.name, alive, whole.outcome, f"{detail}; {whole.detail}".rstrip("; "), share
        )
        for mode, alive, detail in landed
    ]
