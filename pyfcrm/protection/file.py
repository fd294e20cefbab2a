"""protect_file(): a file in, its release out, in any format, with a private record of how it was made where one is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, cast

from ..arguments import flag
from ..data import Frame, Roles
from ..data.source import is_open, open_data
from ..data.structure import Structure
from ..engine import Engine, Local
from ..errors import one_line
from ..files import check_output
from ..files.manifest import releasing
from ..files.paths import Path, check_new, path_text
from ..methods import Method
from ..methods.text import in_table
from ..progress import Progress
from ..rstream import RStream
from .destination import Destination, require_format, require_output
from .protect import Protected, run_request
from .request import ProtectRequest, protect_request

WARNING = "internal: with the seed, a release can be compared with guesses at the original; do not publish"


def protect_file(
    source: Path | Frame,
    output: Path | tuple[Path, ...],
    method: Method,
    roles: Roles,
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    missing: str = "refuse",
    strata: Any = None,
    structure: Any = None,
    separator: str | None = None,
    decimal: str | None = None,
    disarm: bool = False,
    overwrite: bool = False,
    strict_totals: bool = False,
    allow_unprotected: bool = False,
    weights: str | None = None,
    preserve: Any = None,
    copies: int = 1,
    manifest: Path | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Protected:
    """Protect a CSV, Excel, Parquet, SPSS, Stata or SAS file, and write its release.

    The output appears whole or not at all, and never replaces the source.

    Parameters
    ----------
    source : path
        The file; or one that data.source.open_data has opened. A Parquet file, or a folder of them, that is too large
        for memory is read and written by blocks of records, and the notes say so.
    output : path
        Its extension says its format; of several copies, the files are out-1.csv, out-2.csv and so on for "out.csv", and a
        tuple of pending files, one a copy, is taken as they are. Cells that are not protected leave as they came, and labels with them.
    method, roles, seed, constraints, missing, strata, structure : as in `protect`
        See there.
    separator, decimal : str, optional
        Of a CSV file, found if not given.
    disarm : bool
        In CSV, text that a spreadsheet would run as a formula gets an apostrophe in front.
    overwrite : bool
        Whether an output that exists is replaced.
    strict_totals, allow_unprotected, weights, preserve, copies : as in `protect`
        See there.
    manifest : path, optional
        Where the private record goes of how the release was made, with which `verify` makes it again: it is written
        last, with the release's digest.
    engine, progress : as in `protect`
        See there.

    Returns
    -------
    Protected
        Its notes are also the reader's and the writer's; its `frame` is the release where it was in memory.

    Raises
    ------
    InvalidInput
        If the file cannot be read or protected, or the output cannot be written.
    InvalidParameter
        If an argument breaks its rule.
    """
    to = Destination(
        output=output[0] if isinstance(output, tuple) else output,
        overwrite=flag("protect_file", "overwrite", overwrite),
        disarm=flag("protect_file", "disarm", disarm),
        pending=output if isinstance(output, tuple) else (),
    )
    asked = protect_request(
        method,
        roles,
        seed,
        progress,
        constraints=constraints,
        missing=missing,
        strata=strata,
        round_integers=True,
        structure=structure,
        strict_totals=strict_totals,
        allow_unprotected=allow_unprotected,
        weights=weights,
        preserve=preserve,
        copies=copies,
    )
    if to.pending:
        return run_request(source, asked, engine, to)
    require_output(source, to, asked.copies)
    text = constraints if constraints is None or isinstance(constraints, str) else "; ".join(constraints)
    options = {"constraints": text, "weights": weights, "preserve": preserve, "disarm": to.disarm}
    options |= {"separator": separator, "decimal": decimal}
    return _recorded(source, asked, engine, to, manifest, options)


def _recorded(
    source: Path | Frame,
    asked: ProtectRequest,
    engine: str | Engine,
    to: Destination,
    manifest: Path | None,
    options: dict[str, Any],
) -> Protected:
    """The release, and its manifest where one is asked for."""
    output, files = cast(Path, to.output), to.outputs(asked.copies)
    if manifest is not None:
        path = cast(Frame, source).path if is_open(source) else cast(Path, source)
        check_output(manifest, [path, *files], extensions=None)
        check_new(manifest, to.overwrite)
    door = open_data("protect", source, None, options["separator"], options["decimal"])
    require_format(door, output)
    given = cast(str, door.path)
    with releasing(output, manifest, given, to.overwrite, asked.copies, door.stamp) as release:
        pending = replace(to, output=release.outputs[0], pending=release.outputs, overwrite=True)
        made = run_request(door, asked, engine, pending)
        options |= {
            "missing": asked.missing,
            "allow_unprotected": asked.allow_unprotected,
            "strata": asked.strata or None,
            "structure": asked.structure,
            "by_blocks": door.source is not None,
            "threads": engine.most if isinstance(engine, Local) else Local().most,
            **({"copies": asked.copies} if asked.copies > 1 else {}),
        }
        release.describe(record(made, given, path_text("output", output), options))
    return made


def record(released: Protected, source: str, output: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """How a release was made, for its owner alone, so that `trust.again` makes it again.

    options : constraints as text, missing, allow_unprotected, strata, structure, disarm, separator, decimal, by_blocks and threads.
    """
    from .. import __version__

    start, method = released.seed, released.method
    structure = options.get("structure")
    if isinstance(structure, Structure):
        structure = structure.rows()
    return {
        "pyfcrm": __version__,
        "seed": None if isinstance(start, RStream) else start,
        "fresh": isinstance(start, RStream) and start.fresh,
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
