"""CLUS (Java), from the jar of the package pyclus: a whole process a run, reading an ARFF file.

The work ``start`` runs it on 20 rows: the time of the Java machine and of CLUS's own start.

Where all of the work would take too long, CLUS does two parts of it. The Java machine compiles what it runs
often, so that the first seconds of learning are its slowest by far: what is scaled is the difference of the
two, which leaves the warm-up out.
"""

from __future__ import annotations

import contextlib
import re
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.contenders import clus_hierarchical
from benchmarks.contenders.clus_settings import SETTINGS
from benchmarks.data import load

# CLUS clones objects of the Java library by reflection, which Java 17 forbids unless told otherwise.
OPENED = ("--add-opens", "java.base/java.util=ALL-UNNAMED", "--add-opens", "java.base/java.lang=ALL-UNNAMED")

# Seconds of learning that are taken off where a run is cut off: several times what the Java machine's warm-up
# costs on the sets on which it has been measured.
WARM_UP = 20.0


def jar() -> Path:
    """Return the path of the jar.

    Raises
    ------
    importlib.metadata.PackageNotFoundError
        If pyclus is not installed.
    """
    return Path(str(metadata.distribution("pyclus").locate_file("clus/clus.jar")))


def available() -> str | None:
    """Return why CLUS cannot run, None if it can."""
    try:
        found = jar().is_file()
    except metadata.PackageNotFoundError:
        return "pyclus is not installed (pip install 'mlsieve[peers]')"
    if not found:
        return "pyclus has no clus/clus.jar"
    return None if shutil.which("java") else "there is no java command (version 17 is known to do)"


def prepare(spec: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return one work as a function; see `benchmarks.contenders`."""
    starting = spec["work"] == "start"
    if starting:
        X, Y = _tiny()
        nominal = np.zeros(X.shape[1], bool)
    else:
        dataset = load(spec["dataset"])
        X, Y, nominal = dataset.X_train, dataset.Y_train, dataset.nominal
    hierarchical = spec["work"].startswith("hmlc-")
    relief = "relief" in (spec["work"].removeprefix("hmlc-"), spec["variant"])
    full = X.shape[0] if relief else spec["full"]
    amounts = (spec.get("first", 0), min(spec["amount"], full))
    if amounts[1] == full:
        amounts = (0, full)
    folder = tempfile.TemporaryDirectory(prefix="mlsieve-clus-")
    for amount in filter(None, amounts):
        rows = amount if relief and not starting else X.shape[0]
        trees = 2 if relief or starting else amount
        own = Path(folder.name) / str(amount)
        if hierarchical:
            own.mkdir()
            clus_hierarchical.write_arff(own / "data.arff", dataset, rows)
            told = clus_hierarchical.settings(dataset, spec["work"], rows, trees, spec["threads"])
            (own / "data.s").write_text(told, encoding="utf-8")
        else:
            _write_input(own, (X[:rows], Y[:rows], nominal), trees, spec["threads"])
    if spec.get(
        "once"
    ):  # what the Java machine and CLUS hold with next to no data is no part of the work's peak
        own = Path(folder.name) / "start"
        _write_input(own, (*_tiny(), np.zeros(3, bool)), 2, spec["threads"])
    command = [
        "java",
        f"-XX:ActiveProcessorCount={spec['threads']}",
        *OPENED,
        *("-jar", str(jar())),
        "-relief" if relief else "-forest",
        "data.s",
    ]

    idle = _run(command, Path(folder.name) / "start", spec["limit"], True) if spec.get("once") else {}

    def run() -> dict[str, Any]:
        runs: list[dict[str, Any]] = []
        for amount in filter(None, amounts):
            runs.append(
                _run(command, Path(folder.name) / str(amount), spec["limit"], spec.get("once", False))
            )
            if "more_than" in runs[-1]:
                break
        if starting:
            return runs[-1]
        if "peak_mib" in runs[-1]:
            runs[-1]["peak_mib"] -= idle["peak_mib"]
        told = {"amount": amounts[1], "full": full, "spent": sum(one["wall"] for one in runs)}
        # Every example's neighbours are looked for among all examples; a forest grows tree after tree.
        return whole(runs, amounts, full, power=2 if relief else 1) | told

    return run


def whole(runs: Sequence[dict[str, Any]], amounts: tuple[int, int], full: int, power: int) -> dict[str, Any]:
    """Return the last run's facts, and what the whole of the work would have taken beyond it.

    Parameters
    ----------
    runs : sequence of dict
        Of the smaller amount and the larger one, or of one that was all of the work or was cut off: ``cpu``
        and ``wall`` (seconds), and ``share``, the part of them that was learning.
    amounts : tuple of int
        Trees or rows of the two runs; the first is 0 where there was one only.
    full : int
        Trees or rows of the whole work.
    power : int
        Learning takes a constant (the warm-up) and a multiple of the amount to this power. Starting and
        reading are counted as in the last run, and are not scaled.

    Returns
    -------
    dict
        With ``more_cpu`` and ``more_wall``, seconds to be added, and ``learning_cpu``, those of learning in
        all. Of a run that was cut off, they are a lower bound: its learning less `WARM_UP`, spread over the
        trees that it had begun, is taken as the time of each tree; Relief is not scaled.
    """
    facts = dict(runs[-1])
    if "more_than" in facts:
        begun = facts.pop("begun", 0)
        if begun and power == 1:
            share = max(0.0, facts["learning"] - WARM_UP) / facts["wall"]
            for kind in ("cpu", "wall"):
                facts[f"more_{kind}"] = facts[kind] * share / begun * (full - begun)
        return facts
    first, last = amounts
    for kind in ("cpu", "wall"):
        learning = [one[kind] * one.get("share", 1.0) for one in runs]
        rate = (learning[-1] - learning[0]) / (last**power - first**power) if first else 0.0
        facts[f"more_{kind}"] = max(rate, 0.0) * (full**power - last**power)
        if kind == "cpu":
            facts["learning_cpu"] = learning[-1] + facts["more_cpu"]
    return facts


def _write_input(folder: Path, data: tuple[Any, Any, np.ndarray], trees: int, threads: int) -> None:
    """Write data and settings of one run into a folder of their own."""
    X, Y, nominal = data
    folder.mkdir()
    write_arff(folder / "data.arff", X, Y, nominal)
    settings = SETTINGS.format(
        n_features=X.shape[1],
        target=f"{X.shape[1] + 1}-{X.shape[1] + Y.shape[1]}",
        hierarchical="",
        trees=trees,
        method="RForest",
        scores="Symbolic,Genie3,RForest",
        threads=threads,
        share=0.25,
        k=min(15, X.shape[0] - 1),
        distance="MultilabelDistance = MLFOne\n",
    )
    (folder / "data.s").write_text(settings, encoding="utf-8")


def _run(command: list[str], folder: Path, limit: float, watched: bool) -> dict[str, Any]:
    """Run CLUS once; `watched` for its largest memory."""
    for old in (*folder.glob("*.out"), *folder.glob("*.fimp")):
        old.unlink()
    start, before = time.perf_counter(), _children_seconds()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    peaks = _watch(process) if watched else []
    try:
        said, complaint = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        log, _ = process.communicate()
        return {
            "more_than": limit,
            "wall": limit,
            "cpu": _children_seconds() - before,
            "learning": max(0.0, limit - reading_seconds(log, limit)),
            "begun": len(re.findall(r"^\[[\d-]+ [\d:]+\] \[INFO\] Bag: \d+", log, re.MULTILINE)),
        }
    wall, cpu = time.perf_counter() - start, _children_seconds() - before
    if not any(folder.glob("*.fimp")):
        lines = (said + complaint).strip().splitlines()
        raise RuntimeError(f"CLUS wrote no ranking: {lines[-1] if lines else 'and said nothing'}")
    report = (folder / "data.out").read_text(encoding="utf-8", errors="replace")
    induction = re.search(r"Induction Time: ([\d.E+-]+) sec", report)
    nodes = re.search(r"Total nodes: (\d+)", report)
    facts: dict[str, Any] = {"wall": wall, "cpu": cpu}
    if peaks:
        facts["peak_mib"] = peaks[-1]
    if induction:
        facts["share"] = min(1.0, float(induction[1]) / wall)
    if nodes:
        facts["nodes"] = int(nodes[1])
    return facts


def _watch(process: subprocess.Popen[str]) -> list[float]:
    """Return a list that gets the largest memory of a running process so far, in MiB, on and on (Linux).

    The system tells it of a process that has ended only together with that of Python, of which it was a copy.
    """
    status, peaks = Path(f"/proc/{process.pid}/status"), [0.0]

    def watch() -> None:
        while process.returncode is None:
            with contextlib.suppress(OSError, IndexError):
                peaks.append(int(status.read_text().split("VmHWM:")[1].split()[0]) / (1 << 10))
            time.sleep(0.02)

    threading.Thread(target=watch, daemon=True).start()
    return peaks


def reading_seconds(log: str, limit: float) -> float:
    """Return at most how long CLUS started and read the data before it learned, by the times in its log.

    The whole of `limit` where the log does not tell.
    """
    times = dict.fromkeys(("Loading", "Run: "), "")
    for stamp, message in re.findall(r"^\[([\d-]+ [\d:]+)\] \[INFO\] (.*)$", log, re.MULTILINE):
        for word in times:
            if message.startswith(word):
                times[word] = times[word] or stamp
    if not all(times.values()):
        return limit
    first, last = (datetime.fromisoformat(stamp) for stamp in times.values())
    return (last - first).total_seconds() + 3  # the log counts whole seconds, and starts after Java has


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tiny() -> tuple[np.ndarray, sp.csr_array]:
    rng = np.random.default_rng(0)
    return rng.random((20, 3)), sp.csr_array((rng.random((20, 2)) < 0.5).astype(np.uint8))


def write_arff(path: Path, X: Any, Y: sp.csr_array, nominal: np.ndarray) -> None:
    """Write data as CLUS reads them fastest: binary features as dense nominal ones, other sparse ones sparse.

    In sparse rows CLUS wants every nominal attribute spelled out, so features are numeric there, and all
    labels are listed.
    """
    sparse = sp.issparse(X) and not nominal.all()
    with path.open("w", encoding="utf-8") as stream:
        stream.write("@relation data\n")
        for feature, kind in enumerate(_kinds(X, nominal & (not sparse))):
            stream.write(f"@attribute x{feature} {kind}\n")
        stream.writelines(f"@attribute y{label} {{0,1}}\n" for label in range(Y.shape[1]))
        stream.write("@data\n")
        for row in range(X.shape[0]):
            labels = np.zeros(Y.shape[1], int)
            labels[Y.indices[Y.indptr[row] : Y.indptr[row + 1]]] = 1
            stream.write((_sparse_line if sparse else _dense_line)(X, row, labels.tolist()) + "\n")


def _kinds(X: Any, nominal: np.ndarray) -> list[str]:
    """Return each feature's type in the file's header."""
    highest = X.max(axis=0)
    highest = highest.toarray().ravel() if sp.issparse(X) else highest
    return [
        "{" + ",".join(map(str, range(max(int(top), 1) + 1))) + "}" if flag else "numeric"
        for flag, top in zip(nominal, np.nan_to_num(highest), strict=True)
    ]


def _sparse_line(X: sp.csr_array, row: int, labels: list[int]) -> str:
    part = slice(X.indptr[row], X.indptr[row + 1])
    cells = [f"{i + 1} {v:.9g}" for i, v in zip(X.indices[part], X.data[part], strict=True) if v]
    cells += [f"{X.shape[1] + label + 1} {value}" for label, value in enumerate(labels)]
    return "{" + ",".join(cells) + "}"


def _dense_line(X: Any, row: int, labels: list[int]) -> str:
    values = X[[row]].toarray()[0] if sp.issparse(X) else X[row]
    return ",".join(
        ["?" if v != v else f"{v:.9g}" for v in values.tolist()] + [str(label) for label in labels]
    )
