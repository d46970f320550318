"""The reference of the Python package: a page for each public name, from its docstring."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import mlsieve

INTRODUCTION = """\
Python
======

Every public name has a page, which is made from its docstring. Import each name from the package under
which it is listed.

"""

# Public names that are neither classes nor functions: Python keeps no docstring of theirs.
CONSTANTS = {
    "mlsieve.discretize.Discretization": "The names of the ways to cut numeric features into intervals.",
    "mlsieve.measures.DEFINITIONS": "The names of the definitions of measures.",
    "mlsieve.registry.register": "The decorators ``register.ranker(...)``, ``register.evaluator(...)``, "
    "``register.chain(...)``, ``register.measure(...)`` and ``register.question(...)``.",
    "mlsieve.study.STEPS": "The steps of a study by name, each a `mlsieve.study.Step`.",
}


def packages() -> list[ModuleType]:
    """Return the packages whose ``__all__`` names what is public: ``mlsieve`` and all directly below it."""
    names = [f"mlsieve.{found.name}" for found in pkgutil.iter_modules(mlsieve.__path__)]
    found = [mlsieve, *(importlib.import_module(name) for name in names if "._" not in name)]
    return [package for package in found if getattr(package, "__all__", ())]


def public_names() -> list[str]:
    """Return every public name with its package, such as ``mlsieve.rankers.PCTForestRanker``."""
    return [f"{package.__name__}.{name}" for package in packages() for name in sorted(package.__all__)]


def pages() -> Iterator[tuple[str, str]]:
    """Yield the overview, a page for each package and one for each public name."""
    overview = [INTRODUCTION, ".. toctree::", "   :maxdepth: 2", ""]
    for package in packages():
        overview.append(f"   {package.__name__}")
        yield f"python/{package.__name__}.rst", _package_page(package)
        for name in package.__all__:
            yield f"python/{package.__name__}.{name}.rst", _name_page(package, name)
    yield "python/index.rst", "\n".join([*overview, ""])


def _package_page(package: ModuleType) -> str:
    lines = [*_title(package.__name__), f".. automodule:: {package.__name__}", "   :no-members:", ""]
    lines += [".. list-table::", "   :widths: 30 70", ""]
    names = sorted(package.__all__)
    for name in names:
        path = f"{package.__name__}.{name}"
        lines += [f"   * - :py:obj:`{name} <{path}>`", f"     - {_summary(package, name)}"]
    lines += ["", ".. toctree::", "   :hidden:", ""]
    lines += [f"   {name} <{package.__name__}.{name}>" for name in names]
    return "\n".join([*lines, ""])


def _name_page(package: ModuleType, name: str) -> str:
    value = getattr(package, name)
    path = f"{package.__name__}.{name}"
    lines = [*_title(name)]
    if inspect.isclass(value):
        lines += [f".. autoclass:: {path}"]
        own, inherited = methods(value)
        if own:
            lines += [f"   :members: {', '.join(own)}"]
        if inherited:
            words = ", ".join(f"``{method}``" for method in inherited)
            lines += ["", f"Further methods are those of scikit-learn's estimators: {words}."]
    elif callable(value) and path not in CONSTANTS:
        lines += [f".. autofunction:: {path}"]
    else:
        lines += [f".. py:data:: {path}", "", f"   {CONSTANTS[path]}"]
        if isinstance(value, tuple):
            lines += ["", f"   ``{value!r}``"]
    return "\n".join([*lines, ""])


def methods(value: type) -> tuple[list[str], list[str]]:
    """Return the names of a class's public methods: those that mlsieve writes, and scikit-learn's."""
    own, inherited = [], []
    for name in sorted(dir(value)):
        if name.startswith("_"):
            continue
        home = next((base for base in value.__mro__ if name in vars(base)), None)
        found = inspect.getattr_static(value, name)
        known = isinstance(found, property | classmethod | staticmethod) or callable(found)
        if home is None or not known or not inspect.getdoc(found):
            continue
        module = home.__module__
        if module.startswith("mlsieve"):
            own.append(name)
        elif module.startswith("sklearn"):
            inherited.append(name)
    return own, inherited


def _title(text: str) -> list[str]:
    return [text, "=" * len(text), ""]


def _summary(package: ModuleType, name: str) -> str:
    """Return the first sentence about a public name as one line."""
    value = getattr(package, name)
    path = f"{package.__name__}.{name}"
    if path in CONSTANTS:
        return CONSTANTS[path]
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
