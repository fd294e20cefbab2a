"""protect_file(): a file in, its release out, in any format, with a private record of how it was made if one is requested."""

from dataclasses import replace
from typing import Any, Unpack, cast

from ..arguments import flag
from ..data import Frame, Roles, open_data
from ..engine import Engine, Local
from ..errors import one_line
from ..files import check_output
from ..files.manifest import releasing
from ..files.paths import Path, check_new, copy_paths, path_text
from ..methods import Procedure
from ..plans.plan import Input, Keep, Output, Plan, Random
from ..plans.tables import NONE
from ..progress import Progress
from ..rstream import RStream
from .protect import Protected, run_request
from .request import (
    Destination,
    ProtectOptions,
    ProtectRequest,
    default_bounds,
    protect_request,
    require_output,
)

WARNING = "internal: with the seed, a release can be compared with guesses at the original; do not publish"


def protect_file(
    source: Path | Frame,
    output: Path,
    method: Procedure,
    roles: Roles | None = None,
    seed: int | RStream | None = None,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    disarm: bool = False,
    overwrite: bool = False,
    manifest: Path | None = None,
    ledger: Path | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
    **options: Unpack[ProtectOptions],
) -> Protected:
    """Protect a CSV, Excel, Parquet, SPSS, Stata or SAS file, and write its release.

    The output appears complete or not at all, and never replaces the source.

    Parameters
    ----------
    source : path
        The file; or one that data.open_data has opened. Parquet files larger than memory are read and written by
        blocks of records, with a note.
    output : path
        Its extension decides the format. Several copies of "out.csv" are out-1.csv, out-2.csv and so on. Unprotected
        cells and labels are unchanged.
    method, roles, seed : as in `protect`
        See there.
    separator, decimal : str, optional
        Of a CSV file, found if not given.
    disarm : bool
        In CSV, text that a spreadsheet would run as a formula gets an apostrophe in front.
    overwrite : bool
        Whether an output that exists is replaced.
    manifest : path, optional
        The path of a private record, with which `verify` repeats the release. It is written last, with the release's
        digest.
    ledger, engine, progress : as in `protect`
        See there.
    missing, round_integers, strata, structure, weights, preserve, bounds, decimals : as in `protect`
        See there.
    constraints, copies, strict_totals, allow_unprotected : as in `protect`
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

    Examples
    --------
    >>> from pathlib import Path
    >>> import pyfcrm as pf
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> frame = pf.datasets.example()
    >>> frame.to_csv(folder / "in.csv", index=False)
    >>> first, second = frame.columns
    >>> released = pf.protect_file(folder / "in.csv", folder / "out.csv", pf.Dummy(), pf.Roles(first, second))
    >>> (folder / "out.csv").exists()
    True
    """
    request = protect_request(method, roles, seed, progress, **options)
    to = Destination(
        outputs=copy_paths(output, request.copies),
        overwrite=flag("protect_file", "overwrite", overwrite),
        disarm=flag("protect_file", "disarm", disarm),
        ledger=ledger,
    )
    require_output(source, to)
    if manifest is not None:
        others = [source.path if isinstance(source, Frame) else source, *to.outputs]
        check_new(check_output(manifest, others), to.overwrite)
    frame = open_data("protect", source, None, separator, decimal)
    path = cast(str, frame.path)
    with releasing(output, manifest, path, overwrite=to.overwrite, copies=request.copies, before=frame.stamp) as (
        files,
        contents,
    ):
        released = run_request(frame, request, engine, replace(to, outputs=tuple(files), overwrite=True))
        plan = Plan(
            input=Input(file=one_line(path), separator=separator, decimal=decimal),
            roles=released.roles,
            method=method,
            keep=_keep(request),
            output=Output(release=one_line(path_text("output", output)), disarm=to.disarm, copies=request.copies),
        )
        contents |= manifest_contents(plan, released, frame.source is not None, engine)
    if released.registration is not None:
        released.registration.record()
    return released


def _keep(request: ProtectRequest) -> Keep:
    """The options of a request that a plan has."""
    rules = {"strict_totals": request.strict_totals, "allow_unprotected": request.allow_unprotected}
    options = {
        name: value for name, value in (request.options() | rules).items() if value and name in Keep.model_fields
    }
    if request.bounds is None and default_bounds(request.method, request.roles) is not None:
        options["bounds"] = NONE
    if request.decimals is None and request.facts.privacy is None:
        options["decimals"] = NONE
    return Keep(**{name: list(value) if isinstance(value, tuple) else value for name, value in options.items()})


def manifest_contents(
    plan: Plan, released: Protected, by_blocks: bool, engine: str | Engine = "local"
) -> dict[str, Any]:
    """The provenance record of a release, for its owner alone: the plan's tables and where the random numbers started.

    Digests, versions, platform and time are added with the files.
    """
    from .. import __version__

    return {
        "pyfcrm": __version__,
        **plan.model_copy(update={"random": Random.of(released.seed)}).tables(),
        "by_blocks": by_blocks,
        "threads": engine.most if isinstance(engine, Local) else Local().most,
        "notes": released.notes,
        **({} if released.registration is None else {"ledger": released.registration.facts()}),
        **(
            {"warning": WARNING}
            if released.privacy is None
            else {"privacy": vars(released.privacy), "guarantee": str(released.privacy)}
        ),
    }
