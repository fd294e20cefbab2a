"""Protect numerical microdata and judge the release: one seed, one file, in Python and in R.

>>> import pyfcrm as pf
>>> frame = pf.datasets.survey()
>>> roles = pf.Roles(independent=["age", "hours", "size"], dependent=["wage", "rent", "tax"], identifiers=["name"])
>>> released = pf.protect(frame, pf.IPSO("C"), roles)
>>> pf.evaluate(frame, released.frame, roles=roles)["pil"]  # doctest: +SKIP
"""

import lazy_loader

__version__ = "0.1.0"

# __init__.pyi declares the public names with their modules, for type checkers too. A module is imported at the first use of a name.
__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __dir__() -> list[str]:
    """The public names; modules that are only built from are not among them."""
    return sorted([*__all__, "__version__"])
