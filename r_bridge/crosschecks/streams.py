"""R's random streams: the same seed, the same numbers, and the stream left at the same place."""

from __future__ import annotations

from pyfcrm.rstream import RStream

from ..session import session
from .case import SAME_BITS, Case, Line, Results
from .ground import Ground

# What is drawn, as RStream's verb with its arguments and as R's.
DRAWS = {
    "runif(1000)": ("runif", (1000,), "runif", (1000,)),
    "rnorm(1000)": ("rnorm", (1000,), "rnorm", (1000,)),
    "sample(500)": ("sample", (500,), "sample", (500,)),
    "sample.int(1e6, 100), without replacement": ("sample_int", (10**6, 100), "sample.int", (10**6, 100)),
    "sample.int(6, 1000), with replacement": ("sample_int", (6, 1000, True), "sample.int", (6, 1000, True)),
    "sample.int(1e9, 100), by R's hashing": ("sample_int", (10**9, 100), "sample.int", (10**9, 100)),
}
LAST = ".Random.seed, after all of these in turn"


def _python(ground: Ground) -> Results:
    drawn = {name: getattr(RStream(ground.seed), verb)(*given) for name, (verb, given, _, _) in DRAWS.items()}
    stream = RStream(ground.seed)
    in_turn = {f"{name}, in turn": getattr(stream, verb)(*given) for name, (verb, given, _, _) in DRAWS.items()}
    return drawn | in_turn | {LAST: stream.to_r_state(), "set.seed": RStream(ground.seed).to_r_state()}


def _r(ground: Ground) -> Results:
    drawn = {n: session().call(f, given, stream=ground.seed).value for n, (_, _, f, given) in DRAWS.items()}
    stream: RStream | int = ground.seed
    in_turn = {}
    for name, (_, _, function, given) in DRAWS.items():
        reply = session().call(function, given, stream=stream)
        in_turn[f"{name}, in turn"] = reply.value
        stream = reply.stream if reply.stream is not None else stream
    started = session().call("invisible", stream=ground.seed).stream
    assert started is not None
    assert isinstance(stream, RStream)
    return drawn | in_turn | {LAST: stream.to_r_state(), "set.seed": started.to_r_state()}


NAMES = ("set.seed", *DRAWS, *(f"{name}, in turn" for name in list(DRAWS)[1:]), LAST)
CASES = (Case("streams", _python, _r, tuple(Line(name, 0.0, SAME_BITS) for name in NAMES)),)
