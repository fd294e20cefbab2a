"""The request of evaluate(): its checked arguments, and what is known of the release."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..arguments import names
from ..data import Roles, as_roles
from ..data.encoding import Declared
from ..data.roles import strata_names
from ..data.variable import declared_variables
from ..engine import Engine, Local
from ..errors import InvalidParameter, unknown_name
from ..measures import DEFAULT, INFORMED, MEASURES
from ..methods import Procedure, Steps
from ..methods.method import NO_ROLES, require_procedure
from ..plans.limits import Limits, read_limits
from ..progress import Progress
from ..protection.ledger.registration import Registration
from ..protection.options import Options
from ..protection.protect import Protected
from ..rstream import RStream
from ..types import Rows
from .auditing.audit_result import Audit
from .verdict.outcomes import NotExamined

NOT_RUN = NotExamined("run evaluate(..., audit=True)")
"""Of a release without an audit."""


@dataclass(frozen=True, kw_only=True)
class EvaluateRequest:
    """The checked arguments of evaluate(), and what is known of the release."""

    release: Any = None
    """A frame or path, or several copies."""
    roles: Roles | None = None
    """The roles of the columns; None where they are not known."""
    method: Procedure | None = None
    """The method of the release; None where it is not known."""
    seed: int | RStream | None = None
    """The seed or the stream from which the release was made; None where it is not known."""
    options: Options = field(default=Options())
    """Further arguments of protect()."""
    audit: Audit | NotExamined = NOT_RUN
    """The audit of the file, roles and method, or why there is none."""
    not_as_made: NotExamined | None = None
    """Why the audit is not of this release: its values differ from those that the method makes; None where they do not."""
    limits: Limits = field(default_factory=dict)
    """The limits of the verdict that the caller changed or added."""
    registration: Registration | None = None
    """The entry of the release in a ledger; None without one."""
    copy_rows: tuple[Rows | None, ...] = ()
    """The positions in the original of the records of each copy; empty for a release that is not a result of protect()."""
    paired: bool = False
    """Whether it is known which records pair: of a result of protect(), or because the caller states it."""
    measures: tuple[str, ...] = ()
    """The measures to compute, by key."""
    unnamed: tuple[str, ...] = ()
    """Those of an intruder who knows the method that the caller did not name: undefined where no record is complete."""
    engine: Engine = field(default_factory=Local)
    """Runs the sums."""
    progress: Progress | None = None
    """Called with (done, of how many, what)."""
    independent: tuple[str, ...] | None = None
    """The unmodified predictors. None: there is no inference baseline, and a method's predictors are the equal columns."""
    columns: tuple[str, ...] | None = None
    """The columns to judge; None for those that the roles or the files suggest."""
    categories: tuple[str, ...] = ()
    """The columns that are judged as categories, by tables."""
    keys: tuple[str, ...] = ()
    """The key variables."""
    strata: tuple[str, ...] = ()
    """Columns of the original by which the release is judged in strata."""
    targets: tuple[str, ...] = ()
    """The targets of attribute disclosure."""
    target_groups: int | None = None
    """The number of classes of a numeric target; None for its values."""
    key_groups: int | None = None
    """The number of classes of a numeric key; None for its values."""
    domains: tuple[str, ...] | None = None
    """Categorical columns within whose levels PIL is measured; None for the default."""
    guesses: int = 0
    """Number of integers that are tried as the seed."""
    weights: str | None = None
    """The original's column of survey weights."""
    tables: bool = True
    """Whether the tables of categories are measured."""

    @property
    def variables(self) -> Declared:
        """What is declared of the original's variables; a release that R made has tables of them."""
        declared: Declared = declared_variables("evaluate", self.options.variables)
        return declared

    @property
    def empty(self) -> tuple[str, ...]:
        """The requested measures that pair records, where the method's releases have no records that pair."""
        pairs = "always" if self.method is None else self.method.pairs(self.roles or NO_ROLES)
        if pairs == "always" or (pairs == "by columns" and self.independent != ()):
            return ()
        return tuple(key for key in self.measures if MEASURES[key].paired)

    @property
    def of_keys(self) -> list[str]:
        """The measures of key attributes among those requested."""
        return [key for key in self.measures if MEASURES[key].needs_keys]

    @property
    def of_targets(self) -> list[str]:
        """The requested measures that are about targets too."""
        return [key for key in self.measures if MEASURES[key].needs_targets]

    def check(self) -> None:
        """Raises InvalidParameter where keys, targets, domains and strata do not go together."""
        of_keys, of_targets, strata = self.of_keys, self.of_targets, list(self.strata)
        without, domains = "must be left out where strata are judged", list(self.domains or ())
        overlap = sorted({*self.targets} & {*self.keys})
        unpaired = f"must be left out: records of {self.method} do not pair"
        rules: tuple[tuple[Any, str, str, Any], ...] = (
            (of_keys and not self.keys, "keys", f"must name the key attributes that {', '.join(of_keys)} is about", []),
            (
                of_targets and not self.targets, "targets",
                f"must name the columns that {', '.join(of_targets)} is about", [],
            ),
            (overlap, "targets", "must not be keys too", overlap),
            (
                strata and of_targets, "strata",
                f"must be left out for {', '.join(of_targets)} (name the strata among the keys)", strata,
            ),
            (strata and self.weights, "weights", without, self.weights),
            (strata and domains, "domains", without, domains),
            (self.weights and self.empty, "weights", unpaired, self.weights),
            (domains and "pil" not in self.measures, "domains", "must come with the measure pil", domains),
        )  # fmt: skip
        for broken, name, rule, value in rules:
            if broken:
                raise InvalidParameter("evaluate", name, rule, value)


def release_request(
    protected: Any,
    roles: Roles | None = None,
    method: Procedure | None = None,
    strata: Any = None,
    *,
    measures: str | Iterable[str] | None = None,
    limits: Any = None,
) -> EvaluateRequest:
    """The release, what is known of it, and the measures to compute: arguments of evaluate() go before what a result of
    protect() has.

    Measures are those named, those of an intruder who knows the method, and those that have a limit. Limits are those of the
    product of the roles, and those that the caller gives.
    """
    by = strata_names("evaluate", strata)
    if method is not None:
        require_procedure("evaluate", method, "RankSwapping(p=10)")
    if roles is not None:
        roles = as_roles("evaluate", roles)
    elif isinstance(method, Steps):
        roles = method.roles
    known: dict[str, Any] = {"release": protected, "options": Options(strata=by or None)}
    if isinstance(protected, Protected):
        frames, roles, method = protected.frames, roles or protected.roles, method or protected.method
        known = {
            "release": frames[0] if len(frames) == 1 else frames,
            "options": protected.options.changed(strata=by or protected.options.strata),
            "seed": protected.seed,
            "registration": protected.registration,
            "copy_rows": protected.rows,
            "paired": True,
        }
    changed = read_limits("evaluate", limits, None if roles is None else roles.product)
    keys = DEFAULT if measures is None else names("evaluate", "measures", measures)
    keys = (*keys, *(key for key in changed if key in MEASURES and key not in keys))
    unnamed = () if method is None or {*keys} & {*INFORMED} else INFORMED
    keys = (*keys, *unnamed)
    for key in keys:
        if key not in MEASURES:
            raise unknown_name("evaluate", "measure", key, MEASURES)
    independent = None if roles is None else roles.independent
    return EvaluateRequest(
        **known,
        roles=roles,
        method=method,
        limits=changed,
        measures=keys,
        unnamed=unnamed,
        independent=independent,
        strata=by,
    )
