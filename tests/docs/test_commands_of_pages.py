"""Every command on a page of the documentation is one that its program accepts.

tests/e2e/test_readme.py runs the examples that are marked; this holds for all of them.
"""

from __future__ import annotations

import itertools
import re
import shlex
from pathlib import Path

import pytest
import yaml

from mlsieve.cli import command_names, command_parser
from mlsieve.cli._options import one_setting_each

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path
    for folder in (".", "docs", "docs/guide", "config", "benchmarks")
    for path in sorted((ROOT / folder).glob("*.md"))
]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SHELL = re.compile(r"```(?:sh|bash)\n(.*?)```", re.DOTALL)
PIPES = {"|", "&&", "||", ";", ">", ">>", "<", "2>"}


def commands(text: str) -> list[list[str]]:
    """Return the words of each command in the shell blocks of a page, without comments and redirections."""
    found = []
    for block in SHELL.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
            lexer.whitespace_split = True
            words: list[str] = []
            for word in [*lexer, ";"]:
                if word in PIPES:
                    found += [words] if words else []
                    words = []
                elif words or not re.fullmatch(r"[A-Z_]+=.*", word):
                    words.append(word)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_are_accepted(page):
    for words in commands(page.read_text(encoding="utf-8")):
        match words:
            case ["mlsieve", "--help" | "--version"] | ["mlsieve", _, "--help"]:
                pass
            case ["mlsieve", command, *others]:
                assert command in command_names(), words
                command_parser(command).parse_args(one_setting_each(others))
            case ["make", *targets]:
                for target in targets:
                    assert "=" in target or re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), words
            case ["snakemake", *others]:
                for option, value in itertools.pairwise(others):
                    if option in {"--configfile", "--profile"} and not value.startswith("my"):
                        assert (ROOT / value).exists(), words


def test_commands_of_a_block_are_found():
    text = "```sh\nA=1 mlsieve x --set k=2 > out  # note\nmake docs && mlsieve y 'a b' \\\n  -o z\n```"
    assert commands(text) == [
        ["mlsieve", "x", "--set", "k=2"],
        ["out"],
        ["make", "docs"],
        ["mlsieve", "y", "a b", "-o", "z"],
    ]


def test_the_workflow_of_the_site_runs_what_the_makefile_makes():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "docs.yaml").read_text(encoding="utf-8"))
    runs = [step["run"].split(" #")[0] for step in workflow["jobs"]["docs"]["steps"] if "run" in step]
    assert runs == ["make study", "make docs"]
    assert "stage docs" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
