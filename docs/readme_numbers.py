"""Write the README's figure and table from the results of the default study (run ``make study`` first).

    python docs/readme_numbers.py [results/quickstart]

A test holds both against the results that are there.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import pandas as pd

from mlsieve.cli import main

ROOT = Path(__file__).resolve().parents[1]
MEASURES = {"pooled-auprc": "pooled AUPRC", "hamming-loss": "Hamming loss", "ranking-loss": "ranking loss"}
# Without the oracle: it has no values on one of the sets.
ROWS = {
    "no weights": ("uniform", "", ""),
    "random weights": ("random", "", ""),
    "bagging, permutation": ("pct", "bagging", "permutation"),
    "random forest, permutation": ("pct", "random-forest", "permutation"),
    "random forest, Genie3": ("pct", "random-forest", "genie3"),
    "extra trees, Genie3": ("pct", "extra-trees", "genie3"),
    "extra trees, symbolic": ("pct", "extra-trees", "symbolic"),
    "MLC-Relief": ("relief", "", ""),
}
TABLE = re.compile(r"(?<=<!-- numbers -->\n).*?(?=<!-- end of numbers -->)", re.DOTALL)


def read(folder: Path) -> pd.DataFrame:
    """Return the rows of performance.csv that the README shows."""
    table = pd.read_csv(folder / "performance.csv", keep_default_na=False)
    return table[table["measure"].isin(list(MEASURES))]


def numbers(table: pd.DataFrame) -> str:
    """Return the README's table: means over the datasets, with 100 trees."""
    lines = ["| distance weighted by | " + " | ".join(MEASURES.values()) + " |", "| --- | --- | --- | --- |"]
    for name, (method, ensemble, score) in ROWS.items():
        chosen = table[
            (table["method"] == method)
            & (table["ensemble"] == ensemble)
            & (table["score"] == score)
            & table["size"].isin([0, 100])
        ]
        means = [
            chosen.loc[chosen["measure"] == measure, "value"].astype(float).mean() for measure in MEASURES
        ]
        lines.append(f"| {name} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    return "\n".join(lines) + "\n"


def figure(table: pd.DataFrame, folder: Path) -> bytes:
    """Return the README's figure as SVG: saturation curves of the three measures."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        table.to_csv(work / "performance.csv", index=False)
        analysis = folder / "configuration" / "analysis.json"
        compare = [str(work / "performance.csv"), "--analysis", str(analysis), "--questions", "saturation"]
        draw = ["--performance", compare[0], "--tests", str(work / "tests.csv"), "--formats", "svg"]
        draw += ["--ranks", str(work / "average_ranks.csv"), "--figures", "saturation", "-o", str(work)]
        if main(["compare", *compare, "-o", str(work)]) or main(["figures", *draw]):
            raise SystemExit(2)
        drawn = (work / "saturation_performance.svg").read_bytes()
        return re.sub(rb' ?\n(?=[LQCMz"])', b" ", drawn)  # a line a path, not a line a point


if __name__ == "__main__":
    results = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "results" / "quickstart"
    shown = read(results)
    readme = ROOT / "README.md"
    readme.write_text(
        TABLE.sub(lambda _: numbers(shown), readme.read_text(encoding="utf-8")), encoding="utf-8"
    )
    (ROOT / "docs" / "img").mkdir(exist_ok=True)
    (ROOT / "docs" / "img" / "quickstart.svg").write_bytes(figure(shown, results))
