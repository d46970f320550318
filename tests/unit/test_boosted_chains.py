"""MultiLabelXGB and XDCC: what holds whatever the data, and the figures of the authors' program."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from mlsieve._kernels.common.logistic import expit, logit
from scipy import special

from mlsieve.chains import XDCC, MultiLabelXGB, xdcc
from mlsieve.errors import InvalidSetting, UserError
from mlsieve.evaluation.chains import chain_method


def problem(n=120, n_labels=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)).round(2)
    X[rng.random(X.shape) < 0.2] = 0.0
    Y = (X @ rng.normal(size=(6, n_labels)) + rng.normal(size=(n, n_labels)) > 1).astype(int)
    return X, Y


def test_a_chain_of_one_step_is_the_booster():
    X, Y = problem()
    booster = MultiLabelXGB(n_estimators=5, split="max_gain").fit(X, Y)
    chain = XDCC(n_estimators=5, split="max_gain", chain_length=1).fit(X, Y)
    assert chain.predict_proba(X).tobytes() == booster.predict_proba(X).tobytes()


@pytest.mark.parametrize("cumulate", ["sum", "max", "running", "none"])
def test_a_shorter_chain_is_a_prefix(cumulate):
    X, Y = problem()
    long = XDCC(n_estimators=3, cumulate=cumulate, chain_length="all").fit(X, Y)
    staged = list(long.staged_scores(X))
    assert len(staged) == Y.shape[1]
    for length in (1, 3):
        short = XDCC(n_estimators=3, cumulate=cumulate, chain_length=length).fit(X, Y)
        cut = long.set_params(chain_length=length).predict_proba(X)
        assert short.predict_proba(X).tobytes() == cut.tobytes() == staged[length - 1].tobytes()


def test_no_length_is_the_whole_chain():
    X, Y = problem()
    whole = XDCC(n_estimators=2, chain_length="all").fit(X, Y).predict_proba(X)
    assert XDCC(n_estimators=2, chain_length=None).fit(X, Y).predict_proba(X).tobytes() == whole.tobytes()


@pytest.mark.parametrize(("n_more", "steps"), [(-1, 3), (0, 3), (1, 4), (40, 4), (41, 5), (200, 7)])
def test_the_usual_length_is_that_of_one_label_more_than_an_example_has(n_more, steps):
    """40 rows have 2 labels each, and some more: the label cardinality, rounded up, plus 1, of 7 labels."""
    X, Y = problem(40, 7)
    Y = np.zeros_like(Y)
    Y[:, :2] = 1
    Y[:, 2:].T.flat[: max(n_more, 0)] = 1
    Y[0, 0] -= n_more < 0
    shuffled = np.random.default_rng(1).permutation(40)
    for rows in (np.arange(40), shuffled, np.repeat(shuffled, 3)):
        chain = XDCC(n_estimators=1, max_depth=1).fit(X[rows], sp.csr_array(Y[rows]))
        assert (
            chain.predict_sequence(X).labels.shape == (40, steps) == (40, len(list(chain.staged_scores(X))))
        )
    assert chain.varied(chain_length=2).predict_sequence(X).labels.shape == (40, 2)
    program = XDCC(n_estimators=1, max_depth=1, definition="xdcc").fit(X, Y)
    assert program.predict_sequence(X).labels.shape == (40, 7), "as the authors' program"


def test_examples_without_labels_have_a_chain_of_one_step():
    X, Y = problem(30)
    assert XDCC(n_estimators=1).fit(X, Y * 0).predict_sequence(X).labels.shape == (30, 1)


def test_a_cut_chain_predicts_no_longer_one():
    X, Y = problem()
    cut = XDCC(n_estimators=2, chain_length=2).fit(X, Y)
    assert cut.varied(chain_length=1).predict_sequence(X).labels.shape == (len(X), 1)
    with pytest.raises(InvalidSetting, match="fitted with 2 steps"):
        cut.varied(chain_length=3)
    whole = XDCC(n_estimators=2, chain_length="all").fit(X, Y)
    assert whole.varied(chain_length=99).predict_sequence(X).labels.shape == Y.shape


def test_a_whole_chain_sets_every_label_once():
    X, Y = problem()
    chain = XDCC(n_estimators=3, chain_length="all", selection="unset").fit(X, Y)
    sequence = chain.predict_sequence(X)
    assert (np.sort(sequence.labels, axis=1) == np.arange(Y.shape[1])).all()
    # As long as a label of at least 1/2 is left, the next one is positive.
    assert ((sequence.probabilities >= 0.5) == sequence.positive).all()
    standard = chain.set_params(cumulate="none").predict(X)
    assert (standard == chain.set_params(cumulate="sum").predict(X)).all()
    positive = np.zeros_like(standard)
    np.put_along_axis(positive, sequence.labels.astype(np.int64), sequence.positive.astype(int), axis=1)
    assert (positive == standard).all(), "no label changes its side"


@pytest.mark.parametrize("estimator", [MultiLabelXGB(n_estimators=3), XDCC(n_estimators=2)])
def test_the_order_of_columns_changes_nothing(estimator):
    X, Y = problem()
    first = estimator.fit(X, Y).predict_proba(X)
    again = estimator.fit(X[:, ::-1], Y).predict_proba(X[:, ::-1])
    assert first.tobytes() == again.tobytes()


def test_missing_cells_and_categories():
    X, Y = problem()
    X[:, 0] = np.arange(len(X)) % 4
    Y[:, 0] = X[:, 0] == 2
    missing = X.copy()
    missing[::5, 1] = np.nan
    booster = MultiLabelXGB(n_estimators=10, nominal=[0], min_child_weight=0.1).fit(missing, Y)
    assert (booster.predict(missing)[:, 0] == Y[:, 0]).all()
    assert (booster.predict_proba(sp.csr_array(missing)) == booster.predict_proba(missing)).all()


@pytest.mark.parametrize("value", [1.0, np.nan])
def test_columns_without_a_test(value):
    X, Y = problem()
    with_more = np.column_stack([np.full(len(X), value), X, np.zeros(len(X))])
    models = [MultiLabelXGB(n_estimators=3).fit(data, Y) for data in (X, with_more)]
    assert models[0].trees_.gain.tobytes() == models[1].trees_.gain.tobytes()
    nothing = with_more[:, [0, -1]]
    alone = MultiLabelXGB(n_estimators=3).fit(nothing, Y).predict_proba(nothing)
    np.testing.assert_allclose(alone[0], Y.mean(axis=0), atol=0.02)


def test_samples_depend_on_the_seed_alone():
    X, Y = problem()
    options = {"n_estimators": 4, "subsample": 0.5, "colsample": 0.5}
    made = [MultiLabelXGB(random_state=s, **options).fit(X, Y).predict_proba(X).tobytes() for s in (1, 1, 2)]
    assert made[0] == made[1] != made[2]


@pytest.mark.parametrize(
    ("name", "value"), [("subsample", 0.0), ("colsample", 1.5), ("max_depth", 0), ("split", "gain")]
)
def test_wrong_settings_are_refused(name, value):
    X, Y = problem()
    with pytest.raises(InvalidSetting, match=name.removeprefix("max_")):
        MultiLabelXGB(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("as_stored", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("definition", ["paper", "xdcc"])
def test_scores_of_each_length_need_a_block_of_dense_rows_at_a_time(monkeypatch, as_stored, definition):
    rng = np.random.default_rng(0)
    X = as_stored(rng.integers(0, 3, size=(50, 6)).astype(float))
    Y = rng.integers(0, 2, size=(50, 4))
    model = XDCC(n_estimators=2, max_depth=2, chain_length="all", definition=definition).fit(X, Y)
    whole = list(model.staged_scores(X))
    most = []
    dense = xdcc.dense_rows
    monkeypatch.setattr(xdcc, "dense_rows", lambda rows: most.append(rows.shape[0]) or dense(rows))
    monkeypatch.setattr(xdcc, "_BLOCK", 7)
    in_blocks = list(model.staged_scores(X))
    assert np.array_equal(whole, in_blocks) and len(whole) == 4
    assert np.array_equal(in_blocks[-1], model.predict_proba(X))
    assert max(most) == 7


def test_the_authors_definition_chooses_among_all_labels():
    X, Y = problem()
    own, given, paper = (
        XDCC(n_estimators=2, chain_length=3, **parameters).fit(X, Y).predict_sequence(X).labels
        for parameters in (
            {"definition": "xdcc"},
            {"definition": "xdcc", "selection": "all"},
            {"selection": "unset"},
        )
    )
    assert (own == given).all() and (own == -1).any() and (paper >= 0).all()
    usual, every = (
        XDCC(n_estimators=2, chain_length=3, **parameters).fit(X, Y).predict_sequence(X).labels
        for parameters in ({}, {"selection": "all"})
    )
    assert (usual == every).all() and (usual != paper).any()


def test_the_authors_definition_refuses_a_choice_among_open_labels():
    X, Y = problem()
    with pytest.raises(InvalidSetting, match="cannot be combined with definition = 'xdcc'"):
        XDCC(definition="xdcc", selection="unset").fit(X, Y)
    for Model in (XDCC, MultiLabelXGB):
        with pytest.raises(InvalidSetting, match="gamma = 3 cannot be combined with definition = 'xdcc'"):
            Model(definition="xdcc", gamma=3).fit(X, Y)
        Model(definition="xdcc", gamma=0, min_child_weight_of="every", n_estimators=2).fit(X, Y)
    with pytest.raises(UserError, match="leave one of them out"):
        chain_method("xdcc", {"definition": "xdcc", "selection": "unset"})


@pytest.mark.kernel
def test_logistic_functions_are_those_of_scipy_to_the_bit():
    """Every sign and exponent of float32 with 512 fractions, the first and the last among them."""
    rng = np.random.default_rng(0)
    fractions = np.r_[0, 2**23 - 1, rng.integers(2**23, size=510)]
    bits = (np.arange(512)[:, None] << 23 | fractions).astype(np.uint32)
    margins = bits.view(np.float32)
    np.testing.assert_array_equal(expit(margins), special.expit(margins).astype(np.float64))
    shares = np.r_[
        rng.random(100_000), rng.random(1000) * 10.0 ** -rng.integers(300, size=1000), 0.3, 0.5, 0.65
    ]
    assert logit(shares).tobytes() == special.logit(shares).tobytes()
