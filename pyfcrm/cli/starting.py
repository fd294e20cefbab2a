"""What a release on the command line starts from: a seed, the state that a manifest kept, or the system's entropy."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..errors import InvalidInput, InvalidParameter
from ..rstream import RStream, as_stream

RULE = "a manifest must be JSON with a state or a seed, as pyfcrm protect --manifest writes it"


def started(seed: int | None, manifest: str | None) -> int | RStream:
    """The integer given, or a stream: at the state that a manifest kept, or at a fresh one.

    Raises InvalidInput or InvalidParameter.
    """
    if manifest is None:
        return as_stream(None) if seed is None else seed
    if seed is not None:
        raise InvalidParameter("protect", "--state", "and --seed are two beginnings: give one", "both")
    return _kept(manifest)


def kept_state(start: int | RStream) -> list[int] | None:
    """For a manifest: the stream's state as R's .Random.seed, 626 integers; None of an integer, which says it all."""
    return [int(word) for word in start.to_r_state()] if isinstance(start, RStream) else None


def _kept(manifest: str) -> int | RStream:
    try:
        with open(manifest, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise InvalidInput(manifest, "the manifest could not be read", error.strerror) from error
    except ValueError as error:
        raise InvalidInput(manifest, RULE) from error
    facts = found if isinstance(found, Mapping) else {}
    if facts.get("state") is not None:
        return RStream.from_r_state(facts["state"])
    seed = facts.get("seed")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InvalidInput(manifest, RULE)
    return seed
