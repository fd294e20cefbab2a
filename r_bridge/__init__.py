"""The bridge between Python and R: `to_r`, Python calls R; `from_r`, functions that R calls; `crosschecks` of the two.

`run_r(frame, function, code)` calls an agency's own R function; `session()` is the R of this process, `r_process()` a separate
R process; `from_frame` and `to_frame` convert pandas frames. Modules are imported at first use. In a wheel, the R sources
(r_scripts) are a folder of this package.
"""

from importlib import import_module
from typing import Any

# The module of each public name.
_MODULES = {
    "run_r": "to_r.process",
    "r_process": "to_r.process",
    "from_frame": "frames",
    "to_frame": "frames",
    "session": "to_r.session",
    "Reply": "to_r.session",
    "RError": "to_r.session",
    "REnded": "to_r.session",
    "RUnavailable": "to_r.session",
    "RWarning": "to_r.session",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """A public name, from its module, which is imported now."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(_MODULES)
