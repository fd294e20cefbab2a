"""Python against R row by row: a planted fault is caught, and what cannot be judged says so; tests/e2e has the whole command.

Oracle: the reference implementations in R, run live through rpy2, and faults made on purpose. The grades are the rows' own tolerances.
"""

import functools
import hashlib
import importlib
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.data import CENSUS_PATH, S1_DEPENDENT, S1_INDEPENDENT, requires_census
from support.r import requires_r

from pyfcrm.datasets import CENSUS_COLUMNS
from pyfcrm.errors import InvalidInput
from r_bridge.crosschecks import CASES, SDCMICRO_CASES, Case, Problem, Row, embedded, from_file, judge
from r_bridge.crosschecks.case import RELEASES, Line, largest_relative_difference, same_bits
from r_bridge.crosschecks.page import page
from r_bridge.crosschecks.record import recorded
from r_bridge.crosschecks.rounding import correlation_rounding, open_groups, open_links
from r_bridge.scripts import script
from r_bridge.to_r.session import REnded, RError, session
from r_bridge.to_r.versions import versions

pytest.importorskip("rpy2", reason="needs rpy2: pip install 'pyfcrm[r]'")
pytestmark = [pytest.mark.r, requires_r]


def rows_of(name: str, problem: Problem | None = None) -> list[Row]:
    problem = problem or embedded(1)
    return [row for case in CASES if case.family == name for row in judge(case, problem)]


# --- planted faults: one number of Python's changed by 1e-5 of itself -----------------------------------------------

FAULT = 1e-5  # above 1e-6, the largest bound of a file's rows


def off(value):
    """`value` with one of its entries, not the smallest, changed by FAULT of itself."""
    changed = np.array(value, dtype=np.float64)
    flat = changed.reshape(-1)
    flat[np.argsort(np.abs(flat))[flat.size // 2]] *= 1 + FAULT
    return changed


def plant(monkeypatch, module: str, name: str) -> None:
    *path, last = name.split(".")
    owner = functools.reduce(getattr, path, importlib.import_module(module))
    real = getattr(owner, last)
    monkeypatch.setattr(owner, last, lambda *a, **k: off(real(*a, **k)))


FAULTS = {
    "FCRM": ("pyfcrm.fuzzy.fcrm", "solved"),
    "IPSO": ("pyfcrm.methods.regression", "_values"),
    "FCM": ("pyfcrm.fuzzy.passes", "Sums.centers"),
    "PIL": ("pyfcrm.measures.pil", "_two_sided"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_caught(name, monkeypatch):
    plant(monkeypatch, *FAULTS[name])
    assert "FAIL" in {row.verdict for row in rows_of(name)}


def test_a_fault_in_one_entry_is_seen_whatever_else_is_larger(monkeypatch):
    """The slope of a wide column is a small number beside the intercept, and has a column of its own."""
    module = sys.modules["r_bridge.crosschecks.fits"]
    real = module.fcrm

    def wrong(*value, **named):
        fit = real(*value, **named)
        coef = fit.coef.copy()
        smallest = np.unravel_index(np.argmin(np.abs(coef)), coef.shape)
        coef[smallest] *= 1 + FAULT
        return replace(fit, coef=coef)

    monkeypatch.setattr(module, "fcrm", wrong)
    failed = [row.what for row in rows_of("FCRM") if row.verdict == "FAIL"]
    assert "FCRM: coefficients, one round" in failed


def test_one_wrong_link_one_wrong_draw_one_wrong_bit_are_caught(monkeypatch):
    from pyfcrm.linkage import nearest
    from pyfcrm.rstream import RStream

    problem = embedded(1)
    for name in RELEASES:
        problem.release(name)  # computed before the fault
    real = nearest.nearest_share

    def wrong(X, Z, own, engine=None):
        """The first original is linked if it is not, and not linked if it is."""
        share = real(X, Z, own)
        share[0] = share[0] == 0
        return share

    monkeypatch.setattr("pyfcrm.linkage.linker.nearest_share", wrong)
    assert "FAIL" in {row.verdict for row in rows_of("DBRL", problem)}
    runif = RStream.runif
    monkeypatch.setattr(RStream, "runif", lambda self, n: runif(self, n) * (1 + 2**-52))
    assert "FAIL" in {row.verdict for row in rows_of("streams", problem)}


# --- verdicts -------------------------------------------------------------------------------------------------------


def judged(python, r, tolerance=1e-8, problem=None, incomparable=lambda problem: None, **line) -> Row:
    """The verdict of a case of one row. r : a value, an error, or a function of the number of the call."""
    calls = []

    def result(value):
        if isinstance(value, Exception):
            raise value
        return {"line": value}

    def r_result(_):
        calls.append(1)
        return result(r(len(calls)) if callable(r) else r)

    lines = (Line("line", tolerance, "why", **line),)
    case = Case("case", lambda _: result(python), r_result, lines, incomparable=incomparable)
    (row,) = judge(case, problem or embedded(1))
    return row


def test_verdicts():
    assert judged(1.0, 1.0 + 1e-9).verdict == "ok"
    assert judged(1.0, 1.0 + 1e-7).verdict == "FAIL"
    assert judged(0.0, -0.0, tolerance=0.0).verdict == "FAIL"  # the same bits are asked for
    assert judged([1.0, np.nan], [1.0, np.nan]).verdict == "ok"
    other_shape, other_missing = judged([1.0], [1.0, 2.0]), judged([1.0, np.nan], [1.0, 2.0])
    assert (other_shape.verdict, other_shape.difference) == ("FAIL", None)
    assert (other_missing.verdict, other_missing.difference) == ("FAIL", None)
    refused = judged(InvalidInput("fcm", "no"), 1.0)
    assert (refused.verdict, refused.reason) == ("FAIL", "Python refused what R computed: fcm: no")
    uncovered = judged(1.0, RError("chol", "not positive"))
    assert uncovered.verdict == "FAIL: did not run"
    assert uncovered.reason == "R does not cover these data: R's chol: not positive"
    assert judged(2.0, 1.0, incomparable=lambda problem: "because").verdict == "FAIL: did not run"
    assert judged(np.array([1.0, 3.0]), np.array([1.0, 3.0])).python == 2.0  # an array shows its mean


def of_condition(condition: float) -> Problem:
    """A user's file of 200 records: two regressors that differ by a share of 1/condition, and a third column."""
    draw = np.random.default_rng(1)
    x, other, y = (draw.normal(size=200) for _ in range(3))
    other -= x * (x @ other) / (x @ x)
    X = np.column_stack([x, x + other * np.linalg.norm(x) / np.linalg.norm(other) * 2 / condition])
    return Problem(X, y[:, None], 1, None, "a file")


@pytest.mark.parametrize("condition", [1e2, 1e5, 1e8])
def test_the_condition_of_a_file(condition):
    """Oracle: two columns of length 1 with the angle 2/condition have singular values of the ratio `condition`."""
    assert of_condition(condition).condition == pytest.approx(condition, rel=0.2)


def test_the_condition_of_a_file_with_columns_that_depend_exactly_on_others():
    """Such columns do not count: both sides drop them. Oracle: the file without them; a large offset counts."""
    problem = of_condition(100)
    total = replace(problem, Y=np.column_stack([problem.Y, problem.X.sum(axis=1) + problem.Y[:, 0]]))
    assert total.condition == pytest.approx(problem.condition, rel=1)
    assert replace(problem, Y=problem.Y + 1e9).condition > 1e8


# Of a file with this condition number: the relative difference, and the verdict.
BOUNDS = [
    (1e2, 5e-9, "ok"), (1e2, 2e-8, "FAIL"), (1e5, 5e-8, "ok"), (1e5, 2e-7, "FAIL"), (1e5, 0.01, "FAIL"),
    (1e8, 5e-7, "ok"), (1e8, 2e-6, "undecided"), (1e8, 1e-5, "undecided"), (1e8, 3e-4, "FAIL"), (1e8, 0.3, "FAIL"),
    (1e10, 0.3, "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "difference", "verdict"), BOUNDS)
def test_a_difference_on_a_users_file_is_judged_by_the_condition_of_the_data(condition, difference, verdict):
    """By hand: the bound is 1e-12 times the condition number, between the row's 1e-8 and 1e-6.

    Of 1e10, rounding decides which columns are collinear to the 1e-10 of both sides.
    """
    problem = of_condition(condition)
    assert judged(1.0, 1.0 + difference, problem=problem).verdict == verdict
    built_in = replace(problem, built_in=True)
    assert judged(1.0, 1.0 + difference, problem=built_in).verdict == ("ok" if difference < 1e-8 else "FAIL")
    assert judged(1.0, 1.0 + difference, tolerance=0.0, problem=problem).verdict == "FAIL"


def test_a_result_of_r_that_its_second_call_does_not_repeat():
    """Agreement within the tolerance does not help."""
    problem = of_condition(1e8)
    for file in (problem, replace(problem, built_in=True)):
        row = judged(1.0, lambda call: 1.0 + call * 1e-15, problem=file)
        assert (row.verdict, "second call" in row.reason) == ("FAIL", True)
        stops_later = judged(1.0, lambda call: 1.0 if call == 1 else RError("own", "no"), problem=file)
        assert (stops_later.verdict, "second call" in stops_later.reason) == ("FAIL", True)


def test_counts_of_records_are_undecided_only_by_ties():
    """A share of 200 records: two of them have ties that rounding decides."""
    problem = of_condition(1e2)
    assert judged(50.0, 51.0, rounding=lambda _: 1.0, problem=problem).verdict == "undecided"
    assert judged(50.0, 51.5, rounding=lambda _: 1.0, problem=problem).verdict == "FAIL"
    assert judged(50.0, 51.0, rounding=lambda _: 1.0, problem=replace(problem, built_in=True)).verdict == "FAIL"


def test_open_links_by_hand():
    """Records 1 and 2 of five have two nearest protected records, whose distances differ by rounding, or are equal."""
    X = np.array([[0.0], [10.0], [20.0], [30.0], [40.0]])
    Z = X.copy()
    assert open_links(X, Z, 10) == 0
    near = np.array([[1.0], [1.0 + 1e-13], [20.0], [30.0], [40.0]])
    assert open_links(X, near, 10) == 40
    assert open_links(X, np.array([[1.0], [1.0], [20.0], [30.0], [40.0]]), 10) == 0


def test_open_groups_by_hand():
    """Of the third record, two others are at distances that differ by rounding; or at equal distances, which is no tie."""
    assert open_groups(np.array([[0.0], [3.0], [7.0], [20.0]]), 10) == 0
    assert open_groups(np.array([[3.0], [4.0], [10.0], [17.0 + 1e-12]]), 10) == np.inf
    assert open_groups(np.array([[1.0], [1.0], [3.0]]), 10) == 0


def test_rounding_of_correlations_by_hand():
    """Oracle: the formula for one pair of columns. Equal columns: everything."""
    X = np.array([[3.0, 3.0], [-3.0, -3.0], [4.0, -4.0], [-4.0, 4.0]])
    r = np.corrcoef(X, rowvar=False)[0, 1]
    assert correlation_rounding(X) == pytest.approx(25e-12 / (1 - r**2) ** 2)
    assert correlation_rounding(np.column_stack([X[:, 0], X[:, 0]])) == 100


def test_difference_by_hand():
    assert largest_relative_difference([1.0, 2.0], [1.0, 4.0]) == 0.5
    # Columns have units of their own; below a thousandth of its column's largest an entry is measured against that.
    assert largest_relative_difference([[1e6, 1.0]], [[1e6, 1.5]]) == pytest.approx(1 / 3)
    assert largest_relative_difference([1000.0, 1e-9], [1000.0, 3e-9]) == pytest.approx(2e-9)
    assert largest_relative_difference([1e-12], [3e-12], negligible=1e-10) == 0.0
    assert largest_relative_difference([0.0], [1e-9], negligible=1e-10) == 1.0
    assert largest_relative_difference([np.inf], [np.inf]) == 0.0
    assert largest_relative_difference([np.inf], [1.0]) == np.inf
    assert same_bits([1.0], [1.0])
    assert not same_bits([1.0], [[1.0]])


# --- a user's own file ----------------------------------------------------------------------------------------------


@requires_census
@pytest.mark.census
@pytest.mark.slow(12)
@pytest.mark.parametrize(
    ("independent", "families"),
    [(S1_INDEPENDENT, ("FCM", "FCRM", "IPSO", "PIL", "DBRL")), ((2, 5, 8, 10), ("FCRM", "IPSO"))],
    ids=["S1", "S1 with v5 = v8 + v10"],
)
def test_the_census_file_agrees(independent, families, tmp_path):
    """Every family that is quick, on every third record; with v5 those that regress, on collinear regressors."""
    names = [[CENSUS_COLUMNS[k - 1] for k in numbers] for numbers in (independent, S1_DEPENDENT)]
    header, *lines = CENSUS_PATH.read_text().splitlines(keepends=True)
    (tmp_path / "census.csv").write_text(header + "".join(lines[::3]))
    problem = from_file(str(tmp_path / "census.csv"), *names, 1)
    rows = [row for family_name in families for row in rows_of(family_name, problem)]
    assert [row for row in rows if row.verdict == "FAIL"] == []
    assert {row.family for row in rows if row.verdict == "ok"} == {row.family for row in rows}


def test_a_file_is_held_to_its_rules(tmp_path):
    path = tmp_path / "file.csv"
    draw = np.random.default_rng(1).normal(size=(30, 3))
    lines = ["a,b,c,word", *(",".join(map(repr, map(float, row))) + ",x" for row in draw)]
    path.write_text("\n".join(lines) + "\n")
    assert from_file(str(path), ["a"], ["b", "c"], 1).Y.shape == (30, 2)
    with_category = from_file(str(path), ["a", "word"], ["b", "c"], 1)
    assert with_category.X.shape == (30, 1)  # one level has no column
    assert list(with_category.mixed) == ["a", "word", "b", "c"]
    for independent, dependent, words in (
        (["a"], ["z"], "column"),
        (["b"], ["word"], "word"),
        (["a"], ["a"], "either independent or dependent"),
        ([], ["a"], "both --independent and --dependent"),
    ):
        with pytest.raises(InvalidInput, match=words):
            from_file(str(path), independent, dependent, 1)
    path.write_text("\n".join([*lines, ",1.0,2.0,x", "1.0,,2.0,"]) + "\n")
    assert from_file(str(path), ["a"], ["b", "c"], 1).described.endswith("32 records, 2 with missing values left out")
    path.write_text("\n".join(lines[:12]) + "\n")
    with pytest.raises(InvalidInput, match="at least 20 records"):
        from_file(str(path), ["a"], ["b"], 1)


def test_of_a_long_file_every_kth_record_is_taken(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + "".join(f"{k},{k * k}\n" for k in range(3001)))
    problem = from_file(str(path), ["a"], ["b"], 1)
    assert problem.X[:3, 0].tolist() == [0.0, 3.0, 6.0]
    assert "3001 records, one in 3 taken" in problem.described


# --- ordinary files that arithmetic is hard on -----------------------------------------------------------------------


def ordinary(name: str) -> Problem:
    """60 records of lognormal amounts with heaps of zeros, and what offices do with such columns."""
    draw = np.random.default_rng(5)
    age, hours = draw.lognormal(3, 1, 60), draw.lognormal(2, 0.8, 60)
    wage = 100 * np.sqrt(age) + 30 * hours + draw.normal(0, 40, 60)
    tax, grant = 20 * hours + 0.1 * wage + draw.gamma(2, 20, 60), draw.lognormal(4, 1, 60) * (draw.random(60) > 0.3)
    X, Y = np.column_stack([age, hours]), np.column_stack([wage, tax, grant])
    files = {
        "a total among the dependent": (X, np.column_stack([Y, Y.sum(axis=1)])),
        "two currencies": (np.round(np.column_stack([age, 166.386 * age]) * 1000, 2), Y),
        "0 and 1": ((draw.random((60, 2)) > 0.5) * 1.0, (draw.random((60, 2)) > [0.3, 0.6]) * 1.0),
        "an offset of 1e12": (X, 1e12 + Y),
    }
    return Problem(*(np.ascontiguousarray(A, dtype=np.float64) for A in files[name]), 3, None, name)


ORDINARY = ("a total among the dependent", "two currencies", "0 and 1", "an offset of 1e12")
ROUNDED = ("FCM", "FCRM", "IPSO", "PIL")  # the families that sum; the others count


@pytest.mark.slow
@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_file_raises_no_alarm_and_hides_no_fault(name, monkeypatch):
    """Every family has a deciding row. With a fault of 1e-5 in any of those that sum, a row that agreed agrees no more: it is
    FAIL, or undecided where these data are ill-conditioned. Oracle: the references in R; faults made on purpose."""
    problem = ordinary(name)
    rows = [row for case in CASES if case.family != "streams" for row in judge(case, problem)]
    assert [row for row in rows if row.verdict.startswith("FAIL")] == []
    decided = {row.family for row in rows if row.verdict == "ok"}
    for family_name in ROUNDED:
        assert family_name in decided
        with monkeypatch.context() as faulty:
            plant(faulty, *FAULTS[family_name])
            cases = [case for case in CASES if case.family == family_name]
            agreed = {row.what for row in rows if row.verdict == "ok"}
            changed = [row for case in cases for row in judge(case, problem) if row.verdict != "ok"]
            assert agreed & {row.what for row in changed}, family_name


# --- the record and the page ---------------------------------------------------------------------------------


def test_the_page_holds_everything_and_lets_nothing_in():
    """Oracle: what was put in, escaped; nothing that a browser would run or fetch."""
    nasty = '<script>alert("x")</script> & more'
    first, second, third, *_ = rows_of("IPSO")
    rows = [replace(first, what=nasty, reason=nasty), replace(second, verdict="FAIL", difference=None)]
    rows.append(replace(third, what="PIL: total", verdict="undecided"))
    record = recorded({"": rows}, versions() | {"odd": nasty}, [embedded(7)])
    record = replace(record, compared=[replace(record.compared[0], described=nasty)])
    text = page(record, "2024-02-29 12:00 UTC")
    assert "<script" not in text
    assert text.count("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; more") == 4
    assert "http" not in text.lower()
    assert "src=" not in text
    for word in (
        "2024-02-29 12:00 UTC",
        *versions(),
        *versions().values(),
        record.compared[0].data.sha256,
        "AGI, POTHVAL",
    ):
        assert word in text
    assert '<tr class="FAIL">' in text
    words = "3 rows requested: 1 agree, 1 undecided, 0 skipped, 1 disagree. Not decided on these data: PIL (1)."
    assert (record.summary, record.status(), record.status(allow_undecided=True)) == (words, 1, 1)
    assert "ARF" in text


def test_the_record_names_what_was_run(tmp_path):
    """Oracle: hashlib's digests of the files as they lie there, and of the values simulated here."""
    own, file = tmp_path / "own.R", tmp_path / "file.csv"
    own.write_bytes(script("ipso.R").read_bytes())
    file.write_text("a,b\n" + "".join(f"{k},{k * k % 17}\n" for k in range(40)))
    result = recorded({"--sdcmicro": []}, {}, [from_file(str(file), ["a"], ["b"], 5, own)]).document()
    assert result["data"] == {
        "name": "file.csv", "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "roles": {"independent": ["a"], "dependent": ["b"]},
    }  # fmt: skip
    assert (result["seed"], result["agree"], result["skipped"], result["disagree"]) == (5, 0, 0, 0)
    assert result["r_files"][0] == {"name": "own.R", "sha256": hashlib.sha256(own.read_bytes()).hexdigest()}
    assert {file["name"] for file in result["r_files"]} >= {"pil.R", "bridge.R", "sdcmicro.R"}
    problem = embedded(3)
    values = b"".join(column.tobytes() for column in [*problem.X.T, *problem.Y.T])
    assert recorded({}, {}, [problem]).compared[0].data.sha256 == hashlib.sha256(values).hexdigest()


# The verdicts of the rows; the exit status, and that with --allow-undecided.
STATUSES = [
    (["ok"], 0, 0), (["ok", "undecided"], 3, 0), (["ok", "skipped"], 3, 0), (["ok", "undecided", "FAIL"], 1, 1),
    (["ok", "FAIL: did not run"], 1, 1), (["undecided", "skipped"], 1, 1), ([], 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(("verdicts", "status", "allowed"), STATUSES)
def test_the_exit_status(verdicts, status, allowed):
    """0 means: every requested row was compared and agrees, as `pyfcrm crosscheck --help` states."""
    row = judged(1.0, 1.0)
    record = recorded({"": [replace(row, verdict=verdict) for verdict in verdicts]}, {}, [embedded(1)])
    assert (record.status(), record.status(allow_undecided=True)) == (status, allowed)
    document = record.document()
    counts = sum(document[key] for key in ("agree", "undecided", "skipped", "disagree"))
    assert (counts, counts) == (len(verdicts), len(document["rows"]))
    assert all(row["data"] == "simulated" for row in document["rows"])


@pytest.mark.parametrize("ending", ['quit(save = "no")', "tools::pskill(Sys.getpid(), 9)"])
def test_code_that_ends_r_has_no_row(ending, tmp_path):
    """Only where the data are these: no row, not even a skipped one; and this R goes on."""
    copy = tmp_path / "own.R"
    own = script("ipso.R").read_text()
    copy.write_text(own + f"\nkept <- IPSOabc\nIPSOabc <- function(...) {{ {ending}; kept(...) }}\n")
    with pytest.raises(REnded, match=r"quit\(\)|ended R"):
        rows_of("IPSO", replace(embedded(1), ipso_path=copy))
    assert session().call("sum", [1, 2]).value.tolist() == [3.0]


def test_versions_name_everything():
    found = versions()
    assert found.keys() >= {"pyfcrm", "python", "numpy", "scipy", "pandas", "rpy2", "R", "blas", "BLAS of R"}
    assert all(found.values())
    assert len(SDCMICRO_CASES) > 5
