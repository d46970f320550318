"""``mlsieve step figures``: a study's pictures from its tables."""

from __future__ import annotations

import argparse
from typing import Any

from mlsieve.cli._options import add_direction_arguments, directions_from, words
from mlsieve.cli._outputs import require_replaceable

HELP = "draw critical-distance diagrams, saturation curves, radar plots and differences from the references"
EXAMPLE = (
    "mlsieve step figures --performance performance.csv --tests tests.csv --ranks average_ranks.csv"
    " -o figures"
)
FORMATS = ("svg", "pdf", "png")
_OF_CHAINS = {
    "chain-runs": "chain_runs.csv, the models",
    "chain-curves": "chain_curves.csv, values by the length of the chain and by sigma",
    "chain-steps": "chain_steps.csv, what each step sets",
}
_TEXT = (
    "question family variant evaluator measure comparison method methods test reference_method item dataset"
    " ensemble score split step first second"
).split()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--performance", metavar="CSV", required=True, help="one observation per row")
    parser.add_argument("--tests", metavar="CSV", required=True, help="as 'mlsieve compare' wrote it")
    parser.add_argument(
        "--ranks", metavar="CSV", required=True, help="average_ranks.csv of 'mlsieve compare'"
    )
    parser.add_argument("--choices", metavar="CSV", help="sizes in use (default: choices.csv beside --tests)")
    parser.add_argument("--timings", metavar="CSV", help="timings.csv of a study")
    parser.add_argument("--rankings", metavar="CSV", help="rankings.csv of a study")
    parser.add_argument("--similarity", metavar="CSV", help="as 'mlsieve similarity' wrote it")
    parser.add_argument(
        "--curves",
        metavar="CSV",
        help="its curves; those of the first dataset are drawn (needs --similarity)",
    )
    parser.add_argument(
        "--convergence", metavar="CSV", help="means, as 'mlsieve step convergence --means' wrote them"
    )
    for name, what in _OF_CHAINS.items():
        parser.add_argument(f"--{name}", metavar="CSV", help=f"{what} of a study of chains")
    parser.add_argument("--described", metavar="CSV", help="datasets.csv of such a study")
    parser.add_argument(
        "--findings",
        metavar="JSON",
        help="findings.json, whose analysis names the baselines and other methods",
    )
    parser.add_argument("--datasets", metavar="A,B", help="datasets that get figures of their own")
    parser.add_argument(
        "--measures",
        metavar="A,B",
        help="measures of the figures that show only a few (default: the first two of the tests)",
    )
    parser.add_argument("--figures", metavar="A,B", help="ids of figures (default: all)")
    parser.add_argument("--formats", default="svg,pdf", metavar="A,B", help="svg, pdf, png (default svg,pdf)")
    parser.add_argument(
        "--best", choices=("right", "left"), default="right", help="side of rank 1 (default right)"
    )
    add_direction_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="the figures go here")
    parser.add_argument(
        "--index", metavar="JSON", help="the list of the figures (default: figures.json in the folder)"
    )


def run(args: argparse.Namespace) -> int:
    """Draw every figure the tables allow, and list them in an index."""
    import os
    import sys
    from pathlib import Path

    from mlsieve.analysis import read_performance
    from mlsieve.errors import UserError, did_you_mean
    from mlsieve.files.csv_tables import read_frame, require_columns
    from mlsieve.files.writing import write_json
    from mlsieve.plots.drawing.material import Material
    from mlsieve.plots.drawing.style import save_figure
    from mlsieve.progress import counted
    from mlsieve.registry import entries, lookup

    formats = words(args.formats)
    for name in formats:
        if name not in FORMATS:
            raise UserError(f"unknown format '{name}'", hint=did_you_mean(name, FORMATS))
    beside = Path(args.tests).with_name("choices.csv")
    choices = args.choices or (beside if beside.is_file() else None)

    def read(path: str | Path, needed: tuple[str, ...]) -> Any:
        table = read_frame(path, _TEXT, missing="check the path", damaged="make it again")
        require_columns(table.columns, needed, path, "mlsieve compare")
        return table

    def read_chains(path: str | None) -> Any:
        return read_frame(path, missing="check the path") if path else None

    chosen = list(entries("figure")) if args.figures is None else words(args.figures)
    functions = [lookup("figure", name).target for name in chosen]
    material = Material(
        read_performance(args.performance),
        read(args.tests, ("question", "family", "variant", "measure", "test", "methods", "rejected")),
        read(args.ranks, ("question", "family", "variant", "measure", "method", "rank", "critical_distance")),
        read(choices, ("kind", "item", "value", "used")) if choices else None,
        read(args.timings, ("dataset", "method", "seconds")) if args.timings else None,
        directions_from(args),
        args.best,
        read(args.rankings, ("dataset", "method", "size", "features", "positive")) if args.rankings else None,
        read(args.similarity, ("dataset", "first", "second", "similarity")) if args.similarity else None,
        read(args.curves, ("dataset", "first", "second", "features", "similarity")) if args.curves else None,
        read(args.convergence, ("label", "size", "tau", "similarity")) if args.convergence else None,
        tuple(words(args.datasets or "")),
        tuple(words(args.measures or "")),
        chain_runs=read_chains(args.chain_runs),
        chain_curves=read_chains(args.chain_curves),
        chain_steps=read_chains(args.chain_steps),
        described=read_chains(args.described),
        analysis=_analysis(args.findings),
    )
    for name in material.datasets:
        if name not in set(material.performance["dataset"]):
            print(
                f"mlsieve: no figures of the dataset '{name}': the table has no values for it",
                file=sys.stderr,
            )
    folder, index = Path(args.output), []
    list_file = Path(args.index or folder / "figures.json")
    within = Path(os.path.relpath(folder, list_file.parent))
    folder.mkdir(parents=True, exist_ok=True)  # also where the tables allow no figure
    require_replaceable(str(list_file), force=args.force)
    for draw in counted(functions, "kinds of figures"):
        drawings = draw(material)
        drawn = [name for name, drawing in drawings.items() if drawing.figure is not None]
        for path in (folder / f"{name}.{suffix}" for name in drawn for suffix in formats):
            require_replaceable(str(path), force=args.force)
        for name, drawing in drawings.items():
            files = [folder / f"{name}.{suffix}" for suffix in formats if drawing.figure is not None]
            for path in files:
                save_figure(drawing.figure, path)
            index.append(
                {
                    "name": name,
                    "files": [(within / path.name).as_posix() for path in files],
                    "title": drawing.title,
                    "caption": drawing.caption,
                    "question": drawing.question,
                    "group": drawing.group,
                    "seen": drawing.seen,
                }
            )
    write_json(list_file, index)
    return 0


def _analysis(path: str | None) -> Any:
    """Return the analysis that findings.json names; the default one without a file."""
    from mlsieve.analysis import Analysis
    from mlsieve.configuration.merge import read_json

    return Analysis() if path is None else Analysis.from_mapping(read_json(path)["analysis"], file=path)
