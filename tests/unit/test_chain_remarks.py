"""What the report says of chains that end early, of constant predictions, of tuning and of boosted trees."""

import pandas as pd

from mlsieve.analysis.chains.constant import constant_sentences
from mlsieve.analysis.chains.remarks import (
    cut_chains,
    cut_methods,
    label_counts,
    own_boosters,
    tuning_efforts,
)

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
    assert cut_methods(table, ["br"], LABELS) == [] == cut_methods(table, [], LABELS)


def test_methods_whose_chains_end_elsewhere_have_their_own_sentences():
    table = runs(
        *(("enron", "cc", "", 53), ("enron", "xdcc", "", 5), ("yeast", "xdcc", "", 6)),
        *(("enron", "program", "", 40), ("enron", "paper", "", 40), ("yeast", "program", "", 14)),
    )
    assert cut_methods(table, ["program", "xdcc", "paper"], LABELS) == [
        "The chains of program and paper end after 40 steps on enron (53 labels): no full chain is trained "
        "there.",
        "The chains of xdcc end after 5 steps on enron (53 labels) and after 6 steps on yeast (14 labels): "
        "no full chain is trained there.",
    ]


def test_boosted_trees_of_other_packages_are_not_called_our_own():
    table = runs(
        ("a", "br-xgb", "base=ml-xgb depth=6", 0),
        ("a", "cc-true", "base=ml-xgb depth=6", 7),
        ("a", "cc-other", "base=xgboost depth=6", 7),
        ("a", "ml-xgb", "depth=6", 0),
    )
    text = "mlsieve's own boosted trees, ML-XGB with one label, and not XGBoost."
    assert own_boosters(table, table["method"]) == [f"br-xgb and cc-true fit {text}"]
    assert own_boosters(table, ["cc-true", "cc-true"]) == [f"cc-true fits {text}"]
    assert own_boosters(table, ["cc-other", "ml-xgb"]) == []


def test_numbers_of_labels_as_far_as_they_are_known():
    described = pd.DataFrame({"dataset": ["a", "b"], "L": [7, None]})
    assert label_counts(described) == {"a": 7}
    assert label_counts(None) == label_counts(described[["dataset"]]) == {}


PAIRS = [("dynamic", "static")]


def test_wins_are_counted_again_without_the_datasets_of_a_constant_prediction():
    columns = ["dataset", "method", "f1", "hamming-loss", "commonest_set", "predicted_cardinality"]
    table = pd.DataFrame(
        [
            *(("a", "dynamic", 0.5, 0.1, 0.3, 2.0), ("a", "static", 0.4, 0.2, 0.3, 2.0)),
            *(("b", "dynamic", 0.5, 0.3, 0.94, 2.0), ("b", "static", 0.6, 0.2, 0.3, 2.0)),
            *(("c", "dynamic", 0.5, 0.1, 0.95, 1.0), ("c", "static", 0.1, 0.2, 0.3, 2.0)),
            *(("d", "dynamic", 0.0, 0.1, 1.0, 0.0), ("d", "static", 0.0, 0.1, 1.0, 0.0)),
        ],
        columns=columns,
    ).assign(split="official", repeat=0, tuned_by="")
    directions = {"f1": "higher", "hamming-loss": "lower"}
    assert constant_sentences(table, directions, PAIRS) == [
        "dynamic predicts no label for nearly all test rows of d and predicts the same label set for nearly "
        "all test rows of c. Of the 2 other datasets, it is better than static on 1 by f1 and 1 by "
        "hamming-loss."
    ]
    assert constant_sentences(table[table["dataset"] < "c"], directions, PAIRS) == []
    unknown = table.assign(f1=table["f1"].where(table["dataset"] != "c"))
    assert "better than static on 1 by f1 and 1" in constant_sentences(unknown, directions, PAIRS)[0], (
        "a measure may be undefined on a dataset that is left out"
    )
    nearly = table.assign(predicted_cardinality=table["predicted_cardinality"].replace(0.0, 0.009))
    assert constant_sentences(nearly, directions, PAIRS) == constant_sentences(table, directions, PAIRS), (
        "a label in few rows makes the set of the others no other than empty"
    )
    third = table[table["method"] == "static"].assign(method="third", f1=0.7)
    few = third[third["dataset"] == "a"]
    both = [*PAIRS, ("dynamic", "third")]
    [text] = constant_sentences(pd.concat([table, third]), directions, both)
    assert text.endswith(
        "Of the 2 other datasets, it is better than static on 1 by f1 and 1 by hamming-loss; than third on 0 "
        "by f1 and 1 by hamming-loss."
    ), "the datasets of a method are named once"
    [text] = constant_sentences(pd.concat([table, few]), directions, both)
    assert text.endswith("Of the 1 other dataset, it is better than third on 0 by f1 and 1 by hamming-loss.")
    before = table.drop(columns=["commonest_set", "predicted_cardinality"])
    assert constant_sentences(before, directions, PAIRS) == []
    only = table[table["dataset"] == "c"]
    assert constant_sentences(only, directions, PAIRS) == [
        "dynamic predicts the same label set for nearly all test rows of c."
    ]


def test_unequal_tuning_is_named():
    table = pd.DataFrame({"method": ["xdcc", "ml", "br", "lp"], "tuned_by": ["f1", "f1", "f1", ""]})
    tuning = pd.DataFrame(
        [("xdcc", "d", str(point)) for point in range(24)]
        + [("ml", "d", str(point)) for point in range(24)]
        + [("br", name, str(point)) for point in range(2) for name in "de"],
        columns=["method", "dataset", "settings"],
    )
    assert tuning_efforts(table, tuning, ["xdcc", "lp", "ml", "br"]) == [
        "The effort of tuning differs: parameters are chosen from 24 combinations of parameters for xdcc and "
        "ml; from 2 combinations of parameters for br; not at all for lp. A difference between methods may "
        "be one of tuning."
    ]
    assert tuning_efforts(table, tuning, ["xdcc", "ml"]) == [] == tuning_efforts(table, None, ["xdcc", "lp"])
