"""The inference baseline: what X tells anyone of a record's Y, as a draw from a model that leaves the record out.

Two yardsticks stand beside each risk. `excess` is the value less chance, what pairing at random gives; `leak` is the value
less the inference baseline, the same measure of draws that have not seen the record. Say 1000 records are released:

    measure  part                value  baseline  excess
    dbrl     total                 5.0       0.1     4.9      of 1000 records 50 are linked; by chance it is one
    dbrl     inference baseline    4.2       0.1     4.1      of draws from what X tells, 42 are

    leak("dbrl") = 5.0 - 4.2 = 4.9 - 4.1 = 0.8

So of the 4.9 points above chance, 4.1 are what anyone learns who knows X and how Y goes with it, whether or not the person
is in the file: only a file that drops that relation would take them away. 0.8 is what the release tells beyond, of these
very records. A leak below 0 says that X alone tells more than the release does: it has no leak of its own, and is no gain
to be summed with others. Draws vary: differences of the size of their spread are nothing.
"""

from __future__ import annotations

import numpy as np

from ..engine import Engine
from ..methods.donors import donors_near
from ..numerics.design import design, projection
from ..rstream import RStream
from ..types import Array

NEIGHBOURS = 20
ALONE = 1e-9  # 1 - leverage below which a record's place in X is its own: the others say nothing there


def inference_baseline(X: Array, Y: Array, stream: RStream, engine: Engine | None = None) -> Array:
    """A draw Y* for each record from a model of Y given X that has not seen the record's Y.

    X : (n, s) independent attributes, s may be 0; Y : (n, t) dependent ones; stream : where randomness comes from;
    engine : of this machine, for threads.
    Y*_i = y_d + (x_i - x_d)'b_(-i): a donor d, another record among the 20 nearest in standardised X, gives all its
    dependent values at once, moved to x_i along the regression on (1, X) fitted without record i (by leverage, in
    closed form). Changing y_i changes no value of Y*_i. The line carries what is linear in X, the donor what is local
    and the joint shape of the residuals, so no family of methods is the yardstick of itself. Where x_i alone spans
    a direction, the others say nothing of its slope and the donor's values stay as they are; with no X the draw is any
    other record's Y. A column of Y that holds whole numbers only has them in the draw too, as a release would.
    Draws: n uniforms. Returns (n, t). Errors: InvalidInput with a single record. Source: own.
    """
    donor = donors_near("inference_baseline", X, NEIGHBOURS, stream, engine)
    center = Y.mean(axis=0)
    centred = Y - center
    D = design(X)
    Q, fitted = D.columns, projection(D, centred)
    leverage = np.einsum("ij,ij->i", Q, Q)
    others = 1.0 - leverage
    alone = others < ALONE
    # (x_i - x_d)'b less the record's own pull on b, which is (x_i - x_d)'(A'A)^- x_i e_i / (1 - h_i).
    own = (centred - fitted) / np.where(alone, 1.0, others)[:, None]
    pull = leverage - np.einsum("ij,ij->i", Q, Q[donor])
    moved = fitted - fitted[donor] - pull[:, None] * own
    draw = center + centred[donor] + np.where(alone[:, None], 0.0, moved)
    whole = (np.rint(Y) == Y).all(axis=0)
    return np.where(whole, np.rint(draw), draw)
