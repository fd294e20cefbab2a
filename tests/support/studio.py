"""The studio over HTTP, without a server: one visitor, as a browser without script is one."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from html import unescape
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from starlette.testclient import TestClient
from support.readers import here

from pyfcrm.app.security import MB, AccessToken, Guard
from pyfcrm.app.serve import application
from pyfcrm.app.state import Studies, Study

PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"
ROLES = {"a": "independent", "b": "independent", "c": "dependent", "d": "dependent", "id": "identifiers", "w": "weight"}
RANKS = {"method": "rankswapping", "form.rankswapping": "1", "rankswapping.p": "10"}
IPSO = {"method": "ipso", "form.ipso": "1", "ipso.kind": "C"}
PATIENCE = 120


def people(n: int = 150, missing: int = 0) -> pd.DataFrame:
    """A file whose roles are clear."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 6, n), rng.integers(0, 4, n)
    frame = pd.DataFrame({"id": [f"p{k}" for k in range(n)], "a": a, "b": b, "w": rng.integers(1, 4, n) * 10})
    frame["c"] = (100 * a + 20 * b + rng.gamma(2, 30, n)).round(2)
    frame["d"] = (50 * b + rng.gamma(3, 20, n)).round(2)
    if missing:
        frame.loc[: missing - 1, "c"] = np.nan
    return frame


class Visitor:
    """A client with its cookie, and the study of its first page."""

    def __init__(self, client: TestClient, studies: Studies) -> None:
        self.client, self.studies = client, studies
        self.base = str(client.get("/").url).rsplit("/", 1)[0]

    @property
    def study(self) -> Study:
        """What the server keeps for it."""
        return self.studies._studies[self.base.rsplit("/", 1)[1]]

    def get(self, path: str) -> str:
        """The text of a page of the study."""
        response = self.client.get(f"{self.base}/{path}")
        assert response.status_code == 200, response.text
        return response.text

    def act(self, action: str, wait: bool = True, **fields: Any) -> str:
        """Post a form as the page has it; the text of the page that follows when its work has ended."""
        names = {key.removesuffix("_"): value for key, value in fields.items()}
        response = self.client.post(f"{self.base}/do/{action}", data=names, headers={"origin": ORIGIN})
        assert response.status_code == 200, response.text
        return self.settle(response) if wait else response.text

    def upload(self, name: str, data: bytes) -> str:
        """Send a file; the text of the page that follows."""
        files = {"file": (name, data)}
        return self.settle(self.client.post(f"{self.base}/upload", files=files, headers={"origin": ORIGIN}))

    def settle(self, response: Any) -> str:
        end, text = time.monotonic() + PATIENCE, response.text
        while self.study.job is not None and time.monotonic() < end:
            time.sleep(0.02)
            text = self.client.get(str(response.url)).text
        assert self.study.job is None
        return text

    def use_roles(self, missing: str = "", **roles: str) -> str:
        """Save roles by column; others keep what is suggested."""
        source = self.study.source
        fields = {f"role.{name}": roles.get(name, self.study.suggested.role_of(name)) for name in source.columns}
        fields |= {"from": "columns", "keep.missing": missing}
        return self.act("columns", **fields)

    def run(self, **fields: Any) -> str:
        """Run a method, with the fields of its form."""
        return self.act("run", **{"from": "method", **fields})

    def audited(self) -> None:
        """Wait for the audits in the background."""
        end = time.monotonic() + PATIENCE
        while self.study.auditing is not None and time.monotonic() < end:
            time.sleep(0.05)
            self.client.get(f"{self.base}/status?step=compare")


def messages(text: str) -> str:
    """The messages of a page."""
    found = re.findall(r'<p class="(?:message|error)[^>]*>(.*?)</p>', text, re.S)
    return unescape(" ".join(found))


@contextmanager
def studio(
    upload_mb: int = 200, ledger: Any = None, child: bool = False
) -> Iterator[tuple[TestClient, Studies, AccessToken]]:
    """A client without a cookie. child : whether files are read in a process of their own, which takes a second."""
    studies, token = Studies(ledger), AccessToken(PORT)
    reading = nullcontext() if child else mock.patch("pyfcrm.files.formats.in_child", here)
    app = Guard(application(studies), token, PORT, upload_mb * MB)
    with reading, TestClient(app, base_url=ORIGIN) as client:
        yield client, studies, token


@contextmanager
def visitor(upload_mb: int = 200, ledger: Any = None, child: bool = False) -> Iterator[Visitor]:
    """A visitor who has opened the printed address. child : see studio()."""
    with studio(upload_mb, ledger, child) as (client, studies, token):
        client.get(f"/?token={token.text}")
        yield Visitor(client, studies)
