"""Small files for the tests of work in blocks."""

from itertools import pairwise

import numpy as np
import pandas as pd

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.data.blocks import Records, Sample, pieces
from pyfcrm.engine import Local, one_blas_thread
from pyfcrm.methods.work import Run

INDEPENDENT = ["AFNLWGT", "AGI"]
DEPENDENT = ["FEDTAX", "STATETAX", "TAXINC"]
ROLES = pf.Roles(independent=INDEPENDENT, dependent=DEPENDENT, identifiers=["id"])


def simulated(n, floats=True):
    """n records of the simulated Census file, with an identifier and a column of words."""
    frame = pf.datasets.census_like(n=n, seed=1)[INDEPENDENT + DEPENDENT]
    frame = frame.astype("float64") if floats else frame
    frame["id"] = np.arange(n)
    frame["region"] = pd.Categorical(np.where(np.arange(n) % 3 == 0, "north", "south"))
    return frame


def in_folder(frame, folder, files=3):
    """The frame as Parquet files of unequal length in a folder."""
    folder.mkdir()
    cuts = [0, *(len(frame) * (k * k) // (files * files) for k in range(1, files + 1))]
    for k, (start, stop) in enumerate(pairwise(cuts)):
        frame.iloc[start:stop].to_parquet(folder / f"part-{k}.parquet", row_group_size=1000, index=False)
    return folder


def furthest(a, b, columns):
    """The largest difference of two frames, in sd of the second's columns."""
    return max(float(np.abs(a[c].to_numpy() - b[c].to_numpy()).max() / b[c].std()) for c in columns)


def by_blocks(path):
    """A Parquet file or folder opened to be read some records at a time, as one that is too large for memory is."""
    return open_data("protect", path, whole=False)


def protect_arrays(method, X, Y, stream, note, engine, *, on_disk=False):
    """What method.protect(X, Y, stream, note) gives, by sums over blocks on any engine."""
    rows = Records.empty(len(X), X.shape[1] + Y.shape[1], on_disk=on_disk)
    rows.A[:] = np.hstack([X, Y])
    with one_blas_thread():
        sample = Sample(engine, pieces(rows, engine), rows, X.shape[1], Y.shape[1])
        released = method.numbers().of_sample(sample, Run(stream, note))
        return np.vstack(list(released.blocks(pieces(rows, Local()))))
