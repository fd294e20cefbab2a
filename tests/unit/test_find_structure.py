"""find_structure(): what it proposes of files made here, and what it must not. Identical: counts by hand."""

import json

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm, refused

import pyfcrm as pf
from pyfcrm.constraints import parsed
from pyfcrm.errors import InvalidParameter


def texts(frame, roles=None):
    return [text for one in pf.find_structure(frame, roles) for text in one.texts]


def words(frame, kind=None):
    return [one.words for one in pf.find_structure(frame) if kind in (None, one.kind)]


def books(n=800, seed=1, wrong=0):
    """Quantity times a price that hardly varies, two totals over one sum, another currency, thousands, exports."""
    rng = np.random.default_rng(seed)
    q = np.where(rng.random(n) < 0.4, 0, np.floor(rng.lognormal(3, 1.5, n)))
    sales = np.round(q * 12.5 * np.exp(0.01 * rng.normal(size=n)))
    other = np.where(rng.random(n) < 0.6, 0, np.rint(rng.lognormal(4, 1, n)))
    total = sales + other
    cost = np.rint(total * rng.uniform(0.5, 0.9, n))
    frame = pd.DataFrame(
        {
            "q": q,
            "sales": sales,
            "other": other,
            "total": total,
            "cost": cost,
            "profit": total - cost,
            "in euros": np.round(total * 1.1, 1),
            "tens of sales": np.rint(sales / 10),
            "tens of other": np.rint(other / 10),
            "tens": np.rint(total / 10),
            "exports": np.floor(total * rng.random(n) ** 0.5 * (rng.random(n) < 0.5)),
        }
    )
    frame.loc[: wrong - 1, "total"] += 3
    return frame


@pytest.mark.slow
def test_identities_of_a_business_file():
    found = pf.find_structure(books())
    text = {one.words for one in found}
    assert "`in euros` == 1.1*total, in all 800 records" in text
    assert "total == sales + other, in all 800 records" in text
    assert "tens == `tens of sales` + `tens of other` but for rounding (within 1), in all 800 records" in text
    assert any(set(one.columns) == {"total", "cost", "profit"} and one.exact for one in found)
    assert {one.kind for one in found.exact} == {"identity", "rounded", "at_most", "sign"}
    assert len([one for one in found if one.kind == "identity"]) == 3


@pytest.mark.slow
def test_pairs_of_a_business_file():
    text = words(books())
    assert "q, sales and `tens of sales` are zero together" in " ".join(text)
    assert "exports is at most total, in all 800 records" in text


@pytest.mark.slow
def test_a_few_wrong_records_leave_an_identity_with_its_count():
    found = [one for one in pf.find_structure(books(wrong=5)) if set(one.columns) == {"total", "sales", "other"}]
    assert [(one.count, one.total, one.exact) for one in found] == [(795, 800, False)]


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 5, 8, 12, 16, 25, 40])
@pytest.mark.parametrize("kind", ["floats", "whole", "counts", "zeros", "flags"])
def test_unrelated_columns_make_nothing(n, kind):
    """Sixteen columns of few records: every one is a combination of the others, and none is proposed."""
    rng = np.random.default_rng(n)
    values = {
        "floats": lambda: rng.normal(size=(n, 16)),
        "whole": lambda: np.rint(rng.lognormal(3, 1, size=(n, 16))),
        "counts": lambda: rng.poisson(1.0, size=(n, 16)),
        "zeros": lambda: np.where(rng.random((n, 16)) < 0.9, 0, np.rint(rng.lognormal(3, 1, size=(n, 16)))),
        "flags": lambda: rng.integers(0, 2, size=(n, 16)),
    }[kind]()
    found = pf.find_structure(pd.DataFrame(values, columns=[f"v{k}" for k in range(16)]))
    assert {one.kind for one in found} <= {"sign"}


@pytest.mark.parametrize("broken", [0, 4])
def test_ranges_that_hardly_overlap_are_no_order(broken):
    """Scores of 4 to 8 beside numbers of persons from 5 on, at random. By hand.

    At random 1.6 per cent of the records break the order. Of 1,000 these are 16, so that 4 are too many; of 500 they are 8, too
    few to tell. A score that is drawn below the person has the order. The defect: "buttery is at most subject".
    """
    rng = np.random.default_rng(1)
    n = 1000 if broken else 500
    person = np.repeat([5.0, 20, 30, 40, 50, 60, 70, 80, 90, 100], n // 10)
    score = rng.permutation(np.r_[np.full(n * 16 // 100, 8.0), rng.uniform(4, 4.9, n - n * 16 // 100)])
    first = np.flatnonzero((person == 5) & (score == 8))
    later = np.flatnonzero((person > 5) & (score < 5))[: len(first)]
    score[first[broken:]] = score[later[broken:]]
    score[later[broken:]] = 8
    assert (score > person).sum() == broken
    unrelated = pd.DataFrame({"person": person, "score": score})
    related = unrelated.assign(score=person * rng.uniform(0.5, 1, n))
    roles = pf.Roles("person", "score")
    assert not len(pf.find_structure(unrelated, roles).of_kind("at_most"))
    assert len(pf.find_structure(related, roles).of_kind("at_most")) == 1


def test_signs_and_orders_that_all_records_keep():
    """Orders of one unit, signs that do not follow from other rules, and no order of hours and wages. By hand."""
    rng = np.random.default_rng(4)
    whole = rng.lognormal(5, 1, 400)
    hours = np.rint(rng.uniform(5, 40, 400))
    values = {
        "whole": whole,
        "part": whole * rng.random(400),
        "loss": -rng.random(400),
        "balance": rng.normal(size=400),
    }
    frame = pd.DataFrame({**values, "hours": hours, "wage": hours * rng.uniform(9, 30, 400), "sex": "f"})
    found = pf.find_structure(frame, pf.Roles(["sex", "hours"], ["whole", "part", "loss", "balance", "wage"]))
    assert [one.words for one in found] == [
        "part is at most whole, in all 400 records",
        "part, wage are at least 0, in all 400 records",
        "loss is at most 0, in all 400 records",
    ]
    assert found.exact == found
    assert [one.columns for one in pf.find_structure(frame.assign(part=[-1.0, *frame["part"][1:]])).exact] == [
        ("part", "whole"),
        ("whole", "hours", "wage"),
        ("loss",),
    ]


@pytest.mark.slow
def test_what_it_says_can_be_declared_and_holds():
    """Every constraint that is proposed in all records is read back, and no record breaks it."""
    frame = books()
    for one in pf.find_structure(frame):
        for constraint in parsed("test", list(one.texts)):
            coefficients, bound = constraint.scaled()
            off = sum(c * frame[name] for name, c in coefficients.items()) - bound
            off = off.abs() if constraint.equality else off
            assert (off <= 1e-6).sum() == one.count


@pytest.mark.slow
def test_accepting_by_number_and_kind():
    found = pf.find_structure(books())
    assert list(found.accept(2, 1)) == [found[1], found[0]]
    assert {one.kind for one in found.of_kind("at_most")} == {"at_most"}
    assert str(found).splitlines()[0] == f"1. {found[0].words}"
    assert list(found.to_frame().columns) == ["kind", "words", "columns", "count", "total", "exact", "constraint"]
    with pytest.raises(InvalidParameter, match="must be a whole number from 1 to"):
        found.accept(99)
    assert str(pf.find_structure(books()[["q"]] - 5)) == "No structure was found between the columns."


@pytest.mark.slow
def test_the_command(tmp_path):
    path = tmp_path / "books.csv"
    books().to_csv(path, index=False)
    expected = pf.find_structure(str(path))
    ran = pyfcrm("structure", str(path), "--independent", "cost", "--dependent", "total,profit", "--json")
    found = pf.find_structure(str(path), pf.Roles(["cost"], ["total", "profit"]))
    assert json.loads(ran.out)["rows"] == found.rows()
    assert pf.Structure.of(json.loads(ran.out)["rows"]) == found
    ran = pyfcrm("structure", str(path), "--accept", "2,1", "--json")
    assert pf.Structure.of(json.loads(ran.out)["rows"]) == expected.accept(2, 1)
    assert "`numbers` must be a whole number from 1 to" in refused(
        tmp_path, lambda: pyfcrm("structure", str(path), "--accept", "99")
    )


def test_a_difference_of_both_signs_is_derived_beside_a_rounded_total():
    """Known truth: equity is what is left of a total. Derived from it, other columns would be below zero and cut off there."""
    rng = np.random.default_rng(5)
    fixed, current, debt = (np.exp(rng.normal(5, 0.8, size=400)) for _ in range(3))
    total = fixed + current
    columns = {"fixed": fixed, "current": current, "total": total, "debt": debt, "equity": total - debt}
    frame = pd.DataFrame({name: np.rint(column) for name, column in columns.items()})
    rounded = [one for one in pf.find_structure(frame) if one.kind == "rounded"]
    assert {one.columns[0] for one in rounded} == {"total", "equity"}


def test_a_question_that_few_are_asked_hides_no_sum():
    """Known truth: a total of two parts, in a file in which no record has all columns.

    The defect: sums were found in records without any gap, of which schools that all lack one of two class sizes have none.
    """
    rng = np.random.default_rng(3)
    parts = pd.DataFrame(rng.integers(1, 900, (200, 2)), columns=["a", "b"]).astype(float)
    frame = parts.assign(
        total=parts["a"] + parts["b"], young=rng.integers(1, 60, 200).astype(float), old=1.0 + np.arange(200) % 40
    )
    frame.loc[::2, "young"] = np.nan
    frame.loc[1::2, "old"] = np.nan
    frame.loc[:9, "total"] = np.nan
    found = [one for one in pf.find_structure(frame) if one.kind == "identity"]
    assert [(one.columns[0], dict(one.terms)) for one in found] == [("total", {"a": 1.0, "b": 1.0})]
    assert (found[0].count, found[0].total) == (190, 190)


def test_an_empty_column_brings_no_warning_of_numpy(recwarn):
    """Known truth: a column without a value is in no rule."""
    frame = pd.DataFrame({"a": np.arange(60.0), "b": 2 * np.arange(60.0), "empty": np.nan})
    assert [one.columns for one in pf.find_structure(frame) if one.kind == "identity"] == [("b", "a")]
    assert not recwarn


def test_the_total_of_a_sum_is_derived_beside_its_share():
    """By hand: votes are the sum of three parties, and a share of all votes is a multiple of them.

    The defect: votes were derived from the share, and a party from the votes less the others, cut off at 0 in a third of the records.
    """
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({name: np.rint(rng.lognormal(8, 1, 300)) for name in ("a", "b", "c")})
    frame["votes"] = frame["a"] + frame["b"] + frame["c"]
    frame["share"] = frame["votes"] / 2904977.625
    found = {
        one.columns[0]: {name for name, _ in one.terms} for one in pf.find_structure(frame) if one.kind == "identity"
    }
    assert found == {"votes": {"a", "b", "c"}, "share": {"votes"}}


def test_a_centred_column_is_the_column_less_its_mean():
    """Known truth: IQ less its mean, which has more than four decimals. The defect: such a pair was no rule, and its release broke it."""
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"iq": rng.integers(8, 36, 300) / 2, "score": rng.integers(0, 60, 300)})
    frame["centred"] = frame["iq"] - frame["iq"].mean()
    (found,) = (one for one in pf.find_structure(frame) if one.kind == "identity")
    assert (found.columns, found.terms) == (("centred", "iq"), (("iq", 1.0),))
    np.testing.assert_allclose(found.constant, -frame["iq"].mean(), rtol=1e-12)  # sums in another order
    assert pf.find_structure(frame)[0].texts
