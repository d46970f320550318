"""Build mlsieve's source archive and wheel, install the wheel in fresh environments, and try it there.

``python -m tests.wheels.run --pythons python3.11 python3.13 --versions newest oldest``

Each environment has no compiler in its reach. "newest" takes what pip finds, "oldest" the lowest version of
each dependency that pyproject.toml allows. With --build-dir the wheel is built from this folder and a build
that exists; without, from the source archive as a stranger would.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def lowest_versions() -> list[str]:
    """Return the lowest versions of the dependencies that pyproject.toml allows, as pip's constraints.

    Returns
    -------
    list of str
        Lines such as ``numpy==2.0.*``.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["study"]]
    return [line.replace(">=", "==") + ".*" for line in lines]


def build(folder: Path, python: str, build_dir: str | None) -> tuple[Path, Path]:
    """Build the source archive of the commit that is checked out, and a wheel for one Python.

    Parameters
    ----------
    folder : pathlib.Path
        Both go here.
    python : str
        Command of the Python, which has pip; the wheel is built in isolation if there is no build folder.
    build_dir : str or None
        Meson's build folder of an earlier build by this Python.

    Returns
    -------
    tuple of pathlib.Path
        The archive and the wheel.
    """
    run(
        [sys.executable, "-c", f"import mesonpy; mesonpy.build_sdist({str(folder)!r})"],
        cwd=ROOT,
    )
    [archive] = folder.glob("*.tar.gz")
    words = [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    if build_dir:
        words += ["--no-build-isolation", f"--config-settings=build-dir={build_dir}", "."]
        run(words, cwd=ROOT)
    else:
        with tarfile.open(archive) as content:
            content.extractall(folder / "source", filter="data")
        [source] = (folder / "source").iterdir()
        run([*words, str(source)], cwd=folder)
    [wheel] = folder.glob("*.whl")
    return archive, wheel


def try_wheel(wheel: Path, python: str, versions: str, folder: Path) -> None:
    """Install a wheel in a fresh environment without a compiler, and run its commands.

    Raises
    ------
    subprocess.CalledProcessError
        If pip or a command fails.
    """
    place = folder / f"environment-{versions}"
    run([python, "-m", "venv", str(place)], cwd=folder)
    own = str(place / "bin" / "python")
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(lowest_versions() if versions == "oldest" else []), encoding="utf-8")
    install = [own, "-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check"]
    run([*install, "--only-binary", ":all:", "-c", str(constraints), str(wheel)], cwd=folder)
    script = Path(__file__).with_name("try_commands.py")
    without = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false"}
    print(f"{python}, {versions} dependencies, without Snakemake:", flush=True)
    run([own, str(script), "--without-study"], cwd=folder, environment=without)
    refused = subprocess.run(
        [str(place / "bin" / "mlsieve"), "study", "run", str(ROOT / "config" / "config.yaml")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if refused.returncode != 2 or "pip install 'mlsieve[study]'" not in refused.stderr:
        raise SystemExit(f"without Snakemake, a study said: {refused.stderr or refused.stdout}")
    wanted = [f"{wheel}[study]", *(["setuptools<81"] if versions == "oldest" else [])]
    run([*install, "--prefer-binary", "-c", str(constraints), *wanted], cwd=folder)
    print(f"{python}, {versions} dependencies, with Snakemake:", flush=True)
    run([own, str(script)], cwd=folder, environment=without)


def run(words: list[str], *, cwd: Path, environment: dict[str, str] | None = None) -> None:
    """Run a command, with this Python's build tools in its reach, and show what it prints."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    subprocess.run(words, cwd=cwd, env={**(environment or os.environ), "PATH": path}, check=True)


def main() -> int:
    """Build and try the wheel for each Python and each choice of versions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pythons", nargs="+", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--versions", nargs="+", default=["newest"], choices=("newest", "oldest"))
    parser.add_argument("--build-dir", metavar="DIR", help="build of the wheel that exists; for one Python")
    args = parser.parse_args()
    for python in args.pythons:
        folder = Path(tempfile.mkdtemp())
        try:
            archive, wheel = build(folder, python, args.build_dir)
            print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB", flush=True)
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
            for versions in args.versions:
                try_wheel(wheel, python, versions, folder)
        finally:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
