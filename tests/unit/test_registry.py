"""The check of parameters agrees with JSON schema, though it does without a validator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsieve.errors import UserError
from mlsieve.registry import check_values, entries, register
from mlsieve.schemas import validator_of

SCHEMAS = {
    f"{kind}-{id}-{name}": schema
    for kind in ("ranker", "evaluator")
    for id, entry in entries(kind).items()
    for name, schema in entry.parameters().items()
}
OPTIONS = sorted(
    {option for schema in SCHEMAS.values() for option in schema.get("enum", ())} | {"sqrt", "all"}
)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 30),
    st.floats(allow_nan=False),
    st.sampled_from(
        [0.0, 1.0, 2.0, 1e-9, 1e-6, 0.5, np.float64(0.5), np.float32(0.25), np.int64(3), [], "x", ""]
    ),
    st.sampled_from(OPTIONS),
)


def accepted(schema, value) -> bool:
    try:
        check_values("it", {"parameter": schema}, {"parameter": value})
    except UserError:
        return False
    return True


@pytest.mark.parametrize("name", SCHEMAS)
@settings(max_examples=60, deadline=None)
@given(value=VALUES)
def test_a_value_is_accepted_where_json_schema_accepts_it(name, value):
    assert accepted(SCHEMAS[name], value) == validator_of(SCHEMAS[name]).is_valid(value)


@pytest.mark.parametrize(
    "name", ["ranker-pct-alpha", "ranker-pct-min_leaf", "ranker-relief-m", "ranker-relief-sigma"]
)
def test_what_is_not_a_number_is_none(name):
    assert not accepted(SCHEMAS[name], float("nan"))


@pytest.mark.parametrize(
    ("kind", "facts", "expected"),
    [
        ("measure", {"direction": "down"}, "direction = 'down', which is not accepted: give lower or higher"),
        ("measure", {"needs": "guess"}, "needs = 'guess', which is not accepted: give predicted or scores"),
        ("ranker", {"tasks": ("mcl",)}, r"tasks = \('mcl',\), which is not accepted"),
        ("ranker", {"tasks": "mlc"}, "tasks = 'mlc', which is not accepted"),
        ("ranker", {"baseline": "yes"}, "baseline = 'yes', which is not accepted: give true or false"),
        ("ranker", {"smoke": ["k"]}, "smoke = .*which is not accepted: give a mapping"),
        ("question", {"order": "first"}, "order = 'first', which is not accepted: give a number"),
        (
            "question",
            {"order": 1.0, "title": "?", "tables": {"report": ("similarity",)}},
            "tables for 'report': known: compare, figures, sections",
        ),
        ("ranker", {"version": "1"}, "version must be an integer of at least 1, got '1'"),
        ("ranker", {"version": 0}, "version must be an integer of at least 1, got 0"),
    ],
)
def test_a_fact_of_another_value_fails_where_it_is_registered(kind, facts, expected):
    with pytest.raises(TypeError, match=expected):
        getattr(register, kind)("mine", **facts)


def test_a_misspelt_fact_fails_where_it_is_registered():
    with pytest.raises(TypeError, match=r"ranker 'mine' registers the unknown fact 'taks'.*'tasks'"):
        register.ranker("mine", taks=("mlc",))
    with pytest.raises(TypeError, match="direction"):
        register.measure("mine", definition="clus", needs="scores", empty="never")(len)
