"""IPSO by kind and variant: Burridge's formula, and the thesis's R code draw for draw."""

from __future__ import annotations

import functools

import numpy as np

from pyfcrm.methods import IPSO
from pyfcrm.rstream import RStream

from .. import reference
from ..ipso import KINDS, Release, ipso
from ..session import session
from .case import Case, Line, Results
from .ground import Array, Ground

ALGEBRA = "the same draws and the same algebra: an orthonormal basis here, a covariance solved or a QR there"
AFTER = ".Random.seed, after the draws"


def _python(ground: Ground, kind: str, variant: str) -> Results:
    stream = RStream(ground.seed)
    Z = IPSO(kind, variant).protect(ground.X, ground.Y, stream)
    # No draw, no state: burridge's A draws nothing.
    return {_name(kind, variant, "release"): Z, _name(kind, variant, AFTER): stream.to_r_state()}


def _r(ground: Ground, kind: str, variant: str) -> Results:
    release = _r_release(ground, kind, variant)
    return {_name(kind, variant, "release"): release.Z, _name(kind, variant, AFTER): release.stream.to_r_state()}


def _r_release(ground: Ground, kind: str, variant: str) -> Release:
    if variant == "thesis":
        return ipso(ground.X, ground.Y, kind, ground.seed, ground.ipso_path)
    return reference.ipso_burridge(ground.X, ground.Y, kind, ground.seed)


def _name(kind: str, variant: str, what: str) -> str:
    return f"{kind}, {variant}, {what}"


def _kept_python(ground: Ground, variant: str) -> Results:
    """What IPSO promises, of the original, by R's own functions."""
    C = f"C, {variant}, "
    return {
        f"B, {variant}, regression kept": _fitted(ground, ground.Y),
        C + "regression kept": _fitted(ground, ground.Y),
        C + "means kept": ground.Y.mean(axis=0),
        C + "covariances kept": _covariances(ground.Y),
    }


def _kept_r(ground: Ground, variant: str) -> Results:
    """The same of Python's releases."""
    Z = {kind: IPSO(kind, variant).protect(ground.X, ground.Y, RStream(ground.seed)) for kind in "BC"}
    C = f"C, {variant}, "
    return {
        f"B, {variant}, regression kept": _fitted(ground, Z["B"]),
        C + "regression kept": _fitted(ground, Z["C"]),
        C + "means kept": Z["C"].mean(axis=0),
        C + "covariances kept": _covariances(Z["C"]),
    }


def _fitted(ground: Ground, Y: Array) -> Array:
    x = np.column_stack([np.ones(len(ground.X)), ground.X])
    fitted: Array = session().call("lm.fit", {"x": x, "y": Y}).value["fitted.values"]
    return fitted.reshape(Y.shape)


def _covariances(Y: Array) -> Array:
    covariances: Array = session().call("cov", {"x": Y}).value
    return covariances.reshape(Y.shape[1], Y.shape[1])


def _lines(kind: str, variant: str) -> tuple[Line, ...]:
    same = "as many normals drawn: B's block before C's, whichever is asked for"
    if variant == "burridge":
        same = "nothing drawn" if kind == "A" else "one block of normals drawn"
    return Line(_name(kind, variant, "release"), 1e-10, ALGEBRA), Line(_name(kind, variant, AFTER), 0.0, same)


def _kept_lines(variant: str) -> tuple[Line, ...]:
    why = "an exact promise of the method: R's value of the release against R's value of the original"
    names = ("B, {}, regression kept", "C, {}, regression kept", "C, {}, means kept", "C, {}, covariances kept")
    return tuple(Line(name.format(variant), 1e-9, why) for name in names)


VARIANTS = ("burridge", "thesis")
CASES = tuple(
    Case("IPSO", functools.partial(_python, kind=k, variant=v), functools.partial(_r, kind=k, variant=v), _lines(k, v))
    for v in VARIANTS
    for k in KINDS
) + tuple(
    Case("IPSO", functools.partial(_kept_python, variant=v), functools.partial(_kept_r, variant=v), _kept_lines(v))
    for v in VARIANTS
)
