"""The bridge between Python and R: `to_r`, Python calls R; `from_r`, functions that R calls; `crosschecks`. A wheel has r_scripts here.

`run_r(frame, function, code)` calls an agency's own R function; `session()` is the R of this process, `r_process()` a separate
R process; `from_frame` and `to_frame` convert pandas frames. Modules are imported at first use.
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "run_r": "to_r.process", "r_process": "to_r.process", "from_frame": "frames", "to_frame": "frames", "session": "to_r.session",
    "Reply": "to_r.session", "RError": "to_r.session", "REnded": "to_r.session", "RUnavailable": "to_r.session", "RWarning": "to_r.session",
}  # fmt: skip
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(_MODULES)
