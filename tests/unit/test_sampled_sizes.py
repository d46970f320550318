"""Sizes that the beginnings of files tell, against what the files hold."""

from __future__ import annotations

import gzip
from pathlib import Path
from types import SimpleNamespace

import pytest

from mlsieve.costs import file_sizes as sampled_sizes
from mlsieve.costs.file_sizes import sampled_counts
from mlsieve.data.catalog import entry_from, public_catalog
from mlsieve.data.public.acquire import locate
from mlsieve.study import Study


@pytest.mark.parametrize("id", ["emotions", "bibtex", "genbase", "enron", "seq_FUN", "imclef07a"])
@pytest.mark.parametrize("whole", [True, False])
def test_they_are_those_of_the_files_or_nearly(id, whole, mirror, monkeypatch):
    entry = public_catalog()[id]
    known = entry.counts
    if not whole:
        monkeypatch.setattr(sampled_sizes, "_SAMPLE", 1 << 19)
    found = sampled_counts(entry, {role: path for role, (_, path) in locate(entry).items()})
    off = 0.001 if whole else 0.2
    assert found["n"] == pytest.approx(known["n_train"] + known["n_test"], rel=off)
    assert found["n_train"] == pytest.approx(known["n_train"], rel=off)
    assert (found["F"], found["L"]) == (known["F_numeric"] + known["F_nominal"], known["L"])
    assert found["numeric"] == pytest.approx(known["F_numeric"] / found["F"], abs=0.02)
    if known.get("nonzeros"):
        assert found["nonzeros"] == pytest.approx(known["nonzeros"], rel=0.2)  # with those of the labels


def table(path: Path, rows: int) -> Path:
    lines = [f"{row},{row % 3},{'ab'[row % 2]},{row % 2},{int(row % 4 == 0)}" for row in range(rows)]
    text = "\n".join(["x,y,colour,sun,rain", *lines, ""])
    with gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w") as stream:
        stream.write(text)
    return path


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz"])
def test_a_table_of_ones_own(name, tmp_path):
    entry = entry_from({"id": "own", "format": "csv", "all": str(tmp_path / name), "label_count": -2})
    found = sampled_counts(entry, {"all": table(tmp_path / name, 4000)})
    assert (found["n"], found["F"], found["L"], found["n_train"]) == (4000, 3, 2, 0)
    assert found["cardinality"] == pytest.approx(0.75)
    assert "nonzeros" not in found


@pytest.mark.parametrize(
    "content", [b"", b"\x1f\x8b", b"\xfd7zXZ\x00cut", b"@relation r\n", b"\x00" * 99, b"a,b\n"]
)
def test_what_cannot_be_read_tells_nothing(content, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    entry = entry_from({"id": "own", "format": "csv", "all": str(path), "label_count": -1})
    assert sampled_counts(entry, {"all": path}) == {}
    assert sampled_counts(entry, {}) == sampled_counts(entry, {"all": tmp_path / "none"}) == {}


def test_a_meka_file_tells_its_labels(tmp_path):
    path = tmp_path / "rows.arff"
    head = "@relation 'rows: -C 2'\n@attribute sun {0,1}\n@attribute rain {0,1}\n@attribute x real\n@data\n"
    path.write_text(head + "1,1,0.5\n0,1,0.25\n" * 50)
    entry = entry_from({"id": "own", "format": "meka", "all": str(path)})
    found = sampled_counts(entry, {"all": path})
    assert (found["n"], found["F"], found["L"], found["cardinality"], found["numeric"]) == (
        100,
        1,
        2,
        1.5,
        1.0,
    )


@pytest.mark.timeout(20)
def test_blanks_are_read_in_proportion_to_the_file(tmp_path):
    path = tmp_path / "blank.csv"
    path.write_text("\n" * 4_000_000)
    entry = entry_from({"id": "own", "format": "csv", "all": str(path), "label_count": -1})
    assert sampled_counts(entry, {"all": path}) == {}


def test_a_study_asks_for_more_where_its_file_is_larger(tmp_path):
    asked = []
    for rows in (60, 60_000):
        path = table(tmp_path / f"{rows}.csv", rows)
        own = {"id": "own", "format": "csv", "all": str(path), "label_count": -2}
        study = Study(
            {
                "study": "s",
                "datasets": [own],
                "methods": [{"id": "relief"}],
                "evaluators": [{"id": "weighted-knn"}],
            }
        )
        (counts,) = study.resources.counts.values()
        assert counts["n"] == pytest.approx(rows, rel=0.01)
        asked.append(
            study.resources.memory("prepare")(SimpleNamespace(dataset=next(iter(study.content.datasets))), 1)
        )
    assert asked[1] > asked[0]
