"""Methods from outside the package: files that a study or a command names, and installed packages.

A file is Python that registers methods when it is imported, as a module of `mlsieve.rankers` does::

    mlsieve rank my.arff --plugin my_ranker.py --method my-ranker

An installed package names such a module in the entry point group ``mlsieve.methods``.

A file that is named on the command line is run because its user has named it. One that a study names may
come with the study: it is run once its user trusts it. The digests of trusted files are kept for each user,
outside of all projects.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import importlib.util
import os
import shlex
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mlsieve.errors import UserError
from mlsieve.files.checksums import sha256_of

ENTRY_POINTS = "mlsieve.methods"
# Digests of files that this process and those it starts may run, or "all".
TRUST = "MLSIEVE_TRUST_PLUGINS"


@dataclass(frozen=True)
class Origin:
    """What registered a method.

    Attributes
    ----------
    name : str
        Path of a file, as it was given, or name of an installed package.
    revision : str
        The first 16 hex digits of the file's SHA-256, or the package's version.
    file : bool
        Whether it is a file, which commands have to be given by ``--plugin``.
    """

    name: str
    revision: str
    file: bool


_current: list[Origin] = []
_loaded: dict[str, Origin] = {}
_modules: dict[str, Origin] = {}  # by the name of a plugin's module, or of an installed package


def current_origin() -> Origin | None:
    """Return what is being imported by this module, if anything."""
    return _current[-1] if _current else None


@contextmanager
def _importing(origin: Origin) -> Iterator[None]:
    _current.append(origin)
    try:
        yield
    finally:
        _current.pop()


def load_plugins(paths: Iterable[str]) -> tuple[Origin, ...]:
    """Import files that register methods, each of them once.

    Parameters
    ----------
    paths : iterable of str

    Returns
    -------
    tuple of Origin

    Raises
    ------
    UserError
        If a file is missing or cannot be imported.
    """
    return tuple(_load(os.fspath(path)) for path in paths)


def load_trusted_plugins(paths: Iterable[str]) -> tuple[Origin, ...]:
    """Import the files that a study names, once their user trusts them; see `load_plugins`.

    Raises
    ------
    UserError
        Also if a file is not trusted yet.
    """
    files = tuple(paths)
    if unknown := untrusted(files):
        raise UserError(
            f"the study runs {'this file' if len(unknown) == 1 else f'{len(unknown)} files'} of Python, which"
            " you have not trusted yet",
            file=", ".join(unknown),
            hint="read what it does, then add --trust-plugins to 'mlsieve study run' or 'mlsieve study plan',"
            f" or set {TRUST}=all for snakemake",
        )
    return load_plugins(files)


def all_trusted() -> bool:
    """Return whether the user has said to trust whatever the study names."""
    return os.environ.get(TRUST) == "all"


def untrusted(paths: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of the files that their user has not trusted, by path; a missing one is left out."""
    if all_trusted():
        return {}
    trusted = {*os.environ.get(TRUST, "").split(","), *_kept_digests()}
    found = {}
    for path in paths:
        with contextlib.suppress(OSError):
            new = os.path.isfile(path) and os.path.realpath(path) not in _loaded
            if new and (digest := sha256_of(path)) not in trusted:
                found[path] = digest
    return found


def trust(files: Mapping[str, str]) -> None:
    """Trust files from now on, in this process, those it starts, and later ones of the same user.

    Parameters
    ----------
    files : mapping
        SHA-256 by path. A state folder that cannot be written keeps none for later.
    """
    known = "" if all_trusted() else os.environ.get(TRUST)
    os.environ[TRUST] = ",".join(filter(None, [known, *files.values()]))
    with contextlib.suppress(OSError):
        store = _store()
        store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with store.open("a", encoding="utf-8") as stream:
            stream.writelines(f"{digest}  {os.path.realpath(path)!r}\n" for path, digest in files.items())


def _store() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(state) / "mlsieve" / "trusted_plugins"


def _kept_digests() -> set[str]:
    try:
        lines = _store().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    return {line.partition(" ")[0] for line in lines}


def _load(path: str) -> Origin:
    place = os.path.realpath(path)
    if place in _loaded:
        return _loaded[place]
    try:
        if os.path.exists(place) and not os.path.isfile(place):
            raise OSError(0, "it is no ordinary file")
        with open(place, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror or error}", file=path, hint="check the path of the plugin"
        ) from None
    origin = Origin(path, hashlib.sha256(content).hexdigest()[:16], file=True)
    name = f"mlsieve_plugin_{os.path.splitext(os.path.basename(place))[0]}_{origin.revision}"
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise UserError("is not a Python file", file=path, hint="name it with the ending .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _importing(origin):
            # What was read, not what lies in __pycache__ or has been written since.
            exec(compile(content, place, "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        lacks = isinstance(error, ModuleNotFoundError)
        frames = traceback.walk_tb(error.__traceback__)
        lines = [line for frame, line in frames if frame.f_code.co_filename == place]
        raise UserError(
            f"cannot be imported: {type(error).__name__}: {error}".removesuffix("."),
            file=path,
            line=lines[-1] if lines else None,
            hint="a plugin can only import installed packages" if lacks else "correct the plugin",
        ) from error
    _loaded[place] = _modules[name] = origin
    return origin


@functools.cache
def load_installed_methods() -> None:
    """Import the modules that installed packages name in the entry point group ``mlsieve.methods``.

    Raises
    ------
    UserError
        If one of them cannot be imported.
    """
    if not _may_be_named():
        return
    from importlib import metadata

    for point in metadata.entry_points(group=ENTRY_POINTS):
        name, version = (point.dist.name, point.dist.version) if point.dist else (point.value, "")
        origin = _modules[point.module.partition(".")[0]] = Origin(name, version, file=False)
        try:
            with _importing(origin):
                point.load()
        except (Exception, SystemExit) as error:
            raise UserError(
                f"the methods of the installed package {name} cannot be imported:"
                f" {type(error).__name__}: {error}",
                hint=f"correct or remove {name}",
            ) from error


def _may_be_named() -> bool:
    """Whether an installed package may name methods, without what importlib.metadata imports and reads."""
    for folder in sys.path:
        if os.path.isfile(folder):  # an archive: importlib.metadata has to look
            return True
        for path in glob.iglob(os.path.join(glob.escape(folder), "*[iI][nN][fF][oO]", "entry_points.txt")):
            with contextlib.suppress(OSError):
                if ENTRY_POINTS.encode() in Path(path).read_bytes():
                    return True
    return False


def failure_in_plugin(error: BaseException) -> UserError | None:
    """Return an error that a method from outside mlsieve has raised, with its place there, as one line.

    Parameters
    ----------
    error : BaseException
        As caught, with its traceback.

    Returns
    -------
    UserError or None
        None if no line of such a method was being executed.
    """
    found = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
        origin = _modules.get(name) or _modules.get(name.partition(".")[0])
        if origin is not None:
            found = (origin.name if origin.file else frame.f_code.co_filename), number
    if found is None:
        return None
    return UserError(
        f"{type(error).__name__}: {error}".removesuffix("."),
        file=found[0],
        line=found[1],
        hint="correct the plugin; --debug shows the traceback",
    )


def plugin_options(origins: Iterable[Origin | None]) -> str:
    """Return ``--plugin FILE ...`` for the files among the origins, each once."""
    files = dict.fromkeys(origin.name for origin in origins if origin is not None and origin.file)
    return " ".join(f"--plugin {shlex.quote(name)}" for name in files)
