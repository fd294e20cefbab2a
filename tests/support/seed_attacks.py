"""Undoing a release with its seed: what each attack takes for the original Y, given method, X, the release Z and the seed."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import pyfcrm as pf
from pyfcrm import RStream
from pyfcrm.data.blocks import Sample
from pyfcrm.engine import Local
from pyfcrm.fuzzy.radial import radial_basis_of
from pyfcrm.methods.donors import donors_near
from pyfcrm.methods.permutation import permuted_in_blocks
from pyfcrm.numerics.design import design, orthogonal_to
from pyfcrm.numerics.factor import basis_and_factor

Array = NDArray[np.float64]
ROUNDS = 200


def apart(A, B):
    """(n,) the largest difference of each record, in standard deviations of A."""
    return np.abs((A - B) / A.std(axis=0)).max(axis=1)


def residuals(X, A):
    D = design(X)
    return orthogonal_to(D, orthogonal_to(D, A))


def ranks(a):
    """(n,) from 0."""
    return np.argsort(np.argsort(a))


def likelier(*both):
    """Of an original and its mirror image the one with the long tail upwards, as incomes have it."""
    return max(both, key=lambda Y: float(((Y - Y.mean(axis=0)) ** 3).sum()))


def undo_noise(method, X, Z, seed):
    """The noise made again and taken off; its size, told by the unknown sd, comes out of repeating."""
    return NOISE[method.kind](method.amount / 100, Z, seed)


def _uncorrelated(a, Z, seed):
    e = RStream(seed).rnorm_matrix(*Z.shape)
    return _fixed(Z, lambda Y: Z - e * a * Y.std(axis=0, ddof=1))


def _laplace(a, Z, seed):
    u = RStream(seed).runif_matrix(*Z.shape) - 0.5
    e = -np.sign(u) * np.log1p(-2 * np.abs(u)) / np.sqrt(2)
    return _fixed(Z, lambda Y: Z - e * a * Y.std(axis=0, ddof=1))


def _correlated2(a, Z, seed):
    e, d = RStream(seed).rnorm_matrix(*Z.shape), np.sqrt(1 - a * a)
    return _fixed(Z, lambda Y: Y.mean(axis=0) + (Z - a * e * Y.std(axis=0, ddof=1) - Y.mean(axis=0)) / d)


def _multiplicative(a, Z, seed):
    v = np.log1p(a * a)
    return Z / np.exp(np.sqrt(v) * RStream(seed).rnorm_matrix(*Z.shape) - v / 2)


def _correlated(a, Z, seed):
    def off(Y):
        sd = Y.std(axis=0, ddof=1)
        T = basis_and_factor((Y - Y.mean(axis=0)) / sd / np.sqrt(len(Y) - 1))[1]
        return Z - a * RStream(seed).rnorm_matrix(*Y.shape)[:, : len(T)] @ T * sd

    return _fixed(Z, off)


def _linear(a, Z, seed):
    """Z = PT with the original's T, and P the polar factor of Q + aE: Q = PH - aE, H the symmetric one that makes it
    orthonormal."""
    (n, t), sd, e = Z.shape, Z.std(axis=0, ddof=1), RStream(seed).rnorm_matrix(*Z.shape)
    P, T = basis_and_factor((Z - Z.mean(axis=0)) / sd / np.sqrt(n - 1))
    E, H = a / np.sqrt(n - 1) * (e - e.mean(axis=0)), np.eye(t) * np.sqrt(1 + a * a)
    for _ in range(ROUNDS):
        Q = P @ H - E
        H = H - (Q.T @ Q - np.eye(t)) / 2 / np.sqrt(1 + a * a)
    return Z.mean(axis=0) + (P @ H - E) @ T * np.sqrt(n - 1) * sd


def _nonlinear(a, Z, seed):
    """One attribute: the release has the ranks of scores + a e, and the original's values."""
    (n, _), e, rank = Z.shape, RStream(seed).rnorm(len(Z)), ranks(Z[:, 0])
    scores = ndtri((rank + 0.5) / n) * np.sqrt(1 + a * a) - a * e
    for _ in range(ROUNDS):
        scores = np.sort(ndtri((ranks(scores) + 0.5) / n) + a * e)[rank] - a * e
    return np.sort(Z[:, 0])[ranks(scores)][:, None]


def _fixed(Z, off):
    Y = Z
    for _ in range(ROUNDS):
        Y = off(Y)
    return Y


NOISE = {
    "uncorrelated": _uncorrelated,
    "correlated": _correlated,
    "linear": _linear,
    "nonlinear": _nonlinear,
    "laplace": _laplace,
    "multiplicative": _multiplicative,
    "correlated2": _correlated2,
}


def undo_by_running_again(method, X, Z, seed):
    return method.protect(X, Z, RStream(seed))


def undo_permutation(method, X, Z, seed):
    stream, n, Y = RStream(seed), len(Z), np.empty_like(Z)
    for j, z in enumerate(Z.T):
        stream.sample_int(n, n, replace=True)
        stream.rnorm(n)
        stream.runif(n)
        where = permuted_in_blocks(n, method.k, stream)  # the record of rank r has the where[r]-th value
        values = np.sort(z)
        rank_of_value = np.argsort(where)
        Y[:, j] = values[rank_of_value[ranks(z)]]
    return Y


def undo_exact_noise(method, X, Z, seed):
    """EGADP and its kin, one dependent attribute: both signs are tried, and the skewed one is taken."""
    stream = RStream(seed)
    e = stream.rnorm_matrix(*Z.shape)
    if isinstance(method, pf.IPSO) and method.kind == "C":
        e = stream.rnorm_matrix(*Z.shape)
    fitted = Z - residuals(X, Z)
    E, M = residuals(X, Z), residuals(X, e)
    W = M - E @ np.linalg.lstsq(E, M, rcond=None)[0]
    R = W * np.linalg.norm(E, axis=0) / np.linalg.norm(W, axis=0)
    return likelier(fitted + R, fitted - R)


def undo_hybrid(method, X, Z, seed):
    """alpha R + b E with R'E = 0, |E| = |R|, and E + c R along the known noise: a triangle, solved."""
    M, V = residuals(X, RStream(seed).rnorm_matrix(*Z.shape)), residuals(X, Z)
    a, b = method.alpha, (1 - method.alpha if method.kind == "linear" else np.sqrt(1 - method.alpha**2))
    r = np.linalg.norm(V) / np.hypot(a, b)
    v = V / np.linalg.norm(V)
    w = M - v * (v.T @ M)
    w /= np.linalg.norm(w)
    cos = a / np.hypot(a, b)
    return likelier(*((Z - V) + r * (cos * v + sign * np.sqrt(1 - cos**2) * w) for sign in (1, -1)))


def undo_draw(method, X, Z, seed):
    """Donors come from X and the stream; two records of one donor give its slope, and so the donor's own value."""
    stream, n = RStream(seed), len(Z)
    A = X
    if method.basis == "rbf":
        sample = Sample.of(X, X[:, :0], Local())
        A = radial_basis_of("FCRM", sample, stream).columns(X)
    for _ in range(Z.shape[1]):
        stream.runif(n * method.c)
    donor = donors_near("FCRM", X, method.donors, stream)
    Y = np.full_like(Z, np.nan)
    if method.c == 1:  # one slope for all
        pairs = [(i, np.flatnonzero(donor == d)[0]) for i, d in enumerate(donor)]
        D = np.array([A[i] - A[j] for i, j in pairs]), np.array([Z[i] - Z[j] for i, j in pairs])
        slope = np.linalg.lstsq(*D, rcond=None)[0]
        Y[donor] = Z - (A - A[donor]) @ slope
        return Y
    for d in np.unique(donor):
        users = np.flatnonzero(donor == d)
        same = users[(X[users] == X[d]).all(axis=1)]
        if len(same):
            Y[d] = Z[same[0]]  # the donor's value whole
        elif len(users) > A.shape[1] and np.linalg.matrix_rank(A[users] - A[users[0]]) == A.shape[1]:
            slope = np.linalg.lstsq(A[users] - A[users[0]], Z[users] - Z[users[0]], rcond=None)[0]
            Y[d] = Z[users[0]] - (A[users[0]] - A[d]) @ slope
    return Y


def undo_sequential(method, X, Z, seed):
    Y, n = np.full_like(Z, np.nan), len(Z)
    Y[np.floor(RStream(seed).runif(n) * n).astype(int), 0] = Z[:, 0]
    return Y


def undo_calibrated(method, X, Z, seed):
    inner = method.method
    if isinstance(inner, pf.RankSwapping):
        return undo_by_running_again(inner, X, Z, seed)
    if isinstance(inner, pf.EGADP):
        return undo_exact_noise(inner, X, Z, seed)
    # Y + noise with the residuals scaled back: residuals (R + d M) g with |R| the release's own
    E, M = residuals(X, Z), residuals(X, RStream(seed).rnorm_matrix(*Z.shape))
    size, R = np.linalg.norm(E), E
    for _ in range(500):
        d = inner.amount / 100 * ((Z - E) + R).std(ddof=1)
        R = E * (np.linalg.norm(R + d * M) / size) - d * M
        R *= size / np.linalg.norm(R)
    return (Z - E) + R


ATTACKS = {
    "fcrm": undo_draw,
    "ipso": undo_exact_noise,
    "egadp": undo_exact_noise,
    "noise": undo_noise,
    "rankswapping": undo_by_running_again,
    "permutation": undo_permutation,
    "hybrid": undo_hybrid,
    "sequential": undo_sequential,
    "calibrated": undo_calibrated,
}
