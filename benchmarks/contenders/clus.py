"""CLUS (Java), from the jar of the package pyclus: a whole process a run, reading an ARFF file.

The work ``start`` runs it on 20 rows: the time of the Java machine and of CLUS's own start.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.data import load

# CLUS clones objects of the Java library by reflection, which Java 17 forbids unless told otherwise.
OPENED = ("--add-opens", "java.base/java.util=ALL-UNNAMED", "--add-opens", "java.base/java.lang=ALL-UNNAMED")

SETTINGS = """\
[General]
RandomSeed = 1
Verbose = 1

[Data]
File = data.arff

[Attributes]
Descriptive = 1-{n_features}
Target = {first_label}-{last_label}
Clustering = {first_label}-{last_label}

[Tree]
Heuristic = VarianceReduction

[Ensemble]
Iterations = {trees}
EnsembleMethod = RForest
SelectRandomSubspaces = SQRT
FeatureRanking = [Symbolic,Genie3,RForest]
SymbolicWeight = 0.5
NumberOfThreads = {threads}

[Relief]
Iterations = [{share}]
Neighbours = [{k}]
MultilabelDistance = MLFOne

[Output]
TrainErrors = No
"""


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
    relief = "relief" in (spec["work"], spec["variant"])
    scale = {}
    if relief and not starting:
        whole = X.shape[0]
        X, Y = X[: spec["amount"]], Y[: spec["amount"]]
        scale = {"amount": X.shape[0], "full": whole, "scale": (whole / X.shape[0]) ** 2}
    folder = tempfile.TemporaryDirectory(prefix="mlsieve-clus-")
    write_arff(Path(folder.name) / "data.arff", X, Y, nominal)
    settings = SETTINGS.format(
        n_features=X.shape[1],
        first_label=X.shape[1] + 1,
        last_label=X.shape[1] + Y.shape[1],
        trees=2 if relief or starting else spec["amount"],
        threads=spec["threads"],
        share=0.25,
        k=min(15, X.shape[0] - 1),
    )
    (Path(folder.name) / "data.s").write_text(settings, encoding="utf-8")
    command = [
        "java",
        f"-XX:ActiveProcessorCount={spec['threads']}",
        *OPENED,
        *("-jar", str(jar())),
        "-relief" if relief else "-forest",
        "data.s",
    ]

    def run() -> dict[str, Any]:
        return scale | _run(command, Path(folder.name), spec["limit"])

    return run


def _run(command: list[str], folder: Path, limit: float) -> dict[str, Any]:
    for old in (*folder.glob("*.out"), *folder.glob("*.fimp")):
        old.unlink()
    start, before = time.perf_counter(), _children_seconds()
    try:
        done = subprocess.run(
            command, cwd=folder, timeout=limit, capture_output=True, text=True, errors="replace"
        )
    except subprocess.TimeoutExpired as stopped:
        said = stopped.stdout or b""  # bytes, though text was asked for
        log = said.decode(errors="replace") if isinstance(said, bytes) else said
        share = max(0.0, 1 - reading_seconds(log, limit) / limit)
        return {"more_than": limit, "wall": limit, "cpu": _children_seconds() - before, "share": share}
    wall, cpu = time.perf_counter() - start, _children_seconds() - before
    if not any(folder.glob("*.fimp")):
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise RuntimeError(f"CLUS wrote no ranking: {lines[-1] if lines else 'and said nothing'}")
    report = (folder / "data.out").read_text(encoding="utf-8", errors="replace")
    induction = re.search(r"Induction Time: ([\d.E+-]+) sec", report)
    nodes = re.search(r"Total nodes: (\d+)", report)
    facts: dict[str, Any] = {"wall": wall, "cpu": cpu}
    if induction:
        facts["share"] = min(1.0, float(induction[1]) / wall)
    if nodes:
        facts["nodes"] = int(nodes[1])
    return facts


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
