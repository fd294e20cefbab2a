"""What the manifest of a release says, besides digests, versions, platform and time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..data.structure import Structure
from ..errors import one_line
from ..methods.text import in_table
from ..protection.protect import Protected
from ..rstream import RStream

WARNING = "internal: with the seed, a release can be compared with guesses at the original; do not publish"


def record(released: Protected, source: str, output: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """How a release was made, for its owner alone, so that `trust.again` makes it again.

    options : constraints as text, missing, strata, structure, disarm, separator, decimal, by_blocks and threads.
    """
    from .. import __version__

    start, method = released.seed, released.method
    structure = options.get("structure")
    if isinstance(structure, Structure):
        structure = structure.rows()
    return {
        "pyfcrm": __version__,
        "seed": None if isinstance(start, RStream) else start,
        "method": type(method).__name__,
        "parameters": {name: in_table(value) for name, value in method.parameters().items()},
        "roles": asdict(released.roles),
        **options,
        "structure": structure,
        "input": one_line(source),
        "output": one_line(output),
        "notes": released.notes,
        "warning": WARNING,
        # last, being long: R's .Random.seed; None of an integer, which says it all
        "state": [int(word) for word in start.to_r_state()] if isinstance(start, RStream) else None,
    }
