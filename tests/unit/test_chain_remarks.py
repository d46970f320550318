"""What the report says of chains that end early, and of whose boosted trees are compared."""

import pandas as pd

from mlsieve.analysis.chains.remarks import cut_chains, cut_methods, label_counts, own_boosters

LABELS = {"yeast": 14, "enron": 53, "medical": 45}


def runs(*rows):
    return pd.DataFrame(rows, columns=["dataset", "method", "settings", "steps"])


def test_only_datasets_with_more_labels_than_steps_are_named():
    assert cut_chains({"yeast": 14, "enron": 40, "medical": 40, "other": 3}, LABELS) == (
        "The chains end after 40 steps on enron (53 labels) and medical (45 labels): no full chain is "
        "trained there."
    )
    assert cut_chains({"enron": 40, "medical": 30}, LABELS, "Some chains").startswith(
        "Some chains end after 40 steps on enron (53 labels) and after 30 steps on medical (45 labels):"
    )
    assert cut_chains({"yeast": 14, "other": 3}, LABELS) == cut_chains({"yeast": 0}, LABELS) == ""


def test_methods_with_full_chains_or_without_chains_are_not_named():
    table = runs(
        *(("enron", "cc", "", 53), ("enron", "br", "", 0), ("enron", "xdcc", "", 40)),
        *(("yeast", "xdcc", "", 14), ("enron", "absent", "", 40)),
    )
    [text] = cut_methods(table, ["cc", "br", "xdcc"], LABELS)
    assert (
        text == "The chains of xdcc end after 40 steps on enron (53 labels): no full chain is trained there."
    )
    [every] = cut_methods(table, ["br", "xdcc"], LABELS)
    assert every == text.replace("The chains of xdcc", "The chains"), "br has no chain"
    assert cut_methods(table, ["cc", "br"], LABELS) == [] == cut_methods(table, ["xdcc"], {})


def test_boosted_trees_of_other_packages_are_not_called_our_own():
    table = runs(
        ("a", "br-xgb", "base=ml-xgb depth=6", 0),
        ("a", "cc-xgb", "base=ml-xgb depth=6", 7),
        ("a", "cc-other", "base=xgboost depth=6", 7),
        ("a", "ml-xgb", "depth=6", 0),
    )
    text = "mlsieve's own boosted trees, ML-XGB with one label, and not XGBoost."
    assert own_boosters(table, table["method"]) == [f"br-xgb and cc-xgb fit {text}"]
    assert own_boosters(table, ["cc-xgb", "cc-xgb"]) == [f"cc-xgb fits {text}"]
    assert own_boosters(table, ["cc-other", "ml-xgb"]) == []


def test_numbers_of_labels_as_far_as_they_are_known():
    described = pd.DataFrame({"dataset": ["a", "b"], "L": [7, None]})
    assert label_counts(described) == {"a": 7}
    assert label_counts(None) == label_counts(described[["dataset"]]) == {}
