"""No code comes from data or configuration, and no name in them reaches a shell as more than a word."""

from __future__ import annotations

import ast
import csv
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from terminal import Terminal

import mlsieve
from mlsieve.cli import main
from mlsieve.configuration.check import configuration_errors
from mlsieve.configuration.schema import build_schema
from mlsieve.data.catalog import entry_from
from mlsieve.errors import UserError
from mlsieve.files.yaml import parse_yaml
from mlsieve.progress import State, fitted
from mlsieve.rankings.files import Ranking
from mlsieve.schemas import validator_of
from mlsieve.study import Data

SOURCE = Path(mlsieve.__file__).parent
REPOSITORY = Path(__file__).resolve().parents[2]
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "cloudpickle"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_ATTRIBUTES = {"os.system", "os.popen", "np.load", "numpy.load", "pd.read_pickle", "pd.eval"}
FORBIDDEN_ATTRIBUTES |= {"ElementTree.parse", "minidom.parse", "archive.extractall", "shutil.unpack_archive"}


def dangers(source: str) -> list[str]:
    """Return what a Python source does that could run code from a file, or write where an archive says."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            found += [name for name in names if name.split(".")[0] in FORBIDDEN_MODULES | {"tarfile"}]
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        short = ".".join(name.split(".")[-2:])
        if name in FORBIDDEN_CALLS or short in FORBIDDEN_ATTRIBUTES or name.endswith(".extractall"):
            found.append(name)
        if short in {"yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load"}:
            found.append(name)
        for keyword in node.keywords:
            value = ast.unparse(keyword.value)
            if (keyword.arg, value) in {("allow_pickle", "True"), ("shell", "True")}:
                found.append(f"{name}({keyword.arg}={value})")
    return found


def sources() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py"))


def test_the_check_finds_what_it_looks_for():
    bad = [
        *("import pickle", "from joblib import load", "eval(text)", "yaml.load(f, Loader=x)", "np.load(p)"),
        *(
            "subprocess.run(c, shell=True)",
            "np.lib.format.read_array(f, allow_pickle=True)",
            "import tarfile",
        ),
        *("archive.extractall(folder)", "os.system(command)", "xml.etree.ElementTree.parse(f)"),
    ]
    assert all(dangers(source) for source in bad)
    assert not dangers("re.compile(x); yaml.safe_load(t); model.eval(); np.loadtxt(f)")


def test_no_code_comes_from_data_or_configuration():
    assert len(sources()) > 100
    found = {path.relative_to(SOURCE).as_posix(): dangers(path.read_text()) for path in sources()}
    known = {
        "files/yaml.py": ["yaml.load"],  # it is given the safe loader, as the next tests show
        "registry/plugins.py": ["exec", "compile"],  # of the bytes that their user trusts (test_plugins)
    }
    assert {name: calls for name, calls in found.items() if calls} == known


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system [ls]", "!!python/name:os.system", "!own x"])
def test_yaml_makes_no_objects(tag):
    with pytest.raises(UserError, match="is not YAML"):
        parse_yaml(f"a: {tag}")


def test_yaml_reads_plain_values_and_references():
    text = "a: &x [1, two, null]\nb: *x\nc: {<<: {d: 2.5}, e: yes}\n"
    values = {"a": [1, "two", None], "b": [1, "two", None], "c": {"d": 2.5, "e": True}}
    assert parse_yaml(text) == values
    assert parse_yaml("") is None
    assert parse_yaml("[" * 100 + "]" * 100)


@pytest.mark.parametrize(
    "text, problem, line",
    [
        ("a:\n  " + "[" * 100_000, "nested in more than 100 levels", 2),
        ("[" * 101 + "]" * 101, "nested in more than 100 levels", 1),
        ("a: &x\n  - *x", "is within what it refers to", 2),
        (
            "- &a0 [1, 2]\n" + "".join(f"- &a{i + 1} [*a{i}, *a{i}]\n" for i in range(40)),
            "expands to more than 1,000,000 values",
            18,
        ),
        ("a: 2001-99-99", "month must be in 1..12", 1),
        ("a: !!timestamp x", "a value is not what it looks like", 1),
        ("a: [1, 2\nb: 3", "expected", 2),
    ],
)
def test_yaml_that_is_too_much(text, problem, line):
    with pytest.raises(UserError, match=problem) as caught:
        parse_yaml(text, "f.yaml")
    assert caught.value.line == line and str(caught.value).startswith("f.yaml")


@pytest.mark.parametrize(
    "text, key, line",
    [
        ("datasets:\n- {id: x, label_count: " + "1" * 5000 + "}", "label_count", 2),
        ("a:\n  b: " + "1" * 20, "b", 2),
        ("a: -0x" + "f" * 20, "a", 1),
        ("a: !!int 1:30", "a", 1),
        ("a: 1\nb: 1.0e+400", "b", 2),
        ("a: .inf", "a", 1),
        ("a: [.nan]", "a", 1),
        ('a: {encoding: "utf\\0-8"}', "encoding", 1),
        ("a: 1\nb: 2\na: 1", "a", 3),
        ("- {a: {b: 1,\n  c: 2, b: 1}}", "b", 2),
        ('a: 1\n"a": 1', "a", 2),
        ("{a: &x {b: 1}, c: {<<: *x, b: 2,\n b: 3}}", "b", 2),
        ("a:\n  1: x", "1", 2),
        ("true: x", "true", 1),
        ("2001-01-01: x", "2001-01-01", 1),
        ("a: x\n__use_yte__: true", "__use_yte__", 2),
        ("a: &x {__use_yte__: true}\n<<: *x", "__use_yte__", 1),
    ],
)
def test_yaml_that_is_ambiguous_is_refused_with_its_line_and_key(text, key, line):
    with pytest.raises(UserError) as caught:
        parse_yaml(text, "f.yaml")
    assert caught.value.line == line and f"'{key}'" in str(caught.value) and caught.value.hint


@pytest.mark.parametrize("text", ["? [a, b]\n: 1", "a: &x b\n*x : 1", "? {a: 1}\n: 1", "a: !!set {b}"])
def test_yaml_has_texts_as_keys_and_no_sets(text):
    with pytest.raises(UserError) as caught:
        parse_yaml(text, "f.yaml")
    assert caught.value.line is not None and caught.value.hint


def test_yaml_takes_no_colon_for_the_base_60_and_19_digits_for_a_number():
    text = "a: [1:30, 190:20:30.15, 017, -1_000, " + "9" * 19 + ", 2.5]\nb: {<<: [{c: 1}, {c: 2}], d: 3}"
    assert parse_yaml(text) == {
        "a": ["1:30", "190:20:30.15", 15, -1000, 10**19 - 1, 2.5],
        "b": {"c": 1, "d": 3},
    }


def test_keys_whose_hashes_collide_take_no_time():
    started = time.process_time()
    with pytest.raises(UserError):
        parse_yaml("".join(f"{i * (2**61 - 1)}: x\n" for i in range(1, 30_000)))
    parse_yaml("".join(f"'{i * (2**61 - 1)}': x\n" for i in range(1, 30_000)))
    assert time.process_time() - started < 10


STUDY = """
study: {study}
datasets: [{{id: own, all: d.csv, labels: {labels}{more}}}]
methods: [{{id: relief, name: {method}}}]
evaluators: [{{id: mlnb}}]
"""
LONG = "a" * 300
# What Snakemake would run as Python code while it reads the file.
TEMPLATE = {"study": '"s"\n__use_yte__: true\ntitle: ?open("ran", "w").write("") or "x"'}


def write_study(folder: Path, changed: dict[str, str]) -> None:
    (folder / "d.csv").write_text("a,b,y\n1,2,0\n2,1,1\n3,1,0\n4,5,1\n")
    values = {"study": "s", "labels": "y", "method": "m", "more": ""} | changed
    (folder / "s.yaml").write_text(STUDY.format(**values))


@pytest.mark.parametrize(
    "changed",
    [
        {"study": LONG},
        {"method": LONG},
        {"labels": LONG},
        {"labels": f"[{LONG}]"},
        {"more": f", test: {LONG}"},
        {"more": f", hierarchy: {LONG}"},
        {"more": ', encoding: "utf\\0-8"'},
        {"more": ", id: twice"},
        TEMPLATE,
        {"study": "s\n1: 2"},
    ],
)
def test_a_study_that_is_not_usable_is_refused_before_it_runs(changed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path, changed)
    assert main(["study", "plan", "s.yaml"]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith("mlsieve: ") and "; " in told


@pytest.mark.parametrize("changed", [TEMPLATE, {}, {"labels": LONG}])
def test_neither_does_snakemake_get_it(changed, tmp_path):
    write_study(tmp_path, changed)
    if not changed:  # the folder's own configuration, which Snakemake reads first
        (tmp_path / "config").mkdir()
        (tmp_path / "config/config.yaml").write_text(
            STUDY.format(**TEMPLATE, labels="y", method="m", more="")
        )
    words = [sys.executable, "-m", "mlsieve", "study", "run", "s.yaml", "-n", "--cores", "1"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith("mlsieve: "), done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("changed", ["study", "method", "own"])
def test_names_of_studies_methods_and_datasets_have_200_characters(changed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for length, status in ((200, 0), (201, 2)):
        write_study(tmp_path, {changed: "a" * length})
        if changed == "own":
            text = (tmp_path / "s.yaml").read_text()
            (tmp_path / "s.yaml").write_text(text.replace("id: own", f"id: {'a' * length}"))
        assert main(["study", "plan", "s.yaml"]) == status, capsys.readouterr()
        told = capsys.readouterr().err
        assert not status or (told.startswith("mlsieve: ") and "; " in told)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("c.yaml", ["--snakemake=--configfile c.yaml"]),
        ("c.yaml", ["--snakemake=--keep-going --configfiles=c.yaml"]),
        ("c.yaml", ["--snakemake=-n --configfile s.yaml c.yaml"]),
        ("config/config.yaml", []),
    ],
)
def test_snakemake_gets_no_template_as_configuration(file, words, tmp_path, monkeypatch, capsys):
    write_study(tmp_path, {})
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text('__use_yte__: true\njobs: ?open("ran", "w").write("") or 1\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("Snakemake was started"))
    assert main(["study", "run", "s.yaml", "-n", *words]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith(f"mlsieve: {file}:1") and "; " in told
    assert not (tmp_path / "ran").exists()


def test_an_encoding_with_nul_is_unknown():
    with pytest.raises(UserError) as caught:
        entry_from({"id": "x", "all": "x.csv", "encoding": "utf\0-8"})
    assert caught.value.hint


@pytest.mark.parametrize(
    "name", ["..", ".", "../x", "a/b", "a\\b", "", "x\n", "\x1b[2J", "a" * 300, "/etc/x"]
)
def test_a_files_name_stays_in_its_folder(name):
    with pytest.raises(UserError, match=r"has the name|files? "):
        entry_from({"id": "x", "files": {"all": {"name": name}}})


@pytest.mark.parametrize("id", ["..", ".x", "a/b", "x\n", "a b", "$(x)", "-x", "x;y", ""])
def test_an_id_is_a_word(id):
    with pytest.raises(UserError, match="id is"):
        entry_from({"id": id, "all": "x.arff"})


HOSTILE = [
    "x y",
    "$(touch pwned)",
    "`touch pwned`",
    "a;touch pwned",
    "a'b\"c",
    "a\nb",
    "-o",
    "--name=x",
    "{x}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_study_says_of_a_data_set_is_words_of_its_command(text):
    from mlsieve.cli import command_parser

    said = {"train": text, "test": text, "labels": text, "drop": [text], "nominal": [text]}
    said |= {"class_separator": text, "hierarchy": text, "keep": [text], "missing": [text]}
    said |= {"label_column": text, "positive": text, "separator": text, "encoding": text, "sheet": text}
    words = shlex.split(Data("x", said).prepare_options())
    args = command_parser("prepare").parse_args([*words, "-o", "out"])
    assert args.output == "out" and args.name == "x"
    assert Path(args.data) == Path(text) and args.drop == [text] and args.nominal == [text]
    assert args.test == args.hierarchy == args.class_separator == text and args.labels == [text]
    assert args.label_column == args.positive == args.separator == args.encoding == args.sheet == text
    assert args.keep == [text] and args.missing == [text]


@pytest.mark.parametrize("path", ["{wildcards.dataset}.arff", "a{ x}/b.arff"])
def test_a_path_that_snakemake_takes_for_a_pattern_is_told(path):
    study = {"study": "s", "datasets": [{"id": "own", "train": path, "label_count": 1}]}
    told = [line for line in configuration_errors(study) if "braces" in line]
    assert told and "takes for a wildcard; rename the file" in told[0]


@pytest.mark.parametrize("item", ["mine", {"id": "mine", "drop": ["x1"]}])
def test_so_is_one_of_the_project_s_own_catalog(item, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    Path("config/datasets.yaml").write_text("datasets: [{id: mine, all: 'a{b}.csv', label_count: 1}]")
    told = [line for line in configuration_errors({"study": "s", "datasets": [item]}) if "braces" in line]
    assert told and told[0].startswith(
        "datasets[0]: mine of config/datasets.yaml: all 'a{b}.csv' holds braces"
    )


def test_a_message_is_one_line_that_moves_no_cursor():
    told = str(UserError("label '\x1b[2J\r\nx\u202e' " + "y" * 10_000, file="f\x07", hint="z" * 10_000))
    assert told.startswith(r"f\x07: label '\x1b[2J x\u202e' yyy") and told.isprintable()
    assert len(told) < 4000


CONTROLS = [*map(chr, range(32)), "\x7f", "\x85", "\x9b", "\u2028", "\u2029", "\u202e", "\u2066"]
CONTROLS += ["\u061c", "\u200b", "\u200e", "\u200f", "\u2060", "\ufeff", "\U000e0041"]
ODD = "a\x1b[2J\x9b8m\r\u202eb\u2028c\x07"
SHOWN = r"a\x1b[2J\x9b8m\r\u202eb\u2028c\x07"


@pytest.fixture
def odd_files(tmp_path, monkeypatch):
    """A table and results in which features, a value, labels and methods have control characters."""
    monkeypatch.chdir(tmp_path)
    header = [ODD, "f\ng", "v", f"l{ODD}", "l2"]
    rows = [[i // 2, i * 7 % 5, ["x", "y", ODD][i % 3], int(i > 15), i % 2] for i in range(30)]
    results = [[f"d{d}", m, "f1", (3 * d + len(m)) % 7 / 7] for d in range(6) for m in (f"m{ODD}\nfake", "n")]
    results.insert(0, ["dataset", "method", "measure", "value"])
    for name, table in (("d.csv", [header, *rows]), ("results.csv", results)):
        with open(name, "w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(table)
    assert main(["grow", "d.csv", "--label-count=-2", "--trees=2", "-o", "t.npz"]) == 0
    return tmp_path


PRINTED = {
    "rank": "rank d.csv --label-count=-2 --method uniform",
    "describe": "describe d.csv --label-count=-2 --table features",
    "labels": "describe d.csv --label-count=-2 --table labels",
    "convert": "convert d.csv - --to csv --label-count=-2",
    "show-tree": "show-tree t.npz --depth 9",
    "compare": "compare results.csv",
}
DATA = ("rank", "describe", "labels", "convert")


@pytest.mark.parametrize("what", PRINTED)
def test_a_terminal_shows_names_that_move_no_cursor(what, odd_files, monkeypatch):
    terminal = Terminal()
    with open(os.dup(terminal.writer), "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        patched.setattr(sys, "stderr", stream)
        assert main([*PRINTED[what].split(), "--no-progress"]) == 0
    text = terminal.text().replace("\r\n", "\n")
    assert SHOWN in text and not set(text) & set(CONTROLS) - {"\n", "\t"}


@pytest.mark.parametrize("what", PRINTED)
def test_a_pipe_gets_data_as_they_are_and_words_without_control_characters(what, odd_files, capsys):
    capsys.readouterr()
    assert main(PRINTED[what].split()) == 0
    text, told = capsys.readouterr()
    assert (ODD in text) == (what in DATA) and (SHOWN in text) == (what not in DATA)
    assert told.replace("\n", "").isprintable()


def test_a_file_keeps_names_as_they_are(odd_files):
    words = ["rank", "d.csv", "--label-count=-2", "--method=uniform", "-o", "r.csv"]
    assert main(words) == 0
    assert set(Ranking.from_csv("r.csv").feature_names) == {ODD, "f\ng", "v"}


def test_lines_about_files_and_datasets_are_one_line_each(odd_files, capsys):
    name = f"d{ODD}\nmlsieve: done.csv"
    os.rename("d.csv", name)
    assert main(["describe", name, "--label-count=-2", "-o", f"{name}.out.csv"]) == 0
    assert main(["convert", f"{name}.none", "x.csv"]) == 2
    told = capsys.readouterr().err
    assert told.replace("\n", "").isprintable() and SHOWN in told
    assert not [line for line in told.splitlines() if line.startswith("mlsieve: done")]


def test_the_line_of_progress_moves_no_cursor_but_its_own():
    state = State((ODD,), 0.5, ("1 s left",))
    assert SHOWN in fitted(state, 90, lambda share, columns: "#" * columns)


@pytest.mark.parametrize("letter", CONTROLS[1:])
def test_a_study_s_paths_hold_no_control_characters(letter):
    study = {"study": "s", "datasets": [{"id": "own", "train": f"a{letter}.arff", "label_count": 1}]}
    told = [line for line in configuration_errors(study) if "control characters" in line]
    assert len(told) == 1 and told[0].startswith("datasets[0]") and "rename" in told[0]
    assert told[0].isprintable()


def patterns(schema: object) -> list[dict]:
    """Return all parts of a schema that hold a text to a pattern."""
    if isinstance(schema, list):
        return [found for each in schema for found in patterns(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if isinstance(schema.get("pattern"), str) else []
    return own + [found for each in schema.values() for found in patterns(each)]


def test_names_in_a_configuration_are_words():
    found = patterns(build_schema())
    assert len(found) >= 3  # the study, its datasets, its methods
    for schema in found:
        for text in (*HOSTILE, "x\n", "", "..", "a/b"):
            assert not validator_of({"pattern": schema["pattern"]}).is_valid(text), (schema["pattern"], text)
