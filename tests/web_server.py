"""A server on this machine that answers as it is told, badly if need be."""

from __future__ import annotations

import contextlib
import dataclasses
import http.server
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Answer:
    """What one call of a path gets.

    Attributes
    ----------
    body : bytes
    status : int
    headers : dict
        Besides Content-Length.
    announced : int or None
        The Content-Length, where it is not the body's; -1: none is sent.
    cut : int or None
        The connection is closed after so many bytes.
    pause : float
        Seconds between two bytes.
    silent : float
        Seconds of silence before anything is sent.
    ranges : bool
        Whether the rest is given to who asks for it, if the file is still the one he knows.
    endless : bool
        The body comes again and again, until the client goes.
    repeated : bytes
        What comes again and again behind the body, in place of an answer with a status and headers.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    announced: int | None = None
    cut: int | None = None
    pause: float = 0.0
    silent: float = 0.0
    ranges: bool = False
    endless: bool = False
    repeated: bytes = b""


class WebServer:
    """The server: its address, what it answers (the last answer of a path again and again), and its calls.

    Attributes
    ----------
    url : str
    answers : dict of path to list of Answer, or of (status, body[, announced])
    calls : list of str
        Paths, in the order in which they were asked for.
    ranges : list of (str or None)
        The Range of each call.
    """

    def __init__(self) -> None:
        self.url = ""
        self.answers: dict[str, list] = {}
        self.calls: list[str] = []
        self.ranges: list[str | None] = []

    def next_answer(self, path: str) -> Answer:
        """Return what the next call of a path gets."""
        queue = self.answers.get(path, [Answer(status=404)])
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(answer, tuple):
            status, body, *announced = answer
            answer = Answer(body, status, announced=announced[0] if announced else None)
        return answer


@contextlib.contextmanager
def web_server() -> Iterator[WebServer]:
    """Yield a running server."""
    server = WebServer()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.calls.append(self.path)
            server.ranges.append(self.headers.get("Range"))
            with contextlib.suppress(ConnectionError):
                self.give(server.next_answer(self.path))

        def give(self, answer: Answer) -> None:
            if answer.silent:
                time.sleep(answer.silent)
            while answer.repeated:
                self.wfile.write(answer.body)
                answer = dataclasses.replace(answer, body=answer.repeated)
                time.sleep(answer.pause)
            status, body = answer.status, answer.body
            wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
            headers = dict(answer.headers)
            if wanted and answer.ranges and self.headers.get("If-Range") == headers.get("ETag"):
                start = int(wanted[1])
                headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
                status, body = 206, body[start:]
            self.send_response(status)
            announced = len(body) if answer.announced is None else answer.announced
            if announced >= 0 and not answer.endless:
                self.send_header("Content-Length", str(announced))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            body = body[: answer.cut]
            while answer.endless:
                self.wfile.write(body)
            if not answer.pause:
                self.wfile.write(body)
                return
            for byte in body:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(answer.pause)

        def log_message(self, *_: object) -> None:
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{listener.server_port}"
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
