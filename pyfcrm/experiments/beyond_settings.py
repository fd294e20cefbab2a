"""Beyond the paper: the methods it compares. What `FCRM draw` stands for in the study is set here and nowhere else."""

from __future__ import annotations

from ..methods import (
    EGADP,
    FCRM,
    GADP,
    IPSO,
    Calibrated,
    Dummy,
    Hybrid,
    Method,
    Microaggregation,
    Noise,
    Permutation,
    RankSwapping,
    Sequential,
    Shuffling,
)

DRAW = FCRM(2, release="draw")
DRAW_RBF = FCRM(2, release="draw", basis="rbf")

# Label, method; the words before a comma are the family.
IPSO_C, IPSO_SMOOTH, IPSO_ORIGINAL = "IPSO-C", "IPSO-C, calibrated smooth", "IPSO-C, calibrated original"
LINEAR, LINEAR_SMOOTH, LINEAR_ORIGINAL = (
    "FCRM draw", "FCRM draw, calibrated smooth", "FCRM draw, calibrated original",
)  # fmt: skip
RBF, RBF_SMOOTH, RBF_ORIGINAL = (
    "FCRM draw rbf", "FCRM draw rbf, calibrated smooth", "FCRM draw rbf, calibrated original",
)  # fmt: skip

SETTINGS: dict[str, Method] = {
    "FCRM predict, c=2": FCRM(2),
    "FCRM predict, c=8": FCRM(8),
    LINEAR: DRAW,
    LINEAR_SMOOTH: Calibrated(DRAW),
    LINEAR_ORIGINAL: Calibrated(DRAW, margins="original"),
    RBF: DRAW_RBF,
    RBF_SMOOTH: Calibrated(DRAW_RBF),
    RBF_ORIGINAL: Calibrated(DRAW_RBF, margins="original"),
    "IPSO-A": IPSO("A"),
    "IPSO-B": IPSO("B"),
    IPSO_C: IPSO("C"),
    IPSO_SMOOTH: Calibrated(IPSO("C")),
    IPSO_ORIGINAL: Calibrated(IPSO("C"), margins="original"),
    "GADP": GADP(),
    "EGADP": EGADP(),
    "Hybrid regression, alpha=0.5": Hybrid("regression", 0.5),
    "Hybrid microaggregation, k=20": Hybrid("microaggregation", k=20),
    "Noise uncorrelated, 50 %": Noise("uncorrelated", 50),
    "Noise linear, 50 %": Noise("linear", 50),
    "Rank swapping, p=5": RankSwapping(5),
    "Rank swapping, p=15": RankSwapping(15),
    "MDAV, k=3": Microaggregation(3),
    "MDAV, k=10": Microaggregation(10),
    "Shuffling": Shuffling(),
    "Permutation, k=30": Permutation(30),
    "Sequential": Sequential(),
    "Dummy": Dummy(),
}
