"""Attributes of numbers, for measures of keys and targets."""

import numpy as np

from pyfcrm.data.attributes import Attribute
from pyfcrm.data.codes import MISSING


def jointly_coded(name, x, z):
    """An attribute of numbers (n,) and (N,), NaN for missing."""
    _, codes = np.unique(np.concatenate([x, z]), return_inverse=True)
    codes = np.where(np.isnan(np.concatenate([x, z])), MISSING, codes.reshape(-1)).astype(np.int64)
    return Attribute(name, codes[: len(x)], codes[len(x) :], (x, z))
