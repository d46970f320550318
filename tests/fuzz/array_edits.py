"""Edits of array files, told by bytes: what comes out has a checksum that fits, as an attacker's would.

Without that, a fuzzer would only ever find the checksum. The first byte picks a whole file of one kind; each
further group of bytes picks one edit of a member. A first byte of 255 takes the rest as the file itself.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from mlsieve.cli import main
from mlsieve.data.dataset import Dataset
from mlsieve.discretize.files import SplitCuts
from mlsieve.evaluation.predictions import Predictions
from mlsieve.files.arrays import array_from
from mlsieve.files.writing import read_arrays
from mlsieve.rankings.files import RankingBundle
from mlsieve.trees.ensemble import Ensemble

RAW = 255
KINDS = {
    "dataset": Dataset,
    "predictions": Predictions,
    "rankings": RankingBundle,
    "cuts": SplitCuts,
    "ensemble": Ensemble,
}
_ODD: tuple[Any, ...] = (None, -1, 0, 1, 2**31, 2**70, 1e308, "", "x", [], {}, [1, [2]], True, float("nan"))
_SIZES = (b"0", b"1", b"2", b"3", b"7", b"1000000000000", b"4294967296", b"9" * 18, b"-1", b"1, 2", b"")
_TYPES = (b"<f8", b"<i8", b"<i4", b"<f4", b"|b1", b"|u1", b"<U1", b"<U9", b"|O", b">f8", b"<c8", b"<M8")
_NUMBERS = (-1, 0, 1, 2, 100, 2**31 - 1, -(2**31))
_ARFF = (
    "@relation r\n@attribute a numeric\n@attribute b {x,y,z}\n"
    "@attribute class hierarchical root/A,root/B,A/C,B/C\n"
    "@data\n1.5,x,C\n2.5,y,A\n?,z,B\n4,x,A@B\n0,z,A\n1,y,C\n"
)
_FLAT = (
    "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c {x,y}\n"
    "@attribute k {0,1}\n@attribute l {0,1}\n@data\n"
) + "".join(f"{i},{i * i % 7},{'xy'[i % 2]},{int(i > 5)},{int(i % 3 == 0)}\n" for i in range(12))


@functools.cache
def whole_files() -> tuple[bytes, ...]:
    """Return a small file of each kind, made by the commands themselves: flat and hierarchical data."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "h.arff").write_text(_ARFF)
        (folder / "f.arff").write_text(_FLAT)
        flat, graph, trees, more, cuts, ranks, votes = (
            str(folder / f"{kind}.npz") for kind in ("d", "h", "t", "th", "c", "r", "v")
        )
        for command in (
            ["prepare", str(folder / "f.arff"), "--label-count", "-2", "-o", flat],
            ["prepare", str(folder / "h.arff"), "-o", graph],
            ["grow", flat, "--trees", "2", "-o", trees],
            ["grow", graph, "--trees", "2", "-o", more],
            ["discretise", flat, "--bins", "3", "--method", "equal-width", "--cuts", cuts],
            ["rank", trees, "--trees", "1,2", "-o", ranks],
            [
                "predict",
                flat,
                "--split",
                "holdout",
                "--allow-leakage",
                "--ranking",
                ranks,
                "--set",
                "k=3",
                "-o",
                votes,
            ],
        ):
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
                assert main(command) == 0, (command, said.getvalue())
        return tuple(Path(path).read_bytes() for path in (graph, trees, more, cuts, ranks, votes, flat))


def load_any(path: Path) -> None:
    """Load an array file as what it says it is, and use it as far as all who read it do."""
    _, meta = read_arrays(path)
    kind = meta.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        return
    loaded: Any = KINDS[kind].load(path)
    if isinstance(loaded, Dataset):
        loaded.counts()
    elif isinstance(loaded, Ensemble):
        loaded.predict_proba(np.zeros((2, loaded.n_features)))
    elif isinstance(loaded, RankingBundle):
        for ranking in loaded.rankings:
            ranking.weights()
    elif isinstance(loaded, Predictions):
        for position in range(len(loaded.names)):
            loaded.scores_and_labels(position)
    else:
        for cuts in loaded.by_repeat.values():
            cuts.transform(np.zeros((2, len(cuts.numeric))))


def edited_file(data: bytes) -> bytes:
    """Return the file that these bytes tell."""
    if not data or data[0] == RAW:
        return data[1:]
    files = whole_files()
    members = members_of(files[data[0] % len(files)])
    for place in range(1, len(data) - 4, 5):
        if not members:
            break
        _edit(members, *data[place : place + 5])
    return archive_of(members)


def members_of(file: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "checksum.txt"}


def _edit(members: dict[str, bytes], how: int, which: int, high: int, low: int, value: int) -> None:
    """Change one member."""
    name = sorted(members)[which % len(members)]
    content = members[name]
    if name == "meta.json":
        members[name] = _edited_json(content, which + high, low, value)
    elif how < 40 and content:
        where = (high * 256 + low) % len(content)
        members[name] = content[:where] + bytes([value]) + content[where + 1 :]
    elif how < 80:
        del members[name]
    elif how < 100:
        members[name] = members[sorted(members)[low % len(members)]]
    elif how < 120:
        members[name] = content[: (high * 256 + low) % (len(content) + 1)]
    elif how < 140:
        members[name] = _with(content, b"'shape': (", b")", _SIZES[value % len(_SIZES)] + b",")
    elif how < 150:
        members[name] = _with(content, b"'descr': '", b"'", _TYPES[value % len(_TYPES)])
    else:
        members[name] = _edited_values(content, high * 256 + low, value, longer=how > 240)


def _with(content: bytes, before: bytes, after: bytes, text: bytes) -> bytes:
    head, found, rest = content.partition(before)
    return head + found + text + rest[rest.find(after) :] if found else content


def _edited_json(content: bytes, which: int, low: int, value: int) -> bytes:
    try:
        header = json.loads(content)
        key = sorted(header)[which % len(header)]
    except (ValueError, ArithmeticError, TypeError):
        return content
    if isinstance(header[key], dict) and header[key] and low % 2:
        inner = sorted(header[key])[low % len(header[key])]
        header[key][inner] = _ODD[value % len(_ODD)]
    else:
        header[key] = _ODD[value % len(_ODD)]
    return json.dumps(header).encode()


def _edited_values(content: bytes, where: int, value: int, *, longer: bool) -> bytes:
    """Return an array with one number changed, or one more of them."""
    try:
        array = array_from(content)
    except ValueError:
        return content
    if array.size and array.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            new = np.array(_NUMBERS[value % len(_NUMBERS)], np.float64).astype(array.dtype)
        array.reshape(-1)[where % array.size] = new
    if longer and array.ndim:
        array = np.concatenate([array, array[:1]])
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array) if array.ndim else array)
    return buffer.getvalue()


def archive_of(members: dict[str, bytes]) -> bytes:
    """Return an archive with the checksum that fits its members."""
    digest = hashlib.sha256()
    for name in sorted(members):
        digest.update(f"{name}\0{len(members[name])}\0".encode())
        digest.update(members[name])
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            archive.writestr(name, members[name])
        archive.writestr("checksum.txt", digest.hexdigest())
    return stream.getvalue()
