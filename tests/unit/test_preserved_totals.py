"""Totals that a release preserves: the rules by hand, the cells by loops, and what releases of the package keep."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm, refused

import pyfcrm as pf
from pyfcrm.data.blocks import Records
from pyfcrm.data.preserved_totals import Contributions, PreservedTotals
from pyfcrm.data.strata import Strata
from pyfcrm.errors import InvalidInput, InvalidParameter

P, FEW, ONE, TWO = "p% rule", "fewer than 3 contributors", "(1, 75) dominance", "(2, 85) dominance"


def unsafe_totals(Y, Z, X, *, dependent, independent, strata=None):
    """Of a release that comes as one block."""
    stratum = None if strata is None else Strata((), strata).codes
    totals = PreservedTotals(Records(X), dependent, independent, stratum)
    totals.add(X, Y, Z)
    return totals.checked()[1]


def rules(values):
    """The rules that a total of these contributions violates."""
    return Contributions.of(np.abs(np.array(values, dtype=float))[:, None]).violated_rules(0)


def by_loops(Y, Z, X, strata):
    """(stratum, domain, column) of every broken total: domains as sets of records, differences as differences of sets."""
    found = set()
    for k, rows in enumerate(strata):
        domains = {"": set(rows)}
        for j in range(X.shape[1]):
            values = sorted(set(X[rows, j]))
            domains |= {f"x{j}={v:g}": {i for i in rows if X[i, j] == v} for v in values if len(values) == 2}
        cells = dict(domains)
        for (a, A), (b, B) in product(domains.items(), repeat=2):
            if a and b and a.split("=")[0] != b.split("=")[0] and B < A:
                cells[f"{a} without {b}"] = A - B
        for (name, cell), j in product(cells.items(), range(Y.shape[1])):
            i = sorted(cell)
            if abs(Z[i, j].sum() - Y[i, j].sum()) < 0.1 * np.abs(Y[i, j]).max(initial=0) and rules(Y[i, j]):
                found.add((k, name, f"y{j}"))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_cells_are_those_of_the_loops(seed):
    """Oracle: sets of records. The second column's totals are not preserved. Identical."""
    rng = np.random.default_rng(seed)
    n = 60
    a, b = rng.random(n) < 0.5, rng.random(n) < 0.3
    X = np.column_stack([a, a & b, rng.normal(size=n), np.where(b, 3.0, -1.0)]).astype(float)
    Y = np.where(rng.random((n, 3)) < 0.3, 0, np.exp(2 * rng.normal(size=(n, 3)))) * rng.choice([-1, 1], (n, 3))
    Z = np.column_stack([Y[:, 0], Y[:, 1] + 1e6, Y[:, 2] * 1.001])
    strata = np.array_split(rng.permutation(n), 3)
    names = {"dependent": ["y0", "y1", "y2"], "independent": [f"x{j}" for j in range(4)]}
    found = unsafe_totals(Y, Z, X, strata=strata, **names)
    cells = {(int(one.cell.split()[1]) - 1, one.cell.partition(", ")[2], one.column) for one in found}
    assert cells == by_loops(Y, Z, X, strata)
    assert not any(one.column == "y1" for one in found)
    whole = unsafe_totals(Y, Z, X, **names)
    assert {("" if one.cell == "all records" else one.cell, one.column) for one in whole} == {
        found[1:] for found in by_loops(Y, Z, X, [np.arange(n)])
    }


@pytest.mark.parametrize("seed", range(3))
def test_differences_whose_largest_contributions_are_in_the_smaller_domain(seed):
    """Oracle: sets of records. The domain within another has its largest 30 contributions, more than are looked up first; of
    the others one is most."""
    rng = np.random.default_rng(seed)
    largest = np.arange(200) < 30
    Y = np.where(largest[:, None], 1000.0, 0.01) * rng.uniform(1, 2, size=(200, 2))
    Y[30] = 500.0
    X = np.column_stack([largest, np.arange(200) < 190, rng.random(200) < 0.03]).astype(float)
    names = {"dependent": ["y0", "y1"], "independent": ["x0", "x1", "x2"]}
    blocks = PreservedTotals(Records(X), **names, stratum=None)
    for rows in np.array_split(np.arange(200), 3):
        blocks.add(X[rows], Y[rows], Y[rows])
    found = blocks.checked()[1]
    cells = {(0, "" if one.cell == "all records" else one.cell, one.column) for one in found}
    assert cells == by_loops(Y, Y, X, [np.arange(200)])
    assert found == unsafe_totals(Y, Y, X, **names)
    assert any("without" in cell for _, cell, _ in cells)


def test_differences_of_many_levels_are_limited():
    """By hand: each of k levels lies within what is left of each other one, which makes k (k - 1) differences; 100,000 are examined."""
    level = np.arange(1600) % 400
    X = (level[:, None] == np.arange(400)).astype(float)
    Y = np.ones((1600, 1))
    totals = PreservedTotals(Records(X), ["y"], [f"x{j}" for j in range(400)], None)
    totals.add(X, Y, Y)
    count, unsafe = totals.checked()
    assert count == 1 + 2 * 400 + 100_000
    assert unsafe == ()  # four equal contributions to each level
    (note,) = totals.notes()
    assert (note.count, note.total) == (400 * 399 - 100_000, 400 * 399)


def planted():
    """300 records of lognormal amounts; two of them alone have the flag, and one has most of the tax."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=300), np.arange(300) < 2]).astype(float)
    Y = np.exp(rng.normal(size=(300, 2)))
    Y[7, 1] = 5000.0
    return X, Y


def test_what_ipso_keeps_and_noise_does_not():
    """IPSO keeps the totals of the domains in its design: the flag's, and of all records the dominated tax's. By what it promises."""
    X, Y = planted()
    names = {"dependent": ["wage", "tax"], "independent": ["age", "flag"]}
    Z = pf.IPSO("C").protect(X, Y, pf.RStream(1))
    found = unsafe_totals(Y, Z, X, **names)
    assert {(one.column, one.cell) for one in found} == {
        ("tax", "all records"),
        ("wage", "flag=1"),
        ("tax", "flag=1"),
        ("tax", "flag=0"),
    }
    few = [one for one in found if one.cell == "flag=1"]
    assert all(one.contributors == 2 and FEW in one.rules for one in few)
    assert unsafe_totals(Y, pf.Noise("uncorrelated", 400).protect(X, Y, pf.RStream(1)), X, **names) == ()


def test_a_total_is_preserved_to_p_per_cent_of_its_largest_contribution():
    """By hand: contributions 100 and 50 of a domain of two; the total of all three records is safe by no rule either."""
    X, Y = np.array([[1.0], [1], [0], [0], [0], [0]]), np.array([[100.0], [50], [60], [60], [60], [60]])
    for moved, unsafe in ((9.9, ["flag=1"]), (10.0, []), (-9.9, ["flag=1"]), (1e-12, ["flag=1"])):
        Z = Y + moved * np.array([[1.0], [0], [0], [0], [0], [0]])
        totals = PreservedTotals(Records(X), ["wage"], ["flag"], None)
        totals.add(X, Y, Z)
        preserved, found = totals.checked()
        assert [total.cell for total in found] == unsafe
        assert preserved == (3 if unsafe else 1)  # of all, of the two, of the four, which does not move


ROLES = pf.Roles(["age", "flag"], ["wage", "tax"])


def frame():
    X, Y = planted()
    return pd.DataFrame({"age": X[:, 0], "flag": X[:, 1].astype(int), "wage": Y[:, 0], "tax": np.rint(Y[:, 1])}).assign(
        part=np.arange(300) // 100
    )


def test_strict_totals_refuses_and_writes_nothing(tmp_path):
    """Identical: no file, one sentence; a release that breaks nothing comes through."""
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    frame().to_csv(source, index=False)
    with pytest.raises(InvalidInput, match="with strict_totals no preserved total may disclose a contribution"):
        pf.protect_file(source, output, pf.IPSO("C"), ROLES, seed=1, strict_totals=True)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
    strict, plain = (
        pf.protect(frame(), pf.Noise("uncorrelated", 400), ROLES, seed=1, strict_totals=s) for s in (True, False)
    )
    pd.testing.assert_frame_equal(strict.frame, plain.frame)
    words = ["--method", "ipso", "--independent", "age,flag", "--dependent", "wage,tax", "--strict-totals"]
    message = refused(tmp_path, lambda: pyfcrm("protect", str(source), "-o", str(output), *words))
    assert "no preserved total" in message
    with pytest.raises(InvalidParameter, match="`strict_totals` must be True or False"):
        pf.protect(frame(), pf.IPSO("C"), ROLES, strict_totals=1)


@pytest.mark.parametrize("strata", [None, "part"])
def test_a_file_read_by_blocks_obeys_the_rules_too(tmp_path, strata):
    """Oracle: the notes of the frame. Identical; where totals are refused nothing is written."""
    from pyfcrm.data import open_data

    frame().to_parquet(tmp_path / "in.parquet")
    opened = open_data("protect", tmp_path / "in.parquet", whole=False)
    options = {"method": pf.IPSO("C"), "roles": ROLES, "seed": 1, "strata": strata}
    with pytest.raises(InvalidInput, match="no preserved total may disclose a contribution"):
        pf.protect_file(opened, tmp_path / "out.parquet", **options, strict_totals=True)
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]
    (by_blocks,), (at_once,) = (
        [one for one in result.all_notes if "preserved totals disclose" in one]
        for result in (
            pf.protect_file(opened, tmp_path / "out.parquet", **options),
            pf.protect(frame(), options["method"], ROLES, 1, strata=strata),
        )
    )
    assert by_blocks == at_once


@pytest.mark.parametrize(
    ("values", "violated"),
    [
        ([5, 5], (FEW, P, TWO)),
        ([5, 5, 5], ()),  # three contributors are enough
        ([0, 5, 5, 0], (FEW, P, TWO)),  # zeros contribute nothing
        ([75, 13, 12], (TWO,)),  # 75 % are not more than 75 %
        ([76, 12, 12], (ONE, TWO)),
        ([45, 40, 15], ()),  # nor 85 % more than 85 %
        ([45, 41, 14], (TWO,)),
        ([100, 2, 5, 5], (P, ONE, TWO)),  # all but the two largest are 7 % of the largest: 7 < 10
    ],
)
def test_the_rules_at_their_edges_by_hand(values, violated):
    """At most 75 and 85 per cent, at least three contributors. Identical."""
    assert rules(values) == violated


@pytest.mark.parametrize(("rest", "broken"), [(10.0, False), (9.99, True)])
def test_the_p_per_cent_rule_is_of_the_largest_contribution(rest, broken):
    """Contributions of 100 and 3, and a rest that is at least 10 per cent of 100, or less. Identical."""
    cell = Contributions(5, np.array([103 + rest]), np.array([5]), np.array([[100.0], [3.0]]))
    assert ("p% rule" in cell.violated_rules(0)) == broken
