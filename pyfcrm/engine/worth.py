"""Whether compiled kernels pay for a piece of work, or their plain twin does it first. The results are the same.

Compiling takes seconds, once on a machine; loading what was compiled before takes tenths. A small piece of work is done
sooner without either. Many small ones are not: what their twins have taken is added up, and once it comes to what
compiling takes, kernels are taken from then on. So no course of work takes more than about twice what it must.

Only for twins that agree to the last bit: nothing else may depend on what is loaded or on disk.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

LOADED = 0.01  # seconds of plain work from which kernels pay that are loaded already
KEPT, KEPT_NEXT = 0.5, 0.1  # those on disk, which with the first one means to load numba
COMPILE = 5.0  # those that are to be compiled
PACKAGE = Path(__file__).resolve().parent.parent
_taken: dict[str, float] = {}  # seconds of plain work so far, by kernels


def compiled(kernels: str, seconds: float) -> bool:
    """Whether to take compiled kernels for work that takes their plain twin `seconds`.

    kernels : the file they stand in, such as "linkage/scan_kernels".
    """
    if f"{PACKAGE.name}.{kernels.replace('/', '.')}" in sys.modules:
        return seconds > LOADED
    price = KEPT_NEXT if "numba" in sys.modules else KEPT
    taken = _taken.get(kernels, 0.0) + seconds
    if taken > price + COMPILE or (taken > price and kept(PACKAGE / f"{kernels}.py")):
        return True
    _taken[kernels] = taken
    return False


def kept(source: Path) -> bool:
    """Whether a kernel of this file was compiled before, where numba keeps it, and since the file was changed."""
    changed = source.stat().st_mtime
    return any(one.stat().st_mtime >= changed for one in _cache(source.parent).glob(f"{source.stem}.*.nbi"))


def _cache(folder: Path) -> Path:
    """Where numba keeps what it compiled of the files in a folder: there, or under $NUMBA_CACHE_DIR."""
    elsewhere = os.environ.get("NUMBA_CACHE_DIR")
    if not elsewhere:
        return folder / "__pycache__"
    return Path(elsewhere) / f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"
