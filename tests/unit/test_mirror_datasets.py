"""Every flat set of the mirror reads, with the counts of its manifest; each trap of its README is met."""

from __future__ import annotations

import csv
import lzma
import re
from pathlib import Path

import numpy as np
import pytest

from mlsieve.data import load_dataset
from mlsieve.data.catalog import public_catalog
from mlsieve.data.labels import meka_label_count
from mlsieve.data.public.acquire import acquire
from mlsieve.data.public.check import differences
from mlsieve.data.readers.arff import read_arff

MIRRORED = [
    id for id, entry in public_catalog().items() if entry.format not in {"embedded", "clus"} and entry.counts
]


def manifest(mirror: Path) -> dict[str, dict[str, str]]:
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["name"]: row for row in rows if row["kind"] == "mulan"}


def test_the_catalog_has_every_flat_set_of_the_mirror(mirror):
    assert sorted(MIRRORED) == sorted(manifest(mirror))


@pytest.mark.parametrize("id", MIRRORED)
def test_counts_are_those_of_the_manifest(mirror, id):
    dataset, row = load_dataset(id), manifest(mirror)[id]
    found = dataset.counts()
    expected = {key: int(row[key]) for key in ("n_train", "F_numeric", "F_nominal", "L", "distinct")}
    expected["n_test"] = int(row["n_test"]) if row["n_test"].isdigit() else 0
    layout = row["layout"]
    expected["missing"] = int(re.search(r"missing cells (\d+)", layout)[1])
    assert {key: found[key] for key in expected} == expected
    assert f"{found['cardinality']:.4f}" == row["cardinality"]
    assert dataset.official_split == row["n_test"].isdigit()
    assert dataset.is_sparse == ("sparse rows" in layout)
    label_sizes = np.diff(dataset.Y.indptr)
    assert (label_sizes == 0).sum() == int(re.search(r"empty label sets (\d+)", layout)[1])
    never = (dataset.Y.sum(axis=0) == 0).sum()
    assert never == int(re.search(r"labels never set (\d+)", layout)[1])
    assert np.isfinite(dataset.X.data if dataset.is_sparse else dataset.X).all()
    if dataset.is_sparse:
        assert dataset.X.has_sorted_indices and (dataset.X.data != 0).all()
    published = {difference.source for difference in differences(public_catalog()[id], dataset)}
    said = dict(part.split(":") for part in re.sub(r" \([^)]*\)", "", row["match"]).split())
    assert published == {
        {"mulan": "mulan", "004": "paper 004"}[source] for source in said if said[source] == "no"
    } | (
        # Paper 004 prints the number of features that it kept.
        {"paper 004"} if "004 keeps the top" in row["note"] else set()
    )


def file_of(id: str, role: str = "train"):
    return acquire(public_catalog()[id])[role]


def test_labels_are_told_by_the_label_file_not_by_position(mirror):
    first, last = load_dataset("slashdot"), load_dataset("bibtex")
    for id, dataset in (("slashdot", first), ("bibtex", last)):
        names = [a.name for a in read_arff(file_of(id, "all" if id == "slashdot" else "train")).attributes]
        n_labels = len(dataset.label_names)
        labels = names[:n_labels] if id == "slashdot" else names[-n_labels:]
        assert list(dataset.label_names) == labels


@pytest.mark.parametrize("id, count", [("slashdot", 22), ("langlog", 75)])
def test_meka_option_and_label_file_agree(mirror, id, count):
    by_xml = load_dataset(id)
    path = file_of(id, "all")
    assert meka_label_count(read_arff(path).relation, path) == count
    by_option = load_dataset(path)
    assert by_option.label_names == by_xml.label_names
    assert (by_option.Y != by_xml.Y).nnz == 0 and (by_option.X != by_xml.X).nnz == 0


def test_a_filtered_meka_relation_is_not_trusted(mirror):
    """medical says -C 45 but its labels are last: a filter has moved them."""
    from mlsieve.errors import UserError

    with pytest.raises(UserError, match=r"'-C 45'.*attribute\.Remove-R1-45"):
        load_dataset(file_of("medical"))


def test_relation_names_hold_blanks_options_and_comments(mirror):
    assert read_arff(file_of("slashdot", "all")).relation == "Slashdot: -C 22 -split-number 1891"
    assert read_arff(file_of("delicious", "test")).relation == "delicious_test"


def test_quoted_names_with_escapes(mirror):
    assert "Swainson's Thrush" in load_dataset("birds").label_names


def test_unquoted_names_are_literal(mirror):
    assert "TAG_dise\\~no" in load_dataset("delicious").label_names


def test_genbases_first_value_is_yes_and_its_identifier_has_662(mirror):
    dataset = load_dataset("genbase")
    assert dataset.feature_names[0] == "protein" and len(dataset.categories[0]) == 662
    assert set(dataset.categories[1:]) == {("YES", "NO")}
    assert not dataset.is_sparse
    table = read_arff(file_of("genbase"))
    with lzma.open(file_of("genbase"), "rt") as stream:
        row = next(line for line in stream if line.startswith("Q9PQS9,")).split(",")
    place = dict(zip(("YES", "NO"), (0, 1), strict=True))
    np.testing.assert_array_equal(table.values[0, 1:-27], [place[value] for value in row[1:-27]])


def test_values_not_seen_in_training_occur_in_test(mirror):
    dataset = load_dataset("genbase")
    unseen = set(dataset.X_test[:, 0]) - set(dataset.X_train[:, 0])
    assert unseen and max(unseen) < len(dataset.categories[0])


def test_flags_and_birds_have_nominal_features_with_other_values(mirror):
    for id in ("flags", "birds"):
        dataset = load_dataset(id)
        assert any(len(values) > 2 for values in dataset.categories)
        for column in np.flatnonzero(dataset.nominal):
            assert set(dataset.X[:, column]) <= set(range(len(dataset.categories[column])))


def test_line_ends_of_windows(mirror, tmp_path):
    """No flat set has CRLF line ends; with them, emotions reads the same."""
    with lzma.open(file_of("emotions"), "rb") as stream:
        text = stream.read()
    path = tmp_path / "crlf.arff"
    path.write_bytes(text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    np.testing.assert_array_equal(read_arff(path).values, read_arff(file_of("emotions")).values)


def test_one_value_of_a_row_of_each_layout(mirror):
    """Spot checks against the text of the files."""
    emotions = load_dataset("emotions")
    assert emotions.X_train[0, 0] == 0.034741 and emotions.X_train.shape == (391, 72)
    bibtex = load_dataset("bibtex")
    assert bibtex.X_train[[0]].indices[:6].tolist() == [0, 5, 6, 20, 33, 35]
    arts = load_dataset("yahoo_arts")
    assert arts.X_train[[0]].indices[:4].tolist() == [8, 11, 61, 62] and arts.X_train[[0]].data[4] == 2


@pytest.mark.parametrize("id", ["bibtex", "emotions", "slashdot"])
def test_arrays_are_canonical(mirror, id):
    dataset = load_dataset(id)
    assert dataset.X.dtype == np.float64 and dataset.Y.dtype == np.uint8
    matrices = [dataset.Y, dataset.X] if dataset.is_sparse else [dataset.Y]
    for matrix in matrices:
        assert matrix.format == "csr" and matrix.has_canonical_format
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert dataset.is_sparse or dataset.X.flags.c_contiguous
