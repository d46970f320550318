"""What tests, methods and papers are cited by, in texts and as BibTeX."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping
from importlib import resources

from mlsieve.files.yaml import parse_yaml
from mlsieve.paper.markup import latex, markdown, markdown_within

FILE = "references.yaml"
_CITATION = re.compile(r" ?\[@([^\]\s]+)\]")
_CITATIONS = re.compile(r"((?: ?\[@[^\]\s]+\])+)")
_NO_CITATION = "\ufdd0"  # is no character, and in no text
_LETTER = re.compile(r"(?<=\d{4})[a-z]$")
_FIELDS = ("author", "title", "journal", "booktitle", "school", "volume", "number", "pages", "year", "doi")
_ACCENTS = {"\N{COMBINING CARON}": "v", "\N{COMBINING ACUTE ACCENT}": "'", "\N{COMBINING GRAVE ACCENT}": "`"}
_ACCENTS |= {"\N{COMBINING TILDE}": "~", "\N{COMBINING DIAERESIS}": '"', "\N{COMBINING CEDILLA}": "c"}


@functools.cache
def references() -> Mapping[str, Mapping[str, str]]:
    """Return the entries of references.yaml by their keys: ``text``, ``kind`` and fields, all as text."""
    text = (resources.files("mlsieve.paper") / FILE).read_text(encoding="utf-8")
    known = parse_yaml(text, FILE)
    return {key: {name: str(value) for name, value in entry.items()} for key, entry in known.items()}


def citation_of(field: str, value: str) -> str:
    """Return the citation of a method by its ``doi``, or of the paper of a ``study``; empty if unknown.

    A DOI that references.yaml lacks is cited by itself.

    Examples
    --------
    >>> citation_of("doi", "10.1016/j.patcog.2017.01.014"), citation_of("doi", "10.1000/x")
    (' [@lee2017]', ' [@doi:10.1000/x]')
    """
    key = next((key for key, entry in references().items() if value and entry.get(field) == value), "")
    if not key and field == "doi" and value:
        key = f"doi:{value}"
    return f" [@{key}]" if key else ""


def cited(text: str) -> list[str]:
    """Return the keys that a text cites, each once, in order.

    Examples
    --------
    >>> cited("Friedman's test [@friedman1937]")
    ['friedman1937']
    """
    return list(dict.fromkeys(_CITATION.findall(text)))


def without_citations(text: str, names: Iterable[str]) -> str:
    """Return a text in which names that look like citations are none.

    Examples
    --------
    >>> in_markdown(without_citations("It is [@x].", ["[@x]"]))
    'It is \\\\[\\\\@x\\\\].'
    """
    for name in names:
        if "[@" in name:
            text = text.replace(name, name.replace("[@", f"[{_NO_CITATION}@"))
    return text


def in_markdown(text: str) -> str:
    """Return a text with its citations in words.

    Examples
    --------
    >>> in_markdown("Friedman's test [@friedman1937]")
    "Friedman's test (Friedman, 1937)"
    >>> in_markdown("Nemenyi's test [@nemenyi1963] [@demsar2006]")
    "Nemenyi's test (Nemenyi, 1963; Demšar, 2006)"
    """
    parts = _CITATIONS.split(text)  # texts and citations in turn
    words = _in_words(cited(text))
    return "".join(
        f" ({'; '.join(words[key] for key in cited(part))})"
        if place % 2
        else (markdown_within if place else markdown)(part.replace(_NO_CITATION, ""))
        for place, part in enumerate(parts)
    )


def _in_words(keys: Iterable[str]) -> dict[str, str]:
    """Return author and year of entries; a letter follows the year where another entry has the same."""
    words = {key: _entry(key)["text"] for key in keys}
    plain = {key: _LETTER.sub("", text) for key, text in words.items()}
    shared = [text for text in plain.values() if list(plain.values()).count(text) > 1]
    return {key: words[key] if plain[key] in shared else plain[key] for key in words}


def in_latex(text: str) -> str:
    """Return a text as LaTeX, with its citations as commands.

    Examples
    --------
    >>> in_latex("Friedman's test [@friedman1937] of a_b")
    "Friedman's test~\\\\cite{friedman1937} of a\\\\_b"
    """
    parts = _CITATIONS.split(text)  # texts and citations in turn
    return "".join(
        f"~\\cite{{{','.join(cited(part))}}}" if place % 2 else latex(part.replace(_NO_CITATION, ""))
        for place, part in enumerate(parts)
    )


def bibtex(keys: Iterable[str]) -> str:
    """Return BibTeX entries."""
    entries = []
    for key in keys:
        entry = _entry(key)
        lines = [f"  {name} = {{{_ascii(entry[name])}}}" for name in _FIELDS if name in entry]
        entries.append(f"@{entry['kind']}{{{key},\n" + ",\n".join(lines) + "\n}\n")
    return "\n".join(entries)


def reference_list(keys: Iterable[str]) -> str:
    """Return the references as a list in Markdown."""
    words, lines = _in_words(keys), []
    for key in words:
        entry = _entry(key)
        if "title" not in entry:
            lines.append(f"- https://doi.org/{entry['doi']}")
            continue
        fields = {name: re.sub("[{}]", "", value).replace("--", "\u2013") for name, value in entry.items()}
        place = fields.get("journal") or fields.get("school") or f"In {fields['booktitle']}"
        volume = f" {fields['volume']}" if "volume" in fields else ""
        number = f"({fields['number']})" if "number" in fields else ""
        pages = f", {fields['pages']}" if "pages" in fields else ""
        lines.append(
            f"- {fields['author'].replace(' and ', '; ')} ({words[key].split(', ')[-1]}). {fields['title']}. "
            f"{place}{volume}{number}{pages}."
        )
    return "\n".join(lines)


def _entry(key: str) -> Mapping[str, str]:
    """Return the entry of a key; of ``doi:...``, one with the DOI alone."""
    if key.startswith("doi:"):
        return {"text": key, "kind": "misc", "doi": key.removeprefix("doi:")}
    return references()[key]


def _ascii(value: str) -> str:
    """Return a field with its accents as BibTeX's commands."""
    found = ""
    for letter in value:
        base, *marks = list(unicodedata.normalize("NFD", letter))
        accent = _ACCENTS.get(marks[0]) if len(marks) == 1 else None
        found += letter if accent is None else f"{{\\{accent}{{{base}}}}}"
    return found
