"""Fixtures that several tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from mlsieve import registry
from mlsieve.costs.measured import LOG_USAGE
from mlsieve.registry import plugins

# CI tries the same examples each time: a new counterexample is for who runs the tests, not for a landing.
# The time of an example says nothing on a machine that does other work.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("own", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "own")

# A shell starts what runs in the background without interrupts, which the commands of some tests need.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make test` run two halves side by side, whatever else is asked for."""
    parser.addoption(
        "--half", choices=("unit", "others"), help="only tests in tests/unit, or only all others"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the other half out."""
    half = config.getoption("half")
    if half is None:
        return
    unit = ROOT / "tests" / "unit"
    left_out = [item for item in items if item.path.is_relative_to(unit) != (half == "unit")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item.path.is_relative_to(unit) == (half == "unit")]


@pytest.fixture(autouse=True)
def outside_of_a_job(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whoever opens a study says to its jobs that they are jobs: not to the tests that follow.

    Tests trust their plugins, and keep what else they trust in a folder of their own.
    """
    for name in (LOG_USAGE, "PYTHONSAFEPATH"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv(plugins.TRUST, "all")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / "state"))


TINY_ARFF = """\
@relation tiny
@attribute 'first feature' numeric
@attribute colour {red,green,blue}
@attribute x3 numeric
@attribute sun {0,1}
@attribute rain {0,1}
@data
1.5,red,0,1,0
2.5,green,1,0,1
?,blue,2,1,1
-1e-3,red,3,0,0
"""

TINY_XML = """\
<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="rain"></label>
<label name="sun"></label>
</labels>
"""


def mirror_folder() -> Path | None:
    """Return the folder of real data: $MLSIEVE_MIRROR, else ../shared/data beside the repository."""
    folder = Path(os.environ.get("MLSIEVE_MIRROR") or ROOT.parent / "shared" / "data").resolve()
    return folder if (folder / "mulan").is_dir() else None


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of real data, also set as MLSIEVE_MIRROR; skips where it is absent."""
    folder = mirror_folder()
    if folder is None:
        pytest.skip("no data mirror: neither ../shared/data beside the repository nor MLSIEVE_MIRROR")
    monkeypatch.setenv("MLSIEVE_MIRROR", str(folder))
    return folder


@pytest.fixture(scope="session")
def papers() -> Path:
    """The folder of the papers' tables, beside that of real data; skips where it is absent."""
    folder = mirror_folder()
    if folder is None or not (folder.parent / "papers").is_dir():
        pytest.skip("no data mirror with a folder of papers beside it")
    return folder.parent / "papers"


@pytest.fixture
def plugins_unloaded() -> Iterator[None]:
    """Afterwards, no method of a plugin that the test has loaded is registered in this process."""
    known = dict(plugins._loaded)
    yield
    own = {origin for place, origin in plugins._loaded.items() if place not in known}
    plugins._loaded.clear()
    plugins._loaded.update(known)
    for of_kind in registry._entries.values():
        for id in [id for id, entry in of_kind.items() if entry.origin in own]:
            del of_kind[id]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder without a project, an empty cache, no mirror."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLSIEVE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MLSIEVE_MIRROR", raising=False)
    return tmp_path


@pytest.fixture
def tiny_files(tmp_path: Path) -> tuple[Path, Path]:
    """A dense ARFF file (4 rows, 3 features with a nominal and a missing value, 2 labels), its label file."""
    arff, xml = tmp_path / "tiny.arff", tmp_path / "tiny.xml"
    arff.write_text(TINY_ARFF, encoding="utf-8")
    xml.write_text(TINY_XML, encoding="utf-8")
    return arff, xml


@pytest.fixture
def tiny_dataset(tiny_files: tuple[Path, Path]):
    """The dataset of `tiny_files`, without a test part."""
    from mlsieve.data import load_dataset

    arff, xml = tiny_files
    return load_dataset(arff, labels=xml)
