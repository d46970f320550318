"""Which columns of a table of results are methods and measures, and which direction is better."""

from __future__ import annotations

import pytest
from test_compare_tables import long_table, quietly, values

from mlsieve.cli import main
from mlsieve.comparison.directions import known_direction
from mlsieve.comparison.table.names import is_no_result
from mlsieve.errors import UserError


def notes_of(found) -> str:
    return "; ".join(found.notes)


def test_methods_may_be_called_by_numbers(tmp_path):
    table = values().set_axis(["5", "10", "50"], axis="columns").rename_axis("dataset")
    table.to_csv(tmp_path / "t.csv")
    found = quietly(tmp_path / "t.csv")
    assert found.methods == ["5", "10", "50"] and len(found.results.datasets) == len(table)


def test_a_table_in_markdown_is_read(tmp_path):
    rows = [["dataset", "one", "two"], ["---", "---:", ":---:"]]
    rows += [[f"set {place}", f"0.{place}1", f"0.{place}2"] for place in range(1, 8)]
    (tmp_path / "t.md").write_text("".join(f"| {' | '.join(row)} |\n" for row in rows))
    found = quietly(tmp_path / "t.md")
    assert found.results.datasets == [f"set {place}" for place in range(1, 8)]
    assert found.left_out == {"value": []}


@pytest.mark.parametrize(
    "name", ["n_features", "#labels", "#", "Instances", "label density", "F1_std", "std_F1"]
)
def test_columns_that_describe_data_are_recognised(name):
    assert is_no_result(name)


@pytest.mark.parametrize(
    "name", ["BR", "labels chain", "ECC-10", "SD tree", "n5", "variance", "F1", "ML-kNN"]
)
def test_methods_are_no_descriptions(name):
    assert not is_no_result(name)


def test_columns_that_describe_data_are_no_methods_unless_named():
    table = values().assign(n_features=range(100, 108), n_labels=6)
    found = quietly(table)
    assert found.methods == ["one", "two", "three"]
    assert "2 columns not taken for methods: n_features, n_labels (--methods names" in notes_of(found)
    assert quietly(table, methods=["one", "n_features"]).methods == ["one", "n_features"]


def test_spreads_and_constants_are_no_measures_unless_named():
    table = long_table().rename(columns={"value": "F1"}).assign(F1_std=lambda t: t["F1"] / 10, k=5)
    found = quietly(table)
    assert found.measures == ["F1"] and "not taken for measures: F1_std, k" in notes_of(found)
    assert quietly(table, measures=["F1", "F1_std"], higher_is_better=True).measures == ["F1", "F1_std"]
    bounds = table[["dataset", "method", "F1"]].assign(ci_lower=0.1 * table["F1"], ci_upper=0.9)
    assert quietly(bounds.assign(ci_upper=table["F1"] * 2)).measures == ["F1"]


@pytest.mark.parametrize(
    "name",
    [
        *("HL", "RL", "OE", "OneError", "one-error", "Hamming_Loss", "RMSE", "log loss", "0/1 loss"),
        *("error rate", "runtime (s)", "coverage error", "Brier score", "zero-one loss", "Ranking Loss"),
        *("hammingloss", "rankingloss", "oneerror", "logloss", "cross_entropy", "MSE (test)", "loss (test)"),
        *("misclassification rate", "H. Loss", "time_train_s", "test_RMSE", "1 - accuracy", "negative R2"),
        *("Score ↓", "metric_error (roc_auc)", "mean absolute error [val]", "average rank", "100 - Acc (%)"),
        *("Accuracy (lower is better)", "FPR@95 TPR", "0/1 loss (test)"),
        *("1 \u2013 F1", "1 minus AUC", "-accuracy", "-log likelihood", "negative log likelihood"),
        *("FPR@95", "FPR at 95% TPR", "normalised coverage", "coverage (norm.)", "Coverage error"),
    ],
)
def test_lower_is_better_by_the_name_of_a_loss(name):
    assert quietly(values(), measures=[name]).directions == {name: "lower"}
    assert quietly(long_table(value=name), directions={name: "higher"}).directions == {name: "higher"}


@pytest.mark.parametrize(
    "name",
    [
        *("AUC", "F1 score", "AP", "neg_log_loss", "1 - Hamming loss", "accuracy", "ROC_AUC", "macroF1"),
        *("Accuracy (%)", "test_accuracy", "Ma. Prec", "NDCG@10", "error reduction ↑", "hammingaccuracy"),
        *("test/accuracy", "Percent_correct", "TPR at 1% FPR", "error (higher = better)"),
        *("Hamming score", "neg_mean_squared_error", "label ranking average precision", "subsetAccuracy"),
        *(
            "neg_coverage_error",
            "1 - coverage",
            "mean reciprocal rank",
            "TPR@FPR=0.01",
            "mAP@[.5:.95]",
            "precision_at_5",
        ),
    ],
)
def test_higher_is_better_by_the_name_of_a_score(name):
    assert known_direction(name) == "higher"


@pytest.mark.parametrize(
    "name",
    [
        *("", "value", "score", "test score", "x", "1-error", "mean", "quality", "C4.5", "AUC (rank)"),
        *(
            "1-NN error",
            "1-NN accuracy",
            "inaccuracy",
            "imprecision",
            "time to accuracy",
            "error correlation",
        ),
        *("1/MSE", "accuracy/time", "Accuracy (error)", "AUC (1 - AUC)", "improvement in error"),
        *("negative recall", "negative class F1", "inverse precision", "non-error rate"),
        *("drop in accuracy", "gain in F1", "log-likelihood (negative)"),
        *("Coverage (%)", "empirical coverage", "coverage at 0.9", "Hamming (similarity)"),
    ],
)
def test_other_names_say_nothing_of_the_direction(name):
    assert known_direction(name) is None


@pytest.mark.parametrize(
    "name", ["ReliefF", "RF-ReliefF", "RAkELo", "LambdaRank", "InceptionTime", "Pearson", "Entropy", "F-test"]
)
def test_methods_called_like_measures_are_methods(name):
    assert quietly(values().rename(columns={"one": name})).methods == [name, "two", "three"]


def test_the_measures_without_a_direction_are_named():
    names = ["score a", "score b", "RMSE", "MAE"]
    table = long_table().drop(columns="value").assign(**{name: long_table()["value"] for name in names})
    with pytest.raises(UserError) as caught:
        quietly(table, directions={})
    assert "'score a' and 'score b'" in str(caught.value) and "--lower NAME" in caught.value.hint
    ways = {"RMSE": "lower", "MAE": "lower"}
    assert quietly(table, higher_is_better=True).directions == ways | dict.fromkeys(names[:2], "higher")
    assert (
        quietly(table, directions={"score a": "lower", "score b": "higher"}).directions["score a"] == "lower"
    )


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (values(), {"test_per_train": 0.1}, "--test-per-train has no effect"),
        (
            long_table().assign(fold=lambda t: t["dataset"], dataset="the only one"),
            {"rope": 0.1},
            "--rope has no effect",
        ),
        (
            values(),
            {"measures": ["f"], "directions": {"f": "higher"}, "lower_is_better": True},
            "--lower-is-better has no effect",
        ),
    ],
)
def test_options_without_effect_are_named(table, options, said):
    assert said in notes_of(quietly(table, **options))


def test_options_of_text_are_refused_for_workbooks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    values().rename_axis("dataset").to_excel("t.xlsx")
    assert main(["compare", "t.xlsx", "--sep", ";"]) == 2
    assert "--sep is about tables of text, and this is none; leave it out" in capsys.readouterr().err


def test_numbers_with_and_without_percent_are_refused():
    table = values().astype(object)
    table.iloc[0, 0] = "60 %"
    with pytest.raises(UserError, match="column 'one' has numbers with and without a percent sign"):
        quietly(table)


def test_thousands_are_read():
    table = (values() * 1000 + 1000).map("{:,.1f}".format)
    assert quietly(table).means["mean"].min() > 1000


def test_a_dataset_without_family_is_named():
    table = values().assign(field=["a", "a", "b", "b", "c", "c", "", ""]).rename_axis("dataset").reset_index()
    said = notes_of(quietly(table, family="field"))
    assert "set 6 and set 7 without a value of 'field': each counts as a family of its own" in said
