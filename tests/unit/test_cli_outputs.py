"""Nothing is overwritten that does not look like mlsieve's; what does is replaced without a question."""

from __future__ import annotations

import csv
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from mlsieve import compare
from mlsieve.cli import main
from mlsieve.errors import printable
from mlsieve.files.ownership import may_be_replaced
from mlsieve.paper.markup import PaperTable, markdown_table
from mlsieve.plots import save_figure

pytestmark = pytest.mark.usefixtures("elsewhere")

TABLE = "rain,wind,umbrella,coat\n" + "".join(f"{i % 7},{i % 5},{i % 2},{i % 3 // 2}\n" for i in range(40))
DATA = ["m.csv", "--label-count", "-2"]
EVALUATED = [*DATA, "--split", "holdout", "--ranking", "r.csv", "--set", "k=3"]

CONVERTED = (".arff", ".csv", ".tsv", ".parquet", ".feather", ".xlsx", ".ods", ".svm", ".txt", ".rda", ".npz")

# A command for each kind of output, which writes `OUT`.
COMMANDS = {
    "prepare": ["prepare", *DATA, "-o", "OUT.npz"],
    "describe": ["describe", "m.npz", "-o", "OUT.csv"],
    "discretise": ["discretise", *DATA, "-o", "OUT.npz"],
    "cuts": ["discretise", *DATA, "--cuts", "OUT.npz"],
    "grow": ["grow", *DATA, "--trees", "2", "-o", "OUT.npz"],
    "rank": ["rank", *DATA, "--method", "uniform", "-o", "OUT.csv"],
    "ranking in LaTeX": ["rank", *DATA, "--method", "uniform", "-o", "OUT.tex"],
    **{
        f"ranking drawn as {ending}": ["rank", *DATA, "--method", "uniform", "-o", f"OUT{ending}"]
        for ending in (".svg", ".png", ".pdf")
    },
    "select": ["rank", *DATA, "--method", "scls", "-o", "OUT.csv"],
    "bundle": ["rank", *DATA, "--method", "uniform", "-o", "OUT.npz"],
    "predict": ["predict", *EVALUATED, "-o", "OUT.npz"],
    "score": ["score", "v.npz", "-o", "OUT.csv"],
    "evaluate": ["evaluate", *EVALUATED, "-o", "OUT.csv"],
    "LaTeX": ["evaluate", *EVALUATED, "-o", "OUT.tex"],
    "Markdown": ["describe", "m.npz", "-o", "OUT.md"],
    "ranked folds": [
        *("evaluate", *DATA, "--method", "uniform"),
        *("--cv", "2", "--set", "k=3", "-o", "OUT.csv"),
    ],
    "chain": ["chain", *DATA, "--method", "br", "-o", "OUT.csv"],
    "folds": ["chain", *DATA, "--method", "br", "--cv", "2", "-o", "OUT.csv"],
    "predictions": ["chain", *DATA, "--method", "br", "--predictions", "OUT.npz"],
    "model": ["chain", *DATA, "--method", "rdt-dcc", "--set", "trees=3", "--save-model", "OUT.npz"],
    "similarity": ["similarity", "r.csv", "r2.csv", "-o", "OUT.csv"],
    "curves": ["similarity", "r.csv", "r2.csv", "--curves", "OUT.csv"],
    "compare": ["compare", "results.csv", "--tests", "OUT.csv"],
    "ranks": ["compare", "results.csv", "--ranks", "OUT.csv"],
    "findings": ["compare", "results.csv", "--findings", "OUT.json"],
    "schema": ["schema", "-o", "OUT.json"],
    **{ending: ["convert", *DATA, f"OUT{ending}"] for ending in CONVERTED},
}


@pytest.fixture
def files(elsewhere):
    """Data and what other commands made of them."""
    (elsewhere / "m.csv").write_text(TABLE)
    rows = "".join(
        f"d{d},m{m},hamming-loss,{0.1 * m + 0.01 * (d * m % 3)}\n" for d in range(8) for m in range(3)
    )
    (elsewhere / "results.csv").write_text("dataset,method,measure,value\n" + rows)
    assert main(["prepare", *DATA, "-o", "m.npz"]) == 0
    for name, method in (("r.csv", "uniform"), ("r2.csv", "random")):
        assert main(["rank", *DATA, "--split", "holdout", "--method", method, "-o", name]) == 0
    assert main(["predict", *EVALUATED, "-o", "v.npz"]) == 0
    return elsewhere


def called(name: str, output: str) -> tuple[list[str], Path]:
    place = next(word for word in COMMANDS[name] if word.startswith("OUT")).replace("OUT", output)
    return [place if word.startswith("OUT") else word for word in COMMANDS[name]], Path(place)


def test_an_ending_that_a_command_does_not_write_is_refused(files, capsys):
    before = sorted(os.listdir())
    commands = [words for name, words in COMMANDS.items() if name not in CONVERTED]
    for command, ending in itertools.product(commands, (".docx", ".CSV")):
        words = [re.sub(r"^OUT\.\w+$", f"out{ending}", word) for word in command]
        assert main(words) == 2, words
        said = capsys.readouterr().err
        assert said.startswith(f"mlsieve: out{ending}: ") and said.count("\n") == 1
        assert f"'{ending}'" in said and "; " in said, said
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("name", ["prepare", "discretise", "cuts", "grow", "predict", "predictions", "model"])
def test_arrays_are_not_written_to_the_standard_output(name, files, capsys):
    before = sorted(os.listdir())
    capsys.readouterr()
    assert main([re.sub(r"^OUT\.npz$", "-", word) for word in COMMANDS[name]]) == 2
    said = capsys.readouterr().err
    assert said.startswith("mlsieve: -: is the standard output, and --") and said.count("\n") == 1
    assert sorted(os.listdir()) == before


def test_the_name_of_a_packed_table_is_answered_with_that_of_the_table(files, capsys):
    for command in (COMMANDS["rank"], COMMANDS["evaluate"]):
        words = [*command[:-1], "out.csv.gz"]
        assert main(words) == 2
        said = capsys.readouterr().err.rstrip()
        assert "the name ends in '.gz'" in said and said.endswith("; give e.g. out.csv")
        assert main([*command[:-1], "out.csv", "--force"]) == 0


def test_the_name_of_a_file_is_none_of_a_folder(files, capsys):
    words = ["compare", "results.csv", "-o"]
    for name in ("cmp.svg", "cmp.csv.gz"):
        assert main([*words, name]) == 2
        said = capsys.readouterr().err.rstrip()
        assert f"{name}: the name ends in '.{name.split('.')[-1]}'" in said and said.count("\n") == 0
        assert said.endswith(f"; give e.g. cmp, or {name}/ for a folder of that name")
        assert not Path(name).exists()
    for name in ("cmp", "cmp.svg/", "cmp.svg", "cmp-0.2", "../of.mine/cmp"):  # the third is there by then
        assert main([*words, name]) == 0 and Path(name, "tests.csv").is_file()


def test_a_table_in_latex_or_markdown_has_the_values_of_the_csv(files, capsys):
    for ending in ("csv", "tex", "md"):
        assert main(["evaluate", *EVALUATED, "--measures", "hamming-loss,f1", "-o", f"s.{ending}"]) == 0
    rows = [line.split(",") for line in Path("s.csv").read_text().splitlines()[1:]]
    values = [(name, f"{float(value):#.4g}") for name, value in rows]
    tex, md = Path("s.tex").read_text(), Path("s.md").read_text()
    assert re.findall(r"^([\w-]+) & ([\d.]+) \\\\$", tex, re.M) == values
    assert re.findall(r"^\| ([\w-]+) \| (\d[\d.]*) \|$", md, re.M) == values
    assert tex.count("\\begin{table}") == tex.count("\\end{table}") == 1 and "booktabs" in tex


NAMES = [
    *("[x](javascript:alert(1))", "![x](http://x/y.png)", "[@demsar2006]", "[@nokey]", "@demsar2006", "a|b"),
    *("`code`", "<script>", "<!-- x", "*a*", "_b_ c_d", "# head", "#x", "$x^2$", "~~x~~ H~2~O", "a\\", "\\|"),
    *("- list", "+ list", "1. list", "2) list", "% title", "::: div", "a--b...", "&lt; &#60;", "> quote"),
    *("a\nb", "a\rb", "a\u2028b", "\x1b[2J", "[x]: http://y", "---", "=x", "{=html}", "a  b", "https:x"),
    *("https://x/y", "WWW.x.org", "a\u200eb", "a\u200bb", "a\U000e0041b"),
]


@pytest.fixture
def odd_names(tmp_path, monkeypatch):
    """Results of methods, and a table of features, whose names mean something in Markdown and elsewhere."""
    monkeypatch.chdir(tmp_path)
    rows = [[f"d{d}", m, "f1", (7 * d + 3 * len(m)) % 11 / 11] for d in range(4) for m in NAMES]
    cells = [[i * k % 7 for k in range(len(NAMES))] + [i % 2] for i in range(12)]
    tables = {"results": [["dataset", "method", "measure", "value"], *rows], "d": [[*NAMES, "y"], *cells]}
    for name, table in tables.items():
        with open(f"{name}.csv", "w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(table)


def test_names_show_as_themselves_in_markdown(odd_names):
    from markdown_it import MarkdownIt

    words = ["d.csv", "--label-count=-1"]
    assert main(["rank", *words, "--method=uniform", "-o", "r.md"]) == 0
    assert main(["compare", "results.csv", "-o", "out"]) == 0
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    known = set("inline text text_special html_block table thead tbody tr th td paragraph".split())
    names = {printable(name) for name in NAMES}
    # Of methods, a semicolon separates names.
    for path, shown in (("r.md", names), ("out/paper/tables.md", {name.replace(";", ",") for name in names})):
        tokens = reader.parse(Path(path).read_text(encoding="utf-8"))
        kinds = {token.type for each in tokens for token in (each, *(each.children or ()))}
        assert {re.sub("_(open|close)$", "", kind) for kind in kinds} <= known  # our checksum is a comment
        cells = [
            "".join(part.content for part in token.children)
            for before, token in itertools.pairwise(tokens)
            if before.type == "td_open"
        ]
        assert shown <= set(cells), shown - set(cells)
    text = Path("r.md").read_text(encoding="utf-8")
    assert not re.search(r"https?://|www\.", text, re.I), "GitHub makes links of these"


def test_a_name_like_a_citation_is_none(odd_names):
    names = ("[@nokey]", "[@kerby2014]")
    rows = "".join(f"d{d},{m},f1,{(d + len(m)) % 5}\n" for d in range(6) for m in names)
    Path("c.csv").write_text("dataset,method,measure,value\n" + rows)
    assert main(["compare", "c.csv", "-o", "c"]) == 0
    for name in ("methods.md", "results.md", "text.tex"):
        text = Path("c/paper", name).read_text(encoding="utf-8")
        assert all(each in text.replace("\\", "") for each in names)
        assert "cite{nokey" not in text and (name == "text.tex" or "[@" not in text) and "\ufdd0" not in text
    assert "wilcoxon1945" in Path("c/paper/references.bib").read_text()


def test_a_table_in_markdown_is_read_again_with_its_names(odd_names):
    frame = pd.DataFrame(
        {"dataset": ["[d]", "*e*", "_f_"], "[a](b)|`c`": [0.5, 0.25, 0.5], "**m**": [1.0, 0.5, 0.75]}
    )
    Path("t.md").write_text(markdown_table(PaperTable("", frame, numbers=(1, 2))))
    found = compare("t.md", higher_is_better=True)
    assert set(found.methods) == {"[a](b)|`c`", "**m**"} and set(found.results.datasets) == {
        "[d]",
        "*e*",
        "_f_",
    }


def test_names_are_text_in_csv_and_xlsx(odd_names):
    from openpyxl import load_workbook

    names = ["=1+1", "+1x", "-x", "@x", "\tx", '=HYPERLINK("http://x")']
    with open("s.csv", "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([[*names, "y"], *([i, i % 3, 1, 2, 3, i, i % 2] for i in range(8))])
    assert main(["convert", "s.csv", "s.xlsx", "--label-count=-1"]) == 2  # '=1+1' would be a formula
    assert not Path("s.xlsx").exists()
    assert main(["convert", "s.csv", "s.xlsx", "--label-count=-1", "--drop", "=1+1,=HYPERLINK*"]) == 0
    header = next(load_workbook("s.xlsx").active.iter_rows())
    assert {cell.data_type for cell in header} == {"s"}
    assert main(["convert", "s.csv", "t.csv", "--label-count=-1"]) == 0
    with open("t.csv", encoding="utf-8", newline="") as stream:
        assert [name.strip() for name in next(csv.reader(stream))] == [*map(str.strip, names), "y"]


def test_a_drawn_ranking_shows_its_best_features(files, capsys):
    rank = ["rank", "synthetic-linear", "--method", "relief", "--set", "m=20"]
    for name in ("r.csv", "r.svg", "again.svg"):
        assert main([*rank, "--force", "-o", name]) == 0
    best = [line.split(",")[2] for line in Path("r.csv").read_text().splitlines()[1:]]
    drawn = re.findall(r">(\w+)</text>", Path("r.svg").read_text())
    assert [name for name in drawn if name in best] == best[:30] and len(best) == 40
    assert Path("r.svg").read_bytes() == Path("again.svg").read_bytes()
    assert main(["rank", "synthetic-linear", "--trees", "2,3", "-o", "r.png"]) == 2
    assert not Path("r.png").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_foreign_file_stays_without_force(name, files, capsys):
    words, path = called(name, "mine")
    path.write_text("my own notes\n")
    assert main(words) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"mlsieve: {path}: already exists") and said.endswith(" --force")
    assert path.read_text() == "my own notes\n"
    kept = path.with_name(f"mine-2{path.suffix}")
    assert kept.exists() == (f" {kept}; " in said), "what has been computed is not lost"
    assert main([*words, "--force"]) == 0, capsys.readouterr().err
    assert path.read_bytes() != b"my own notes\n"


def test_the_edges_of_a_hierarchy_are_known(elsewhere):
    for _ in range(2):
        assert main(["convert", "digits-hmlc", "d.csv"]) == 0
    Path("d-hierarchy.csv").write_text("above,below\nroot,a\n")
    assert main(["convert", "digits-hmlc", "d.csv"]) == 2


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
@pytest.mark.parametrize("n_points", [2, 50_000])
def test_figures_of_any_length_are_known(n_points, suffix, elsewhere):
    figure = Figure()
    x = np.random.default_rng(0).random(n_points)
    figure.subplots().plot(x, x[::-1], ".")
    save_figure(figure, f"figure.{suffix}")
    assert may_be_replaced(f"figure.{suffix}")
    first = Path(f"figure.{suffix}").read_bytes()
    save_figure(figure, f"figure.{suffix}")
    assert Path(f"figure.{suffix}").read_bytes() == first


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_a_figure_of_others_stays_without_force(suffix, files, capsys):
    words = ["figures", "--tests", "compared/tests.csv", "--performance", "results.csv"]
    words += ["--ranks", "compared/average_ranks.csv", "--formats", suffix, "-o", "drawn"]
    assert main(["compare", "results.csv", "-o", "compared"]) == 0
    assert main(words) == main(words) == 0, capsys.readouterr().err
    path = next(Path("drawn").glob(f"*.{suffix}"))
    Figure().savefig(path)
    assert not may_be_replaced(path)
    before = path.read_bytes()
    assert main(words) == 2 and path.read_bytes() == before
    assert f"{path}: already exists" in capsys.readouterr().err
    assert main([*words, "--force"]) == main(words) == 0 and path.read_bytes() != before


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_of_mlsieve_is_replaced(name, files, capsys):
    words, path = called(name, "out")
    for _ in range(2):
        assert main(words) == 0, capsys.readouterr().err
        os.utime(path, (0, 0))
    assert main(words) == 0
    assert path.stat().st_mtime > 0


@pytest.mark.parametrize(
    "words",
    [
        ["rank", *DATA, "-o", "m.csv"],
        ["rank", *DATA, "-o", "./m.csv", "--force"],
        ["rank", *DATA, "-o", "link.csv", "--force"],
        ["rank", *DATA, "-o", "hard.csv", "--force"],
        ["rank", *DATA, "-o", "new/../m.csv", "--force"],
        ["prepare", *DATA, "-o", "m.csv"],
        ["prepare", "m.npz", "-o", "m.npz", "--force"],
        ["evaluate", *DATA, "--split", "holdout", "--ranking", "r.csv", "-o", "r.csv"],
        ["evaluate", *DATA, "--split", "holdout", "--ranking", "r.csv", "-o", "m.csv", "--force"],
        ["similarity", "r.csv", "r2.csv", "-o", "r2.csv"],
        ["compare", "results.csv", "--tests", "results.csv", "--force"],
        ["similarity", "r.csv", "r2.csv", "-o", "both.csv", "--curves", "both.csv"],
    ],
)
def test_an_output_is_no_input_and_no_other_output(words, files, capsys):
    (files / "link.csv").symlink_to("m.csv")
    (files / "hard.csv").hardlink_to("m.csv")
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "is given for both" in said
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.parametrize("link", ["q.csv", "q.csv.json"])
def test_a_link_that_leads_nowhere_is_not_followed(link, files, capsys):
    (files / link).symlink_to("elsewhere/new")
    assert main(["rank", *DATA, "-o", "q.csv"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"mlsieve: {link}: ") and "; remove it" in said
    assert not (files / "elsewhere").exists()


@pytest.mark.parametrize("own", [True, False])
def test_a_file_beside_the_output_is_no_input(own, files, capsys):
    assert main(["convert", *DATA, "q.arff"]) == 0
    if not own:
        Path("q.xml").write_text(Path("q.xml").read_text() + "<!-- by hand -->\n")
    before = Path("q.xml").read_bytes()
    capsys.readouterr()
    assert main(["convert", "m.csv", "--labels", "q.xml", "q.arff", "--force"]) == 2
    assert capsys.readouterr().err == (
        "mlsieve: q.xml: is read as --labels, and the command would overwrite it; choose another output\n"
    )
    assert Path("q.xml").read_bytes() == before


def test_a_table_of_data_is_replaced_only_by_the_same(files, capsys):
    """The training and the test part of the same data begin alike."""
    assert main(["convert", *DATA, "all.csv"]) == main(["convert", *DATA, "all.csv"]) == 0
    rows = Path("all.csv").read_text().splitlines(keepends=True)
    Path("test.csv").write_text("".join(rows[:9]))
    assert main(["convert", *DATA, "test.csv"]) == 2
    assert Path("test.csv").read_text() == "".join(rows[:9]) and "; " in capsys.readouterr().err
    assert main(["convert", *DATA, "test.csv", "--force"]) == 0


def test_the_file_of_the_standard_input_is_no_output(files):
    before = Path("m.csv").read_bytes()
    words = ["rank", "-", "--label-count", "-2", "--method", "uniform", "-o", "m.csv", "--force"]
    with open("m.csv", "rb") as data:
        found = subprocess.run([sys.executable, "-m", "mlsieve", *words], stdin=data, capture_output=True)
    assert found.returncode == 2 and Path("m.csv").read_bytes() == before
    assert b"m.csv: is given for both the standard input and --output" in found.stderr


def test_a_page_of_others_that_names_mlsieve_is_theirs(elsewhere):
    Path("page.html").write_text("<html><p>We used mlsieve.</p></html>")
    assert not may_be_replaced("page.html")


def test_a_folder_of_rankings_keeps_a_foreign_file_of_that_name(files, capsys):
    Path("many").mkdir()
    Path("many/trees-02.csv").write_text("a,b\n1,2\n")
    Path("many/notes.csv").write_text("a,b\n1,2\n")
    words = ["rank", *DATA, "--trees", "2,10", "-o", "many/"]
    assert main(words) == 2
    assert "trees-02.csv: already exists" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert main(words) == 0
    assert Path("many/notes.csv").read_text() == "a,b\n1,2\n"


def test_a_folder_of_comparisons_keeps_a_foreign_file_of_that_name(files, capsys):
    Path("compared").mkdir()
    Path("compared/tests.csv").write_text("a,b\n1,2\n")
    assert main(["compare", "results.csv", "-o", "compared"]) == 2
    assert "tests.csv: already exists" in capsys.readouterr().err
    assert [path.name for path in Path("compared").iterdir()] == ["tests.csv"]
    assert main(["compare", "results.csv", "-o", "compared", "--force"]) == 0
    assert main(["compare", "results.csv", "-o", "compared"]) == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.csv", "first,second,third\n1,2,3\n"),
        ("r.csv", "feature,kind,my own\n1,2,3\n"),
        ("r.csv", "measure,value,note\n1,2,3\n"),
        ("r.csv", "label,rows,x\n1,2,3\n"),
        ("r.csv", "dataset,family,x\n1,2,3\n"),
        ("r.csv", "parent,child\nroot,a\n"),
        ("r.json", '{"note": "settings for mlsieve runs"}'),
    ],
)
def test_a_file_that_resembles_one_of_mlsieve_stays(name, content, files, capsys):
    Path(name).write_text(content)
    words = ["rank", *DATA, "-o", name] if name == "r.csv" else ["schema", "-o", name]
    assert main(words) == 2
    assert Path(name).read_text() == content


@pytest.mark.parametrize("words", [["example", "new"], ["study", "init", "new"]])
def test_what_is_written_to_start_with_is_named_once(words, elsewhere, capsys):
    assert main(words) == 0
    told = "".join(capsys.readouterr())
    for path in Path("new").glob("[a-z]*[a-z]"):
        assert len(re.findall(rf"^(?!next: ).*\b{path}\b", told, re.MULTILINE)) == 1, told


@pytest.mark.parametrize("name", ["mydata.csv", "mydata.arff", "mydata.xml"])
def test_the_example_does_not_replace_data_of_its_user(name, elsewhere, capsys):
    assert main(["example"]) == main(["example"]) == 0
    lines = Path(name).read_text().splitlines(keepends=True)
    Path(name).write_text("".join(lines[:-5] + lines[-1:]))
    edited = Path(name).read_text()
    assert main(["example"]) == 2 and Path(name).read_text() == edited
    assert f"{name}: already exists" in capsys.readouterr().err
    assert main(["example", "--force"]) == 0 and Path(name).read_text() == "".join(lines)


def test_a_converted_text_is_known_wherever_it_lies(files):
    assert main(["convert", *DATA, "a.arff"]) == 0
    for name in ("a.arff", "a.xml"):
        os.renames(name, f"elsewhere/{name}")
    assert main(["convert", *DATA, "elsewhere/a.arff"]) == 0
