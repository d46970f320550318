"""The examples of the documents work as they stand there, typed into an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# <!-- run in an empty folder [that holds ...] --> followed by a fenced block
EXAMPLE = re.compile(
    r"<!-- run in an empty folder(?P<files>[^>]*)-->\n```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL
)

MYDATA_XML = """\
<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sunny"></label>
<label name="windy"></label>
</labels>
"""


def examples(page: str) -> list[re.Match[str]]:
    """Every marked example of a page."""
    return list(EXAMPLE.finditer((ROOT / page).read_text(encoding="utf-8")))


def write_mydata(folder: Path) -> None:
    """Write mydata.arff and mydata.xml: two labels, one feature that tells and one that does not."""
    rows = [f"{i % 7 / 7},{i % 5},{int(i % 7 > 3)},{int(i % 7 > 1)}" for i in range(40)]
    header = "@relation mydata\n@attribute height numeric\n@attribute colour numeric\n"
    header += "@attribute sunny {0,1}\n@attribute windy {0,1}\n@data\n"
    (folder / "mydata.arff").write_text(header + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "mydata.xml").write_text(MYDATA_XML, encoding="utf-8")


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


@pytest.mark.parametrize("number", range(len(examples("README.md"))))
def test_readme_examples_run(number, tmp_path):
    example = examples("README.md")[number]
    if "mydata" in example["files"]:
        write_mydata(tmp_path)
    result = run(example, tmp_path)
    assert result.returncode == 0, result.stderr
    for name in re.findall(r" -o (\S+)", example["text"]):
        assert (tmp_path / name).stat().st_size > 0


def test_readme_has_examples_for_shell_and_python():
    assert {example["language"] for example in examples("README.md")} == {"sh", "python"}


def test_own_file_example_finds_the_feature_that_tells(tmp_path):
    example = next(found for found in examples("README.md") if "mydata" in found["files"])
    write_mydata(tmp_path)
    run(example, tmp_path)
    header, best, *_ = (tmp_path / "ranking.csv").read_text(encoding="utf-8").splitlines()
    assert header == "rank,feature_index,feature,score"
    assert best.startswith("1,0,height,")


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
