"""Links between pages: they lead to files of the repository, and on the site to its pages."""

from __future__ import annotations

import posixpath
import re

# The Markdown files outside docs/ that are pages of the site.
COPIED = {
    "config/README.md": "docs/generated/configuration.md",
    "CONTRIBUTING.md": "docs/generated/contributing.md",
    "CHANGELOG.md": "docs/generated/changes.md",
    "benchmarks/README.md": "docs/generated/benchmarking.md",
}
LINK = re.compile(r"(?<!!)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")


def on_site(text: str, source: str, page: str) -> str:
    """Return a page's text with links that lead to pages of the site.

    Parameters
    ----------
    text : str
        Markdown.
    source : str
        The file in which the links are written, as a path from the root of the repository.
    page : str
        The file that Sphinx reads, as such a path; another one where the text is a copy.

    Returns
    -------
    str
        Links to files that are no pages of the site are left as code.
    """

    def mended(link: re.Match[str]) -> str:
        target, _, anchor = link["target"].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return link.group()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        path = COPIED.get(path, path)
        if not path.startswith("docs/"):
            return link["words"] if "`" in link["words"] else f"`{path}`"
        words = "the configuration" if link["words"] == "config/README.md" else link["words"]
        relative = posixpath.relpath(path, posixpath.dirname(page))
        return f"[{words}]({relative}{'#' + anchor if anchor else ''})"

    return LINK.sub(mended, text)


def on_source_read(app, name: str, content: list[str]) -> None:
    """Mend the links of a Markdown page as Sphinx reads it."""
    path = app.env.doc2path(name, base=False)
    if str(path).endswith(".md") and not str(path).startswith("generated/"):
        content[0] = on_site(content[0], f"docs/{path}", f"docs/{path}").replace("```mermaid", "```text")
