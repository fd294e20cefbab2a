"""Methods, measures and options without a reference implementation in R, each with the reason: only Python computes them."""

from collections.abc import Mapping

from pyfcrm.measures import MEASURES
from pyfcrm.methods import METHODS

WITH_REFERENCE = {"fcrm", "ipso", "gadp", "egadp", "permutation", "calibrated", "hybrid", "sequential"}
"""Methods with a reference implementation in R."""
MEASURES_COVERED = {"pil", "dbrl", "prl", "prl_tolerance", "id", "id_rank", "dr", "score"}
"""Measures with a reference implementation in R."""
BY_SDCMICRO = {"noise", "rankswapping", "shuffling", "microaggregation", "drisk", "il1", "il1s", "eigen", "k_anonymity"}

OWN = "the project's own algorithm: there is no publication from which a reference could be written"
FORESTS = "forests are grown by scikit-learn's own random numbers, which no other implementation draws"
SDCMICRO = "compared with sdcMicro, if --sdcmicro requests it"
RECODED = "no reference is written yet: values are recoded, limited or sampled, with hardly any arithmetic"
RANDOM_NUMBERS = "its noise comes from the operating system's generator, so that no release can be repeated"
CATEGORICAL = "no reference is written yet: counts of categories"
LEARNED = "a fitted classifier or a search, which another implementation ends elsewhere"
OTHER_DISTANCES = "no reference is written yet: linkage with other distances or classes of difference"
CONSTRAINED = "no reference is written yet: nearest feasible values, completed cells and rounding"
JUDGED = "made of many measures and draws, of which the row of a measure compares some"

METHOD_REASONS = {
    "noise": SDCMICRO,
    "rankswapping": SDCMICRO,
    "shuffling": SDCMICRO,
    "microaggregation": SDCMICRO,
    "arf": FORESTS,
    "pram": "the law of its matrix is the project's own",
    "localsuppression": OWN,
}
OPTION_REASONS = {
    'FCRM(release="draw")': OWN,
    'FCRM(release="model")': OWN,
    'FCRM(basis="rbf")': OWN,
    "IPSO with epsilon": RANDOM_NUMBERS,
    "Sequential(smooth=True) and trees of categories": OWN,
    'Hybrid(kind="microaggregation")': "IPSO-C, which is compared, within groups of MDAV, which --sdcmicro compares",
    'Calibrated(margins="smooth") and the swaps of Calibrated': OWN,
    "protect() with constraints, structure, missing values, bounds or decimals": CONSTRAINED,
    "audit() and the verdict": JUDGED,
}
MEASURE_REASONS = {
    **dict.fromkeys(("drisk", "il1", "il1s", "eigen", "k_anonymity"), SDCMICRO),
    **dict.fromkeys(("dbrl_mahalanobis", "dbrl_subsets", "prl_numeric"), OTHER_DISTANCES),
    **dict.fromkeys(
        ("dbrl_supervised", "detection", "pmse", "specks", "rapid", "linkage_informed", "certain", "dr_informed"),
        LEARNED,
    ),
    **dict.fromkeys(("rep_u", "disco", "dcap", "tcap", "uniques", "tables"), CATEGORICAL),
}
CLOSED_FORM = "no reference is written yet: a closed form or a count"


def python_only(*, sdcmicro: bool) -> Mapping[str, str]:
    """The reason of each method, measure and option that no row compares. sdcmicro : whether sdcMicro's rows are compared."""
    covered = WITH_REFERENCE | MEASURES_COVERED | (BY_SDCMICRO if sdcmicro else set())
    methods = {cls.__name__: METHOD_REASONS.get(name, RECODED) for name, cls in METHODS.items() if name not in covered}
    measures = {key: MEASURE_REASONS.get(key, CLOSED_FORM) for key in MEASURES if key not in covered}
    return methods | OPTION_REASONS | measures


def by_reason(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    """The names of the results that only Python computes, by their reason."""
    groups: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        groups.setdefault(reason, []).append(name)
    return groups
