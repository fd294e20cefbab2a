"""The checked arguments of protect()."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal, TypedDict, Unpack

from pydantic import TypeAdapter, ValidationError

from ..arguments import choice, flag, names, one_name, whole_number
from ..constraints import Constraint, parsed
from ..constraints.accepted import Accepted
from ..data import Frame, Roles, as_roles, is_path
from ..data.fitting import Bounds, Decimals
from ..data.roles import refuse_replaced, strata_names
from ..data.structure import Structure
from ..engine import Engine, Local, is_cluster
from ..errors import InvalidInput, InvalidParameter, unknown_name
from ..files import check_output
from ..files.formats import WRITERS
from ..files.paths import PARQUET, Path, check_new, parquet_files, path_text
from ..methods import Procedure, Steps
from ..methods.facts import Facts
from ..methods.method import NO_ROLES
from ..methods.text import as_procedure
from ..methods.work import NumberWork, SumWork, Work
from ..plans.plan import MAX_COPIES, Ends, Keep
from ..progress import Progress
from ..rstream import RStream, as_stream

MISSING = ("refuse", "protect", "drop")  # what is done with incomplete records
BUDGET: Mapping[str, tuple[tuple[Any, ...], str]] = {
    "seed": ((None,), "the noise comes from the operating system (leave it out; in R, seed = 'fresh')"),
    "strata": ((None, (), []), "each stratum would need a budget of its own"),
    "structure": ((None,), "found rules are read from the confidential values (declare them as constraints)"),
    "weights": ((None,), "weighted sums would need a budget of their own"),
    "preserve": ((None, (), []), "further sums would need a budget of their own"),
    "copies": ((1,), "each copy would need a budget of its own"),
    "strict_totals": ((False,), "the check reads the confidential values"),
    "missing": (("refuse", "drop"), "gaps would be filled from the confidential values"),
    "bounds": (("default", None), "signs are read from the confidential values (declare limits)"),
    "decimals": (("default", None), "decimals are read from the confidential values (declare them)"),
}
"""Arguments of protect() with the values that a budget allows, mappings aside, and the reason."""
DEFAULTS: Mapping[str, Any] = Keep().options() | {"round_integers": True, "copies": 1}
"""Options of protect() with their defaults."""
BOUNDS = TypeAdapter[Any](Literal["sign"] | dict[str, Ends] | None)


SHARED = ("roles", "seed", "constraints", "engine", "progress")  # parameters of all verbs with such options


class ReleaseOptions(TypedDict, total=False):
    """Options of protect() that audit(), sweep() and recommend() take for every release."""

    missing: str
    round_integers: bool
    strata: str | Iterable[str] | None
    structure: Any
    weights: str | None
    preserve: str | Iterable[str] | None
    bounds: Any
    decimals: Any


class ProtectOptions(ReleaseOptions, total=False):
    """Options of protect() that protect_file() takes too."""

    constraints: Any
    copies: int
    strict_totals: bool
    allow_unprotected: bool


def known_options(owner: str, options: Mapping[str, Any], known: type = ProtectOptions) -> dict[str, Any]:
    """Options of protect() with the defaults of the others. Raises InvalidInput for a name that is not `known`."""
    for name in options:
        if name not in known.__annotations__:
            raise unknown_name(owner, "option", name, dict.fromkeys((*known.__annotations__, *SHARED)))
    return {**DEFAULTS, **options}


def _require_structure(owner: str, value: Any) -> None:
    """Raises InvalidParameter for a value that is neither a Structure, nor "find", nor None."""
    if not isinstance(value, Structure | None) and not (isinstance(value, str) and value == "find"):
        raise InvalidParameter(owner, "structure", 'must be a result of find_structure(), "find", or None', value)


def declared_constraints(owner: str, constraints: Any) -> tuple[Constraint, ...]:
    """The constraints of an argument that may be left out. Raises InvalidParameter."""
    return () if constraints is None else parsed(owner, constraints)


def release_options(owner: str, roles: Roles, constraints: Any, options: ReleaseOptions) -> dict[str, Any]:
    """The options of protect() for every release of `owner`, checked as far as all methods share them."""
    known = known_options(owner, options, ReleaseOptions)
    choice(owner, "missing", known["missing"], MISSING)
    _require_structure(owner, known["structure"])
    return known | {
        "strata": strata_names(owner, known["strata"], roles) or None,
        "constraints": declared_constraints(owner, constraints),
        "preserve": names(owner, "preserve", known["preserve"]),
    }


@dataclass(frozen=True, kw_only=True)
class ProtectRequest:
    """What is done with the records, in this order: the method's work on the columns of `roles`, then what every record must
    satisfy, then whole numbers for integer columns."""

    method: Procedure
    """The method, or steps of methods."""

    roles: Roles
    """The role of each column."""

    stream: RStream
    """Where draws come from; they advance it."""

    start: int | RStream | None
    """The stream before the first draw, as `released.seed` has it; None where the noise is of no stream."""

    missing: str
    """What is done with incomplete records: one of MISSING."""

    strata: tuple[str, ...]
    """Columns; the records of each combination of their values are protected separately."""

    constraints: tuple[Constraint, ...]
    """Linear ones, which every record satisfies."""

    round_integers: bool
    """Whether integer columns stay integer."""

    structure: Structure | str | None
    """Proposals that were accepted, "find", or None."""

    strict_totals: bool
    """Whether a release that preserves a total which discloses a contribution is refused."""

    allow_unprotected: bool
    """Whether small strata and many unprotected records are accepted."""

    weights: str | None
    """The column of survey weights, by which totals and regressions are preserved too."""

    preserve: tuple[str, ...]
    """Columns, within the levels of which totals and regressions are preserved too."""

    copies: int
    """How many releases are drawn, one after another."""

    bounds: Bounds
    """Limits of released values; "default" for steps, each of which has its own."""

    decimals: Decimals
    """Decimals of released values."""

    derivation: Accepted | None = None
    """Columns that are computed from the released ones."""

    categories: tuple[str, ...] = ()
    """The dependent columns of levels."""

    terms: tuple[tuple[str, ...], ...] = ()
    """The design columns of each categorical predictor."""

    steps: tuple[ProtectRequest, ...] = ()
    """The request of each step, in order; none for a method."""

    engine: Engine = field(default_factory=Local)
    """Where sums are computed."""

    progress: Progress | None = None
    """Receives the progress."""

    @property
    def work(self) -> Work:
        """What the method does with these columns; a request for steps has it in each of its `steps`."""
        [(method, roles)] = self.method.parts(self.roles)
        return method.work(roles, None)

    @property
    def numbers(self) -> NumberWork | SumWork:
        """The work of a method that replaces numbers."""
        [(method, roles)] = self.method.parts(self.roles)
        return method.numbers(roles)

    @property
    def facts(self) -> Facts:
        """What is known of the release."""
        return self.method.facts(self.roles)

    @property
    def columns(self) -> list[str]:
        """The independent columns, then the dependent ones."""
        return [*self.roles.independent, *self.roles.dependent]

    def options(self) -> dict[str, Any]:
        """The arguments of protect() beside method, roles and seed, as evaluate() and audit() take them."""
        options = {name: getattr(self, name) for name in ("constraints", *ReleaseOptions.__annotations__, "copies")}
        texts = [one.text for one in self.constraints]
        return options | {"constraints": texts, "strata": self.strata or None, "preserve": list(self.preserve) or None}

    @property
    def named(self) -> list[str]:
        """Further columns that must be there, whatever they hold."""
        return [*self.roles.identifiers, *self.roles.unknown, *self.strata]


def protect_request(
    method: Procedure | str,
    roles: Roles | None,
    seed: int | RStream | None,
    progress: Progress | None,
    **named: Unpack[ProtectOptions],
) -> ProtectRequest:
    """The arguments of protect() as a request. Raises InvalidInput or InvalidParameter."""
    options = known_options("protect", named)
    procedure = as_procedure("protect", method)
    checked = roles_of("protect", procedure, roles)
    facts = procedure.facts(checked)
    _require_within_budget(procedure, options | {"seed": seed})
    missing = choice("protect", "missing", options["missing"], MISSING)
    _require_structure("protect", options["structure"])
    weights = one_name("protect", "weights", options["weights"])
    stream = as_stream(seed)
    start = stream.copy() if seed is None or isinstance(seed, RStream) else stream.seed
    preserve = names("protect", "preserve", options["preserve"])
    if weights is None and facts.keeps:
        weights = checked.weight
    refuse_replaced("protect", "weights", [] if weights is None else [weights], checked)
    refuse_replaced("protect", "preserve", preserve, checked)
    constraints = declared_constraints("protect", options["constraints"])
    if isinstance(procedure, Steps):
        steps = _step_requests(procedure, stream, options, constraints)
    else:
        steps = ()
        _refuse_options_of_numbers(procedure, options)
    return ProtectRequest(
        method=procedure,
        roles=checked,
        stream=stream,
        start=start if facts.privacy is None else None,
        missing=missing,
        strata=strata_names("protect", options["strata"], checked),
        constraints=constraints,
        round_integers=flag("protect", "round_integers", options["round_integers"]),
        structure=options["structure"],
        strict_totals=flag("protect", "strict_totals", options["strict_totals"]),
        allow_unprotected=flag("protect", "allow_unprotected", options["allow_unprotected"]),
        weights=weights,
        preserve=preserve,
        copies=whole_number("protect", "copies", options["copies"], low=1, high=MAX_COPIES),
        bounds=value_bounds(options["bounds"], procedure, checked),
        decimals=value_decimals(options["decimals"], procedure, checked),
        steps=steps,
        progress=progress,
    )


def _refuse_options_of_numbers(method: Procedure, options: Mapping[str, Any]) -> None:
    """Raises InvalidParameter for options that only methods for numbers follow, with another method."""
    if method.replaces_numbers():
        return
    for name in ("structure", "weights", "preserve"):
        if options[name]:
            rule = "must be left out for a method that does not give numbers for numbers"
            raise InvalidParameter("protect", name, rule, str(method))


def roles_of(owner: str, method: Procedure, roles: Roles | None) -> Roles:
    """The roles of a release, those of Steps where it has several. Raises InvalidParameter."""
    if not isinstance(method, Steps):
        return as_roles(owner, roles)
    if roles not in (None, method.roles):
        raise InvalidParameter(owner, "roles", "must be left out for Steps, each of which has its own", roles)
    return method.roles


def _step_requests(
    steps: Steps, stream: RStream, options: Mapping[str, Any], constraints: Sequence[Constraint]
) -> tuple[ProtectRequest, ...]:
    """The request of each of Steps, with the options that concern it."""
    requests = []
    bounds = options["bounds"]
    for method, roles in steps.parts(steps.roles):
        own = {
            **options,
            "copies": 1,
            "constraints": [one for one in constraints if {*one.columns} & {*roles.dependent}],
        }
        if isinstance(bounds, Mapping):
            own["bounds"] = {name: ends for name, ends in bounds.items() if name in roles.dependent}
        if not method.replaces_numbers():
            own |= dict.fromkeys(("structure", "weights", "preserve", "bounds"))
        requests.append(protect_request(method, roles, stream, None, **own))
    return tuple(requests)


def default_bounds(method: Procedure, roles: Roles) -> Bounds:
    """The method's own default of `bounds`; that of steps is "default", the own one of each step."""
    if isinstance(method, Steps):
        return "default"
    [(single, own)] = method.parts(roles)
    return single.work(own, None).bounds


def value_bounds(bounds: object, method: Procedure, roles: Roles) -> Bounds:
    """The argument `bounds` of protect(), "default" being the method's. Raises InvalidParameter."""
    if bounds == "default":
        return default_bounds(method, roles)
    rule = 'must be "sign", None, or a mapping from dependent columns to ranges, such as {"wage": (0, 5000)}'
    try:
        ranges = BOUNDS.validate_python(bounds)
    except ValidationError:
        raise InvalidParameter("protect", "bounds", rule, bounds) from None
    if not isinstance(ranges, dict):
        return ranges
    checked = {}
    for name, (low, high) in ranges.items():
        ends = (-inf if low is None else low, inf if high is None else high)
        if name not in roles.dependent or not ends[0] < ends[1]:
            raise InvalidParameter("protect", "bounds", rule, {name: ranges[name]})
        checked[name] = ends
    return checked


def value_decimals(decimals: object, method: Procedure, roles: Roles) -> Decimals:
    """The argument `decimals` of protect(); "default" is None for a method with a budget. Raises InvalidParameter."""
    if decimals == "default":
        return "original" if method.facts(roles).privacy is None else None
    if decimals is None or decimals == "original":
        return decimals
    rule = 'must be "original", None, or {column: decimals} of dependent columns'
    if not isinstance(decimals, Mapping) or not {*decimals} <= {*roles.dependent}:
        raise InvalidParameter("protect", "decimals", rule, decimals)
    return {name: whole_number("protect", "decimals", digits, low=0, high=15) for name, digits in decimals.items()}


def _require_within_budget(method: Procedure, options: Mapping[str, Any]) -> None:
    """Raises InvalidParameter for arguments of protect() that read confidential values outside of a method's budget."""
    if method.facts(NO_ROLES).privacy is None:
        return
    for name, (allowed, why) in BUDGET.items():
        value = options[name]
        if not isinstance(value, Mapping) and value not in allowed:
            shown = type(value).__name__ if name == "seed" else value
            raise InvalidParameter("protect", name, f"must be {allowed[0]!r} with epsilon: {why}", shown)


def seed_for(method: Procedure, seed: int | RStream) -> int | RStream | None:
    """The argument `seed` of protect() for one of many releases: None for a method whose noise is of no stream."""
    return seed if method.facts(NO_ROLES).privacy is None else None


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a release goes."""

    outputs: Sequence[Path] = ()
    """Its files, one a copy; none where the caller gets a frame."""

    overwrite: bool = False
    """Whether an existing file is replaced."""

    disarm: bool = False
    """Whether, in CSV, text that a spreadsheet would run as a formula gets an apostrophe in front."""

    ledger: Path | None = None
    """The register of releases, where the caller records this one."""


def require_output(source: Any, to: Destination) -> None:
    """Raises InvalidInput or InvalidParameter for outputs that must not be written, or replaced: before any work.

    source : a frame, an opened frame or a path. A path has an output, and a frame has none.
    """
    by_blocks = isinstance(source, Frame) and source.source is not None
    path = path_text("protect", source) if is_path(source) else source.path if isinstance(source, Frame) else None
    if path is None and to.outputs:
        rule = "must be left out where a frame is protected: the result holds the release"
        raise InvalidParameter("protect", "output", rule, to.outputs[0])
    if not to.outputs and (is_path(source) or by_blocks):
        rule = 'must be the path of a file where a file is protected (output="out.parquet")'
        raise InvalidParameter("protect", "output", rule, None)
    for output in to.outputs:
        assert path is not None
        target = check_output(output, parquet_files(path), PARQUET if by_blocks else WRITERS)
        if os.path.isdir(path) and os.path.dirname(os.path.realpath(target)) == os.path.realpath(path):
            raise InvalidInput(target, "an output must not lie in the folder that is protected", path)
        check_new(target, to.overwrite)


def require_suitable(owner: str, methods: Iterable[Procedure], frame: Frame, engine: Engine, by_strata: bool) -> None:
    """Raises InvalidParameter, with the remedy, for a method that cannot work with these records: on a cluster, or read
    by blocks."""
    for method in methods:
        if not method.replaces_numbers():
            if frame.source is not None:
                rule = (
                    "must give numbers for numbers where a file is read by blocks (read it into a frame for this one)"
                )
                raise InvalidParameter(owner, "method", rule, str(method))
            continue
        [(single, roles)] = method.parts(NO_ROLES)
        if isinstance(single.work(roles, None), SumWork):  # which adds up blocks anywhere
            continue
        if is_cluster(engine):
            rule = f"must be local for {method}, which compares records with each other"
            raise InvalidParameter(owner, "engine", rule, "a cluster")
        if frame.source is not None and not by_strata:
            rule = (
                "must work block by block here; for a method that compares records (ranks, groups, neighbours) give "
                "strata=[...] that fit in memory"
            )
            raise InvalidParameter(owner, "method", rule, str(method))
