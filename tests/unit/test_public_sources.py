"""The catalog's public homes: pinned, counted, and played by a server of this machine."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import lzma
import re
from pathlib import Path

import pytest

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.data.catalog import entry_from, public_catalog
from mlsieve.data.loading import load_entry
from mlsieve.data.public.acquire import Unavailable, acquire, replaced
from mlsieve.errors import UserError
from mlsieve.study import Study
from mlsieve.workflow.run import lacks_what_may_be_had
from tests.web_server import Answer, web_server

ROOT = Path(__file__).resolve().parents[2]
HEAD = b"@relation whole\n\n@attribute a numeric\n@attribute l {0,1}\n\n@data\n"
ROWS = [b"%d,%d\n" % (row, row % 2) for row in range(7)]
WHOLE = HEAD + b"".join(ROWS)
TRAIN, TEST = (
    HEAD.replace(b"whole", name) + b"".join(rows) for name, rows in ((b"tr", ROWS[:4]), (b"te", ROWS[4:]))
)


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def server(elsewhere):
    with web_server() as server:
        yield server


def parts(server, first=(0, 4), relation="tr", **change):
    """An entry whose training and test part are lines of one file; `change` is of the source."""
    source = {"url": f"{server.url}/whole", "sha256": sha(WHOLE), **change}
    train = {**source, "rows": list(first), "relation": relation}
    files = {
        "train": {"name": "tr.arff", "sha256": sha(TRAIN), "sources": [train, f"{server.url}/train"]},
        "test": {
            "name": "te.arff",
            "sha256": sha(TEST),
            "sources": [{**source, "rows": [4, 7], "relation": "te"}],
        },
    }
    return entry_from({"id": "cut", "files": files, "label_count": -1})


def sources():
    return [
        (entry.id, source)
        for entry in public_catalog().values()
        for file in entry.files.values()
        for source in file.sources
    ]


def test_every_source_is_pinned_to_a_commit():
    assert len(sources()) > 100
    for id, source in sources():
        assert not re.search(r"/(HEAD|master|main|trunk)/", source.url), id
        found = re.fullmatch(
            r"https://(?:raw|media)\.githubusercontent\.com/(?:media/)?[^/]+/[^/]+/([0-9a-f]{40})/.+",
            source.url,
        )
        assert found, source.url


def public(study: str) -> tuple[set[str], set[str]]:
    """The paper's datasets of a study, and those of which each file has a public source."""
    entries = [entry for entry in public_catalog().values() if study in entry.studies]
    of_paper = {entry.id for entry in entries if not entry.stands_in_for}
    if study == "hmlc_ranking":
        of_paper -= {"cellcycle_GO", "seq_GO"}  # added by the study
    return of_paper, {
        entry.id
        for entry in entries
        if entry.id in of_paper and all(file.sources for file in entry.files.values())
    }


@pytest.mark.parametrize("study", ["mlc_ranking", "hmlc_ranking", "dynamic_chains", "scls_selection"])
def test_the_guide_counts_the_public_datasets_of_each_study(study):
    text = (ROOT / "docs" / "guide" / "published.md").read_text(encoding="utf-8")
    found = re.search(rf"\| `{study}` \| (\d+) of (\d+) \|", text)
    of_paper, served = public(study)
    assert (int(found[1]), int(found[2])) == (len(served), len(of_paper))


def test_the_readme_names_the_datasets_that_come_with_the_package():
    text = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    embedded = [entry.id for entry in public_catalog().values() if entry.format == "embedded"]
    found = re.search(r"(\w+) datasets come with the package: ([^.]*)\.", text)
    assert re.findall(r"`([^`]+)`", found[2]) == embedded
    words = "Seven Eight Nine Ten Eleven Twelve".split()
    assert words.index(found[1]) + 7 == len(embedded)


def test_two_parts_of_one_file_are_downloaded_once(server):
    server.answers["/whole"] = [Answer(lzma.compress(WHOLE))]
    paths = acquire(parts(server))
    assert (paths["train"].read_bytes(), paths["test"].read_bytes()) == (TRAIN, TEST)
    assert server.calls == ["/whole"]
    assert acquire(parts(server)) == paths and server.calls == ["/whole"]
    data = load_entry(parts(server))
    assert (data.X_train.shape, data.X_test.shape) == ((4, 1), (3, 1))
    assert data.facts["files"]["train"] == {"name": "tr.arff", "sha256": sha(TRAIN)}


def test_crlf_and_the_name_of_the_whole_are_kept(server):
    whole = WHOLE.replace(b"\n", b"\r\n")
    part = HEAD.replace(b"\n", b"\r\n") + b"".join(ROWS[2:3]).replace(b"\n", b"\r\n")
    server.answers["/whole"] = [Answer(whole)]
    source = {"url": f"{server.url}/whole", "sha256": sha(whole), "rows": [2, 3]}
    file = {"name": "p.arff", "sha256": sha(part), "sources": [source]}
    paths = acquire(entry_from({"id": "p", "files": {"all": file}, "label_count": -1}))
    assert paths["all"].read_bytes() == part


@pytest.mark.parametrize(
    "first, relation, served, words",
    [
        ((0, 3), "tr", WHOLE, r"checksum mismatch: .*/whole \(lines 0 to 2\) are not tr.arff"),
        ((0, 8), "tr", WHOLE, r"lines 0 to 7\) are not tr.arff"),
        ((0, 4), "other", WHOLE, r"lines 0 to 3\) are not tr.arff"),
        ((0, 4), "tr", WHOLE + b"7,1\n", r"checksum mismatch: .*/whole has sha256"),
        ((0, 4), "tr", b"version https://git-lfs.github.com/spec/v1\n", r"/whole has sha256"),
    ],
)
def test_a_part_with_a_wrong_checksum_is_refused(server, elsewhere, first, relation, served, words):
    server.answers["/whole"] = [Answer(served)]
    with pytest.raises(UserError, match=words) as caught:
        acquire(parts(server, first, relation))
    assert not isinstance(caught.value, Unavailable)
    assert not [path for path in (elsewhere / "cache").rglob("*") if path.is_file()]
    # Another home that has the part as a file of its own serves it.
    server.answers |= {"/train": [Answer(TRAIN)]}
    with pytest.raises(UserError):
        acquire(parts(server, first, relation, url=f"{server.url}/gone"))
    assert (elsewhere / "cache" / "downloads" / "cut" / "tr.arff").read_bytes() == TRAIN


def test_other_bytes_with_the_same_data_serve_as_well(server, elsewhere):
    other = WHOLE.replace(b"@data", b"% the same\n@data")
    server.answers |= {"/down": [Answer(status=500)], "/other": [Answer(other)]}
    homes = [f"{server.url}/down", {"url": f"{server.url}/other", "sha256": sha(other)}]
    file = {"name": "w.arff", "sha256": sha(WHOLE), "sources": homes}
    entry = entry_from({"id": "w", "files": {"all": file}, "label_count": -1})
    assert acquire(entry, back_off=0)["all"].read_bytes() == other
    calls = len(server.calls)
    # The facts say what was read, and what is in the cache is right.
    assert load_dataset(entry).facts["files"]["all"]["sha256"] == sha(other)
    assert len(server.calls) == calls
    (elsewhere / "cache" / "downloads" / "w" / "w.arff").write_bytes(WHOLE)
    assert load_dataset(entry).facts["files"]["all"]["sha256"] == sha(WHOLE)
    server.answers["/other"] = [Answer(other + b"\n")]
    (elsewhere / "cache" / "downloads" / "w" / "w.arff").unlink()
    with pytest.raises(UserError, match="checksum mismatch"):
        acquire(entry, back_off=0)


@pytest.mark.parametrize(
    "source, words",
    [
        ({"url": "ftp://x.org/a"}, "give a list of http or https URLs"),
        ({"address": "https://x.org/a"}, "give a list of http or https URLs"),
        (
            {"url": "https://x.org/a", "row": [0, 1]},
            "unknown key 'row' of a source of all; did you mean 'rows'?",
        ),
        ({"url": "https://x.org/a", "sha256": "12"}, "sha256 of a source of all is '12'"),
        ({"url": "https://x.org/a", "rows": [0, 1]}, "rows of a source of all without sha256"),
        (
            {"url": "https://x.org/a", "sha256": "0" * 64, "rows": [4, 4]},
            "rows of a source of all are [4, 4]",
        ),
        ({"url": "https://x.org/a", "sha256": "0" * 64, "rows": [0, True]}, "rows of a source of all are"),
        (
            {"url": "https://x.org/a", "relation": "r"},
            "relation of a source of all is 'r'; give a name, beside",
        ),
        (
            {"url": "https://x.org/a", "sha256": "0" * 64, "rows": [0, 1], "relation": "r\n@data"},
            "relation of a source of all is",
        ),
    ],
)
def test_bad_sources(source, words):
    file = {"name": "x", "sha256": "1" * 64, "sources": [source]}
    with pytest.raises(UserError) as caught:
        entry_from({"id": "mine", "files": {"all": file}})
    assert words in str(caught.value)


@pytest.mark.parametrize("set", ["arts", "business", "education", "health", "reference", "science"])
def test_the_yahoo_sets_are_cut_from_the_public_file(mirror, server, set):
    """The whole is made of the mirror's two parts; that it has the checksum of the public file is checked."""
    entry = public_catalog()[f"yahoo_{set}"]
    kept = acquire(entry, mirror=mirror)
    content = [lzma.decompress(kept[role].read_bytes()) for role in ("train", "test")]
    head, rows = content[0].split(b"\n@data\n")
    named = b"@relation Yahoo_%s" % set.capitalize().encode()
    whole = re.sub(rb"^@relation .*", named, head) + b"\n@data\n" + rows + content[1].split(b"\n@data\n")[1]
    server.answers["/whole"] = [Answer(whole)]
    files = {
        role: dataclasses.replace(
            entry.files[role],
            sources=(dataclasses.replace(entry.files[role].sources[0], url=f"{server.url}/whole"),),
        )
        for role in ("train", "test")
    }
    paths = acquire(dataclasses.replace(entry, files=files))
    assert [paths[role].read_bytes() for role in ("train", "test")] == content
    assert server.calls == ["/whole"]


def test_a_reduced_copy_is_left_out_where_the_complete_dataset_is_available(elsewhere, monkeypatch, capsys):
    entries = [public_catalog()[id] for id in ("mediamill", "mediamill_small", "emotions")]
    assert replaced(entries, {"mediamill_small", "emotions"}) == {}
    (elsewhere / "datasets.json").write_text(
        json.dumps({"datasets": [{"id": entry.id} for entry in entries]})
    )
    command = ["acquire", "datasets.json", "--available", "a.csv", "--unavailable", "u.csv"]
    absent = set()

    def pretend(entry, **_):
        if entry.id in absent:
            raise Unavailable(f"dataset '{entry.id}' is not there")
        return {}

    monkeypatch.setattr("mlsieve.data.public.acquire.acquire", pretend)
    assert main(command) == 0
    assert (elsewhere / "a.csv").read_text().split()[1:] == ["mediamill,download", "emotions,download"]
    reason = "dataset 'mediamill_small' stands in for 'mediamill', which is available"
    assert reason in (elsewhere / "u.csv").read_text()
    absent.add("mediamill")
    assert main(command) == 0
    assert "mediamill_small,download" in (elsewhere / "a.csv").read_text()
    assert "mediamill_small" not in (elsewhere / "u.csv").read_text()


def test_a_plan_and_a_further_run_leave_the_reduced_copy_out_too(elsewhere, capsys):
    (elsewhere / "study.yaml").write_text("study: s\ndatasets: [mediamill_small, mediamill]\n")
    assert main(["plan", str(ROOT / "config" / "config.yaml"), "study.yaml"]) == 0
    shown = capsys.readouterr().out
    assert "study s: 1 dataset (1 not available)" in shown
    assert "not available: dataset 'mediamill_small' stands in for 'mediamill'" in shown
    names = ["mediamill_small", "mediamill", "rcv1subset1"]
    study = Study({"study": "s", "datasets": names, "methods": [], "evaluators": []})
    table = Path(study.paths.table("unavailable.csv"))
    table.parent.mkdir(parents=True)
    # The copy was left out, and nobody has the other: there is nothing to look for again.
    for missing, again in (({"mediamill_small", "rcv1subset1"}, False), ({"mediamill"}, True)):
        table.write_text("dataset,reason\n" + "".join(f"{id},r\n" for id in sorted(missing)))
        assert lacks_what_may_be_had(study) is again
