"""protect_file(): a file in, its release out, in any format."""

from __future__ import annotations

from typing import Any

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
    output: Path,
    method: Method,
    roles: Roles,
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    missing: str = "refuse",
    strata: Any = None,
    separator: str | None = None,
    decimal: str | None = None,
    disarm: bool = False,
    overwrite: bool = False,
    strict_totals: bool = False,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Protected:
    """Protect a CSV, Parquet, SPSS, Stata or SAS file, and write its release.

    source, output : paths, of which the output's extension says its format; source may also be a file that
    data.source.open_data has opened. Cells that are not protected leave as they came, and
    labels with them; separator, decimal : of a CSV file, found if not given; disarm : in CSV, text that a
    spreadsheet would run as a formula gets an apostrophe in front; overwrite : whether an output that exists is
    replaced; the rest as in protect(). A Parquet file, or a folder of them, that is too large for memory is read and
    written by blocks of records, and the notes say so.
    The output appears whole or not at all, and never replaces the source.
    Raises InvalidInput or InvalidParameter. Returns Protected, whose notes are also the reader's and the writer's, and whose
    `frame` is the release where it was in memory.
    """
    replace_it = flag("protect_file", "overwrite", overwrite)
    to = Destination(output=output, overwrite=replace_it, disarm=flag("protect_file", "disarm", disarm))
    asked = protect_request(
        method,
        roles,
        seed,
        progress,
        constraints=constraints,
        missing=missing,
        strata=strata,
        round_integers=True,
        strict_totals=strict_totals,
    )
    return run_request(source, asked, engine, to, separator=separator, decimal=decimal)
