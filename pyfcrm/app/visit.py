"""A visit: what one browser tab has, and what goes when it is closed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path


class Visit:
    """A private folder of one visit (mode 0700), removed by `end`; no two visits share anything."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pyfcrm-studio-"))

    def path(self, name: str) -> Path:
        """A place in the folder for a file of this name, without whatever folders a browser put before it."""
        plain = name.replace("\\", "/").rsplit("/", 1)[-1].lstrip(".") or "file"
        return self.folder / plain

    def end(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
