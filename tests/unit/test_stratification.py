"""Folds and seeded splits: random, stratified by labels, stratified by pairs of labels."""

from __future__ import annotations

import csv
import io
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mlsieve.cli import main
from mlsieve.data import load_dataset, split_dataset
from mlsieve.data.column_contents import canonical_order, column_digests
from mlsieve.data.dataset import Dataset
from mlsieve.data.splits import FOLDS, divide, stratified_parts
from mlsieve.errors import DataNotice, UserError
from mlsieve.evaluation.folds import divided


def made(Y: np.ndarray, name: str = "made", seed: int = 0) -> Dataset:
    n, n_labels = Y.shape
    return Dataset(
        name=name,
        X=np.random.default_rng(seed).random((n, 3)).round(3),
        Y=sp.csr_array(Y.astype(np.uint8)),
        train_mask=np.ones(n, bool),
        nominal=np.zeros(3, bool),
        categories=((),) * 3,
        feature_names=("u", "v", "w"),
        label_names=tuple(f"l{j}" for j in range(n_labels)),
        facts={"whole": True},
    )


def naive_parts(Y, sizes, weights, order, seed, pairs):
    """Do what `stratified_parts` does, in the words of its docstring."""
    n, n_labels = Y.shape
    rows, n_parts, whole = Y[order] > 0, len(sizes), sum(weights)
    rows = rows[:, canonical_order(column_digests(rows.astype(float)), seed)]
    draws = np.random.Generator(np.random.Philox(seed)).random(n)
    couples = [(a, b) for a in range(n_labels) for b in range(a, n_labels) if pairs or a == b]
    member = {(a, b): rows[:, a] & rows[:, b] for a, b in couples}
    part, lacking = np.full(n, -1), list(sizes)

    def wanted(couple, j):
        return int(member[couple].sum()) * weights[j] - whole * int((member[couple] & (part == j)).sum())

    def put(row, keys):
        best = [j for j in range(n_parts) if keys[j] == max(keys)]
        part[row] = best[int(draws[row] * len(best))]
        lacking[part[row]] -= 1

    while any((each & (part < 0)).any() for each in member.values()):
        left = {couple: int((each & (part < 0)).sum()) for couple, each in member.items()}
        rarest = min((count, couple) for couple, count in left.items() if count)[1]
        for row in np.flatnonzero(member[rarest] & (part < 0)):
            own = [(label, label) for label in np.flatnonzero(rows[row])]
            further = [sum(wanted(couple, j) for couple in own) for j in range(n_parts)]
            put(row, [(wanted(rarest, j), further[j], lacking[j]) for j in range(n_parts)])
    for row in np.flatnonzero(part < 0):
        put(row, list(lacking))
    while any(lacking):
        full, short = int(np.argmin(lacking)), int(np.argmax(lacking))
        several = 1 + (min(-lacking[full], lacking[short]) - 1) // 8
        costs = []
        for row in np.flatnonzero(part == full):
            own = [couple for couple in couples if member[couple][row]]
            costs.append((sum(whole + wanted(c, full) - wanted(c, short) for c in own), row))
        for _, row in sorted(costs)[:several]:
            part[row] = short
        lacking[full] += several
        lacking[short] -= several
    found = np.empty(n, int)
    found[order] = part
    return found


@pytest.mark.kernel
@given(
    n=st.integers(2, 40),
    n_labels=st.integers(1, 5),
    density=st.floats(0.02, 0.9),
    pairs=st.booleans(),
    holdout=st.booleans(),
    data=st.data(),
    seed=st.integers(0, 2**53 - 1),
)
def test_the_kernel_does_what_a_naive_program_does(n, n_labels, density, pairs, holdout, data, seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, n_labels)) < density).astype(np.uint8)
    order = rng.permutation(n)
    if holdout:
        n_train = data.draw(st.integers(1, n - 1))
        sizes = weights = np.array([n_train, n - n_train])
    else:
        folds = data.draw(st.integers(2, min(n, 6)))
        sizes, weights = np.bincount(np.arange(n) % folds), np.ones(folds, int)
    found = stratified_parts(sp.csr_array(Y), sizes, weights, order, seed, pairs=pairs)
    np.testing.assert_array_equal(np.bincount(found, minlength=len(sizes)), sizes)
    expected = naive_parts(Y, sizes.tolist(), weights.tolist(), order, seed, pairs)
    np.testing.assert_array_equal(found, expected)


def test_labels_of_different_rows_are_shared_out_evenly():
    """Label j has 4 + 5 j rows of its own, and 30 rows have none; 4 folds."""
    counts = [4 + 5 * j for j in range(6)] + [30]
    Y = np.repeat(np.eye(7, 6, dtype=np.uint8), counts, axis=0)
    for kind in ("stratified", "stratified-pairs"):
        for fold in divided(made(Y), 4, 2, kind=kind):
            own = Y[~fold.dataset.train_mask].sum(axis=0)
            assert all(count // 4 <= each <= -(-count // 4) for each, count in zip(own, counts, strict=False))
            assert fold.division.kind == kind and fold.division.left_out == 0
    part = split_dataset(made(Y), "holdout", train_share=0.75, folds="stratified")
    assert part.n_train == round(0.75 * len(Y))
    ideal = np.array(counts[:6]) * (len(Y) - part.n_train) / len(Y)
    assert (np.abs(part.Y_test.sum(axis=0) - ideal) < 1).all()


@pytest.mark.parametrize("kind", ["stratified", "stratified-pairs"])
def test_rows_and_columns_may_stand_in_any_order(kind):
    rng = np.random.default_rng(3)
    data = made(rng.random((90, 6)) < [0.02, 0.05, 0.1, 0.3, 0.6, 1])
    rows, labels, features = rng.permutation(90), rng.permutation(6), rng.permutation(3)

    def parts(dataset, seed=0):
        folds = np.empty(90, int)
        for fold in divided(dataset, 4, split_seed=seed, kind=kind):
            folds[~fold.dataset.train_mask] = fold.fold
        return folds

    other = replace(
        data,
        X=sp.csr_array(data.X[:, features][rows]),
        Y=sp.csr_array(data.Y.toarray()[:, labels][rows]),
        feature_names=tuple(data.feature_names[k] for k in features),
        label_names=tuple(data.label_names[j] for j in labels),
    )
    np.testing.assert_array_equal(parts(other), parts(data)[rows])
    assert not np.array_equal(parts(data, seed=1), parts(data))
    holdouts = [split_dataset(each, "holdout", repeat=2, folds=kind).train_mask for each in (data, other)]
    np.testing.assert_array_equal(holdouts[1], holdouts[0][rows])


def test_folds_are_random_unless_a_label_would_be_left_out():
    rng = np.random.default_rng(5)
    common = made(np.column_stack([rng.random((200, 4)) < 0.4, np.arange(200) < 2]))
    weights, places = np.ones(5, int), np.arange(200) % 5
    for seed in range(5):
        drawn = np.empty(200, int)
        drawn[np.random.Generator(np.random.Philox(seed)).permutation(200)] = np.arange(200) % 5
        for kind in ("auto", "random"):  # two examples are too few for five folds
            found = divide(common, weights, places, seed, kind)
            assert (found.kind, found.left_out) == ("random", 0)
            np.testing.assert_array_equal(found.part, drawn)
    rare = made(np.column_stack([common.Y.toarray()[:, :4], np.arange(200) < 5]))
    found = divide(rare, weights, places, 0, "random")
    assert found.left_out == 1
    again = divide(rare, weights, places, 0, "auto")
    assert (again.kind, again.left_out, again.avoided) == ("stratified", 0, 1)
    np.testing.assert_array_equal(again.part, divide(rare, weights, places, 0, "stratified").part)
    with pytest.raises(UserError, match="did you mean 'stratified'"):
        divide(rare, weights, places, 0, "stratifed")
    few = made(np.arange(300)[:, None] < 3)  # one for a test part of a third
    kinds = set()
    for repeat in range(12):
        drawn = split_dataset(few, "holdout", repeat=repeat, folds="random")
        if 0 < drawn.Y_test.nnz < 3:
            part = split_dataset(few, "holdout", repeat=repeat)
            np.testing.assert_array_equal(part.train_mask, drawn.train_mask)
        else:
            with pytest.warns(DataNotice, match="stratified by labels"):
                part = split_dataset(few, "holdout", repeat=repeat)
        kinds.add(0 < drawn.Y_test.nnz < 3)
        assert part.Y_test.nnz in (1, 2) and part.n_train == 200
    assert kinds == {True, False}


def run(capsys, *words):
    status = main([*map(str, words)])
    return status, *capsys.readouterr()


def test_commands_say_how_rows_were_divided(elsewhere, capsys):
    rng = np.random.default_rng(7)
    made(np.column_stack([rng.random((60, 2)) < 0.4, np.arange(60) < 5, np.arange(60) == 9])).save("m.npz")
    evaluate = ("evaluate", "m.npz", "--method", "uniform", "--set", "k=3")
    chain = ("chain", "m.npz", "--method", "br", "--set", "depth=2")
    for words in (evaluate, chain):
        tables = {}
        for kind in FOLDS:
            status, text, told = run(capsys, *words, "--cv", 5, "--folds", kind)
            tables[kind] = list(csv.DictReader(io.StringIO(text)))
            assert status == 0 and "1 of 4 labels has fewer examples than there are folds" in told
            assert ("folds are stratified by labels, because random ones leave out 1 of 4" in told) == (
                kind == "auto"
            )
        assert {row["division"] for row in tables["auto"]} == {"stratified"}
        for kind in FOLDS[1:]:
            assert {row["division"] for row in tables[kind]} == {kind}
        same = [{**row, "division": "stratified"} for row in tables["auto"]]
        assert same == tables["stratified"] != tables["random"]
        assert run(capsys, *words, "--cv", 5)[1] == run(capsys, *words, "--cv", 5, "--folds", "auto")[1]
    assert run(capsys, *chain, "--cv", 5, "--predictions", "p.npz")[0] == 0
    holdout = ("m.npz", "--split", "holdout", "--folds", "stratified")
    assert run(capsys, "rank", *holdout, "--method", "uniform", "-o", "r.csv")[0] == 0
    assert run(capsys, "evaluate", *holdout, "--ranking", "r.csv", "--set", "k=3")[0] == 0
    status, _, told = run(capsys, "evaluate", *holdout[:3], "--folds", "random", "--ranking", "r.csv")
    assert status == 2 and told.count("\n") == 1 and "r.csv: was learned on" in told
    for words in (("m.npz", "--folds", "random"), ("m.npz", "--folds", "even", "--split", "holdout")):
        status, _, told = run(capsys, "rank", *words, "--method", "uniform")
        assert status == 2 and told.count("\n") == 1 and "--folds" in told


def distributions(dataset: Dataset, parts: np.ndarray, folds: int) -> tuple[float, float]:
    """Return LD and LPD: mean differences of the odds of labels, and of pairs, in a fold and in all rows."""
    rows, columns = sp.triu(dataset.Y.T.astype(int) @ dataset.Y, 1).coords
    labels = sp.csc_array(dataset.Y, dtype=float)
    found = []
    for members in (labels.tocsr(), labels[:, rows].multiply(labels[:, columns]).tocsr()):
        total, differences = members.sum(axis=0), []
        for fold in range(folds):
            own = members[np.flatnonzero(parts == fold)]
            count = own.sum(axis=0)
            odds = total / (members.shape[0] - total)
            differences.append(np.abs(count / (own.shape[0] - count) - odds).mean())
        found.append(float(np.mean(differences)))
    return found[0], found[1]


GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "evaluate.md").read_text(encoding="utf-8")
# LD and LPD of iterative-stratification 0.1.9, MultilabelStratifiedKFold, mean of random_state 0 to 4.
PACKAGE = {
    ("yeast", 5): (0.029245, 0.009385),
    ("yeast", 10): (0.037555, 0.013379),
    ("bibtex", 5): (0.000291, 0.000405),
    ("bibtex", 10): (0.000586, 0.000571),
}


@pytest.mark.parametrize(("name", "folds"), PACKAGE)
def test_labels_and_pairs_are_shared_out_as_well_as_by_the_package(name, folds, mirror):
    dataset = load_dataset(name)
    n = dataset.X.shape[0]
    weights, places = np.ones(folds, int), np.arange(n) % folds
    found = {}
    for kind in ("random", "stratified", "stratified-pairs"):
        parts = [divide(dataset, weights, places, seed, kind).part for seed in range(5)]
        found[kind] = np.mean([distributions(dataset, part, folds) for part in parts], axis=0)
        sizes = [np.abs(np.bincount(part) - n / folds).mean() for part in parts]
        shown = " | ".join(f"{1000 * value:.{2 if name == 'yeast' else 3}f}" for value in found[kind])
        page = GUIDE.partition(f"| {name}, {folds} |")[2]
        assert re.search(rf"\| {kind} \| (.*) \|\n", f"|{page}")[1] == f"{shown} | {np.mean(sizes):.1f}"
    of_labels, of_pairs = found["stratified"], found["stratified-pairs"]
    assert (of_labels <= PACKAGE[name, folds]).all()
    assert of_pairs[1] <= of_labels[1] and of_pairs[0] <= 1.05 * PACKAGE[name, folds][0]


@pytest.mark.parametrize("pairs", [False, True])
def test_a_hundred_thousand_rows_take_under_three_seconds(pairs):
    rng = np.random.default_rng(0)
    Y = sp.csr_array((rng.random((100_000, 100)) < 0.1 * rng.random(100)).astype(np.uint8))
    sizes = np.full(10, 10_000)
    start = time.process_time()
    parts = stratified_parts(Y, sizes, np.ones(10, int), rng.permutation(100_000), 0, pairs=pairs)
    assert time.process_time() - start < 3
    deviation, random = (
        np.abs(
            [Y[np.flatnonzero(each == part)].sum(axis=0) - Y.sum(axis=0) / 10 for part in range(10)]
        ).mean()
        for each in (parts, np.arange(100_000) % 10)
    )
    assert deviation < random * (0.35 if pairs else 0.05)
