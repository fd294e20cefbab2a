"""The token of a studio that others can reach: in its printed address, then in a cookie."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from urllib.parse import parse_qsl

NAME = "pyfcrm-studio"
# From a link on another page the browser would not send a strict cookie along a redirect: that page asks once more itself.
AGAIN = (
    b'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><title>pyfcrm studio</title>'
)


class Token:
    """A token of this start of the studio, and the cookie it is turned into. `port` is in the cookie's name, since the
    studios of one host share their cookies."""

    def __init__(self, port: int) -> None:
        self.text, self._inside = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.cookie = f"{NAME}-{port}"

    def lets_in(self, cookies: Iterable[str]) -> bool:
        """Whether one of these cookie headers has the cookie."""
        given = [part.strip().partition("=") for header in cookies for part in header.split(";")]
        return any(_same(value, self._inside) for name, _, value in given if name == self.cookie)

    def is_in(self, query: bytes) -> bool:
        """Whether a query string has the token."""
        try:
            pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=20)
        except ValueError:
            return False
        return any(_same(value, self.text) for name, value in pairs if name == "token")

    def header(self) -> tuple[bytes, bytes]:
        """What sets the cookie."""
        words = f"{self.cookie}={self._inside}; Path=/; HttpOnly; SameSite=Strict"
        return b"set-cookie", words.encode("ascii")


def _same(given: str, expected: str) -> bool:
    """In constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode("ascii"))
