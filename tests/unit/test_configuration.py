"""What a configuration's errors say: labels of own data, missing files, texts where mappings belong."""

from __future__ import annotations

import copy
import datetime
import gzip
import json
import lzma
import time

import pytest

from mlsieve.configuration import configuration_errors, load_configuration
from mlsieve.configuration.check import ConfigurationErrors, require_valid
from mlsieve.configuration.command_line import typed
from mlsieve.data import load_dataset
from mlsieve.errors import UserError
from mlsieve.registry import check_parameters
from mlsieve.schema_errors import MOST_ERRORS, schema_errors

BASE = {
    "study": "unit",
    "datasets": ["synthetic-linear"],
    "methods": [{"id": "pct", "sizes": [25, 10]}, {"id": "uniform"}],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 15}}],
}


def changed(**values: object) -> dict:
    return {**copy.deepcopy(BASE), **values}


def own_arff(relation):
    return f"% a note\n@relation {relation}\n@attribute l {{0,1}}\n@attribute a numeric\n@data\n1,2\n"


@pytest.mark.parametrize(
    ("entry", "says_nothing"),
    [
        ({"format": "mulan", "train": "plain.arff"}, True),
        ({"train": "plain.arff"}, True),
        ({"train": "plain.arff.xz"}, True),
        ({"format": "meka", "all": "plain.arff"}, True),
        ({"all": "table.csv"}, True),
        ({"format": "csv", "all": "gone.csv"}, True),
        ({"format": "mulan", "train": "gone.arff"}, False),
        ({"format": "meka", "train": "gone.arff"}, False),
        ({"format": "meka", "train": "meka.arff"}, False),
        ({"train": "meka.arff"}, False),
        ({"train": "long.arff.xz"}, False),
        ({"train": "endless.arff.gz"}, False),
        ({"train": "plain.arff", "label_count": 1}, False),
        ({"train": "plain.arff", "labels": "labels.xml"}, False),
        ({"train": "genes.arff"}, False),
        ({"format": "clus", "all": "gone.arff"}, False),
    ],
)
def test_own_data_say_which_attributes_are_labels(entry, says_nothing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.arff").write_text(own_arff("plain"))
    (tmp_path / "plain.arff.xz").write_bytes(lzma.compress(own_arff("plain").encode()))
    (tmp_path / "meka.arff").write_text(own_arff("'m: -C 1'"))
    long = b"% a long note\n" * 20_000 + own_arff("'m: -C 1'").encode()
    (tmp_path / "long.arff.xz").write_bytes(lzma.compress(long))
    (tmp_path / "endless.arff.gz").write_bytes(gzip.compress(b"%" * (1 << 25) + b"\n@relation plain\n"))
    (tmp_path / "table.csv").write_text("l,a\n1,2\n")
    genes = "@relation g\n@attribute a numeric\n@attribute 'a class' hierarchical 1,1/2\n@data\n2,1\n"
    (tmp_path / "genes.arff").write_text(genes)
    lines = configuration_errors(changed(datasets=["digits-mlc", {"id": "mine", **entry}]))
    told = [line for line in lines if "does not say which attributes are labels; give labels:" in line]
    assert len(told) == len(lines) == says_nothing
    assert all(line.startswith("datasets[1]: ") for line in lines)


def test_labels_missing_files_and_doubled_methods_are_told_with_all_other_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.arff").write_text(own_arff("plain"))
    (tmp_path / "cut.arff.xz").write_bytes(lzma.compress(own_arff("plain").encode())[:40])
    own = [
        {"id": "a", "format": "mulan", "train": "plain.arff"},
        {"id": "b", "train": "gone.arff", "label_count": 1},
        {"id": "c", "train": "cut.arff.xz"},
        {"id": "d", "train": "plain.arff", "label_count": 1, "labels": "plain.arff"},
    ]
    methods = [{"id": "uniform"}, {"id": "uniform"}]
    with pytest.raises(ConfigurationErrors) as told:
        require_valid(changed(seed=-1, datasets=own, methods=methods))
    beginnings = (
        "datasets[0]: plain.arff does not say",
        "datasets[2]: cut.arff.xz: damaged or truncated",
        "datasets[3]: both labels and label_count",
        "datasets[1].train: no such file: gone.arff",
        "methods[1]: uniform is already in methods[0]",
        "seed: -1 is too small",
    )
    assert len(told.value.lines) == len(beginnings), told.value.lines
    for line, beginning in zip(told.value.lines, beginnings, strict=True):
        assert line.startswith(beginning)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            {"label_count": 0},
            "datasets[0].label_count: 0 is not accepted; give another: the first N attributes",
        ),
        (
            {"train": "zero.arff"},
            "datasets[0]: zero.arff: '-C 0' in the relation's name: no attribute is a label",
        ),
        (
            {"nominal": ["l"]},
            "datasets[0]: meka.arff: nominal does not apply to an ARFF file; leave it out",
        ),
        (
            {"train": "table.csv", "label_count": 1, "nominal": ["age", "agee"]},
            "datasets[0]: table.csv: no column 'agee'; did you mean 'age'?",
        ),
        (
            {"train": "table.csv", "label_count": 1, "nominal": ["nope"]},
            "datasets[0]: table.csv: no column 'nope'; the columns are ",
        ),
        (
            {"train": "empty.csv", "label_count": 1, "nominal": ["a"]},
            "datasets[0]: empty.csv: has no header row",
        ),
        ({"train": "table.csv", "label_count": 1, "nominal": ["age"]}, None),
        ({"train": "gone.csv", "label_count": 1, "nominal": ["age"]}, None),
    ],
)
def test_labels_and_nominal_columns_of_own_data_are_checked(entry, expected, tmp_path, monkeypatch):
    """Of entries in the study, and of those in config/datasets.yaml that it names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meka.arff").write_text(own_arff("'m: -C 1'"))
    (tmp_path / "zero.arff").write_text(own_arff("'m: -C 0'"))
    (tmp_path / "table.csv").write_text("l,age\n1,2\n")
    (tmp_path / "empty.csv").write_text("")
    own = {"id": "mine", "train": "meka.arff", **entry}
    lines = configuration_errors(changed(datasets=[own]))
    assert len(lines) == (expected is not None)
    assert all(line.startswith(expected) for line in lines)
    (tmp_path / "config").mkdir()
    format = "csv" if own["train"].endswith(".csv") else "mulan"
    (tmp_path / "config" / "datasets.yaml").write_text(json.dumps({"datasets": [{"format": format, **own}]}))
    if own.get("label_count") == 0:
        with pytest.raises(
            UserError, match=r"datasets\.yaml: dataset 'mine': label_count is 0; give a number"
        ):
            configuration_errors(changed(datasets=["mine"]))
        return
    known = configuration_errors(changed(datasets=["mine"]))
    assert known == [line.replace(": ", ": mine of config/datasets.yaml: ", 1) for line in lines]


def test_known_data_without_labels_are_told_where_a_study_names_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLSIEVE_MIRROR", raising=False)
    folder = tmp_path / "mirror" / "mulan" / "there"
    folder.mkdir(parents=True)
    (folder / "all.arff").write_text(own_arff("plain"))
    (tmp_path / "config").mkdir()
    files = "files: {all: {name: all.arff}}"
    (tmp_path / "config" / "datasets.yaml").write_text(
        f"datasets: [{{id: own, format: csv, all: gone.csv}}, {{id: there, {files}}}, {{id: away, {files}}}]"
    )
    lines = configuration_errors(changed(datasets=["own", "there", "away"], mirror="mirror"))
    assert [line.partition("; ")[0] for line in lines] == [
        "datasets[0]: own of config/datasets.yaml: gone.csv does not say which attributes are labels",
        "datasets[1]: there of config/datasets.yaml: mirror/mulan/there/all.arff does not say which"
        " attributes are labels",
    ]
    assert configuration_errors(changed(datasets=["there"], mirror="nowhere")) == []


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("gone.arff", None, []),
        ("empty.arff", b"", ["empty.arff:1: is not an ARFF file: it is empty; the file may be truncated"]),
        ("empty.arff.gz", b"", ["empty.arff.gz: truncated file: 0 bytes are left of it"]),
        (
            "cut.arff.gz",
            gzip.compress(b"% note\n" * 99)[:30],
            ["cut.arff.gz: damaged or truncated gzip"],
        ),
        ("zero.arff", b"@relation r\0", ["zero.arff:1: is not a text file"]),
        ("latin.arff", b"\xef\xbb\xbf% a\n% \xe9\n", ["latin.arff:2: is not UTF-8 text (byte 0xe9)"]),
        ("no.arff", b"l,a\n1,2\n", ["no.arff:1: is not an ARFF file: it does not begin with @relation"]),
    ],
)
def test_a_file_that_cannot_be_read_is_told_as_by_its_reader(name, content, expected, tmp_path, monkeypatch):
    """And once: a missing file, or a folder, is told with all other missing files."""
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UserError) as refused:
            load_dataset(name)
        assert str(refused.value).startswith(expected[0])
    lines = configuration_errors(changed(datasets=[{"id": "mine", "train": name}]))
    assert len(lines) == len(expected)
    assert all(line.startswith(f"datasets[0]: {text}") for line, text in zip(lines, expected, strict=True))
    (tmp_path / "folder").mkdir()
    assert configuration_errors(changed(datasets=[{"id": "mine", "train": "folder"}])) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            {"split": "holdout"},
            "split: 'holdout' is not a mapping; write {kind: holdout}; on the command line"
            " --config 'split={kind: holdout}', in quotes, with a space after each ':'",
        ),
        (
            {"split": "{kind: holdout"},
            "split: '{kind: holdout' is not a mapping; write {kind: official}; on the command line",
        ),
        ({"split": "null"}, "split: 'null' is not a mapping; write {kind: official}; on the command line"),
        ({"split": None}, "split: null is not a mapping; write {kind: official}; on the command line"),
        (
            {"methods": "unifrom"},
            "methods: 'unifrom' is not a list; write [{id: uniform}]; on the command line",
        ),
        (
            {"split": {"kind:holdout": ""}},
            "split: {kind:holdout} is not a mapping of keys; write a space after the ':'",
        ),
        (
            {"datasets": "digits-mlc,emotions"},
            "datasets: 'digits-mlc,emotions' is not a list; write [digits-mlc, emotions]; on the command line"
            " --config 'datasets=[digits-mlc, emotions]'",
        ),
        (
            {"methods": "uniform"},
            "methods: 'uniform' is not a list; write [{id: uniform}]; on the command line",
        ),
        ({"methods": ["uniform"]}, "methods[0]: 'uniform' is not a mapping; write {id: uniform}"),
        (
            {"leave_out": "emotions"},
            "leave_out: 'emotions' is not a list; write [{datasets: [emotions], reason: ...}]",
        ),
        ({"figures": "svg, png"}, "figures: 'svg, png' is not a mapping; write {formats: [svg, png]}"),
    ],
)
def test_a_text_where_a_mapping_or_list_belongs_is_told_with_how_to_write_it(values, expected):
    lines = configuration_errors(changed(**values))
    assert len(lines) == 1 and lines[0].startswith(expected), lines


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"title": 3.0}, 'title: 3.0 is not a text; put it in quotes: "3.0"'),
        ({"mirror": 1.5}, 'mirror: 1.5 is not a text or null; put it in quotes: "1.5"'),
        (
            {"title": datetime.date(2024, 1, 2)},
            'title: 2024-01-02 is not a text; put it in quotes: "2024-01-02"',
        ),
        ({"title": True}, "title: true is not a text; put it in quotes"),
        ({"study": 1.0}, "study: 1.0 is not a text; use letters, digits, '_' and '-', at most 200 of them"),
        (
            {"leave_out": [{"datasets": ["synthetic-linear"], "reason": 2.5}]},
            'leave_out[0].reason: 2.5 is not a text; put it in quotes: "2.5"',
        ),
    ],
)
def test_a_number_where_a_text_belongs_is_told_to_stand_in_quotes(values, expected):
    assert configuration_errors(changed(**values)) == [expected]
    assert configuration_errors(changed(title="3.0", mirror="1.5")) == []


def test_a_number_of_the_command_line_is_a_text_where_one_belongs():
    """Quotes around it do not get through Snakemake."""
    given = {"title": 3.0, "mirror": 1.5, "description": 7}
    result = typed(changed(**given), given)
    assert [result[key] for key in given] == ["3.0", "1.5", "7"]
    assert configuration_errors(result) == []
    told = configuration_errors(typed(changed(study=1.0), {"study": 1.0}))
    assert told == [
        "study: '1.0' is not a usable name; use letters, digits, '_' and '-', at most 200 of them"
    ]


def test_values_of_the_command_line_get_their_types_and_those_of_files_keep_theirs():
    as_texts = {
        "split": {"kind": "holdout", "repeats": "3"},
        "methods": [
            {"id": "pct", "sizes": ["2", "3"], "ensemble_params": {"bootstrap": "false", "min_leaf": "2.5"}}
        ],
        "analysis": {"rounding": {"significant": "3"}, "significance": "0.1"},
        "mirror": "null",
        "study": 5,
    }
    result = typed(changed(**as_texts), as_texts)
    assert result["split"] == {"kind": "holdout", "repeats": 3}
    assert result["methods"][0]["sizes"] == [2, 3]
    assert result["methods"][0]["ensemble_params"] == {"bootstrap": False, "min_leaf": 2.5}
    assert result["analysis"] == {"rounding": {"significant": 3}, "significance": 0.1}
    assert result["mirror"] is None and result["study"] == "5"
    assert configuration_errors(result) == []
    assert typed(changed(**as_texts), {}) == changed(**as_texts)
    assert typed(changed(split={"repeats": "many"}), {"split": {}})["split"] == {"repeats": "many"}


@pytest.mark.parametrize("text", [False, True], ids=["of a file", "of the command line"])
def test_a_whole_number_with_a_point_is_no_integer(text):
    number = str if text else float
    values = {
        "split": {"repeats": number(2.0)},
        "methods": [{"id": "pct", "sizes": [number(10.0)], "ensemble_params": {"min_leaf": number(2.5)}}],
        "evaluators": [{"id": "weighted-knn", "params": {"k": number(5.0)}}],
        "analysis": {"rounding": number(3.0), "significance": number(0.1)},
    }
    lines = configuration_errors(typed(changed(**values), values if text else {}))
    told = [(line.split(":")[0], line.rpartition("; ")[2]) for line in lines]
    assert told == [
        ("methods[0].sizes[0]", "write 10"),
        ("evaluators[0].params.k", "write 5"),
        ("split.repeats", "write 2"),
        ("analysis.rounding", "write 3"),
    ]
    with pytest.raises(UserError, match=r"k = 5\.0 is not accepted; give an integer of at least 1"):
        check_parameters("evaluator", "weighted-knn", {"k": 5.0})


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({"families": ["paper", "paper"]}, "analysis.families: a value is listed twice"),
        ({"measures": []}, "analysis.measures"),
        (
            {"measures": ["f1", "f2"]},
            "analysis.measures: 'f2' is not a measure of the study; known: accuracy",
        ),
        (
            {"unweighted": "unifrom"},
            "analysis.unweighted: 'unifrom' is not a method without an ensemble; did you",
        ),
        ({"rival": "pct"}, "analysis.rival: 'pct' is not a method without an ensemble"),
        ({"paper_methods": ["bagging/gini"]}, "analysis.paper_methods: 'bagging/gini' is not a method"),
        ({"paper_sizes": {"bagging": 10}}, "analysis.paper_sizes: 'bagging' is not a method"),
        ({"paper_ensembles": {"gini": "bagging"}}, "analysis.paper_ensembles: 'gini' is not a score"),
        (
            {"paper_ensembles": {"genie3": "forest"}},
            "analysis.paper_ensembles.genie3: 'forest' is not an ensemble",
        ),
        ({"domains": {"nothere": "fam"}}, "analysis.domains: 'nothere' is not a dataset"),
        ({"differing": ["nothere"]}, "analysis.differing: 'nothere' is not a dataset"),
        ({"definition": "sklearn"}, "analysis.definition: no measure is computed as 'sklearn'"),
        (
            {"reference_method": "slcs"},
            "analysis.reference_method: 'slcs' is not a method without an ensemble; did you",
        ),
        ({"baselines": ["no-labels"]}, "analysis.baselines: 'no-labels' is not a method without an ensemble"),
        ({"many_labels": ["nothere"]}, "analysis.many_labels: 'nothere' is not a dataset"),
        ({"control": "scls"}, "analysis.control: unknown key; it is called 'reference_method'"),
        ({"controls": ["random"]}, "analysis.controls: unknown key; it is called 'baselines'"),
        ({"reference": "uniform"}, "analysis.reference: unknown key; it is called 'unweighted'"),
        ({"related": {"yeast": "x"}}, "analysis.related: unknown key; it is called 'domains'"),
        ({"many_labels_rivals": ["amy"]}, "analysis.many_labels_rivals: 'amy' is not a method"),
        ({"replacements": {"amy": "mdmr"}}, "analysis.replacements: 'amy' is not a method"),
        ({"replacements": {"mdmr": "amy"}}, "analysis.replacements.mdmr: 'amy' is not a method"),
        (
            {"worked_example": {"dataset": "nothere"}},
            "analysis.worked_example.dataset: 'nothere' is not a dataset",
        ),
    ],
)
def test_names_of_the_analysis_that_nothing_matches_are_told(section, expected):
    found = configuration_errors(changed(analysis=section))
    assert len(found) == 1 and found[0].startswith(expected), found


def test_the_analysis_may_name_what_the_study_is_without():
    section = {
        "unweighted": "random",
        "rival": "relief",
        "paper_methods": ["bagging/genie3", "relief"],
        "paper_sizes": {"default": 10, "extra-trees/symbolic": 50},
        "paper_ensembles": {"permutation": "bagging"},
        "domains": {"synthetic-linear": "made", "yahoo_arts": "yahoo"},
        "differing": ["synthetic-linear"],
        "measures": ["f1"],
        "definition": "clus",
        "reference_method": "scls",
        "baselines": ["no-label", "random"],
        "many_labels": ["bibtex"],
        "many_labels_rivals": ["ami"],
        "replacements": {"ami": "scls"},
        "worked_example": {"dataset": "bibtex", "iterations": 2, "features": [0, 381]},
    }
    assert configuration_errors(changed(analysis=section)) == []


def test_the_analysis_may_use_the_names_that_the_study_gives():
    methods = [{"id": "ami"}, {"id": "ami", "name": "ami-printed", "params": {"form": "printed"}}]
    section = {
        "replacements": {"ami": "ami-printed"},
        "reference_method": "ami-printed",
        "paper_methods": ["ami-printed"],
    }
    assert configuration_errors(changed(methods=methods, analysis=section)) == []
    assert len(configuration_errors(changed(analysis=section))) == 3


def test_another_study_does_not_take_the_default_studys_title(tmp_path):
    default, own = tmp_path / "default.yaml", tmp_path / "own.yaml"
    default.write_text("study: quickstart\ntitle: Quick\ndescription: Small sets\nseed: 3\n")
    own.write_text("study: mine\n")
    assert load_configuration(own, default=default) == {"study": "mine", "seed": 3}
    own.write_text("study: mine\ntitle: Mine\n")
    assert load_configuration(own, default=default) == {"study": "mine", "title": "Mine", "seed": 3}
    assert load_configuration(default=default)["title"] == "Quick"


@pytest.mark.parametrize(
    "value", [5, 0.5, True, None, "all", "x", [], [5], [[]], [None], {}, {"a": 5}, {"a": []}]
)
def test_an_analysis_of_any_shape_is_told_in_lines(value):
    keys = ["unweighted", "rival", "paper_methods", "paper_sizes", "paper_ensembles", "domains", "differing"]
    keys += [
        "reference_method",
        "baselines",
        "many_labels",
        "many_labels_rivals",
        "replacements",
        "worked_example",
    ]
    for key in [*keys, "measures", "definition", "families", "questions"]:
        found = configuration_errors(changed(analysis={key: value}))
        assert all("\n" not in line and line.startswith("analysis") for line in found)
    assert isinstance(configuration_errors(changed(analysis=value)), list)
    configuration_errors(changed(measures=value, analysis={"measures": ["f1"]}, definition=value))


def test_measures_of_hierarchies_need_a_data_set_with_one():
    named = {"measures": ["hierarchical-f1", "pooled-auprc"]}
    told = "measures: hierarchical-f1 needs a hierarchy of classes, and no dataset has one; leave it out"
    assert configuration_errors(changed(**named)) == [told]
    assert configuration_errors(changed(**named, datasets=["synthetic-linear", "digits-hmlc"])) == []
    assert configuration_errors(changed(measures="all")) == []


@pytest.mark.parametrize(
    ("values", "twice"),
    [
        ([1, 1.0], True),
        ([1, True], False),
        ([0, False, None, ""], False),
        ([{"k": [1, {"p": 0}]}, {"k": [1.0, {"p": 0.0}]}], True),
        ([{"k": [True]}, {"k": [1]}], False),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], True),
        ([["a", "b"], ["b", "a"]], False),
        ([[], {}], False),
        ([datetime.date(2001, 1, 1), "2001-01-01"], False),
    ],
)
def test_values_are_listed_twice_if_json_takes_them_for_the_same(values, twice):
    lines = schema_errors({"uniqueItems": True}, values)
    assert lines == [f"a value is listed twice in {values!r}; list it once"] * twice


def test_a_long_list_of_mappings_is_checked_in_linear_time():
    values = [{"a": number, "b": [number]} for number in range(20_000)]
    begun = time.process_time()
    assert schema_errors({"uniqueItems": True}, values) == []
    assert time.process_time() - begun < 5  # each with each: minutes


@pytest.mark.parametrize(
    "values",
    [
        {"measures": [{"a": number} for number in range(300)]},
        {"datasets": [f"sunthetic-{number}" for number in range(300)]},
        {"methods": [{"id": "uniform"}] * 300},
        {"datasets": [{"id": f"d{number}", "train": "gone.csv", "label_count": 1} for number in range(300)]},
        {f"measure{number}": 1 for number in range(300)},
    ],
    ids=["schema", "datasets", "methods", "files", "keys"],
)
def test_the_first_errors_of_very_many_are_listed(values):
    with pytest.raises(ConfigurationErrors, match="at least 100 more") as told:
        require_valid(changed(**values))
    assert len(told.value.lines) == MOST_ERRORS + 1 == len(set(told.value.lines))
    assert told.value.lines[-1] == "these are 100 of its errors; correct them to see the others"
