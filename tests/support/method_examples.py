"""An example of every method: its own, or as EXAMPLES has it where another one tests more or takes less time."""

import pyfcrm as pf
from pyfcrm.methods import METHODS

EXAMPLES = {
    "fcrm": pf.FCRM(c=3),
    "ipso": pf.IPSO("B"),
    "noise": pf.Noise("correlated", amount=20),
    "rankswapping": pf.RankSwapping(p=15),
    "microaggregation": pf.Microaggregation(k=3),
    "permutation": pf.Permutation(k=5),
    "hybrid": pf.Hybrid(alpha=0.3),
    "arf": pf.ARF(trees=5),
    "sampling": pf.Sampling(fraction=0.5),
    "recoding": pf.Recoding(breaks=3),
    "topbottomcoding": pf.TopBottomCoding(top=6.0),
    "localsuppression": pf.LocalSuppression(k=3, keys=["word"]),
    "calibrated": pf.Calibrated(pf.IPSO("B"), margins="original"),
}
EXAMPLES |= {key: METHODS[key].example() for key in METHODS if key not in EXAMPLES}
