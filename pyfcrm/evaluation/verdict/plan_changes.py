"""What a remedy changes in the plan of a release, and the changed tables as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import tomli_w

from ...data import Roles
from ...errors import one_line
from ...methods import Method, Procedure
from ...methods.steps import Step
from ...plans.tables import columns_table, method_table, roles_table

STEPS = "[[step]] in place of [roles] and [method]"
IDENTIFIERS = "add the identifiers, which are to be dropped, to the last step"
KEEP = "keep"  # the table of a plan whose keys join those that it has
RANDOM = "random"  # the table of a plan that is replaced


@dataclass(frozen=True, kw_only=True)
class PlanChange:
    """The difference between the plan of a release and that of the next one."""

    before: tuple[Step, ...] = ()
    """Steps before those of the release."""
    instead: tuple[tuple[Method, tuple[str, ...]], ...] = ()
    """Methods, each with the columns that it protects in place of the release's own method."""
    dropped: tuple[str, ...] = ()
    """Columns that are not released."""
    keep: Mapping[str, Any] = field(default_factory=dict)
    """Options of the table [keep]."""
    without_seed: bool = False
    """Whether the random numbers start from fresh entropy."""

    @classmethod
    def together(cls, changes: Iterable[PlanChange]) -> PlanChange:
        """Several changes as one."""
        changes = list(changes)
        keep = dict[str, Any]()
        for change in changes:
            keep |= change.keep
        return cls(
            before=tuple(step for change in changes for step in change.before),
            instead=tuple(method for change in changes for method in change.instead),
            dropped=tuple(name for change in changes for name in change.dropped),
            keep=keep,
            without_seed=any(change.without_seed for change in changes),
        )

    def text(self, words: str, method: Procedure | None, roles: Roles | None) -> str:
        """The changed tables as TOML, below the words of the remedy as a comment; "" where nothing changes.

        method, roles : those of the release; None where they are not known, then the user adds them.
        """
        tables = dict[str, Any]()
        places = list[str]()
        steps = self.steps(method, roles)
        if steps:
            tables["step"] = [{"roles": roles_table(own), "method": method_table(part)} for part, own in steps]
            places.append(STEPS)
            _, last = steps[-1]
            if not last.identifiers:  # a release from R does not know them
                places.append(IDENTIFIERS)
        if self.keep:
            tables[KEEP] = dict(self.keep)
            places.append(f"[{KEEP}] with this key beside those that it has")
        if self.without_seed:
            tables[RANDOM] = {}
            places.append(f"[{RANDOM}] without a seed")
        if not tables:
            return ""
        return f"# {one_line(words)}\n# {'; '.join(places)}\n{tomli_w.dumps(tables)}"

    def steps(self, method: Procedure | None, roles: Roles | None) -> list[Step]:
        """The steps of the next release; none where the change is not about steps."""
        if not (self.before or self.instead or self.dropped):
            return []
        known = roles or Roles()
        steps = [*self.before, *self._own_steps(method, known)]
        for part, columns in self.instead:
            others = _without(known, [*columns, *self.dropped])
            steps.append((part, replace(others, dependent=tuple(name for name in columns if name not in self.dropped))))
        if not steps:
            return []
        # What a step drops the next one does not find, so that the last one drops all.
        dropped = tuple(dict.fromkeys((*known.identifiers, *self.dropped)))
        last = len(steps) - 1
        return [(part, replace(own, identifiers=dropped if k == last else ())) for k, (part, own) in enumerate(steps)]

    def _own_steps(self, method: Procedure | None, roles: Roles) -> list[Step]:
        """The steps of the release, without the columns that are dropped, or protected by other methods."""
        if method is None or method.makes_new_file():  # a plan runs no command
            return []
        replaced = {name for _, columns in self.instead for name in columns}
        steps = list[Step]()
        for part, own in method.parts(roles):
            left = _without(own, self.dropped)
            dependent = tuple(name for name in left.dependent if name not in replaced)
            if dependent or not own.dependent:
                steps.append((part, replace(left, dependent=dependent)))
        return steps


def _without(roles: Roles, dropped: Sequence[str]) -> Roles:
    """Roles without the columns that are dropped."""
    changes = dict[str, Any]()
    for role, names in columns_table(roles).items():
        if isinstance(names, list):
            changes[role] = [name for name in names if name not in dropped]
        elif names in dropped:
            changes[role] = None
    return replace(roles, **changes)
