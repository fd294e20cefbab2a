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
    from r_bridge.crosschecks import Problem, Row
    from r_bridge.crosschecks.record import Record

R_LARGEST_SEED = 2**31 - 1
DIGITS = 6


def run(request: Request) -> int:
    """Compare this package with R, number by number; exit status 0 only where all that was requested was compared and agrees."""
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
    return int(not record.passed)


def compared(request: Request) -> Record:
    """Every requested case, computed on both sides."""
    from threadpoolctl import threadpool_limits

    from r_bridge.crosschecks.record import recorded
    from r_bridge.to_r.session import session, standard_output_closed
    from r_bridge.to_r.versions import versions

    with standard_output_closed(), threadpool_limits(limits=1, user_api="blas"):
        session()
        problem = _problem(request)
        _check_ipso(request)
        return recorded(_rows(problem, request), versions(), problem)


def _problem(request: Request) -> Problem:
    from pathlib import Path

    from r_bridge.crosschecks import embedded, from_file

    path = None if request.ipso_r is None else Path(request.ipso_r)
    if request.input is None:
        if request.independent or request.dependent:
            raise InvalidInput("crosscheck", "--independent and --dependent name columns of a file: give it as --input")
        return embedded(request.seed, path)
    columns = request.independent or [], request.dependent or []
    return from_file(request.input, *columns, request.seed, path)


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


def _rows(problem: Problem, request: Request) -> dict[str, list[Row]]:
    """The rows by the option that requested them, "" for those that are always computed."""
    import warnings

    from r_bridge.crosschecks import CASES, SDCMICRO_CASES, judge
    from r_bridge.to_r.session import RWarning

    cases = CASES + (SDCMICRO_CASES if request.sdcmicro else ())
    options = {"": True, "--ipso-r": request.ipso_r is not None, "--sdcmicro": request.sdcmicro}
    groups: dict[str, list[Row]] = {name: [] for name, requested in options.items() if requested}
    with progress("comparing with R") as advance, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RWarning)
        for done, case in enumerate(cases):
            advance(done, len(cases), case.family)
            groups[case.option if options[case.option] else ""] += judge(case, problem)
        advance(len(cases), len(cases), "")
    notes(dict.fromkeys(str(each.message) for each in caught if issubclass(each.category, RWarning)))
    return groups


def _show(record: Record) -> None:
    from r_bridge.crosschecks.page import number, small

    versions = record.versions
    cells = [
        (row.what, row.reason, number(row.python, DIGITS), number(row.r, DIGITS), small(row.difference), small(row.tolerance),
         row.verdict)
        for row in record.rows
    ]  # fmt: skip
    title = f"pyfcrm {versions['pyfcrm']} against R {versions['R']}; {record.described}"
    table(title, ("what", "why that tolerance", "Python", "R", "difference", "tolerance", "verdict"), cells, left=2)
    print_lines(
        "Of an array the mean is shown, and the largest relative difference over all its entries; tolerance 0: same bits.",
        f"Python only, called from R, without a reference implementation there: {', '.join(record.python_only)}.",
        record.summary,
    )
