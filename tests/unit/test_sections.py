"""Sections of a configuration: schema, defaults, reading and checks of keys follow from typed fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import pytest
from synthetic_study import performance_table

from mlsieve.analysis import Analysis
from mlsieve.cli import main
from mlsieve.configuration import build_schema, configuration_errors
from mlsieve.errors import UserError
from mlsieve.questions.methods.many_labels import ManyLabelsKeys
from mlsieve.questions.methods.selection import SelectionKeys
from mlsieve.registry import Entry, entries
from mlsieve.registry.facts import QuestionFacts
from mlsieve.registry.parameters import AtLeast, AtMost, LessThan, MoreThan, accepted_values, section_schema
from mlsieve.schema_errors import schema_errors
from mlsieve.schemas import SUBSET, Names, named, or_null, read, validator_of


@dataclass(frozen=True)
class Inner:
    file: Annotated[str, Names("file")]
    lines: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Section:
    """A section with a key of each kind."""

    kind: Annotated[Literal["one", "two"], "which of two"] = "one"
    count: Annotated[int, AtLeast(1), AtMost(9)] = 2
    share: Annotated[float, MoreThan(0), LessThan(1)] | None = None
    names: Annotated[tuple[Annotated[str, Names("file")], ...], SUBSET] = ("a",)
    sizes: Annotated[Mapping[Annotated[str, Names("file", also=("default",))], int], or_null] = field(
        default_factory=lambda: {"default": 1}
    )
    inner: Inner | None = None
    not_a_key: int = field(default=0, metadata={"key": False})
    renamed: ClassVar[Mapping[str, str]] = {"number": "count", "nmes": "names"}


def test_a_section_has_a_schema_with_bounds_defaults_and_descriptions():
    schema = section_schema(Section)
    assert set(schema["properties"]) == {"kind", "count", "share", "names", "sizes", "inner"}
    assert schema["properties"]["kind"] == {
        "enum": ["one", "two"],
        "description": "which of two",
        "default": "one",
    }
    assert schema["properties"]["sizes"]["default"] == {"default": 1}
    assert schema["properties"]["names"]["default"] == ["a"]
    assert schema["properties"]["inner"]["required"] == ["file"]


@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        ({}, True),
        ({"kind": "three"}, False),
        ({"count": 9}, True),
        ({"count": 10}, False),
        ({"count": 0}, False),
        ({"count": 2.0}, False),
        ({"count": None}, False),
        ({"share": 0.5}, True),
        ({"share": None}, True),
        ({"share": 0}, False),
        ({"share": 1}, False),
        ({"names": []}, False),
        ({"names": ["a", "a"]}, False),
        ({"names": ["a", 1]}, False),
        ({"sizes": None}, True),
        ({"sizes": {"a": "b"}}, False),
        ({"inner": {"file": "f"}}, True),
        ({"inner": {"lines": [1]}}, False),
        ({"inner": {"file": "f", "other": 1}}, False),
        ({"not_a_key": 1}, False),
        ({"number": 1}, False),
    ],
)
def test_the_schema_of_a_section_accepts_what_its_types_say(given, accepted):
    assert validator_of(section_schema(Section)).is_valid(given) is accepted


def test_reading_makes_tuples_and_sections_and_takes_null_for_the_default():
    assert read(Section, {}) == Section()
    made = read(Section, {"names": ["b", "c"], "sizes": None, "share": None, "elsewhere": 3})
    assert made == Section(names=("b", "c"))
    assert read(Section, {"inner": {"file": "f", "lines": [2, 3]}}).inner == Inner("f", (2, 3))


def test_names_are_found_with_their_paths():
    given = {"names": ["a"], "sizes": {"default": 1, "b": 2}, "inner": {"file": "c"}, "count": "d"}
    found = [(path, name, names.kind) for path, name, names in named(Section, given, "here")]
    assert found == [
        ("here.names", "a", "file"),
        ("here.sizes", "default", "file"),
        ("here.sizes", "b", "file"),
        ("here.inner.file", "c", "file"),
    ]
    assert list(named(Section, {"names": "a", "sizes": ["b"], "inner": None}, "here")) == []


def test_an_old_key_is_refused_with_the_new_one():
    lines = schema_errors(section_schema(Section), {"number": 3, "cuont": 3})
    assert lines == [
        "number: unknown key; it is called 'count'",
        "cuont: unknown key; did you mean 'count'?",
    ]


def test_what_a_key_accepts_in_words():
    properties = section_schema(Section)["properties"]
    assert {key: accepted_values(schema) for key, schema in properties.items()} == {
        "kind": "one or two",
        "count": "integer from 1 to 9",
        "share": "number greater than 0 and less than 1 or none",
        "names": "list of texts",
        "sizes": "mapping of names to integers or none",
        "inner": "mapping or none",
    }


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "number", "minimum": 0, "maximum": 1}, "a number from 0 to 1"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "a number greater than 0 and at most 1"),
        ({"type": ["integer", "null"], "minimum": 2}, "an integer of at least 2 or none"),
        ({"anyOf": [{"type": "integer", "maximum": 5}, {"enum": ["all"]}]}, "an integer of at most 5 or all"),
        ({"type": "array", "items": {"type": "integer"}}, "a list of integers"),
        ({"type": "boolean"}, "true or false"),
        ({"type": ["boolean", "null"]}, "true, false or none"),
        (
            {
                "anyOf": [
                    {"type": "integer", "minimum": 1},
                    {"type": "number", "maximum": 1},
                    {"type": "null"},
                ]
            },
            "an integer of at least 1, a number of at most 1 or none",
        ),
    ],
)
def test_what_a_key_accepts_in_a_sentence(schema, words):
    assert accepted_values(schema, article=True) == words


@dataclass(frozen=True)
class OwnKeys:
    own_number: Annotated[int, AtLeast(1), "a number of the new question"] = 4
    own_dataset: Annotated[str | None, Names("dataset")] = None
    renamed: ClassVar[Mapping[str, str]] = {"its_number": "own_number"}


@pytest.fixture
def own_question(monkeypatch):
    """A question with keys of its own, as one new file registers it."""
    from mlsieve import registry

    entries("question")
    made = Entry("question", "own", lambda *_: None, 1, QuestionFacts(order=99, title="?", settings=OwnKeys))
    monkeypatch.setitem(registry._entries["question"], "own", made)


BASE = {
    "study": "unit",
    "datasets": ["synthetic-linear"],
    "methods": [{"id": "uniform"}],
    "evaluators": [{"id": "weighted-knn"}],
}


def test_a_new_questions_keys_are_checked_and_read_without_a_change_elsewhere(own_question):
    def lines(**section):
        return configuration_errors({**BASE, "analysis": section})

    assert build_schema()["properties"]["analysis"]["properties"]["own_number"]["default"] == 4
    assert lines(own_number=3, own_dataset="synthetic-linear", questions=["own"]) == []
    assert lines(own_number=3, questions=["score"]) == []  # of a question that is not asked
    assert lines(own_number=0) == ["analysis.own_number: 0 is too small; give at least 1"]
    assert lines(own_dataset="nowhere")[0].startswith("analysis.own_dataset: 'nowhere' is not a dataset")
    assert lines(own_numbr=3) == ["analysis.own_numbr: unknown key; did you mean 'own_number'?"]
    assert lines(its_number=3) == ["analysis.its_number: unknown key; it is called 'own_number'"]
    analysis = Analysis.from_mapping({"own_number": 5, "significance": 0.1})
    assert analysis.of(OwnKeys) == OwnKeys(5) and analysis.significance == 0.1
    assert Analysis().of(OwnKeys) == OwnKeys()
    assert analysis.as_mapping()["own_number"] == 5
    with pytest.raises(UserError, match="it is called 'own_number'"):
        Analysis.from_mapping({"its_number": 3})


@pytest.mark.parametrize(
    ("section", "lines"),
    [
        ({"significance": "small"}, ["significance: 'small' is not a number; see config/README.md"]),
        ({"significance": 1.5}, ["significance: 1.5 is too large; give less than 1"]),
        ({"significanse": 0.05}, ["significanse: unknown key; did you mean 'significance'?"]),
        ({"zeros": "splitt"}, ["zeros: unknown value 'splitt'; did you mean 'split'?"]),
        ({"questions": ["scoer"]}, ["questions[0]: unknown value 'scoer'; did you mean 'score'?"]),
        ({"questions": "score"}, ["questions: 'score' is not a list; write [score]"]),
        ({"questions": []}, ["questions: the list is empty; name at least one"]),
        ({"rounding": {"decimals": -1}}, ["rounding.decimals: -1 is too small; give at least 0"]),
        ({"rounding": {}}, ["rounding: the mapping is empty; give it a key"]),
        (
            {"rounding": {"decimals": 1, "significant": 2}},
            ["rounding: {'decimals': 1, 'significant': 2} has 2 keys; give at most 1"],
        ),
        (
            {"rounding": "3"},
            ["rounding: '3' is not accepted; give none, an integer from 0 to 15 or a mapping"],
        ),
        ({"column_order": {"trees": 0}}, ["column_order.trees: 0 is too small; give at least 1"]),
        (
            {"choice": "owm", "zeros": 4},
            [
                "choice: unknown value 'owm'; did you mean 'own'?",
                "zeros: unknown value 4; known: pratt, split, wilcox",
            ],
        ),
    ],
)
def test_an_analysis_by_itself_is_refused_with_the_words_of_a_study(section, lines, tmp_path, capsys):
    lines = [f"analysis.{line}" for line in lines]
    assert configuration_errors({**BASE, "analysis": section}) == lines
    table, file = tmp_path / "performance.csv", tmp_path / "a.json"
    performance_table(3, ("f1",), (10,)).to_csv(table, index=False)
    file.write_text(json.dumps(section))
    assert main(["compare", str(table), "--analysis", str(file), "-o", str(tmp_path)]) == 2
    more = f" (also: {'; '.join(lines[1:])})" if lines[1:] else ""
    assert capsys.readouterr().err == f"mlsieve: {file}: {lines[0]}{more}\n"


def test_an_analysis_is_read_again_as_it_was_written():
    analysis = Analysis.from_mapping(
        {
            "rounding": {"significant": 3},
            "many_labels": ["bibtex"],
            "worked_example": {"dataset": "bibtex", "features": [0, 3]},
            "column_order": {"trees": 5, "scores": ["genie3"]},
        }
    )
    again = Analysis.from_mapping(json.loads(json.dumps(analysis.as_mapping())))
    assert again.as_mapping() == analysis.as_mapping()
    assert again.of(ManyLabelsKeys).many_labels == ("bibtex",)
    example = again.of(SelectionKeys).worked_example
    assert example is not None and (example.iterations, example.features) == (2, (0, 3))


def test_no_two_questions_have_a_key_of_one_name():
    keys = [
        key
        for entry in entries("question").values()
        if entry.facts.settings
        for key in section_schema(entry.facts.settings)["properties"]
    ]
    keys += section_schema(Analysis)["properties"]
    assert len(set(keys)) == len(keys)
