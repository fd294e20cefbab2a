"""What evaluate() knows of how a release was made, from its arguments or from a result of protect()."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..constraints import parsed
from ..data import Frame, Roles, as_roles
from ..data.strata import strata_names
from ..engine import Engine
from ..errors import InvalidParameter
from ..methods import Method
from ..plans.limits import Limits
from ..progress import Progress, within
from ..protection.protect import Protected
from ..rstream import RStream
from .audit import audit as run_audit
from .audit_result import Audit
from .case import Case
from .judge import EvaluateRequest

AUDIT_SEED = 1  # so that every interface prints the same audit


@dataclass(frozen=True)
class ReleaseFacts:
    """A release and what is known of it.

    release : frame, path, or several copies; options : further arguments of protect(); limits : of the verdict, changed or
    added.
    """

    release: Any
    roles: Roles | None = None
    method: Method | None = None
    seed: int | RStream | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    audit: Audit | None = None
    limits: Limits = field(default_factory=dict)

    def case(
        self, original: Frame, released: Frame, columns: Sequence[str], request: EvaluateRequest, *, in_order: bool
    ) -> Case:
        """One release beside its original. in_order : whether records of both files stand in the same order."""
        confidential = columns if self.roles is None else self.roles.dependent
        there = tuple(name for name in confidential if name in released.names and name in original.names)
        return Case(
            original,
            released,
            there,
            independent=tuple(name for name in request.independent or () if name in original.names),
            roles=self.roles,
            method=self.method,
            seed=self.seed,
            weighted=request.weights is not None,
            audit=self.audit,
            in_order=in_order,
            **case_options(self.options, request.weights),
        )


def case_options(options: Mapping[str, Any], weights: str | None = None) -> dict[str, Any]:
    """Further arguments of protect() as fields of a Case. weights : a column that goes before that of the options."""
    preserve = options.get("preserve") or ()
    return {
        "strata": tuple(options.get("strata") or ()),
        "preserve": tuple(name for name in preserve if "~" not in name),
        "weights": weights or options.get("weights"),
        "constraints": parsed("evaluate", options.get("constraints")),
        "options": options,
    }


def release_facts(protected: Any, roles: Roles | None, method: Method | None, strata: Any) -> ReleaseFacts:
    """The release and what is known of it; arguments of evaluate() go before what a result of protect() has."""
    by = strata_names("evaluate", strata)
    roles = None if roles is None else as_roles("evaluate", roles)
    if not isinstance(protected, Protected):
        return ReleaseFacts(protected, roles, method, options={"strata": by or None})
    frames = protected.frames
    return ReleaseFacts(
        frames[0] if len(frames) == 1 else frames,
        roles or protected.roles,
        method or protected.method,
        protected.seed,
        {**protected.options, "strata": by or protected.options.get("strata")},
    )


def audit_of(
    audit: Any, original: Frame, given: ReleaseFacts, engine: Engine, progress: Progress | None
) -> Audit | None:
    """The audit of a release: a result that the caller has, or one that is run now."""
    if audit is None or audit is False or isinstance(audit, Audit):
        return audit or None
    if audit is not True:
        raise InvalidParameter("evaluate", "audit", "must be a result of audit(), or True", audit)
    if given.method is None or given.roles is None:
        raise InvalidParameter("evaluate", "audit", "needs method= and roles=", audit)
    return run_audit(
        original.frame,
        given.method,
        given.roles,
        AUDIT_SEED,
        engine=engine,
        progress=within(progress, 0, 2, "audit"),
        **audit_options(given.options),
    )


AUDITED = ("strata", "constraints", "missing", "round_integers", "copies", "weights", "preserve", "structure")


def audit_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those arguments of protect() that an audit repeats."""
    return {key: options[key] for key in AUDITED if options.get(key) is not None}
