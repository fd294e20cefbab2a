"""protect_file(): a file in, its release out, in any format."""

from __future__ import annotations

from typing import Any, cast

from ..arguments import flag
from ..data import Frame, Roles
from ..engine import Engine
from ..files.paths import Path
from ..methods import Method
from ..progress import Progress
from ..rstream import RStream
from .destination import Destination
from .protect import Protected, run_request
from .request import protect_request


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
    weights: str | None = None,
    preserve: Any = None,
    copies: int = 1,
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
    method : Method
        As in `protect`.
    roles : Roles
        As in `protect`.
    seed : int or RStream, optional
        As in `protect`.
    constraints : str or iterable of str, optional
        As in `protect`.
    missing : {"refuse", "complete"}
        As in `protect`.
    strata : str or iterable of str, optional
        As in `protect`.
    structure : Structure or "find", optional
        As in `protect`.
    separator, decimal : str, optional
        Of a CSV file, found if not given.
    disarm : bool
        In CSV, text that a spreadsheet would run as a formula gets an apostrophe in front.
    overwrite : bool
        Whether an output that exists is replaced.
    strict_totals : bool
        As in `protect`.
    weights : str, optional
        As in `protect`.
    preserve : str or iterable of str, optional
        As in `protect`.
    copies : int
        As in `protect`.
    engine : str or Engine
        As in `protect`.
    progress : callable, optional
        As in `protect`.

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
    replace_it = flag("protect_file", "overwrite", overwrite)
    files = output if isinstance(output, tuple) else ()
    first = files[0] if files else output
    to = Destination(
        output=cast(Path, first),
        overwrite=replace_it,
        disarm=flag("protect_file", "disarm", disarm),
        pending=files,
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
        weights=weights,
        preserve=preserve,
        copies=copies,
    )
    return run_request(source, asked, engine, to, separator=separator, decimal=decimal)
