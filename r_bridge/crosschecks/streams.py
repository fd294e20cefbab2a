"""R's random streams: the same numbers from the same seed, and the same state afterwards."""

from typing import Any

from pyfcrm.rstream import RStream

from ..to_r.session import session
from .case import SAME_BITS, Case, Line, Problem, Results, other_seed

# Draws in this order: RStream's method with its arguments. R's function has a point in place of the underscore.
DRAWS: dict[str, tuple[str, tuple[int | bool, ...]]] = {
    "runif(1000)": ("runif", (1000,)),
    "rnorm(1000)": ("rnorm", (1000,)),
    "sample(500)": ("sample", (500,)),
    "sample.int(1e6, 100), without replacement": ("sample_int", (10**6, 100)),
    "sample.int(6, 1000), with replacement": ("sample_int", (6, 1000, True)),
    "sample.int(1e9, 100), by R's hashing": ("sample_int", (10**9, 100)),
}
OTHER = "rnorm(1000), another seed"
CONTINUED = "runif(1000), from the .Random.seed that R's set.seed left"
LAST = ".Random.seed, after all of these in turn"


def _python(problem: Problem) -> Results:
    """Python's draws and states by line."""
    stream = RStream(problem.seed)
    drawn = {name: getattr(stream, method)(*arguments) for name, (method, arguments) in DRAWS.items()}
    continued = RStream.from_r_state(_r_state(problem)).runif(1000)
    states = {LAST: stream.to_r_state(), "set.seed": RStream(problem.seed).to_r_state()}
    return drawn | states | {OTHER: RStream(other_seed(problem.seed, 1)).rnorm(1000), CONTINUED: continued}


def _r_state(problem: Problem) -> Any:
    """R's .Random.seed after set.seed."""
    return session().call("get", {"x": ".Random.seed"}, stream=problem.seed).value


def _r(problem: Problem) -> Results:
    """R's draws and states by line. What CONTINUED compares are R's first draws, which come from that state."""
    stream: RStream | int | None = problem.seed
    drawn = {}
    for name, (method, arguments) in DRAWS.items():
        reply = session().call(method.replace("_", "."), arguments, stream=stream)
        drawn[name] = reply.value
        stream = reply.stream
    assert isinstance(stream, RStream)
    other = session().call("rnorm", (1000,), stream=other_seed(problem.seed, 1)).value
    states = {LAST: stream.to_r_state(), "set.seed": _r_state(problem)}
    return drawn | states | {OTHER: other, CONTINUED: drawn["runif(1000)"]}


NAMES = ("set.seed", *DRAWS, LAST, OTHER, CONTINUED)
CASES = (Case("streams", _python, _r, tuple(Line(name, 0.0, SAME_BITS) for name in NAMES)),)
