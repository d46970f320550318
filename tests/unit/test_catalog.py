"""The catalog: complete, well-formed, and strict about what users add."""

from __future__ import annotations

import pytest

from mlsieve.data.catalog import catalog, entry_from, find_entry, public_catalog, read_catalog
from mlsieve.data.generated.synthetic import EMBEDDED
from mlsieve.data.public.acquire import acquire
from mlsieve.data.public.sources import Source
from mlsieve.errors import UserError
from mlsieve.study import Study

MINE = {"id": "mine", "format": "mulan", "train": "a.arff", "test": "b.arff", "labels": "c.xml"}


HIERARCHICAL = {"digits-hmlc", "synthetic-hierarchical"}


def test_every_set_of_the_papers_is_known():
    entries = public_catalog()
    studies = ("mlc_ranking", "hmlc_ranking", "scls_selection", "dynamic_chains")
    used = {study: {id for id, entry in entries.items() if study in entry.studies} for study in studies}
    stand_ins = {entries[id].stands_in_for for id in entries if entries[id].stands_in_for}
    # A complete set and the part that stands in for it are one set of the paper.
    assert {study: len(ids - stand_ins) for study, ids in used.items()} == {
        "mlc_ranking": 24,
        "hmlc_ranking": 30 + 2,  # with the two additional graphs
        "scls_selection": 25,
        "dynamic_chains": 11,
    }
    assert stand_ins <= set(entries)
    assert {"bookmarks", "mediamill", "tmc2007", "yahoo_society"} <= set(entries)
    assert {id for id, entry in entries.items() if entry.format == "embedded"} == set(EMBEDDED)
    assert len(EMBEDDED) >= 7
    for entry in entries.values():
        assert (entry.task == "hmlc") == ("hmlc_ranking" in entry.studies or entry.id in HIERARCHICAL)


def test_public_entries_are_checked_and_told():
    for entry in public_catalog().values():
        assert entry.notes or entry.reference, entry.id
        assert not entry.differs_from_paper or entry.notes, entry.id
        for file in entry.files.values():
            assert not file.sources or file.sha256, entry.id
            # What a public repository states is a checksum too, though nobody here has counted the rows.
            stated = "pointer of Git LFS" in entry.notes
            assert entry.incomplete or bool(file.sha256) == (bool(entry.counts) or stated), entry.id
            assert not (stated and entry.counts), entry.id
    families = {entry.domain for entry in public_catalog().values()} - {None}
    assert families == {"yahoo", "rcv1", "yeast", "arabidopsis", "digits"}
    assert [entry.id for entry in public_catalog().values() if entry.incomplete] == ["expr_FUN"]


def test_short_and_long_form():
    entry = entry_from(MINE)
    assert entry.files["train"].path == "a.arff" and entry.has_official_split
    entry = entry_from(
        {"id": "m", "files": {"all": {"name": "m.arff", "sha256": "0" * 64, "sources": ["https://x.org/m"]}}}
    )
    assert not entry.has_official_split and entry.files["all"].sources == (Source("https://x.org/m"),)
    assert entry_from(
        {"id": "m", "format": "csv", "all": "m.csv", "label_count": -3, "drop": ["id"]}
    ).drop == ("id",)


@pytest.mark.parametrize(
    "files, format",
    [
        ({"all": "data/m.csv"}, "csv"),
        ({"train": "m.CSV.xz", "test": "n.csv.gz"}, "csv"),
        ({"all": "m.arff.gz"}, "mulan"),
        ({"all": "csv"}, "mulan"),
        ({"files": {"train": {"name": "m.csv", "sources": ["https://x.org/m"], "sha256": "0" * 64}}}, "csv"),
        ({"format": "meka", "all": "m.csv"}, "meka"),
    ],
)
def test_the_files_ending_tells_a_format_that_is_not_given(files, format):
    assert entry_from({"id": "m", "label_count": 1, **files}).format == format


@pytest.mark.parametrize(
    "change, words",
    [
        ({"lables": "c.xml"}, "dataset 'mine': unknown key 'lables'; did you mean 'labels'?"),
        ({"family": "yahoo"}, "dataset 'mine': unknown key 'family'; it is called 'domain'"),
        ({"id": None}, "id is None"),
        ({"id": "../mine"}, "id is '../mine'"),
        ({"format": "mulna"}, "format is 'mulna'; did you mean 'mulan'?"),
        ({"task": "regression"}, "task is 'regression'"),
        ({"train": 5}, "train is 5; give a path"),
        ({"label_count": "three"}, "label_count is 'three'"),
        ({"label_count": True}, "label_count is True"),
        ({"drop": "id"}, "drop is 'id'; give a list of names"),
        ({"all": "a.arff"}, "has one file for all rows, and test; give train"),
        ({"files": {"train": "x.arff"}}, "files are given twice"),
    ],
)
def test_bad_entries(change, words):
    with pytest.raises(UserError) as caught:
        entry_from({**MINE, **change})
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "file, words",
    [
        ({"name": "../x"}, "file train has the name '../x'"),
        ({"name": "x", "sha265": "0"}, "unknown key 'sha265' of file train; did you mean 'sha256'?"),
        ({"name": "x", "sha256": "abc"}, "sha256 of train is 'abc'"),
        (
            {"name": "x", "sha256": "0" * 64, "sources": ["file:///etc/passwd"]},
            "give a list of http or https URLs",
        ),
        ({"name": "x", "sources": ["https://x.org"]}, "has sources but no sha256"),
        (7, "train is 7"),
    ],
)
def test_bad_files(file, words):
    with pytest.raises(UserError) as caught:
        entry_from({"id": "mine", "files": {"train": file}})
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"all": "x" * 256}, "the path of all is too long: xxx"),
        ({"all": "a/" * 2048}, "the path of all is too long: a/a/"),
        ({"all": "é" * 128}, "a name in it has at most 255 bytes"),
        ({"files": {"all": {"name": "x" * 201}}}, "file all has a name that is too long: xxx"),
        ({"files": {"all": {"name": "é" * 101}}}, "give a name of at most 200 bytes"),
        ({"id": "x" * 201, "all": "a"}, "at most 200 of them"),
    ],
)
def test_a_name_that_no_file_system_has_is_refused(change, words):
    with pytest.raises(UserError) as caught:
        entry_from({"id": "mine", "label_count": 1, **change})
    assert words in str(caught.value) and len(str(caught.value)) < 500


def test_the_longest_names_are_looked_for(elsewhere):
    (elsewhere / "mirror").mkdir()
    for file in ({"path": "x" * 255}, {"name": "é" * 100}):
        entry = entry_from({"id": "i" * 200, "files": {"all": file}, "label_count": 1})
        with pytest.raises(UserError, match=r"no such file|in no mirror"):
            acquire(entry, mirror=elsewhere / "mirror")


def test_unknown_role_and_not_a_mapping():
    with pytest.raises(UserError, match="unknown file role 'tset'; did you mean 'test'"):
        entry_from({"id": "mine", "files": {"train": "a", "tset": "b"}})
    with pytest.raises(UserError, match="write a mapping"):
        entry_from("emotions")


def test_a_projects_catalog_adds_and_replaces(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "mine" not in catalog()
    (tmp_path / "config").mkdir()
    mine = "- {id: mine, train: a.arff, labels: c.xml}\n"
    own = "- {id: emotions, train: own.arff, labels: c.xml}\n"
    (tmp_path / "config" / "datasets.yaml").write_text("datasets:\n" + mine + own)
    entries = catalog(inline=[{"id": "inline", "all": "x.arff", "label_count": 2}])
    assert entries["emotions"].files["train"].path == "own.arff"
    assert {"mine", "inline", "yeast"} <= set(entries)
    inline = [{"id": id, "all": "study.arff", "label_count": 2} for id in ("mine", "yeast")]
    entries = catalog(inline=inline)
    assert {entries[id].files["all"].path for id in ("mine", "yeast")} == {"study.arff"}
    study = Study({"study": "s", "datasets": [*inline, "emotions"], "methods": [], "evaluators": []})
    files = {key: study.content.own_files(data) for key, data in study.content.datasets.items()}
    assert list(files.values()) == [["study.arff"], ["study.arff"], ["own.arff", "c.xml"]]


@pytest.mark.parametrize(
    "text, words",
    [
        ("datasets: [a: {]", "d.yaml:1: is not YAML"),
        ("sets: []", "is not a catalog of datasets"),
        ("- a", "is not a catalog of datasets"),
        ("datasets: {id: a}", "datasets is not a list"),
        ("datasets:\n- {id: a, train: x}\n- {id: a, train: x}", "dataset 'a' is listed twice"),
        (
            "datasets:\n- {id: a, trian: x}",
            "d.yaml: dataset 'a': unknown key 'trian'; did you mean 'train'?",
        ),
    ],
)
def test_bad_catalogs(tmp_path, text, words):
    (tmp_path / "d.yaml").write_text(text)
    with pytest.raises(UserError) as caught:
        read_catalog(tmp_path / "d.yaml")
    assert words in str(caught.value)


def test_an_empty_catalog_and_an_unknown_id(tmp_path):
    (tmp_path / "d.yaml").write_text("# nothing yet\n")
    assert read_catalog(tmp_path / "d.yaml") == {}
    with pytest.raises(UserError, match="unknown dataset 'yaest'; did you mean 'yeast'"):
        find_entry("yaest")
