"""One release by several methods in order, each with roles of its own on the output of the one before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.roles import SINGLE, Roles, as_roles
from ..errors import InvalidParameter
from ..linkage.informed import Attack
from ..linkage.informed.base import OnColumns
from ..types import Masks
from .method import Method
from .parameter import param

PAIRS = "pairs of a method and its roles, [(Recoding(5), Roles(dependent='age')), ...]"
ORDER = ("always", "by columns", "never")  # of Method.pairs
Step = tuple[Method, Roles]


def _steps(owner: str, name: str, value: Any) -> tuple[Step, ...]:
    """Checked pairs of method and roles."""
    steps = list[Step]()
    for pair in value if isinstance(value, list | tuple) else ():
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], Method):
            raise InvalidParameter(owner, name, f"must be {PAIRS}", pair)
        if pair[0].generates or isinstance(pair[0], Steps) or pair[0].privacy is not None:
            raise InvalidParameter(owner, name, "must be methods of this package, no Steps, without epsilon", pair[0])
        steps.append((pair[0], as_roles(f"step {len(steps) + 1}", pair[1])))
    if not steps:
        raise InvalidParameter(owner, name, f"must be {PAIRS}", value)
    return tuple(steps)


def _any_step(name: str) -> Any:
    """A property that says whether one of the steps has this property."""
    return property(lambda steps: any(getattr(method, name) for method, _ in steps.steps))


@dataclass(frozen=True)
class Steps(Method):
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
    one_for_one = False
    bounds = "default"  # of each step

    @property
    def roles(self) -> Roles:
        """The roles of the whole release: of each column that of the last step that treats it."""
        dropped = self._named("identifiers")
        works = dict.fromkeys(name for method, roles in self.steps for name in method.needs(roles.dependent))
        treated = [name for name in works or self._named("dependent") if name not in dropped]
        lists = [[n for n in self._named(role) if n not in (*treated, *dropped)] for role in ("independent", "unknown")]
        single = {role: named[-1] for role in SINGLE if (named := self._named(role))}
        return Roles(lists[0], treated, dropped, lists[1], **single)

    def _named(self, role: str) -> list[str]:
        """The columns of a role, each once, in the order of the steps."""
        return list(dict.fromkeys(name for _, roles in self.steps for name in roles.columns(role)))

    def treating(self, name: str, roles: Roles) -> Method | None:
        """See Method.treating: the last step that works on the column."""
        works = [method for method, own in self.steps if name in method.needs(own.dependent)]
        return works[-1] if works else self.steps[-1][0] if name in self.roles.dependent else None

    def attacks_on(self, dependent: Sequence[str]) -> tuple[Attack, ...]:
        """See Method.attacks_on: those on each step's columns."""
        attacks = list[Attack]()
        for method, roles in self.steps:
            own = [name for name in roles.dependent if name in dependent and self.treating(name, roles) is method]
            if own:
                places = tuple(list(dependent).index(name) for name in own)
                attacks += [OnColumns(attack, places) for attack in method.attacks_on(own)]
        return tuple(attacks)

    @property
    def masks(self) -> Masks:
        """See Method.masks: the most that a step does."""
        kinds = {method.masks for method, _ in self.steps}
        return "values" if "values" in kinds else "perturb" if "perturb" in kinds else "keys"

    @property
    def pairs(self) -> Any:  # type: ignore[override]  # of a class with one answer
        """See Method.pairs."""
        return max((method.pairs for method, _ in self.steps), key=ORDER.index)

    averages = _any_step("averages")
    reissues_values = _any_step("reissues_values")
    undone_by_seed = _any_step("undone_by_seed")
    weak_generator = _any_step("weak_generator")

    def parameters(self) -> dict[str, Any]:
        """See Method.parameters: a text for each step."""
        return {
            f"step {k}": f"{method} of {', '.join(method.needs(roles.dependent) or ('all records',))}"
            for k, (method, roles) in enumerate(self.steps, 1)
        }

    def settings(self) -> str:
        """See Method.settings."""
        return ", then ".join(self.parameters().values())
