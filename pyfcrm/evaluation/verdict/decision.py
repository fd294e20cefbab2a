"""The verdict: the one place that decides whether a release is acceptable."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...data.roles import RESEARCH
from ...display import Result, View
from ...measures import MEASURES
from ...plans.limits import LIMITS, P_VALUE, UTILITY, Limits, changed_limits, limits_text
from .outcomes import Remedy

NEXT = "next step"  # before the remedies of a test
Status = Literal["pass", "hold", "not examined", "not applicable"]
ORDER: tuple[Status, ...] = ("hold", "not examined", "pass", "not applicable")
"""From the worst status of a test to the best."""


@dataclass(frozen=True)
class Test:
    """One test of a verdict.

    Parameters
    ----------
    key : str
        What is tested, such as "sample_uniques".
    status : {"pass", "hold", "not examined", "not applicable"}
        Its outcome.
    reason : str
        What was counted, or which input is missing.
    found, limit : tuple of float
        The quantities and their limits, in the same order and units; empty where there are none.
    unit : tuple of str
        The unit of each quantity.
    remedies : tuple of Remedy
        The next steps where it is not passed, the best first.
    """

    key: str
    status: Status
    reason: str = ""
    found: tuple[float, ...] = ()
    limit: tuple[float, ...] = ()
    unit: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()

    @property
    def found_text(self) -> str:
        """The quantities as printed, such as "86.6 %"."""
        return "; ".join(map(figure, self.found, self.unit))

    @property
    def limit_text(self) -> str:
        """The limits as printed, such as "limit 5"."""
        if not self.limit:
            return ""
        values = "; ".join(f"{value:g}" for value in self.limit)
        return f"limit {values}"

    @property
    def remedy(self) -> str:
        """The next steps in words, such as "top-code `wage` at 20,000; or leave `region` out of `preserve`"."""
        return "; or ".join(remedy.words for remedy in self.remedies)

    @property
    def plan(self) -> str:
        """The next steps that a plan carries out, each as the tables that it changes; empty where a plan can carry out none."""
        return "\n".join(remedy.plan for remedy in self.remedies if remedy.plan)

    def row(self) -> dict[str, Any]:
        """The test as plain data.

        Returns
        -------
        dict
            key, status, found, limit, reason, remedy and plan; found and limit as text, plan as TOML.
        """
        return {
            "key": self.key,
            "status": self.status,
            "found": self.found_text,
            "limit": self.limit_text.removeprefix("limit "),
            "reason": self.reason,
            "remedy": self.remedy,
            "plan": self.plan,
        }

    __test__ = False  # pytest collects classes of this name


def figure(value: float, unit: str) -> str:
    """A quantity of a test as printed; whole numbers have all their digits."""
    if unit == P_VALUE:
        return f"p {value:.2g}"
    if unit == "%":
        return f"{value:.4g} %"
    is_whole = value % 1 == 0
    return f"{value:,.0f}" if is_whole else f"{value:.3g}"


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """Whether a release is acceptable: "pass" only if every applicable test was examined and passed.

    Parameters
    ----------
    tests : tuple of Test
        Every test, in the order of the limits.
    changed : tuple of str
        The limits that the caller changed or added, such as "dr 15".
    unknown : tuple of str
        Columns released unchanged that no intruder is assumed to know.
    product : {"research", "public"}
        What the release is for, by its roles.
    product_limits : tuple of str
        For another product than "research", each limit in force, such as "key_risk 1; 0.2".

    Notes
    -----
    The tests and their limits are defined in the documentation, page "Verdict".
    """

    tests: tuple[Test, ...]
    changed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    product: str = RESEARCH
    product_limits: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """ "hold" if a test failed, else "not examined" if one was not examined or none applies, else "pass"."""
        return self.applicable[0].status if self.applicable else "not examined"

    @property
    def ok(self) -> bool:
        """Whether the status is "pass"."""
        return self.status == "pass"

    def __getitem__(self, key: str) -> Test:
        return {test.key: test for test in self.tests}[key]

    @property
    def applicable(self) -> list[Test]:
        """The tests that apply, the worst first."""
        tests = [test for test in self.tests if test.status != "not applicable"]
        return sorted(tests, key=lambda test: ORDER.index(test.status))

    @property
    def headline(self) -> str:
        """The first line: status, product, changed limits, and columns that no intruder is assumed to know.

        A research file is the default, and not named.
        """
        product = "" if self.product == RESEARCH else f" Product: {self.product}."
        changed = f" Limits changed: {', '.join(self.changed)}." if self.changed else ""
        unknown = f" Not known to intruders: {', '.join(self.unknown)}." if self.unknown else ""
        return f"Verdict: {self.status.upper()}.{product}{changed}{unknown}"

    def lines(self) -> list[str]:
        """The verdict as text.

        Returns
        -------
        list of str
            The headline, then the tests: failed, not examined, passed, not applicable. Next steps are below their test.
        """
        shown = self.applicable
        cells = [(test.status, test.key, test.found_text, test.limit_text) for test in shown]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        text = [self.headline]
        for row, test in zip(cells, shown, strict=True):
            text.append("  ".join(["", *map(str.ljust, row, widths), test.reason]).rstrip())
            if test.remedies:
                text.append(f"    {NEXT}: {test.remedy}")
        rest = ", ".join(test.key for test in self.tests if test.status == "not applicable")
        if rest:
            text.append(f"  not applicable: {rest}")
        if self.product_limits:
            text.append(f"  limits of the product: {', '.join(self.product_limits)}")
        return text

    def _view(self) -> View:
        return View("", lead=self.lines())

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def rows(self) -> list[dict[str, Any]]:
        """The tests as plain data.

        Returns
        -------
        list of dict
            By test: key, status, found, limit, reason, remedy and plan; found and limit as text with units.
        """
        return [test.row() for test in self.tests]

    def document(self) -> dict[str, Any]:
        """The verdict as one document of plain data, for JSON and R.

        Returns
        -------
        dict
            status, headline, product, its limits, and tests.
        """
        return {
            "status": self.status,
            "headline": self.headline,
            "product": self.product,
            "product_limits": list(self.product_limits),
            "tests": self.rows(),
        }


UNEXAMINED = Verdict(())
"""The verdict of what no test has examined."""


def test_of(key: str, found: Sequence[float], limits: Limits, reason: str) -> Test:
    """The test of some quantities against its limits: a quantity that is not a number fails.

    key : of a test or a measure, or "utility"; limits : those that the caller changed or added. The value of a measure that
    was not computed is NaN: then it is not examined.
    """
    if key in LIMITS:
        limit = limits.get(key, LIMITS[key].values)
        unit = LIMITS[key].unit
        higher = False
    elif key == UTILITY:
        limit = limits[key]
        unit = ("%",)
        higher = False
    else:
        measure = MEASURES[key]
        limit = limits[key]
        unit = ("%" if measure.upper == 100 else "",)
        higher = measure.better == "higher"
        if math.isnan(found[0]):
            reason = "this measure was not computed"
            return Test(key=key, status="not examined", reason=reason, found=(), limit=limit, unit=unit)
        reason = "must be at least the limit" if higher else ""
    within = [
        _is_within(value, bound, each, higher=higher) for value, bound, each in zip(found, limit, unit, strict=True)
    ]
    return Test(
        key=key,
        status="pass" if all(within) else "hold",
        reason=reason,
        found=tuple(map(float, found)),
        limit=limit,
        unit=unit,
    )


def _is_within(value: float, limit: float, unit: str, *, higher: bool) -> bool:
    """Whether a quantity is within its limit; NaN never is. higher : whether higher values are better."""
    if unit == P_VALUE:
        return value > limit
    if higher:
        return value >= limit
    return value <= limit


def verdict_of(tests: Iterable[Test], limits: Limits, unknown: Iterable[str] = (), product: str = RESEARCH) -> Verdict:
    """The verdict of some tests. limits : those of the product, and those that the caller changed or added."""
    return Verdict(
        tests=tuple(tests),
        changed=tuple(changed_limits(limits, product)),
        unknown=tuple(unknown),
        product=product,
        product_limits=() if product == RESEARCH else tuple(limits_text(limits)),
    )


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several copies: of each test the worst outcome, then the largest quantities."""
    first = verdicts[0]
    tests = [min((verdict[test.key] for verdict in verdicts), key=_badness) for test in first.tests]
    return replace(first, tests=tuple(tests))


def _badness(test: Test) -> tuple[int, list[float]]:
    """The order of outcomes of one test: the worst status first, then the largest quantities."""
    return ORDER.index(test.status), [-quantity for quantity in test.found]
