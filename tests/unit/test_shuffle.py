"""The order of released records: `shuffle` of protect(), the test `order`, and pairing by the stored permutation.

Oracle: an intruder who reads the confidential values off the position, and the permutation that pairs equal columns.
"""

import json

import numpy as np
import pandas as pd
import pytest
from support.blocks import by_blocks
from support.business_file import business_file
from support.cli import pyfcrm

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.protection.order_dependence import order_dependence

X, Y = ["region", "size"], ["wage", "debt"]
ROLES = pf.Roles(X, Y)


def sorted_by(*names, n=400):
    return business_file(n).sort_values([*names]).reset_index(drop=True)


def read_off(frame, released):
    """The share of wages that the rank of a released record's position gives within 5 per cent of a standard deviation."""
    own = np.arange(len(frame)) if released.rows[0] is None else released.rows[0]
    guess = np.sort(released.frame["wage"].to_numpy())
    wage = frame["wage"].to_numpy()
    return np.mean(np.abs(guess - wage[own]) < 0.05 * wage.std())


def test_a_random_order_is_never_held_by_chance():
    """Known truth: protect() draws the order. With this stream it seemed to explain 9 per cent of the wages (p .01), and was held."""
    frame = business_file(150)
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=pf.RStream(46), shuffle=True)
    assert pf.evaluate(frame, released, measures="pil").verdict["order"].status == "pass"


def test_another_order_is_examined_where_labels_pair_the_records():
    frame = business_file(150)
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=pf.RStream(1), shuffle=False).frame
    by_wage = released.iloc[np.argsort(frame["wage"].to_numpy())]
    found = pf.evaluate(frame, by_wage, roles=ROLES, method=pf.IPSO("C"), measures="pil").verdict
    assert found["order"].status == "hold"


@pytest.mark.slow
def test_a_sorted_file_is_held_in_its_order_and_tells_nothing_shuffled():
    # Statistical: by chance 3 to 6 per cent of the wages are read off; in order all but those of the tails, which are drawn.
    frame = sorted_by("wage")
    method = pf.Calibrated(pf.IPSO("C"))
    in_order = pf.protect(frame, method, ROLES, seed=1, shuffle=False)
    by_default = pf.protect(frame, method, ROLES, seed=1)
    assert read_off(frame, in_order) > 0.8
    assert read_off(frame, by_default) < 0.12
    held = pf.evaluate(frame, in_order).verdict["order"]
    assert held.status == "hold"
    assert "shuffle" in held.remedy
    assert pf.evaluate(frame, by_default).verdict["order"].status == "pass"
    assert any("random order" in note for note in by_default.notes)


@pytest.mark.parametrize("names", [["debt"], ["region", "wage"], ["region", "size", "debt"]])
def test_orders_within_groups_are_found(names):
    frame = sorted_by(*names)
    found = order_dependence(open_frame("t", frame), X, Y, np.arange(len(frame)))
    assert found.column == names[-1]
    assert found.beyond_chance > 50


@pytest.mark.parametrize("piles", [2, 5, 8])
def test_an_order_dealt_out_in_turns_is_found(piles):
    """Sorted by wage, cut into piles, of which one record follows another in turns. The defect: 1 per cent of five piles was found."""
    frame = sorted_by("wage")
    place = np.arange(len(frame)) % (len(frame) // piles)
    dealt = frame.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)
    found = order_dependence(open_frame("t", dealt), X, Y, np.arange(len(frame)))
    assert found.column == "wage"
    assert found.beyond_chance > 50


def test_two_records_that_are_far_apart_explain_nothing():
    """The defect: of 31 records two are 30 places apart, in one fold, and the slope of the others overflowed (a RuntimeWarning)."""
    frame = business_file(31, 4)
    assert order_dependence(open_frame("t", frame), [], Y, np.arange(31)).beyond_chance == 0


def test_a_file_sorted_by_its_predictors_keeps_its_order():
    frame = sorted_by("region", "size")
    assert pf.protect(frame, pf.IPSO("C"), ROLES).rows == (None,)


@pytest.mark.slow
def test_files_in_no_order_are_not_shuffled():
    # Statistical: the level is 1 per cent, and large files need an R2 of 5 per cent besides.
    held = 0
    for seed in range(30):
        frame = business_file([60, 150, 400, 2000][seed % 4], seed)
        found = order_dependence(open_frame("t", frame), X, Y, np.arange(len(frame)))
        held += found.beyond_chance > 5
    assert held <= 1


def test_an_unsorted_release_does_not_depend_on_the_option():
    frame = business_file(400)
    first = pf.protect(frame, pf.IPSO("C"), ROLES, seed=3)
    other = pf.protect(frame, pf.IPSO("C"), ROLES, seed=3, shuffle=False)
    pd.testing.assert_frame_equal(first.frame, other.frame)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_shuffled_release_is_the_release_in_order_permuted(library):
    frame = _as(library, business_file(100))
    in_order = open_frame("t", pf.protect(frame, pf.IPSO("C"), ROLES, seed=3, shuffle=False).frame)
    shuffled = pf.protect(frame, pf.IPSO("C"), ROLES, seed=3, shuffle=True)
    [rows] = shuffled.rows
    assert sorted(rows) == list(range(100))
    opened = open_frame("t", shuffled.frame)
    assert opened.index() is None
    for name in Y:
        np.testing.assert_array_equal(opened.values(name), in_order.values(name)[rows])


def _as(library, frame):
    """The frame in a library."""
    imported = pytest.importorskip(library)
    if library == "polars":
        return imported.from_pandas(frame)
    return frame if library == "pandas" else imported.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.slow
def test_everything_pairs_by_the_permutation():
    # Identical: the values of a release in order and of the same in random order belong to the same records.
    frame = business_file(150)
    in_order, shuffled = (pf.protect(frame, pf.IPSO("C"), ROLES, seed=3, shuffle=each) for each in (False, True))
    first, second = (pf.evaluate(frame, each) for each in (in_order, shuffled))
    for key in ("dbrl", "id", "pil", "linkage_informed"):
        assert second[key] == pytest.approx(first[key], abs=1e-9)
    first, second = (pf.records_at_risk(frame, each).to_frame() for each in (in_order, shuffled))
    pd.testing.assert_frame_equal(first.sort_values("record"), second.sort_values("record"))
    first, second = (pf.variable_changes(frame, each).to_frame() for each in (in_order, shuffled))
    pd.testing.assert_frame_equal(first, second)
    first, second = (pf.dependence_test(frame, each, ROLES, seed=1).p_value for each in (in_order, shuffled))
    assert first == second


def test_whole_households_are_shuffled():
    frame = business_file(200).assign(household=np.repeat(np.arange(80), [2, 3] * 40))
    roles = pf.Roles(["region"], Y, household="household")
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=3, shuffle=True)
    [rows] = released.rows
    household = frame["household"].to_numpy()[rows]
    assert (np.diff(household) != 0).sum() == 79  # each is one run
    assert all((np.diff(rows[household == each]) == 1).all() for each in range(80))


@pytest.mark.slow
def test_copies_have_permutations_of_their_own_and_the_first_is_the_single_release():
    frame = business_file(100)
    single = pf.protect(frame, pf.IPSO("C"), ROLES, seed=3, shuffle=True)
    copies = pf.protect(frame, pf.IPSO("C"), ROLES, seed=3, shuffle=True, copies=3)
    pd.testing.assert_frame_equal(single.frame, copies.frames[0])
    assert len({tuple(rows) for rows in copies.rows}) == 3
    assert pf.evaluate(frame, copies).verdict["unprotected"].status == "pass"


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_records_that_are_left_out_pair(library, shuffle):
    """Of polars and Arrow the release could not be evaluated."""
    frame = sorted_by("wage")
    frame.loc[[3, 50], "debt"] = np.nan
    original = _as(library, frame)
    released = pf.protect(original, pf.IPSO("C"), ROLES, seed=1, missing="drop", shuffle=shuffle)
    [rows] = released.rows
    assert set(rows) == set(range(400)) - {3, 50}
    region = open_frame("t", released.frame).cells("region")
    np.testing.assert_array_equal(region, frame["region"].to_numpy()[rows])
    assert pf.evaluate(original, released).verdict["unprotected"].status == "pass"


OF_SOME_RECORDS = {
    "sample": (pf.Sampling(0.3), ROLES, {}),
    "sample in strata": (pf.Sampling(0.4), ROLES, {"strata": ["region"]}),
    "swaps without gaps": (pf.RankSwapping(20), ROLES, {"missing": "drop"}),
    "steps": (pf.Steps([(pf.IPSO("C"), ROLES), (pf.Sampling(0.5), ROLES)]), None, {"missing": "drop"}),
}


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("case", OF_SOME_RECORDS)
def test_a_release_of_some_records_pairs_as_that_of_pandas(case, library, shuffle):
    """Oracle: the column of record numbers, which no method changes; and the evaluation of the release of the pandas frame."""
    method, roles, options = OF_SOME_RECORDS[case]
    frame = sorted_by("wage").assign(number=np.arange(400))
    frame.loc[[3, 50], "debt"] = np.nan
    found = []
    for name in ("pandas", library):
        original = _as(name, frame)
        released = pf.protect(original, method, roles, seed=2, shuffle=shuffle, allow_unprotected=True, **options)
        [rows] = released.rows
        np.testing.assert_array_equal(open_frame("t", released.frame).values("number"), rows)
        verdict = pf.evaluate(original, released).verdict
        found.append([(test.key, test.status, test.found) for test in verdict.tests])
    assert found[0] == found[1]


def test_a_privacy_budget_shuffles_without_reading_values():
    method = pf.IPSO("C", epsilon=1, delta=1e-5, clip={"wage": (0, 9000), "debt": (0, 90000)})
    frame = business_file(400)
    released = pf.protect(frame, method, ROLES)
    assert sorted(released.rows[0]) == list(range(400))
    assert any("untested" in note for note in released.notes)
    assert pf.protect(frame, method, ROLES, shuffle=False).rows == (None,)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "status"), [(1, "hold"), (None, "pass")])
def test_a_guessable_seed_undoes_the_permutation(seed, status):
    frame = sorted_by("wage")
    method = pf.Calibrated(pf.IPSO("C"))
    assert pf.evaluate(frame, pf.protect(frame, method, ROLES, seed=seed)).verdict["seed"].status == status
    in_order = pf.protect(frame, method, ROLES, seed=seed, shuffle=False)
    assert pf.evaluate(frame, in_order).verdict["seed"].status == "not applicable"


def test_a_file_its_manifest_and_verify_agree_on_the_order(tmp_path):
    frame = sorted_by("wage")
    frame.to_csv(tmp_path / "in.csv", index=False)
    paths = [tmp_path / name for name in ("in.csv", "out.csv", "private.json")]
    released = pf.protect_file(*paths[:2], pf.IPSO("C"), ROLES, manifest=paths[2])
    assert released.rows[0] is not None
    np.testing.assert_array_equal(pd.read_csv(paths[1])["region"], frame["region"].to_numpy()[released.rows[0]])
    assert pf.verify(paths[2], paths[1], paths[0]).ok


@pytest.fixture
def stored(tmp_path):
    """A file sorted by wage that is read in five blocks, its path, and that of the release."""
    frame = sorted_by("wage").assign(text=np.arange(400).astype(str))
    path = tmp_path / "in.parquet"
    frame.to_parquet(path, row_group_size=90)
    return frame, path, tmp_path / "out.parquet"


def test_a_file_read_by_blocks_is_shuffled_as_in_memory(stored):
    """Oracle: the release of the file in memory, from the same stream. Identical but for sums in another order."""
    frame, path, output = stored
    released = pf.protect(by_blocks(path), pf.IPSO("C"), ROLES, seed=3, output=output)
    whole = pf.protect(frame, pf.IPSO("C"), ROLES, seed=3)
    np.testing.assert_array_equal(released.rows[0], whole.rows[0])
    pd.testing.assert_frame_equal(pd.read_parquet(output), whole.frame, rtol=1e-9)
    assert {*output.parent.iterdir()} == {output, path}  # nothing else is left


def test_a_file_read_by_blocks_keeps_units_together_and_leaves_records_out(stored):
    """Oracle: the columns of the original at the recorded positions. Identical."""
    frame, path, output = stored
    frame = frame.assign(household=np.arange(400) // 3)
    frame.loc[[5, 250], "debt"] = np.nan
    frame.to_parquet(path, row_group_size=90)
    roles = pf.Roles(X, Y, household="household")
    released = pf.protect(by_blocks(path), pf.IPSO("C"), roles, output=output, shuffle=True, missing="drop")
    after = pd.read_parquet(output)
    [rows] = released.rows
    assert sorted(rows) == sorted({*range(400)} - {5, 250})
    np.testing.assert_array_equal(after["text"], frame["text"].to_numpy()[rows])
    assert (after["household"].diff() != 0).sum() == frame["household"].nunique()


def test_the_manifest_of_a_file_read_by_blocks_pairs_and_reproduces(stored):
    frame, path, output = stored
    manifest = path.with_name("private.json")
    words = [
        "protect",
        str(path),
        "-o",
        str(output),
        "--method",
        "noise",
        "--dependent",
        "wage,debt",
        "--by-blocks",
        "--seed",
        "3",
    ]
    assert pyfcrm(*words, "--manifest", str(manifest)).status == 0
    assert (pd.read_parquet(output)["text"] != frame["text"]).any()
    assert pf.verify(manifest, output, path).ok
    words = ["evaluate", str(path), str(output), "--manifest", str(manifest), "--json", "--measures", "pil,id"]
    tests = {row["key"]: row for row in json.loads(pyfcrm(*words, "--by-blocks").out)["verdict"]["tests"]}
    assert tests["order"]["status"] == "pass"
    assert tests["linkage"]["status"] == "hold"
