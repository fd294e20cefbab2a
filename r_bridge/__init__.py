"""The bridge between Python and R: `to_r`, Python calls R; `from_r`, functions that R calls; `crosschecks` of the two.

`run_r(frame, function, code)` calls an agency's own R function; `session()` is the R of this process, `r_process()` a separate
R process; `from_frame` and `to_frame` convert pandas frames. Modules are imported at first use. In a wheel, the R sources
(r_scripts) are a folder of this package.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "frames": ["from_frame", "to_frame"],
        "to_r.process": ["r_process", "run_r"],
        "to_r.session": ["REnded", "RError", "RUnavailable", "RWarning", "Reply", "session"],
    },
)
