"""Factors of the terms of `mlsieve.costs.model`, written by ``python -m scale.fit``; do not edit."""

FACTORS: dict[str, dict[str, dict[str, float]]] = {
    "seconds": {
        "prepare": {
            "job": 0.674,
            "values": 1.03e-06,
            "cells": 5.27e-09,
            "label_cells": 2.71e-08,
        },
        "discretise": {
            "job": 0.933,
            "split_values": 8.34e-08,
            "split_cells": 8.94e-10,
            "split_label_cells": 2.47e-09,
        },
        "grow": {
            "job": 0.472,
            "values": 2.24e-06,
            "tree_rows": 3.15e-06,
            "tree_labels": 1.48e-07,
        },
        "trees": {
            "level_rows": 2.61e-08,
            "dense_levels": 4.12e-09,
            "dense_unsorted_levels": 2.37e-09,
            "dense_level_labels": 7.02e-10,
            "dense_all_labels": 3.62e-09,
            "nominal_level_labels": 1.17e-09,
            "sparse_levels": 1.56e-08,
            "sparse_level_labels": 1.48e-08,
            "sparse_rows": 6.1e-09,
            "drawn_features": 2.88e-08,
            "tree_label_sums": 1.79e-07,
        },
        "permutation": {
            "permuted_labels": 5.63e-09,
            "permuted_walks": 8.04e-09,
            "permuted_features": 1.98e-09,
            "permuted_classes": 8.19e-10,
        },
        "rank-ensemble": {
            "job": 0.344,
            "tree_rows": 8.31e-07,
            "tree_labels": 7.48e-08,
        },
        "rank-relief": {
            "job": 0.483,
            "values": 2.22e-07,
            "own": 0.0377,
        },
        "rank-ppt-rf": {
            "job": 0.0539,
            "split_features": 0.00014,
            "own": 0.185,
        },
        "rank-scls": {
            "job": 0.916,
            "selected_values": 1.12e-09,
            "selected_features": 2.09e-07,
        },
        "rank-ami": {
            "job": 0.776,
            "split_values": 1.76e-08,
            "selected_values": 4.24e-10,
            "selected_features": 6.83e-07,
        },
        "rank-mdmr": {
            "job": 1.0,
            "value_labels": 2.76e-09,
            "selected_values": 9.31e-10,
            "label_pairs": 2.1e-11,
        },
        "rank-mlcfs": {
            "job": 1.4,
            "split_values": 2.69e-07,
            "value_labels": 8.37e-10,
            "selected_values": 2.01e-09,
        },
        "rank": {
            "job": 0.58,
            "split_values": 1.12e-07,
            "selected_values": 7.09e-11,
        },
        "predict": {
            "job": 0.423,
            "values": 2.15e-07,
            "pairs": 4.95e-09,
            "pair_values": 3.75e-11,
            "predictions_set": 2.43e-06,
        },
        "score": {
            "job": 0.348,
            "predictions": 4.42e-06,
            "label_predictions": 2.47e-07,
            "class_predictions": 1.48e-08,
        },
        "evaluate": {
            "job": 1.11,
            "split_values": 6.58e-08,
            "split_test_labels": 8.61e-07,
            "selected_label_predictions": 2.86e-09,
        },
    },
    "megabytes": {
        "prepare": {
            "job": 56.4,
            "values": 0.000114,
            "label_cells": 1.35e-07,
        },
        "discretise": {
            "job": 58.5,
            "values": 3.78e-05,
        },
        "grow": {
            "job": 55.0,
            "values": 4.87e-05,
            "tree_rows": 0.000146,
            "tree_labels": 1.82e-05,
        },
        "rank-ensemble": {
            "job": 52.7,
            "tree_rows": 0.000122,
            "tree_labels": 1.31e-05,
        },
        "rank": {
            "job": 56.8,
            "values": 4.03e-05,
            "features": 0.00202,
        },
        "predict": {
            "job": 60.4,
            "values": 3.62e-05,
            "test_labels": 3.96e-06,
            "label_predictions": 1.77e-06,
            "class_predictions": 1.33e-06,
        },
        "score": {
            "job": 54.5,
            "test_labels": 1.64e-05,
            "label_predictions": 1.64e-06,
            "class_predictions": 4.76e-07,
        },
        "evaluate": {
            "job": 60.8,
            "values": 3.28e-05,
            "test_labels": 7.73e-05,
        },
    },
    "bytes": {
        "prepare": {
            "values": 2.93,
            "features": 5.94,
        },
        "discretise": {
            "job": 7040.0,
        },
        "grow": {
            "job": 271000.0,
            "tree_rows": 4.88,
            "tree_labels": 1.01,
        },
        "rank-ensemble": {
            "job": 1710.0,
            "features": 49.3,
        },
        "rank": {
            "job": 2020.0,
            "split_features": 5.56,
        },
        "predict": {
            "job": 2310.0,
            "predictions_set": 0.843,
            "label_predictions": 0.0787,
            "class_predictions": 0.025,
        },
        "score": {
            "job": 82.8,
            "scores": 945.0,
        },
        "evaluate": {
            "job": 9640.0,
            "splits": 964.0,
        },
    },
}
