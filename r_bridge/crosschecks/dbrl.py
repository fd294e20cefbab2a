"""Distance-based record linkage, of two releases."""

from __future__ import annotations

from pyfcrm.measures.dbrl import dbrl

from .case import COUNTED, Case, Line, Results
from .ground import Ground
from .twins import OF, twin


def _python(ground: Ground) -> Results:
    return {words: dbrl(ground.Y, getattr(ground, release)).total for words, release in OF.items()}


def _r(ground: Ground) -> Results:
    return {words: twin(ground, "dbrl", release)["value"] for words, release in OF.items()}


CASES = (Case("DBRL", _python, _r, tuple(Line(words, 1e-12, COUNTED) for words in OF)),)
