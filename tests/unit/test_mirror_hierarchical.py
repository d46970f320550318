"""Every hierarchical set of the mirror reads, with the counts of its manifest; what its README warns of."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from mlsieve.data import load_dataset
from mlsieve.data.catalog import public_catalog
from mlsieve.data.public.acquire import Unavailable, acquire, unavailable_reason
from mlsieve.data.public.check import differences
from mlsieve.data.readers.arff import read_arff
from mlsieve.data.readers.text import recognised_format
from mlsieve.errors import UserError

CLUS = {id: entry for id, entry in public_catalog().items() if entry.format == "clus"}
MIRRORED = [id for id, entry in CLUS.items() if entry.counts]


def manifest(mirror: Path) -> dict[str, dict[str, str]]:
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["name"]: row for row in rows if row["kind"] == "clus"}


def number(text: str, pattern: str) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def as_stated(row: dict[str, str], dataset) -> None:
    """Compare a dataset's counts with those in the manifest."""
    found, told = dataset.counts(), row["hierarchy"]
    expected = {key: int(row[key]) for key in ("F_numeric", "F_nominal", "L", "distinct", "n_test")}
    expected["missing"] = number(row["layout"], r"missing cells (\d+)")
    expected |= {"edges": number(told, r"edges (\d+)"), "depth": number(told, r"max depth (\d+)")}
    expected |= {"leaves": number(told, r"leaves (\d+)")}
    expected["several_parents"] = number(told, r"several parents (\d+)")
    assert {key: found[key] for key in expected} == expected
    assert found["n_train"] == sum(int(row[key]) for key in ("n_train", "n_valid") if row[key])
    assert f"{found['cardinality']:.4f}" == row["cardinality"]
    assert dataset.task == "hmlc" and dataset.hierarchy.is_tree == told.startswith("tree")
    used = np.count_nonzero(np.bincount(dataset.Y.indices, minlength=found["L"]))
    assert used == number(told, r"used with ancestors (\d+)")


def test_the_catalog_has_every_set_of_the_mirror(mirror):
    assert sorted([*MIRRORED, "expr_FUN"]) == sorted(manifest(mirror))


@pytest.mark.parametrize("id", MIRRORED)
def test_counts_are_those_of_the_manifest(mirror, id):
    dataset, row = load_dataset(id), manifest(mirror)[id]
    as_stated(row, dataset)
    tables = [read_arff(path, hierarchical=True) for path in acquire(CLUS[id]).values()]
    named = [1 + table.cells[int(k)].count("@") for table in tables for k in table.values[:, -1]]
    assert f"{np.mean(named):.3f}" == re.search(r"classes per row ([\d.]+)", row["hierarchy"])[1]
    assert dataset.official_split and dataset.Y.has_canonical_format
    said = re.fullmatch(r"001:no \((.*)\)|n/a", row["match"])[1]
    names = {"train": "n_train", "test": "n_test"}
    different = {difference.count for difference in differences(CLUS[id], dataset)} - {"n"}
    assert different == ({names.get(part, part) for part in said.split(",")} if said else set())
    used = load_dataset(id, classes="used")
    assert used.hierarchy == dataset.hierarchy  # every declared class occurs in these


def test_the_incomplete_set_reads_and_is_skipped(mirror):
    folder = mirror / "clus" / "expr_FUN"
    files = [folder / f"expr_FUN.{part}.arff.xz" for part in ("valid", "test")]
    dataset = load_dataset(files[0], test=files[1])
    as_stated(manifest(mirror)["expr_FUN"], dataset)
    used = load_dataset(files[0], test=files[1], classes="used")
    assert used.hierarchy.n_classes == 468
    reason = "dataset 'expr_FUN' is incomplete: the checksum of its train file is not known"
    assert unavailable_reason(CLUS["expr_FUN"]) == reason
    with pytest.raises(Unavailable, match="is incomplete"):
        load_dataset("expr_FUN")


@pytest.mark.parametrize("id", MIRRORED)
def test_the_format_is_told_from_each_file(mirror, id):
    assert {recognised_format(path) for path in acquire(CLUS[id]).values()} == {"clus"}


def test_diatoms_looks_like_edges_and_is_a_tree(mirror):
    dataset = load_dataset("diatoms")
    names = dataset.label_names
    assert names[:2] == ("000", "000/00") and all(name.count("/") < 3 for name in names)
    attribute = read_arff(acquire(CLUS["diatoms"])["train"], hierarchical=True).attributes[-1]
    assert attribute.classes[:2] == ("000/00", "000")


def test_a_graphs_root_is_no_class_and_all_ways_up_count(mirror):
    graph = load_dataset("cellcycle_GO").hierarchy
    assert "root" not in graph.names
    top = {graph.names[c] for c in np.flatnonzero(np.diff(graph.parent_start) == 0)}
    assert top == {"GO0003674", "GO0005575", "GO0008150"}


def test_listed_ancestors_change_nothing_and_windows_line_ends_neither(mirror):
    """imclef07a writes 2@2/1@2/1/3."""
    dataset = load_dataset("imclef07a")
    table = read_arff(acquire(CLUS["imclef07a"])["train"], hierarchical=True)
    cell = table.cells[int(table.values[0, -1])]
    assert {dataset.label_names[c] for c in dataset.Y[[0]].indices} == set(cell.split("@"))


def test_an_attribute_name_that_stands_twice(mirror):
    names = load_dataset("gasch1_FUN").feature_names
    assert {"Heat_Shock_000_minutes__hs_2", "Heat_Shock_000_minutes__hs_2#2"} <= set(names)
    assert len(set(names)) == len(names) == 173


def test_another_format_is_refused_with_the_line(mirror):
    path = mirror / "clus" / "imclef07a" / "ImCLEF07A_Train.arff.xz"  # with CRLF line ends
    with pytest.raises(UserError, match=r"\.arff\.xz:83: attribute 'class' has the unsupported type"):
        load_dataset(path, format="mulan")
