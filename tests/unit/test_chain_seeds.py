"""Seeds and versions of the jobs of a study's methods that predict label sets."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
from workflow_project import CHAINS

from mlsieve.chains import XDCC, MultiLabelXGB
from mlsieve.study import Study
from mlsieve.tables.provenance import _seeds


def seed_of(study: Study, id: str) -> str:
    """Return the seed in the command of the first job that tests a method."""
    key = next(key for key, method in study.content.chains.items() if method.id == id)
    at = SimpleNamespace(
        dataset=next(iter(study.content.datasets)), split=next(iter(study.content.splits)), chain=key
    )
    return re.search(r"--seed (\d+)", study.options.chain(at))[1]


def test_a_study_seeds_ml_xgb_as_the_chain_whose_first_round_it_is() -> None:
    study = Study({**CHAINS, "chains": [{"id": "ml-xgb"}, {"id": "xdcc"}, {"id": "br"}]})
    assert seed_of(study, "ml-xgb") == seed_of(study, "xdcc") != seed_of(study, "br")
    known = _seeds(study.content)
    assert known["synthetic-linear/official-0/ml-xgb"] == int(seed_of(study, "ml-xgb"))


def test_the_seed_decides_which_of_equally_good_tests_is_taken_and_so_the_first_round() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(40, 60)).astype(float)
    Y = rng.integers(0, 2, size=(40, 3))
    new = rng.integers(0, 2, size=(40, 60)).astype(float)
    same = {"n_estimators": 3, "split": "max_gain"}
    one, other = (MultiLabelXGB(**same, random_state=seed).fit(X, Y).predict_proba(new) for seed in (0, 1))
    first = XDCC(**same, chain_length=1, random_state=0).fit(X, Y).predict_proba(new)
    assert np.array_equal(first, one)
    assert not np.array_equal(first, other)
