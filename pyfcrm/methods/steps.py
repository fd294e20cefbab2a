"""Several methods in order, each with its roles on the output of the one before, for one release."""

from dataclasses import dataclass
from typing import Any

from ..data.roles import PUBLIC, RESEARCH, SINGLE, Roles, as_roles
from ..errors import InvalidParameter
from ..linkage.informed import Attack
from ..linkage.informed.base import OnColumns
from ..types import Masks
from .facts import NOT_EXAMINED, Facts, Pairs, Unexamined
from .method import NO_ROLES, Method, Procedure
from .parameter import param

PAIRS = "pairs of a method and its roles, [(Recoding(5), Roles(dependent='age')), ...]"
ORDER: tuple[Pairs, ...] = ("always", "by columns", "never")  # of Facts.pairs, from the one that pairs most
Step = tuple[Method, Roles]


def _steps(owner: str, name: str, value: Any) -> tuple[Step, ...]:
    """Checked pairs of method and roles."""
    steps = list[Step]()
    for pair in value if isinstance(value, list | tuple) else ():
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], Procedure):
            raise InvalidParameter(owner, name, f"must be {PAIRS}", pair)
        method, roles = pair
        if not isinstance(method, Method) or method.makes_new_file() or method.facts(NO_ROLES).privacy is not None:
            raise InvalidParameter(owner, name, "must be methods of this package, no Steps, without epsilon", method)
        if method.replaces_numbers() and not method.replaces_one_for_one():
            raise InvalidParameter(
                owner, name, "must release a record for each original one (leave out records=)", method
            )
        steps.append((method, as_roles(f"step {len(steps) + 1}", roles)))
    if not steps:
        raise InvalidParameter(owner, name, f"must be {PAIRS}", value)
    return tuple(steps)


@dataclass(frozen=True)
class Steps(Procedure):
    """Several methods in order, each on the output of the one before, for one release.

    Parameters
    ----------
    steps : list of (Method, Roles)
        The methods with their roles. Categorical predictors are coded anew at each step.

    Notes
    -----
    The role of a column is that of the last step that treats it; columns that no step treats keep theirs. A verdict compares
    the first input with the last output, and an audit repeats all steps. Options of `protect` hold for all steps that
    they concern. These are constraints of dependent columns, and structure, weights and levels to preserve in methods
    that replace numbers by numbers.

    Draws: those of each step, in order, from one stream.

    Seed: undoes it where it undoes a step.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> first = pf.PRAM(keep=0.7), pf.Roles(dependent="region")
    >>> then = pf.IPSO("C"), pf.Roles(["age", "region"], "wage")
    >>> pf.Steps([first, then]).roles.dependent
    ('region', 'wage')
    """

    steps: Any = param(requirement=PAIRS, check=_steps, help="methods with their roles, in order")

    about = "several methods in order, each on the output of the one before"
    source = "own"

    @property
    def citation(self) -> str:
        """See Procedure.citation: those of the steps, each once."""
        return "; then ".join(dict.fromkeys(method.citation for method, _ in self.steps))

    @property
    def roles(self) -> Roles:
        """The roles of the whole release: of each column that of the last step that treats it.

        The product is "public" if a step names it.
        """
        dropped = self._named("identifiers")
        works = dict.fromkeys(name for method, roles in self.steps for name in method.columns(roles))
        treated = [name for name in works or self._named("dependent") if name not in dropped]
        untreated: dict[str, Any] = {
            role: [name for name in self._named(role) if name not in (*treated, *dropped)]
            for role in ("independent", "unknown", "replicate_weights")
        }
        single: dict[str, Any] = {role: named[-1] for role in SINGLE if (named := self._named(role))}
        values: dict[str, Any] = {}
        for _, roles in self.steps:
            values |= roles.values
        values["product"] = PUBLIC if any(roles.product == PUBLIC for _, roles in self.steps) else RESEARCH
        return Roles(dependent=treated, identifiers=dropped, **untreated, **single, **values)

    def _named(self, role: str) -> list[str]:
        """The columns of a role, each once, in the order of the steps."""
        return list(dict.fromkeys(name for _, roles in self.steps for name in roles.columns(role)))

    def parts(self, roles: Roles) -> tuple[Step, ...]:
        """See Procedure.parts: the steps, which have roles of their own."""
        return tuple(self.steps)

    def columns(self, roles: Roles) -> tuple[str, ...]:
        """See Procedure.columns."""
        return self.roles.dependent

    def treating(self, name: str, roles: Roles) -> Method | None:
        """See Procedure.treating: the last step that works on the column."""
        treating: Method | None = None
        for method, own in self.steps:
            if name in method.columns(own):
                treating = method
        if treating is None and name in self.roles.dependent:
            return self._last
        return treating

    @property
    def _last(self) -> Method:
        """The method of the last step."""
        method, _ = self.parts(NO_ROLES)[-1]
        return method

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts: of the release of all steps.

        Its attacks are on the dependent columns of `roles`, by their positions.
        """
        facts = [method.facts(own) for method, own in self.steps]
        masks = [each.masks for each in facts]
        return Facts(
            masks=_strongest(masks),
            pairs=max((each.pairs for each in facts), key=ORDER.index),
            # A later step changes what an earlier one preserves.
            keeps="",
            averages=any(each.averages for each in facts),
            reissues_values=any(each.reissues_values for each in facts),
            undone_by_seed=_undone([each.undone_by_seed for each in facts]),
            weak_generator=any(each.weak_generator for each in facts),
            # A fact of a column: see the facts of the method that treats it.
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=self._attacks(roles),
            seed_probe="release",
        )

    def _attacks(self, roles: Roles) -> tuple[Attack, ...] | Unexamined:
        """The attacks on each step's columns."""
        attacks = list[Attack]()
        for method, own in self.steps:
            columns = [
                name for name in own.dependent if name in roles.dependent and self.treating(name, roles) is method
            ]
            if not columns:
                continue
            on_columns = method.facts(own).attacks
            if on_columns is NOT_EXAMINED:
                return NOT_EXAMINED
            places = tuple(roles.dependent.index(name) for name in columns)
            attacks += [OnColumns(attack, places) for attack in on_columns]
        return tuple(attacks)

    def parameters(self) -> dict[str, Any]:
        """See Procedure.parameters: a text for each step."""
        return {
            f"step {k}": f"{method} of {', '.join(method.columns(roles) or ('all records',))}"
            for k, (method, roles) in enumerate(self.steps, 1)
        }

    def settings(self) -> str:
        """See Procedure.settings."""
        return ", then ".join(self.parameters().values())


def _strongest(masks: list[Masks]) -> Masks:
    """The kind of masking of steps together: the most that one of them does to the values."""
    if "values" in masks:
        return "values"
    return "perturb" if "perturb" in masks else "keys"


def _undone(undone: list[bool | Unexamined]) -> bool | Unexamined:
    """Whether the seed undoes a step; NOT_EXAMINED where that is known of none, and not examined of one."""
    if True in undone:
        return True
    return NOT_EXAMINED if NOT_EXAMINED in undone else False
