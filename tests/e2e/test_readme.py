"""The examples of the documents work as they stand there, typed into an empty folder."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from page_examples import ROOT, blocks, commands, examples, write_files

from mlsieve.cli import main


def run_here(example: re.Match[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an example in this process, which saves the imports of each command."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MLSIEVE_CACHE", str(folder / "cache"))
    if example["language"] == "python":
        exec(compile(example["text"], "example", "exec"), {"__name__": "__main__"})
        return
    for program, *words in map(shlex.split, example["text"].splitlines()):
        if program == "cd":
            monkeypatch.chdir(*words)
        else:
            assert main(words) == 0, words


def is_plain(example: re.Match[str]) -> bool:
    """Whether an example is Python, or has nothing but commands of mlsieve and changes of the folder."""
    lines = example["text"].splitlines()
    return example["language"] == "python" or all(
        re.fullmatch(r"(mlsieve|cd) [^|>;&$]*", line) for line in lines
    )


def run(example: re.Match[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run an example with the commands of this Python's environment, and nothing of the project in reach."""
    scripts = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "MLSIEVE_CACHE": str(folder / "cache"),
    }
    start = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}[example["language"]]
    return subprocess.run(
        [*start, example["text"]], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
MARKED = [(page, number) for page in PAGES for number in range(len(examples(page)))]


@pytest.mark.parametrize(("page", "number"), MARKED)
def test_examples_run(page, number, tmp_path, monkeypatch):
    example = examples(page)[number]
    write_files(example, tmp_path, lambda folder: main(["example", str(folder)]))
    if page != "README.md" and is_plain(example):
        run_here(example, tmp_path, monkeypatch)
    else:
        result = run(example, tmp_path)
        assert result.returncode == 0, result.stderr
    for name in re.findall(r" -o (\S+)", example["text"]):
        assert (tmp_path / name).stat().st_size > 0


def test_the_tutorial_runs_in_order_and_shows_its_own_pictures(tmp_path):
    for example in blocks("docs/tutorial.md"):
        result = run(example, tmp_path)
        assert result.returncode == 0, result.stderr
    assert result.stdout == "['pressure', 'wind_speed', 'humidity']\n"
    for name in ("ranking", "numbers"):
        shown = ROOT / "docs" / "img" / f"tutorial-{name}.svg"
        assert shown.read_bytes() == (tmp_path / f"{name}.svg").read_bytes()


@pytest.mark.parametrize("page", ["README.md", "docs/start.md", "docs/guide/rank.md", "docs/guide/select.md"])
def test_pages_have_examples_for_shell_and_python(page):
    assert {example["language"] for example in examples(page)} == {"sh", "python"}


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_the_first_pages_say_how_to_get_it_and_how_long_it_takes(page):
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    for said in (
        *("`git clone ADDRESS mlsieve`", "`python3 -m pip wheel ", "`pip install dist/mlsieve-*.whl`"),
        *(
            "`make study` takes about ten minutes",
            "`make setup`",
            "five minutes on two idle cores",
            "take a few seconds each",
        ),
    ):
        assert said in text
    first = commands(examples(page)[0]["text"])
    assert first[0] == "mlsieve example" and first[1].startswith("mlsieve rank mydata.csv ")


def test_the_readme_explains_each_score_where_it_first_names_it():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("Genie3", "symbolic", "permutation"):
        assert text.index(f"**{name}** score") + 2 == text.lower().index(name.lower())


def test_other_commands_of_the_readme_set_up():
    """Of the commands of mlsieve, each is in an example that runs; tests/wheels and tests/bare rely on it."""
    others = [
        block["text"] for block in blocks("README.md") if not block["mark"] and block["language"] == "sh"
    ]
    for command in itertools.chain(*map(commands, others)):
        assert re.match(r"(sudo (apt|dnf) install|git clone|cd|make|brew|xcode-select) ?", command), command


def test_example_ranker_of_the_extending_page_works_from_the_command_line(tmp_path):
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    module = next(block for block in blocks if "@register.ranker" in block)
    (tmp_path / "mean_difference.py").write_text(module, encoding="utf-8")
    # As if the file lay in src/mlsieve/rankers: look-ups walk that package's path.
    script = textwrap.dedent("""
        import sys, mlsieve.rankers
        mlsieve.rankers.__path__.append(sys.argv[1])
        from mlsieve.cli import main
        sys.exit(main(["rank", "synthetic-linear", "--method", "mean-difference", "-o", "r.csv"]))
    """)
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=tmp_path, check=True, timeout=120)
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").startswith("rank,feature_index,feature,score\n1,")
