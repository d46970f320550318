"""Follow README.md on a bare Debian: only the packages that it names, an ordinary user, its commands.

``python -m tests.bare.run`` makes a Debian with debootstrap in a temporary folder. It runs the commands of
README.md there word for word, all but ``make test``, in a clone of the commit that is checked out, and prints
the time of each. The system gets the settings of this machine's apt and pip, and nothing else of it. It needs
root and debootstrap.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.page_examples import ROOT, blocks, commands, write_files

USER, HOME = "1000", "/home/reader"
CLONE = f"{HOME}/mlsieve"
ACTIVATE = f". {CLONE}/.venv/bin/activate"
PROGRAMS = ("debootstrap", "chroot", "unshare", "mount", "git")
PROXIES = ("http_proxy", "https_proxy", "no_proxy")
LEFT_OUT = r"make test\b|git clone|cd|sudo dnf|brew|xcode-select"


def lacking() -> str:
    """Return why this cannot be run here; empty if it can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "only root can make another system in a folder"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"{', '.join(missing)} not found: install Debian's packages debootstrap and git" if missing else ""


def output(*words: str) -> str:
    """Return what a command prints, empty if it is not there or fails."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


class Debian:
    """A Debian in a folder.

    Parameters
    ----------
    folder : pathlib.Path
    release : str
        Such as ``trixie``.
    """

    def __init__(self, folder: Path, release: str) -> None:
        self.folder, self.shared = folder, list[str]()
        sites = output("apt-get", "indextargets", "--format", "$(SITE)").split()
        mirror = next((site for site in sites if site.rstrip("/").endswith("/debian")), "")
        run("debootstrap", "--variant=minbase", release, str(folder), mirror.rstrip("/"), quiet=True)
        settings = re.findall(
            r"^Acquire::(?:https?|ftp|Check-|Retries).*;$", output("apt-config", "dump"), re.MULTILINE
        )
        self.write("etc/apt/apt.conf.d/90host", "\n".join([*settings, 'APT::Get::Assume-Yes "true";', ""]))
        self.run("root", "apt-get update")
        self.run("root", f"useradd --uid {USER} --create-home --shell /bin/bash {Path(HOME).name}")
        run("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder / CLONE[1:]))
        run("chown", "-R", f"{USER}:{USER}", str(folder / CLONE[1:]))

    def write(self, name: str, text: str) -> None:
        """Write one of its files."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def take_settings_of_pip(self) -> None:
        """Give it the settings of this machine's pip, with the files and folders that they name."""
        kept = {}
        for line in output(sys.executable, "-m", "pip", "config", "list").splitlines():
            key, _, value = line.partition("=")
            if key.startswith(("global.", "install.", ":env:.")):
                section = "install" if key.startswith("install.") else "global"
                kept[section, key.rpartition(".")[2]] = ast.literal_eval(value)
        text = ""
        for section in ("global", "install"):
            text += f"[{section}]\n"
            for (of, key), value in kept.items():
                text += f"{key} = " + "\n    ".join(value.split()) + "\n" if of == section else ""
        self.write("etc/pip.conf", text)
        named = set()
        for word in (word for value in kept.values() for word in value.split()):
            path = Path(word.removeprefix("file://"))
            # The pages of an index link to files beside it.
            named.add(path.parent if word.startswith("file://") and path.parent != Path("/") else path)
        self.shared = sorted(str(path) for path in named if path.is_absolute() and path.exists())
        for name in self.shared:
            inside = self.folder / name[1:]
            if Path(name).is_dir():
                inside.mkdir(parents=True, exist_ok=True)
            elif not inside.exists():
                self.write(name[1:], "")

    def run(self, user: str, text: str, where: str = "/") -> float:
        """Run a script of bash as one of its users; return its seconds, and end all if it fails."""
        root = shlex.quote(str(self.folder))
        mounts = [f"mount -t proc proc {root}/proc", f"mount -t tmpfs tmpfs {root}/dev/shm"]
        for name in self.shared:
            mounts.append(f"mount --bind {shlex.quote(name)} {root}{shlex.quote(name)}")
        whose = "" if user == "root" else f"--userspec={user}:{user} "
        home = "/root" if user == "root" else HOME
        environment = {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        if user == "root":
            environment |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
        environment |= {name: os.environ[name] for name in PROXIES if name in os.environ}
        script = f"cd {shlex.quote(where)}\n{text}"
        inside = (
            f"exec {shutil.which('chroot')} {whose}{root} /bin/bash -euo pipefail -c {shlex.quote(script)}"
        )
        return run(
            *(
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "sh",
                "-ec",
                "\n".join([*mounts, inside]),
            ),
            environment=environment,
            quiet=user == "root",
        )


def run(*words: str, environment: dict[str, str] | None = None, quiet: bool = False) -> float:
    """Run a command; return the seconds that it took, and end all if it fails."""
    start = time.monotonic()
    path = os.environ.get("PATH", os.defpath)
    words = (shutil.which(words[0], path=path) or words[0], *words[1:])
    done = subprocess.run(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout or "", file=sys.stderr)
        print(f"mlsieve: this failed with status {done.returncode}: {words[-1]}", file=sys.stderr)
        sys.exit(1)
    return time.monotonic() - start


def follow(debian: Debian) -> list[tuple[float, str]]:
    """Run the README's commands in order; return the seconds of each."""
    times: list[tuple[float, str]] = []
    for number, block in enumerate(blocks("README.md")):
        if block["mark"]:
            where = f"{HOME}/example-{number}"
            debian.run(USER, f"mkdir {where}")
            inside = debian.folder / where[1:]
            write_files(
                block, inside, lambda _, where=where: debian.run(USER, f"{ACTIVATE}\nmlsieve example", where)
            )
            text = block["text"]
            if block["language"] == "python":
                text = f"python - <<'END OF THE EXAMPLE'\n{text}\nEND OF THE EXAMPLE"
            shown = commands(block["text"]) if block["language"] == "sh" else [block["text"].splitlines()[-1]]
            print(*(f"$ {command}" for command in shown), sep="\n", flush=True)
            times.append((debian.run(USER, f"{ACTIVATE}\n{text}", where), " && ".join(shown)))
            continue
        for command in commands(block["text"]):
            if re.match(LEFT_OUT, command):
                print(f"(left out: {command})", flush=True)
                continue
            print(f"$ {command}", flush=True)
            as_root = command.startswith("sudo ")
            took = debian.run("root" if as_root else USER, command.removeprefix("sudo "), CLONE)
            times.append((took, command))
            if as_root:  # after the packages, which bring files that the settings may name
                debian.take_settings_of_pip()
    return times


def main() -> int:
    """Make the system, follow the README and print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--release", default="trixie", help="of Debian (default: trixie, which is Debian 13)")
    parser.add_argument("--keep", action="store_true", help="leave the system in its folder, and print it")
    args = parser.parse_args()
    if reason := lacking():
        print(f"mlsieve: a bare Debian cannot be tried here: {reason}", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="bare-"))
    try:
        folder.chmod(0o755)
        start = time.monotonic()
        debian = Debian(folder, args.release)
        print(f"Debian {args.release}, made in {time.monotonic() - start:.0f} s: {debian.folder}", flush=True)
        times = follow(debian)
        print("\nseconds  command", *(f"{took:7.0f}  {command}" for took, command in times), sep="\n")
        print(f"{sum(took for took, _ in times):7.0f}  all of README.md but make test")
    finally:
        if args.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
