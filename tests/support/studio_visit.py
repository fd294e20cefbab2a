"""A visit to the studio without a browser: what a page says over its WebSocket, and what it hears."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import pytest

SHOWN = ("workbench-file_said", "workbench-columns", "blackboard-trouble")
INIT = {
    ".clientdata_url_search": "",
    ".clientdata_url_pathname": "/",
    **{f".clientdata_output_{name}_hidden": False for name in SHOWN},
}
PATIENCE = 60.0  # seconds: what a busy machine may take for one answer


class Visitor:
    """One visit. `said` holds every message heard, as text; cookie : what a studio with a token wants; patience : seconds
    for one answer."""

    def __init__(
        self, address: str, cookie: str = "", init: dict[str, Any] | None = None, patience: float = PATIENCE
    ) -> None:
        client = pytest.importorskip("websockets.sync.client", reason="needs websockets: pip install websockets")
        self.netloc, self.cookie, self.patience = urlsplit(address).netloc, cookie, patience
        headers = {"Cookie": cookie} if cookie else {}
        self._stack = ExitStack()
        page = f"http://{self.netloc}"
        self.ws = self._stack.enter_context(
            client.connect(
                f"ws://{self.netloc}/websocket/",
                origin=page,
                additional_headers=headers,
                max_size=None,
                max_queue=None,  # with words unread, an end would wait for ten seconds
                open_timeout=patience,
                ping_interval=None,  # a busy studio is waited for, not given up
            )
        )
        self.said: list[str] = []
        self._tag = 0
        self.session = json.loads(self.ws.recv(patience))["config"]["sessionId"]
        self.send({"method": "init", "data": INIT if init is None else init})

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the visit."""
        self._stack.close()

    def send(self, message: object) -> None:
        """Say it, as JSON; text and bytes as they are."""
        self.ws.send(message if isinstance(message, str | bytes) else json.dumps(message))

    def hear(self, until: str, seconds: float | None = None) -> str:
        """The first message with these words in it. Raises TimeoutError."""
        while True:
            self.said.append(self.ws.recv(seconds or self.patience))
            if until in self.said[-1]:
                return self.said[-1]

    def ask(self, method: str, *args: Any) -> dict[str, Any]:
        """What a request is answered with."""
        self._tag += 1
        self.send({"method": method, "args": list(args), "tag": self._tag})
        answer: dict[str, Any] = json.loads(self.hear(f'"tag": {self._tag}'))["response"]
        return answer

    def is_closed(self) -> bool:
        """Whether the studio ends this connection."""
        from websockets.exceptions import ConnectionClosed

        try:
            self.hear("what nobody says")
        except ConnectionClosed:
            return True
        except TimeoutError:
            return False
        return False

    def is_sound(self) -> bool:
        """Whether the studio still answers."""
        return "value" in self.ask("uploadInit", [{"name": "x.csv", "size": 1, "type": ""}])

    def post(self, url: str, data: bytes) -> tuple[int, str]:
        """Status and words of an upload; 0 where the studio hung up on a body that it did not want, before it was read."""
        request = urllib.request.Request(f"http://{self.netloc}/{url}", data, {"Cookie": self.cookie}, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self.patience) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with suppress(ConnectionError):
                return error.code, error.read().decode()
            return error.code, ""
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
            return 0, ""

    def upload(self, name: str, data: bytes, zone: str = "workbench-file") -> dict[str, Any]:
        """Drop a file; how its end is answered."""
        begun = self.ask("uploadInit", [{"name": name, "size": len(data), "type": ""}])["value"]
        assert self.post(begun["uploadUrl"], data) == (200, "OK")
        return self.ask("uploadEnd", begun["jobId"], zone)
