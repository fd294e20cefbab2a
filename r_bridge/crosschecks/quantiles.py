"""R's own quantile(), bw.nrd0() and a kernel density by dnorm()."""

from __future__ import annotations

import numpy as np

from pyfcrm.measures.pil import GRID
from pyfcrm.measures.quantiles import bandwidth, quantiles, unit_density

from ..session import session
from .case import ROUNDING, Case, Line, Results
from .ground import Ground


def _python(ground: Ground) -> Results:
    columns = np.sort(ground.Y.T, axis=1)
    Q = [quantiles(y, GRID) for y in columns]
    h = [bandwidth(y) for y in columns]
    density = [unit_density(q, y, width) / width for q, y, width in zip(Q, columns, h, strict=True)]
    return {"type 7": np.column_stack(Q), "bw.nrd0": np.array(h), "density": np.column_stack(density)}


def _r(ground: Ground) -> Results:
    call = session().call
    Q = [call("quantile", {"x": y, "probs": GRID, "names": False, "type": 7}).value for y in ground.Y.T]
    h = [float(call("bw.nrd0", {"x": y}).value[0]) for y in ground.Y.T]
    density = [
        [float(call("dnorm", {"x": y, "mean": point, "sd": width}).value.mean()) for point in q]
        for q, y, width in zip(Q, ground.Y.T, h, strict=True)
    ]
    return {"type 7": np.column_stack(Q), "bw.nrd0": np.array(h), "density": np.column_stack(density)}


CASES = (
    Case(
        "quantiles",
        _python,
        _r,
        (
            Line("type 7", 1e-13, "one interpolation between the same two values"),
            Line("bw.nrd0", 1e-13, ROUNDING),
            Line("density", 1e-12, "the exact kernel sum, of R's dnorm there; " + ROUNDING),
        ),
    ),
)
