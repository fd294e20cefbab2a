"""The protection methods. A new one is a new file, and its name here, where the methods stand in the order that is shown."""

from .arf import ARF
from .calibrated import Calibrated
from .dummy import Dummy
from .external import External
from .fcrm import FCRM
from .hybrid import Hybrid
from .ipso import EGADP, GADP, IPSO
from .local_suppression import LocalSuppression
from .method import Method as Method
from .method import Procedure as Procedure
from .microaggregation import Microaggregation
from .noise import Noise
from .permutation import Permutation
from .pram import PRAM
from .rank_swapping import RankSwapping
from .recoding import Recoding, TopBottomCoding
from .sampling import Sampling
from .sequential import Sequential
from .shuffling import Shuffling
from .steps import Steps

__all__ = [  # noqa: RUF022
    "FCRM",
    "IPSO",
    "GADP",
    "EGADP",
    "Noise",
    "RankSwapping",
    "Shuffling",
    "Microaggregation",
    "Permutation",
    "Hybrid",
    "Sequential",
    "ARF",
    "Dummy",
    "Sampling",
    "Recoding",
    "TopBottomCoding",
    "LocalSuppression",
    "PRAM",
    "Calibrated",
    "External",
    "Steps",
    "METHODS",
]

METHODS: dict[str, type[Method]] = {name.lower(): globals()[name] for name in __all__[:-3]}
