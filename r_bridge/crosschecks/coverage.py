"""Methods, measures and options without a reference implementation in R: only Python computes them."""

from pyfcrm.measures import MEASURES
from pyfcrm.methods import METHODS

WITH_REFERENCE = {"fcrm", "ipso", "gadp", "egadp", "permutation", "calibrated"}
UNCOVERED_OPTIONS = (
    'FCRM(release="draw")',
    'FCRM(release="model")',
    'FCRM(basis="rbf")',
    "IPSO with epsilon",
    'Hybrid(kind="microaggregation")',
    'Calibrated(margins="smooth") and the swaps of Calibrated',
    "protect() with constraints, structure, missing values, bounds or decimals",
    "audit() and the verdict",
)
MEASURES_COVERED = {"pil", "dbrl", "prl", "prl_tolerance", "id", "id_rank", "dr", "score"}
BY_SDCMICRO = {"noise", "rankswapping", "shuffling", "microaggregation", "drisk", "il1", "il1s", "eigen", "k_anonymity"}


def python_only(*, sdcmicro: bool) -> list[str]:
    """Methods, measures and options that no row compares. sdcmicro : whether sdcMicro's rows are compared."""
    covered = WITH_REFERENCE | MEASURES_COVERED | (BY_SDCMICRO if sdcmicro else set())
    methods = [cls.__name__ for name, cls in METHODS.items() if name not in covered | {"hybrid"}]
    return [*methods, *UNCOVERED_OPTIONS, *(key for key in MEASURES if key not in covered)]
