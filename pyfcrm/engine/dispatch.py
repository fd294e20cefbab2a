"""The choice between compiled kernels and plain code by the expected run time. The results are equal.

Compiling takes seconds, once on a machine; loading a compiled kernel takes tenths. Plain code is faster for a small piece
of work. Only for plain code that agrees with the kernels to the last bit.
"""

import sys

LOADED, UNLOADED = 0.01, 1.0  # seconds of plain work above which kernels are used, if loaded, and if not


def compiled(kernels: str, seconds: float) -> bool:
    """Whether compiled kernels are used for work that takes plain code `seconds`.

    kernels : their file, such as "linkage/scan_kernels".
    """
    return seconds > (LOADED if f"pyfcrm.{kernels.replace('/', '.')}" in sys.modules else UNLOADED)
