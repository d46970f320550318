"""Layouts of tables of results that people publish: read as they are meant, or refused with what to say."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from test_compare_tables import EXPECTED, long_table, quietly, ranks, values

from mlsieve import compare
from mlsieve.cli import main
from mlsieve.comparison.table.names import is_no_result, is_time, kind_of
from mlsieve.errors import DataNotice, UserError


def refused(table, **options) -> UserError:
    with pytest.raises(UserError) as caught:
        quietly(table, **options)
    assert caught.value.hint and "\n" not in str(caught.value)
    return caught.value


def file_of(tmp_path, text: str, name: str = "t.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


# Columns that are no methods

SHARES = [0.31, 0.52, 0.17, 0.64, 0.48, 0.29, 0.73, 0.36]
SCALES = [1, 100]  # shares and percentages


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("run_id", range(900, 908)),
        ("id", range(8)),
        ("experiment", range(1, 9)),
        ("time_train", np.linspace(1, 90, 8)),
        ("runtime (s)", np.linspace(1, 90, 8)),
        ("time_one", np.linspace(1, 90, 8)),
        ("# Dimensions", range(20, 28)),
        ("#Inst", range(20, 28)),
        ("LCard", np.linspace(1, 5, 8)),
        ("Average", np.linspace(0, 9, 8)),
        ("Best", np.linspace(0, 9, 8)),
        ("one_sem", np.linspace(0, 1, 8)),
        ("one \u00b1", np.linspace(0, 1, 8)),
        ("one fit [s]", np.linspace(0, 1, 8)),
        ("train-one", np.linspace(0, 1, 8)),
        ("three-one", None),
    ],
)
def test_columns_that_are_no_methods_are_left_out_and_named(name, cells, scale):
    table = values() * scale
    cells = table["three"] - table["one"] if cells is None else list(cells)
    found = quietly(table.rename_axis("dataset").assign(**{name: cells}).reset_index())
    assert ranks(found) == EXPECTED
    assert any("not taken for methods" in note and name in note for note in found.notes)
    chosen = quietly(table.assign(**{name: cells}), methods=["one", name], higher_is_better=True)
    assert chosen.methods == ["one", name]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("radius", [0.1] * 4 + [0.2] * 2 + [0.3] * 2),
        ("accuracy", 0.5),
        ("scale", range(3, 19, 2)),
        ("n_trees", 100),
        ("rate", 0.01),
        ("n", [593, 2417, 662, 978, 645, 208, 502, 1702]),
        ("q", [6, 14, 19, 45, 20, 27, 174, 53]),
        ("alpha", SHARES),
        ("Year", [31, 52, 17, 64, 48, 29, 73, 36]),
    ],
)
def test_columns_of_another_kind_are_refused(tmp_path, name, cells, scale):
    table = (values() * scale / 2).assign(**{name: cells})
    error = refused(table)
    assert name in str(error) and "--methods" in error.hint
    table.rename_axis("dataset").to_csv(tmp_path / "t.csv")
    assert refused(tmp_path / "t.csv").line == 1
    assert quietly(table, methods=["one", "two"], higher_is_better=True).methods == ["one", "two"]


@pytest.mark.parametrize(
    "name", ["Q-value", "learningRate", "max_depth", "weight decay", "best alpha", "alpha_1", "p (Wilcoxon)"]
)
def test_settings_are_known_by_their_names_in_every_layout(tmp_path, name):
    table = values().assign(**{name: SHARES})
    assert "--methods" in refused(table).hint and "--methods" in refused(table.T, transposed=True).hint
    assert name in str(refused(table.T.assign(**{name: 0.5}), transposed=True, methods=list(values())))
    first = table.set_index(name).reset_index()
    assert f"--dataset-column {name}" in refused(first).hint
    long = long_table().rename(columns={"value": "F1"}).assign(**{name: SHARES * 3})
    found = quietly(long, directions={})
    assert found.measures == ["F1"] and any(f"not taken for measures: {name}" in note for note in found.notes)


def test_a_setting_is_refused_beside_whole_numbers_too():
    table = (values() * 100).round()
    assert "'K'" in str(refused(table.assign(K=range(5, 13))))


@pytest.mark.parametrize("names", [list("ABC"), ["alpha", "beta", "gamma"], ["kNN", "A", "R"]])
def test_methods_may_be_called_like_settings(names):
    assert quietly(values().set_axis(names, axis="columns")).methods == names


def test_a_second_column_of_methods_is_named():
    table = long_table().assign(dataset=[f"set {place // 4 % 2}" for place in range(24)])
    halves, quarters = ["A", "A", "B", "B"] * 6, [1, 2, 3, 4] * 6
    for columns in ({"selector": quarters}, {"alpha": quarters}, {"base": halves, "trees": [1, 2] * 12}):
        hint = refused(table.assign(**columns)).hint
        assert all(f"'{name}'" in hint for name in columns) and "'method'" in hint


def test_a_dataset_that_occurs_twice_is_no_question_of_the_methods():
    table = values().rename_axis("dataset").reset_index().assign(dataset=["set 0", "set 0", *"abcdef"])
    assert refused(table).hint == "remove one"
    assert "--repeats kind" in refused(table.assign(kind=list("xyxyxyxy"))).hint


def test_a_name_with_a_bracket_in_it_is_not_cut_there():
    for name in ("Coverage (%) {}", "coverage_rate_{}"):
        found = quietly(values().rename(columns=name.format))
        assert found.measures == ["value"] and found.methods == [name.format(each) for each in values()]
    table = pd.concat([values().rename(columns=f"{name} {{}}".format) for name in ("F1 (%)", "AUC")], axis=1)
    assert quietly(table, directions={}).measures == ["F1 (%)", "AUC"]


@pytest.mark.parametrize(
    ("beside", "kept"), [("{}_lower", "{}"), ("{}_std", "{}_mean"), ("{}_train", "{}_test"), ("{} sd", "{}")]
)
def test_what_every_method_has_beside_its_results_is_left_out(beside, kept):
    table = pd.concat([values().rename(columns=form.format) for form in (beside, kept)], axis="columns")
    assert ranks(quietly(table)) == {kept.format(name): rank for name, rank in EXPECTED.items()}


@pytest.mark.parametrize(("end", "size"), [(" size", 300), (".1", 0.02), (" params", 100)])
def test_columns_of_another_size_beside_every_method_are_refused(end, size):
    table = pd.concat([values(), (values() * size).add_suffix(end)], axis="columns")
    assert f"one{end}" in str(refused(table))
    similar = pd.concat([values(), (values() - 0.01).add_suffix("+FS")], axis="columns")
    assert quietly(similar).methods == list(similar), "variants of the methods"
    assert quietly(values().assign(guess=0.5)).methods == [*values(), "guess"]


def test_variants_and_hybrids_of_methods_are_methods():
    hyphens = values().rename(columns={"one": "S-two", "three": "Time-two"})
    assert quietly(hyphens).methods == ["S-two", "two", "Time-two"]
    table = values().assign(
        **{"two_w": 0.5, "three+FS": lambda t: t["three"] + 0.01, "one-two": lambda t: t["two"] - 0.001}
    )
    assert quietly(table).methods == list(table)


def test_names_of_methods_that_look_like_others():
    for name in ("Time-CNN", "realtime", "ID3", "labels chain"):
        assert not is_no_result(name) and not is_time(name)
    table = values().set_axis(["AMI", "Time-CNN", "No-label"], axis="columns")
    assert quietly(table).methods == ["AMI", "Time-CNN", "No-label"]


@pytest.mark.parametrize("name", ["time", "Runtime (s)", "runtime_s", "CPU time", "memory"])
def test_times_are_left_out_of_a_table_of_methods(name):
    found = quietly(values().assign(**{name: range(8)}))
    assert ranks(found) == EXPECTED
    assert f"1 column not taken for methods: {name} (--methods names those that are)" in found.notes


@pytest.mark.parametrize("ties", ["average", "min", "dense"])
def test_ranks_are_recognised(ties):
    table = values()
    table.iloc[0] = table.iloc[0, 0]
    given = table.rank(axis=1, ascending=False, method=ties)
    for options in ({}, {"measures": ["AUC"]}):
        found = quietly(given, directions={}, **options)
        assert list(found.directions.values()) == ["lower"] and ranks(found)["three"] < ranks(found)["one"]
        assert found.measures == ["AUC rank" if options else "rank"]
    assert quietly(given, higher_is_better=True).directions == {"rank": "higher"}
    long = given.rename_axis("dataset").reset_index().melt("dataset", var_name="method", value_name="f1")
    assert quietly(long, directions={}).directions == {"f1 rank": "lower"}
    losses = quietly(long.rename(columns={"f1": "loss"}), directions={})
    assert losses.measures == ["loss"] and not any("rank" in note for note in losses.notes)


def test_equal_values_are_no_ranks():
    table = values().melt(ignore_index=False, var_name="method", value_name="AUC").assign(F1=1.0)
    table = table.rename_axis("dataset").reset_index()
    found = quietly(table, measures=["AUC", "F1"], directions={})
    assert found.directions == {"AUC": "higher", "F1": "higher"}
    [note] = quietly(table, directions={}).notes
    assert "1 column not taken for measures: F1" in note


@pytest.mark.parametrize(
    "form",
    [
        *("{measure}_{method}", "{method}_{measure}", "{measure} {method}", "{measure}/{method}"),
        *("{method} ({measure})", "{measure} [{method}]", "{method}-{measure}"),
    ],
)
def test_measures_in_the_names_of_columns(form):
    table = pd.concat(
        {
            form.format(measure=measure, method=method): sign * values()[method]
            for measure, sign in (("F1", 1), ("HL", -1), ("P@1", 1))
            for method in values()
        },
        axis="columns",
    )
    found = quietly(table.assign(n_labels=6, zeta=0.5), directions={})
    assert found.directions == {"F1": "higher", "HL": "lower", "P@1": "higher"}
    for measure in found.measures:
        own = found.average_ranks[found.average_ranks["measure"] == measure]
        assert dict(zip(own["method"], own["rank"], strict=True)) == EXPECTED
    assert quietly(table, directions={}, methods=["one", "two"]).methods == ["one", "two"]


def test_averages_of_a_measure_are_no_methods():
    for form in ("F1_{}", "{} F1", "F1 ({})"):
        error = refused(
            values()[["one", "two"]].set_axis([form.format("macro"), form.format("micro")], axis=1)
        )
        assert "called like a measure" in str(error)


@pytest.mark.parametrize("form", ["fold{}", "fold_{}", "run {}", "{}", "seed_4{}", "split{}_test_score"])
def test_columns_of_folds_are_repeats_of_one_measure(form):
    whole = long_table().rename(columns={"value": "f"})
    for fold in range(5):
        whole[form.format(fold + 1)] = whole["f"] + fold / 100
    table = whole.drop(columns="f")
    found = quietly(table)
    assert ranks(found) == EXPECTED and found.measures == ["value"]
    assert found.results.frame["repeat"].nunique() == 5 and len(found.results.datasets) == 8
    only = table[table["dataset"] == "set 1"].drop(columns="dataset")
    if form != "{}":
        single = quietly(only)
        assert set(single.tests["test"]) == {"corrected-resampled"} and ranks(single) == EXPECTED
    error = refused(table[table["method"] == "one"].drop(columns="method"))
    assert "--method-column" in error.hint and "--methods" in error.hint


def test_numbered_columns_of_methods_in_rows_are_asked_for():
    table = values().T.rename_axis("method")
    table.columns = [f"S{place}" for place in range(1, 9)]
    assert "--transposed" in refused(table).hint and ranks(quietly(table, transposed=True)) == EXPECTED
    table.columns = [f"split{place}_test_score" for place in range(8)]
    found = quietly(table.assign(mean_test_score=0.5, mean_fit_time=[3, 2, 1]))
    assert ranks(found) == EXPECTED and found.results.datasets == ["data"]
    assert any("2 columns not used: mean_test_score, mean_fit_time" in note for note in found.notes)


@pytest.mark.parametrize("form", ["fold {}", "Fold{}", "iris-fold{}", "rep1_fold{}", "run {}", "seed_{}"])
def test_rows_called_by_repeats_are_no_datasets(form):
    table = values().set_axis([form.format(place) for place in range(8)]).rename_axis("dataset")
    for given in (table, table.reset_index().melt("dataset", var_name="method", value_name="acc"), table.T):
        found = quietly(given, transposed=True if len(given) == 3 else None)
        assert found.results.datasets in (["data"], ["iris"]) and ranks(found) == EXPECTED
        said = "(1/7 test rows" if "fold" in form.lower() else "no pair is tested"
        assert any(said in note for note in found.notes)


def test_columns_called_by_methods_and_repeats_are_repeats():
    parts = [(values() + fold / 100).add_suffix(f"_fold{fold}") for fold in range(3)]
    found = quietly(pd.concat(parts, axis="columns"))
    assert ranks(found) == EXPECTED and len(found.results.datasets) == 8
    levels = pd.concat(
        {fold: part.set_axis(list(values()), axis=1) for fold, part in enumerate(parts)}, axis=1
    )
    levels = levels.swaplevel(axis="columns").rename_axis(index="dataset", columns=("method", "fold"))
    assert "stack" in refused(levels).hint and ranks(quietly(levels.stack().reset_index())) == EXPECTED


def test_the_table_of_evaluate_is_known():
    columns = ["method", "measure", "mean", "standard_deviation", "folds", "best", "p_value"]
    error = refused(
        pd.DataFrame([["a", "f1", 0.5, 0.1, 5, "a", ""], ["b", "f1", 0.4, 0.1, 5, "a", 0.2]], columns=columns)
    )
    assert "evaluate" in str(error) and "study" in error.hint


def test_the_experimenter_of_weka_is_read():
    table = long_table(dataset="Key_Dataset", method="Key_Scheme", value="Percent_correct")
    parts = [table.assign(Key_Run=1, Key_Fold=fold) for fold in (1, 2)]
    found = quietly(pd.concat(parts), directions={})
    assert ranks(found) == EXPECTED and found.measures == ["Percent_correct"]


def test_results_on_training_data_and_deviations_are_no_results():
    plain = long_table(value="acc")
    train = plain.assign(split="train", acc=-plain["acc"])
    found = quietly(pd.concat([train, plain.assign(split="test")]))
    assert ranks(found) == EXPECTED and not found.results.repeats
    for measures in (("acc", "acc_std"), ("mean", "std")):
        both = pd.concat([plain.assign(measure=measure) for measure in measures])
        wide = both.pivot_table(index="dataset", columns=["measure", "method"], values="acc")
        for table in (both, wide):
            found = quietly(table)
            assert len(found.measures) == 1 and ranks(found) == EXPECTED
            assert any("1 measure not compared" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "folds", "ratio"),
    [
        ("fold", range(5), "1/4"),
        ("outer_fold", range(10), "1/9"),
        ("Fold No.", range(1, 4), "1/2"),
        ("fold", range(15), None),
        ("fold", [f"{repeat}.{fold}" for repeat in (1, 2) for fold in (1, 2, 3)], None),
        ("fold", [f"Fold{fold}.Rep{repeat}" for repeat in (1, 2) for fold in (1, 2, 3)], None),
    ],
)
def test_folds_are_those_of_one_division_or_asked_for(name, folds, ratio):
    noise = np.random.default_rng(0).random((len(folds), 3)) / 1000
    parts = [values().iloc[:1] + row for row in noise]
    table = pd.concat(
        part.melt(var_name="method", value_name="acc").assign(**{name: fold})
        for fold, part in zip(folds, parts, strict=True)
    )
    notes = "; ".join(quietly(table).notes)
    assert (f"({ratio} test rows" in notes) if ratio else ("no pair is tested" in notes)
    divided = quietly(table.assign(repeat=1)).notes  # as the note asks for
    assert len({*folds}) != 15 or any("(1/14 test rows" in note for note in divided)


def test_repeats_and_folds_are_both_recognised():
    parts = [
        long_table().assign(repeat=repeat, fold=fold, value=lambda t, d=repeat + fold: t["value"] + d / 100)
        for repeat in range(2)
        for fold in range(3)
    ]
    frame = quietly(pd.concat(parts)).results.frame
    assert frame["repeat"].nunique() == 6 and set(frame["fold"]) == {"0", "1", "2"}
    alone = quietly(parts[0].drop(columns="repeat")).results.frame
    assert set(alone["repeat"]) == set(alone["fold"]) == {"0"}
    seeded = quietly(
        pd.concat(parts[:3]).assign(seed=range(72))
    )  # which numbers the rows, and counts nothing
    assert seeded.results.repeats == "repeat and fold" and set(seeded.results.frame["repeat"]) == {
        "0, 0",
        "0, 1",
        "0, 2",
    }


def test_the_seed_of_each_run_pairs_no_methods():
    runs = [long_table().assign(fold=0, budget=hours, seed=range(hours, hours + 24)) for hours in (100, 400)]
    error = refused(pd.concat(runs))
    assert "several values" in str(error) and "--measure-column" in error.hint


# Rows that are methods


REAL = {"one": "BR", "two": "RAkEL", "three": "ML-kNN"}


@pytest.mark.parametrize("corner", ["", "Name"])
def test_methods_in_rows_are_recognised_by_names_or_asked_for(tmp_path, corner):
    for rows, columns in (
        (REAL, {}),
        ({}, {f"set {place}": name for place, name in enumerate(["emotions", "yeast"])}),
    ):
        table = values().T.rename(index=rows, columns=columns).rename_axis(corner)
        table.to_csv(tmp_path / "t.csv")
        found = quietly(tmp_path / "t.csv")
        assert {rows.get(name, name): rank for name, rank in EXPECTED.items()} == ranks(found)
        assert any("the rows are taken for methods" in note for note in found.notes)
    unknown = values().T.set_axis(list("pqrstuvw"), axis="columns").rename_axis(corner)
    unknown.to_csv(tmp_path / "t.csv")
    error = refused(tmp_path / "t.csv")
    assert error.line == 1 and "--transposed" in error.hint and "--no-transposed" in error.hint
    assert ranks(quietly(tmp_path / "t.csv", transposed=True)) == EXPECTED
    assert quietly(tmp_path / "t.csv", transposed=False).methods == list("pqrstuvw")
    assert main(["compare", str(tmp_path / "t.csv"), "--higher-is-better", "--no-transposed"]) == 0


def test_rows_and_columns_are_known_by_their_names():
    assert [kind_of(name) for name in ("Emotions", "dataset_3", "ML-kNN", "Random Forest", "5", "A")] == [
        *("dataset", "dataset", "method", "method", None, None)
    ]
    assert ranks(quietly(values().rename(columns=REAL)))["ML-kNN"] == 1


def test_a_method_with_one_row_for_each_measure_has_no_datasets():
    table = pd.DataFrame({"model": ["a", "b", "c"], "accuracy": [0.1, 0.2, 0.3], "F1": [0.3, 0.1, 0.2]})
    assert "accuracy" in str(refused(table))
    table = long_table().drop(columns="dataset")
    assert "--dataset-column" in refused(table).hint


# Cells of text


TEXTS = [
    *(
        "\\textcolor{red}{0.752}",
        "<b>0.752</b>",
        "acc=0.752",
        "0\u00b795",
        "[0.93, 0.97]",
        "nan\u00b1nan",
        "TLE",
    ),
    *("N/A (OOM)", "> 24h", "#DIV/0!"),
    "0.95a",
    "0.95 b",
    "OOM",
    "timeout",
    ">0.95",
    "∞",
    "-inf",
    "error",
    "0.95 n/s",
    "0.95_a",
    "\\best{0.95}",
]


@pytest.mark.parametrize("cell", TEXTS)
@pytest.mark.parametrize("count", [1, 6, 8])
def test_text_in_place_of_results_is_refused_with_its_line(tmp_path, cell, count):
    table = values().rename_axis("dataset").astype(object)
    table.iloc[8 - count :, 2] = cell
    table.to_csv(tmp_path / "t.csv")
    error = refused(tmp_path / "t.csv")
    assert error.line == 10 - count and cell in str(error) and "--missing" in error.hint
    long = table.reset_index().melt("dataset", var_name="method", value_name="AUC")
    assert cell in str(refused(long, directions={}))


def test_columns_of_words_are_named_and_left_out():
    found = quietly(values().assign(kind=["text", "image"] * 4, note="2 classes"))
    assert ranks(found) == EXPECTED
    assert any("2 columns without numbers not used: kind, note" in note for note in found.notes)


def test_signs_and_commas_of_numbers():
    table = -values()
    minus = table.map(lambda value: f"{value:.3f}".replace("-", "\N{MINUS SIGN}"))
    dashes = table.map(lambda value: f"{value:.3f}".replace("-", "\N{EN DASH}"))
    for given in (minus, dashes):
        pd.testing.assert_frame_equal(quietly(given).means, quietly(table).means)
    large = (values() * 10_000).round(1)
    large.iloc[0, 0] = 4070.0
    german = large.map(lambda value: f"{value:,.1f}".translate(str.maketrans(",.", ".,")))
    assert german.iloc[0, 0] == "4.070,0" and german.map(lambda cell: "," in cell).all(axis=None)
    pd.testing.assert_frame_equal(quietly(german).means, quietly(large).means)
    german["one"] = [cell.removesuffix(",0") for cell in german["one"].str.replace(r",\d", ",0", regex=True)]
    assert (
        quietly(german).means["mean"].min() > 1000
    )  # points between thousands, as the commas of others show


# Headers of two rows


def of_two_measures() -> pd.DataFrame:
    both = {"F1": values(), "Hamming loss": -values()}
    return pd.concat(both, axis="columns")


@pytest.mark.parametrize("names", [(None, None), ("measure", "method"), ("metric", None)])
def test_columns_of_two_levels(tmp_path, names):
    plain = of_two_measures().rename_axis(columns=names)
    tables = [plain, plain.rename_axis("dataset"), plain.swaplevel(axis="columns")]
    for table in tables:
        found = quietly(table, directions={})
        assert found.directions == {"F1": "higher", "Hamming loss": "lower"}
        for measure in found.measures:
            own = found.average_ranks[found.average_ranks["measure"] == measure]
            assert dict(zip(own["method"], own["rank"], strict=True)) == EXPECTED
        assert found.results.datasets == [f"set {place}" for place in range(8)]
        table.to_csv(tmp_path / "t.csv")
        again = quietly(tmp_path / "t.csv", directions={}, transposed=False)
        pd.testing.assert_frame_equal(again.means, found.means)
    unknown = plain.rename(columns={"F1": "a", "Hamming loss": "b"}).rename_axis(columns=(None, None))
    assert "measure" in refused(unknown).hint


def test_merged_cells_of_workbooks(tmp_path):
    file = tmp_path / "t.xlsx"
    for names in ((None, None), ("measure", "method")):
        of_two_measures().rename_axis(index="dataset", columns=names).to_excel(file)
        found = quietly(file, directions={})
        assert found.measures == ["F1", "Hamming loss"] and found.methods == ["one", "two", "three"]
    long_table().set_index(["dataset", "method"]).sort_index().to_excel(file)
    assert ranks(quietly(file)) == EXPECTED
    family = long_table().assign(family=["a", None, "b"] * 8)
    family[["dataset", "family", "method", "value"]].to_excel(file, index=False)
    with pytest.raises(UserError, match=r"several values|families"):
        quietly(file, family="family")


def test_a_merged_cell_stands_above_its_columns(tmp_path):
    head = "dataset,F1,,,Hamming loss,,\n,one,two,three,one,two,three\n"
    rows = of_two_measures().to_csv(header=False)
    found = quietly(file_of(tmp_path, head + rows), directions={})
    assert found.measures == ["F1", "Hamming loss"] and found.methods == ["one", "two", "three"]


# Tables in LaTeX and Markdown


LATEX = r"""
\begin{table}[t] % the results
\caption{AUC of all methods, 50\% of the rows}
\begin{tabular}{@{}l*{3}{r@{\,}l}@{}}
\toprule
\textbf{Dataset} & \textbf{one} & two & three \\ \midrule
ROWS
\addlinespace
Avg.\ rank & 3 & 2 & 1 \\ \bottomrule
\end{tabular}
\end{table}
"""


def test_a_table_in_latex_is_read(tmp_path):
    rows = [
        rf"set\_{name[-1]} & {row['one']} & ${row['two']} \pm 0.1$ & \textbf{{{row['three']}}} \\ \hline"
        for name, row in values().iterrows()
    ]
    found = quietly(file_of(tmp_path, LATEX.replace("ROWS", "\n".join(rows)), "t.tex"))
    assert ranks(found) == EXPECTED and found.results.datasets[3] == "set_3"
    assert found.means["mean"].tolist() == pytest.approx(values().mean().tolist())
    for command in (r"\num{", r"\textcolor{red}{", r"\cite{demsar2006}\emph{"):
        text = LATEX.replace("ROWS", "\n".join(rows)).replace(r"\textbf{", command)
        assert ranks(quietly(file_of(tmp_path, text, "t.tex"))) == EXPECTED
    note = r"\multicolumn{4}{l}{$\bullet$ significantly worse} \\"
    noted = LATEX.replace("ROWS", "\n".join(rows)).replace(r"\end{tabular}", note + "\n" + r"\end{tabular}")
    assert ranks(quietly(file_of(tmp_path, noted, "t.tex"))) == EXPECTED
    with pytest.warns(DataNotice, match="has 2 tables, of which the first is read"):
        compare(file_of(tmp_path, 2 * LATEX.replace("ROWS", "\n".join(rows)), "t.tex"), higher_is_better=True)
    rows[2] = rows[2].replace("\\textbf{", "\\textbf{x")
    assert refused(file_of(tmp_path, LATEX.replace("ROWS", "\n".join(rows)), "t.tex")).line == 9


@pytest.mark.parametrize(
    "cell",
    [
        *(
            r"{} $\pm$ 0.02",
            r"\textbf{{{}}}$\pm$0.02",
            r"${}_{{\pm 0.02}}$",
            r"{}\,{{\scriptsize$\pm$\,0.02}}",
        ),
        *(r"{}$^*$", r"${}^{{\dagger}}$", r"{}~$\bullet$", r"\underline{{\textbf{{{}}}}}"),
    ],
)
def test_formulas_of_latex_are_read(tmp_path, cell):
    rows = [[name, *(cell.format(value) for value in row)] for name, row in values().iterrows()]
    text = "\\\\\n".join(map(" & ".join, [["Dataset", "one", "two", "ML-$k$NN"], *rows]))
    found = quietly(file_of(tmp_path, f"\\begin{{tabular}}{{lrrr}}\n{text}\n\\end{{tabular}}", "t.tex"))
    assert found.means["mean"].tolist() == pytest.approx(values().mean().tolist())
    assert found.methods[-1] == "ML-kNN"


def test_cells_over_several_columns_and_rows_of_latex(tmp_path):
    head = (
        r"& \multicolumn{3}{c}{F1} & \multicolumn{3}{c}{HL $\downarrow$} \\ \cmidrule(lr){2-4}\cmidrule{5-7}"
        "\n"
    )
    head += r"Dataset & one & two & three & one & two & three \\" "\n"
    rows = [" & ".join([name, *map(str, row)]) + r" \\" for name, row in of_two_measures().iterrows()]
    text = r"\begin{tabular}{lrrrrrr}" + "\n" + head + "\n".join(rows) + "\n\\end{tabular}"
    found = quietly(file_of(tmp_path, text, "t.tex"), directions={})
    assert list(found.directions.values()) == ["higher", "lower"] and found.methods == ["one", "two", "three"]
    long = "\\begin{tabular}{llr}\nDataset & Method & AUC \\\\\n"
    for name, row in values().iterrows():
        first, *others = row.index
        long += f"\\multirow{{3}}{{*}}{{{name}}} & {first} & {row[first]} \\\\\n"
        long += "".join(f" & {other} & {row[other]} \\\\\n" for other in others)
    assert ranks(quietly(file_of(tmp_path, long + "\\end{tabular}", "t.tex"))) == EXPECTED


def test_emphasis_in_markdown_is_no_part_of_names(tmp_path):
    text = "| **Dataset** | **one** | *two* | `three` |\n|---|---:|---:|---:|\n"
    for name, row in values().iterrows():
        text += f"| {name} | {row['one']} | {row['two']} | **{row['three']}** |\n"
    text += "||\n| *Average* | 1 | 2 | 3 |\n"
    for before in ("", "Results | by dataset, as mlsieve writes them\n\n"):
        found = quietly(file_of(tmp_path, before + text + "\nand | so on\n", "t.md"))
        assert ranks(found) == EXPECTED and len(found.results.datasets) == 8
    error = refused(file_of(tmp_path, text.replace("| set 2 |", "| set 2 | 0.1 |"), "t.md"))
    assert error.line == 5 and error.hint
    assert refused(file_of(tmp_path, text.replace("*two*", "one"), "t.md")).line == 1


def test_tables_joined_with_their_headers_are_one(tmp_path):
    parts = [values().iloc[rows].rename_axis("dataset").to_csv() for rows in (slice(4), slice(4, 8))]
    found = quietly(file_of(tmp_path, "".join(parts), "t.csv"))
    assert ranks(found) == EXPECTED and len(found.results.datasets) == 8


def test_counts_of_undefined_labels_are_compared_only_if_named():
    tables = [long_table(value="f1").assign(**{"f1-undefined": [1, 2] * 12})]
    tables.append(
        pd.concat([long_table().assign(measure=name) for name in ("macro-f1", "macro-f1-undefined")])
    )
    for table, names in zip(tables, (["f1"], ["macro-f1"]), strict=True):
        assert quietly(table, directions={}).measures == names
        both = [*names, f"{names[0]}-undefined"]
        assert quietly(table, measures=both, directions={both[1]: "lower"}).measures == both


def test_a_column_of_average_ranks_is_no_dataset():
    table = values().T.rename_axis("method").assign(**{"Avg. rank": [3, 2, 1]})
    assert ranks(quietly(table.reset_index())) == EXPECTED


# Files of benchmarks of AutoML


def test_files_of_the_automl_benchmark():
    table = long_table(dataset="task", method="framework", value="result").assign(
        id=lambda t: "openml.org/t/" + t["task"].str[-1], fold=0, metric="neg_logloss", version="0.5.1"
    )
    table = pd.concat([table.assign(fold=fold, seed=lambda t: range(len(t))) for fold in range(3)])
    found = quietly(table, directions={})
    assert found.directions == {"neg_logloss": "higher"} and ranks(found) == EXPECTED
    assert found.results.repeats == "fold"
    losses = table.assign(metric="logloss", result=-table["result"])
    assert ranks(quietly(losses, directions={})) == EXPECTED


def test_the_value_column_decides_where_it_says_more_than_the_metric():
    table = long_table(value="metric_error").assign(
        metric_error=lambda t: -t["metric_error"], metric="roc_auc"
    )
    table = table.assign(fold=0, time_train_s=range(24), imputed=False, metric_error_val=0.5)
    found = quietly(table, directions={})
    assert found.directions == {"metric_error (roc_auc)": "lower"} and ranks(found) == EXPECTED


def test_names_of_columns_with_the_word_name():
    table = long_table(dataset="dataset_name", method="classifier_name", value="accuracy")
    assert ranks(quietly(table, directions={})) == EXPECTED


def test_a_header_of_numbers_is_a_header():
    rows = "".join(f"x{place},0.{place}1,0.{place}2,0.{place}3\n" for place in range(1, 6))
    text = io.StringIO("folds:,0,1,2\n" + rows)
    error = refused(pd.read_csv(text).rename(columns={"folds:": "dataset"}))
    assert "0 to 2" in str(error)
