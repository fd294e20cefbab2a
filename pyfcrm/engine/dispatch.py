"""The choice between compiled kernels and plain code by the expected run time. The results are equal.

Compiling takes seconds, once on a machine; loading a compiled kernel takes tenths. Plain code is faster for a small piece
of work. The times of many small pieces are added up: once they reach the time of compiling, kernels are used. So the work
takes at most about twice the shortest time. Only for plain code that agrees with the kernels to the last bit.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

LOADED = 0.01  # seconds of plain work above which loaded kernels are used
CACHED, CACHED_NEXT = 0.5, 0.1  # kernels on disk, without and with numba loaded
COMPILE = 5.0  # kernels that must be compiled
PACKAGE = Path(__file__).resolve().parent.parent
_taken: dict[str, float] = {}  # seconds of plain work so far, by kernels


def compiled(kernels: str, seconds: float) -> bool:
    """Whether compiled kernels are used for work that takes plain code `seconds`.

    kernels : their file, such as "linkage/scan_kernels".
    """
    if f"{PACKAGE.name}.{kernels.replace('/', '.')}" in sys.modules:
        return seconds > LOADED
    price = CACHED_NEXT if "numba" in sys.modules else CACHED
    taken = _taken.get(kernels, 0.0) + seconds
    if taken > price + COMPILE or (taken > price and cached(PACKAGE / f"{kernels}.py")):
        return True
    _taken[kernels] = taken
    return False


def cached(source: Path) -> bool:
    """Whether numba's cache has a kernel of this file, compiled since its last change."""
    changed = source.stat().st_mtime
    return any(entry.stat().st_mtime >= changed for entry in _cache(source.parent).glob(f"{source.stem}.*.nbi"))


def _cache(folder: Path) -> Path:
    """The folder of numba's cache for the files of a folder: there, or under $NUMBA_CACHE_DIR."""
    elsewhere = os.environ.get("NUMBA_CACHE_DIR")
    if not elsewhere:
        return folder / "__pycache__"
    return Path(elsewhere) / f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"
