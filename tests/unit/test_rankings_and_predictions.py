"""What a ranking weighs, when half the votes suffice, and what seeds depend on."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mlsieve.evaluation.predictions import Predictions
from mlsieve.rankings.files import Ranking, RankingBundle
from mlsieve.seeds import derive_seed

NAMES = ("a", "b", "c")


def test_negative_scores_weigh_nothing():
    np.testing.assert_array_equal(Ranking(np.array([0.5, -2.0, 0.0]), NAMES).weights(), [0.5, 0.0, 0.0])


def test_a_selection_weighs_one_for_the_chosen():
    np.testing.assert_array_equal(
        Ranking(np.array([1.0, 3.0, 2.0]), NAMES, n_selected=2).weights(), [0, 1, 1]
    )


def test_ties_rank_in_the_order_of_the_data():
    assert Ranking(np.array([1.0, 2.0, 1.0]), NAMES).order().tolist() == [1, 0, 2]


def test_a_file_keeps_how_ties_are_decided(tmp_path):
    written = Ranking(np.array([1.0, 2.0, 1.0]), NAMES, search_order=np.array([1, 2, 0]))
    written.to_csv(tmp_path / "ranking.csv")
    RankingBundle((written,)).save(tmp_path / "ranking.npz")
    assert Ranking.from_csv(tmp_path / "ranking.csv").order().tolist() == [1, 2, 0]
    assert RankingBundle.load(tmp_path / "ranking.npz").rankings[0].order().tolist() == [1, 2, 0]


def test_the_rows_of_a_file_need_not_be_sorted(tmp_path):
    (tmp_path / "ranking.csv").write_text(
        "rank,feature_index,feature,score\n3,0,a,0.5\n1,1,b,2.0\n2,2,c,1.0\n"
    )
    assert Ranking.from_csv(tmp_path / "ranking.csv").order().tolist() == [1, 2, 0]


def test_half_the_votes_make_a_label_relevant():
    truth = sp.csr_array(np.zeros((1, 3), np.uint8))
    votes = np.array([[[1, 2, 3]]], np.uint8)
    assert Predictions(votes, truth, ("x",), (0,), (3,), 4).predicted(0).tolist() == [[False, True, True]]
    assert Predictions(votes, truth, ("x",), (0,), (3,), 4, ">").predicted(0).tolist() == [
        [False, False, True]
    ]


def test_seeds_depend_on_each_name_and_never_change():
    assert derive_seed(0, "emotions", "official", "bagging") == derive_seed(
        0, "emotions", "official", "bagging"
    )
    seeds = {derive_seed(s, d, k) for s in (0, 1) for d in ("a", "b") for k in ("x", "y")}
    assert len(seeds) == 8
    assert derive_seed(0, "ab", "c") != derive_seed(0, "a", "bc")
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert derive_seed(0, "emotions") == 483265448046783
