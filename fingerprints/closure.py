"""What a piece of code depends on inside the package, name by name, and a fingerprint of it all."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from fingerprints import kernels
from fingerprints.syntax import Module, Names

PACKAGE = "mlsieve"
# Not followed: how things are found, told or checked, never what comes out. What the catalog says of
# a data set is a unit of its own, and what `mlsieve.study` expands shows in the jobs' parameters and inputs.
NOT_FOLLOWED = (
    "mlsieve.errors",
    "mlsieve.intact",
    "mlsieve.yaml_text",
    "mlsieve.registry",
    "mlsieve.schemas",
    "mlsieve.work",
    "mlsieve.costs",
    "mlsieve.study",
    "mlsieve.configuration",
    "mlsieve.data.catalog",
    "mlsieve.data.acquire",
)
_TEXTS = {".css", ".j2", ".yaml"}


class Source(NamedTuple):
    """A top-level name of a module; "" stands for the whole file."""

    module: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.module}:{self.name}" if self.name else self.module


class Sources:
    """The package's sources below a folder, read once.

    Parameters
    ----------
    folder : path-like
        The folder that holds the package, such as ``src``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)
        self._module = functools.cache(self._read_module)
        self._step = functools.cache(self._read_step)

    def closure(
        self,
        roots: Iterable[Source],
        instead: Mapping[Source, Source] | None = None,
        outside: Iterable[str] = (),
    ) -> dict[Source, str]:
        """Return the digest of each source that the roots depend on.

        Parameters
        ----------
        roots : iterable of Source
        instead : mapping of Source to Source, optional
            What to follow in place of another source.
        outside : iterable of str
            Modules and packages that are not followed, besides `NOT_FOLLOWED`.

        Raises
        ------
        LookupError
            If a source refers to a name that its module does not have.
        """
        found: dict[Source, str] = {}
        waiting, ended = list(roots), (*NOT_FOLLOWED, *outside)
        while waiting:
            source = waiting.pop()
            source = (instead or {}).get(source, source)
            if source in found or _is_under(source.module, ended):
                continue
            found[source], further = self._step(source)
            waiting += further
        return {source: digest for source, digest in sorted(found.items()) if digest}

    def _path(self, module: str, *suffixes: str) -> Path | None:
        stem = self._folder.joinpath(*module.split("."))
        candidates = [stem.with_name(stem.name + suffix) for suffix in suffixes]
        return next((path for path in candidates if path.is_file()), None)

    def _is_module(self, module: str) -> bool:
        folder = self._folder.joinpath(*module.split("."))
        return (folder / "__init__.py").is_file() or self._path(module, ".py", ".pyx", ".pxd") is not None

    def _read_module(self, name: str) -> Module:
        package = self._folder.joinpath(*name.split("."), "__init__.py")
        path = package if package.is_file() else self._path(name, ".py")
        if path is None:
            raise LookupError(f"no module {name} in {self._folder}")
        return _parsed(path.read_text(encoding="utf-8"), name, path == package)

    def _read_step(self, source: Source) -> tuple[str, list[Source]]:
        """Return the digest of one source and what it refers to; no digest for what only leads on."""
        if self._path(source.module, ".pyx", ".pxd") is not None:
            # Of a kernel the whole file counts.
            return self._kernel(source.module) if not source.name else ("", [Source(source.module)])
        module = self._module(source.module)
        if not source.name:
            return "", [Source(source.module, name) for name in module.definitions]
        if source.name not in module.definitions:
            return "", [self._elsewhere(module, source.name)]
        names = module.names_of(source.name)
        text = module.text_of(source.name)
        for path in self._texts(module, names):
            text += "\n" + path.read_text(encoding="utf-8")
        return _digest(text), list(self._references(module, names, source.name))

    def _elsewhere(self, module: Module, name: str) -> Source:
        """Return where a name comes from that a module does not define itself."""
        if name in module.imports:
            return self._imported(*module.imports[name])
        if self._is_module(f"{module.name}.{name}"):
            return Source(f"{module.name}.{name}")
        if "__getattr__" in module.definitions:
            return Source(module.name, "__getattr__")
        raise LookupError(f"{module.name} has no {name}")

    def _imported(self, module: str, name: str) -> Source:
        is_module = bool(name) and self._is_module(f"{module}.{name}")
        return Source(f"{module}.{name}") if is_module else Source(module, name)

    def _references(self, module: Module, names: Names, own: str) -> Iterator[Source]:
        for name in names.plain:
            if name in module.definitions:
                if name != own:
                    yield Source(module.name, name)
            elif name in module.imports and _is_under(module.imports[name][0], (PACKAGE,)):
                yield self._imported(*module.imports[name])
        for imported in names.imported:
            if _is_under(imported[0], (PACKAGE,)):
                yield self._imported(*imported)

    def _texts(self, module: Module, names: Names) -> list[Path]:
        """Return the package's other files that a definition names."""
        folder = self._folder.joinpath(*module.name.split("."))
        folder = folder if module.is_package else folder.parent
        files = [folder / text for text in sorted(names.texts) if Path(text).suffix in _TEXTS]
        return [file for file in files if file.is_file()]

    def _kernel(self, module: str) -> tuple[str, list[Source]]:
        paths = [self._path(module, suffix) for suffix in (".pyx", ".pxd")]
        texts = [path.read_text(encoding="utf-8") for path in paths if path is not None]
        used = sorted(set().union(*map(kernels.modules_used, texts)))
        further = [Source(name) for name in used if _is_under(name, (PACKAGE,)) and name != module]
        return _digest("\n".join(map(kernels.canonical, texts))), further


# Read once, however many folders hold the same text.
_parsed = functools.cache(Module)


def combined(sources: Mapping[Source, str]) -> str:
    """Return one fingerprint, 16 hex digits, of all sources of a closure."""
    return _digest("\n".join(f"{source} {digest}" for source, digest in sorted(sources.items())), 16)


def _digest(text: str, length: int = 8) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def _is_under(module: str, parents: Iterable[str]) -> bool:
    return any(module == parent or module.startswith(parent + ".") for parent in parents)
