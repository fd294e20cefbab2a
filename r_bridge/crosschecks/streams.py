"""R's random streams: the same seed, the same numbers, and the stream left at the same place."""

from __future__ import annotations

from pyfcrm.rstream import RStream

from ..to_r.session import session
from .case import SAME_BITS, Case, Line, Problem, Results, other_seed

# What is drawn in turn, as RStream's verb with its arguments; R's has a point for the underscore.
DRAWS: dict[str, tuple[str, tuple[int | bool, ...]]] = {
    "runif(1000)": ("runif", (1000,)),
    "rnorm(1000)": ("rnorm", (1000,)),
    "sample(500)": ("sample", (500,)),
    "sample.int(1e6, 100), without replacement": ("sample_int", (10**6, 100)),
    "sample.int(6, 1000), with replacement": ("sample_int", (6, 1000, True)),
    "sample.int(1e9, 100), by R's hashing": ("sample_int", (10**9, 100)),
}
OTHER, TAKEN = "rnorm(1000), another seed", "runif(1000), from the .Random.seed that R's set.seed left"
LAST = ".Random.seed, after all of these in turn"


def _python(ground: Problem) -> Results:
    stream = RStream(ground.seed)
    drawn = {name: getattr(stream, verb)(*arguments) for name, (verb, arguments) in DRAWS.items()}
    state = session().call("get", {"x": ".Random.seed"}, stream=ground.seed).value
    more = {LAST: stream.to_r_state(), "set.seed": RStream(ground.seed).to_r_state()}
    other = RStream(other_seed(ground.seed, 1)).rnorm(1000)
    return drawn | more | {OTHER: other, TAKEN: RStream.from_r_state(state).runif(1000)}


def _r(ground: Problem) -> Results:
    stream: RStream | int = ground.seed
    drawn = {}
    for name, (verb, arguments) in DRAWS.items():
        reply = session().call(verb.replace("_", "."), arguments, stream=stream)
        assert reply.stream is not None
        drawn[name], stream = reply.value, reply.stream
    state = session().call("get", {"x": ".Random.seed"}, stream=ground.seed).value
    assert isinstance(stream, RStream)
    other = session().call("rnorm", (1000,), stream=other_seed(ground.seed, 1)).value
    return drawn | {LAST: stream.to_r_state(), "set.seed": state, OTHER: other, TAKEN: drawn["runif(1000)"]}


NAMES = ("set.seed", *DRAWS, LAST, OTHER, TAKEN)
CASES = (Case("streams", _python, _r, tuple(Line(name, 0.0, SAME_BITS) for name in NAMES)),)
