"""The values that the ranking study publishes come out to all printed digits."""

from __future__ import annotations

import numpy as np
import pytest

from mlsieve.data import load_dataset
from mlsieve.evaluators import neighbor_votes
from mlsieve.measures import evaluate_all
from mlsieve.published import known_papers
from mlsieve.rankers.dataset_rankings import rank_dataset
from mlsieve.replication.cells import as_printed

pytestmark = pytest.mark.kernel

KNOWN = known_papers()["mlc_ranking"].cells
SETTING = KNOWN["evaluator"]["params"]


def test_54_values_of_one_setting_are_known():
    assert (KNOWN["split"], KNOWN["definition"], SETTING) == ("official", "clus", {"k": 15, "ranges": "all"})
    counts = {item["method"]: sum(map(len, item["values"].values())) for item in KNOWN["rankings"]}
    assert counts == {"uniform": 45, "relief": 9}


@pytest.mark.parametrize("name", ["emotions", "yeast", "scene"])
@pytest.mark.parametrize("item", KNOWN["rankings"], ids=lambda item: item["method"])
def test_published_values_are_met(mirror, name, item):
    dataset = load_dataset(name)
    weights = rank_dataset(dataset, item["method"], item["params"]).rankings[0].weights()
    votes = neighbor_votes(dataset, np.array(weights), **SETTING)[0]
    expected = {measure: row[name] for measure, row in item["values"].items()}
    values = evaluate_all(dataset.Y_test, votes / SETTING["k"], measures=list(expected))
    assert {measure: as_printed(value) for measure, value in values.items()} == expected
