"""Fetch one file by http or https, from servers that break off, are slow, overloaded, or give another file.

The received part of a file that broke off is kept, and the next try requests only the rest (``Range``), on
condition that the file is still the same (``If-Range``). A try is repeated after a pause that doubles, or
that is as long as the server requests (``Retry-After``). A file is accepted only with the right checksum.

RFC 9110, HTTP Semantics (ranges: section 14; Retry-After: 10.2.3), https://www.rfc-editor.org/rfc/rfc9110.
"""

from __future__ import annotations

import contextlib
import datetime
import email.utils
import http.client
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlsieve.errors import UserError, shortened
from mlsieve.progress import counting

LARGEST_BYTES = 1 << 30
LONGEST_WAIT_SECONDS = 60.0
# A try may take so long however slowly its bytes trickle in: at 82 kB/s bookmarks, the largest file of the
# catalog.
LONGEST_TRY_SECONDS = 900.0
_MEGABYTE = 10**6
_BLOCK = 1 << 16
_MOST_REDIRECTS = 5
_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)")


class NotHad(Exception):
    """A source does not give the file.

    Attributes
    ----------
    again : bool
        Whether another try may help.
    wait : float or None
        Seconds after which the server wants to be asked again.
    """

    def __init__(self, reason: str, *, again: bool, wait: float | None = None) -> None:
        self.again = again
        self.wait = wait
        super().__init__(shortened(reason, 300))


class WrongSource(UserError):
    """A source gives another file than it should; one that is larger than 1 GiB is another one."""


class _WebOnly(urllib.request.HTTPRedirectHandler):
    """Redirects to http and https only: not to this machine's files, nor to ftp."""

    max_redirections = _MOST_REDIRECTS

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        """Return the next request without the body of this answer; refuse other schemes."""
        if urllib.parse.urlsplit(newurl).scheme not in ("http", "https"):
            raise NotHad(f"redirects to {shortened(newurl, 100)}", again=False)
        fp.close()  # it would be read to its end
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Watch:
    """Ends the connections of a try once its time is over, whatever it waits for: headers, or a handshake."""

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> _Watch:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            for own in self._sockets:
                own.close()
            self._sockets.clear()

    def connection(self, *args: Any, **options: Any) -> socket.socket:
        """Return a new connection, as `socket.create_connection` does."""
        made = socket.create_connection(*args, **options)
        with self._lock:
            self._sockets.append(made.dup())  # stays, when TLS takes the other
            over = self.is_over
        if over:
            self._end()
        return made

    def _end(self) -> None:
        with self._lock:
            self.is_over = True
            for own in self._sockets:
                with contextlib.suppress(OSError):
                    own.shutdown(socket.SHUT_RDWR)


class _Watched(urllib.request.AbstractHTTPHandler):
    """Opens connections that a watch knows."""

    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self._watch = watch

    def do_open(self, http_class: Any, req: Any, **options: Any) -> Any:
        def connection(*args: Any, **more: Any) -> Any:
            made = http_class(*args, **more)
            made._create_connection = self._watch.connection
            return made

        return super().do_open(connection, req, **options)


class _Http(_Watched, urllib.request.HTTPHandler):
    """Of http."""


class _Https(_Watched, urllib.request.HTTPSHandler):
    """Of https."""


def _opener(watch: _Watch) -> urllib.request.OpenerDirector:
    """Return an opener for http and https alone; proxies of the environment are used."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        _Http(watch),
        _Https(watch),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
        _WebOnly(),
    ):
        opener.add_handler(handler)
    return opener


@dataclass
class Download:
    """One file that is being fetched from one source.

    Attributes
    ----------
    url : str
        http or https.
    path : Path
        Where the bytes go; what is there already is never trusted, it is overwritten.
    timeout : float
        Seconds of silence after which a try is given up.
    longest : float
        Seconds after which a try is given up, whatever has come: connections, headers, body and redirects.
    received : int
        Bytes that have come so far, over all tries.
    tag : str or None
        Strong ETag, or date of the last change, of the file that they belong to. Without one a file that
        broke off is fetched from its beginning.
    """

    url: str
    path: Path
    timeout: float = 30.0
    longest: float = LONGEST_TRY_SECONDS
    received: int = 0
    tag: str | None = None

    def attempt(self) -> None:
        """Fetch the file, or what is still missing of it.

        Raises
        ------
        NotHad
            If it did not come whole.
        WrongSource
            If the file is larger than 1 GiB.
        UserError
            If the URL is neither http nor https.
        """
        if urllib.parse.urlsplit(self.url).scheme not in ("http", "https"):
            raise UserError(f"{self.url} is neither http nor https", hint="give another source")
        headers = {"User-Agent": "mlsieve", "Accept-Encoding": "identity"}
        if self.received and self.tag:
            headers |= {"Range": f"bytes={self.received}-", "If-Range": self.tag}
        else:
            self.received = 0
        with _Watch(self.longest) as watch:
            try:
                self._try(headers, watch)
            except NotHad as error:
                if watch.is_over:
                    raise self._too_slow() from error
                raise
            if watch.is_over:  # the end of headers or of a body is then that of the connection
                raise self._too_slow()

    def _too_slow(self) -> NotHad:
        return NotHad(f"too slow: {self.received} bytes in {self.longest:g} s", again=True)

    def _try(self, headers: dict[str, str], watch: _Watch) -> None:
        try:
            request = urllib.request.Request(self.url, headers=headers)
            answer = _opener(watch).open(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 416:  # the file has become shorter than its received part
                self.received, self.tag = 0, None
            again = error.code >= 500 or error.code in {408, 416, 425, 429}
            wait = seconds_to_wait(error.headers.get("Retry-After"))
            raise NotHad(f"{error.code} {error.reason}", again=again, wait=wait) from error
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise NotHad(str(reason) or type(error).__name__, again=True) from error
        with contextlib.closing(answer):  # whose errors are the disk's, or NotHad
            self._receive(answer)

    def _receive(self, answer: Any) -> None:
        """Write an answer's body behind what had come, or in its place."""
        start, whole = 0, _announced(answer)
        if answer.status == 206:
            part = _RANGE.fullmatch(answer.headers.get("Content-Range") or "")
            if part is None or int(part[1]) != self.received:
                self.received, self.tag = 0, None
                raise NotHad("sent another part than was asked for", again=True)
            start = self.received
            whole = None if part[2] == "*" else int(part[2])
        if whole is not None and whole > LARGEST_BYTES:
            raise _too_large(self.url)
        self.received, self.tag = start, _tag_of(answer)
        megabytes = None if whole is None else -(-whole // _MEGABYTE)
        with open(self.path, "r+b" if start else "wb") as stream, counting("MB", megabytes) as report:
            stream.seek(start)
            stream.truncate()
            while block := self._block(answer):
                self.received += len(block)
                if self.received > LARGEST_BYTES:
                    raise _too_large(self.url)
                stream.write(block)
                report(self.received // _MEGABYTE, megabytes)
        if whole is not None and self.received < whole:
            raise NotHad(f"broke off after {self.received} of {whole} bytes", again=True)

    def _block(self, answer: Any) -> bytes:
        # read1: what has come, so that a slow server's bytes are kept and its time is looked at.
        try:
            return answer.read1(_BLOCK)
        except (http.client.HTTPException, OSError, ValueError) as error:
            raise NotHad(f"broke off after {self.received} bytes ({error})", again=True) from error


def fetch(
    url: str,
    path: Path,
    *,
    attempts: int = 3,
    back_off: float = 1.0,
    timeout: float = 30.0,
    longest: float = LONGEST_TRY_SECONDS,
) -> None:
    """Fetch a file into `path`, in several tries if need be.

    Parameters
    ----------
    url : str
        http or https.
    path : Path
        Where it goes: a temporary file of the caller's.
    attempts : int, default 3
        Tries in all.
    back_off : float, default 1.0
        Seconds before the second try; doubled before each further one. A server's Retry-After counts where
        it is longer, up to a minute: a longer one is not waited for.
    timeout : float, default 30.0
        Seconds of silence after which a try is given up.
    longest : float, default 900.0
        Seconds after which a try is given up however much comes.

    Raises
    ------
    NotHad, WrongSource, UserError
        As `Download.attempt` does.
    """
    download = Download(url, path, timeout, longest)
    for attempt in range(attempts):
        try:
            download.attempt()
            return
        except NotHad as error:
            wait = max(back_off * 2**attempt, error.wait or 0.0)
            if not error.again or attempt == attempts - 1:
                raise
            if wait > LONGEST_WAIT_SECONDS:
                raise NotHad(f"{error}; asks to wait for {wait:.0f} s", again=False) from error
            time.sleep(wait)


def seconds_to_wait(text: str | None) -> float | None:
    """Return the seconds that a Retry-After requests, as a number or as a date; None without a request."""
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text.strip()):
        return float(text)
    try:
        when = email.utils.parsedate_to_datetime(text)
        now = datetime.datetime.now(datetime.UTC)
        return max(0.0, (when.replace(tzinfo=when.tzinfo or datetime.UTC) - now).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None


def _announced(answer: Any) -> int | None:
    """Return the length that an answer announces; None if it does not."""
    text = answer.headers.get("Content-Length") or ""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def _tag_of(answer: Any) -> str | None:
    """Return what distinguishes this file from a later one under the same URL."""
    tag = answer.headers.get("ETag")
    if tag and re.fullmatch(r'"[!-~]{1,200}"', tag):
        return tag
    changed = answer.headers.get("Last-Modified")
    return changed if changed and re.fullmatch(r"[ -~]{1,100}", changed) else None


def _too_large(url: str) -> WrongSource:
    return WrongSource(
        f"more than {LARGEST_BYTES} bytes from {url}", hint="the source has changed: use a mirror"
    )
