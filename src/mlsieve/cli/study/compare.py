"""``mlsieve compare``: statistical tests of a table of performance."""

from __future__ import annotations

import argparse
import os
from typing import Any

from mlsieve.cli._options import (
    add_direction_arguments,
    directions_from,
    words,
)
from mlsieve.cli._outputs import OutputFile, require_replaceable

HELP = "test methods over datasets: Friedman, Nemenyi, Bonferroni-Dunn, Wilcoxon"
EXAMPLE = "mlsieve compare results/quickstart/performance.csv -o comparison"

_NAMES = {
    "tests": "tests.csv",
    "ranks": "average_ranks.csv",
    "choices": "choices.csv",
    "findings": "findings.json",
    "counts": "verdict_counts.csv",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "performance",
        metavar="CSV",
        help="one observation per row; needs the columns dataset, method, measure, value",
    )
    parser.add_argument(
        "--analysis", metavar="FILE", help="YAML or JSON with the keys of a study's section 'analysis'"
    )
    parser.add_argument(
        "--questions",
        metavar="A,B",
        help="questions to ask, as 'mlsieve methods' lists them (default: those of the analysis, else "
        "'comparison' for a table without ensembles and scores)",
    )
    parser.add_argument(
        "--datasets",
        metavar="CSV",
        help="as 'mlsieve describe' writes it: shows which datasets have binary features only, unless the "
        "analysis names them",
    )
    parser.add_argument(
        "--rankings", metavar="CSV", help="rankings.csv of a study, for the question 'efficiency'"
    )
    parser.add_argument(
        "--choice", choices=("paper", "own"), help="sizes and ensembles that later questions use"
    )
    parser.add_argument("--significance", type=float, metavar="P", help="level of the tests (default 0.05)")
    parser.add_argument("--rounding", metavar="D", help="decimals before ranking (default 3), or 'none'")
    parser.add_argument(
        "--significant-digits", type=int, metavar="D", help="round to significant digits instead"
    )
    parser.add_argument("--measures", metavar="A,B", help="measures to test (default: all in the table)")
    add_direction_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FOLDER", help=f"write {', '.join(_NAMES.values())} here")
    for name, file in _NAMES.items():
        parser.add_argument(
            f"--{name}", type=OutputFile, metavar="FILE", help=f"write {file} under this name"
        )


def run(args: argparse.Namespace) -> int:
    """Test the table and write the answers."""
    from pathlib import Path

    from mlsieve.analysis import read_performance, records, run_questions
    from mlsieve.errors import UserError
    from mlsieve.files.writing import write_json, write_text
    from mlsieve.questions.ensembles.candidates import CandidatesKeys

    performance = read_performance(args.performance)
    targets = {name: getattr(args, name) for name in _NAMES}
    if args.output:
        targets = {name: path or Path(args.output) / _NAMES[name] for name, path in targets.items()}
    for path in filter(None, targets.values()):
        require_replaceable(os.fspath(path), force=args.force)
    if not any(targets.values()):
        raise UserError("no output is given", hint="give -o FOLDER, or --tests FILE")
    analysis = _analysis(args, performance)
    if args.datasets and analysis.of(CandidatesKeys).binary_features is None:
        analysis = analysis.with_settings(binary_features=_binary(args.datasets))
    answers = run_questions(performance, analysis, _rankings(args.rankings) if args.rankings else None)
    tables = {"tests": answers.tests, "ranks": answers.average_ranks, "choices": answers.choices}
    tables["counts"] = answers.counts
    for name, table in tables.items():
        if targets[name]:
            write_text(targets[name], table.to_csv(index=False, lineterminator="\n"))
    if targets["findings"]:
        content = {"analysis": analysis.as_mapping(), "questions": records(answers)}
        write_json(targets["findings"], content)
    return 0


def _analysis(args: argparse.Namespace, performance) -> Any:
    from mlsieve.analysis import Analysis
    from mlsieve.errors import UserError

    section: dict[str, Any] = {}
    if args.analysis:
        section = _read_section(args.analysis)
    for name in ("choice", "significance"):
        if getattr(args, name) is not None:
            section[name] = getattr(args, name)
    for name in ("questions", "measures"):
        if getattr(args, name) is not None:
            section[name] = words(getattr(args, name))
    if args.rounding is not None and args.significant_digits is not None:
        raise UserError("--rounding and --significant-digits exclude each other", hint="give one of them")
    if args.rounding is not None:
        if not (args.rounding.isdigit() or args.rounding.lower() == "none"):
            raise UserError(
                f"--rounding {args.rounding}: not a number of decimals", hint="write e.g. --rounding 3"
            )
        section["rounding"] = int(args.rounding) if args.rounding.isdigit() else None
    if args.significant_digits is not None:
        section["rounding"] = {"significant": args.significant_digits}
    section["directions"] = {**(section.get("directions") or {}), **directions_from(args)}
    paired = (performance["ensemble"] != "") & (performance["score"] != "")
    if "questions" not in section and not paired.any():
        section["questions"] = ["comparison"]
    return Analysis.from_mapping(section, file=args.analysis)


def _rankings(path: str) -> Any:
    import pandas as pd

    from mlsieve.files.csv_tables import read_rows, require_columns

    rows = read_rows(path)
    needed = ("dataset", "split", "repeat", "method", "ensemble", "score", "size", "features", "positive")
    require_columns(rows[0] if rows else needed, needed, path, "mlsieve collect")
    frame = pd.DataFrame(rows, columns=list(needed))
    return frame.astype({"size": int, "features": int, "positive": int})


def _binary(path: str) -> tuple[str, ...]:
    from mlsieve.files.csv_tables import read_rows, require_columns

    rows, needed = read_rows(path), ("dataset", "binary")
    require_columns(rows[0] if rows else needed, needed, path, "mlsieve describe")
    return tuple(row["dataset"] for row in rows if row["binary"] == "yes")


def _read_section(path: str) -> dict[str, Any]:
    from mlsieve.errors import UserError
    from mlsieve.files.checksums import require_file
    from mlsieve.files.yaml import parse_yaml

    try:
        content = parse_yaml(require_file(path).read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        raise UserError(f"is not YAML or JSON ({error})", file=path, hint="correct it") from error
    if isinstance(content, dict) and isinstance(content.get("analysis"), dict):
        content = content["analysis"]  # a whole configuration was given
    if not isinstance(content, dict):
        raise UserError(
            "does not contain a mapping", file=path, hint="give the keys of a study's section 'analysis'"
        )
    return content
