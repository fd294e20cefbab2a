"""verify(): whether a release is the one its manifest speaks of, and whether it comes out again, byte by byte."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..engine import Local
from ..errors import InvalidInput
from ..files.manifest import digest, digests_of, read_manifest, shown_digests, versions
from ..files.paths import Path, copy_paths, extension, path_text
from ..progress import Progress
from .again import made_again
from .compared import Difference, compared


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. what : in words; holds : whether it is so; said : the whole as a sentence."""

    what: str
    holds: bool
    said: str


@dataclass(frozen=True, repr=False)
class Verification:
    """What verify() found; `ok` says it in a word, `to_frame()` row by row, `str()` in sentences.

    Parameters
    ----------
    checks : tuple of Check
        The digest of the release; with the original its digest too, and whether the release made again has the same
        bytes.
    differences : tuple of Difference
        Where the release made again is another: the columns that differ, by how much at most, and in which record.
    surroundings : tuple of tuple
        What is not as it was when the release was made: (what, then, now) of versions, platform and threads.
    """

    checks: tuple[Check, ...]
    differences: tuple[Difference, ...] = ()
    surroundings: tuple[tuple[str, str, str], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything that was looked at is as the manifest says."""
        return all(one.holds for one in self.checks)

    def sentences(self) -> list[str]:
        """The outcome in words.

        Returns
        -------
        list of str
            A sentence a check, then a column that differs, then a version, platform or number of threads.
        """
        told = [one.said for one in self.checks]
        told += [f"the release, against the one made again: {one}" for one in self.differences]
        return told + [
            f"{what} was {then} when the release was made, and is {now}" for what, then, now in self.surroundings
        ]

    def to_frame(self) -> Any:
        """The checks as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row a check: what, holds, said.
        """
        import pandas as pd

        return pd.DataFrame([vars(one) for one in self.checks])

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    __repr__ = __str__


def verify(
    manifest: Path, release: Path, original: Path | None = None, *, progress: Progress | None = None
) -> Verification:
    """Whether a release is the one that its manifest speaks of; with the original, whether it comes out again.

    Parameters
    ----------
    manifest : path
        What `pyfcrm protect --manifest` or a plan wrote beside the release.
    release : path
        The file to look at, wherever it lies by now.
    original : path, optional
        The file that the release was made of. It is then protected again, as the manifest says, in a private folder that goes
        at the end, and the two releases are compared byte by byte; where they differ, cell by cell.
    progress : callable, optional
        As in `protect`.

    Returns
    -------
    Verification
        Its `ok` is True where every digest is the manifest's, and the release made again has the same bytes.

    Raises
    ------
    InvalidInput
        If a file cannot be read, or the manifest has no digests, or does not say how to make the release.
    InvalidParameter
        If an argument breaks its rule.
    """
    record, file = path_text("verify", manifest), path_text("verify", release)
    found = read_manifest(record)
    known = {key: digests_of(found, key) for key in ("input", "output")}
    if not all(known.values()):
        raise InvalidInput(
            record, "a manifest must hold the SHA-256 of its input and output (protect again to have one)"
        )
    checks = [_digest_check("release", file, known["output"])]
    around = _surroundings(found)
    if original is None:
        return Verification(tuple(checks), (), around)
    source = path_text("verify", original)
    checks.append(_digest_check("original", source, known["input"]))
    again, differences = _again(record, found, source, file, progress)
    return Verification((*checks, again), differences, around)


def _digest_check(what: str, file: str, known: list[str]) -> Check:
    now = digest(file)
    if now in known:
        which = f"{what}, copy {known.index(now) + 1} of {len(known)}," if len(known) > 1 else what
        return Check(what, True, f"{file} is the {which} that the manifest speaks of (SHA-256 {shown_digests([now])})")
    said = (
        f"{file} is not the {what} that the manifest speaks of: its SHA-256 is {shown_digests([now])}, "
        f"not {shown_digests(known)}"
    )
    return Check(what, False, said)


def _again(
    manifest: str, found: Mapping[str, Any], original: str, release: str, progress: Progress | None
) -> tuple[Check, tuple[Difference, ...]]:
    """Whether the release made again has the same bytes, and the columns that differ where it has not."""
    kind = extension(str(found.get("output", ""))) or extension(release)
    what, said = "made again", f"the release, made again from {original}, "
    with tempfile.TemporaryDirectory(prefix="pyfcrm-verify-") as folder:
        target = os.path.join(folder, f"release.{kind}")
        made_again(manifest, found, original, target, Local(), progress)
        known = digests_of(found, "output")
        now = digest(release)
        which = known.index(now) if now in known else 0  # of the copies; the first stands for what is none of them
        output = str(copy_paths(target, len(known))[which])
        if digest(output) == now:
            return Check(what, True, said + "has the same bytes"), ()
        try:
            differences = compared("verify", output, release)
        except InvalidInput as error:  # what was put in its place may be no table at all
            return Check(
                what, False, f"{said}does not have the same bytes, and they cannot be compared: {error.rule}"
            ), ()
    return Check(what, False, said + "does not have the same bytes"), tuple(differences)


def _surroundings(found: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """What numbers may depend on that is not as it was; what the manifest does not tell is passed over."""
    then = found.get("versions")
    known = {**found, **(then if isinstance(then, Mapping) else {})}
    now_of = {**versions(_own()), "platform": platform.platform(), "threads": Local().most}
    pairs = [(name, known.get(name), now) for name, now in now_of.items()]
    return tuple((name, str(was), str(now)) for name, was, now in pairs if was is not None and was != now)


def _own() -> str:
    from .. import __version__

    return __version__
