"""A mirror that vanishes while a study runs; downloads that are cut, slow, refused, or another file."""

from __future__ import annotations

import contextlib
import hashlib
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.faults.kills import end, process_tree
from tests.faults.trials import PATIENCE, Finished, Trial, trial
from tests.web_server import Answer, WebServer, web_server
from tests.workflow_project import TINY, Project

VANISHED, CUT, CUT_ALWAYS, OTHER_FILE, SLOW, BUSY = (
    "mirror vanishes during a run",
    "download cut",
    "download cut at every try",
    "download of another file",
    "slow download",
    "overloaded server",
)
TAGGED = {"ETag": '"v1"'}
_PATH = "/survey.arff"
STUDY = {
    **TINY,
    "study": "downloading",
    "datasets": ["synthetic-linear", "survey"],
    "methods": [{"id": "uniform"}],
}


def survey() -> bytes:
    """Return a dataset of 120 examples, three features and two labels."""
    chance = random.Random(1)
    names = [f"@attribute x{place} numeric" for place in range(3)]
    lines = ["@relation survey", *names, "@attribute a {0,1}", "@attribute b {0,1}", "@data"]
    for _ in range(120):
        values = [chance.random() for _ in range(3)]
        row = [*(f"{value:.6f}" for value in values), str(int(values[0] > 0.5)), str(int(values[1] > 0.3))]
        lines.append(",".join(row))
    return "\n".join(lines).encode() + b"\n"


@dataclass
class Web:
    """A finished study of which one dataset comes from a server or a mirror, and both of these.

    Attributes
    ----------
    finished : Finished
    server : WebServer
        Answers as the trials say.
    mirror : Path
        Holds the file too; used where MLSIEVE_MIRROR says so.
    """

    finished: Finished
    server: WebServer
    mirror: Path


@contextlib.contextmanager
def web(folder: Path) -> Iterator[Web]:
    """Make the study of the trials, from a server that does nothing wrong."""
    body = survey()
    mirror = folder / "mirror"
    place = mirror / "mulan" / "survey"
    place.mkdir(parents=True)
    (place / "survey.arff").write_bytes(body)
    with web_server() as server:
        server.answers[_PATH] = [Answer(body, headers=TAGGED)]
        file = {"name": "survey.arff", "sha256": hashlib.sha256(body).hexdigest()}
        entry = {"id": "survey", "label_count": -2, "files": {"all": file}}
        file["sources"] = [server.url + _PATH]

        def describe(project: Project) -> None:
            text = yaml.safe_dump({"datasets": [entry]})
            (project.folder / "config" / "datasets.yaml").write_text(text)
            project.environment["MLSIEVE_MIRROR"] = ""

        finished = Finished.make("downloading", folder, STUDY, describe)
        # Where a file came from, and how often it was looked for, is of the run.
        for name in ("available.csv", "configuration/datasets.json"):
            del finished.digests[f"downloading/{name}"]
        yield Web(finished, server, mirror)


def download_trials(made: Web, seed: int) -> Iterator[Callable[[], list[Trial]]]:
    """Yield the trials of each way in which a server fails, and of the mirror."""
    body = survey()
    chance = random.Random(f"{seed} network")
    cut, bit = chance.randrange(1, len(body)), chance.randrange(8 * len(body))
    flipped = bytearray(body)
    flipped[bit // 8] ^= 1 << bit % 8
    whole = Answer(body, headers=TAGGED, ranges=True)
    broken = Answer(body, headers=TAGGED, cut=cut)
    again = {"Retry-After": "1"}
    ends_well: dict[str, tuple[list[Answer], str]] = {
        CUT: ([broken, whole], f"after {cut} of {len(body)} bytes"),
        SLOW: ([Answer(body, pause=0.001)], "a byte each millisecond"),
        BUSY: ([Answer(status=503, headers=again)] * 2 + [whole], "503 twice, Retry-After: 1"),
    }
    for fault, (answers, detail) in ends_well.items():
        yield lambda fault=fault, a=answers, d=detail: [_download(made, seed, fault, a, d)]
    # Of the fault, what the server gives, the status of the run, and what skipped.csv says.
    fails = (
        (CUT_ALWAYS, Answer(body, cut=cut), 0, "broke off", f"after {cut} of {len(body)} bytes, no tag"),
        (OTHER_FILE, Answer(bytes(flipped)), 1, "checksum mismatch", f"bit {bit} of {8 * len(body)}"),
    )
    for given in fails:
        yield lambda given=given: [_told(made, seed, *given)]
    yield lambda: [_vanished(made, seed)]


def _from_nothing(made: Web) -> Project:
    project = made.finished.copy()
    for name in ("results", ".snakemake"):
        subprocess.run(["rm", "-rf", str(project.folder / name)], check=True)
    return project


def _download(made: Web, seed: int, fault: str, answers: list[Answer], detail: str) -> Trial:
    """Let a download fail in a way that further tries, or patience, make up for."""

    def run(copy: Project) -> tuple[str, str]:
        made.server.answers[_PATH] = list(answers)
        made.server.calls.clear()
        done = copy.snakemake()
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        assert len(made.server.calls) >= len(answers)
        return "acquire", f"{detail}; calls: {len(made.server.calls)}"

    return trial(made.finished, _from_nothing(made), seed, fault, run)


def _told(made: Web, seed: int, fault: str, answer: Answer, status: int, reason: str, detail: str) -> Trial:
    """Let every try fail: the study tells why it lacks the set, and the same command has another try."""

    def run(copy: Project) -> tuple[str, str]:
        made.server.answers[_PATH] = [answer]
        done = copy.snakemake()
        said = done.stdout + done.stderr
        assert done.returncode == status and "Traceback" not in said, said[-3000:]
        skipped = (copy.folder / "results" / "downloading" / "skipped.csv").read_text()
        assert reason in skipped, skipped
        made.server.answers[_PATH] = [Answer(survey(), headers=TAGGED)]
        return "prepare" if status else "acquire", f"{detail}; skipped.csv told: {reason}"

    return trial(made.finished, _from_nothing(made), seed, fault, run)


def _vanished(made: Web, seed: int) -> Trial:
    """Take the mirror away when its file has been found, before it is read; no source has it."""
    away = made.mirror.with_name("away")

    def run(copy: Project) -> tuple[str, str]:
        made.server.answers[_PATH] = [Answer(status=404)]
        copy.environment["MLSIEVE_MIRROR"] = str(made.mirror)
        process = copy.start(stdout=subprocess.DEVNULL)
        found, stop = copy.folder / "results" / "downloading" / "available.csv", time.monotonic() + 240
        try:
            while not found.exists() and process.poll() is None and time.monotonic() < stop:
                time.sleep(0.005)
            made.mirror.rename(away)
            status = process.wait(timeout=PATIENCE)
        finally:
            end(process_tree(process.pid))
            if away.exists():
                away.rename(made.mirror)
        assert status == 1, f"status {status}: the mirror was read before it was gone"
        return "prepare", "the run failed, and went on when it was back"

    return trial(made.finished, _from_nothing(made), seed, VANISHED, run)
