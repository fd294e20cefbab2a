"""What R's generator takes: seeds, states, counts and what is sampled from; each refused in one sentence."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import whole_number
from ..errors import InvalidParameter
from ..types import Integers

R_KIND = 10403  # R's code for Mersenne-Twister, Inversion, Rejection
R_INTEGER = 2**31 - 1
STATE_WORDS = 624
R_SAMPLE_MOST = 4_500_000_000_000_000  # sample.int's own limit


def count(verb: str, name: str, value: object) -> int:
    """How many draws, as a whole number of at least 0."""
    return whole_number(f"RStream.{verb}", name, value, low=0, limit=R_SAMPLE_MOST)


def valid_seed(seed: object) -> int:
    """A whole number that set.seed takes."""
    number = whole_number("RStream", "seed", seed, limit=math.inf)
    if abs(number) > R_INTEGER:
        rule = "must be one of R's integers, from -2147483647 to 2147483647 (-2147483648 is R's NA)"
        raise InvalidParameter("RStream", "seed", rule, seed)
    return number


def valid_state(state: object) -> Integers:
    """R's .Random.seed as (626,) int64."""
    owner = "RStream.from_r_state"
    try:
        given = np.asarray(state)
    except ValueError:  # lists of unequal lengths
        given = np.empty(0)
    if given.ndim != 1 or given.size < 1 or given.dtype.kind not in "iuf":
        raise InvalidParameter(owner, "state", "must be R's .Random.seed, 626 whole numbers", type(state).__name__)
    if given[0] != R_KIND:
        rule = 'must start with 10403; in R call RNGkind("Mersenne-Twister", "Inversion", "Rejection") first'
        raise InvalidParameter(owner, "state", rule, given[0].item())
    if given.size != 2 + STATE_WORDS:
        raise InvalidParameter(owner, "state", "must be 626 whole numbers long", given.size)
    # -2147483648 is a word like any other here, though R prints it as NA
    bad = ~((given >= -R_INTEGER - 1) & (given <= R_INTEGER) & (np.trunc(given) == given))
    if bad.any():
        rule = "must hold whole numbers from -2147483648 to 2147483647"
        raise InvalidParameter(owner, "state", rule, given[bad][0].item())
    if not 1 <= given[1] <= STATE_WORDS:
        rule = "must have a position from 1 to 624 as its second number"
        raise InvalidParameter(owner, "state", rule, given[1].item())
    if not given[2:].any():
        raise InvalidParameter(owner, "state", "must not be all zeros after the second number", 0)
    return given.astype(np.int64)


def sampled_from(x: object) -> NDArray[Any]:
    """The elements of a sequence, each as it is."""
    if isinstance(x, str):
        x = [x]  # R's single names are strings
    if isinstance(x, list | tuple) and not any(all(isinstance(e, kind) for e in x) for kind in (numbers.Real, str)):
        elements = np.empty(len(x), dtype=object)  # so that numpy does not turn [1, "a"] into strings
        for i, element in enumerate(x):
            elements[i] = element
        return elements
    elements = np.asarray(x)
    if elements.ndim != 1:
        rule = "must be a whole number, or a sequence with one dimension"
        raise InvalidParameter("RStream.sample", "x", rule, type(x).__name__)
    return elements
