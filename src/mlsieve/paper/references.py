"""What the tests are cited by, in the text and as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mlsieve.paper.markup import latex

_CITATION = re.compile(r" ?\[@([a-z0-9]+)\]")
_FIELDS = ("author", "title", "journal", "booktitle", "volume", "number", "pages", "year")

# By key: how the text names it, the kind of the entry, and the fields in the order of `_FIELDS`.
REFERENCES: dict[str, tuple[str, str, dict[str, str]]] = {
    "friedman1937": (
        "Friedman, 1937",
        "article",
        {
            "author": "Friedman, Milton",
            "title": "The use of ranks to avoid the assumption of normality implicit in the analysis of "
            "variance",
            "journal": "Journal of the American Statistical Association",
            "volume": "32",
            "number": "200",
            "pages": "675--701",
            "year": "1937",
        },
    ),
    "iman1980": (
        "Iman and Davenport, 1980",
        "article",
        {
            "author": "Iman, Ronald L. and Davenport, James M.",
            "title": "Approximations of the critical region of the {Friedman} statistic",
            "journal": "Communications in Statistics - Theory and Methods",
            "volume": "9",
            "number": "6",
            "pages": "571--595",
            "year": "1980",
        },
    ),
    "demsar2006": (
        "Demšar, 2006",
        "article",
        {
            "author": "Dem{\\v{s}}ar, Janez",
            "title": "Statistical comparisons of classifiers over multiple data sets",
            "journal": "Journal of Machine Learning Research",
            "volume": "7",
            "pages": "1--30",
            "year": "2006",
        },
    ),
    "wilcoxon1945": (
        "Wilcoxon, 1945",
        "article",
        {
            "author": "Wilcoxon, Frank",
            "title": "Individual comparisons by ranking methods",
            "journal": "Biometrics Bulletin",
            "volume": "1",
            "number": "6",
            "pages": "80--83",
            "year": "1945",
        },
    ),
    "benjamini1995": (
        "Benjamini and Hochberg, 1995",
        "article",
        {
            "author": "Benjamini, Yoav and Hochberg, Yosef",
            "title": "Controlling the false discovery rate: a practical and powerful approach to multiple "
            "testing",
            "journal": "Journal of the Royal Statistical Society: Series B",
            "volume": "57",
            "number": "1",
            "pages": "289--300",
            "year": "1995",
        },
    ),
    "benavoli2017": (
        "Benavoli et al., 2017",
        "article",
        {
            "author": "Benavoli, Alessio and Corani, Giorgio and Dem{\\v{s}}ar, Janez and Zaffalon, Marco",
            "title": "Time for a change: a tutorial for comparing multiple classifiers through {Bayesian} "
            "analysis",
            "journal": "Journal of Machine Learning Research",
            "volume": "18",
            "number": "77",
            "pages": "1--36",
            "year": "2017",
        },
    ),
    "nadeau2003": (
        "Nadeau and Bengio, 2003",
        "article",
        {
            "author": "Nadeau, Claude and Bengio, Yoshua",
            "title": "Inference for the generalization error",
            "journal": "Machine Learning",
            "volume": "52",
            "number": "3",
            "pages": "239--281",
            "year": "2003",
        },
    ),
}


def cited(text: str) -> list[str]:
    """Return the keys that a text cites, each once, in order.

    Examples
    --------
    >>> cited("Friedman's test [@friedman1937]")
    ['friedman1937']
    """
    return list(dict.fromkeys(_CITATION.findall(text)))


def in_markdown(text: str) -> str:
    """Return a text with its citations in words.

    Examples
    --------
    >>> in_markdown("Friedman's test [@friedman1937]")
    "Friedman's test (Friedman, 1937)"
    """
    return _CITATION.sub(lambda found: f" ({REFERENCES[found[1]][0]})", text)


def in_latex(text: str) -> str:
    """Return a text as LaTeX, with its citations as commands.

    Examples
    --------
    >>> in_latex("Friedman's test [@friedman1937] of a_b")
    "Friedman's test~\\\\cite{friedman1937} of a\\\\_b"
    """
    parts = _CITATION.split(text)  # texts and keys in turn
    return "".join(f"~\\cite{{{part}}}" if place % 2 else latex(part) for place, part in enumerate(parts))


def bibtex(keys: Iterable[str]) -> str:
    """Return BibTeX entries."""
    entries = []
    for key in keys:
        _, kind, fields = REFERENCES[key]
        lines = [f"  {name} = {{{fields[name]}}}" for name in _FIELDS if name in fields]
        entries.append(f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n")
    return "\n".join(entries)


def reference_list(keys: Iterable[str]) -> str:
    """Return the references as a list in Markdown."""
    lines = []
    for key in keys:
        fields = {name: _plain(value) for name, value in REFERENCES[key][2].items()}
        number = f"({fields['number']})" if "number" in fields else ""
        lines.append(
            f"- {fields['author'].replace(' and ', '; ')} ({fields['year']}). {fields['title']}. "
            f"{fields['journal']} {fields['volume']}{number}, {fields['pages']}."
        )
    return "\n".join(lines)


def _plain(value: str) -> str:
    return value.replace("{\\v{s}}", "š").replace("--", "\u2013").replace("{", "").replace("}", "")
