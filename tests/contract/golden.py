"""Results of every method and step on small data, as rounded digests in golden.json.

    python -m tests.contract.golden                        # what has changed
    python -m tests.contract.golden --renew                # store it; refused where no version was raised
    python -m tests.contract.golden --renew 'ranker scls'  # store this alone

The workflow reruns a job when a version in its parameters rises, not when the code changes. So a result that
changes needs a raised version: the method's, in its decorator, or the step's, in `mlsieve.study.steps`.

The data have 70 rows and are dense, sparse, nominal with missing cells, or hierarchical. A method runs
through the workflow's command, with its defaults, then with its other settings, alone and in pairs. A
question is asked about made-up tables; a step runs in a small study. Two digests of each result are stored:
of what goes in and of what comes out. Where something else goes in (a parameter has a new option, another
method made the input), the results cannot be compared, and renewal stores them.

Numbers are rounded to `DIGITS` significant digits. Another libm or order of summation changes a number by
some 1e-13 of its size: at most one such number in a million then rounds to another one of 6 digits, and one
in a thousand to another one of 9. Of a text with blanks only the numbers count: its words may be improved.

This does not see changes beyond the sixth digit or below 1e-12; what needs other data (many rows or classes,
files from elsewhere) or three settings together; the look of figures; the words of the report; times, memory
and provenance.json; headers of array files; a second change of what has a raised version already.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import functools
import hashlib
import io
import itertools
import json
import re
import shlex
import sys
import tempfile
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from mlsieve.cli import main as mlsieve
from mlsieve.data.catalog import public_catalog
from mlsieve.data.generated.synthetic import make_embedded
from mlsieve.discretize import Discretization
from mlsieve.measures import choose, evaluate
from mlsieve.published.papers import papers_version
from mlsieve.registry import entries, lookup
from mlsieve.study.parts import entry_text
from mlsieve.study.steps import STEPS
from tests.fuzz.seeds import SEEDS
from tests.unit.synthetic_chains import chain_performance
from tests.unit.synthetic_selection import selection_table
from tests.unit.synthetic_study import hierarchical_table, performance_table, ranking_tables
from tests.workflow_project import ROOT, make_project

FILE = Path(__file__).with_name("golden.json")
RENEW = "python -m tests.contract.golden --renew"
DIGITS = 6
DATA = {
    "dense": ("synthetic-redundant", {"n_samples": 70, "n_redundant": 4, "n_irrelevant": 6, "n_labels": 5}),
    "sparse": ("synthetic-sparse", {"n_samples": 70, "words_per_topic": 2, "n_common": 8}),
    "nominal": ("synthetic-mixed", {"n_samples": 70, "n_irrelevant": 6, "missing": 0.1}),
    "hierarchical": ("synthetic-hierarchical", {"n_samples": 70, "n_irrelevant": 6}),
}
IN_STUDY = {
    "ranker": ("pct", "relief", "scls", "uniform"),
    "evaluator": ("weighted-knn", "mlnb"),
    "measure": ("hamming-loss", "f1"),
    "chain": ("xdcc", "cc", "ml-xgb"),
    "question": (
        "saturation",
        "relevance",
        "convergence",
        "similarity",
        "column-order",
        "selection",
        "score",
        "efficiency",
    ),
}
STUDY = {
    "study": "mlc_ranking",  # the name of a study with a paper, for the step `published`
    "datasets": ["synthetic-mixed", "synthetic-sparse"],
    "split": {"kind": "holdout", "train_share": 0.6},
    "stability": {"seeds": 2},
    "methods": [
        {"id": "pct", "ensembles": ["random-forest"], "scores": ["genie3", "symbolic"], "sizes": [2, 4]},
        {"id": "relief", "sizes": [10, 100], "params": {"k": 3}},
        {"id": "scls", "params": {"discretize": "mdlp"}},
        {"id": "uniform"},
    ],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 5}}],
    "measures": list(IN_STUDY["measure"]),
    "analysis": {
        "questions": list(IN_STUDY["question"]),
        "worked_example": {"dataset": "synthetic-sparse", "iterations": 2, "features": [0, 1, 2]},
        "column_order": {"trees": 3, "ensembles": ["bagging"], "scores": ["genie3"]},
    },
    "figures": {"formats": ["svg"]},
}
# The steps that run each kind of method; the first of them runs it here.
RUN_BY = {
    "ranker": ("rank", "grow", "column_order", "worked"),
    "evaluator": ("predict", "evaluate", "column_order"),
    "measure": ("score", "evaluate", "column_order", "tune", "chain"),
    "chain": ("chain", "tune"),
    "question": ("compare",),
}
_temporary = tempfile.TemporaryDirectory()
FOLDER = Path(_temporary.name)


def names() -> list[str]:
    """Return what has golden results, such as ``ranker pct`` and ``step collect``."""
    methods = [f"{kind} {id}" for kind in RUN_BY for id in entries(kind)]
    return [*methods, *(f"step {step}" for step in STEPS)]


def golden(name: str) -> dict[str, Any]:
    """Return ``versions``, and ``results`` as digests by case: of what goes in, of what comes out."""
    kind, id = name.split()
    if kind == "step":
        run = [each for each, steps in RUN_BY.items() if id in steps]
        sums = {f"its {each}s": sum(lookup(each, one).version for one in IN_STUDY[each]) for each in run}
        return {"versions": {name: STEPS[id].version, **sums}, "results": _steps()[id]}
    results = {"measure": _measure, "question": _question, "chain": _chain}.get(
        kind, functools.partial(_method, kind)
    )(id)
    step = RUN_BY[kind][0]
    versions = {name: lookup(kind, id).version, f"step {step}": STEPS[step].version}
    return {"versions": versions, "results": results}


def unversioned(now: dict[str, Any], stored: dict[str, Any]) -> list[str]:
    """Return the cases whose results changed while no version rose; all of them where one was lowered."""
    before, after = stored["versions"], now["versions"]
    if any(after.get(each, version) < version for each, version in before.items()):
        return list(now["results"])
    known = stored["results"]
    same_input = [case for case, digests in now["results"].items() if digests[:1] == known.get(case, [])[:1]]
    return [case for case in same_input if now["results"][case] != known[case] and after == before]


def complaint(name: str, now: dict[str, Any], stored: dict[str, Any] | None) -> str:
    """Return what is to be done about results that are not as they are stored; empty where they are."""
    if stored is None:
        return f"{name} has no golden results yet: run {RENEW} '{name}'"
    if cases := unversioned(now, stored):
        return (
            f"{name}: other results than before ({'; '.join(cases)}), and no version was raised. If they are "
            f"meant to change, raise a version ({now['versions']}; a method's version is in its decorator, a "
            f"step's in study/steps.py) and run {RENEW}"
        )
    return "" if now == stored else f"{name}: its versions, input or cases are others: run {RENEW}"


def stored_results(file: Path = FILE) -> dict[str, Any]:
    """Return what a file holds, by name; nothing where there is none."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def digest(*values: Any) -> str:
    """Return 8 hex digits of rounded values, arrays or files."""
    return hashlib.sha256(json.dumps(_plain(values)).encode()).hexdigest()[:8]


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return _plain(_content(value))
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(each) for each in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, float):
        return f"{0.0 if abs(value) < 1e-12 else value:.{DIGITS}g}"
    if isinstance(value, str) and " " in value:
        return [_plain(each) for each in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", value)]
    with contextlib.suppress(ValueError):
        return _plain(float(value)) if isinstance(value, str) else value
    return value


def _content(path: Path) -> Any:
    """Return the arrays, rows or mapping in a file; of a page, the tables' cells that hold a number."""
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return {name: arrays[name] for name in arrays.files if isinstance(arrays[name], np.ndarray)}
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        found = re.findall(r"<t[dh].*?</t[dh]>", text, re.S)
        cells = [re.sub(r"<[^>]*>", "", cell).strip() for cell in found]
        return [cell for cell in cells if re.fullmatch(r"-?[\d.,]+", cell)]
    if path.suffix == ".json":
        return _without_times(json.loads(text))
    return _without_times(list(csv.DictReader(io.StringIO(text)))) if "seconds" in text else _cells(text)


def _cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def _without_times(value: Any) -> Any:
    """Return the content of a file without the seconds that chains took, which differ between two runs."""
    if isinstance(value, dict):
        return {name: _without_times(each) for name, each in value.items() if not name.endswith("_seconds")}
    if isinstance(value, list):
        timed = (isinstance(each, dict) and str(each.get("measure")).endswith("-seconds") for each in value)
        return [_without_times(each) for each, of_time in zip(value, timed, strict=True) if not of_time]
    return value


def run(*words: object) -> bool:
    """Run a command of mlsieve in this process; return whether it ended well."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        return mlsieve([str(word) for word in words]) == 0


@functools.cache
def _data() -> dict[str, tuple[Path, Path]]:
    """Return, by kind of data, a prepared file and rankings of its features."""
    files = {name: (FOLDER / f"{name}.npz", FOLDER / f"{name}-rankings.npz") for name in DATA}
    for name, (data, rankings) in files.items():
        make_embedded(DATA[name][0], **DATA[name][1]).save(data)
        assert run("rank", data, "--method", "relief", "--sizes", "50,100", "-o", rankings)
    return files


def _method(kind: str, id: str) -> dict[str, list[str]]:
    """Return a ranker's rankings, or an evaluator's predictions."""
    entry, out = lookup(kind, id), FOLDER / "out.npz"
    schemas = entry.parameters()
    base = {name: value for name, value in entry.facts.smoke.items() if name in schemas}
    others, found = _other_settings(schemas), {}
    for name, (data, rankings) in _data().items():
        command = ["rank", data, "--method", id]
        if kind == "evaluator":
            command = ["predict", data, "--ranking", rankings, "--evaluator", id]
        outputs = [
            digest(out) if run(*command, *_words(base | other), "-o", out) else "refused"
            for other in ({}, *others)
        ]
        given = digest(data, base, rankings if kind == "evaluator" else "")
        found[name] = [given, outputs[0]]
        if others:
            found[f"{name}, other settings"] = [digest(given, others), digest(outputs)]
    return found


def _other_settings(schemas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return settings that are not the defaults: each alone, then all pairs."""
    ones = [
        {name: value}
        for name, schema in sorted(schemas.items())
        for value in _options(schema, schema["default"])
        if value != schema["default"]
    ]
    return ones + [one | other for one, other in itertools.combinations(ones, 2) if len(one | other) == 2]


def _options(schema: dict[str, Any], default: Any) -> list[Any]:
    if "anyOf" in schema:
        return [value for option in schema["anyOf"] for value in _options(option, default)]
    if schema.get("type") == "number" and isinstance(default, float):
        return [(default or 1.0) / 2]
    return [True, False] if "boolean" in schema.get("type", ()) else schema.get("enum", [])


def _words(settings: dict[str, Any]) -> list[str]:
    flags = {"ensemble": "--ensemble", "score": "--score", "n_estimators": "--trees"}
    words = []
    for name, value in settings.items():
        words += [flags[name], str(value)] if name in flags else ["--set", f"{name}={value}".lower()]
    return words


def _chain(id: str) -> dict[str, list[str]]:
    """Return what a chain predicts for data of each kind that has flat labels."""
    entry, found = lookup("chain", id), {}
    short = {name: word for word, name in entry.facts.short.items()}
    settings = {short.get(name, name): value for name, value in entry.facts.smoke.items()}
    for name, (data, _) in _data().items():
        if name != "hierarchical":
            file = FOLDER / f"{name}-{id}.npz"
            words = [
                "--split",
                "holdout",
                *_words(settings),
                "--predictions",
                file,
                "-o",
                FOLDER / "chain.csv",
            ]
            assert run("chain", data, "--method", id, *words), f"chain {id} failed on {name}"
            found[name] = [digest(data, settings), digest(file)]
    return found


def _measure(id: str) -> dict[str, list[str]]:
    """Return a measure of predictions with ties, labels without examples and rows without labels."""
    hierarchy, rng, found = make_embedded("synthetic-hierarchical").hierarchy, np.random.default_rng(0), {}
    flat = rng.random((40, hierarchy.n_classes)) < rng.choice([0.0, 0.1, 0.5], hierarchy.n_classes)
    scores = np.round(rng.random(flat.shape), 1)
    for case, truth in (("flat", flat), ("hierarchical", hierarchy.close(flat).toarray() > 0)):
        if case == "hierarchical" or not lookup("measure", id).facts.hierarchical:
            chosen = choose([id], hierarchical=case == "hierarchical")
            values = [evaluate(chosen, truth, scores, scores >= cut, hierarchy) for cut in (0.0, 0.5, 0.9, 2)]
            found[case] = [digest(truth, scores), digest(values)]
    return found


def _question(id: str) -> dict[str, list[str]]:
    """Return what tables and findings say about a question: their headings, and the rows that name it."""
    answers = _chain_answers() if id in _of_chains() else _answers()
    return {
        case: [given, digest([[row for row in table if row is table[0] or id in row] for table in tables])]
        for case, given, tables in answers
    }


def _of_chains() -> list[str]:
    """Return the questions about studies of chains, whose methods other studies do not have."""
    return [id for id, entry in entries("question").items() if ".chains." in entry.target.__module__]


@functools.cache
def _chain_answers() -> list[tuple[str, str, list[Any]]]:
    """Return the same as `_answers`, about a made-up study of chains."""
    return [_compared("dynamic_chains", chain_performance(), {"questions": _of_chains()})]


@functools.cache
def _answers() -> list[tuple[str, str, list[Any]]]:
    """Return case, digest of the input and tables of `mlsieve compare`, about made-up studies."""
    measures, sizes = ("f1", "macro-f1", "macro-f1-undefined"), (10, 50, 100)
    ranking = performance_table(6, measures, sizes, baselines=("uniform", "relief"))
    other = ranking[ranking["method"] == "pct"].assign(
        method="clus", value=lambda table: table["value"] + 0.003
    )
    tables = {
        "mlc_ranking": pd.concat([ranking, other]),
        "hmlc_ranking": hierarchical_table(8, sizes),
        "scls_selection": selection_table(12, 3),
    }
    found = []
    for name, table in tables.items():
        study = yaml.safe_load((ROOT / "config" / "studies" / f"{name}.yaml").read_text(encoding="utf-8"))
        ids = [each if isinstance(each, str) else each["id"] for each in study["datasets"]]
        table["dataset"] = [ids[int(place) - 1] for place in table["dataset"].str.removeprefix("set-")]
        analysis = study["analysis"] | {"questions": list(entries("question")), "measures": None}
        found.append(_compared(name, table, analysis))
    few = tables["mlc_ranking"].query("measure == 'f1' and method != 'clus'")
    return found + [_compared(str(choice), few, choice) for choice in _other_choices()]


def _other_choices() -> Iterator[dict[str, str]]:
    """Yield the values that are no defaults of an analysis's settings that are one of a few words."""
    with contextlib.redirect_stdout(io.StringIO()) as schema:
        mlsieve(["schema"])
    for key, accepted in json.loads(schema.getvalue())["properties"]["analysis"]["properties"].items():
        yield from ({key: value} for value in accepted.get("enum", ()) if value != accepted["default"])


def _compared(case: str, table: pd.DataFrame, analysis: dict[str, Any]) -> tuple[str, str, list[Any]]:
    performance, rankings, settings = (
        FOLDER / name for name in ("table.csv", "rankings.csv", "analysis.json")
    )
    table.to_csv(performance, index=False)
    ranking_tables(table)[0].to_csv(rankings, index=False)
    settings.write_text(json.dumps(analysis), encoding="utf-8")
    words = (performance, "--analysis", settings, "--rankings", rankings, "-o", FOLDER / "compared")
    assert run("compare", *words), f"compare failed: {case}"
    findings = _content(FOLDER / "compared" / "findings.json")["questions"]
    tables = [_content(path) for path in sorted((FOLDER / "compared").glob("*.csv"))]
    tables.append([["findings"], *(list(each.values()) for each in findings)])
    return case, digest(performance, rankings, analysis | {"questions": None}), tables


@functools.cache
def _steps() -> dict[str, dict[str, list[str]]]:
    """Return the results of each step, by file, from the commands that Snakemake plans for a small study."""
    project = make_project(FOLDER / "study", stand_in=False)
    project.configure(STUDY)
    started, commands = project.snakemake("-q", "--until", "acquire"), _further_commands()
    assert started.returncode == 0, started.stderr
    planned = project.snakemake("-n", "-p", "-F").stdout
    for line in re.findall(r"^Shell command: mlsieve (.*?) > ", planned, re.M):
        command = shlex.split(line)
        step = "worked" if command[0] == "worked-example" else command[0].replace("-", "_")
        commands[step].append(command)
    found: dict[str, dict[str, list[str]]] = {}
    with contextlib.chdir(project.folder):
        for path in _written():
            path.unlink()
        for step in STEPS:
            papers = (
                papers_version() if step == "published" else ""
            )  # a changed paper reruns the step by itself
            known, given, by_name = _written(), digest(found, papers), {}
            for command in commands[step]:
                assert run(*command), f"step {step} failed: {command}"
            for path in sorted(_written() - known):
                by_name.setdefault(re.sub("-[0-9a-f]{8}", "", path.name), []).append(digest(path))
            found[step] = {name: [given, digest(sorted(digests))] for name, digests in by_name.items()}
    catalog = {id: json.loads(entry_text(entry)) for id, entry in public_catalog().items()}
    found["prepare"]["public catalog"] = [digest(list(catalog)), digest(catalog)]
    return found


def _written() -> set[Path]:
    """Return the study's files whose content is compared; the record of a ranking holds mlsieve's version."""
    files = (path for path in Path("results").rglob("[!.]*.*") if path.parent.name != "configuration")
    kinds = {".csv", ".npz", ".json", ".html"}
    compared = (path for path in files if path.suffix in kinds and path.name != "provenance.json")
    return {path for path in compared if not path.name.endswith((".csv.json", ".json.json"))}


def _chain_commands(data: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a study of chains, which the small study is not: their steps and arguments."""
    same = [data, "--split", "holdout", "--measures", ",".join(IN_STUDY["measure"])]
    ways = ["--variant", "cumulate=none", "--variant", "cumulate=sum"]
    for depth in (2, 3):
        grown = ["--set", "rounds=2", f"depth={depth}", "-o", f"results/depth-{depth}/tune.json"]
        yield "tune", ["chain-tune", *same, "--method", "xdcc", *ways, *grown]
    points = ["results/depth-2/tune.json", "results/depth-3/tune.json"]
    tested = ["--variant", "standard", "cumulate=none", "--curve", "standard", "chain_length", "all"]
    tested += ["--set", "rounds=2", "--points", *points, "-o", "results/xdcc/chain.json"]
    yield "chain", ["chain-test", *same, "--method", "xdcc", *tested]
    ordered = ["--orders", *points, "--ordered-as", "cumulate=sum", "-o", "results/cc/chain.json"]
    boosted = ["--set", "base=ml-xgb", "trees=2", "--variant", "cc"]
    yield "chain", ["chain-test", *same, "--method", "cc", *boosted, *ordered]
    tables = [
        f"--{name}=results/chain_{name}.csv" for name in ("runs", "tuning", "curves", "steps", "orders")
    ]
    yield "chain_tables", ["chain-tables", "results/xdcc/chain.json", "results/cc/chain.json", *tables]


def _further_commands() -> dict[str, list[list[str]]]:
    """Return commands for what the study leaves out: formats of files, discretisations, `evaluate`."""
    commands: dict[str, list[list[str]]] = {step: [] for step in STEPS}
    texts = [*SEEDS["arff"][:3], SEEDS["csv"][0]]
    files = zip(("dense.arff", "sparse.arff", "tree.arff", "table.csv"), texts, strict=True)
    for name, text in files:
        (FOLDER / name).write_bytes(text)
        labels = [] if b"hierarchical" in text else ["--label-count", "-1"]
        commands["prepare"].append(["prepare", str(FOLDER / name), *labels, "-o", f"results/{name}.npz"])
    rows = ["prepare", str(FOLDER / "table.csv"), "--label-count", "-1", "--drop", "a", "--valid"]
    commands["prepare"].append([*rows, str(FOLDER / "table.csv"), "-o", "results/other-rows.npz"])
    words = ["--document-frequency", "0.3", "-o", "results/frequent.npz"]
    commands["prepare"].append(["prepare", str(_data()["sparse"][0]), *words])
    commands["describe"].append(["describe", *(str(data) for data, _ in _data().values())])
    commands["describe"][0] += ["-o", "results/described.csv"]
    for step, command in _chain_commands(str(_data()["dense"][0])):
        commands[step].append(command)
    for name, (data, rankings) in _data().items():
        for method in typing.get_args(Discretization):
            output = ["-o", f"results/{name}-{method}.npz"]
            commands["discretise"].append(["discretise", str(data), "--method", method, *output])
        words = [str(data), "--ranking", str(rankings), "--evaluator", "mlnb", "-o", f"results/{name}.csv"]
        words += ["--measures", ",".join(IN_STUDY["measure"]), "--split", "holdout", "--repeats", "0-1"]
        words += ["--allow-leakage"]  # the rankings are those of another split
        commands["evaluate"].append(["evaluate", *words])
    return commands


def main(words: list[str] | None = None) -> int:
    """Print what has changed, or store it."""
    parser = argparse.ArgumentParser(prog="python -m tests.contract.golden")
    parser.add_argument("names", nargs="*", help="such as 'ranker scls' (default: all)")
    parser.add_argument("--renew", action="store_true", help="store the results as they are now")
    parser.add_argument("--file", type=Path, default=FILE, help="where they are stored")
    args = parser.parse_args(words)
    stored, known, left = stored_results(args.file), names(), 0
    for name in args.names or known:
        now, before = golden(name), stored.get(name)
        if args.renew and not (before and unversioned(now, before)):
            stored[name] = now
        elif text := complaint(name, now, before):
            left = 1
            print(text)
    if args.renew:
        lines = [f"{json.dumps(name)}: {json.dumps(stored[name])}" for name in known if name in stored]
        args.file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return left


if __name__ == "__main__":
    sys.exit(main())
