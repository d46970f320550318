"""A study's dataset and a catalog's entry say of their files what the options of a command say."""

from __future__ import annotations

import argparse
import json
import shlex

import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.cli._options import add_file_arguments
from mlsieve.configuration import configuration_errors
from mlsieve.data import load_dataset
from mlsieve.data.catalog import DatasetEntry, entry_from
from mlsieve.errors import UserError
from mlsieve.schemas import keys_of
from mlsieve.study import Study
from mlsieve.study.parts import entry_text
from mlsieve.study.settings import OwnData

pytestmark = pytest.mark.usefixtures("elsewhere")

SETS = ["sea;beach", "beach", "", "sea", "hill", "hill;sea"] * 5
COLUMN = "tags;rain;wind;id\n" + "".join(
    f"{tags.replace(';', '+')};{i % 7},5;{'-' if i % 9 == 4 else f'{i % 4},25'};n{i}\n"
    for i, tags in enumerate(SETS)
)
FLAGS = "rain,likes_sea,likes_hill,hates_rain\n" + "".join(
    f"{i % 7},{'yn'[i % 2]},{'yn'[i % 3 > 0]},{'yn'[i % 5 > 0]}\n" for i in range(30)
)
OF_COLUMN = {
    "label_column": "tags",
    "label_separator": "+",
    "separator": ";",
    "decimal": ",",
    "missing": ["-"],
    "drop": ["id"],
}
OF_FLAGS = {"labels": ["likes_*", "hates_rain"], "positive": "y"}
CASES = {
    "a column of sets": ("column.csv", OF_COLUMN),
    "names and patterns": ("flags.csv", OF_FLAGS),
    "names in one text": (
        "flags.csv",
        {"labels": "likes_sea, likes_hill", "drop": ["hates_rain"], "positive": "y"},
    ),
    "some features": ("flags.csv", {"labels": "likes_*", "keep": ["rain"], "positive": "y"}),
    "no header": ("plain.txt", {"format": "csv", "header": False, "separator": "tab", "label_count": -1}),
    "an encoding": ("latin.csv", {"encoding": "latin-1", "labels": "küste"}),
}


@pytest.fixture
def files(elsewhere):
    (elsewhere / "column.csv").write_text(COLUMN)
    (elsewhere / "flags.csv").write_text(FLAGS)
    (elsewhere / "plain.txt").write_text("".join(f"{i % 7}\t{i % 5}\t{i % 2}\n" for i in range(20)))
    text = "küste,regen,wind\n" + "".join(f"{i % 2},{i},{i % 5}\n" for i in range(20))
    (elsewhere / "latin.csv").write_bytes(text.encode("latin-1"))
    return elsewhere


def study_of(*datasets):
    return {
        "study": "s",
        "datasets": list(datasets),
        "methods": [{"id": "uniform"}],
        "evaluators": [{"id": "weighted-knn", "params": {"k": 3}}],
    }


def same(found, expected):
    assert found.feature_names == expected.feature_names and found.label_names == expected.label_names
    np.testing.assert_array_equal(found.X, expected.X)
    np.testing.assert_array_equal(found.Y.toarray(), expected.Y.toarray())


@pytest.mark.parametrize("case", CASES)
def test_an_entry_reads_what_the_options_read(files, case):
    """In Python, in config/datasets.yaml, and as the rule of a study prepares it."""
    file, options = CASES[case]
    expected = load_dataset(file, **options)
    entry = {"id": "mine", "all": file, **options}
    same(load_dataset(entry), expected)
    assert configuration_errors(study_of(entry)) == []
    [data] = Study(study_of(entry), cache="cache").content.datasets.values()
    assert Study(study_of(entry), cache="cache").content.own_files(data) == [file]
    assert main(["prepare", *shlex.split(data.prepare_options()), "-o", "mine.npz"]) == 0
    same(load_dataset("mine.npz"), expected)
    (files / "config").mkdir()
    (files / "config" / "datasets.yaml").write_text(json.dumps({"datasets": [entry]}))
    same(load_dataset("mine"), expected)
    assert configuration_errors(study_of("mine")) == []


def test_the_data_are_as_they_were_meant(files):
    dataset = load_dataset({"id": "mine", "all": "column.csv", **OF_COLUMN})
    assert dataset.feature_names == ("rain", "wind") and set(dataset.label_names) == {"sea", "beach", "hill"}
    assert dataset.X[1, 0] == 1.5 and dataset.X[1, 1] == 1.25 and np.isnan(dataset.X[4, 1])
    rows = [{dataset.label_names[j] for j in dataset.Y[[i]].indices} for i in range(6)]
    assert rows == [set(filter(None, tags.split(";"))) for tags in SETS[:6]]


def test_every_option_of_a_file_is_a_key_of_an_entry():
    parser = argparse.ArgumentParser()
    add_file_arguments(parser)
    options = {action.dest for action in parser._actions} - {"help"}
    in_study = {key.name for key in keys_of(OwnData)}
    in_catalog = {*DatasetEntry.__dataclass_fields__, "labels", "test", "hierarchy"}
    assert options <= in_study and options <= in_catalog, options - (in_study & in_catalog)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"labels": ["likes_sea", 3]}, "labels is ['likes_sea', 3]; give a list of names"),
        ({"positive": 1}, "positive is 1; give a text, in quotes"),
        ({"header": "no"}, "header is 'no'; write true or false"),
        ({"separator": "::"}, "separator '::' is not one character; give one character, or tab or space"),
        ({"decimal": "."}, None),
        ({"decimal": ";"}, "decimal mark ';' is neither . nor ,; give '.' or ','"),
        ({"encoding": "utf-9"}, "utf-9"),
        ({"missing": "-"}, "missing is '-'; give a list of names"),
        ({"label_separator": "+"}, "label_separator without label_column; name the column"),
        ({"format": "mulan", "decimal": ","}, "decimal with format mulan; leave it out"),
        (
            {"format": "clus", "labels": None, "label_column": "tags"},
            "label_column with format clus; leave it out",
        ),
        ({"format": "clus"}, "labels with format clus; leave it out"),
        ({"label_names": ["a"]}, "unknown key 'label_names'"),
    ],
)
def test_what_an_entry_may_not_say(change, words):
    entry = {"id": "mine", "all": "flags.csv", "labels": "likes_*", **change}
    if words is None:
        assert entry_from(entry).decimal == "."
        return
    with pytest.raises(UserError) as refused:
        entry_from(entry)
    assert words in str(refused.value)


def test_labels_are_given_in_one_way(files):
    given = {"labels": "likes_*", "label_count": -3, "label_column": "rain"}
    for one, other in (
        ("labels", "label_count"),
        ("labels", "label_column"),
        ("label_count", "label_column"),
    ):
        entry = {"id": "mine", "all": "flags.csv", one: given[one], other: given[other]}
        assert configuration_errors(study_of(entry)) == [
            f"datasets[0]: both {one} and {other} are given; give one of them"
        ]
    file = {"train": "flags.csv", "labels": "labels.xml"}
    with pytest.raises(UserError, match="labels are given by a file and by names"):
        entry_from({"id": "mine", "files": file, "labels": ["rain"]})


@pytest.mark.parametrize(
    "options, words",
    [
        ({"labels": "lieks_sea"}, "flags.csv: no column 'lieks_sea'; did you mean 'likes_sea'?"),
        ({"labels": ["likes_*", "love_*"]}, "flags.csv: no column 'love_*'"),
        ({"label_column": "tag"}, "flags.csv: no column 'tag'"),
    ],
)
def test_a_study_notices_wrong_columns_before_its_first_job(files, options, words):
    [line] = configuration_errors(study_of({"id": "mine", "all": "flags.csv", **options}))
    assert line.startswith(f"datasets[0]: {words}")


def test_an_entry_without_these_keys_keeps_the_text_that_decides_reruns(files):
    plain = {"id": "mine", "all": "plain.txt", "format": "csv", "label_count": -1}
    said = set(json.loads(entry_text(entry_from(plain))))
    assert not said & {"label_names", "header", "sheet", "positive", *OF_COLUMN.keys() - {"drop"}}
    texts = {
        entry_text(entry_from({**plain, **options}))
        for options in ({}, {"header": False}, {"header": True}, {"separator": "tab"}, {"positive": "1"})
    }
    assert len(texts) == 5
