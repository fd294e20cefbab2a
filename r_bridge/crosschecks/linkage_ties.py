"""Ties: records that are equal share the link, whatever their order in the file."""

from __future__ import annotations

from pyfcrm.measures.dbrl import dbrl
from pyfcrm.measures.interval_disclosure import interval_disclosure_rank
from pyfcrm.measures.prl import prl, prl_tolerance

from .. import reference
from .case import COUNTED, Case, Line, Results
from .ground import Ground

NAMES = ("DBRL, coarse values", "DBRL, file turned round", "PRL, exact, coarse values", "PRL, tolerance, coarse values",
         "PRL, exact, file turned round", "ID, rank, coarse values")  # fmt: skip


def _python(ground: Ground) -> Results:
    X, Z = ground.coarse
    values = (dbrl(X, Z), dbrl(X[::-1], Z[::-1]), prl(X, Z), prl_tolerance(X, Z), prl(X[::-1], Z[::-1]),
              interval_disclosure_rank(X, Z))  # fmt: skip
    return dict(zip(NAMES, (value.total for value in values), strict=True))


def _r(ground: Ground) -> Results:
    X, Z = ground.coarse
    dbrl_, exact = reference.dbrl(X, Z), reference.prl(X, Z)
    # Turned round or not, the same links: R's one value stands against both of Python's.
    values = (dbrl_, dbrl_, exact, reference.prl(X, Z, "tolerance"), exact, reference.interval_disclosure_rank(X, Z))
    return dict(zip(NAMES, (value["value"] for value in values), strict=True))


CASES = (Case("linkage ties", _python, _r, tuple(Line(name, 1e-12, COUNTED) for name in NAMES)),)
