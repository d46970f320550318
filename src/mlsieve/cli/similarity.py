"""``mlsieve similarity``: how alike rankings of the same features are."""

from __future__ import annotations

import argparse

HELP = "compare rankings of the same features (FUJI, the fuzzy Jaccard index)"
EXAMPLE = "mlsieve similarity genie3.csv symbolic.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "rankings", nargs="+", metavar="RANKING", help="two or more ranking .csv files or .npz bundles"
    )
    parser.add_argument("-o", "--output", metavar="CSV", help="write the table here instead of printing it")


def run(args: argparse.Namespace) -> int:
    """Print or write the similarity of every pair of rankings."""
    import itertools

    from mlsieve.errors import UserError
    from mlsieve.files import write_text
    from mlsieve.rankings import read_rankings
    from mlsieve.stats.similarity import fuzzy_jaccard

    rankings = read_rankings(args.rankings).rankings
    if len(rankings) < 2:
        raise UserError("one ranking has nothing to be compared with", cure="give two or more rankings")
    names = [ranking.name or f"ranking {position}" for position, ranking in enumerate(rankings, start=1)]
    if len(set(names)) < len(names):
        names = [f"{name} ({position})" for position, name in enumerate(names, start=1)]
    lines = ["first,second,similarity"]
    for i, j in itertools.combinations(range(len(rankings)), 2):
        value = fuzzy_jaccard(rankings[i].scores, rankings[j].scores)
        lines.append(f"{_quoted(names[i])},{_quoted(names[j])},{value!r}")
    text = "\n".join(lines) + "\n"
    if args.output:
        write_text(args.output, text)
    else:
        print(text, end="")
    return 0


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\n') else name
