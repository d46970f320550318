"""Rankings of data with a hierarchy: votes and their files, predictions that obey it, the three commands."""

from __future__ import annotations

import csv
import io
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.cli import main
from mlsieve.data.dataset import Dataset
from mlsieve.errors import UserError
from mlsieve.evaluation.predictions import Predictions, prepare_evaluation, stored_predictions
from mlsieve.evaluation.scoring import scores_table
from mlsieve.evaluators import MLNB, WeightedKNN, neighbor_votes
from mlsieve.evaluators._consistent import consistent
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.hierarchy import Hierarchy
from mlsieve.measures import evaluate_all
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.registry import lookup

pytestmark = pytest.mark.kernel

# d below both b and c, which are below a; f below e
DIAMOND = Hierarchy.from_parents(
    {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": [], "f": ["e"], "g": ["d", "f"]}
)
TREE = Hierarchy.from_paths(["1/1/1", "1/1/2", "1/2", "2/1", "2/2/1", "3"])


def made(hierarchy: Hierarchy, n: int = 90, seed: int = 0, sparse: bool = False) -> Dataset:
    """Data with missing cells whose classes, of which one or two are drawn, depend on the first features."""
    random = np.random.default_rng(seed)
    X = random.random((n, 5)).round(2)
    first = (X[:, 0] * hierarchy.n_classes).astype(int)
    drawn = np.zeros((n, hierarchy.n_classes), np.uint8)
    drawn[np.arange(n), first] = 1
    drawn[np.arange(n), random.integers(0, hierarchy.n_classes, n)] = 1
    X[random.random(X.shape) < 0.1] = np.nan
    return Dataset(
        name="made",
        X=sp.csr_array(X) if sparse else X,
        Y=hierarchy.close(drawn),
        train_mask=np.arange(n) < n * 2 // 3,
        nominal=np.zeros(5, bool),
        categories=((),) * 5,
        feature_names=tuple("vwxyz"),
        label_names=hierarchy.names,
        task="hmlc",
        hierarchy=hierarchy,
    )


def bundle(n_rankings: int = 2) -> RankingBundle:
    random = np.random.default_rng(3)
    return RankingBundle(
        tuple(
            Ranking(random.random(5), tuple("vwxyz"), name=f"r{position}", size=position + 1)
            for position in range(n_rankings)
        ),
        facts={"method": "pct", "dataset": "made"},
    )


def obeys(scores: np.ndarray, hierarchy: Hierarchy) -> bool:
    return all(
        (scores[..., child] <= scores[..., parent]).all()
        for child in range(hierarchy.n_classes)
        for parent in hierarchy.parents(child)
    )


@pytest.mark.parametrize("hierarchy", [DIAMOND, TREE], ids=["graph", "tree"])
@pytest.mark.parametrize("evaluator", ["weighted-knn", "mlnb"])
@pytest.mark.parametrize("sparse", [False, True])
def test_predictions_obey_the_hierarchy(hierarchy, evaluator, sparse):
    dataset = made(hierarchy, sparse=sparse)
    votes = stored_predictions(
        prepare_evaluation(dataset, bundle(), evaluator=evaluator, settings={}, facts={})
    )
    assert votes.hierarchy == hierarchy and votes.task == "hmlc"
    for position in range(2):
        scores, predicted = votes.scores_and_labels(position)
        assert obeys(scores, hierarchy) and obeys(predicted, hierarchy)
        assert 0 < predicted.sum() < predicted.size
    dense = stored_predictions(
        prepare_evaluation(made(hierarchy), bundle(), evaluator=evaluator, settings={}, facts={})
    )
    np.testing.assert_array_equal(votes.values, dense.values)


def test_naive_bayes_takes_the_least_posterior_of_a_class_and_all_above_it():
    dataset = made(DIAMOND, seed=4)
    flat = Dataset(
        **{
            **{name: getattr(dataset, name) for name in dataset.__dataclass_fields__},
            "hierarchy": None,
            "task": "mlc",
        }
    )
    learner = lookup("evaluator", "mlnb").target(features="all")
    [raw], [found] = (list(learner.predictions(data, bundle(1).rankings)) for data in (flat, dataset))
    assert not obeys(raw.values, DIAMOND), "the classifiers do not know of each other"
    above = DIAMOND.ancestors.toarray().astype(bool)
    expected = np.stack([raw.values[:, above[c]].min(axis=1) for c in range(DIAMOND.n_classes)], axis=1)
    np.testing.assert_array_equal(found.values, expected)
    # What stands at the top for want of examples is not predicted, nor is what is below it.
    empty = np.zeros((90, 7), np.uint8)
    empty[:, 0] = 1
    few = Dataset(
        **{
            **{name: getattr(dataset, name) for name in dataset.__dataclass_fields__},
            "Y": DIAMOND.close(empty),
        }
    )
    votes = stored_predictions(
        prepare_evaluation(few, bundle(1), evaluator="mlnb", settings={"unseen": "first"}, facts={})
    )
    assert votes.predicted(0)[:, 0].all() and not votes.predicted(0)[:, 1:].any()


@pytest.mark.parametrize("order", ["C", "F"])
def test_consistent_scores_are_new_ones(order):
    scores = np.array([[0.5, 0.9, 0.7, 0.6, 0.1, 0.2, 0.9]], order=order)
    kept = scores.copy()
    assert consistent(scores, DIAMOND).tolist() == [[0.5, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1]]
    np.testing.assert_array_equal(scores, kept)


@pytest.mark.parametrize("estimator", [WeightedKNN(k=7), MLNB()], ids=["weighted-knn", "mlnb"])
def test_estimators_close_what_lists_leaves_only_and_obey(estimator):
    dataset = made(DIAMOND, seed=1)
    X, closed = dataset.X_train, dataset.Y_train.toarray()
    leaves = closed.copy()
    for child in range(DIAMOND.n_classes):
        for parent in DIAMOND.parents(child):
            leaves[closed[:, child] == 1, parent] = 0
    assert leaves.sum() < closed.sum()
    fitted = estimator.set_params(hierarchy=DIAMOND).fit(X, leaves)
    scores = fitted.predict_proba(dataset.X_test)
    assert obeys(scores, DIAMOND) and obeys(fitted.predict(dataset.X_test), DIAMOND)
    np.testing.assert_array_equal(fitted.fit(X, closed).predict_proba(dataset.X_test), scores)
    evaluator = "mlnb" if isinstance(estimator, MLNB) else "weighted-knn"
    settings = {"features": "all"} if evaluator == "mlnb" else {"k": 7, "features": "all"}
    votes = stored_predictions(
        prepare_evaluation(dataset, bundle(1), evaluator=evaluator, settings=settings, facts={})
    )
    np.testing.assert_allclose(scores, votes.scores(0), rtol=1e-9)
    with pytest.raises(ValueError, match="y has 3 columns, the hierarchy 7 classes"):
        estimator.fit(X, closed[:, :3])
    with pytest.raises(ValueError, match="a hierarchy needs a label matrix"):
        estimator.fit(X, closed[:, 1])
    estimator.set_params(hierarchy=None)


def test_votes_files_carry_the_hierarchy_and_old_ones_are_read(tmp_path):
    votes = stored_predictions(
        prepare_evaluation(made(DIAMOND), bundle(), evaluator="weighted-knn", settings={}, facts={})
    )
    votes.save(tmp_path / "predictions.npz")
    loaded = Predictions.load(tmp_path / "predictions.npz")
    assert loaded.hierarchy == DIAMOND and loaded.task == "hmlc"
    np.testing.assert_array_equal(loaded.values, votes.values)
    assert loaded.values.dtype == votes.values.dtype
    assert scores_table(loaded) == scores_table(votes)
    # A file as it was written before: all votes, no task, no hierarchy.
    arrays, meta = read_arrays(tmp_path / "predictions.npz", "predictions")
    old = {
        name: array
        for name, array in arrays.items()
        if not name.startswith(("votes_", "hierarchy_", "label_names"))
    }
    meta = {name: value for name, value in meta.items() if name not in ("task", "kind", "format")}
    write_arrays(tmp_path / "old.npz", "predictions", old | {"values": votes.values}, meta)
    loaded = Predictions.load(tmp_path / "old.npz")
    assert loaded.hierarchy is None and loaded.task == "mlc"
    np.testing.assert_array_equal(loaded.values, votes.values)
    assert "hierarchical-f1" not in scores_table(loaded)


def test_few_votes_are_listed_in_their_file(tmp_path):
    random = np.random.default_rng(0)
    counts = (random.integers(1, 11, (3, 50, 400)) * (random.random((3, 50, 400)) < 0.05)).astype(np.uint8)
    counts[1] = 0
    counts[2, :, 399] = 10
    truth = sp.csr_array((random.random((50, 400)) < 0.01).astype(np.uint8))
    for votes in (counts, np.where(counts > 0, counts, 3).astype(np.uint16), counts / 10, counts * 0):
        Predictions(votes, truth, ("x", "y", "z"), (0,) * 3, (1,) * 3, 10).save(tmp_path / "predictions.npz")
        loaded = Predictions.load(tmp_path / "predictions.npz").values
        assert loaded.dtype == votes.dtype
        np.testing.assert_array_equal(loaded, votes)
        few = np.count_nonzero(votes) < votes.size / 4 and votes.dtype.kind == "u"
        members = zipfile.ZipFile(tmp_path / "predictions.npz").namelist()
        assert ("values.npy" in members, "listed_columns.npy" in members) == (not few, few)
    arrays, meta = read_arrays(tmp_path / "predictions.npz", "predictions")
    meta = {name: value for name, value in meta.items() if name not in ("kind", "format")}
    wrong = arrays | {"listed_columns": np.array([400], np.uint16), "listed_values": np.array([1], np.uint8)}
    for columns in (wrong, wrong | {"listed_counts": np.append(np.uint16(1), arrays["listed_counts"][1:])}):
        write_arrays(tmp_path / "wrong.npz", "predictions", columns, meta)
        with pytest.raises(UserError, match="is not a complete file of predictions"):
            Predictions.load(tmp_path / "wrong.npz")


# --- from files, by the commands ---------------------------------------------------------------------------

TREE_HEADER = "01,01/01,01/01/03,01/02,02,02/01"
TREE_LEAVES = ["01/01/03", "01/02", "02/01", "01/01/03@02/01"]
GRAPH_HEADER = "root/a,a/b,a/c,b/d,c/d,root/e"
GRAPH_LEAVES = ["d", "b", "e", "d@e"]


def write_clus(path, header: str, leaves: list[str], n: int, seed: int) -> None:
    """Write a file that lists the most specific classes only; the first feature tells them apart."""
    random = np.random.default_rng(seed)
    which = random.integers(0, len(leaves), n)
    lines = ["@relation made", "@attribute x numeric", "@attribute y numeric"]
    lines += [f"@attribute class hierarchical {header}", "@data"]
    lines += [f"{leaf + random.normal(0, 0.3):.3f},{random.random():.3f},{leaves[leaf]}" for leaf in which]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(capsys, *words) -> tuple[int, str, str]:
    status = main([str(word) for word in words])
    output = capsys.readouterr()
    return status, output.out, output.err


@pytest.fixture(params=[("tree", TREE_HEADER, TREE_LEAVES), ("graph", GRAPH_HEADER, GRAPH_LEAVES)])
def files(request, tmp_path, capsys):
    """Options that name training and test file, and a ranking of their features."""
    _, header, leaves = request.param
    for part, n in (("train", 60), ("test", 25)):
        write_clus(tmp_path / f"{part}.arff", header, leaves, n, seed=n)
    data = (tmp_path / "train.arff", "--test", tmp_path / "test.arff")
    status, _, error = run(capsys, "rank", *data, "--method", "uniform", "-o", tmp_path / "uniform.csv")
    assert status == 0, error
    return tmp_path, (*data, "--ranking", tmp_path / "uniform.csv")


@pytest.mark.parametrize("evaluator", ["weighted-knn", "mlnb"])
def test_files_that_list_leaves_only_are_predicted_as_the_hierarchy_wants(files, capsys, evaluator):
    folder, options = files
    setting = ("--evaluator", evaluator, "--set", "k=5" if evaluator == "weighted-knn" else "features=all")
    status, printed, error = run(capsys, "evaluate", *options, *setting)
    assert status == 0, error
    values = {row["measure"]: float(row["value"]) for row in csv.DictReader(io.StringIO(printed))}
    assert len(values) == 18
    assert values["hierarchical-f1"] == values["micro-f1"] > 0.6
    assert run(capsys, "predict", *options, *setting, "-o", folder / "predictions.npz")[0] == 0
    votes = Predictions.load(folder / "predictions.npz")
    hierarchy = votes.hierarchy
    assert hierarchy is not None and hierarchy.is_closed(votes.truth)
    assert obeys(votes.scores(0), hierarchy) and obeys(votes.predicted(0), hierarchy)
    # A class of two parents, or the deepest one, is predicted somewhere, and never without those above.
    deepest = int(hierarchy.depth.argmax())
    assert votes.predicted(0)[:, deepest].any()
    assert run(capsys, "score", folder / "predictions.npz") == (0, printed, "")


def test_the_definition_follows_the_data_unless_it_is_said(files, capsys):
    options = (*files[1], "--set", "k=5", "--tidy")
    status, printed, _ = run(capsys, "evaluate", *options)
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert status == 0 and len(rows) == 18 and {row["definition"] for row in rows} == {"paper"}
    names = "pooled-auprc,hierarchical-f1"
    _, printed, _ = run(capsys, "evaluate", *options, "--definition", "clus", "--measures", names)
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [(row["measure"], row["definition"]) for row in rows] == [
        ("pooled-auprc", "clus"),
        ("hierarchical-f1", "clus"),
    ]
    _, printed, _ = run(capsys, "evaluate", *options, "--measures", "pooled-auprc,pooled-auprc-clus")
    both = list(csv.DictReader(io.StringIO(printed)))
    assert [row["definition"] for row in both] == ["paper", "clus"] and both[1]["value"] == rows[0]["value"]


def test_measures_of_hierarchies_are_refused_by_flat_data(tmp_path, capsys):
    assert run(capsys, "rank", "synthetic-linear", "--method", "uniform", "-o", tmp_path / "u.csv")[0] == 0
    options = ("synthetic-linear", "--ranking", tmp_path / "u.csv")
    status, printed, error = run(capsys, "evaluate", *options, "--measures", "hierarchical-f1")
    assert (status, printed) == (2, "")
    assert "measure 'hierarchical-f1' needs a hierarchy of classes, and the labels are flat" in error
    status, printed, _ = run(capsys, "evaluate", *options, "--tidy")
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert status == 0 and len(rows) == 15 and {row["definition"] for row in rows} == {"clus"}
    status, _, error = run(capsys, "evaluate", *options, "--definition", "papers")
    assert status == 2 and "unknown definition 'papers'; did you mean 'paper'" in error


def test_weighted_neighbors_of_many_classes_are_those_of_each_class_alone():
    """Wide label matrices are counted label by label of the neighbours; a part of them gives the same."""
    dataset = made(
        Hierarchy.from_paths([f"{i}/{j}/{k}" for i in range(9) for j in range(9) for k in range(9)])
    )
    weights = np.random.default_rng(0).random((2, 5))
    votes = neighbor_votes(dataset, weights, k=5)
    assert votes.shape == (2, 30, 819) and votes.max() > 0
    some = np.flatnonzero(dataset.hierarchy.depth == 0)
    part = Dataset(
        **{
            **{name: getattr(dataset, name) for name in dataset.__dataclass_fields__},
            "Y": sp.csr_array(dataset.Y[:, some]),
            "label_names": tuple(dataset.label_names[c] for c in some),
            "task": "mlc",
            "hierarchy": None,
        }
    )
    np.testing.assert_array_equal(neighbor_votes(part, weights, k=5), votes[:, :, some])
    values = evaluate_all(dataset.Y_test, votes[0] / 5, hierarchy=dataset.hierarchy)
    assert len(values) == 18 and 0 < values["pooled-auprc"] < 1
