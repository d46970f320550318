"""Numbers as tables show them, which is how they are counted."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlsieve.analysis.counted_tables import VALUE_DIGITS, as_shown


@given(st.floats(-1000, 1000))
def test_a_shown_number_is_the_text_of_the_table(value):
    shown = as_shown(value)
    assert f"{shown:.{VALUE_DIGITS}f}".replace("-0.000", "0.000") == (
        f"{value:.{VALUE_DIGITS}f}".replace("-0.000", "0.000")
    )
    assert as_shown(shown) == shown


def test_a_small_negative_number_is_a_plain_zero():
    assert math.copysign(1, as_shown(-0.0001)) == 1
    assert math.isnan(as_shown(math.nan))


def test_columns_and_tables_are_rounded_cell_by_cell():
    column = pd.Series([0.12349, -0.0004, math.nan], index=[3, 1, 2])
    pd.testing.assert_series_equal(as_shown(column), pd.Series([0.123, 0.0, math.nan], index=[3, 1, 2]))
    table = pd.DataFrame({"one": [0.0005], "two": [0.9996]})
    assert as_shown(table).iloc[0].tolist() == pytest.approx([0.001, 1.0])
