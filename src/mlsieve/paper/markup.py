"""Tables as LaTeX and Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from mlsieve.analysis.sentences.wording import p_bound
from mlsieve.errors import spelled_out
from mlsieve.stats._lazy import pd

# In the order of Unicode from alpha on; omicron and the final sigma have no command.
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi - pi rho - sigma tau upsilon "
    "phi chi psi omega"
).split()
_GREEK_CAPITALS = "gamma delta theta lambda xi pi sigma upsilon phi psi omega".split()
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\N{MINUS SIGN}": "$-$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{UPWARDS ARROW}": r"$\uparrow$",
    "\N{DOWNWARDS ARROW}": r"$\downarrow$",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{INFINITY}": r"$\infty$",
    "\N{ALMOST EQUAL TO}": r"$\approx$",
    "\N{RIGHTWARDS ARROW}": r"$\rightarrow$",
    **{chr(0x3B1 + place): f"$\\{name}$" for place, name in enumerate(_GREEK) if name != "-"},
    **{chr(0x391 + _GREEK.index(name)): f"$\\{name.capitalize()}$" for name in _GREEK_CAPITALS},
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_FORMULAS = {
    re.compile(r"(?<![\w/-])F\\_F(?![\w/-])"): "$F_F$",
    re.compile(r"(?<![\w/-])chi-squared(?![\w/-])"): r"$\chi^2$",
}
# Begins a box of graphicx, which a brace ends: its content keeps its size, but is never wider than the text.
FITTED = "\\noindent\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
_NEGATIVE = re.compile(r"-\d[\d.]*(?:e[-+]?\d+)?$")
_POWER = re.compile(r"(?<![\w.-])(\d(?:\.\d+)?)e-0*(\d+)(?![\w-])")
# An underscore or an @ in a word has no meaning. Pandoc makes dashes of hyphens, and one sign of points;
# GitHub makes links of addresses.
_MARKDOWN = re.compile(
    r"([\\*<>|`$\[\]~^]|(?<![^\W_])[_@]|_(?![^\W_])|-(?=-)|(?<=-)-|\.(?=\.\.)|&(?=#?\w+;)|:(?=//)|(?<=www)\.)",
    re.IGNORECASE,
)
# Of a heading, a list or a title, if a text begins with it.
_BEGINNING = re.compile(r"(\s*)(\d{0,9})([#%]|[+-](?=\s)|(?<=\d)[.)](?=\s|$)|:(?=::))")
_HEADS = {
    "n_datasets": "datasets",
    "f_f": "F_F",
    "p_value": "p",
    "p_adjusted": "adjusted p",
    "p_better": "first better",
    "p_rope": "practically equal",
    "p_worse": "second better",
    "wilcoxon_p": "Wilcoxon p",
    "wilcoxon_p_adjusted": "adjusted Wilcoxon p",
}
_P_VALUES = ("p_value", "p_adjusted", "wilcoxon_p", "wilcoxon_p_adjusted", "f_p")
_DECIMALS = {"average_rank": 2, "rank": 2, "statistic": 2, "f_f": 2, "critical_distance": 2}


def latex(text: str) -> str:
    """Return a text with LaTeX's special characters escaped, and statistics and powers of ten as formulas.

    Control characters are spelled out.

    Examples
    --------
    >>> print(latex("5 % of a_b, p = 1.3e-14"))
    5 \\% of a\\_b, p = $1.3 \\cdot 10^{-14}$
    """
    escaped = "".join(_SPECIAL.get(letter, letter) for letter in spelled_out(text))
    for words, formula in _FORMULAS.items():
        escaped = words.sub(lambda _, formula=formula: formula, escaped)  # type: ignore[misc]
    return _POWER.sub(lambda found: f"${found[1]} \\cdot 10^{{-{found[2]}}}$", escaped)


def markdown(text: str) -> str:
    """Return a text with Markdown's special characters escaped, and control characters spelled out.

    Examples
    --------
    >>> print(markdown("a|b <c> *d* $e$ _f_ F_F [g](h)"))
    a\\|b \\<c\\> \\*d\\* \\$e\\$ \\_f\\_ F_F \\[g\\](h)
    """
    within = markdown_within(text)
    begins = _BEGINNING.match(within)
    return within if begins is None else f"{begins[1]}{begins[2]}\\{within[begins.start(3) :]}"


def markdown_within(text: str) -> str:
    """Return the rest of a text of which something precedes on its line, as `markdown` does."""
    return _MARKDOWN.sub(r"\\\1", spelled_out(text))


def head(column: str) -> str:
    """Return the name of a column as a table for readers shows it.

    Examples
    --------
    >>> head("p_rope"), head("average_rank")
    ('practically equal', 'average rank')
    """
    return _HEADS.get(column, column.replace("_", " "))


def cell(value: Any, column: str = "") -> str:
    """Return a value as a table shows it: numbers with 4 significant digits, ranks with 2 decimals.

    What is missing is empty.

    Examples
    --------
    >>> cell(0.123456), cell(0.25), cell(2.0, "rank"), cell(25), cell(float("nan"))
    ('0.1235', '0.2500', '2.00', '25', '')
    """
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        if column in _P_VALUES and (bound := p_bound(value)):
            return bound
        return f"{value:.{_DECIMALS[column]}f}" if column in _DECIMALS else _four_digits(value)
    return str(value)


def _four_digits(value: float) -> str:
    """Return a number with four significant digits, also where the last ones are zeros."""
    text = f"{value:.4g}"
    return text if "e" in text or not math.isfinite(value) else f"{value:#.4g}".rstrip(".")


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper.

    Attributes
    ----------
    caption : str
    frame : DataFrame
        Cells as values, or as texts that are shown as they are.
    numbers : collection of int, optional
        Places of the columns that are aligned on the right; None: those of numbers.
    """

    caption: str
    frame: pd.DataFrame
    numbers: Collection[int] | None = None

    def heads(self) -> list[str]:
        """Return the names of the columns; those of a table of values in words."""
        names = list(map(str, self.frame.columns))
        return list(map(head, names)) if self.numbers is None else names

    def is_right(self, place: int) -> bool:
        """Return whether a column is aligned on the right."""
        kind = self.frame.iloc[:, place].dtype.kind
        return kind in "if" if self.numbers is None else place in self.numbers


def markdown_table(frame: pd.DataFrame | PaperTable) -> str:
    """Return a table as Markdown, columns of numbers to the right."""
    table = frame if isinstance(frame, PaperTable) else PaperTable("", frame)
    frame = table.frame
    heads = list(map(markdown, table.heads()))
    rule = ["---:" if table.is_right(place) else "---" for place in range(len(heads))]
    rows = [list(map(markdown, row)) for row in _cells(frame)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, rule, *rows])


def latex_table(table: PaperTable, label: str) -> str:
    """Return a table as LaTeX with the rules of booktabs; a wide one is scaled to the width of the text."""
    frame = table.frame
    kinds = "".join("r" if table.is_right(place) else "l" for place in range(frame.shape[1]))
    heads = _latex_row(map(latex, table.heads()))
    rows = "\n".join(_latex_row(map(_latex_cell, row)) for row in _cells(frame))
    return (
        f"\\begin{{table}}\n\\centering\n\\caption{{{latex(table.caption)}}}\n\\label{{tab:{label}}}\n"
        f"{FITTED}\\begin{{tabular}}{{{kinds}}}\n\\toprule\n{heads}\n\\midrule\n{rows}\n\\bottomrule\n"
        f"\\end{{tabular}}}}\n\\end{{table}}\n"
    )


def _latex_row(cells: Iterable[str]) -> str:
    """Return a row; a bracket or star at its beginning is no argument of the rule or row before it."""
    return re.sub(r"^\s*[\[*]", r"{\g<0>}", " & ".join(cells)) + r" \\"


def _latex_cell(text: str) -> str:
    """Return a cell as LaTeX; the hyphen before a number is a minus sign."""
    return f"$-${latex(text[1:])}" if _NEGATIVE.match(text) else latex(text)


def _cells(frame: pd.DataFrame) -> list[list[str]]:
    names = list(map(str, frame.columns))
    return [
        [cell(value, name) for name, value in zip(names, row, strict=True)]
        for row in frame.itertuples(index=False)
    ]
