"""A hierarchy of classes taken as flat labels, for methods that take no hierarchy."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from mlsieve.cli import main
from mlsieve.configuration import configuration_errors
from mlsieve.data import load_dataset
from mlsieve.data.catalog import entry_from
from mlsieve.errors import UserError
from mlsieve.study import Study
from mlsieve.study.parts import entry_text

pytestmark = pytest.mark.usefixtures("elsewhere")

NAMES = ("1", "1/1", "1/2", "2")
HEADER = "@relation g\n@attribute x numeric\n@attribute y numeric\n"
CLASSES = [("1/1",), ("1/2", "2"), ("2",), ("1/1", "1/2"), ("1",), ("2",)] * 6
STUDY = {
    "study": "s",
    "methods": [{"id": "scls"}],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 3}}],
}


@pytest.fixture
def files(elsewhere):
    """The same data as a CLUS file of a tree, and as a CSV file with a column of 0 and 1 for each class."""
    random = np.random.default_rng(3)
    values = random.normal(size=(len(CLASSES), 2)).round(3) + [[len(c), c[0] == "2"] for c in CLASSES]
    rows = [f"{x:.3f},{y:.3f},{'@'.join(c)}" for (x, y), c in zip(values, CLASSES, strict=True)]
    declared = f"@attribute class hierarchical {','.join(NAMES)}\n@data\n"
    (elsewhere / "tree.arff").write_text(HEADER + declared + "\n".join(rows) + "\n")
    closed = [{*c, *(one.partition("/")[0] for one in c)} for c in CLASSES]
    cells = (",".join(str(int(name in c)) for name in NAMES) for c in closed)
    flat = [f"{x:.3f},{y:.3f},{row}" for (x, y), row in zip(values, cells, strict=True)]
    (elsewhere / "flat").mkdir()
    (elsewhere / "flat/tree.csv").write_text("x,y," + ",".join(NAMES) + "\n" + "\n".join(flat) + "\n")
    return elsewhere


def test_the_labels_are_those_of_the_same_data_without_a_hierarchy(files):
    flattened, flat = load_dataset("tree.arff", flatten=True), load_dataset("flat/tree.csv", label_count=-4)
    assert flattened.hierarchy is None and flattened.task == "mlc"
    assert flattened.label_names == flat.label_names == NAMES
    np.testing.assert_array_equal(flattened.Y.toarray(), flat.Y.toarray())
    assert load_dataset("tree.arff").flattened().task == "mlc"


@pytest.mark.parametrize("method", ["scls", "mdmr", "ppt-rf", "relief"])
def test_methods_rank_them_as_they_rank_flat_labels(files, method):
    assert main(["rank", "tree.arff", "--flatten", "--method", method, "-o", "tree.csv"]) == 0
    assert main(["rank", "flat/tree.csv", "--label-count=-4", "--method", method, "-o", "r.csv"]) == 0
    assert (files / "tree.csv").read_text() == (files / "r.csv").read_text()


def test_all_commands_take_the_option_and_all_data(files, capsys):
    assert main(["prepare", "tree.arff", "-o", "tree.npz"]) == 0
    folds = ["--method", "scls", "uniform", "--cv", "2", "--set", "k=3"]
    tables = []
    for data in (
        ["tree.arff", "--flatten"],
        ["tree.npz", "--flatten"],
        ["flat/tree.csv", "--label-count=-4"],
    ):
        capsys.readouterr()
        assert main(["evaluate", *data, *folds, "-o", "s.csv"]) == 0
        tables.append((files / "s.csv").read_text())
    assert len(set(tables)) == 1
    assert main(["rank", "digits-hmlc", "--flatten", "--method", "scls", "-o", "digits.csv"]) == 0
    assert main(["chain", "tree.arff", "--flatten", "--method", "br", "-o", "chain.csv"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["rank", "--method", "scls"],
        ["evaluate", "--method", "scls", "--cv", "2"],
        ["chain", "--method", "br"],
    ],
)
def test_a_refusal_names_the_option(files, words, capsys):
    assert main([words[0], "tree.arff", *words[1:]]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "does not support" in told and "take its classes as flat labels (--flatten; in a study" in told
    assert main(["rank", "flat/tree.csv", "--label-count=-4", "--flatten", "--method", "scls"]) == 2
    assert (
        "flatten applies to classes in a hierarchy only, and dataset 'tree' has none; leave it out"
        in capsys.readouterr().err
    )


def test_a_study_flattens_its_own_data_and_those_of_the_catalog(files):
    own = {"id": "mine", "all": "tree.arff", "flatten": True}
    known = {"id": "digits-hmlc", "flatten": True}
    configuration = {**STUDY, "datasets": [own, known, {"id": "synthetic-hierarchical"}]}
    assert configuration_errors(configuration) == []
    content = Study(configuration, cache="cache").content
    ranker = next(iter(content.rankers.values()))
    reasons = {data.id: content.unsuited(data, ranker) for data in content.datasets.values()}
    assert reasons.pop("synthetic-hierarchical").endswith(
        "it does not support labels with a hierarchy ('flatten: true' would make them flat)"
    )
    assert reasons == {"mine": None, "digits-hmlc": None}
    for data in content.datasets.values():
        if data.id in reasons:
            assert main(["prepare", *shlex.split(data.prepare_options()), "-o", f"{data.id}.npz"]) == 0
            assert load_dataset(f"{data.id}.npz").task == "mlc"
    assert load_dataset(own).task == "mlc"


def test_entries_say_true_or_false_and_keep_their_text_without_it(files):
    own = {"id": "mine", "all": "tree.arff"}
    assert entry_from({**own, "flatten": True}).task == "mlc" and entry_from(own).task == "hmlc"
    assert entry_from({**own, "flatten": True, "classes": "used"}).classes == "used"
    for wrong, words in (
        ({"flatten": "yes"}, "flatten is 'yes'"),
        ({"flatten": True, "task": "hmlc"}, "task is"),
    ):
        with pytest.raises(UserError, match=words):
            entry_from({**own, **wrong})
    assert "flatten" not in entry_text(entry_from(own))
    assert "flatten" in entry_text(entry_from({**own, "flatten": True}))
