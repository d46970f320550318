"""Tables of results in any layout: which columns hold what, and what is left out."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pandas as pd
import pyarrow
import pytest

from mlsieve import compare
from mlsieve.analysis.sentences.differences import Difference, in_brackets
from mlsieve.comparison.table.cells import Remarks, plain_cell
from mlsieve.comparison.table.names import is_summary
from mlsieve.errors import DataNotice, InvalidSetting, UserError
from mlsieve.stats import hodges_lehmann

METHODS = ("one", "two", "three")


def values(n_datasets: int = 8) -> pd.DataFrame:
    generator = np.random.default_rng(1)
    rows = np.round(generator.random((n_datasets, 1)) + np.array([0.0, 0.05, 0.2]), 3)
    return pd.DataFrame(rows, index=[f"set {place}" for place in range(n_datasets)], columns=list(METHODS))


def long_table(**columns: str) -> pd.DataFrame:
    table = values().rename_axis("dataset").reset_index().melt("dataset", var_name="method")
    return table.rename(columns=columns)


def ranks(found) -> dict[str, float]:
    table = found.average_ranks[found.average_ranks["variant"] == "all"]
    return dict(zip(table["method"], table["rank"], strict=True))


def quietly(*args, **options):
    """Compare without notes; unless the options say anything of the measures, higher values are better."""
    if not options.keys() & {"higher_is_better", "lower_is_better", "directions", "measures"}:
        options["higher_is_better"] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)
        return compare(*args, **options)


EXPECTED = {"one": 3.0, "two": 2.0, "three": 1.0}


@pytest.mark.parametrize(
    "table",
    [
        values(),
        values().rename_axis("problem"),
        values().rename_axis("problem").reset_index(),
        long_table(),
        long_table(dataset="Data set", method="Algorithm", value="Score"),
        long_table(dataset="benchmark", method="classifier", value="accuracy"),
        long_table().assign(measure="f1"),
        long_table().sample(frac=1, random_state=0),
        pd.concat(
            [
                values().rename_axis("dataset").reset_index().iloc[rows]
                for rows in ([4, 5, 6, 7], [0, 1, 2, 3])
            ]
        ),
    ],
    ids=lambda table: " ".join(map(str, table.columns)),
)
def test_every_layout_gives_the_same_ranks(table):
    assert ranks(quietly(table)) == EXPECTED


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx", "parquet", "feather"])
@pytest.mark.parametrize("layout", ["wide", "long", "unnamed"])
def test_files_of_people(tmp_path, suffix, layout):
    frame = {
        "wide": values().rename_axis("dataset").reset_index(),
        "long": long_table(),
        "unnamed": values(),
    }[layout]
    path = tmp_path / f"results.{suffix}"
    index = layout == "unnamed"
    if suffix in ("csv", "tsv"):
        frame.to_csv(path, index=index, sep="\t" if suffix == "tsv" else ",")
    elif suffix == "xlsx":
        frame.to_excel(path, index=index)
    elif suffix == "parquet":
        frame.to_parquet(path)
    elif index:
        frame.reset_index().to_feather(path)  # which holds no index
    else:
        frame.to_feather(path)
    assert ranks(quietly(path)) == EXPECTED


def test_a_count_of_the_rows_is_no_dataset(tmp_path):
    long_table().to_csv(tmp_path / "long.csv")
    assert ranks(quietly(tmp_path / "long.csv")) == EXPECTED


def test_decimal_commas_percentages_and_deviations(tmp_path):
    lines = ["dataset;one;two;three"]
    for name, row in values().iterrows():
        cells = [f"{value:.3f}".replace(".", ",") for value in row]
        lines.append(f"{name};{cells[0]} ± 0,01;**{cells[1]}**;{cells[2]} (1)")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = quietly(tmp_path / "t.csv")
    assert ranks(found) == EXPECTED
    said = " ".join(found.notes)
    assert "standard deviations" in said and "brackets" in said and "decimal commas" in said


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("0.5", "0.5"),
        ("0.5 ± 0.1", "0.5"),
        ("0.5+/-0.1", "0.5"),
        (r"$0.5 \pm 0.1$", "0.5"),
        (r"\textbf{0.5}", "0.5"),
        (r"$\mathbf{0.5}$", "0.5"),
        ("**0.5**", "0.5"),
        ("0.5 (2)", "0.5"),
        ("0.5*", "0.5"),
        ("0.5†", "0.5"),
        ("-0.5", "-0.5"),
        ("12.5%", "12.5%"),
        ("-", "-"),
        ("", ""),
    ],
)
def test_printed_cells(cell, plain):
    assert plain_cell(cell, Remarks()) == plain


@pytest.mark.parametrize(
    "name",
    [
        "Average",
        "Avg. rank",
        "Avg. Rank",
        "Mean",
        "Win/Tie/Loss",
        "W/T/L",
        "average rank",
        "MEAN RANK",
        "Rank",
        "Friedman's average ranks",
        "p-value",
        "Std.",
        "Wins",
        "Overall average",
        "Avg",
    ],
)
def test_summary_rows_are_recognised(name):
    assert is_summary(name)


@pytest.mark.parametrize("name", ["yeast", "mean-field", "rank1 faces", "winequality", "20NG", "stdout"])
def test_datasets_are_no_summaries(name):
    assert not is_summary(name)


def test_summary_rows_are_left_out_and_announced(tmp_path):
    table = values().rename_axis("Dataset").reset_index().astype(object)
    table.loc[len(table)] = ["Average", 0.1, 0.2, 0.3]
    table.loc[len(table)] = ["Win/Tie/Loss", "3/0/1", "2/1/1", ""]
    table.to_csv(tmp_path / "t.csv", index=False)
    found = quietly(tmp_path / "t.csv")
    assert any("the rows 'Average', 'Win/Tie/Loss' are no datasets" in note for note in found.notes)
    assert ranks(found) == EXPECTED and len(found.results.datasets) == 8


def test_rows_may_be_methods():
    table = values().T
    assert ranks(quietly(table, transposed=True)) == EXPECTED
    named = table.rename_axis("Method").reset_index()
    found = quietly(named)
    assert ranks(found) == EXPECTED and any("the rows are methods" in note for note in found.notes)
    named["Avg."] = 1.0
    found = quietly(named)
    assert ranks(found) == EXPECTED and any("column 'Avg.' is no dataset" in note for note in found.notes)


def test_several_measures_have_an_analysis_each_and_their_directions():
    table = long_table().assign(**{"Hamming loss": lambda t: t["value"]}).rename(columns={"value": "F1"})
    found = quietly(table)
    assert found.directions == {"F1": "higher", "Hamming loss": "lower"}
    rank = found.average_ranks.set_index(["measure", "method"])["rank"]
    assert rank["F1", "three"] == 1 and rank["Hamming loss", "three"] == 3


def test_unknown_directions_are_asked_for(tmp_path):
    values().to_csv(tmp_path / "t.csv")
    for table in (values(), long_table(), long_table(value="score"), tmp_path / "t.csv"):
        with pytest.raises(UserError) as caught:
            compare(table)
        assert "--higher-is-better or --lower-is-better" in caught.value.hint
        assert caught.value.file == (
            str(table) if table is not None and not isinstance(table, pd.DataFrame) else None
        )
    table = long_table(value="error rate")
    for options, way in (
        ({}, "lower"),
        ({"lower_is_better": True}, "lower"),
        ({"higher_is_better": True}, "higher"),
    ):
        found = quietly(table, directions={}, **options)
        assert found.directions == {"error rate": way}
        assert len(found.notes) == (way == "higher")  # against the name of the measure
    assert ranks(found) == EXPECTED
    assert quietly(long_table(), directions={"value": "lower"}).directions == {"value": "lower"}
    with pytest.raises(InvalidSetting, match="exclude each other"):
        quietly(values(), lower_is_better=True, higher_is_better=True)


def test_the_measure_of_a_table_that_names_none_can_be_named():
    found = quietly(values(), measures=["Hamming loss"])
    assert found.directions == {"Hamming loss": "lower"} and ranks(found)["one"] == 1


def test_repeats_are_averaged_before_the_tests():
    parts = [
        long_table().assign(fold=fold, value=lambda t, d=fold: t["value"] + d / 100) for fold in range(5)
    ]
    found = quietly(pd.concat(parts))
    assert ranks(found) == EXPECTED and found.results.repeats == "fold"
    assert found.tests["n_datasets"].unique().tolist() == [8]


def test_missing_cells_leave_their_dataset_out():
    table = values()
    table.iloc[2, 1] = np.nan
    found = quietly(table)
    assert found.left_out == {"value": ["set 2"]} and set(found.tests["n_datasets"]) == {7}
    assert any("set 2" in text for text in found.sentences())
    long = long_table().drop(index=3)
    assert quietly(long).left_out == {"value": ["set 3"]}


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (pd.concat([long_table(), long_table()]), {}, "has several values on dataset 'set 0'"),
        (values()[["one"]], {}, "one method, 'one', and nothing to compare"),
        (values(1), {}, "the table has one dataset, 'set 0', and the tests need several"),
        (long_table().assign(value=1.0), {}, "all methods have the same value on every dataset"),
        (
            long_table().query("method != 'two' or dataset == 'set 3'"),
            {},
            "only 1 of 8 datasets has a value of every method ('two' has values on 1)",
        ),
        (values().assign(two=np.nan), {"methods": list(METHODS)}, "the table has no method 'two'"),
        (values().rename_axis("dataset").reset_index(), {"value": "one"}, "--value-column one: no column of"),
        (values(), {"reference": "thre"}, "no method 'thre' (--reference); did you mean 'three'?"),
        (values(), {"methods": ["one", "too"]}, "no method 'too'; did you mean 'two'?"),
        (values(), {"rope": -1}, "practical equivalence must be at least 0"),
        (values(), {"significance": 2}, "above 0 and below 1"),
        (values(), {"seeds": 2}, "no option 'seeds'; did you mean 'seed'?"),
        (values(), {"directions": {"f1": "lower"}}, "no measure 'f1'"),
        (long_table(), {"family": "field"}, "--family field: there is no such column"),
        (long_table(), {"family": "dataset", "repeats": "dataset"}, "both name the column 'dataset'"),
        (pd.DataFrame({"dataset": ["a"], "one": ["x"]}), {}, "no columns of numbers"),
        (pd.DataFrame({"dataset": list("abc"), "one": [1, 2, "x"], "two": 1}), {}, "'x' in column 'one'"),
    ],
)
def test_what_does_not_fit_is_an_error_in_one_line(table, options, said):
    with pytest.raises(UserError) as caught:
        quietly(table, **options)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def folds(n_datasets=8):
    parts = [
        long_table().assign(fold=fold, value=lambda t, d=fold: t["value"] + d / 100) for fold in range(5)
    ]
    table = pd.concat(parts, ignore_index=True)
    return table[table["dataset"].isin([f"set {place}" for place in range(n_datasets)])].reset_index(
        drop=True
    )


def test_a_lacking_row_of_a_repeat_counts_as_an_empty_cell():
    table = folds()
    place = table.query("dataset == 'set 3' and method == 'two' and fold == 4").index
    empty, absent = table.copy(), table.drop(index=place)
    empty.loc[place, "value"] = np.nan
    for found in (quietly(empty), quietly(absent)):
        assert found.left_out == {"value": ["set 3"]} and set(found.tests["n_datasets"]) == {7}
    with pytest.raises(UserError, match=r"every method in every repeat \('two' has all values on 1\)"):
        quietly(table[(table["method"] != "two") | (table["fold"] < 4) | (table["dataset"] == "set 0")])


def test_a_repeat_of_the_only_dataset_that_lacks_a_method_is_left_out():
    table = folds(1)
    lacking = table.drop(index=table.query("method == 'two' and fold == 4").index)
    found = quietly(lacking)
    assert any("1 of 5 repeats lacks a value of some method and was left out" in note for note in found.notes)
    assert found.left_out == {"value": []} and found.means["mean"].notna().all()
    whole = quietly(table[table["fold"] < 4], test_per_train=0.25)  # the other repeats still are fifths
    pd.testing.assert_frame_equal(found.tests.drop(columns="note"), whole.tests.drop(columns="note"))
    assert set(found.tests["note"]) == {"1/4 test rows per training row"}
    with pytest.raises(UserError, match="only 1 of 5 repeats of the only dataset, 'set 0', has a value"):
        quietly(table[(table["method"] != "two") | (table["fold"] == 1)])


@pytest.mark.parametrize("lacking", ["method", "repeats"])
def test_a_measure_of_the_only_dataset_without_whole_repeats_is_left_out(lacking):
    table = folds(1)
    other = table.assign(measure="coverage")
    other = other[other["method"] != "two"] if lacking == "method" else other[other["fold"] == 0]
    found = quietly(pd.concat([table.assign(measure="f1"), other]))
    assert found.measures == ["f1"]
    assert any("'coverage' is left out, because fewer than 2 repeats" in note for note in found.notes)
    pd.testing.assert_frame_equal(found.tests, quietly(table.assign(measure="f1")).tests)


def test_repeats_that_nobody_named_are_announced():
    assert any("the column 'fold' is taken to number repeats" in note for note in quietly(folds()).notes)
    assert not any("number repeats" in note for note in quietly(folds(), repeats="fold").notes)


def test_the_corner_of_a_turned_table_may_be_called_dataset():
    table = values().T.rename_axis("dataset").reset_index()
    assert ranks(quietly(table, transposed=True)) == EXPECTED


def test_cells_and_names_of_every_kind_of_frame():
    table = values()
    table.columns = [1, 2, 3]
    assert quietly(table, reference=2, methods=[1, 2, 3], higher_is_better=True).options.reference == "2"
    nullable = values().astype("Float64")
    nullable.iloc[2, 1] = pd.NA
    assert quietly(nullable).left_out == {"value": ["set 2"]}
    category = long_table().astype({"method": "category", "dataset": "category"})
    assert ranks(quietly(category)) == EXPECTED
    for table in (long_table(), values().rename_axis("dataset").reset_index()):
        assert ranks(quietly(pyarrow.Table.from_pandas(table))) == EXPECTED


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (values().to_numpy(), {}, "not a ndarray"),
        (values()["one"], {}, "not a Series"),
        ([1, 2], {}, "not a list"),
        (values(), {"rounding": 3}, "rounding must name decimals"),
        (values(), {"significance": None}, "significance must be a number, got None"),
        (values(), {"significance": "0.05"}, "significance must be a number, got '0.05'"),
        (values(), {"measures": "AUC"}, "measures must be a list of names, got 'AUC'"),
        (values(), {"methods": "one"}, "methods must be a list of names"),
    ],
)
def test_what_no_argument_can_be_is_said_in_one_line(table, options, said):
    with pytest.raises(InvalidSetting) as caught:
        quietly(table, **options)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_few_families_and_few_differences_are_said_so():
    table = values(4).assign(field=list("xxyy"))
    text = " ".join(quietly(table, family="field").sentences())
    assert "(2 families), no difference can be significant." in text and "no verdict changes" not in text
    nearly = pd.DataFrame({"a": [0.9] + [0.5] * 14, "b": [0.8] + [0.5] * 14})
    text = " ".join(quietly(nearly).sentences())
    assert "better on 1, equal on 14 and worse on 0" in text
    assert "but the two differ on 1 dataset only." in text
    many = pd.DataFrame({f"m{place:02d}": [place, place + 1, place + 2] * 20 for place in range(20)})
    text = " ".join(quietly(many).sentences())
    assert re.search(r"significantly better than m\d\d(, m\d\d){6} and \d+ others", text)
    assert "m02" not in text


def test_the_leaderboard_holds_the_difference_from_the_best_method():
    found = quietly(values())
    board = found.leaderboard().set_index("method")
    best = board.index[0]
    for name in board.index[1:]:
        differences = values()[name] - values()[best]
        assert board["difference"][name] == pytest.approx(hodges_lehmann(differences)[0])
        assert board["interval_low"][name] <= board["difference"][name] <= board["interval_high"][name]
    assert math.isnan(board["difference"][best])
    assert f"{len(values())} datasets, it is better on {len(values())}" in found.summary()
    lower = quietly(values(), lower_is_better=True)
    assert "is lower than that of" in lower.sentences()[1]
    assert (lower.leaderboard()["difference"].dropna() < 0).all()


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0.0055, -0.006, 0.053), "+0.0055 [\N{MINUS SIGN}0.0060, 0.0530]"),
        ((123.456, 100.0, 200.0), "+123.5 [100.0, 200.0]"),
        ((0.0000123, 0.00001, 0.00002), "+0.0000123 [0.0000100, 0.0000200]"),
        ((1e-7, 0.0, 2e-7), "+1.00e-07 [0.00e+00, 2.00e-07]"),
        ((12345.6, 1.0, 23456.7), "+12346 [1, 23457]"),
        ((0.0, 0.0, 0.0), "0.000 [0.000, 0.000]"),
    ],
)
def test_differences_of_every_size_are_readable(numbers, said):
    assert in_brackets(Difference(*numbers, 1, 0, 0), signed=True) == said


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0.0000213, -0.01, 0.31), "0.0000213 [−0.010, 0.310]"),
        ((0.2, 0.0004, 0.31), "0.200 [0.000400, 0.310]"),
        ((3e-9, 0.0, 0.5), "3.00e-09 [0.000, 0.500]"),
    ],
)
def test_a_difference_other_than_zero_is_not_shown_as_zero(numbers, said):
    assert in_brackets(Difference(*numbers, 1, 1, 1)) == said


def thirtieths(first, second, unit: float) -> pd.DataFrame:
    return pd.DataFrame({"first": np.array(first) / 30 * unit, "second": np.array(second) / 30 * unit})


SCALES = [1e-12, 2.0**-40, 1e-6, 100, 1e3, 1234567.89, 1e9 / 7, 1e9]
TABLES = {
    "values of three decimals": values(9).assign(
        two=lambda t: (t["one"] + 0.1).where(t.index != "set 1", t["one"])
    ),
    "all differences of one size": thirtieths(
        [2, 28, 3, 20, 2, 25, 3, 24], [1, 27, 4, 21, 1, 24, 2, 25], 1.0
    ),
    "on both sides of powers of ten": thirtieths(
        [18, 23, 25, 20, 23, 26, 11, 4, 1, 21, 5, 9], [15, 20, 24, 18, 20, 27, 8, 5, 0, 22, 6, 6], 1.0
    ),
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", TABLES)
def test_the_unit_of_a_measure_does_not_change_the_tests(name, scale):
    plain = quietly(TABLES[name], rope=0.01)
    scaled = quietly(TABLES[name] * scale, rope=0.01 * scale)
    for table, columns in {
        "effects": ["wins", "ties", "losses", "rank_biserial", "wilcoxon_p"],
        "tests": ["statistic", "p_value", "wins", "ties", "losses"],
        "bayes": ["p_better", "p_rope", "p_worse"],
    }.items():
        expected, found = getattr(plain, table)[columns], getattr(scaled, table)[columns]
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12)
    estimates = scaled.effects["difference"] / scale
    np.testing.assert_allclose(estimates, plain.effects["difference"], rtol=1e-9)


def test_a_tie_is_among_the_values_whose_unit_changes():
    assert quietly(TABLES["values of three decimals"]).effects["ties"].sum() == 1


def test_differences_of_one_size_tie():
    assert quietly(TABLES["all differences of one size"] * 100).tests["p_value"][0] == pytest.approx(93 / 128)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e-200])
def test_a_dataset_of_small_values_counts_as_much_as_others(scale):
    first, second = [1e-13, 2e-13, 1e-13, 1e-13, 0.5, 0.1], [3e-13, 4e-13, 2e-13, 5e-13, 0.9, 0.3]
    found = quietly(pd.DataFrame({"a": first, "b": second}) * scale, measures=["loss"], lower_is_better=True)
    assert found.tests["wins"][0] == 6 and found.tests["p_value"][0] == pytest.approx(2 / 2**6)


@pytest.mark.parametrize(
    ("n_datasets", "said"),
    [
        (5, r"\(lowest [\d.]+, highest [\d.]+; 5 datasets are too few for a 95 % interval\)"),
        (6, r"\(95 % interval [\d.]+ to [\d.]+\)"),
    ],
)
def test_few_datasets_have_no_interval(n_datasets, said):
    assert re.search(rf"by [\d.]+ {said}; of {n_datasets}", quietly(values(n_datasets)).summary())


def test_rows_of_folds_without_a_dataset_are_repeats_of_one():
    table = values().assign(fold=range(8)).reset_index(drop=True)
    found = quietly(table, repeats="fold")
    assert set(found.tests["test"]) == {"corrected-resampled"} and found.effects.empty
    assert any("its rows are repeats on a single one" in note for note in found.notes)
    assert not any("a dataset of its own" in note for note in found.notes)
    assert found.leaderboard()["difference"].notna().sum() == len(METHODS) - 1


def test_the_reference_of_two_methods_is_the_centre():
    found = quietly(values()[["one", "three"]], reference="one")
    board = found.leaderboard().set_index("method")
    assert math.isnan(board["difference"]["one"]) and set(board["compared_with"]) == {"one"}
    assert found.sentences()[1].startswith("The value of one is lower (worse) than that of three")


def test_a_semicolon_in_a_name_is_given_as_it_is_written():
    table = values().rename(columns={"one": "a;b"})
    assert quietly(table, reference="a;b").options.reference == "a,b"
    assert quietly(table, methods=["a;b", "two"]).methods == ["a,b", "two"]


def test_a_turned_table_has_no_families():
    table = values().T.rename_axis("method").reset_index().assign(field="x")
    with pytest.raises(UserError, match="the columns of the table are its datasets"):
        quietly(table, transposed=True, family="field")
