"""Probabilistic linkage of two arrays."""

from pyfcrm.data.pairs import Pair
from pyfcrm.engine import Local
from pyfcrm.linkage.agreement import EXACT
from pyfcrm.linkage.linker import Linker


def probabilistic_linkage(X, Z, agreement=EXACT):
    return Linker(Pair.of(X, Z), Local()).probabilistic(agreement)
