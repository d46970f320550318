"""Downloads from a server that breaks off, is slow, overloaded, lies, or leads elsewhere."""

from __future__ import annotations

import contextlib
import email.utils
import hashlib
import inspect
import lzma
import shutil
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

from mlsieve.data.catalog import entry_from
from mlsieve.data.public import acquire as acquire_module
from mlsieve.data.public import download as download_module
from mlsieve.data.public.acquire import Unavailable, acquire
from mlsieve.data.public.download import NotHad, WrongSource, fetch, seconds_to_wait
from mlsieve.errors import UserError
from tests.web_server import Answer, web_server

TEXT = b"@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n" + b"1,0\n2,1\n" * 2000
SHA = hashlib.sha256(TEXT).hexdigest()
TAGGED = {"ETag": '"v1"'}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own, and no mirror."""
    monkeypatch.delenv("MLSIEVE_MIRROR", raising=False)
    monkeypatch.setenv("MLSIEVE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def server():
    with web_server() as server:
        yield server


@pytest.fixture
def waits(monkeypatch):
    """The seconds that are waited for, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr(download_module.time, "sleep", waited.append)
    return waited


def entry(*sources):
    file = {"name": "tiny.arff", "sha256": SHA, "sources": list(sources)}
    return entry_from({"id": "tiny", "files": {"all": file}, "label_count": -1})


def nothing_kept(cache):
    return not [path for path in cache.rglob("*") if path.is_file()]


def test_a_download_that_is_cut_goes_on_where_it_was(server, waits):
    server.answers["/f"] = [
        Answer(TEXT, headers=TAGGED, cut=5000),
        Answer(TEXT, headers=TAGGED, cut=4000, ranges=True),
        Answer(TEXT, headers=TAGGED, ranges=True),
    ]
    assert acquire(entry(f"{server.url}/f"))["all"].read_bytes() == TEXT
    assert server.ranges == [None, "bytes=5000-", "bytes=9000-"]
    assert waits == [1.0, 2.0]


@pytest.mark.parametrize(
    "second",
    [
        Answer(TEXT, headers={"ETag": '"v2"'}, ranges=True),  # changed meanwhile: comes whole
        Answer(TEXT, headers=TAGGED),  # knows no ranges
        Answer(status=416),
        Answer(TEXT[:50], status=206, headers={"Content-Range": f"bytes 0-49/{len(TEXT)}"}),  # another part
        Answer(TEXT[:50], status=206),
    ],
)
def test_a_rest_that_does_not_fit_is_fetched_from_the_beginning(server, waits, second):
    server.answers["/f"] = [Answer(TEXT[::-1], headers=TAGGED, cut=5000), second, Answer(TEXT)]
    assert acquire(entry(f"{server.url}/f"))["all"].read_bytes() == TEXT
    assert server.ranges[:2] == [None, "bytes=5000-"] and set(server.ranges[2:]) <= {None}


def test_without_a_tag_nothing_is_joined(server, waits):
    server.answers["/f"] = [Answer(TEXT, cut=5000), Answer(TEXT)]
    assert acquire(entry(f"{server.url}/f"))["all"].read_bytes() == TEXT
    assert server.ranges == [None, None]


def test_a_joined_file_of_two_files_is_noticed(server, waits, cache):
    # A server that keeps its tag though the file has changed: only the checksum tells.
    server.answers["/f"] = [
        Answer(TEXT[::-1], headers=TAGGED, cut=5000),
        Answer(TEXT, headers=TAGGED, ranges=True),
    ]
    with pytest.raises(UserError, match="checksum mismatch"):
        acquire(entry(f"{server.url}/f"))
    assert nothing_kept(cache)


def test_another_source_serves_where_the_first_has_another_file(server):
    server.answers |= {"/wrong": [Answer(b"<html>moved</html>")], "/right": [Answer(lzma.compress(TEXT))]}
    assert acquire(entry(f"{server.url}/wrong", f"{server.url}/right"))["all"].read_bytes() == TEXT


def test_back_off_doubles_and_a_server_may_ask_for_more(server, waits):
    server.answers["/f"] = [
        Answer(status=503),
        Answer(status=429, headers={"Retry-After": "7"}),
        Answer(status=503, headers={"Retry-After": "soon"}),
        Answer(TEXT),
    ]
    acquire(entry(f"{server.url}/f"), attempts=4)
    assert waits == [1.0, 7.0, 4.0]


def test_a_server_that_asks_for_an_hour_is_not_waited_for(server, waits):
    server.answers["/f"] = [Answer(status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(Unavailable, match=r"429 .*asks to wait for 3600 s"):
        acquire(entry(f"{server.url}/f"))
    assert waits == [] and len(server.calls) == 1


def test_what_retry_after_tells():
    assert seconds_to_wait("120") == 120.0
    assert 50 < seconds_to_wait(email.utils.formatdate(time.time() + 60, usegmt=True)) <= 60
    assert seconds_to_wait("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert [seconds_to_wait(text) for text in (None, "", "soon", "-1", "9" * 400, "1e9")] == [None] * 6


def test_a_silent_server_is_given_up(server, cache):
    server.answers["/f"] = [Answer(TEXT, silent=1.0)]
    with pytest.raises(Unavailable, match="timed out"):
        acquire(entry(f"{server.url}/f"), attempts=2, back_off=0, timeout=0.1)
    assert len(server.calls) == 2 and nothing_kept(cache)


STATUS = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(TEXT[:200], pause=0.02),
        Answer(STATUS + b"X: ", repeated=b"x", pause=0.02),
        Answer(STATUS, repeated=b"X: y\r\n", pause=0.02),
        Answer(b"", repeated=b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.001),
        Answer(b"", repeated=b"H", pause=0.02),
        Answer(STATUS + b"Transfer-Encoding: chunked\r\n\r\n5;", repeated=b"x", pause=0.02),
        Answer(STATUS + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", repeated=b"X: y\r\n", pause=0.02),
        Answer(STATUS.replace(b"200", b"302") + b"Location: /f\r\n\r\n", repeated=bytes(1 << 20)),
        Answer(STATUS.replace(b"200", b"503"), repeated=b"X: y\r\n", pause=0.02),
    ],
)
def test_a_server_that_trickles_is_given_up(server, cache, answer):
    server.answers["/f"] = [answer]
    started = time.monotonic()
    with pytest.raises(UserError) as caught:
        acquire(entry(f"{server.url}/f"), attempts=1, longest=0.5)
    assert time.monotonic() - started < 3 and caught.value.hint
    assert nothing_kept(cache)


def test_a_tls_handshake_that_does_not_end_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def trickle() -> None:
            with contextlib.suppress(OSError), listener.accept()[0] as connection:
                connection.sendall(b"\x16\x03\x03\x40\x00")  # a record of 16 KiB
                while True:
                    connection.sendall(b"\x02")
                    time.sleep(0.05)

        threading.Thread(target=trickle, daemon=True).start()
        started = time.monotonic()
        with pytest.raises(NotHad):
            fetch(f"https://127.0.0.1:{listener.getsockname()[1]}/f", Path("unused"), attempts=1, longest=0.5)
        assert time.monotonic() - started < 3


def test_time_that_is_over_is_no_end_of_a_file(server, tmp_path):
    # Without a length the end of the connection is that of the file.
    server.answers["/f"] = [Answer(TEXT, announced=-1, pause=0.01)]
    with pytest.raises(NotHad):
        fetch(f"{server.url}/f", tmp_path / "f", attempts=1, longest=0.3)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(TEXT, endless=True),
        Answer(TEXT, announced=10**12),
        Answer(b"5", status=206, headers={"Content-Range": "bytes 0-0/9999999999999"}),
    ],
)
def test_a_body_without_end_is_cut(server, cache, monkeypatch, answer):
    monkeypatch.setattr(download_module, "LARGEST_BYTES", 1 << 20)
    server.answers["/f"] = [answer]
    with pytest.raises(UserError, match="more than 1048576 bytes from"):
        acquire(entry(f"{server.url}/f"))
    assert nothing_kept(cache)


def test_a_download_may_have_a_gibibyte_and_a_quarter_of_an_hour(server, tmp_path):
    for size, error in ((1 << 30, NotHad), ((1 << 30) + 1, WrongSource)):
        server.answers["/f"] = [Answer(TEXT, announced=size)]
        with pytest.raises(error):
            fetch(f"{server.url}/f", tmp_path / "f", attempts=1)
    for function in (fetch, acquire):
        assert inspect.signature(function).parameters["longest"].default == 15 * 60


def test_proxies_are_those_of_the_environment(server, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    server.answers["http://example.invalid/f"] = [Answer(TEXT)]
    fetch("http://example.invalid/f", tmp_path / "f", attempts=1)
    assert (tmp_path / "f").read_bytes() == TEXT
    monkeypatch.setenv("https_proxy", server.url)
    with pytest.raises(NotHad):  # this one opens no tunnel
        fetch("https://example.invalid/f", tmp_path / "f", attempts=1)


def test_a_certificate_that_nobody_has_signed_is_refused(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here, which makes a certificate")
    words = (
        "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    subprocess.run(
        [*words.split(), "-keyout", "key", "-out", "own"], cwd=tmp_path, check=True, capture_output=True
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "own", tmp_path / "key")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with listener.accept()[0] as plain, contextlib.suppress(OSError):
                        with context.wrap_socket(plain, server_side=True) as connection:
                            connection.recv(1 << 16)
                            connection.sendall(STATUS + b"Connection: close\r\n\r\n" + TEXT)

        threading.Thread(target=serve, daemon=True).start()
        url = f"https://localhost:{listener.getsockname()[1]}/f"
        with pytest.raises(NotHad, match="certificate verify failed"):
            fetch(url, tmp_path / "f", attempts=1)
        assert not (tmp_path / "f").exists()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SSL_CERT_FILE", str(tmp_path / "own"))
            fetch(url, tmp_path / "f", attempts=1)
        assert (tmp_path / "f").read_bytes() == TEXT


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(server, cache, monkeypatch):
    monkeypatch.setattr("mlsieve.files.budget.LARGEST_UNPACKED", 1 << 20)
    server.answers["/f"] = [Answer(lzma.compress(bytes(1 << 22)))]
    with pytest.raises(UserError, match=r"/f: unpacks from [\d,]+ to more than 1,048,576 bytes"):
        acquire(entry(f"{server.url}/f"))
    assert nothing_kept(cache)


@pytest.mark.parametrize(
    "target", ["file:///etc/hostname", "ftp://127.0.0.1/f", "gopher://127.0.0.1/", "data:,x", "//[::1"]
)
def test_redirects_lead_to_the_web_only(server, cache, target):
    server.answers["/f"] = [Answer(status=302, headers={"Location": target})]
    with pytest.raises(Unavailable, match="cannot be downloaded"):
        acquire(entry(f"{server.url}/f"), back_off=0)
    assert nothing_kept(cache)


def test_five_redirects_are_followed_and_no_more(server, tmp_path):
    server.answers |= {
        "/f": [Answer(status=301, headers={"Location": "/g"})],
        "/g": [Answer(TEXT)],
        "/loop": [Answer(status=302, headers={"Location": "/loop"})],
    }
    assert acquire(entry(f"{server.url}/f"))["all"].read_bytes() == TEXT
    server.answers |= {f"/{i}": [Answer(status=302, headers={"Location": f"/{i - 1}"})] for i in range(1, 7)}
    server.answers["/0"] = [Answer(TEXT)]
    fetch(f"{server.url}/5", tmp_path / "f", attempts=1)
    with pytest.raises(NotHad, match="302"):
        fetch(f"{server.url}/6", tmp_path / "f", attempts=1)
    acquire_calls = len(server.calls)
    with pytest.raises(NotHad, match="302"):
        fetch(f"{server.url}/loop", download_module.Path("unused"), back_off=0)
    assert len(server.calls) - acquire_calls < 10


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://example.org/x", "/etc/hostname", ""])
def test_no_other_source_than_the_web(url, tmp_path):
    with pytest.raises(UserError, match="neither http nor https"):
        fetch(url, tmp_path / "x")
    with pytest.raises(UserError, match="sources of all are"):
        entry(url)


def test_a_full_disk_is_not_the_networks_fault(server, monkeypatch):
    server.answers["/f"] = [Answer(TEXT)]

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(download_module, "_announced", full)
    with pytest.raises(UserError, match="No space left on device; free some disk space"):
        acquire(entry(f"{server.url}/f"))
    assert len(server.calls) == 1


def test_a_link_does_not_lead_out_of_the_cache(server, cache, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (cache / "downloads").mkdir(parents=True)
    (cache / "downloads" / "tiny").symlink_to(tmp_path / "elsewhere")
    server.answers["/f"] = [Answer(TEXT)]
    with pytest.raises(UserError, match="points out of the cache"):
        acquire(entry(f"{server.url}/f"))
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.fixture
def vanishing(tmp_path, monkeypatch):
    """A mirror whose file goes away after it was found, before it is read."""
    folder = tmp_path / "mirror" / "mulan" / "tiny"
    folder.mkdir(parents=True)
    (folder / "tiny.arff").write_bytes(TEXT)
    monkeypatch.setenv("MLSIEVE_MIRROR", str(tmp_path / "mirror"))
    found = acquire_module.locate

    def locate_then_lose(*args, **kwargs):
        where = found(*args, **kwargs)
        (folder / "tiny.arff").unlink(missing_ok=True)
        return where

    monkeypatch.setattr(acquire_module, "locate", locate_then_lose)
    return folder


def test_a_mirror_that_vanishes_is_made_up_for_by_a_source(vanishing, server, cache):
    server.answers["/f"] = [Answer(TEXT)]
    path = acquire(entry(f"{server.url}/f"))["all"]
    assert path.is_relative_to(cache) and path.read_bytes() == TEXT


def test_a_mirror_that_vanishes_is_made_up_for_by_the_cache(vanishing, server, cache):
    (cache / "downloads" / "tiny").mkdir(parents=True)
    (cache / "downloads" / "tiny" / "tiny.arff").write_bytes(TEXT)
    path = acquire(entry(f"{server.url}/f"))["all"]
    assert path.is_relative_to(cache) and server.calls == []


def test_a_mirror_that_vanishes_alone_is_one_line(vanishing):
    with pytest.raises(UserError, match=r"tiny.arff: no such file; replace the mirror's copy"):
        acquire(entry())
