"""Pages from templates: one HTML file each, with its style and script inside and a checksum of itself."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

from mlsieve.files.ownership import SIGNATURE


class Markup(str):
    """Text that a template does not escape."""

    def __html__(self) -> str:
        return str(self)


def render(template: str, context: Mapping[str, Any]) -> str:
    """Return a page that refers to nothing outside itself.

    Parameters
    ----------
    template : str
        Name of a template of this package.
    context : mapping
        What the template shows. `style`, `script` and `version` are added.
    """
    import jinja2

    from mlsieve import __version__

    loader = jinja2.PackageLoader("mlsieve", "report")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined, loader=loader
    )
    added = {
        "style": Markup(_text("style.css")),
        "script": Markup(_text("page.js")),
        "version": __version__,
    }
    page = environment.get_template(template).render(**context, **added)
    return f"{page.strip()}\n<!-- {SIGNATURE} -->\n"


def _text(name: str) -> str:
    return resources.files("mlsieve.report").joinpath(name).read_text(encoding="utf-8")
