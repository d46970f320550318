"""Every command on a page, in a comment of a template and in a help text is one that its program accepts.

tests/e2e/test_readme.py runs the examples that are marked; this holds for all of them, for the commands in
comments of templates, and for the examples of ``--help``.
"""

from __future__ import annotations

import argparse
import itertools
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from mlsieve.cli import command_names, command_parser, main, step_names
from mlsieve.cli._options import one_setting_each
from mlsieve.cli._outputs import check_outputs

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path
    for folder in (".", "docs", "docs/guide", "config", "benchmarks")
    for path in sorted((ROOT / folder).glob("*.md"))
]
TEMPLATES = [
    *sorted(path for folder in ("config", "profiles") for path in (ROOT / folder).rglob("*.yaml")),
    ROOT / "src" / "mlsieve" / "workflow" / "study_template.yaml",
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


def in_comments(path: Path) -> str:
    """Return the commands in the comments of a template as a shell block; a longer space ends a command."""
    lines = re.findall(
        r"^#   ((?:mlsieve|snakemake|make|[A-Z_]+=\S+ ) ?\S.*)$", path.read_text("utf-8"), re.M
    )
    return "\n".join(["```sh", *(line.split("      ")[0] for line in lines), "```"])


def in_help() -> str:
    """Return the examples of all commands' help as a shell block."""
    parsers = [command_parser(command) for command in command_names()]
    parsers += [
        sub
        for parser in parsers
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for sub in action.choices.values()
    ]
    lines = [line for parser in parsers for line in (parser.epilog or "").splitlines()]
    return "\n".join(["```sh", *(line for line in lines if line.strip().startswith("mlsieve ")), "```"])


TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
TEXTS |= {path.relative_to(ROOT).as_posix(): in_comments(path) for path in TEMPLATES}


@pytest.mark.parametrize("name", [*TEXTS, "help"])
def test_commands_are_accepted(name):
    for words in commands(TEXTS[name] if name in TEXTS else in_help()):
        match words:
            case ["mlsieve", "--help" | "--version"] | ["mlsieve", *_, "--help"]:
                pass
            case ["mlsieve", "step", command, *others] | ["mlsieve", command, *others]:
                assert command in (step_names() if words[1] == "step" else command_names()), words
                assert words[1] == "step" or command not in step_names(), words
                args = command_parser(command).parse_args(one_setting_each(others))
                args.force = True
                check_outputs(args)
            case ["make", *targets]:
                for target in targets:
                    assert "=" in target or re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), words
            case ["snakemake", *others]:
                for option, value in itertools.pairwise(others):
                    if option in {"--configfile", "--profile"} and not value.startswith("my"):
                        assert (ROOT / value).exists(), words


# What the examples of the help find in their folder, besides what the examples before them write.
BEFORE = """```sh
mlsieve example
mlsieve rank emotions --score genie3 -o genie3.csv
mlsieve rank emotions --score symbolic -o symbolic.csv
mlsieve rank yeast --split holdout --repeats 0-9 --method scls -o ten.npz
```"""
COPIES = {"my": "mydata", "mine-train": "mydata", "mine-test": "mydata", "mine": "mydata"}


def test_the_examples_of_the_help_run(tmp_path, monkeypatch, mirror):
    """Those of people's commands; studies have tests of their own, and so have their steps."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    for words in commands(BEFORE):
        assert main(words[1:]) == 0, words
    for name, copied in COPIES.items():
        for suffix in (".arff", ".xml"):
            (tmp_path / f"{name}{suffix}").write_bytes((tmp_path / f"{copied}{suffix}").read_bytes())
    values = np.random.default_rng(0).random((9, 3)).round(3)
    results = pd.DataFrame(values, columns=["mine", "other", "third"], index=[f"set {i}" for i in range(9)])
    results.rename_axis("dataset").to_excel("errors.xlsx")
    results.rename_axis("dataset").assign(domain=list("aabbccdde")).to_csv("results.csv")
    examples = [words for words in commands(in_help()) if words[1] not in ("step", "study")]
    run = [words for words in examples if words[2:3] != ["fetch"] and "plan" not in words]
    assert len(run) > 30
    for words in run:
        assert main(words[1:]) == 0, words


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
