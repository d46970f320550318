"""Seeds, versions and packages of a study's methods that predict label sets."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from workflow_project import CHAINS, TINY

from mlsieve.chains import XDCC, MultiLabelXGB
from mlsieve.registry import entries, lookup
from mlsieve.registry.plugins import Origin
from mlsieve.study import Ranker, Study, expand_rankers, parts
from mlsieve.study.chains import entries as chain_entries
from mlsieve.study.rankers import entries as ranker_entries
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


@pytest.mark.parametrize(
    ("entry", "registered"),
    [
        ({"id": "br"}, ("br",)),
        ({"id": "br", "grid": {"base": ["decision-tree", "ml-xgb"]}}, ("br", "ml-xgb")),
        ({"id": "cc", "params": {"order": "xdcc"}}, ("cc", "xdcc")),
        ({"id": "cc", "params": {"base": "ml-xgb"}, "grid": {"order": ["xdcc"]}}, ("cc", "ml-xgb", "xdcc")),
        ({"id": "xdcc"}, ("xdcc",)),
    ],
)
def test_a_new_version_of_each_method_that_a_chain_runs_reruns_it(entry, registered) -> None:
    study = Study({**CHAINS, "chains": [entry]})
    (method,) = study.content.chains.values()
    assert method.registered == registered
    for point in method.points:
        assert set(point.registered) <= set(registered)


def test_permutation_follows_the_version_and_the_file_of_the_method_that_it_permutes(monkeypatch) -> None:
    def ranker(**params: str) -> Ranker:
        (found,) = expand_rankers([{"id": "chain-permutation", "params": params}])
        return found

    ranks, permuted = (
        entries(kind)[id].version for kind, id in (("ranker", "chain-permutation"), ("chain", "ml-xgb"))
    )
    assert ranker().version == (ranks if permuted == 1 else f"{ranks};ml-xgb:{permuted}")
    own = replace(entries("chain")["br"], id="own", version=5, origin=Origin("own.py", "abc", True))
    monkeypatch.setattr(ranker_entries, "entries", lambda kind: {**entries(kind), "own": own})
    monkeypatch.setattr(parts, "lookup", lambda kind, id: own if id == "own" else lookup(kind, id))
    assert ranker(chain="own").version == f"{ranks};own:5;abc;31-bit seed"
    assert ranker(chain="nothing").version == ranks
    study = Study({**TINY, "methods": [{"id": "chain-permutation", "params": {"chain": "own"}}]})
    at = SimpleNamespace(
        dataset=next(iter(study.content.datasets)),
        split=next(iter(study.content.splits)),
        ranker=next(iter(study.content.rankers)),
    )
    assert study.options.rank(at).startswith("--plugin own.py --method chain-permutation")


def test_a_method_takes_no_part_where_the_one_whose_points_it_reads_cannot_run(monkeypatch) -> None:
    monkeypatch.setattr(chain_entries, "find_spec", lambda name: None)
    chains = [
        {"id": "cc", "name": "tuned", "params": {"base": "xgboost"}, "grid": {"depth": [2, 3]}},
        {"id": "cc", "name": "reads", "params": {"base": "ml-xgb"}, "tuned_with": "tuned"},
        {"id": "cc", "name": "ordered", "params": {"base": "ml-xgb"}, "order_of": "tuned"},
        {"id": "cc", "name": "alone", "params": {"base": "ml-xgb"}},
    ]
    study = Study({**CHAINS, "chains": chains})
    jobs = study.jobs.all()
    assert {job.chain.name for job in jobs if job.chain is not None} == {"alone"}
    assert not [job for job in jobs if job.step == "tune"]
