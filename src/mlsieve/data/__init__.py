"""Datasets: reading, finding, making and splitting them."""

from mlsieve.data.dataset import Dataset, label_matrix
from mlsieve.data.loading import load_dataset
from mlsieve.data.splits import split_dataset

__all__ = ["Dataset", "label_matrix", "load_dataset", "split_dataset"]
