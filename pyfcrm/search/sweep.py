"""sweep(): many candidates on one file, judged by one yardstick: the risk-utility map."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..arguments import items, whole_number
from ..constraints import parsed
from ..data import Frame, Roles, as_roles, uniques_by_roles
from ..data.source import open_data
from ..data.strata import strata_names
from ..data.structure import require_structure
from ..engine import Engine, chosen
from ..errors import InvalidParameter
from ..evaluation.audit import audit
from ..evaluation.audit_result import Audit
from ..evaluation.evaluate import evaluate_release
from ..evaluation.references import KnownReferences
from ..evaluation.release_facts import ReleaseFacts
from ..methods import Method
from ..progress import Progress, report_progress, within
from ..protection.destination import Destination
from ..protection.protect import run_request
from ..protection.request import protect_request, require_suitable
from ..rstream import R_INTEGER, RStream, as_stream
from ..rstream.stream import own_copy
from .candidates import Candidate, Frontier
from .releases import places

FilePath = str | os.PathLike[str]


def sweep(
    frame: Any,
    roles: Roles,
    methods: Iterable[Method],
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    missing: str = "refuse",
    round_integers: bool = True,
    strata: str | Iterable[str] | None = None,
    engine: str | Engine = "local",
    output: FilePath | None = None,
    progress: Progress | None = None,
    audits: int = 0,
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    structure: Any = None,
) -> Frontier:
    """Protect a frame with each method and judge each release over the dependent columns.

    Parameters
    ----------
    frame : DataFrame, Table or path
        As in `protect`; a file is read once, and methods must work block by block where it is larger than memory.
    roles : Roles
        As in `protect`.
    methods : iterable of Method
        The candidates.
    seed : int or RStream, optional
        Where every candidate starts, or with None from the same state of the system's entropy, so that `protect` with
        the frontier's seed gives the same release, and `sweep` the same frontier. A stream given as seed is advanced
        by one integer drawn from it, which is the seed where the stream began from an integer; else the stream's state
        is.
    constraints : str or iterable of str, optional
        Kept in every release, as in `protect`.
    missing : {"refuse", "protect", "drop"}
        As in `protect`. Every record of a release is judged that can be, those left as they were for missing values
        included.
    round_integers : bool
        As in `protect`.
    strata : str or iterable of str, optional
        Each stratum is protected by itself, as in `protect`, and judged by itself, as in `evaluate`.
    engine : str or Engine
        As in `protect` and `evaluate`.
    output : path, optional
        Of a file, a folder for the releases, 01-fcrm-c-8.parquet and so on, in the format of the file, which each
        candidate's `release` names; None keeps none of them. Interrupted, it leaves whole releases only.
    progress : callable, optional
        Called with (done, of how many, what) on the way through each candidate; where it raises (Cancelled), the work
        stops.
    audits : int
        How many splits each method is audited with (see `audit`), from the same seed: candidates then have `detection`
        and `membership` too. A file must fit in memory for it.
    weights, preserve, structure : str, iterable of str or Structure, optional
        Kept in every release, as in `protect`, and in those of an audit.

    Returns
    -------
    Frontier
        Every candidate with how it was judged.

    Raises
    ------
    InvalidInput
        If the frame cannot be protected or judged.
    InvalidParameter
        If an argument breaks its rule.
    """
    roles = as_roles("sweep", roles)
    listed = _methods(methods)
    limits = parsed("sweep", constraints)
    audits = whole_number("sweep", "audits", audits, low=0, high=1000)
    start = _one_start(seed)
    by = strata_names("sweep", strata, roles)
    options = {"missing": missing, "round_integers": round_integers, "constraints": limits, "strata": by or None}
    require_structure("sweep", structure)
    options |= {"weights": weights, "preserve": preserve, "structure": structure}
    with chosen("sweep", engine) as runs:
        door = open_data("sweep", frame)
        require_suitable("sweep", listed, door, runs, by_strata=bool(by))
        with places(door, output, listed) as releases:
            sweeping = Sweep(door, roles, start, runs, options, output is not None, audits)
            candidates = [
                sweeping.candidate(method, path, within(progress, k, len(listed), str(method)))
                for k, (method, path) in enumerate(zip(listed, releases, strict=True))
            ]
    report_progress(progress, len(listed), len(listed), "done")
    return Frontier(tuple(candidates), start, uniques_by_roles("sweep", door, roles))


@dataclass(frozen=True)
class Sweep:
    """What is the same for every candidate. options : of protect() and audit(); keep : whether releases that were written stay;
    audits : splits of its audit, 0 for none; references : of the file."""

    door: Frame
    roles: Roles
    start: int | RStream
    engine: Engine
    options: Mapping[str, Any]
    keep: bool
    audits: int = 0
    references: KnownReferences = field(default_factory=dict)

    def candidate(self, method: Method, path: str | None, progress: Progress | None) -> Candidate:
        """One method, protected (to a file where there is a path), judged and, where that is asked for, audited."""
        steps = 3 if self.audits else 2
        asked = protect_request(
            method, self.roles, own_copy(self.start), within(progress, 0, steps), allow_unprotected=True, **self.options
        )
        released = run_request(self.door, asked, self.engine, Destination(output=path, overwrite=True))
        after = released.path if self.door.source is not None else released.frame
        facts = ReleaseFacts(after, self.roles, method, own_copy(self.start), self.options)
        strata = self.options["strata"] or ()
        report = evaluate_release(
            self.door, facts, self.engine, within(progress, 1, steps), self.references, strata=strata
        )
        if path is not None and not self.keep:
            os.unlink(path)
        audited = self._audited(method, within(progress, 2, steps)) if self.audits else None
        return Candidate(method, report, tuple(released.notes), path if self.keep else None, audited)

    def _audited(self, method: Method, progress: Progress | None) -> Audit:
        given = {**self.options, "engine": self.engine, "progress": progress}
        return audit(self.door, method, self.roles, own_copy(self.start), repeats=self.audits, **given)


def _methods(methods: Iterable[Method]) -> list[Method]:
    listed: list[Method] = [methods] if isinstance(methods, Method) else list(items(methods) or ())
    if not listed or not all(isinstance(m, Method) for m in listed):
        rule = "must hold at least one method such as FCRM(c=8), and only methods"
        raise InvalidParameter("sweep", "methods", rule, methods)
    return listed


def _one_start(seed: int | RStream | None) -> int | RStream:
    stream = as_stream(seed)
    if stream is seed:  # the owner's, who goes on with it
        whole = stream.copy()
        drawn = int(stream.sample_int(R_INTEGER, 1)[0])
        return whole if whole.seed is None else drawn
    return stream if stream.seed is None else stream.seed
