"""How a dropped file reaches the page's server: by what the upload itself left behind, whatever the page says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shiny import Session, reactive
from shiny.types import SafeException

from ..errors import InvalidInput
from .aside import Places
from .visit import Upload, Visit


@dataclass(frozen=True)
class Arrived:
    """What arrived last in one drop zone; calling it is a reactive read. places : where it may be read."""

    value: reactive.Value[Upload | None]
    places: Places

    def __call__(self) -> Upload | None:
        return self.value()


class Arriving:
    """Shiny's two messages around an upload, answered by the visit. The inputs that Shiny keeps for files are never read,
    since a page can set them to what it likes."""

    def __init__(self, session: Session, visit: Visit, places: Places) -> None:
        self._session, self._visit, self._places = session, visit, places
        self._zones: dict[str, reactive.Value[Upload | None]] = {}
        session.set_message_handler("uploadInit", self._begin)
        session.set_message_handler("uploadEnd", self._end)

    def at(self, zone: str) -> Arrived:
        """What arrives in the drop zone of this id."""
        self._zones[zone] = reactive.Value(None)
        return Arrived(self._zones[zone], self._places)

    async def _begin(self, files: list[dict[str, Any]]) -> dict[str, Any]:
        try:
            upload = self._visit.begin(files[0]["name"], files[0]["size"])
        except InvalidInput as error:
            raise SafeException(f"{error.rule}.") from None
        return {"jobId": upload.job, "uploadUrl": f"session/{self._session.id}/upload/{upload.job}?w="}

    async def _end(self, job: str, zone: str) -> None:
        if zone not in self._zones:
            raise SafeException("There is no such place for a file.")
        try:
            self._zones[zone].set(self._visit.take(job))
        except InvalidInput as error:
            raise SafeException(f"{error.rule}.") from None
