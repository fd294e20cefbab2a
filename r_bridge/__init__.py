"""Between the two languages: `to_r`, Python to R; `from_r`, what R calls; `crosschecks`. A wheel has r_scripts in here.

`run_r(frame, function, code)` runs an agency's own R function; `session()` is the R of this process, `apart()` one of its
own, and `from_frame` and `to_frame` are the way of a pandas frame there and back. Nothing is loaded before it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "run_r": "to_r.apart", "apart": "to_r.apart", "from_frame": "frames", "to_frame": "frames", "session": "to_r.session",
    "Reply": "to_r.session", "RError": "to_r.session", "REnded": "to_r.session", "RUnavailable": "to_r.session", "RWarning": "to_r.session",
}  # fmt: skip
__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_WHERE[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(_WHERE)
