"""The search for the criterion of the printed SCLS columns: criteria against selectors, its page by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scls_variants.criteria import variants
from benchmarks.scls_variants.page import counts, differences, page
from benchmarks.scls_variants.search import (
    DATASETS,
    MEASURES,
    Charges,
    compute,
    evaluate_split,
    order_of,
    read_results,
    terms_of,
)
from mlsieve.data import load_dataset, split_dataset
from mlsieve.data.column_contents import canonical_places, column_digests
from mlsieve.selectors import AMI, SCLS

SELECTORS = {
    "eq25": SCLS(),
    "label-mean-mean": SCLS(form="means"),
    "ami-printed": AMI(form="printed"),
    "ami-mean": AMI(),
    "eq25-equal-width": SCLS(discretize="equal-width"),
}


@pytest.fixture(scope="module")
def part():
    return split_dataset(load_dataset("synthetic-redundant"), "holdout", repeat=0, train_share=0.8)


@pytest.mark.parametrize("name", SELECTORS)
def test_the_criteria_that_are_selectors_select_the_same(part, name):
    variant = variants()[name]
    charges = Charges(terms_of(part, variant.discretize))
    found = order_of(variant, charges, 8, canonical_places(column_digests(part.X_train), 5))
    selector = SELECTORS[name].set_params(n_features_to_select=8, random_state=5)
    expected = selector.fit(part.X_train, part.Y_train.toarray()).selection_.order[:8]
    assert found.tolist() == expected.tolist()


def test_information_with_labels_sums_to_the_relevance(part):
    terms = terms_of(part, "laim")
    np.testing.assert_allclose(terms.labels.sum(axis=1), terms.data.relevance, rtol=1e-9, atol=1e-12)


def test_charges_are_put_together_as_said():
    """Two selected features, charged 0.1 and 0.2, then 0.3 and 0.1."""
    shares, every = np.array([[0.1, 0.2], [0.3, 0.1]]), variants()
    assert every["eq25"].collect(shares) == pytest.approx([0.4, 0.3])
    assert every["largest"].collect(shares) == pytest.approx([0.3, 0.2])
    assert every["latest"].collect(shares) == pytest.approx([0.3, 0.1])
    assert every["each-round"].collect(shares) == pytest.approx([0.5, 0.5])


def test_every_variant_gives_finite_measures_on_one_split():
    whole = load_dataset("synthetic-redundant")
    found = dict(evaluate_split(whole, 0, variants()))
    assert set(found) == set(variants())
    for values in found.values():
        assert set(values) == set(MEASURES) and all(np.isfinite(list(values.values())))


def test_what_is_there_is_not_computed_again(tmp_path, monkeypatch):
    monkeypatch.setitem(DATASETS, "synthetic-redundant", {})
    path = tmp_path / "results.csv"
    compute(path, ["eq25"], ["synthetic-redundant"], 1)
    first = path.read_text()
    compute(path, ["eq25", "ami-mean"], ["synthetic-redundant"], 1)
    assert path.read_text().startswith(first) and len(read_results(path)) == 6


def test_the_page_counts_the_cells_that_lie_near():
    names = ("eq25", "label-mean-mean", "ami-mean")
    printed = {(dataset, measure): 0.1 for dataset in DATASETS for measure in MEASURES}
    off = {"eq25": 0.02, "label-mean-mean": 0.005, "ami-mean": 0.0}
    results = {
        (dataset, repeat, name, measure): 0.1 + off[name] * (2 * repeat)  # a mean of 0.1 + off
        for dataset in DATASETS
        for repeat in range(2)
        for name in names
        for measure in MEASURES
    }
    found = differences(results, printed, 2)
    assert counts(found["eq25"]) == (0, 0, 0) and counts(found["label-mean-mean"]) == (19, 19, 19)
    text = page(results, {name: variants()[name] for name in names}, printed, printed)
    assert "Eq. 25 reaches 0, 0 and 0." in text and "| 57 |" in text and "**0.105**" in text
    assert "come out" not in text.split("## Outcome")[1] and "lie within 0.01, of 19" in text
