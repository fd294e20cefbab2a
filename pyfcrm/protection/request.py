"""The checked arguments of protect()."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..constraints import Constraint
from ..constraints.accepted import Accepted
from ..data import Frame, Roles, as_roles, is_path
from ..data.encoding import Encoding
from ..data.roles import refuse_replaced
from ..engine import Engine, Local, is_cluster
from ..errors import InvalidInput, InvalidParameter
from ..files import check_output
from ..files.formats import WRITERS
from ..files.paths import PARQUET, Path, check_ledger, check_new, parquet_files, path_text
from ..methods import Procedure, Steps
from ..methods.facts import Facts
from ..methods.method import NO_ROLES
from ..methods.text import as_procedure
from ..methods.work import NumberWork, SumWork, Work
from ..progress import Progress
from ..rstream import RStream, as_stream
from ..types import Mask
from .declaration import require_allowed, require_within_budget
from .options import SEED_BUDGET, Options, declared_constraints

OF_NUMBERS = ("structure", "weights", "preserve")
"""Options that only methods for numbers follow."""


def release_options(owner: str, roles: Roles, options: Options) -> Options:
    """The options for every release of `owner`, checked as far as all methods share them. Raises InvalidParameter."""
    checked = options.checked(owner, roles)
    return options.changed(
        strata=checked.strata,
        constraints=checked.constraints,
        preserve=checked.preserve,
        variables=checked.variables,
    )


@dataclass(frozen=True, kw_only=True)
class ProtectRequest:
    """What is done with the records, in this order: the method's work on the columns of `roles`, then what every record must
    satisfy, then decoding into what the variables may have."""

    method: Procedure
    """The method, or steps of methods."""

    roles: Roles
    """The role of each column."""

    stream: RStream
    """Where draws come from; they advance it."""

    start: int | RStream | None
    """The stream before the first draw, as `released.seed` has it; None where the noise is of no stream."""

    options: Options
    """The options, checked, with the method's own default of `weights`."""

    strata: tuple[str, ...]
    """Columns; the records of each combination of their values are protected separately."""

    constraints: tuple[Constraint, ...]
    """Linear ones, which every record satisfies."""

    preserve: tuple[str, ...]
    """Columns, within the levels of which totals and regressions are preserved too."""

    derivation: Accepted | None = None
    """Columns that are computed from the released ones."""

    permitted: Mapping[str, Encoding] = field(default_factory=dict)
    """What encoded dependent columns may have, where zeros are placed."""

    gaps: Mapping[str, Mask] = field(default_factory=dict)
    """Of columns whose gaps were filled for the method, where these are among the complete records (n,)."""

    categories: tuple[str, ...] = ()
    """The dependent columns of levels."""

    terms: tuple[tuple[str, ...], ...] = ()
    """The design columns of each categorical predictor."""

    unit_effects: Mapping[str, str] = field(default_factory=dict)
    """Of independent columns that are effects of sampling units, the dependent column on which units have the effect."""

    pooled: Mask | None = None
    """Which records have each level of a predictor that shares its column with others (n, q); None without such levels."""

    by_unit: bool = False
    """Whether a record has the cells of several records of a unit, or of members of a household."""

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
    def records(self) -> int | None:
        """How many records the release of a whole file is to have; None for those of the original."""
        if self.steps or not self.method.replaces_numbers():
            return None
        work = self.numbers
        return work.records if isinstance(work, NumberWork) else None

    @property
    def facts(self) -> Facts:
        """What is known of the release."""
        return self.method.facts(self.roles)

    @property
    def columns(self) -> list[str]:
        """The independent columns, then the dependent ones."""
        return [*self.roles.independent, *self.roles.dependent]

    def with_options(self, **changes: Any) -> ProtectRequest:
        """The request with other values of options that need no further check."""
        return replace(self, options=self.options.changed(**changes))

    @property
    def missing(self) -> Literal["refuse", "protect", "drop"]:
        """What is done with incomplete records; a request for which nothing was chosen refuses them."""
        return self.options.missing or "refuse"

    def keeps_sign(self, name: str) -> bool:
        """Whether a column keeps the sign of nearly all values: by default of the method, and no declaration changes it."""
        declared = self.options.variables
        if isinstance(declared, str) or not keeps_signs(self.method, self.roles):
            return False
        return declared is None or name not in declared or declared[name].bounds is None

    @property
    def named(self) -> list[str]:
        """Further columns that must be there, whatever they hold."""
        roles = self.roles
        return [*roles.identifiers, *roles.unknown, *roles.replicate_weights, *roles.design_columns, *self.strata]


def protect_request(
    method: Procedure | str,
    roles: Roles | None,
    seed: int | RStream | None,
    options: Options,
    progress: Progress | None,
) -> ProtectRequest:
    """The arguments of protect() as a request. Raises InvalidInput or InvalidParameter."""
    procedure = as_procedure("protect", method)
    own_roles = roles_of("protect", procedure, roles)
    facts = procedure.facts(own_roles)
    if facts.privacy is not None:
        require_allowed("protect", "seed", None if seed is None else type(seed).__name__, SEED_BUDGET)
        require_within_budget("protect", Options.declared(), options.given("protect"))
    checked = options.checked("protect", own_roles)
    weights = checked.weights
    if weights is None and facts.keeps:
        weights = own_roles.weight
    refuse_replaced("protect", "weights", [] if weights is None else [weights], own_roles)
    preserve = tuple(checked.preserve or ())
    refuse_replaced("protect", "preserve", preserve, own_roles)
    stream = as_stream(seed)
    start = stream.copy() if seed is None or isinstance(seed, RStream) else stream.seed
    constraints = declared_constraints("protect", checked.constraints)
    steps: tuple[ProtectRequest, ...] = ()
    if isinstance(procedure, Steps):
        steps = _step_requests(procedure, stream, options, constraints)
    else:
        _refuse_options_of_numbers(procedure, options)
    return ProtectRequest(
        method=procedure,
        roles=own_roles,
        stream=stream,
        start=start if facts.privacy is None else None,
        options=checked.changed(
            constraints=[each.text for each in constraints],
            weights=weights,
            preserve=list(preserve) or None,
        ),
        strata=tuple(checked.strata or ()),
        constraints=constraints,
        preserve=preserve,
        steps=steps,
        progress=progress,
    )


def _refuse_options_of_numbers(method: Procedure, options: Options) -> None:
    """Raises InvalidParameter for options that only methods for numbers follow, with another method."""
    if method.replaces_numbers():
        return
    for name in OF_NUMBERS:
        if getattr(options, name) not in (None, "default", (), []):
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
    steps: Steps, stream: RStream, options: Options, constraints: Sequence[Constraint]
) -> tuple[ProtectRequest, ...]:
    """The request of each of Steps, with the options that concern it."""
    requests = []
    for method, roles in steps.parts(steps.roles):
        dependent = {*roles.dependent}
        own = options.changed(copies=1, constraints=[one for one in constraints if {*one.columns} & dependent])
        if not method.replaces_numbers():
            own = own.changed(**dict.fromkeys(OF_NUMBERS))
        requests.append(protect_request(method, roles, stream, own, None))
    return tuple(requests)


def keeps_signs(method: Procedure, roles: Roles) -> bool:
    """Whether counts and amounts that a method releases keep the sign of nearly all values by default; for steps, each decides."""
    if isinstance(method, Steps):
        return False
    [(single, own)] = method.parts(roles)
    return single.work(own, None).bounds == "sign"


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
    if to.ledger is not None:
        check_ledger(to.ledger, [*([] if path is None else parquet_files(path)), *to.outputs])
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
