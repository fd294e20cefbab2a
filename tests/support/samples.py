"""The same records as methods that sum see them: in memory, on disk, on workers."""

import numpy as np

from pyfcrm.data.blocks import Sample, pieces
from pyfcrm.data.records import Records
from pyfcrm.engine import Local
from pyfcrm.methods.method import Run


def on_disk(X, Y, engine=None):
    """Records that nothing may be kept of."""
    rows = Records.empty(len(X), X.shape[1] + Y.shape[1], on_disk=True)
    rows.A[:] = np.hstack([X, Y])
    engine = engine or Local(2)
    return Sample(engine, pieces(rows, engine), rows, X.shape[1], Y.shape[1])


def released(method, sample, stream):
    """What a method releases of a sample, and its notes."""
    notes = []
    result = method.fit(sample, stream, Run(notes.append))
    return np.vstack(list(result.blocks(pieces(sample.rows, Local())))), notes
