"""The protection methods, one a file."""

from .fcrm import FCRM
from .ipso import IPSO
from .method import Method

METHODS: dict[str, type[Method]] = {m.__name__.lower(): m for m in (FCRM, IPSO)}

__all__ = ["FCRM", "IPSO", "METHODS", "Method"]
