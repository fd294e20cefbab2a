"""Membership inference and information loss of releases with smooth margins, 20 test splits a cell. About 30 minutes.

    python tests/trust/check_margins.py [records ...]

Exit status 1 where the upper 95 per cent bound of an area under the curve, or a PIL, is above its limit.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from support.shadow_attack import SHADOW_FILES, shadow_auc, shadow_file

import pyfcrm as pf
from pyfcrm.measures.pil import pil

MODEL = pf.FCRM(None, release="model")
METHODS = {"Calibrated(IPSO-C)": pf.Calibrated(pf.IPSO("C")), "model": MODEL, "Calibrated(model)": pf.Calibrated(MODEL)}
AREA, FEW_AREA = {400: 57, 2500: 55}, {400: 61, 2500: 56}
LOSS = {400: 3.5, 2500: 2.5}  # of Calibrated(IPSO-C)


def main(sizes):
    """The cells of these sizes, a line each; 1 where any is above its limit."""
    above = 0
    for n in sizes:
        for kind in SHADOW_FILES:
            for name, method in METHODS.items():
                above += cell(n, kind, name, method)
    return int(above > 0)


def cell(n, kind, name, method):
    """Whether one file's release by one method is above a limit."""
    X, Y = shadow_file(kind, n, 11, t=4)
    found = shadow_auc(lambda x, y, seed: method.protect(x, y, pf.RStream(seed)), X, Y)
    loss = pil(np.hstack([X, Y]), np.hstack([X, method.protect(X, Y, pf.RStream(1))])).total
    most = (FEW_AREA if kind.startswith("few") else AREA)[n]
    above = found.upper > most or (name == "Calibrated(IPSO-C)" and loss > LOSS[n])
    print(
        f"{n:5} {kind:11} {name:19} AUC {found.mean:.1f} (<= {found.upper:.1f}) PIL {loss:.2f}",
        "ABOVE" * above,
        flush=True,
    )
    return above


if __name__ == "__main__":
    sys.exit(main([int(one) for one in sys.argv[1:]] or [400, 2500]))
