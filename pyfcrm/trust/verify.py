"""verify(): whether a release is the one that its manifest describes, and whether it is reproduced byte by byte."""

import math
import os
import platform
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..data import Frame, open_data
from ..data.check import is_numeric
from ..engine import Local
from ..errors import InvalidInput, shown
from ..files.manifest import compare_digest, digest, read_manifest, versions
from ..files.paths import Path, copy_paths, extension, path_text
from ..methods import External
from ..plans.file import run_protect_file
from ..plans.plan import Plan, options_of, to_plan
from ..plans.tables import EXTERNAL
from ..progress import Progress
from ..protection.ledger.registration import Registration
from ..protection.protect import Protected
from ..types import Rows
from .board.document import dossier_outcomes
from .provenance import prov_text

TO_ROUNDING = (
    "the release, reproduced from {source}, agrees to rounding, {largest:.2g} standard deviations at most: the processor or "
    "BLAS differs"
)
NO_START = "a manifest must be JSON with a state or a seed, as pyfcrm protect --manifest writes it"
BY_DESIGN = "the release cannot be regenerated, by design: the noise of its privacy guarantee is stored nowhere"
FROM_ELSEWHERE = "an external generator with its own random numbers made the release: it cannot be reproduced"
NO_ROWS = (
    "a manifest must hold the positions of the released records in the original as whole numbers, a text for each copy"
)
NOT_VERIFIED = "a record is made of a release that is verified: every check must hold"
REPRODUCED = "reproduced release"
KERNELS = ("processor", "blas")  # on which the last digits of sums depend
ROUNDING = 1e-6  # standard deviations; docs/matching.md has what was measured
OTHER_KERNEL = (
    "another processor or BLAS kernel can change this method's release. To reproduce its bytes, set the environment "
    "variables OPENBLAS_CORETYPE and NUMBA_CPU_NAME to the manifest's values, if this machine supports them"
)


@dataclass(frozen=True)
class Check:
    """One check."""

    what: str
    """Its subject."""
    holds: bool
    """Its outcome."""
    text: str
    """The outcome as a sentence."""


@dataclass(frozen=True, repr=False)
class Verification:
    """The result of verify(): `ok`, `to_frame()` with a row for each check, `str()` in sentences.

    Parameters
    ----------
    checks : tuple of Check
        The digest of the release; those of its dossier; with the original its digest too, and whether the reproduced release
        has the same bytes.
    surroundings : tuple of tuple
        Versions, platform and threads that have changed since the release: (what, then, now).
    remarks : tuple of str
        What cannot be checked.
    record : mapping
        The contents of the manifest: private.
    manifest : str
        The SHA-256 of the manifest.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pyfcrm as pf
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> frame = pf.datasets.example()
    >>> frame.to_csv(folder / "in.csv", index=False)
    >>> plan = folder / "plan.toml"
    >>> text = '[input]\\nfile = "in.csv"\\n[roles]\\nunknown = ["{}"]\\ndependent = ["{}"]\\n'.format(*frame)
    >>> text += '[method]\\nname = "topbottomcoding"\\ntop = 9\\n[output]\\nrelease = "out.csv"\\nmanifest = "private.json"'
    >>> _ = plan.write_text(text)
    >>> _ = pf.run(plan, despite_hold="an example", by="the documentation")
    >>> len(pf.verify(folder / "private.json", folder / "out.csv").to_frame())
    1
    """

    checks: tuple[Check, ...]
    surroundings: tuple[tuple[str, str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    manifest: str = ""

    @property
    def ok(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    def sentences(self) -> list[str]:
        """The outcome in words.

        Returns
        -------
        list of str
            A sentence for each check, and each change of version, platform or threads.
        """
        return [
            *(check.text for check in self.checks),
            *self.remarks,
            *(f"{what} was {then} at the time of the release, and is {now}" for what, then, now in self.surroundings),
        ]

    def to_frame(self) -> Any:
        """The checks as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row for each check: what, holds, text.
        """
        import pandas as pd

        return pd.DataFrame([vars(check) for check in self.checks])

    def to_prov(self) -> str:
        """The manifest as W3C PROV-JSON: original, release, method, software, time, and who is responsible.

        Files are named by their SHA-256, so that records of several releases join. Seed and paths are left out. It is internal, as
        the manifest: it has the digest of the original.

        Returns
        -------
        str
            A document of PROV-JSON.

        Raises
        ------
        InvalidInput
            If a check does not hold.
        """
        if not self.ok:
            raise InvalidInput("to_prov", NOT_VERIFIED)
        return prov_text(self.record, self.manifest)

    def __repr__(self) -> str:
        return "\n".join(self.sentences())


def verify(
    manifest: Path,
    release: Path,
    original: Path | None = None,
    *,
    dossier: Path | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Whether a release is the one that its manifest describes; with the original, whether it is reproduced.

    Parameters
    ----------
    manifest : path
        Written by `pyfcrm protect --manifest` or by a plan.
    release : path
        The released file, wherever it is now.
    original : path, optional
        The file that was protected. If it has the manifest's digest, it is protected again, as the manifest describes, in a
        private temporary folder.
        The two releases are compared byte by byte; if they differ, cell by cell.
    dossier : path, optional
        The page or the JSON document of the release's dossier, as `Dossier.write` makes both. Both must be as they were written, and
        of the same original and release as the manifest.
    progress : callable, optional
        As in `protect`.

    Returns
    -------
    Verification
        Its `ok` is True if every digest is the manifest's and the reproduced release has the same bytes. On another
        processor or BLAS kernel it must agree within 1e-6 standard deviations of each column.

    Raises
    ------
    InvalidInput
        If a file cannot be read, or the manifest is incomplete.
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
    >>> plan = folder / "plan.toml"
    >>> text = '[input]\\nfile = "in.csv"\\n[roles]\\nunknown = ["{}"]\\ndependent = ["{}"]\\n'.format(*frame)
    >>> text += '[method]\\nname = "topbottomcoding"\\ntop = 9\\n[output]\\nrelease = "out.csv"\\nmanifest = "private.json"'
    >>> _ = plan.write_text(text)
    >>> _ = pf.run(plan, despite_hold="an example", by="the documentation")
    >>> pf.verify(folder / "private.json", folder / "out.csv", folder / "in.csv").ok
    True
    """
    name, file = path_text("verify", manifest), path_text("verify", release)
    contents = read_manifest(name)
    remarks = (BY_DESIGN,) if "privacy" in contents else ()
    checks, changes = [Check("release", *compare_digest(contents, "release", file))], _changes(contents)
    if dossier is not None:
        checks += [Check(*outcome) for outcome in dossier_outcomes(dossier, file, contents)]
    if original is not None:
        source = path_text("verify", original)
        checks.append(Check("original", *compare_digest(contents, "original", source)))
        if checks[-1].holds and not remarks:
            other_kernel = any(what in KERNELS for what, *_ in changes)
            checks.append(_reproduce(name, contents, source, file, progress, other_kernel=other_kernel))
            remarks = () if checks[-1].holds or not other_kernel else (OTHER_KERNEL,)
    return Verification(tuple(checks), changes, remarks, contents, digest(name))


def _reproduce(
    manifest: str,
    contents: Mapping[str, Any],
    original: str,
    release: str,
    progress: Progress | None,
    *,
    other_kernel: bool,
) -> Check:
    """Protect the original again, and compare the releases: to rounding where the processor or BLAS differs."""
    plan, known, now = plan_of(manifest, contents), contents["sha256"]["output"], digest(release)
    if plan.method.makes_new_file():
        raise InvalidInput(manifest, FROM_ELSEWHERE)
    text, in_memory = f"the release, reproduced from {original}, ", not contents.get("by_blocks")
    frame = open_data("verify", original, in_memory, plan.input.reading)
    with tempfile.TemporaryDirectory(prefix="pyfcrm-verify-") as folder:
        target = os.path.join(folder, f"release.{extension(plan.output.release) or extension(release)}")
        run_protect_file(
            frame,
            target,
            plan.method,
            plan.roles,
            plan.random.start,
            options=options_of(plan),
            disarm=plan.output.disarm,
            progress=progress,
        )
        output = str(copy_paths(target, len(known))[known.index(now) if now in known else 0])
        if digest(output) == now:
            return Check(REPRODUCED, True, f"{text}has the same bytes")
        text = f"{text}does not have the same bytes"
        try:
            columns = differing_columns(output, release)
        except InvalidInput as error:  # the file may be no table at all
            return Check(REPRODUCED, False, f"{text}, and they cannot be compared: {error.rule}")
    largest, named = max(columns.values(), default=0.0), ", ".join(f"`{name}`" for name in columns)
    if other_kernel and 0 < largest <= ROUNDING:
        return Check(REPRODUCED, True, TO_ROUNDING.format(source=original, largest=largest))
    size = f", by {largest:.6g} standard deviations at most" if np.isfinite(largest) else ""  # text has none
    difference = f"{named or 'no column'} differs{size}"
    return Check(REPRODUCED, False, f"{text}: {difference}")


def plan_of(manifest: str, contents: Mapping[str, Any]) -> Plan:
    """The plan in a manifest. Raises InvalidInput where it is none, or names no random numbers."""
    tables = {name: contents[name] for name in (*Plan.model_fields, "step") if name in contents}
    method = tables.get("method")
    if isinstance(method, Mapping) and method.get("name") == EXTERNAL:  # a manifest runs no command
        name = str(method.get("generator"))
        tables["method"] = External([name], name=name)
    plan = to_plan(manifest, tables)
    if plan.random.start is None and plan.method.facts(plan.roles).privacy is None:
        raise InvalidInput(manifest, NO_START)
    digests = contents["sha256"]["output"]
    if len(digests) != plan.output.copies:
        rule = "a manifest must hold the SHA-256 of each copy"
        raise InvalidInput(manifest, rule, f"{len(digests)} of {shown(plan.output.copies)}")
    return plan


def recorded_release(manifest: str, releases: Sequence[Path], original: str | None = None) -> Protected:
    """A release as its manifest describes it: roles, method, seed and options; its values are in its files.

    releases : the path of each copy. Raises InvalidInput where the manifest is of another release or original.
    """
    paths = [path_text("release", path) for path in releases]
    contents = read_manifest(manifest)
    for what, path in [*(("release", path) for path in paths), ("original", original)]:
        holds, text = (True, "") if path is None else compare_digest(contents, what, path)
        if not holds:
            raise InvalidInput(manifest, text)
    plan = plan_of(manifest, contents)
    return Protected(
        frame=None,
        all_notes=contents.get("all_notes") or [],
        method=plan.method,
        roles=plan.roles,
        seed=plan.random.start,
        path=paths[0],
        more=tuple(paths[1:]),
        options=options_of(plan),
        rows=_recorded_rows(manifest, contents, len(paths)),
        registration=Registration.recorded(ledger) if isinstance(ledger := contents.get("ledger"), Mapping) else None,
    )


def _recorded_rows(manifest: str, contents: Mapping[str, Any], copies: int) -> tuple[Rows | None, ...]:
    """The positions in the original of the records of each copy, as a manifest has them; see Protected.rows."""
    texts = contents.get("rows")
    if texts is None:
        return (None,) * copies
    try:
        rows = [np.array(text.split(), dtype=np.int64) if text else None for text in texts]
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidInput(manifest, NO_ROWS, "other values") from error
    if len(rows) != copies:
        raise InvalidInput(manifest, NO_ROWS, f"{len(rows)} of {copies}")
    return tuple(rows)


def _changes(contents: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """Versions, platform and threads that differ from those in a manifest."""
    known = {**contents, **(contents.get("versions") or {})}
    today = {**versions(), "platform": platform.platform(), "threads": Local().most}
    return tuple(
        (name, str(known[name]), str(now)) for name, now in today.items() if known.get(name) not in (None, now)
    )


def differing_columns(path: str, other: str) -> dict[str, float]:
    """Columns in which two files differ, with the largest difference in standard deviations, infinite where text or a missing
    value differs. Raises InvalidInput for different numbers of records."""
    a, b = open_data(f"verify, {path}", path), open_data(f"verify, {other}", other)
    if a.records != b.records:
        raise InvalidInput("verify", f"there are {b.records} records where there should be {a.records}")
    return {name: size for name in dict.fromkeys((*a.names, *b.names)) if (size := _difference(name, a, b))}


def _difference(name: str, a: Frame, b: Frame) -> float:
    """The largest difference of two columns in standard deviations, 0 where they are equal."""
    if not (name in a.names and name in b.names):
        return math.inf
    if not (is_numeric(a, name) and is_numeric(b, name)):
        return 0.0 if list(map(str, a.cells(name))) == list(map(str, b.cells(name))) else math.inf
    x, y = a.values(name), b.values(name)
    differs = (x != y) & ~(np.isnan(x) & np.isnan(y))
    with np.errstate(all="ignore"):
        largest = float(np.abs(x - y)[differs].max(initial=0.0) / np.nanstd(y)) if differs.any() else 0.0
    return largest if math.isfinite(largest) else math.inf
