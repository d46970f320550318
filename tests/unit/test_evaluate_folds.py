"""mlsieve evaluate --method ... --cv: rankers that rank inside each fold."""

from __future__ import annotations

import csv
import io
import statistics

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_validate
from sklearn.pipeline import Pipeline

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.data.dataset import Dataset
from mlsieve.evaluation.folds import divided
from mlsieve.evaluation.ranked_folds import RankedFolds, ranking_method
from mlsieve.evaluators import WeightedKNN
from mlsieve.hierarchy import Hierarchy
from mlsieve.measures import choose, evaluate_all
from mlsieve.rankers import PCTForestRanker, ReliefRanker, UniformRanker
from mlsieve.stats import corrected_resampled_test

pytestmark = pytest.mark.usefixtures("elsewhere")


class Weighted(ClassifierMixin, BaseEstimator):
    """Nearest neighbours whose distance a ranker of the same training rows weights."""

    def __init__(self, ranker, k=15):
        self.ranker = ranker
        self.k = k

    def fit(self, X, Y):
        weights = clone(self.ranker).fit(X, Y).feature_importances_
        self.model_ = WeightedKNN(k=self.k, weights=weights).fit(X, Y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def run(capsys, *words) -> tuple[int, str, str]:
    status = main(["evaluate", *map(str, words)])
    output = capsys.readouterr()
    told = [line for line in output.err.splitlines(keepends=True) if ", cardinality " not in line]
    return status, output.out, "".join(told)


def table(text: str) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["method"], row["measure"]): row for row in csv.DictReader(io.StringIO(text))}


def all_measures(model, X, Y) -> dict[str, float]:
    return evaluate_all(Y, model.predict_proba(X))


def by_scikit_learn(dataset: Dataset, model, folds: int, repeats: int = 1) -> dict[str, np.ndarray]:
    """Return the values of each measure in the folds of the command."""
    masks = [fold.dataset.train_mask for fold in divided(dataset, folds, repeats)]
    parts = [(np.flatnonzero(mask), np.flatnonzero(~mask)) for mask in masks]
    found = cross_validate(model, dataset.X, dataset.Y.toarray(), cv=parts, scoring=all_measures)
    return {name.removeprefix("test_"): values for name, values in found.items() if name.startswith("test_")}


def require_equal(rows, method: str, values: dict[str, np.ndarray]) -> None:
    assert {measure for name, measure in rows if name == method} == values.keys()
    for measure, of_folds in values.items():
        row = rows[method, measure]
        known = of_folds[~np.isnan(of_folds)].tolist()
        assert float(row["mean"]) == pytest.approx(statistics.fmean(known), abs=1e-12)
        assert float(row["standard_deviation"]) == pytest.approx(statistics.stdev(known), abs=1e-12)
        assert int(row["folds"]) == len(known)


def test_it_is_scikit_learns_cross_validation_of_a_pipeline(capsys):
    """The ten best features weigh alike."""
    data = load_dataset("synthetic-linear")
    words = ("synthetic-linear", "--method", "pct:trees=10", "relief", "uniform", "--set", "features=10")
    status, text, told = run(capsys, *words, "--cv", 4, "--repeats", 2)
    assert status == 0 and told == ""
    rankers = {
        "pct:trees=10": PCTForestRanker(n_estimators=10, n_features_to_select=10),
        "relief": ReliefRanker(n_features_to_select=10),
        "uniform": UniformRanker(n_features_to_select=10),
    }
    for name, ranker in rankers.items():
        model = Pipeline([("rank", ranker), ("neighbors", WeightedKNN())])
        require_equal(table(text), name, by_scikit_learn(data, model, 4, 2))


def test_weights_on_real_data_are_those_of_the_estimators(mirror, capsys):
    data = load_dataset("emotions")
    status, text, _ = run(capsys, "emotions", "--method", "pct", "uniform", "--cv", 5)
    assert status == 0
    for name, ranker in (("pct", PCTForestRanker()), ("uniform", UniformRanker())):
        model = Pipeline([("ranked", Weighted(ranker))])
        require_equal(table(text), name, by_scikit_learn(data, model, 5))


def made(hierarchy: Hierarchy | None = None, *, sparse: bool = False, rare: int = 0) -> Dataset:
    """Return data with a nominal feature and missing cells; the last label has `rare` positives, if any."""
    random = np.random.default_rng(1)
    X = random.random((60, 5)).round(2)
    X[:, 1] = random.integers(0, 3, 60)
    if sparse:
        X[random.random(X.shape) < 0.4] = 0
    X[random.random(X.shape) < 0.1] = np.nan
    X[np.isnan(X[:, 1]), 1] = 0
    n_labels = 3 if hierarchy is None else hierarchy.n_classes
    Y = (random.random((60, n_labels)) < 0.3).astype(np.uint8)
    Y[:, 0] = np.nan_to_num(X[:, 0]) > 0.5
    if rare:
        Y[:, -1] = np.arange(60) < rare
    labels = sp.csr_array(Y) if hierarchy is None else hierarchy.close(Y)
    return Dataset(
        name="made",
        X=sp.csr_array(X) if sparse else X,
        Y=labels,
        train_mask=np.ones(60, bool),
        nominal=np.arange(5) == 1,
        categories=((), ("r", "g", "b"), (), (), ()),
        feature_names=tuple("vwxyz"),
        label_names=tuple("pqr") if hierarchy is None else hierarchy.names,
        task="mlc" if hierarchy is None else "hmlc",
        hierarchy=hierarchy,
        facts={"whole": True},
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_threads_and_the_order_of_methods_change_nothing(sparse, capsys):
    made(sparse=sparse).save("made.npz")
    methods = ["pct:trees=5", "relief", "scls:k=2", "uniform", "random", "no-label"]
    words = ("made.npz", "--cv", 3, "--repeats", 2, "--set", "k=5", "--seed", 3)
    status, text, told = run(capsys, *words, "--method", *methods)
    assert status == 0 and told == "", told
    assert len(table(text)) == 6 * 15
    assert text == run(capsys, *words, "--threads", 3, "--method", *reversed(methods))[1]
    assert text != run(capsys, *words[:-1], 4, "--method", *methods)[1]
    assert run(capsys, *words, "-o", "s.csv", "--method", *methods)[:2] == (0, "")
    with open("s.csv", encoding="utf-8") as stream:
        assert stream.read() == text
    alone = table(run(capsys, *words, "--method", "relief")[1])
    for (_, measure), row in alone.items():
        assert row["mean"] == table(text)["relief", measure]["mean"] and row["p_value"] == ""


def test_rows_are_best_first_and_tested_against_the_best(capsys):
    status, text, _ = run(capsys, "digits-mlc", "--method", "random", "no-label", "uniform", "--cv", 3)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert status == 0
    columns = "method,measure,mean,standard_deviation,folds,best,p_value,labels_left_out,division"
    assert text.startswith(f"{columns}\n") and {row["division"] for row in rows} == {"random"}
    for measure in choose(None, None, hierarchical=False):
        own = [row for row in rows if row["measure"] == measure.id]
        means = [float(row["mean"]) for row in own if row["mean"] != "NaN"]
        assert means == sorted(means, reverse=measure.direction == "higher")
        assert {row["best"] for row in own} == {own[0]["method"]} and own[0]["p_value"] == ""
        assert all(row["p_value"] == "NaN" or 0 <= float(row["p_value"]) <= 1 for row in own[1:])


def of_values(names, measures, values) -> RankedFolds:
    return RankedFolds(names, measures, values, 0.5, np.zeros((len(names), len(measures)), int), "random")


def test_the_test_takes_folds_in_pairs():
    measures = choose(["hamming-loss", "f1"], None, hierarchical=False)
    values = np.array([[[0.1, 0.9], [0.2, 0.7], [0.15, np.nan]], [[0.2, 0.9], [0.25, 0.9], [0.3, 0.5]]])
    rows = {row[:2]: row for row in of_values(["b", "a"], measures, values).rows()}
    assert rows["b", "hamming-loss"].best == "b" and rows["b", "hamming-loss"].p_value is None
    loss = corrected_resampled_test([0.1, 0.05, 0.15], 0.5)
    assert rows["a", "hamming-loss"].p_value == pytest.approx(loss.p_value, abs=1e-15)
    assert rows["b", "f1"].folds == 2 and rows["b", "f1"].mean == pytest.approx(0.8)
    assert rows["b", "f1"].p_value == corrected_resampled_test([0.0, -0.2, np.nan], 0.5).p_value
    assert rows["a", "f1"].folds == 2 and rows["a", "f1"].mean == pytest.approx(0.9)  # as of b


def test_the_best_method_is_chosen_by_folds_that_all_methods_have():
    """Method b is worse in every fold that both have; it lacks the fold in which all values are low."""
    measures = choose(["f1"], None, hierarchical=False)
    values = np.array([[[0.8], [0.9], [0.1]], [[0.7], [0.8], [np.nan]], [[np.nan]] * 3])
    found = of_values(["a", "b", "c"], measures, values)
    assert [(row.method, row.best, row.folds) for row in found.rows()] == [
        ("a", "a", 2),
        ("b", "a", 2),
        ("c", "a", 0),
    ]
    assert [row.mean for row in found.rows()[:2]] == pytest.approx([0.85, 0.75])
    (note,) = found.notes()
    assert "1 of 3 folds does not count" in note and "f1" in note and " b has" in note
    apart = of_values(["a", "b"], measures, np.array([[[0.8], [np.nan]], [[np.nan], [0.7]]]))
    assert all(row.best == "" and np.isnan(row.p_value) and row.folds == 1 for row in apart.rows())
    assert "a, b have no value there" in apart.notes()[0]
    assert not of_values(["a", "b"], measures, values[[0, 2]]).notes()


def test_equal_methods_are_in_the_order_of_their_names():
    measures = choose(["f1"], None, hierarchical=False)
    values = np.array([[[0.5], [0.7]], [[0.5], [0.7]], [[np.nan], [np.nan]]])
    rows = of_values(["b", "a", "0"], measures, values).rows()
    assert [row.method for row in rows] == ["a", "b", "0"]
    assert [row.p_value for row in rows[:2]] == [None, 1.0] and np.isnan(rows[2].p_value)
    table = of_values(["b", "a", "0"], measures, values).table()
    assert table.endswith("0,f1,NaN,NaN,0,a,NaN,0,random\n")


def test_labels_of_a_hierarchy(capsys):
    made(Hierarchy.from_paths(["1/1", "1/2", "2"])).save("classes.npz")
    words = ("classes.npz", "--method", "pct:trees=5", "relief", "uniform", "--cv", 3, "--set", "k=4")
    status, text, told = run(capsys, *words, "--evaluator", "weighted-knn")
    assert status == 0, told
    rows = table(text)
    known = {measure.id for measure in choose(None, None, hierarchical=True)}
    assert {measure for _, measure in rows} == known and float(rows["uniform", "pooled-auprc"]["mean"]) > 0


def test_a_label_that_is_constant_in_a_fold(capsys):
    """One of three folds has the positive example; the others learn from it."""
    made(rare=1).save("rare.npz")
    for evaluator in (("weighted-knn", "--set", "k=4"), ("mlnb",)):
        words = ("rare.npz", "--method", "pct:trees=5", "scls", "uniform", "--cv", 3, "--evaluator")
        status, text, told = run(capsys, *words, *evaluator)
        assert status == 0, told
        assert {row["folds"] for row in table(text).values()} <= {"1", "2", "3"}
    # The rare label has examples in one fold, and none in two of the three.
    status, text, told = run(capsys, "rare.npz", "--method", "uniform", "--cv", 3, "--set", "k=4")
    assert "auprc counts 0 for 2 of 9 labels of folds, which have no positive example there" in told
    assert "textbook leaves them out)" in told
    status, text, told = run(capsys, "rare.npz", "--method", "uniform", "--cv", 2, "--set", "k=4")
    assert "auprc counts 0 for 1 of 6 labels of folds, which has no positive example there" in told
    assert "textbook leaves it out)" in told


def test_a_measure_per_label_leaves_out_and_counts_labels_that_a_fold_lacks(capsys):
    """A naive twin, a label at a time; for the others `clus` counts 0.5, and 0 in auprc."""
    data = made(rare=1)
    data.save("rare.npz")
    areas = {
        "auroc": (roc_auc_score, 0.5),
        "auprc": (lambda y, p: evaluate_all(y[:, None], p[:, None], measures=["auprc"])["auprc"], 0.0),
    }
    of_folds = {(name, definition): [] for name in areas for definition in ("clus", "textbook")}
    lacking = 0
    for fold in divided(data, 3):
        part = fold.dataset
        model = WeightedKNN(k=4, nominal=data.nominal).fit(part.X_train, part.Y_train)
        scores, truth = model.predict_proba(part.X_test), part.Y_test.toarray()
        known = truth.any(axis=0)
        lacking += (~known).sum()
        for name, (function, counted) in areas.items():
            values = [function(truth[:, j], scores[:, j]) for j in np.flatnonzero(known)]
            of_folds[name, "textbook"].append(np.mean(values))
            of_folds[name, "clus"].append(np.mean([*values, *[counted] * int((~known).sum())]))
    assert lacking == 2
    words = ("rare.npz", "--method", "uniform", "--cv", 3, "--set", "k=4", "--measures", "auroc,auprc")
    for definition in ("clus", "textbook"):
        status, text, told = run(capsys, *words, "--definition", definition)
        assert status == 0 and ("counts 0.5 for 2 of 9 labels of folds" in told) == (definition == "clus")
        for name in areas:
            row = table(text)["uniform", name]
            assert float(row["mean"]) == pytest.approx(np.mean(of_folds[name, definition]), abs=1e-12)
            assert int(row["labels_left_out"]) == (0 if definition == "clus" else 2)


def test_leaving_one_out_says_that_no_label_has_an_area(capsys):
    made().save("made.npz")
    words = ("made.npz", "--method", "uniform", "--cv", 60, "--set", "k=4", "--measures", "auroc")
    for definition, mean, left_out in (("clus", 0.5, 0), ("textbook", np.nan, 180)):
        status, text, told = run(capsys, *words, "--definition", definition)
        row = table(text)["uniform", "auroc"]
        assert status == 0 and int(row["labels_left_out"]) == left_out
        assert float(row["mean"]) == pytest.approx(mean, nan_ok=True)
        assert ("auroc counts 0.5 for 180 of 180 labels of folds" in told) == (definition == "clus")
        assert row["folds"] == ("60" if definition == "clus" else "0")
        assert definition != "clus" or float(row["standard_deviation"]) == 0


def test_a_label_that_is_constant_in_a_test_part(capsys):
    made(rare=1).with_split(np.arange(60) < 40, official=True).save("part.npz")
    main(["rank", "part.npz", "--method", "uniform", "-o", "r.csv"])
    capsys.readouterr()
    words = ("part.npz", "--ranking", "r.csv", "--set", "k=4", "--measures")
    for option in ((), ("--definition", "textbook")):
        _, _, told = run(capsys, *words, "auroc,auprc", *option)
        said = (
            "auprc counts 0 for 1 of 3 labels of the test part, which has no positive example there" in told
        )
        assert said == (not option)
    assert "counts" not in run(capsys, *words, "f1")[2]
    assert "counts" not in run(capsys, *words, "auprc", "--tidy")[2]  # as in the jobs of a study


def test_a_terminal_shows_the_main_measures(capsys, monkeypatch):
    made().save("made.npz")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    words = ("made.npz", "--method", "uniform", "no-label", "--cv", 3, "--set", "k=4")
    status, text, _ = run(capsys, *words)
    lines = text.splitlines()
    assert status == 0 and set(lines[0].split()) == {"method", "pooled-auprc", "hamming-loss", "ranking-loss"}
    assert {lines[1].split()[0], lines[2].split()[0]} == {"uniform", "no-label"} and " ± " in lines[1]
    assert "lower is better: hamming-loss, ranking-loss" in lines
    assert run(capsys, *words, "--measures", "f1")[1].split()[:2] == ["method", "f1"]


def test_the_values_of_folds_are_a_table_that_compare_reads(capsys):
    made().save("made.npz")
    words = ("made.npz", "--method", "pct:trees=5", "uniform", "--cv", 3, "--repeats", 2, "--set", "k=4")
    means = table(run(capsys, *words)[1])
    for _ in range(2):  # the second time in place of its own table
        status, told, said = run(capsys, *words, "--tidy", "-o", "folds.csv")
        assert status == 0 and not told and "division into folds: random" in said
    rows = list(csv.DictReader(open("folds.csv")))
    assert list(rows[0]) == ["dataset", "method", "measure", "repeat", "fold", "value"]
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        values.setdefault((row["method"], row["measure"]), []).append(float(row["value"]))
    assert {(row["dataset"], row["repeat"], row["fold"]) for row in rows} == {
        ("made", repeat, fold) for repeat in "01" for fold in "012"
    }
    for key, row in means.items():
        assert len(values[key]) == 6
        assert float(row["mean"]) == pytest.approx(statistics.fmean(values[key]), abs=1e-12)
    assert main(["compare", "folds.csv", "--measures", "hamming-loss"]) == 0
    assert "corrected resampled test (1/2 test rows per training row)" in capsys.readouterr().out


def test_settings_of_a_word():
    method = ranking_method("pct:score=symbolic,trees=50,ensemble=extra-trees,max_features=0.5,select=3")
    assert (method.id, method.score, method.trees, method.ensemble) == ("pct", "symbolic", 50, "extra-trees")
    assert method.settings == {"max_features": 0.5} and method.select == 3
    assert ranking_method("scls:k=3,discretize=equal-width").settings == {"k": 3, "discretize": "equal-width"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--cv", 5),
            "--cv without --method: a ranking that is given may have seen the rows of every fold; give",
        ),
        (("--cv", 5, "--ranking", "r.csv"), "--cv without --method"),
        ((), "neither --ranking nor --method is given; write e.g."),
        (("--method", "uniform"), "--method without --cv: there are no folds; give --cv, too"),
        (
            ("--method", "uniform", "--cv", 3, "--ranking", "r.csv"),
            "--ranking cannot be combined with --method",
        ),
        (("--ranking", "r.csv", "--seed", 1), "--seed without --method"),
        (("--ranking", "r.csv", "--repeats", "3"), "--repeats 3: not of the form A-B"),
        (("--ranking", "r.csv", "--repeats", "0-²"), "--repeats 0-²: not of the form A-B"),
        (("--ranking", "r.csv", "--repeats", "0-" + 5000 * "9"), ": not of the form A-B"),
        (
            ("--method", "uniform", "--cv", 3, "--repeats", "0-9"),
            "--repeats 0-9: with --method, this is the number of repeats",
        ),
        (("--method", "uniform", "--cv", 3, "--repeats", "0"), "--repeats must be at least 1, got 0"),
        (("--method", "uniform", "--cv", 1), "--cv must be at least 2, got 1"),
        (("--method", "uniform", "--cv", 61), "61 folds do not fit dataset 'made' of 60 rows; give a number"),
        (("--method", "uniform", "--cv", 3, "--split", "holdout"), "--split cannot be combined with --cv"),
        (("--method", "uniform", "uniform", "--cv", 3), "--method uniform is given twice"),
        (("--method", "unifrom", "--cv", 3), "unknown ranker 'unifrom'; did you mean 'uniform'?"),
        (("--method", "uniform:trees=3", "--cv", 3), "ranker 'uniform' does not grow trees"),
        (("--method", "pct:trees=0.5", "--cv", 3), "trees must be a count of at least 1"),
        (("--method", "pct:score=gini", "--cv", 3), "gini"),
        (("--method", "pct:", "--cv", 3), "what follows the colon is not of the form name=value"),
        (("--method", "scls:select=2", "--cv", 3), "selects its own features"),
        (("--method", "oracle", "--cv", 3), "its relevant features are not known"),
        (("--method", "scls", "--cv", 3, "--evaluator", "mlnb", "--set", "points=2"), "set points=1"),
        (
            ("--method", "uniform", "--cv", 30, "--set", "k=59"),
            "58 training examples; set k to 58 or less (--set k=58)",
        ),
        (("--method", "uniform", "--cv", 3, "--seed", -1), "seed -1 is out of range"),
    ],
)
def test_wrong_words_are_one_line_and_status_2(capsys, words, message):
    made().save("made.npz")
    status, out, err = run(capsys, "made.npz", *words, "-o", "s.csv")
    assert status == 2 and not out and err.count("\n") == 1 and message in err


def test_the_hint_for_k_is_the_smallest_training_part(capsys):
    """7 folds of 60 rows leave 51 or 52 rows for training."""
    made().save("made.npz")
    words = ("--method", "uniform", "--cv", 7, "--set")
    status, _, err = run(capsys, "made.npz", *words, "k=60", "-o", "s.csv")
    assert status == 2 and "(--set k=51)" in err
    assert run(capsys, "made.npz", *words, "k=51", "-o", "s.csv")[0] == 0


def test_what_is_noticed_in_every_fold_is_said_once(capsys):
    made().save("made.npz")
    methods = ("--method", "scls:k=99", "uniform:select=98")
    status, _, err = run(capsys, "made.npz", *methods, "--cv", 3, "--set", "k=5", "-o", "s.csv")
    assert status == 0
    assert [err.count(f"note: {count} features are asked for") for count in (99, 98)] == [1, 1]


def test_the_default_number_of_features_is_that_of_the_training_fold(capsys):
    """500 rows would give 23 features; the 400 training rows of a fold give 20, as in the estimator."""
    from mlsieve.selectors import SCLS

    dataset = load_dataset("synthetic-linear")
    status, out, told = run(capsys, "synthetic-linear", "--method", "scls", "--cv", 5)
    assert status == 0, told
    require_equal(table(out), "scls", by_scikit_learn(dataset, WeightedKNN(k=15, weights=SCLS()), 5))


def test_a_default_of_more_features_than_there_are_is_named(elsewhere, capsys):
    rows = "".join(f"{i * 7 % 11},{i % 5},{i % 2},{i // 2 % 2}\n" for i in range(40))
    (elsewhere / "m.csv").write_text("rain,wind,umbrella,coat\n" + rows)
    _, _, told = run(capsys, "m.csv", "--label-count", -2, "--method", "scls", "--cv", 2)
    said = "the default of selector 'scls' is 5 features (ceil(sqrt(n)) of 20 rows), and there are 2 features"
    assert f"note: {said}: all are selected (fewer: --method scls:k=1)" in told and "asked for" not in told
    assert not run(capsys, "m.csv", "--label-count", -2, "--method", "scls:k=1", "--cv", 2)[2]
    (elsewhere / "four.csv").write_text(
        "rain,wind,coat\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(4))
    )
    words = ["rank", "four.csv", "--label-count", "-1", "--method"]
    for method, noted in (("scls", True), ("scls:k=1", False)):  # also where the default is their number
        assert main([*words, method]) == 0
        assert ("is 2 features (ceil(sqrt(n)) of 4 rows)" in capsys.readouterr().err) == noted


def test_the_list_of_methods_says_what_no_number_of_features_means(capsys):
    assert main(["methods", "scls"]) == 0
    said = "integer of at least 1, number greater than 0 and at most 1 or none; none is ceil(sqrt(n)) for"
    assert f"--set k=none  ({said} a dataset of n rows)" in capsys.readouterr().out
