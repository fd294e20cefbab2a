"""A method of a test's own: the facts are those of a method that replaces values, and has no attack."""

from dataclasses import dataclass

from pyfcrm.methods import Method
from pyfcrm.methods.facts import Facts
from pyfcrm.methods.work import NumberWork

OWN_FACTS = Facts(
    masks="values",
    pairs="always",
    keeps="",
    averages=False,
    reissues_values=False,
    undone_by_seed=True,
    weak_generator=False,
    deniable=False,
    privacy=None,
    swaps=False,
    attacks=(),
    seed_probe="release",
)


@dataclass(frozen=True)
class OwnMethod(Method):
    """A subclass writes `release(X, Y, run)`."""

    @classmethod
    def declared(cls):
        return ()

    def work(self, roles, records):
        return NumberWork(self.release)

    def facts(self, roles):
        return OWN_FACTS
