"""``mlsieve compare`` as a step of a study: the questions of its analysis, asked of its performance.csv."""

from __future__ import annotations

import argparse
import os
from typing import Any

from mlsieve.cli._options import InputFile, directions_from, words
from mlsieve.cli._outputs import output_file, require_replaceable
from mlsieve.errors import UserError, printable, shortened
from mlsieve.files.csv_tables import frame_as_csv

NAMES = {
    "tests": "tests.csv",
    "ranks": "average_ranks.csv",
    "choices": "choices.csv",
    "findings": "findings.json",
    "counts": "verdict_counts.csv",
}
# Options of a study's analysis; a command with one of them is about a study's table.
OPTIONS = ("analysis", "questions", "datasets", "rankings", "choice", *NAMES)


def add_study_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that only a study's table has."""
    group = parser.add_argument_group("for the performance.csv of a study")
    group.add_argument(
        "--analysis",
        type=InputFile,
        metavar="FILE",
        help="YAML or JSON with the keys of a study's section 'analysis'",
    )
    group.add_argument(
        "--questions",
        metavar="A,B",
        help="questions to ask, as 'mlsieve methods' lists them (default: those of the analysis, else "
        "'comparison' for a table without ensembles and scores)",
    )
    group.add_argument(
        "--datasets",
        metavar="CSV",
        help="as 'mlsieve describe' writes it: shows which datasets have binary features only, unless the "
        "analysis names them",
    )
    group.add_argument(
        "--rankings", metavar="CSV", help="rankings.csv of a study, for the question 'efficiency'"
    )
    group.add_argument(
        "--choice", choices=("paper", "own"), help="sizes and ensembles that later questions use"
    )
    for name, file in NAMES.items():
        group.add_argument(
            f"--{name}",
            type=output_file(os.path.splitext(file)[1]),
            metavar="FILE",
            help=f"write {file} under this name",
        )


def run_study(args: argparse.Namespace) -> int:
    """Test the table and write the answers; print them in short where no output is given."""
    from pathlib import Path

    from mlsieve.analysis import read_performance, records, run_questions
    from mlsieve.files.writing import write_json, write_text
    from mlsieve.questions.ensembles.candidates import CandidatesKeys

    performance = read_performance(args.performance)
    targets = {name: getattr(args, name) for name in NAMES}
    if args.output:
        targets = {name: path or Path(args.output) / NAMES[name] for name, path in targets.items()}
    for path in filter(None, targets.values()):
        require_replaceable(os.fspath(path), force=args.force)
    analysis = _analysis(args, performance)
    if args.datasets and analysis.of(CandidatesKeys).binary_features is None:
        analysis = analysis.with_settings(binary_features=_binary(args.datasets))
    answers = run_questions(performance, analysis, _rankings(args.rankings) if args.rankings else None)
    if not any(targets.values()):
        _print(records(answers))
    tables = {"tests": answers.tests, "ranks": answers.average_ranks, "choices": answers.choices}
    tables["counts"] = answers.counts
    for name, table in tables.items():
        if targets[name]:
            write_text(targets[name], frame_as_csv(table))
    if targets["findings"]:
        content = {"analysis": analysis.as_mapping(), "questions": records(answers)}
        write_json(targets["findings"], content)
    return 0


def _print(answered: list[dict[str, Any]]) -> None:
    """Print the short answer to each question, or why there is none."""
    for record in answered:
        said = record["answer"] or record["notes"] or ["There is no test."]
        print(f"{printable(record['title'])}\n  {printable(' '.join(said))}")
    print("Further tests, effect sizes and ranks: -o FOLDER.")


def _analysis(args: argparse.Namespace, performance) -> Any:
    from mlsieve.analysis import Analysis

    section: dict[str, Any] = {}
    if args.analysis:
        section = _read_section(args.analysis)
    for name in ("choice", "significance"):
        if getattr(args, name) is not None:
            section[name] = getattr(args, name)
    for name in ("questions", "measures"):
        if getattr(args, name) is not None:
            section[name] = words(getattr(args, name))
    rounding = rounding_from(args)
    if args.rounding is not None or rounding is not None:
        section["rounding"] = rounding
    section["directions"] = {**(section.get("directions") or {}), **directions_from(args)}
    paired = (performance["ensemble"] != "") & (performance["score"] != "")
    if "questions" not in section and not paired.any():
        section["questions"] = ["comparison"]
    return Analysis.from_mapping(section, file=args.analysis)


def rounding_from(args: argparse.Namespace) -> dict[str, int] | None:
    """Return how values are rounded before they are ranked; None if nothing is said or 'none'."""
    if args.rounding is not None and args.significant_digits is not None:
        raise UserError("--rounding and --significant-digits exclude each other", hint="give one of them")
    if args.significant_digits is not None:
        if not 1 <= args.significant_digits <= 15:
            raise UserError(
                f"--significant-digits must be from 1 to 15, got {args.significant_digits}",
                hint="write e.g. --significant-digits 3",
            )
        return {"significant": args.significant_digits}
    if args.rounding is None or args.rounding.lower() == "none":
        return None
    if args.rounding not in map(str, range(16)):
        raise UserError(
            f"--rounding {shortened(args.rounding)}: not a number of decimals", hint="write e.g. --rounding 3"
        )
    return {"decimals": int(args.rounding)}


def _rankings(path: str) -> Any:
    import pandas as pd

    from mlsieve.files.csv_tables import read_rows, require_columns

    rows = read_rows(path)
    needed = ("dataset", "split", "repeat", "method", "ensemble", "score", "size", "features", "positive")
    require_columns(rows[0] if rows else needed, needed, path, "mlsieve step collect")
    frame = pd.DataFrame(rows, columns=list(needed))
    return frame.astype({"size": int, "features": int, "positive": int})


def _binary(path: str) -> tuple[str, ...]:
    from mlsieve.files.csv_tables import read_rows, require_columns

    rows, needed = read_rows(path), ("dataset", "binary")
    require_columns(rows[0] if rows else needed, needed, path, "mlsieve describe")
    return tuple(row["dataset"] for row in rows if row["binary"] == "yes")


def _read_section(path: str) -> dict[str, Any]:
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
