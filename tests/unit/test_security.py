"""No code comes from data or configuration, and no name in them reaches a shell as more than a word."""

from __future__ import annotations

import ast
import shlex
from pathlib import Path

import pytest

import mlsieve
from mlsieve.configuration.check import configuration_errors
from mlsieve.configuration.schema import build_schema
from mlsieve.data.catalog import entry_from
from mlsieve.errors import UserError
from mlsieve.files.yaml import parse_yaml
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
    known = {"files/yaml.py": ["yaml.load"]}  # it is given the safe loader, as the next tests show
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


@pytest.mark.parametrize(
    "text, problem, line",
    [
        ("a:\n  " + "[" * 100_000, "nested in more than 100 levels", 2),
        ("a: &x\n  - *x", "is within what it refers to", 2),
        (
            "- &a0 [1, 2]\n" + "".join(f"- &a{i + 1} [*a{i}, *a{i}]\n" for i in range(40)),
            "expands to more than 1,000,000 values",
            18,
        ),
        ("a: 2001-99-99", "month must be in 1..12", None),
        ("a: " + "1" * 5000, "Exceeds the limit", None),
        ("a: !!timestamp x", "a value is not what it looks like", None),
        ("a: [1, 2\nb: 3", "expected", 2),
    ],
)
def test_yaml_that_is_too_much(text, problem, line):
    with pytest.raises(UserError, match=problem) as caught:
        parse_yaml(text, "f.yaml")
    assert caught.value.line == line and str(caught.value).startswith("f.yaml")


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
