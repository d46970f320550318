"""No source behind a method or a step changes without a raised version, and nothing else asks for one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fingerprints import __main__ as command
from fingerprints import kernels, lock
from fingerprints.closure import NOT_FOLLOWED, Source, Sources
from fingerprints.syntax import Module
from fingerprints.units import Behind, all_units, behind
from mlsieve.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
READ = {".py", ".pyx", ".pxd", ".yaml", ".css", ".j2"}


@pytest.fixture(scope="module")
def units():
    return all_units()


@pytest.fixture(scope="module")
def now(units):
    """What stands behind each unit in this checkout."""
    return behind(units, Sources(ROOT / "src"))


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package's sources, for edits."""
    folder = tmp_path_factory.mktemp("copied") / "src"
    for path in (ROOT / "src").rglob("*"):
        if path.suffix in READ and "__pycache__" not in path.parts:
            target = folder / path.relative_to(ROOT / "src")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return folder


@pytest.fixture
def after(copied: Path, units, now) -> Callable[[str, str, str], set[str]]:
    """Return the names of the units whose fingerprints an edit of one file changes."""
    edited: list[tuple[Path, str]] = []

    def edit(file: str, old: str, new: str) -> set[str]:
        path = copied / "mlsieve" / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{file} no longer holds {old!r}: choose another line of it"
        edited.append((path, text))
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        written = json.loads(lock.lock_text(now))
        return {change.behind.unit.name for change in lock.changes(behind(units, Sources(copied)), written)}

    yield edit
    for path, text in edited:
        path.write_text(text, encoding="utf-8")


def test_no_source_has_changed_without_a_raised_version(now) -> None:
    """The guard itself: what it says is what to do."""
    told = [change.line() for change in lock.changes(now, lock.read_lock())]
    assert not told, "\n".join(told)


def test_the_lock_names_nothing_that_is_gone(units) -> None:
    gone = lock.read_lock()["units"].keys() - {unit.name for unit in units}
    assert not gone, f"run {lock.RENEW}: {sorted(gone)}"


SCLS, RELIEF = "selectors/scls.py", "_kernels/_relief.pyx"
EDITS = {
    "a selector": (SCLS, "1.0 - redundancy", "1.0 + redundancy", {"ranker scls", "step worked"}),
    "scores of trees": ("trees/scores.py", "return _prefix_means(", "return -_prefix_means(", {"ranker pct"}),
    "a kernel of two methods": (RELIEF, "1.0f : 0.0f", "2.0f : 0.0f", {"ranker relief", "ranker ppt-rf"}),
    "a measure": (
        "measures/labelwise.py",
        "truth != predicted",
        "truth > predicted",
        {"measure hamming-loss"},
    ),
    "a reader": ("data/labels.py", "return list(names)", "return list(names)[::-1]", {"step prepare"}),
    "a question": ("questions/many_labels.py", "return ", "return None or ", {"question many-labels"}),
    "a figure": ("plots/radar.py", "return ", "return None or ", {"step figures"}),
    "a file that code reads": ("report/style.css", "{", "{ margin: 0;", {"step report"}),
    "what a step does": ("cli/rank.py", "of_repeat = tuple(", "of_repeat = list(", {"step rank"}),
    "a rule of thumb for costs": ("costs.py", "return ", "return 2 * ", set()),
    "a docstring": (SCLS, "SCLS: relevance, less", "SCLS, that is: relevance, less", set()),
    "a comment": (SCLS, "    entropy = ", "    # no entropy, no relevance\n    entropy = ", set()),
    "the layout": (SCLS, "return select_greedily(\n        size,", "return select_greedily(size,", set()),
    "an annotation": (SCLS, "data: DiscreteData, form: Form =", "data, form =", set()),
    "the text of an error": ("data/labels.py", "names no labels", "has no labels", set()),
    "what a method says of itself": (SCLS, "smoke={}", 'smoke={"k": 2}', set()),
    "a kernel's layout": (RELIEF, "cdef double total = 0.0, d,", "cdef  double total=0.0,  d,", set()),
}


@pytest.mark.parametrize(("file", "old", "new", "named"), EDITS.values(), ids=EDITS)
def test_an_edit_names_what_depends_on_it(after, file: str, old: str, new: str, named: set[str]) -> None:
    assert after(file, old, new) == named


def test_a_kernel_that_several_use_names_them_all(after) -> None:
    named = after("_kernels/_coding.pyx", "return ", "return 0 + ")
    assert {"ranker pct", "ranker scls"} <= named
    assert not named & {"ranker relief", "ranker mlcfs", "evaluator weighted-knn"}


def with_unit(now: list[Behind], name: str, **values) -> list[Behind]:
    """Return what stands behind all units, one of them with other facts."""
    return [
        replace(each, unit=replace(each.unit, **values)) if each.unit.name == name else each for each in now
    ]


def with_source(now: list[Behind], name: str) -> list[Behind]:
    """Return what stands behind all units, one of them with a changed source."""
    source = Source("mlsieve.selectors.scls", "scls_criterion")
    return [
        replace(each, sources=each.sources | {source: "changed"}) if each.unit.name == name else each
        for each in now
    ]


def test_the_lock_is_not_renewed_without_a_raised_version(now) -> None:
    written = json.loads(lock.lock_text(now))
    changed = with_source(now, "ranker scls")
    (told,) = lock.changes(changed, written)
    version = written["units"]["ranker scls"]["version"]
    assert told.line().startswith(
        "ranker scls: its sources changed (mlsieve.selectors.scls:scls_criterion)"
        f" and its version is still {version}:"
        f" raise version={version} in the decorator in src/mlsieve/selectors/scls.py"
    )
    with pytest.raises(UserError, match=r"not renewed: .* not raised of: ranker scls"):
        lock.renewed(changed, written)
    with pytest.raises(UserError, match="not renewed"):
        lock.renewed(changed, written, ["ranker ami"])


def test_a_raised_version_or_the_same_results_renew_the_lock(now) -> None:
    written = json.loads(lock.lock_text(now))
    changed = with_source(now, "ranker scls")
    version = written["units"]["ranker scls"]["version"] + 1
    raised = with_unit(changed, "ranker scls", version=version)
    assert json.loads(lock.renewed(raised, written))["units"]["ranker scls"]["version"] == version
    assert lock.renewed(changed, written, ["ranker scls"]) == lock.lock_text(changed)
    assert lock.renewed(now, written) == lock.lock_text(now)


def test_a_version_never_falls(now) -> None:
    written = json.loads(lock.lock_text(now))
    lowered = with_unit(now, "ranker pct", version=1)
    assert "was lowered to 1" in lock.changes(lowered, written)[0].line()
    with pytest.raises(UserError, match="not renewed"):
        lock.renewed(lowered, written, ["all"])


def test_what_is_new_enters_the_lock_by_itself(now) -> None:
    written = json.loads(lock.lock_text(now))
    del written["units"]["ranker scls"]
    (told,) = lock.changes(now, written)
    assert told.line() == f"ranker scls is new: run {lock.RENEW}"
    assert lock.renewed(now, written) == lock.lock_text(now)


def test_an_unknown_name_is_refused(now) -> None:
    with pytest.raises(UserError, match=r"nothing with a version is called 'ranker slcs'.*ranker scls"):
        lock.renewed(now, json.loads(lock.lock_text(now)), ["ranker slcs"])


def test_the_command_tells_what_changed(now, tmp_path, monkeypatch, capsys) -> None:
    written = json.loads(lock.lock_text(now))
    written["units"]["ranker scls"]["fingerprint"] = "0" * 16
    file = tmp_path / "lock.json"
    file.write_text(json.dumps(written), encoding="utf-8")
    monkeypatch.setattr(command, "LOCK", file)
    assert command.main([]) == 1
    assert capsys.readouterr().out.startswith("ranker scls: its sources changed")
    assert command.main(["--renew"]) == 2
    assert "not renewed" in capsys.readouterr().err and json.loads(file.read_text()) == written
    assert command.main(["--renew", "--same-results", "ranker scls"]) == 0
    assert file.read_text(encoding="utf-8") == lock.lock_text(now)
    assert command.main([]) == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("def f(a, b):\n    return a + b\n", "def f(\n    a, b,\n):\n    return (a + b)\n", True),
        ("def f(a):\n    return a\n", "def f(a: int) -> int:\n    'Text.'\n    return a\n", True),
        ("def f(a):\n    return 'x'\n", 'def f(a):\n    return "x"  # x\n', True),
        ("def f(a):\n    raise E('one')\n", "def f(a):\n    raise E('other') from None\n", True),
        ("def f(a):\n    raise E('one')\n", "def f(a):\n    raise F('one')\n", False),
        ("def f(a):\n    return f'{a}x' 'y'\n", "def f(a):\n    return f'{a}xy'\n", True),
        ("def f(a):\n    return f'{a:3}'\n", "def f(a):\n    return f'{a:4}'\n", False),
        ("def f(a):\n    return 1\n", "def f(a):\n    return 1.0\n", False),
        ("def f(a):\n    return 1\n", "def f(a):\n    return True\n", False),
        ("def f(a=1):\n    return a\n", "def f(a=2):\n    return a\n", False),
        ("class f:\n    a: int\n    b: int\n", "class f:\n    b: int\n    a: int\n", False),
        ("f = (1, 2)\n", "f = [1, 2]\n", False),
    ],
)
def test_texts_of_python(one: str, other: str, same: bool) -> None:
    assert (Module(one, "m").text_of("f") == Module(other, "m").text_of("f")) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("cdef int f(int a):\n    return a\n", "# f\ncdef  int f(int a) :\n\n    return a # a\n", True),
        ("f(a, b)\n", "f(\n    a,\n    b,\n)\n", True),
        ("def f():\n    return 1\n", 'def f():\n    """Text."""\n    return 1\n', True),
        ("x = a \\\n    + b\n", "x = a + b\n", True),
        ("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", False),
        ("x = '# no comment'\n", "x = '# another text'\n", False),
        (
            'cdef extern from *:\n    """\n    int a = 1;\n    """\n',
            'cdef extern from *:\n    """b"""\n',
            False,
        ),
        ("x = 1e-10\n", "x = 1e-11\n", False),
        ("x = <double>a / b\n", "x = a / <double>b\n", False),
        ("t = (a,)\n", "t = (a)\n", False),
    ],
)
def test_texts_of_kernels(one: str, other: str, same: bool) -> None:
    assert (kernels.canonical(one) == kernels.canonical(other)) is same


def test_modules_of_kernels() -> None:
    text = "from a.b cimport (\n    c,  # c\n    d,\n)\ncimport e.f\nimport g as h\nx = 'from i import j'\n"
    assert kernels.modules_used(text) == {"a.b", "e.f", "g"}


def test_every_kernel_stands_behind_something(now) -> None:
    used = {source.module for each in now for source in each.sources}
    there = {f"mlsieve._kernels.{path.stem}" for path in (ROOT / "src/mlsieve/_kernels").glob("*.py[xd]")}
    assert not there - used


def test_what_is_not_followed_exists() -> None:
    for module in NOT_FOLLOWED:
        path = ROOT / "src" / module.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), f"{module} is gone: mend NOT_FOLLOWED"
