"""pyfcrm crosscheck: this package against R, number by number."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..arguments import whole_number
from ..errors import InvalidInput, InvalidParameter
from ..files import check_output, write_text
from .options import Request
from .show import document, notes, print_lines, progress, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from r_bridge.crosschecks import Problem, Row
    from r_bridge.crosschecks.record import Record

R_LARGEST_SEED = 2**31 - 1
DIGITS = 6


def run(request: Request) -> int:
    """Compare this package with R, number by number.

    Exit status 0 only if every requested row was compared and agrees; 1 if a row disagrees or did not run; 3 if these data leave
    rows undecided and none disagrees.
    """
    whole_number("crosscheck", "seed", request.seed, low=-R_LARGEST_SEED, high=R_LARGEST_SEED)
    if request.html is not None:
        check_output(request.html, [request.input, request.ipso_r])
    record = compared(request)
    if request.html is not None:
        from r_bridge.crosschecks.page import page

        write_text(request.html, page(record, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"))
    if request.json:
        document(record.document())
    else:
        _show(record)
    return record.status(allow_undecided=request.allow_undecided)


def compared(request: Request) -> Record:
    """Every requested case, computed on both sides."""
    from threadpoolctl import threadpool_limits

    from r_bridge.crosschecks.record import recorded
    from r_bridge.to_r.session import session, standard_output_closed
    from r_bridge.to_r.versions import versions

    with standard_output_closed(), threadpool_limits(limits=1, user_api="blas"):
        session()
        problems = _problems(request)
        _check_ipso(request)
        return recorded(_rows(problems, request), versions(), problems)


def _problems(request: Request) -> Sequence[Problem]:
    """The user's file, or all built-in data."""
    from pathlib import Path

    from r_bridge.crosschecks import built_in, from_file

    path = None if request.ipso_r is None else Path(request.ipso_r)
    if request.input is None:
        if request.independent or request.dependent:
            raise InvalidInput("crosscheck", "--independent and --dependent name columns of a file: give it as --input")
        return built_in(request.seed, path)
    independent, dependent = request.independent or [], request.dependent or []
    return [from_file(request.input, independent, dependent, request.seed, path)]


def _check_ipso(request: Request) -> None:
    """An agency's R file that cannot be read or does not define IPSOabc is an invalid argument."""
    from r_bridge.scripts import script
    from r_bridge.to_r.process import r_process
    from r_bridge.to_r.session import REnded, RError

    if request.ipso_r is None:
        return
    try:
        r_process().call("require_ipso", code=[request.ipso_r, script("agency.R")])
    except REnded:
        raise
    except RError as error:
        rule = f"must be R code that defines IPSOabc ({error.text})"
        raise InvalidParameter("crosscheck", "--ipso-r", rule, request.ipso_r) from error


def _rows(problems: Sequence[Problem], request: Request) -> dict[str, list[Row]]:
    """The rows by the option that requested them, "" for those that are always computed."""
    import warnings

    from r_bridge.crosschecks import CASES, SDCMICRO_CASES, judge
    from r_bridge.to_r.session import RWarning

    cases = CASES + (SDCMICRO_CASES if request.sdcmicro else ())
    options = {"": True, "--ipso-r": request.ipso_r is not None, "--sdcmicro": request.sdcmicro}
    groups: dict[str, list[Row]] = {name: [] for name, requested in options.items() if requested}
    with progress("comparing with R") as advance, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RWarning)
        steps = [(problem, case) for problem in problems for case in cases]
        for done, (problem, case) in enumerate(steps):
            advance(done, len(steps), case.family)
            requested_by = case.option if options[case.option] else ""
            groups[requested_by] += judge(case, problem)
        advance(len(steps), len(steps), "")
    notes(dict.fromkeys(str(each.message) for each in caught if issubclass(each.category, RWarning)))
    return groups


def _show(record: Record) -> None:
    from r_bridge.crosschecks.coverage import by_reason

    versions = record.versions
    columns = ("what", "why that tolerance", "Python", "R", "difference", "tolerance", "verdict")
    for compared in record.compared:
        title = f"pyfcrm {versions['pyfcrm']} against R {versions['R']}; {compared.described}"
        cells = [_cells(row) for row in record.rows if row.data == compared.data.name]
        table(title, columns, cells, left=2)
    print_lines(
        "Of an array the mean is shown, and the largest relative difference over all its entries; tolerance 0: same bits.",
        "Python only, called from R, without a reference implementation there:",
        *(f"  {', '.join(names)}: {reason}." for reason, names in by_reason(record.python_only).items()),
        record.summary,
    )


def _cells(row: Row) -> tuple[str, ...]:
    """A row of the printed table."""
    from r_bridge.crosschecks.page import number, small

    return (
        row.what,
        row.reason,
        number(row.python, DIGITS),
        number(row.r, DIGITS),
        small(row.difference),
        small(row.tolerance),
        row.verdict,
    )
