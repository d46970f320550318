"""Mirror, cache and downloads (from a server on this machine), and everything that can go wrong with them."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os

import pytest

from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.data.catalog import entry_from
from mlsieve.data.public.acquire import (
    Unavailable,
    acquire,
    cache_folder,
    locate,
    mirror_folder,
    unavailable_reason,
)
from mlsieve.errors import UserError
from tests.web_server import web_server

TEXT = b"@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,0\n2,1\n"
SHA = hashlib.sha256(TEXT).hexdigest()


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """A mirror and a cache of the test's own."""
    monkeypatch.setenv("MLSIEVE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "mirror" / "mulan" / "tiny").mkdir(parents=True)
    monkeypatch.setenv("MLSIEVE_MIRROR", str(tmp_path / "mirror"))
    return tmp_path


@pytest.fixture
def server():
    """A server; `answers` maps a path to (status, body[, announced length]) of each call."""
    with web_server() as server:
        yield server


def tiny(*sources, sha256=SHA):
    file = {"name": "tiny.arff", "sha256": sha256, "sources": list(sources)}
    return entry_from({"id": "tiny", "files": {"all": file}, "label_count": -1})


def files_of_mirror(places):
    return [path for path in (places / "mirror").rglob("*") if path.is_file()]


@pytest.mark.parametrize("pack, suffix", [(bytes, ""), (lzma.compress, ".xz"), (gzip.compress, ".gz")])
def test_mirror(places, pack, suffix):
    path = places / "mirror" / "mulan" / "tiny" / f"tiny.arff{suffix}"
    path.write_bytes(pack(TEXT))
    assert acquire(tiny()) == {"all": path}
    assert locate(tiny()) == {"all": ("mirror", path)}
    dataset = load_dataset(tiny())
    assert dataset.name == "tiny" and dataset.X.shape == (2, 1)
    assert not dataset.official_split and not dataset.facts["whole"]
    assert dataset.facts["files"] == {"all": {"name": "tiny.arff", "sha256": SHA}}
    assert files_of_mirror(places) == [path], "nothing is written there"


def test_the_environments_mirror_overrides_the_argument(places, monkeypatch):
    assert mirror_folder("elsewhere") == places / "mirror"
    monkeypatch.delenv("MLSIEVE_MIRROR")
    assert mirror_folder(places) == places
    assert mirror_folder() is None
    with pytest.raises(UserError, match="the mirror is not a folder"):
        mirror_folder(places / "none")


@pytest.mark.parametrize("pack", [bytes, lzma.compress, gzip.compress])
def test_download_into_the_cache(places, server, pack):
    server.answers["/tiny"] = [(200, pack(TEXT))]
    paths = acquire(tiny(f"{server.url}/tiny"))
    assert paths["all"] == places / "cache" / "downloads" / "tiny" / "tiny.arff"
    assert paths["all"].read_bytes() == TEXT
    acquire(tiny(f"{server.url}/tiny"))
    assert len(server.calls) == 1  # the second time from the cache
    assert files_of_mirror(places) == []
    assert unavailable_reason(tiny(f"{server.url}/tiny")) is None


@pytest.mark.parametrize(("umask", "folders", "files"), [(0o002, 0o775, 0o664), (0o077, 0o700, 0o600)])
def test_a_download_is_for_those_whom_the_umask_allows(places, server, umask, folders, files):
    server.answers["/tiny"] = [(200, TEXT)]
    before = os.umask(umask)
    try:
        file = acquire(tiny(f"{server.url}/tiny"))["all"]
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == files
    for folder in (file.parent, file.parent.parent, places / "cache"):
        assert folder.stat().st_mode & 0o777 == folders


def test_retries_and_further_sources(server):
    server.answers["/flaky"] = [(503, b""), (200, TEXT[:9], len(TEXT)), (200, TEXT)]
    acquire(tiny(f"{server.url}/gone", f"{server.url}/flaky"), back_off=0)
    assert server.calls == ["/gone", "/flaky", "/flaky", "/flaky"]  # 404 is not asked for twice


def test_unavailable(places, server):
    with pytest.raises(Unavailable, match=r"tiny.arff is in no mirror and has no public source") as caught:
        acquire(tiny())
    assert caught.value.reason == unavailable_reason(tiny())
    server.answers["/down"] = [(500, b"")]
    with pytest.raises(Unavailable, match=r"cannot be downloaded \(.*/down: 500"):
        acquire(tiny(f"{server.url}/down"), back_off=0)
    assert len(server.calls) == 3
    with pytest.raises(Unavailable, match="cannot be downloaded"):
        acquire(tiny("http://127.0.0.1:9/closed"), back_off=0, timeout=1)
    with pytest.raises(Unavailable, match=r"no such file: gone\.arff"):
        acquire(entry_from({"id": "own", "all": "gone.arff"}))
    assert not list((places / "cache").rglob("*.arff*"))


@pytest.mark.parametrize("where", ["mirror", "cache", "own"])
def test_a_checksum_mismatch_is_an_error_not_a_skip(places, where):
    folders = {
        "mirror": places / "mirror" / "mulan" / "tiny",
        "cache": places / "cache" / "downloads" / "tiny",
        "own": places,
    }
    folders[where].mkdir(parents=True, exist_ok=True)
    path = folders[where] / "tiny.arff"
    path.write_bytes(TEXT.replace(b"2,1", b"2,0"))
    entry = tiny()
    if where == "own":
        entry = entry_from({"id": "tiny", "files": {"all": {"path": str(path), "sha256": SHA}}})
    with pytest.raises(
        UserError, match=rf"tiny.arff: checksum mismatch: sha256 [0-9a-f]+, not {SHA}; "
    ) as caught:
        acquire(entry)
    assert not isinstance(caught.value, Unavailable)


def test_links_in_a_mirror_are_followed_and_what_they_lead_to_is_checked(places):
    (places / "elsewhere.arff").write_bytes(TEXT)
    path = places / "mirror" / "mulan" / "tiny" / "tiny.arff"
    path.symlink_to(places / "elsewhere.arff")
    assert acquire(tiny()) == {"all": path}
    (places / "elsewhere.arff").write_bytes(TEXT.replace(b"2,1", b"2,0"))
    with pytest.raises(UserError, match="checksum mismatch"):
        acquire(tiny())
    assert acquire(tiny(sha256=None)) == {"all": path}, "the catalog has none"


def test_a_wrong_download_is_not_kept(places, server):
    server.answers["/tiny"] = [(200, b"<html>moved</html>")]
    with pytest.raises(UserError, match="checksum mismatch: http") as caught:
        acquire(tiny(f"{server.url}/tiny"))
    assert not isinstance(caught.value, Unavailable)
    assert not [path for path in (places / "cache").rglob("*") if path.is_file()]


def test_a_download_without_end_is_cut(server, monkeypatch, places):
    monkeypatch.setattr("mlsieve.data.public.download.LARGEST_BYTES", 20)
    server.answers["/tiny"] = [(200, TEXT)]
    with pytest.raises(UserError, match="more than 20 bytes"):
        acquire(tiny(f"{server.url}/tiny"))
    assert not [path for path in (places / "cache").rglob("*") if path.is_file()]


HINTS = {
    "mirror": "replace the mirror's copy",
    "cache": "remove it; it is then fetched again",
    "own": "fetch or copy it again",
}


@pytest.mark.parametrize("where", HINTS)
@pytest.mark.parametrize("pack, suffix", [(lzma.compress, ".xz"), (gzip.compress, ".gz")])
@pytest.mark.parametrize("left", [0, 1, 12, -12, -1])
def test_a_truncated_file_is_one_line_with_a_hint(places, where, pack, suffix, left, capsys):
    folders = {
        "mirror": places / "mirror" / "mulan" / "tiny",
        "cache": places / "cache" / "downloads" / "tiny",
        "own": places,
    }
    folders[where].mkdir(parents=True, exist_ok=True)
    path = folders[where] / f"tiny.arff{suffix}"
    path.write_bytes(pack(TEXT)[:left])
    if where == "own":
        command = ["rank", str(path), "--label-count", "-1", "--method", "uniform"]
    else:
        catalog = places / "catalog.yaml"
        file = {"name": "tiny.arff", "sha256": SHA, "sources": ["http://127.0.0.1:9/closed"]}
        catalog.write_text(json.dumps({"datasets": [{"id": "tiny", "files": {"all": file}}]}))
        command = ["datasets", "check", "tiny", "--catalog", str(catalog)]
    assert main([*command, *(["-o", str(places / "r.csv")] if where == "own" else [])]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"mlsieve: {path}: ") and "truncated" in told and told.count("\n") == 1
    assert told.rstrip().endswith(f"; {HINTS[where]}")


def test_a_truncated_download_names_its_source(places, server):
    server.answers["/tiny"] = [(200, lzma.compress(TEXT)[:-12])]
    with pytest.raises(UserError, match=rf"^{server.url}/tiny: damaged or truncated xz file"):
        acquire(tiny(f"{server.url}/tiny"))
    assert not [path for path in (places / "cache").rglob("*") if path.is_file()]


def test_a_cache_that_cannot_be_written(places, server, monkeypatch):
    (places / "file").write_text("in the way")
    monkeypatch.setenv("MLSIEVE_CACHE", str(places / "file"))
    server.answers["/tiny"] = [(200, TEXT)]
    with pytest.raises(UserError, match=r"tiny.arff: cannot be written: .*; choose another place"):
        acquire(tiny(f"{server.url}/tiny"))


def test_where_the_cache_lies(places, monkeypatch):
    assert cache_folder() == places / "cache"
    assert cache_folder("mine") == cache_folder("mine")
    monkeypatch.delenv("MLSIEVE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "home"))
    monkeypatch.chdir(places)
    monkeypatch.setattr("sys.platform", "linux")
    assert cache_folder() == places / "home" / "mlsieve"
    (places / "Snakefile").touch()
    (places / "config").mkdir()
    assert cache_folder() == type(places)("results") / "cache"
    assert os.fspath(cache_folder("other")) == "other"


def test_embedded_sets_need_no_files():
    entry = entry_from({"id": "synthetic-linear", "format": "embedded"})
    assert acquire(entry) == {} and unavailable_reason(entry) is None
