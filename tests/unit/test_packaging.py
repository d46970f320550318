"""The package, its versions, its environment files and its documents agree with each other."""

from __future__ import annotations

import ast
import functools
import importlib
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import mlsieve
from mlsieve.cli import main
from mlsieve.paper.references import bibtex

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "mlsieve"
INSTALLED = Path(mlsieve.__file__).resolve().parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = [ROOT / "envs" / f"{name}.lock.txt" for name in ("requirements", "development")]
NOT_PACKED = {".pyx", ".pxd", ".pxi", ".c", ".cpp", ".h", ".hpp", ".so", ".pyc", ".part"}

# conda's names, where they differ
CONDA_NAMES = {"snakemake-minimal": "snakemake", "seaborn-base": "seaborn", "matplotlib-base": "matplotlib"}


def requirements(*groups: str) -> dict[str, Requirement]:
    """Requirements of the package (group "") and of its extras, by canonical name."""
    lines = [
        line
        for group in groups
        for line in (PROJECT["optional-dependencies"][group] if group else PROJECT["dependencies"])
    ]
    return {canonicalize_name(found.name): found for found in map(Requirement, lines)}


def locked_versions(lock: Path = LOCKS[0]) -> dict[str, str]:
    """Locked version of each package, by canonical name."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def packed_files(folder: Path) -> set[str]:
    """Files below a folder that belong into the wheel, kernels apart."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix not in NOT_PACKED
        and "__pycache__" not in path.parts
        and not path.name.startswith(".")
    }


def test_the_installed_package_is_the_one_that_is_tested():
    wanted = os.environ.get("MLSIEVE_TEST_INSTALLED")
    if not wanted:
        pytest.skip("not run by make test, so mlsieve may be imported from src/")
    assert INSTALLED.is_relative_to((ROOT / wanted).resolve())


def test_wheel_holds_every_module_and_data_file_and_nothing_else():
    if INSTALLED == SOURCE:
        pytest.skip("mlsieve is imported from src/; make test runs this on the installed package")
    modules = {name for name in packed_files(INSTALLED) if not name.startswith("_project/")}
    assert modules == packed_files(SOURCE)
    assert not [path.name for path in INSTALLED.rglob("*") if path.suffix in {".pyx", ".pxd", ".cpp"}]


def test_wheel_holds_the_workflow_as_the_repository_has_it():
    project = INSTALLED / "_project"
    folders = ("workflow", "profiles", "config/studies")
    wanted = {path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()}
    wanted |= {ROOT / "Snakefile", *(ROOT / "envs").glob("environment.*")}
    wanted |= {ROOT / "config" / "config.yaml", ROOT / "config" / "datasets.yaml"}
    packed = {path.relative_to(project): path for path in project.rglob("*") if path.is_file()}
    assert set(packed) == {path.relative_to(ROOT) for path in wanted}
    for name, path in packed.items():
        assert path.read_bytes() == (ROOT / name).read_bytes()


@pytest.mark.kernel
@pytest.mark.parametrize(
    "kernel",
    sorted(
        ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in (SOURCE / "_kernels").rglob("*.pyx")
    ),
)
def test_every_kernel_is_compiled(kernel):
    module = importlib.import_module(f"mlsieve.{kernel}")
    assert Path(module.__file__).suffix in {".so", ".pyd"}


def test_kernel_sources_leave_compiler_directives_to_the_build():
    decided = re.compile(r"#\s*cython:.*\b(boundscheck|wraparound|initializedcheck|cdivision)\b")
    sources = [path for pattern in ("*.pyx", "*.pxd") for path in (SOURCE / "_kernels").rglob(pattern)]
    assert not [path.name for path in sources if decided.search(path.read_text(encoding="utf-8"))]


def test_versions_agree():
    assert mlsieve.__version__ == PROJECT["version"]
    assert f"version: '{PROJECT['version']}'" in (ROOT / "meson.build").read_text(encoding="utf-8")
    assert f"\n## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == PROJECT["version"]


def test_citation_names_the_four_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == PROJECT["license"]
    titles = " ".join(paper["title"].lower() for paper in citation["references"])
    assert len(citation["references"]) == 4
    for subject in (
        "feature ranking with ensemble methods",
        "hierarchical",
        "scls",
        "dynamic classifier chains",
    ):
        assert subject in titles
    for paper in citation["references"]:
        assert paper["authors"] and paper["journal"] and paper["year"]


def test_the_readme_cites_the_four_papers_as_texts_for_papers_do():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert bibtex(["petkovic2020", "petkovic2020hierarchical", "lee2017", "lozamencia2022"]) in readme
    assert f"version = {{{PROJECT['version']}}}" in readme


def test_locked_versions_satisfy_what_the_package_asks_for():
    running, development = map(locked_versions, LOCKS)
    assert not set(running) & set(development)
    for locked, groups in ((running, ("", "study", "tables")), (running | development, ("dev", "docs"))):
        for name, requirement in requirements(*groups).items():
            assert name in locked, f"{name} is not locked; run make lock"
            assert requirement.specifier.contains(locked[name]), f"{requirement} but {locked[name]} is locked"


def test_what_runs_is_locked_without_the_tools_of_developers():
    """The first lock is what the package and its requirements need, on the Python that wrote it."""
    version = LOCKS[0].read_text(encoding="utf-8").splitlines()[0].rpartition(" ")[2].rstrip(".")
    python = {"python_full_version": version, "python_version": version.rpartition(".")[0]}
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    waiting = [*requirements("", "study", "tables").values(), *map(Requirement, [*build, "ninja"])]
    needed: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        wanted = waiting.pop()
        key = canonicalize_name(wanted.name), frozenset(wanted.extras)
        if key not in needed:
            needed.add(key)
            for further in map(Requirement, metadata.requires(wanted.name) or []):
                if not further.marker or any(
                    further.marker.evaluate(python | {"extra": extra}) for extra in wanted.extras or {""}
                ):
                    waiting.append(further)
    assert set(locked_versions()) == {name for name, _ in needed}


def test_locked_file_holds_exact_versions_and_no_addresses():
    for line in "".join(lock.read_text(encoding="utf-8") for lock in LOCKS).splitlines():
        assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._+!-]+", line), line


def test_conda_environment_asks_for_what_the_package_asks_for():
    environment = yaml.safe_load((ROOT / "envs" / "environment.yaml").read_text(encoding="utf-8"))
    listed = {}
    for line in environment["dependencies"]:
        found = Requirement(line)
        listed[canonicalize_name(CONDA_NAMES.get(found.name, found.name))] = found.specifier
    for name, requirement in requirements("", "study").items():
        assert listed.get(name) == requirement.specifier, name


@functools.cache
def imports(path: Path) -> set[tuple[str, bool]]:
    """Packages that a file imports, and whether it does so at once: not within a function."""
    text = path.read_text(encoding="utf-8")
    found = {(module, False) for module in re.findall(r"import_module\([\"'](\w+)", text)}
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(text), True)]
    while waiting:
        node, at_once = waiting.pop()
        match node:
            case ast.Import(names=names):
                found |= {(name.name.partition(".")[0], at_once) for name in names}
            case ast.ImportFrom(module=str(module), level=0):
                found.add((module.partition(".")[0], at_once))
        at_once = at_once and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, [])
            waiting += [(one, at_once) for one in inner] if isinstance(inner, list) else []
    return found


@functools.cache
def distributions() -> dict[str, set[str]]:
    """Distributions that bring a module, by their canonical names; some need not be installed."""
    known = metadata.packages_distributions() | {"xgboost": ["xgboost-cpu"]}
    return {module: {canonicalize_name(name) for name in names} for module, names in known.items()}


def undeclared(folder: str, *groups: str) -> dict[str, set[tuple[str, bool]]]:
    """What the files of a folder import from outside the repository that no group of requirements has."""
    own = {*sys.stdlib_module_names, "mlsieve", "tests", "benchmarks", "scale", "builders"}
    own |= {path.stem for path in (ROOT / "tests").rglob("*.py")}
    declared = set(requirements(*groups))
    missing: dict[str, set[tuple[str, bool]]] = {}
    for path in (ROOT / folder).rglob("*.py"):
        for module, at_once in imports(path):
            if module not in own and not distributions().get(module, {module}) & declared:
                missing.setdefault(module, set()).add((path.relative_to(ROOT).as_posix(), at_once))
    return missing


# What needs an extra, and a command that needs it: where a package is missing, one line names its extra.
NEEDS = {
    "pyarrow": "convert mydata.arff --labels mydata.xml out.parquet",
    "openpyxl": "convert mydata.arff --labels mydata.xml out.xlsx",
    "odf": "convert mydata.arff --labels mydata.xml out.ods",
    "rdata": "convert mydata.arff --labels mydata.xml out.rda",
    "zstandard": "describe mydata.arff.zst --labels mydata.xml",
    "snakemake": "study run study.yaml",
    "xgboost": "chain mydata.arff --labels mydata.xml --method br --set base=xgboost -o chain.csv",
}


def test_the_package_imports_what_it_declares_and_names_the_extra_of_what_is_missing(
    tmp_path, monkeypatch, capsys
):
    optional = undeclared("src/mlsieve", "")
    assert set(optional) <= set(NEEDS)
    assert not [use for uses in optional.values() for use in uses if use[1]], "imported before it is needed"
    extras = ("study", "tables", "baselines")
    assert not undeclared("src/mlsieve", "", *extras)
    monkeypatch.chdir(tmp_path)
    assert main(["example"]) == 0
    (tmp_path / "mydata.arff.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    (tmp_path / "study.yaml").write_text("study: any\n", encoding="utf-8")
    capsys.readouterr()
    for module, command in NEEDS.items():
        with monkeypatch.context() as without:
            loaded = [name for name in sys.modules if name.startswith(f"{module}.")]  # by tests before
            for name in (module, *loaded):
                without.setitem(sys.modules, name, None)
            assert main(command.split()) == 2, module
        *before, said = capsys.readouterr().err.splitlines()
        assert len(before) <= 1 and any(f"pip install 'mlsieve[{extra}]'" in said for extra in extras), module
        assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("out")) == []


@pytest.mark.parametrize("folder", ["tests", "benchmarks", "scale", "docs"])
def test_what_developers_run_imports_what_is_declared(folder):
    assert not undeclared(folder, "", *PROJECT["optional-dependencies"])


def test_build_tools_are_locked_so_that_a_rebuild_needs_no_network():
    backend = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    locked = locked_versions()
    for requirement in map(Requirement, [*backend, "ninja"]):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)])


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["PYTHON=absent"], "make PYTHON="),
        (["PYTHON={folder}/headless"], "the package python3-dev; Fedora: python3-devel"),
        (["CXX=absent"], "the package g++"),
        (["CXX=false"], "make CXX="),
    ],
)
def test_the_set_up_says_what_is_missing_before_it_begins(tmp_path, words, hint):
    python = tmp_path / "headless"
    python.write_text(
        f'#!/bin/sh\ncase "$2" in *sysconfig*) echo {tmp_path};; *) exec {sys.executable} "$@";; esac\n'
    )
    python.chmod(0o755)
    done = subprocess.run(
        ["make", "setup", f"VENV={tmp_path / 'venv'}", *(word.format(folder=tmp_path) for word in words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    first = done.stderr.splitlines()[0]
    assert done.returncode == 2 and first.startswith("mlsieve: ") and hint in first
    assert not done.stdout and not (tmp_path / "venv").exists()


def test_long_parts_of_the_set_up_show_how_far_they_are_and_how_they_ended(tmp_path):
    show = [sys.executable, str(ROOT / "envs" / "show_progress.py")]
    (tmp_path / "lock.txt").write_text("# two\none==1\ntwo==2\n", encoding="utf-8")
    script = "echo '  [3/7] Compiling a/b.cpp.o'; echo noise; exit $0"
    for status in (0, 3):
        command = ["sh", "-c", script, str(status)]
        done = subprocess.run(
            [*show, "Compiling", "--cpu-seconds", "120", "--", *command],
            capture_output=True,
            text=True,
        )
        lines = done.stdout.splitlines()
        assert done.returncode == status
        assert re.fullmatch(r"Compiling \(about \d+ (s|min) on \d+ idle cores?\) \.\.\.", lines[0])
        assert lines[1].endswith("[3/7] b.cpp.o") and ("noise" in done.stderr) == bool(status)
        assert bool(re.fullmatch(r"Done in \d+ s\.", lines[-1])) == (not status)
    command = ["sh", "-c", "echo Collecting two", "-r", str(tmp_path / "lock.txt")]
    done = subprocess.run(
        [*show, "Downloading", "--", *command],
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[1].endswith("[1/2] two")


def test_the_makefile_shows_each_long_part_of_the_set_up():
    rules = re.findall(r"^\t.*", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    long = [line for line in rules if "$(INSTALL)" in line or "$(PIP) install --no-compile" in line]
    assert len(long) == 4 and all(re.match(r'\t@\$\(SHOW\) "', line) for line in long)
    assert all("--cpu-seconds $(CPU)" in line for line in long if "Compiling" in line)
    assert all(re.search(r"about \d+ MB \(.*minute", line) for line in long if "Downloading" in line)


def test_a_bare_debian_without_debootstrap_is_refused(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.bare.run"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    [line] = done.stderr.splitlines()
    assert done.returncode == 2 and line.startswith("mlsieve: ") and not done.stdout
    assert ("debootstrap" if os.geteuid() == 0 else "root") in line


def test_make_help_names_what_a_user_makes():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("study", "test", "develop", "lint", "docs", "bench", "clean"):
        assert re.search(rf"^{target}:", text, re.MULTILINE)
        assert f'"make {target} ' in text


@pytest.mark.parametrize(
    ("folder", "source", "wanted"),
    [("clone", None, "."), ("elsewhere", None, None), ("elsewhere", "git+somewhere@v1", "git+somewhere@v1")],
)
def test_conda_environments_get_the_package_from_the_clone_or_from_what_is_named(
    tmp_path, folder, source, wanted
):
    (tmp_path / "python").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "python").chmod(0o755)
    where = tmp_path / folder
    where.mkdir()
    if folder == "clone":
        (where / "pyproject.toml").write_text('[project]\nname = "mlsieve"\n')
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"MLSIEVE_SOURCE": source} if source else {}
    script = ROOT / "envs" / "environment.post-deploy.sh"
    done = subprocess.run(["bash", script], cwd=where, env=environment, capture_output=True, text=True)
    if wanted is None:
        assert done.returncode == 1 and "is not the repository" in done.stderr
        assert "MLSIEVE_SOURCE" in done.stderr
    else:
        assert done.returncode == 0 and done.stdout.endswith(f" {wanted}\n")


@pytest.mark.parametrize("script", [".ci/run", "envs/environment.post-deploy.sh"])
def test_scripts_are_executable_and_parse(script):
    assert os.access(ROOT / script, os.X_OK)
    subprocess.run(["bash", "-n", ROOT / script], check=True)


@pytest.mark.parametrize("promised", [False, True])
def test_a_skip_for_want_of_promised_data_is_a_failure(tmp_path, promised):
    (tmp_path / "conftest.py").write_text(
        (ROOT / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8"
    )
    (tmp_path / "test_data.py").write_text(
        "import pytest\n"
        "@pytest.fixture\n"
        "def mirror():\n"
        "    pytest.skip('absent')\n"
        "def test_needs_data(mirror): pass\n"
        "@pytest.mark.xfail\n"
        "def test_other(): assert False\n",
        encoding="utf-8",
    )
    environment = {name: value for name, value in os.environ.items() if name != "MLSIEVE_REQUIRE_MIRROR"}
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", tmp_path],
        cwd=tmp_path,
        env=environment | ({"MLSIEVE_REQUIRE_MIRROR": "1"} if promised else {}),
        capture_output=True,
        text=True,
    )
    assert ("1 error" if promised else "1 skipped") in result.stdout
    assert (result.returncode != 0) == promised


def documents() -> list[Path]:
    """Every Markdown page of the project."""
    folders = (".", "docs", "docs/guide", "config", "envs", "benchmarks", "results")
    return sorted(path for folder in folders for path in (ROOT / folder).glob("*.md"))


@pytest.mark.parametrize("page", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    for target in targets:
        if not target.startswith(("http://", "https://", "#", "mailto:")):
            assert (page.parent / target.split("#")[0]).exists(), f"{page.name} links to {target}"


def test_architecture_page_names_every_room():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = [path.parent.name for path in SOURCE.glob("*/__init__.py")]
    modules = [path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")]
    for name in [f"src/mlsieve/{room}/" for room in rooms] + [f"src/mlsieve/{module}" for module in modules]:
        assert name in text, f"docs/architecture.md does not say what {name} is for"
