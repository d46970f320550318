"""Our own array files with other values and checksums that fit, and what the commands do with them.

Each number stands for a case: a file, a change in it, and the command that reads it. A command ends well if
it has status 0, or status 2 with one line on the standard error.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import json
import random
import tempfile
import warnings
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mlsieve.cli import main
from mlsieve.files.arrays import array_from
from tests.fuzz.array_edits import archive_of, members_of

FLAT = "a,b,c,d,k,l\n" + "".join(
    f"{i % 7},{i * i % 5 / 4},{'xyz'[i % 3]},{'' if i % 9 == 4 else i % 4},{int(i > 9)},{int(i % 3 == 0)}\n"
    for i in range(24)
)
SPARSE = "".join(f"{i % 2},{2 * (i % 3 == 0) + 1} 1:{i % 4}.5 {2 + i % 3}:1\n" for i in range(16))
GRAPH = (
    "@relation r\n@attribute a numeric\n@attribute b {x,y,z}\n"
    "@attribute class hierarchical root/A,root/B,A/C,B/C\n"
    "@data\n1.5,x,C\n2.5,y,A\n?,z,B\n4,x,A@B\n0,z,A\n1,y,C\n3,x,B\n2,z,A@B\n"
)
_MADE: dict[str, Sequence[str]] = {
    "d.npz": ["prepare", "flat.csv", "--label-count=-2"],
    "s.npz": ["prepare", "sparse.svm"],
    "h.npz": ["prepare", "graph.arff"],
    "t.npz": ["grow", "d.npz", "--trees=2"],
    "u.npz": ["grow", "h.npz", "--trees=2"],
    "r.npz": ["rank", "t.npz", "--trees=1,2"],
    "q.npz": ["rank", "d.npz", "--method=scls"],
    "v.npz": ["predict", "d.npz", "--split=holdout", "--allow-leakage", "--ranking=r.npz", "--set=k=3"],
    "w.npz": ["predict", "h.npz", "--split=holdout", "--allow-leakage", "--ranking=g.npz", "--set=k=2"],
    "c.npz": ["discretise", "d.npz", "--bins=3", "--method=equal-width"],
    "m.npz": ["chain", "d.npz", "--method=rdt-dcc", "--set=trees=2", "--split=holdout"],
    "p.npz": ["chain", "d.npz", "--method=rdt-dcc", "--set=trees=2", "--split=holdout"],
}
_FITTED = ["--split=holdout", "-o=scores.csv", "--force"]
MODELS: dict[str, Sequence[str]] = {
    "m.npz": _MADE.pop("m.npz"),
    "mx.npz": ["chain", "d.npz", "--method=xdcc", "--set", "rounds=2", "depth=2", *_FITTED],
    "mm.npz": ["chain", "s.npz", "--method=ml-xgb", "--set", "rounds=2", "depth=2", *_FITTED],
    "mt.npz": ["chain", "d.npz", "--method=br", "--set", "depth=3", *_FITTED],
    "mc.npz": ["chain", "d.npz", "--method=cc", "--set", "base=ml-xgb", "trees=2", "depth=2", *_FITTED],
    "ml.npz": ["chain", "s.npz", "--method=lp", "--set", "base=random-forest", "trees=2", *_FITTED],
    "mk.npz": ["evaluate", "d.npz", "--method=relief:m=5", "--set=k=3", *_FITTED],
    "ms.npz": ["evaluate", "s.npz", "--method=scls:k=3", "--set=k=3", *_FITTED],
    "mh.npz": ["evaluate", "h.npz", "--method=uniform", "--set=k=2", *_FITTED],
    "mb.npz": ["evaluate", "d.npz", "--method=uniform", "--evaluator=mlnb", *_FITTED],
    "mg.npz": ["evaluate", "d.npz", "--method=uniform", "--evaluator=mlnb", "--set=input=gaussian", *_FITTED],
}
if importlib.util.find_spec("xgboost") is not None:
    MODELS |= {
        "mi.npz": ["chain", "d.npz", "--method=br", "--set", "base=xgboost", "trees=2", "depth=2", *_FITTED],
        "mj.npz": ["chain", "d.npz", "--method=lp", "--set", "base=xgboost", "trees=2", "depth=2", *_FITTED],
    }
_MADE |= MODELS
_TARGET = {"c.npz": "--cuts", "p.npz": "--predictions", **dict.fromkeys(MODELS, "--save-model")}
EVALUATED = ["--split=holdout", "--allow-leakage", "--set=k=3"]
_OF_DATASET = (
    ["describe", "FILE"],
    ["describe", "FILE", "--table=features"],
    ["describe", "FILE", "--table=labels"],
    ["convert", "FILE", "OUT.csv"],
    ["convert", "FILE", "OUT.arff"],
    ["convert", "FILE", "OUT.npz"],
    ["convert", "FILE", "OUT.xlsx"],
    ["rank", "FILE", "--method=relief", "--set=m=5"],
    ["rank", "FILE", "--method=scls"],
    ["grow", "FILE", "--trees=1", "-o", "OUT.npz"],
    ["discretise", "FILE", "-o", "OUT.npz"],
    ["evaluate", "FILE", "--method=uniform", "--cv=2", "--set=k=3"],
    ["chain", "FILE", "--method=br", "--split=holdout"],
    ["predict", "FILE", *EVALUATED, "--ranking=r.npz", "-o", "OUT.npz"],
    ["chain", "FILE", "--model=m.npz", "--split=holdout"],
)
_OF_RANKINGS = (
    ["similarity", "FILE", "FILE"],
    ["similarity", "FILE", "r.npz", "--curves=OUT.csv"],
    ["evaluate", "d.npz", *EVALUATED, "--ranking=FILE"],
    ["predict", "d.npz", *EVALUATED, "--ranking=FILE", "-o", "OUT.npz"],
)
_OF_ENSEMBLE = (
    ["rank", "FILE"],
    ["rank", "FILE", "--trees=1,2", "-o", "OUT.npz"],
    ["rank", "FILE", "--score=permutation"],
    ["rank", "FILE", "--score=symbolic"],
    ["show-tree", "FILE", "--depth=9"],
    ["show-tree", "FILE", "--tree=1"],
)
_OF_PREDICTIONS = (["score", "FILE"], ["score", "FILE", "--tidy"], ["score", "FILE", "-o", "OUT.csv"])
COMMANDS: dict[str, Sequence[Sequence[str]]] = {
    **dict.fromkeys(("d.npz", "s.npz", "h.npz"), _OF_DATASET),
    **dict.fromkeys(("t.npz", "u.npz"), _OF_ENSEMBLE),
    **dict.fromkeys(("r.npz", "q.npz"), _OF_RANKINGS),
    **dict.fromkeys(("v.npz", "w.npz", "p.npz"), _OF_PREDICTIONS),
    "c.npz": (
        ["discretise", "d.npz", "--cuts=FILE", "-o", "OUT.npz"],
        ["rank", "d.npz", "--method=scls", "--cuts=FILE", "--set", "discretize=equal-width"],
        ["predict", "d.npz", "--ranking=r.npz", *EVALUATED, "--cuts=FILE", "-o", "OUT.npz"],
    ),
    **{
        name: [
            ["predict", command[1], "--model=FILE", "--predictions=OUT.npz"],
            ["predict", command[1], "--model=FILE", "--predictions=OUT.csv"],
            *([["chain", command[1], "--model=FILE", "--split=holdout"]] if command[0] == "chain" else []),
        ]
        for name, command in MODELS.items()
    },
}
_FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.5, 1e300, -1e300, 5e-324, 2.0**53, 3.0, -0.0)
_INTEGERS = (-1, 0, 1, 2, 5, 100, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 255, 2**32)
_TEXTS = ("", "\x1b[2J", "a,b\n", "\ud800", "é" * 300, "a", "x", "0", " ", "\0")
_JSON: tuple[Any, ...] = (None, -1, 0, 1, 2**31, 2**70, 1e308, float("nan"), float("inf"), "", "x", [], {})
_JSON += ([1, [2]], True, False, "\x1b[2J", [None], {"a": 1}, "d", 0.5, -0.5, ["x"] * 5)


@functools.cache
def whole_files() -> dict[str, bytes]:
    """Return files of all kinds, made by the commands themselves, by their names."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for path, text in (("flat.csv", FLAT), ("sparse.svm", SPARSE), ("graph.arff", GRAPH)):
            Path(path).write_text(text)
        for path, command in _MADE.items():
            if path == "w.npz":
                _succeed(["rank", "u.npz", "-o", "g.npz"])
            _succeed([*command, _TARGET.get(path, "-o"), path])
        return {path: Path(path).read_bytes() for path in (*_MADE, "g.npz")}


def _succeed(command: Sequence[str]) -> None:
    status, said = _run(command)
    assert status == 0, (command, said)


def _run(command: Sequence[str]) -> tuple[int, str]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        return main(list(command)), said.getvalue()


def run_case(number: int, folder: Path, names: Collection[str] = ()) -> str:
    """Run a case in a folder, and return what became of it: "read" or "refused".

    The file is one of some names; of all by default.

    Raises
    ------
    Exception
        If the command did not end well.
    """
    chance = random.Random(number)
    files = whole_files()
    name = chance.choice(sorted(names or COMMANDS))
    members = members_of(files[name])
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _change(members, chance)
    for other, content in files.items():
        if not (folder / other).exists():
            (folder / other).write_bytes(content)
    for old in folder.glob("OUT*"):
        old.unlink()
    (folder / "FILE.npz").write_bytes(archive_of(members))
    command = [word.replace("FILE", "FILE.npz") for word in chance.choice(COMMANDS[name])]
    with contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        status, said = _run([*command, "--force"])
    if status == 0:
        return "read"
    lines = said.splitlines()
    assert status == 2, f"status {status}: {said[-2000:]}"
    assert len(lines) == 1 and said.replace("\n", "").isprintable(), said[-2000:]
    assert "FILE.npz" in said or "; " in said, said
    return "refused"


def _change(members: dict[str, bytes], chance: random.Random) -> None:
    """Change one member: mostly a value of it."""
    names = sorted(members)
    name = chance.choice(names)
    if chance.random() < 0.25:
        name = "meta.json" if "meta.json" in members else name
    if name == "meta.json":
        members[name] = json.dumps(_changed_json(json.loads(members[name]), chance)).encode()
        return
    array = array_from(members[name])
    how = chance.random()
    if how < 0.05:
        del members[name]
        return
    if how < 0.1:
        array = array_from(members[chance.choice([other for other in names if other != "meta.json"])])
    elif how < 0.2:
        array = _reshaped(array, chance)
    elif how < 0.3:
        with np.errstate(all="ignore"), contextlib.suppress(ValueError, OverflowError):
            array = array.astype(chance.choice(("f8", "f4", "i8", "i4", "u1", "u8", "?", "U3", "i2")))
    elif array.size:
        for _ in range(chance.choice((1, 1, 2, array.size))):
            _put(array, chance)
    members[name] = _bytes_of(array)


def _bytes_of(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array) if array.ndim else array)
    return buffer.getvalue()


def with_member(file: bytes, member: str | None, change: Callable[[Any], Any]) -> bytes:
    """Return an array file whose header ("meta"), array of a name, or all arrays (None) are changed."""
    members = members_of(file)
    header = json.loads(members["meta.json"])
    arrays = {name[:-4]: array_from(data) for name, data in members.items() if name.endswith(".npy")}
    if member == "meta":
        header = change(header)
    else:
        arrays = change(arrays) if member is None else {**arrays, member: change(arrays[member])}
    packed = {f"{name}.npy": _bytes_of(array) for name, array in arrays.items()}
    return archive_of({"meta.json": json.dumps(header).encode(), **packed})


def _put(array: np.ndarray, chance: random.Random) -> None:
    """Put an odd value, or another one of the array, into an array."""
    flat = array.reshape(-1)
    place = chance.randrange(array.size)
    if chance.random() < 0.3:
        flat[place] = flat[chance.randrange(array.size)]
    elif array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            flat[place] = chance.choice(_FLOATS)
    elif array.dtype.kind in "iu":
        flat[place] = np.array(chance.choice(_INTEGERS)).astype(array.dtype)
    elif array.dtype.kind == "b":
        flat[place] = not flat[place]
    else:
        with contextlib.suppress(ValueError):
            flat[place] = chance.choice(_TEXTS)


def _reshaped(array: np.ndarray, chance: random.Random) -> np.ndarray:
    ways: tuple[Callable[[], np.ndarray], ...] = (
        lambda: array[..., None],
        lambda: array.reshape(-1),
        lambda: array[:0],
        lambda: array[:-1],
        lambda: np.concatenate([array, array[-1:]]),
        lambda: array[::-1],
        lambda: array.T,
        lambda: array.reshape(-1)[:1].reshape(()),
    )
    with contextlib.suppress(ValueError, IndexError):
        return chance.choice(ways)()
    return array


def _changed_json(value: Any, chance: random.Random) -> Any:
    """Return a value of JSON with one of its parts changed."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        if chance.random() < 0.15:
            return {name: part for name, part in value.items() if name != key}
        return {**value, key: _changed_json(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.7:
        place = chance.randrange(len(value))
        if chance.random() < 0.2:
            return value[:place]
        return [*value[:place], _changed_json(value[place], chance), *value[place + 1 :]]
    return chance.choice(_JSON)
