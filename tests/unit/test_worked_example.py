"""The first iterations of SCLS and AMI: the selectors' own choices, and the published figures."""

import csv

import numpy as np
import pytest
from synthetic_study import shown

from mlsieve.analysis.tables.worked import worked_tables
from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.errors import UserError
from mlsieve.sections.published import printed_example
from mlsieve.selectors import AMI, SCLS
from mlsieve.tables.worked_example import WORKED_COLUMNS, worked_example

SELECTORS = {"scls": SCLS(), "ami": AMI(), "ami-printed": AMI(form="printed")}


@pytest.fixture(scope="module")
def dataset():
    return load_dataset("synthetic-linear")


def rows_of(rows, selector, iteration=None):
    return [row for row in rows if row.selector == selector and iteration in (None, row.iteration)]


def test_what_is_selected_is_what_the_selectors_select(dataset):
    rows = worked_example(dataset, iterations=4)
    for name, selector in SELECTORS.items():
        fitted = selector.set_params(n_features_to_select=4).fit(dataset.X, dataset.Y.toarray())
        chosen = [row for row in rows_of(rows, name) if row.selected]
        assert [row.iteration for row in chosen] == [1, 2, 3, 4]
        assert [row.feature for row in chosen] == fitted.selection_.order[:4].tolist()
        expected = fitted.selection_.scores[fitted.selection_.order[:4]]
        assert [row.criterion for row in chosen] == pytest.approx(expected.tolist())


def test_each_number_follows_from_the_others(dataset):
    rows = worked_example(dataset, iterations=3, features=[0, 1])
    for row in rows:
        if np.isnan(row.criterion):
            continue
        expected = {
            "scls": row.relevance * (1 - row.redundancy / row.entropy),
            "ami": row.relevance - row.redundancy / max(row.iteration - 1, 1),
            "ami-printed": row.relevance - row.redundancy,
        }[row.selector]
        assert row.criterion == pytest.approx(expected)
    for name in SELECTORS:
        for iteration in (1, 2, 3):
            part = rows_of(rows, name, iteration)
            assert {0, 1} <= {row.feature for row in part}
            (chosen,) = [row for row in part if row.selected]
            assert chosen is part[0] and chosen.criterion == max(
                row.criterion for row in part if not np.isnan(row.criterion)
            )
            gone = {row.feature for row in rows_of(rows, name) if row.selected and row.iteration < iteration}
            assert {row.feature for row in part if np.isnan(row.criterion)} == gone


def test_relevance_is_reduced_to_the_criterion(dataset):
    for row in worked_example(dataset, iterations=3):
        if np.isnan(row.criterion):
            assert np.isnan(row.reduction)
            continue
        assert row.relevance - row.reduction == pytest.approx(row.criterion)
        charged = row.redundancy / max(row.iteration - 1, 1)
        expected = {
            "scls": row.redundancy / row.entropy * row.relevance,
            "ami": charged,
            "ami-printed": row.redundancy,
        }
        assert row.reduction == pytest.approx(expected[row.selector], abs=1e-9)


def test_more_iterations_than_features_end_with_the_features(dataset):
    n_features = dataset.X.shape[1]
    rows = worked_example(dataset, iterations=n_features + 5)
    assert max(row.iteration for row in rows) == n_features


def test_published_figures_on_bibtex(mirror, tmp_path):
    path = tmp_path / "worked.csv"
    words = ["worked-example", "bibtex", "--features", "0,381,951,1823", "-o", str(path)]
    assert main(words) == 0
    with path.open(encoding="utf-8", newline="") as stream:
        rows = {(row["selector"], row["iteration"], row["feature"]): row for row in csv.DictReader(stream)}

    def value(name, *key):
        return float(rows[key][name])

    for feature, entropy in {"381": 0.845, "951": 0.587, "1823": 0.587}.items():
        assert value("entropy", "scls", "1", feature) == pytest.approx(entropy, abs=5e-4)
    for feature, relevance in {"951": 1.596, "381": 1.007, "0": 0.199}.items():
        assert value("relevance", "scls", "1", feature) == pytest.approx(relevance, abs=5e-4)
    for feature, criterion in {"381": 0.633, "0": 0.198, "1823": 0.0}.items():
        assert value("criterion", "scls", "2", feature) == pytest.approx(criterion, abs=5e-4)
    for form in ("ami", "ami-printed"):
        for feature, criterion in {"381": 0.693, "0": 0.197, "1823": 1.0097}.items():
            room = 5e-5 if feature == "1823" else 5e-4
            assert value("criterion", form, "2", feature) == pytest.approx(criterion, abs=room)
    assert rows["scls", "2", "381"]["selected"] == rows["ami", "2", "1823"]["selected"] == "1"


def test_the_command_and_its_errors(tmp_path, capsys):
    path = tmp_path / "worked.csv"
    assert main(["worked-example", "synthetic-linear", "--iterations", "3", "-o", str(path)]) == 0
    assert main(["worked-example", "synthetic-linear", "--iterations", "3"]) == 0
    shown = capsys.readouterr().out
    assert shown == path.read_text() and shown.splitlines()[0] == ",".join(WORKED_COLUMNS)
    for words, told in (
        (["--features", "a"], "--features a: not whole numbers"),
        (["--features", "99999"], "there is no feature 99999"),
        (["--iterations", "0"], "--iterations must be at least 1, got 0"),
        (["--discretize", "lame"], "unknown discretisation 'lame'"),
    ):
        assert main(["worked-example", "synthetic-linear", *words]) == 2
        assert told in capsys.readouterr().err
    with pytest.raises(UserError, match="no feature -1"):
        worked_example(load_dataset("synthetic-linear"), features=[-1])


def test_the_report_shows_a_table_a_selector(tmp_path):
    from mlsieve.files.csv_tables import read_frame

    path = tmp_path / "worked.csv"
    assert main(["worked-example", "synthetic-linear", "-o", str(path)]) == 0
    tables = worked_tables(read_frame(path), "synthetic-linear", {})
    assert [table.title.split(":")[0] for table in tables] == ["SCLS", "AMI with the mean", "AMI as printed"]
    for table in tables:
        marked = [[cell.text for cell in row.cells] for row in shown(table).rows if row.marked]
        assert [cells[0] for cells in marked] == ["1", "2"] and all(cells[-1] == "yes" for cells in marked)
        assert all(cells[1].startswith("f") for cells in marked)


def test_published_numbers_stand_beside_those_of_the_papers_example(mirror, tmp_path):
    from mlsieve.files.csv_tables import read_frame

    path = tmp_path / "worked.csv"
    assert main(["worked-example", "bibtex", "--features", "0,381,951,1823", "-o", str(path)]) == 0
    tables = worked_tables(read_frame(path), "bibtex", printed_example("bibtex"))
    assert tables[0].columns.count("published") == 2
    found = 0
    for table in tables:
        for row in shown(table).rows:
            published, difference = row.cells[8].text, row.cells[9].text
            assert bool(published) == bool(difference)
            if published:
                found += 1
                room = 0.0008 if published == "1.009" else 0.0006  # 1.009 is of rounded terms
                assert abs(float(difference)) < room
            if row.cells[3].text:
                assert abs(float(row.cells[2].text) - float(row.cells[3].text)) < 0.0006
    assert found == 3 * 7
