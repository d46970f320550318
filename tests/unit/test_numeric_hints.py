"""Advice on numbers that can be followed: what a refusal suggests is accepted."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.cli import main
from mlsieve.configuration.schema import build_schema
from mlsieve.data.labels import label_columns
from mlsieve.errors import UserError
from mlsieve.rankers import PCTForestRanker
from mlsieve.registry import entries, lookup
from mlsieve.registry.parameters import accepts, check_values
from mlsieve.schema_errors import schema_errors
from mlsieve.schemas import validator_of
from mlsieve.trees.scores import importances

KINDS = ("ranker", "evaluator", "chain")
BOUNDS = {"minimum": -1, "exclusiveMinimum": -1, "maximum": 1, "exclusiveMaximum": 1}
ADVICE = re.compile(r"(at least|at most|from|to|greater than|more than|less than) (-?[\d.]+(?:e[+-]?\d+)?)")
STRICT = {"greater than": 1, "more than": 1, "less than": -1}


def bounded(schema):
    """Yield each part of a schema that bounds a number."""
    if isinstance(schema, dict):
        if BOUNDS.keys() & schema.keys():
            yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from bounded(part)


def beyond(schema):
    """Yield a number outside each bound of a schema."""
    for key in BOUNDS.keys() & schema.keys():
        step = 0 if key.startswith("exclusive") else 1 if "integer" in str(schema.get("type")) else 0.25
        yield schema[key] + BOUNDS[key] * step


def assert_can_be_followed(message, is_accepted):
    advice = ADVICE.findall(message.rpartition("give")[2])
    assert advice, message
    for words, number in advice:
        value = float(number)
        strict = STRICT.get(words, 0)
        nearby = (value + strict * 2**-10, int(value) + strict)
        assert any(map(is_accepted, nearby)), message
        assert not strict or not (is_accepted(value) or is_accepted(int(value))), message


@pytest.mark.parametrize("kind, id", [(kind, id) for kind in KINDS for id in entries(kind)])
def test_a_number_out_of_a_parameters_bounds_is_refused_with_numbers_within(kind, id):
    for name, schema in lookup(kind, id).parameters().items():
        for part in bounded(schema):
            for value in beyond(part):
                if accepts(schema, value):  # by another alternative
                    continue
                with pytest.raises(UserError) as refused:
                    check_values(id, {name: schema}, {name: value})
                assert_can_be_followed(
                    refused.value.hint, lambda number, schema=schema: accepts(schema, number)
                )


def test_a_number_out_of_the_bounds_of_a_key_is_refused_with_one_within():
    parts = {str(part): part for part in bounded(build_schema())}.values()
    assert len(parts) > 5
    for part in parts:
        for value in beyond(part):
            [message] = schema_errors(part, value)
            assert_can_be_followed(message, validator_of(part).is_valid)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(1, 8))
def test_the_p_that_a_selector_of_pruned_problems_suggests_is_accepted(counts, p):
    sets = np.repeat(np.arange(len(counts)), counts)
    labels = sp.csr_array(np.eye(5, dtype=np.uint8)[sets])
    X = np.arange(2.0 * len(sets)).reshape(-1, 2)
    select = lookup("ranker", "ppt-mi").target
    try:
        select(X, labels, p=p)
    except ValueError as error:
        assert sorted(counts)[-2:][0] < p or len(counts) == 1
        suggested = re.search(r"p = (\d+)", error.hint)
        assert bool(suggested) == (len(counts) > 1)
        if suggested:
            assert int(suggested[1]) < p
            select(X, labels, p=int(suggested[1]))
    else:
        assert len(counts) > 1 and sorted(counts)[-2] >= p


def test_the_numbers_of_trees_and_labels_that_are_suggested_are_there():
    X = np.arange(16.0).reshape(8, 2)
    ensemble = PCTForestRanker(n_estimators=3).fit(X, (X > 7).astype(int)).ensemble_
    for size in (-1, 0, 4):
        with pytest.raises(UserError) as refused:
            importances(ensemble, "genie3", sizes=[size])
        for suggested in map(int, re.findall(r"\d+", refused.value.hint)):
            importances(ensemble, "genie3", sizes=[suggested])
        assert ("grow more" in refused.value.hint) == (size > 0)
    for count in (0, 3, 4, -4):
        with pytest.raises(UserError) as refused:
            label_columns(["a", "b", "c"], count=count, file="f.csv")
        for suggested in map(int, re.findall(r"-?\d+", refused.value.hint)):
            label_columns(["a", "b", "c"], count=suggested, file="f.csv")
        with pytest.raises(UserError, match="columns of features"):
            label_columns(["a"], count=count, file="f.csv")


@pytest.mark.parametrize(
    "command, wrong",
    [
        ("rank d.csv --labels y,z --method ppt-chi --set p={}", [4, 6]),
        ("rank d.csv --labels y,z --method pct --trees {}", [0, -1]),
        ("rank d.csv --labels y,z --method pct --trees 2 --threads {}", [0]),
        ("rank d.csv --labels y,z --method uniform --split holdout --train-share {}", [0, 1.5]),
        (
            "rank d.csv --labels y,z --method uniform --split holdout --repeats {} -o r.npz",
            ["9999999-0", "3-1"],
        ),
        ("rank d.csv --labels y,z --method relief --set k={}", [0, -3]),
        ("rank d.csv --labels y,z --method relief --set m={}", [0, -0.5, 1.5]),
        ("rank d.csv --labels y,z --method scls --set k={}", [0, 0.0, 1.5]),
        ("discretise d.csv --labels y,z --method equal-width --bins {} -o d.npz", [1, 100001]),
        ("evaluate d.csv --labels y,z --method uniform --set k=1 -o s.csv --cv {}", [1, 50]),
        (
            "evaluate d.csv --labels y,z --method uniform --set k=1 -o s.csv --cv 2 --repeats={}",
            [0, 10**9],
        ),
        ("evaluate d.csv --labels y,z --method uniform -o s.csv --cv 2 --set k={}", [0, 15]),
    ],
)
def test_what_a_command_suggests_is_accepted(tmp_path, monkeypatch, capsys, command, wrong):
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("a,b,y,z\n1,2,0,1\n2,1,1,0\n3,3,0,1\n4,1,1,0\n5,2,0,1\n6,4,1,1\n")
    for value in wrong:
        assert main(command.format(value).split()) == 2
        message = capsys.readouterr().err
        assert message.count("\n") == 1
        suggested = re.search(r"-?\d[\d.]*(-\d+)?", message.rpartition("; ")[2])
        assert suggested and suggested[0] != str(value), message
        assert main(command.format(suggested[0]).split()) == 0, message
        capsys.readouterr()
