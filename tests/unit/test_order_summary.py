"""``mlsieve column-order-summary`` and its section of the report, against numbers worked out by hand."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from synthetic_study import section_tables

from mlsieve.analysis.sentences.orders import OF_CLUS, order_sentences
from mlsieve.cli import main
from mlsieve.evaluation.column_order import COLUMNS
from mlsieve.files.csv_tables import as_csv, read_frame, read_rows
from mlsieve.files.writing import write_text
from mlsieve.questions.ensembles.column_order import measure_tables, section, similarity_tables
from mlsieve.report.counted import counted_part

SETS = ("a", "b", "c", "d", "e", "f", "g")
# Spearman between orders and between seeds, one for each dataset, of each ranking under ties=first.
SIMILAR = {
    ("bagging", "genie3"): ([0.1, 0.3, -0.2, 0.4, 0.0, 0.2, 0.6], [0.9, 0.8, 0.7, 0.95, 0.6, 0.85, 0.75]),
    ("extra-trees", "symbolic"): ([0.5, 0.7, 0.6, 0.8, 0.4, 0.9, 0.3], [0.4, 0.5, 0.3, 0.6, 0.2, 0.1, 0.0]),
}
# hamming-loss (less is better) of the orders and the other seed under first, and of random.
LOSS = {
    ("bagging", "genie3"): (
        [0.20, 0.30, 0.10, 0.25, 0.40, 0.35, 0.15],
        [0.21, 0.29, 0.12, 0.25, 0.43, 0.35, 0.16],
        [0.20, 0.30, 0.10, 0.26, 0.40, 0.35, 0.15],
        [0.19, 0.28, 0.07, 0.21, 0.35, 0.29, 0.08],
    ),
    ("extra-trees", "symbolic"): (
        [0.22, 0.31, 0.11, 0.27, 0.41, 0.36, 0.14],
        [0.22, 0.31, 0.11, 0.27, 0.41, 0.36, 0.15],
        [0.24, 0.31, 0.11, 0.27, 0.41, 0.36, 0.14],
        [0.21, 0.33, 0.14, 0.23, 0.46, 0.30, 0.21],
    ),
}


def effects_of(place: int, *, draws_agree: bool = True) -> list[dict]:
    """Return a dataset's table of effects."""
    rows = []

    def add(pair, ties, comparison, quantity, value, evaluator=""):
        head = {
            "dataset": SETS[place],
            "split": "official",
            "repeat": 0,
            "ensemble": pair[0],
            "score": pair[1],
        }
        definition = "clus" if evaluator else ""
        rest = (50, ties, comparison, evaluator, definition, quantity, repr(value))
        rows.append(head | dict(zip(COLUMNS[5:], rest, strict=True)))

    for pair, (orders, seeds) in SIMILAR.items():
        for quantity, more in (("spearman", 0.0), ("fuji", 0.05)):
            add(pair, "first", "between orders", quantity, orders[place] + more)
            add(pair, "first", "between seeds", quantity, seeds[place] + more)
            add(pair, "random", "between orders", quantity, 1.0 if draws_agree else 0.75)
            add(pair, "random", "between seeds", quantity, 0.5)
        ways = (("first", "file"), ("first", "reversed"), ("first", "other seed"), ("random", "file"))
        for (ties, way), values in zip(ways, LOSS[pair], strict=True):
            add(pair, ties, way, "hamming-loss", values[place], "weighted-knn")
        add(pair, "random", "reversed", "hamming-loss", LOSS[pair][3][place], "weighted-knn")
        add(pair, "random", "other seed", "hamming-loss", 0.5, "weighted-knn")
    return rows


def written(folder, rows_by_name) -> list[str]:
    for name, rows in rows_by_name.items():
        write_text(folder / f"{name}.csv", as_csv(COLUMNS, rows))
    return [str(folder / f"{name}.csv") for name in rows_by_name]


def summarised(folder, files, *options):
    """Run the command and return the summary, the tests and the sentences."""
    targets = {name: folder / f"column_order_{name}.csv" for name in ("summary", "tests")}
    targets["findings"] = folder / "column_order_findings.json"
    words = [str(word) for name, path in targets.items() for word in (f"--{name}", path)]
    joined = folder / "column_order.csv"
    assert main(["column-order-summary", *files, *words, "-o", str(joined), *options]) == 0
    sentences = json.loads(targets["findings"].read_text())["sentences"]
    return read_frame(targets["summary"]), read_frame(targets["tests"]), sentences


@pytest.fixture
def files(tmp_path):
    return written(tmp_path, {name: effects_of(place) for place, name in enumerate(SETS)})


def test_the_tables_are_joined_in_their_order(tmp_path, files):
    summarised(tmp_path, files)
    joined = read_rows(tmp_path / "column_order.csv")
    assert tuple(joined[0]) == COLUMNS
    expected = [row for place in range(7) for row in effects_of(place)]
    assert [{**row, "value": float(row["value"])} for row in joined] == [
        {**{key: str(value) for key, value in row.items()}, "value": float(row["value"])} for row in expected
    ]


def test_medians_and_extremes_by_hand(tmp_path, files):
    summary, _, _ = summarised(tmp_path, files)
    assert (
        len(summary) == 2 * 2 * 2 * 2 and set(summary["n_datasets"]) == {7} and set(summary["size"]) == {50}
    )
    by = summary.set_index(["ensemble", "ties", "comparison", "quantity"])[["median", "least", "largest"]]
    assert by.loc[("bagging", "first", "between orders", "spearman")].tolist() == [0.2, -0.2, 0.6]
    assert by.loc[("bagging", "first", "between seeds", "spearman")].tolist() == [0.8, 0.6, 0.95]
    assert by.loc[("bagging", "first", "between orders", "fuji")].tolist() == pytest.approx(
        [0.25, -0.15, 0.65]
    )
    assert by.loc[("extra-trees", "random", "between orders", "fuji")].tolist() == [1, 1, 1]


def test_a_dataset_without_a_correlation_does_not_count(tmp_path):
    tables = {name: effects_of(place) for place, name in enumerate(SETS)}
    lost = next(row for row in tables["g"] if row["quantity"] == "spearman")  # 0.6, the largest
    lost["value"] = "NaN"
    summary, _, sentences = summarised(tmp_path, written(tmp_path, tables))
    row = summary.iloc[0]
    assert (row["n_datasets"], row["largest"]) == (6, 0.4) and row["median"] == pytest.approx(0.15)
    assert "over 6 to 7 datasets" in sentences[0]


def test_tests_by_hand(tmp_path, files):
    _, tests, _ = summarised(tmp_path, files)
    assert tests["variant"].unique().tolist() == ["all"] and len(tests) == 2
    p_values = [
        scipy.stats.wilcoxon(np.round(np.subtract(first, drawn), 6)).pvalue
        for first, _, _, drawn in LOSS.values()
    ]
    assert tests["p_value"].tolist() == pytest.approx(p_values)
    # All seven differences favour random: 2 / 2^7.
    assert p_values[0] == pytest.approx(1 / 64) and p_values[1] > 0.2
    assert tests["p_adjusted"].tolist() == pytest.approx([1 / 32, p_values[1]])
    assert tests["rejected"].tolist() == [True, False]
    for (_, row), (first, turned, reseeded, drawn) in zip(tests.iterrows(), LOSS.values(), strict=True):
        assert row["methods"] == "ties-first;ties-random" and row["n_datasets"] == 7
        assert row["mean_first"] == pytest.approx(np.mean(first))
        assert row["mean_first_reversed"] == pytest.approx(np.mean(turned))
        assert row["mean_random"] == pytest.approx(np.mean(drawn))
        assert row["order_difference"] == pytest.approx(np.mean(np.abs(np.subtract(first, turned))))
        assert row["seed_difference"] == pytest.approx(np.mean(np.abs(np.subtract(first, reseeded))))
    assert (tests.loc[0, "wins"], tests.loc[0, "ties"], tests.loc[0, "losses"]) == (0, 0, 7)
    assert (tests.loc[0, "rank_sum_better"], tests.loc[0, "rank_sum_worse"]) == (0, 28)


def test_a_family_counts_once(tmp_path, files):
    (tmp_path / "analysis.json").write_text(json.dumps({"domains": dict.fromkeys("abcd", "one")}))
    _, tests, sentences = summarised(tmp_path, files, "--analysis", str(tmp_path / "analysis.json"))
    rows = tests[(tests["variant"] == "one-per-domain") & (tests["ensemble"] == "bagging")]
    assert rows["test"].tolist()[0] == "wilcoxon" and set(rows["n_datasets"]) == {4}
    assert not rows["rejected"].any()
    first = LOSS["bagging", "genie3"][0]
    once = np.mean([np.mean(first[:4]), *first[4:]])
    assert rows["mean_first"].tolist() == pytest.approx([once] * len(rows))
    assert (
        "1 of 2 differences are significant (random is better in 1: bagging/genie3 1); with each domain of "
        "related datasets counted once, 4 domains are too few for any significant result (the smallest "
        "possible p-value is 0.125)."
    ) in sentences[3]


def test_few_datasets_can_show_nothing(tmp_path, files):
    _, tests, sentences = summarised(tmp_path, files[:4])
    assert set(tests["n_datasets"]) == {4} and not tests["rejected"].any()
    few = "over 4 datasets; these are too few for any significant difference (the smallest possible p-value"
    assert sentences[3].endswith(f"{few} is 0.125).")


def test_sentences_by_hand(tmp_path, files):
    _, _, sentences = summarised(tmp_path, files)
    first, drawn, measures, rules, of_clus = sentences
    assert first == (
        "With ties=first, the rankings of the original and of the reversed columns have a median Spearman "
        "correlation between 0.20 (bagging/genie3) and 0.60 (extra-trees/symbolic) over 7 datasets. Rankings "
        "of two seeds have a median correlation between 0.30 (extra-trees/symbolic) and 0.80 "
        "(bagging/genie3). By these medians, reversing the columns changes 1 of 2 rankings more than a "
        "change of the seed does: bagging/genie3."
    )
    assert drawn == "With ties=random, reversing the columns changes no ranking on any dataset."
    # Differences of 0.08 between the orders and 0.01 between the seeds; of 0.01 and 0.02.
    assert measures.endswith("than a change of the seed does in 1 of 2 combinations of ranking and measure.")
    assert (
        "over 7 datasets: 1 of 2 differences are significant (random is better in 1: bagging/genie3 1)."
        in rules
    )
    assert of_clus == OF_CLUS


def test_draws_that_depend_on_the_order_would_be_reported(tmp_path):
    tables = {name: effects_of(place, draws_agree=place > 0) for place, name in enumerate(SETS)}
    _, _, sentences = summarised(tmp_path, written(tmp_path, tables))
    assert (
        "changes rankings: the least Spearman correlation is 0.750 and the least FUJI similarity 0.750"
        in (sentences[1])
    )


def test_rankings_alone_and_no_table_at_all(tmp_path):
    tables = {
        name: [row for row in effects_of(place) if not row["evaluator"]] for place, name in enumerate(SETS)
    }
    _, tests, sentences = summarised(tmp_path, written(tmp_path, tables))
    assert tests.empty and len(sentences) == 3
    summary, tests, sentences = summarised(tmp_path, [])
    assert summary.empty and tests.empty and sentences == []
    assert similarity_tables(summary) == [] and measure_tables(tests) == []


def test_several_numbers_of_trees_stay_apart(tmp_path):
    tables = {}
    for place, name in enumerate(SETS):
        tables[name] = effects_of(place)
        tables[f"{name}-10"] = [{**row, "size": 10} for row in effects_of(place)]
    summary, tests, sentences = summarised(tmp_path, written(tmp_path, tables))
    assert summary["size"].value_counts().to_dict() == {50: 16, 10: 16}
    assert tests["size"].tolist() == [50, 50, 10, 10] and set(tests["n_datasets"]) == {7}
    assert "(bagging/genie3/50)" in sentences[0] and "changes 2 of 4 rankings" in sentences[0]


def test_wrong_tables_are_refused(tmp_path, files, capsys):
    assert main(["column-order-summary", files[0], files[0]]) == 2
    assert "dataset 'a' is in the tables twice" in capsys.readouterr().err
    (tmp_path / "other.csv").write_text("dataset,value\na,1\n")
    assert main(["column-order-summary", str(tmp_path / "other.csv")]) == 2
    said = capsys.readouterr().err
    assert "other.csv" in said and "make it with 'mlsieve step column-order'" in said
    assert main(["column-order-summary", str(tmp_path / "none.csv")]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main(["column-order-summary", *files]) == 0
    assert capsys.readouterr().out.startswith(
        "ensemble,score,size,ties,comparison,quantity,n_datasets,median"
    )


def test_the_report_shows_the_tables(tmp_path, files):
    _, _, sentences = summarised(tmp_path, files)
    made = section(section_tables(tmp_path))
    assert [finding.text for finding in made.findings] == sentences and made.notes == []
    similar, measured = map(counted_part, made.tables)
    assert not similar["folded"] and measured["folded"]
    rows = [[cell.text for cell in row.cells] for row in similar["table"].rows]
    assert rows[0] == [
        *("bagging/genie3", "50", "first", "7", "0.20 (-0.20 to 0.60)", "0.80 (0.60 to 0.95)"),
        *("0.25 (-0.15 to 0.65)", "0.85 (0.65 to 1)"),
    ]
    assert [row[2] for row in rows] == ["first", "random"] * 2 and rows[1][0] == "bagging/genie3"
    assert rows[1][4] == "1 (1 to 1)", "what is shown as 1 is exactly 1"
    almost = read_frame(tmp_path / "column_order_summary.csv").assign(largest=0.9999)
    assert similarity_tables(almost)[0].rows[0][4] == "0.20 (-0.20 to > 0.99)"
    first = measured["table"].rows[0]
    means = [f"{np.mean(LOSS['bagging', 'genie3'][place]):.4f}" for place in (0, 1, 3)]
    assert [cell.text for cell in first.cells] == [
        *("hamming-loss", "bagging/genie3", "7", *means, "0.0114", "0.0014", "0.016", "0.031")
    ]
    assert first.marked and not measured["table"].rows[1].marked
    assert len(first.cells) == len(measured["table"].columns)


def test_a_missing_table_is_a_note_of_the_report(tmp_path):
    made = section(section_tables(tmp_path))
    assert made.findings == [] and "column_order_summary.csv is missing" in made.notes[0]


def test_nothing_to_say_without_rows():
    assert order_sentences(pd.DataFrame(), pd.DataFrame()) == []
