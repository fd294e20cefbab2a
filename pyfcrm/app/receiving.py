"""Uploads: the bytes of a file into the folder of the visit that announced it, and nowhere else."""

from __future__ import annotations

import re
from typing import Any, BinaryIO

from ..errors import InvalidInput
from .refusing import Message, Receive, Refused, Send, answer
from .visit import Upload, Visit

_ADDRESS = re.compile(r"/session/([0-9a-f]{1,128})/upload/([0-9a-f]{24})")


class Receiving:
    """The ASGI application of every request that is not for reading. visits : by session, those that are open."""

    def __init__(self, visits: dict[str, Visit]) -> None:
        self.visits = visits

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        found = _ADDRESS.fullmatch(scope["path"])
        if scope["method"] != "POST" or found is None:
            raise Refused(405, "The studio only takes files that were announced.", close=True)
        visit = self.visits.get(found[1])
        upload = None if visit is None else visit.receive(found[2])
        if visit is None or upload is None:
            raise Refused(400, "The studio does not wait for this file, or has it already.", close=True)
        try:
            visit.check(_announced(scope))
            whole = await _written(visit, upload, receive)
        except BaseException as error:
            visit.drop(upload)
            if isinstance(error, InvalidInput):
                raise Refused(413, f"{error.rule}.", close=True) from None
            if isinstance(error, OSError):
                raise Refused(507, f"The file could not be kept: {error.strerror}.", close=True) from None
            raise
        if whole:
            visit.arrived(upload)
            await answer(send, 200, b"OK", "text/plain")
        else:
            visit.drop(upload)


async def _written(visit: Visit, upload: Upload, receive: Receive) -> bool:
    """Whether the whole body came, and is still wanted. Raises InvalidInput as soon as it is too much, and OSError of the disk."""
    with open(upload.path, "xb") as file:
        while True:
            message = await receive()
            if message["type"] != "http.request" or not visit.wants(upload):
                return False
            _write(visit, file, message.get("body", b""))
            if not message.get("more_body", False):
                return True


def _write(visit: Visit, file: BinaryIO, piece: bytes) -> None:
    visit.check(len(piece), file.tell())
    file.write(piece)
    file.flush()  # so that what the visit holds can be read off its folder


def _announced(scope: Message) -> int:
    """The length that the request says it has; 0 where it says none."""
    given: Any = dict(scope.get("headers", ())).get(b"content-length", b"0")
    return int(given) if given.isdigit() and len(given) < 20 else 0
