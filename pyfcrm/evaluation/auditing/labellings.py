"""Labels of the members of a file under permutation, by which a statistic of members is compared with chance."""

import numpy as np

from ...rstream import RStream
from ...types import Mask


def labellings(member: Mask, k: int, stream: RStream) -> Mask:
    """(1 + k, n): the labels as they are, then k permutations of them. Draws: k times n uniforms, whose ranks permute."""
    labels = [member]
    for _ in range(k):
        order = np.argsort(stream.runif(len(member)))
        labels.append(member[order])
    return np.array(labels)
