"""Read a study's page as a person does: paragraphs, and tables with what is bold or marked in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class ShownTable:
    """A table under its nearest heading: cells as text, their styles, and which rows are highlighted."""

    title: str
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    styles: list[list[str]] = field(default_factory=list)
    marked: list[bool] = field(default_factory=list)

    def records(self) -> list[dict[str, str]]:
        """Return each row by the names of its columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def bold(self) -> list[set[str]]:
        """Return, for each row, the columns whose cells are bold."""
        return [
            {name for name, style in zip(self.columns, styles, strict=True) if "best" in style.split()}
            for styles in self.styles
        ]


@dataclass
class Shown:
    """A section of the page; the part before the first one has the id ""."""

    id: str
    texts: list[str] = field(default_factory=list)
    tables: list[ShownTable] = field(default_factory=list)

    def table(self, *words: str) -> ShownTable:
        """Return the one table whose title holds all of these words."""
        [found] = [table for table in self.tables if all(word in table.title for word in words)]
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sections = [Shown("")]
        self.text: list[str] = []
        self.title = ""
        self.in_row = False
        self.in_link = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("p", "li", "h1", "h2", "h3", "summary", "th", "td", "dd", "figcaption", "div", "pre"):
            self.text = []
        here = self.sections[-1]
        if given.get("class") == "link":  # "#" behind a heading
            self.in_link = True
        if tag == "section":
            self.sections.append(Shown(given["id"]))
        elif tag == "table":
            here.tables.append(ShownTable(self.title))
        elif tag == "tr" and here.tables:
            here.tables[-1].rows.append([])
            here.tables[-1].styles.append([])
            here.tables[-1].marked.append(given.get("class") == "yes")
        elif tag == "td" or given.get("scope") == "row":
            here.tables[-1].styles[-1].append(given.get("class", ""))
            self.in_row = True

    def handle_endtag(self, tag: str) -> None:
        text, here = " ".join("".join(self.text).split()), self.sections[-1]
        if tag == "a":
            self.in_link = False
        if tag in ("h2", "h3", "summary"):
            self.title = text
        elif tag in ("p", "li", "dd", "figcaption", "div", "pre") and text:
            here.texts.append(text)
            self.text = []
        elif tag == "td" or (tag == "th" and self.in_row):  # the first cell of a row is its heading
            here.tables[-1].rows[-1].append(text)
            self.in_row = False
        elif tag == "th":
            here.tables[-1].columns.append(text)
        elif tag == "thead":  # its own row holds no cells
            for rows in (here.tables[-1].rows, here.tables[-1].styles, here.tables[-1].marked):
                rows.clear()
        elif tag == "section":
            self.sections.append(Shown(""))

    def handle_data(self, data: str) -> None:
        if not self.in_link:
            self.text.append(data)


def read_page(html: str) -> dict[str, Shown]:
    """Return the sections of a page by their ids."""
    reader = _Reader()
    reader.feed(html)
    found: dict[str, Shown] = {}
    for section in reader.sections:
        whole = found.setdefault(section.id, Shown(section.id))
        whole.texts += section.texts
        whole.tables += section.tables
    return found
