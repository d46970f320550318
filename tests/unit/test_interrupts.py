"""Ctrl-C ends a command within a second, whatever it is doing, and leaves nothing behind."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time

import pytest

# Waits in a thread, which no interrupt reaches, while a file is being written.
WAITING = """
import os, signal, threading, time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
import numpy as np
from mlsieve.files.writing import atomic_path
from mlsieve.registry import register

@register.ranker("waiting", version=1, tasks=("mlc",), smoke={})
def waiting(X: Any, Y: Any) -> np.ndarray:
    "Wait."
    with atomic_path("out.txt") as temporary, ThreadPoolExecutor() as pool:
        temporary.write_text("half")
        threading.Timer(SECONDS, os.kill, (os.getpid(), signal.SIGINT)).start()
        pool.submit(time.sleep, 30).result()
"""


@pytest.fixture
def command(tmp_path):
    """A command that is interrupted after so many seconds."""

    def words(seconds: float) -> list[str]:
        (tmp_path / "waiting.py").write_text(WAITING.replace("SECONDS", str(seconds)))
        own = ["rank", "synthetic-linear", "--method", "waiting", "--plugin", "waiting.py", "--progress"]
        return [sys.executable, "-m", "mlsieve", *own, "-o", "r.csv"]

    return words


def test_an_interrupt_does_not_wait_for_other_threads(command, tmp_path):
    begin = time.monotonic()
    done = subprocess.run(command(0.5), cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert time.monotonic() - begin < 15
    assert done.returncode == 130 and done.stderr.splitlines()[-1] == "mlsieve: interrupted"
    assert "Traceback" not in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["waiting.py"]


def test_an_interrupted_line_leaves_the_terminal(command, tmp_path):
    reader, writer = pty.openpty()
    done = subprocess.Popen(
        command(1.5), cwd=tmp_path, stdout=writer, stderr=writer, stdin=subprocess.DEVNULL
    )
    assert done.wait(60) == 130
    os.close(writer)
    text = b""
    try:
        while found := os.read(reader, 1 << 16):
            text += found
    except OSError:  # the other end is closed
        os.close(reader)
    *drawn, blanks, last, end = text.decode().split("\r")
    assert any("ranking by waiting" in line for line in drawn)
    assert blanks == " " * 79 and (last, end) == ("mlsieve: interrupted", "\n")


def test_an_embedded_command_keeps_its_programs_handler(tmp_path):
    program = (
        "import signal\n"
        "signal.signal(signal.SIGINT, lambda *found: print('mine'))\n"
        "from mlsieve.__main__ import main\n"
        "import sys, os, time\n"
        "sys.argv = ['mlsieve', '--version']\n"
        "main()\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "time.sleep(1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "mine"
