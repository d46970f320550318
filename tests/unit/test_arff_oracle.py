"""Round trips of odd names and values, with liac-arff as an independent reader."""

from __future__ import annotations

import arff as liac
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlsieve.data.readers.arff import read_arff

ODD = " ,{}'\"%?@\\~;:#.019aäß-+_"
words = st.text(st.sampled_from(ODD), min_size=1, max_size=6)
numbers = st.floats(-1e12, 1e12).map(lambda value: 0.0 if value == 0 else value)


@st.composite
def tables(draw, word=words):
    """Attributes (name, categories or None) and rows of values, None for a missing one."""
    names = draw(st.lists(word, min_size=1, max_size=5, unique=True))
    kinds = [draw(st.none() | st.lists(word, min_size=1, max_size=4, unique=True)) for _ in names]
    cells = [st.none() | (numbers if kind is None else st.sampled_from(kind)) for kind in kinds]
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=6))
    return list(zip(names, kinds, strict=True)), rows


def quoted(text: str, mark: str = "'") -> str:
    return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


def written(table, sparse: bool, mark: str) -> str:
    attributes, rows = table
    lines = ["@relation odd"]
    for name, kind in attributes:
        declared = "numeric" if kind is None else "{" + ",".join(quoted(value, mark) for value in kind) + "}"
        lines.append(f"@attribute {quoted(name, mark)} {declared}")
    lines.append("@data")
    for row in rows:
        cells = ["?" if v is None else repr(v) if isinstance(v, float) else quoted(v, mark) for v in row]
        defaults = [0.0 if kind is None else kind[0] for _, kind in attributes]
        listed = [f"{j} {cell}" for j, cell in enumerate(cells) if row[j] != defaults[j]]
        lines.append("{" + ",".join(listed) + "}" if sparse else ",".join(cells))
    return "\n".join(lines) + "\n"


def expected(table) -> tuple[list, list]:
    """What a reader is to find: names with their categories, and values with None for a missing one."""
    attributes, rows = table
    declared = [(name, None if kind is None else tuple(kind)) for name, kind in attributes]
    values = [
        [
            v if v is None or kind is None else float(kind.index(v))
            for v, (_, kind) in zip(row, attributes, strict=True)
        ]
        for row in rows
    ]
    return declared, values


def parsed(path) -> tuple[list, list]:
    """What the reader under test finds, as `expected` writes it."""
    read = read_arff(path)
    values = read.values.toarray() if sp.issparse(read.values) else read.values
    cells = [[None if np.isnan(value) else value for value in row] for row in values.tolist()]
    return [(attribute.name, attribute.categories) for attribute in read.attributes], cells


slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("mark", ["'", '"'])
@pytest.mark.parametrize("sparse", [False, True])
@slow
@given(table=tables())
def test_round_trip_of_quoted_names_and_values(tmp_path, sparse, mark, table):
    path = tmp_path / "odd.arff"
    path.write_text(written(table, sparse, mark), encoding="utf-8")
    assert parsed(path) == expected(table)


@pytest.mark.parametrize("sparse", [False, True])
@slow
@given(table=tables(st.text(st.sampled_from("abcXYZ019._-äß"), min_size=1, max_size=5)))
def test_agrees_with_liac_arff(tmp_path, sparse, table):
    """Both readers see the same in a file; liac-arff's own writing is read too."""
    attributes, rows = table
    path = tmp_path / "plain.arff"
    text = written(table, sparse, "'")
    path.write_text(text, encoding="utf-8")
    assert parsed(path) == expected(table)
    theirs = liac.loads(text, return_type=liac.LOD if sparse else liac.DENSE)
    assert [name for name, _ in theirs["attributes"]] == [name for name, _ in attributes]
    defaults = [0.0 if kind is None else kind[0] for _, kind in attributes]
    dense = (
        [[row.get(j, default) for j, default in enumerate(defaults)] for row in theirs["data"]]
        if sparse
        else theirs["data"]
    )
    assert [tuple(row) for row in dense] == rows
    document = {
        "relation": "plain",
        "attributes": [(name, kind or "REAL") for name, kind in attributes],
        "data": [dict(enumerate(row)) for row in rows] if sparse else [list(row) for row in rows],
    }
    path.write_text(liac.dumps(document), encoding="utf-8")
    assert parsed(path) == expected(table)
