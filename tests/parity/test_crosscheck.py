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
from r_bridge.scripts import script
from r_bridge.to_r.session import REnded, RError, session
from r_bridge.to_r.versions import versions

pytest.importorskip("rpy2", reason="needs rpy2: pip install 'pyfcrm[r]'")
pytestmark = [pytest.mark.r, requires_r]


def rows_of(name: str, problem: Problem | None = None) -> list[Row]:
    problem = problem or embedded(1)
    return [row for case in CASES if case.family == name for row in judge(case, problem)]


# --- planted faults: one number of Python's changed by 1e-6 of itself -----------------------------------------------


def off(value):
    """`value` with one of its entries, not the smallest, changed by 1e-6 of itself."""
    changed = np.array(value, dtype=np.float64)
    flat = changed.reshape(-1)
    flat[np.argsort(np.abs(flat))[flat.size // 2]] *= 1 + 1e-6
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
        coef[smallest] *= 1 + 1e-6
        return replace(fit, coef=coef)

    monkeypatch.setattr(module, "fcrm", wrong)
    failed = [row.what for row in rows_of("FCRM") if row.verdict == "FAIL"]
    assert "FCRM: coefficients, one round" in failed


def test_a_link_that_hangs_on_what_counts_as_equal_is_not_decided(monkeypatch):
    """Beside distances that differ in their last digits half a link is no fault; else it is."""
    from r_bridge.crosschecks import measures

    real = measures.MEASURES["dbrl"]
    monkeypatch.setitem(measures.MEASURES, "dbrl", lambda X, Z: real(X, np.vstack([Z[:1], Z[:1], Z[2:]])))
    assert [row.verdict for row in rows_of("DBRL")] == ["FAIL", "FAIL"]
    monkeypatch.setattr(measures, "EQUAL_DISTANCES", (0.5,) * 4)
    assert [row.verdict for row in rows_of("DBRL")] == ["skipped", "skipped"]


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


def judged(python, r, tolerance=1e-8, incomparable=lambda problem: None) -> Row:
    def give(value):
        if isinstance(value, Exception):
            raise value
        return {"line": value}

    case = Case(
        "case", lambda g: give(python), lambda g: give(r), (Line("line", tolerance, "why"),), incomparable=incomparable
    )
    (row,) = judge(case, embedded(1))
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


def test_what_r_refuses_where_the_data_move_is_not_decided():
    """A singular covariance: R's chol takes it or refuses it as its last digits fall; a difference then says nothing."""

    def judged(moved, difference=4e-6):
        lines = (Line("line", 1e-10, "why"),)
        case = Case("case", lambda g: {"line": 1.0}, lambda g: {"line": 1.0 + difference}, lines, perturbed=moved)
        (row,) = judge(case, embedded(1))
        return row

    def refuses(problem, way):
        raise RError("chol", "not positive")

    assert judged(lambda problem, way: {"line": 1.0 + 4e-6}).verdict == "FAIL"
    assert (judged(refuses).verdict, "0.001" in judged(refuses).reason) == ("skipped", True)
    assert judged(refuses, 4e-3).verdict == "FAIL"


@pytest.mark.parametrize(
    ("python", "r", "moved", "verdict"),
    [(9e-10, 2e-11, 2e-11, "ok"), (5e-9, 2e-11, 9e-10, "skipped"), (5e-9, 2e-11, 1e-10, "FAIL"),
     (1 + 2e-5, 1.0, 1 + 4e-7, "skipped"), (1 + 1e-4, 1.0, 1 + 4e-7, "FAIL"), (1 + 2e-7, 1.0, 1 + 1e-8, "FAIL")],
)  # fmt: skip
def test_values_that_these_data_leave_open(python, r, moved, verdict):
    """By hand: 1e-9 is nothing; beyond it, the change of R's own value within rounding decides whether there is a fault."""
    lines = (Line("line", 1e-8, "why", 1e-9),)
    case = Case(
        "case", lambda g: {"line": python}, lambda g: {"line": r}, lines, perturbed=lambda g, way: {"line": moved}
    )
    assert judge(case, embedded(1))[0].verdict == verdict


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
    # 30 rounds on these data turn rounding into other clusters; what is left out says so, and every family has rows.
    assert all("not decided" in row.reason for row in rows if row.verdict == "skipped")
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
    """Every family has a deciding row; a fault of 1e-6 in any of those that sum is found by one of its rows, or in the
    release they judge. Oracle: the reference implementations in R; faults made on purpose."""
    problem = ordinary(name)
    rows = [row for case in CASES if case.family != "streams" for row in judge(case, problem)]
    assert [row for row in rows if row.verdict == "FAIL"] == []
    assert all("not decided" in row.reason for row in rows if row.verdict == "skipped")
    decided = {row.family for row in rows if row.verdict == "ok"}
    for family_name in ROUNDED:
        assert family_name in decided
        with monkeypatch.context() as faulty:
            plant(faulty, *FAULTS[family_name])
            cases = [case for case in CASES if case.family == family_name]
            assert any(row.verdict == "FAIL" for case in cases for row in judge(case, problem)), family_name


# --- without sdcMicro, and the page ---------------------------------------------------------------------------------


def test_the_page_holds_everything_and_lets_nothing_in():
    """Oracle: what was put in, escaped; nothing that a browser would run or fetch."""
    nasty = '<script>alert("x")</script> & more'
    first, second, third, *_ = rows_of("IPSO")
    rows = [replace(first, what=nasty, reason=nasty), replace(second, verdict="FAIL", difference=None)]
    rows.append(replace(third, what="PIL: total", verdict="skipped"))
    record = replace(recorded({"": rows}, versions() | {"odd": nasty}, embedded(7)), described=nasty)
    text = page(record, "2024-02-29 12:00 UTC")
    assert "<script" not in text
    assert text.count("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; more") == 4
    assert "http" not in text.lower()
    assert "src=" not in text
    for word in ("2024-02-29 12:00 UTC", *versions(), *versions().values(), record.data.sha256, "AGI, POTHVAL"):
        assert word in text
    assert '<tr class="FAIL">' in text
    words = "3 rows requested, 2 compared: 1 agree, 1 skipped, 1 disagree. Not checked on these data: PIL."
    assert (record.summary, record.passed) == (words, False)
    assert "ARF" in text


def test_the_record_names_what_was_run(tmp_path):
    """Oracle: hashlib's digests of the files as they lie there, and of the values simulated here."""
    own, file = tmp_path / "own.R", tmp_path / "file.csv"
    own.write_bytes(script("ipso.R").read_bytes())
    file.write_text("a,b\n" + "".join(f"{k},{k * k % 17}\n" for k in range(40)))
    result = recorded({"--sdcmicro": []}, {}, from_file(str(file), ["a"], ["b"], 5, own)).document()
    assert result["data"] == {
        "name": "file.csv", "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "roles": {"independent": ["a"], "dependent": ["b"]},
    }  # fmt: skip
    assert (result["seed"], result["agree"], result["skipped"], result["disagree"]) == (5, 0, 0, 0)
    assert result["r_files"][0] == {"name": "own.R", "sha256": hashlib.sha256(own.read_bytes()).hexdigest()}
    assert {file["name"] for file in result["r_files"]} >= {"pil.R", "bridge.R", "sdcmicro.R"}
    problem = embedded(3)
    values = b"".join(column.tobytes() for column in [*problem.X.T, *problem.Y.T])
    assert recorded({}, {}, problem).data.sha256 == hashlib.sha256(values).hexdigest()


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
