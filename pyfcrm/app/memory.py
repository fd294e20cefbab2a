"""Memory that a visit needed, given back to the machine when it is over."""

from __future__ import annotations

import asyncio
import gc
import sys

SOON = 0.5  # seconds: what is on its way in a thread may end first


def give_back() -> None:
    """A moment from now: what nobody holds any more leaves Python, and what pyarrow keeps for later leaves the process."""
    asyncio.get_running_loop().call_later(SOON, _now)


def _now() -> None:
    gc.collect()
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None:
        pyarrow.default_memory_pool().release_unused()
