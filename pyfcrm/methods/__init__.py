"""The protection methods, one a file."""

from .arf import ARF
from .calibrated import Calibrated
from .dummy import Dummy
from .fcrm import FCRM
from .gadp import EGADP, GADP
from .hybrid import Hybrid
from .ipso import IPSO
from .local_suppression import LocalSuppression
from .method import Method
from .microaggregation import Microaggregation
from .noise import Noise
from .permutation import Permutation
from .rank_swapping import RankSwapping
from .recoding import Recoding
from .sampling import Sampling
from .sequential import Sequential
from .shuffling import Shuffling
from .top_bottom_coding import TopBottomCoding

_ALL: tuple[type[Method], ...] = (
    FCRM,
    IPSO,
    GADP,
    EGADP,
    Noise,
    RankSwapping,
    Shuffling,
    Microaggregation,
    Permutation,
    Hybrid,
    Sequential,
    ARF,
    Dummy,
    Sampling,
    Recoding,
    TopBottomCoding,
    LocalSuppression,
    Calibrated,
)

METHODS: dict[str, type[Method]] = {method.__name__.lower(): method for method in _ALL}

__all__ = [
    "ARF",
    "EGADP",
    "FCRM",
    "GADP",
    "IPSO",
    "METHODS",
    "Calibrated",
    "Dummy",
    "Hybrid",
    "LocalSuppression",
    "Method",
    "Microaggregation",
    "Noise",
    "Permutation",
    "RankSwapping",
    "Recoding",
    "Sampling",
    "Sequential",
    "Shuffling",
    "TopBottomCoding",
]
