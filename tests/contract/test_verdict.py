"""The verdict: what each test counts, what it needs, and that nothing passes unexamined.

Oracle: the table of tests in docs/verdict.md, by hand on small files. Grade: identical where counted, statistical where drawn.
"""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.method_examples import EXAMPLES

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.evaluation.auditing.audit_result import Audit
from pyfcrm.evaluation.auditing.digest import audit_digest
from pyfcrm.evaluation.copies import merged
from pyfcrm.evaluation.evaluate_request import EvaluateRequest
from pyfcrm.evaluation.report import Report
from pyfcrm.evaluation.risk.categorical_disclosure import Links
from pyfcrm.evaluation.verdict import decision, disclosure_tests, release_tests
from pyfcrm.evaluation.verdict.attack_tests import alarms_of
from pyfcrm.evaluation.verdict.decision import Test, verdict_of
from pyfcrm.evaluation.verdict.examined_release import ExaminedRelease
from pyfcrm.evaluation.verdict.outcomes import Decided, Measured, NotApplicable, NotExamined, Remedy
from pyfcrm.evaluation.verdict.plan_changes import PlanChange
from pyfcrm.evaluation.verdict.release_tests import run_test
from pyfcrm.measures.measure import Parts
from pyfcrm.numerics.chance import beyond_chance
from pyfcrm.plans.limits import LIMITS, P_VALUE, product_limits, read_limits
from pyfcrm.protection.options import Options

X, Y = ["sex", "age", "size"], ["wage", "rent"]
ROLES = pf.Roles(X, Y)
CLEAN = pf.Calibrated(pf.IPSO("C"))
KEYS = [
    "unprotected",
    "sample_uniques",
    "key_risk",
    "replicated",
    "risk",
    "linkage",
    "edits",
    "totals",
    "order",
    "audit",
    "dependence",
    "seed",
    "ledger",
]


def survey(n=300, seed=1):
    """Predictors that many records share, and two continuous amounts."""
    rng = np.random.default_rng(seed)
    sex, age, size = rng.integers(0, 2, n), 10 * rng.integers(2, 7, n), rng.integers(1, 4, n)
    wage = np.exp(7 + 0.3 * sex + 0.01 * age + 0.4 * rng.normal(size=n))
    rent = np.exp(5 + 0.2 * size + 0.3 * rng.normal(size=n)) + 0.1 * wage
    return pd.DataFrame({"sex": sex, "age": age, "size": size, "wage": wage, "rent": rent})


@pytest.fixture(scope="module")
def frame():
    return survey()


@pytest.fixture(scope="module")
def released(frame):
    """From a state of the generator that no whole number makes, the same in each run: one draw in a hundred is on hold."""
    stream = pf.RStream(1)
    stream.runif(1000)
    return pf.protect(frame, CLEAN, ROLES, seed=pf.RStream.from_r_state(stream.to_r_state()))


@pytest.fixture(scope="module")
def audit(frame):
    return pf.audit(frame, CLEAN, ROLES, seed=2, repeats=1)


def verdict(frame, release, **options):
    return pf.evaluate(frame, release, measures="pil", **options).verdict


@pytest.mark.slow
def test_a_clean_release_passes_every_test(frame, released, audit):
    found = verdict(frame, released, audit=audit)
    assert [test.key for test in found.tests] == KEYS
    assert found.ok, str(found)
    assert found["linkage"].status == found["key_risk"].status == "not applicable"


def test_without_roles_each_reason_names_the_roles(frame, released):
    tests = pf.evaluate(frame, released.frame, measures="pil").verdict.tests
    reasons = {test.key: test.reason for test in tests if test.status == "not examined" and test.key != "seed"}
    assert all("roles" in reason for reason in reasons.values()), reasons


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["roles", "method", "audit", "pairs", "order"])
def test_without_one_input_no_verdict_passes(frame, released, audit, missing):
    options = {"roles": ROLES, "method": CLEAN, "audit": audit}
    release = released.frame
    if missing == "pairs":
        release = release.iloc[:-20].reset_index(drop=True)
        options.pop("method")  # linkage that knows the method needs pairs, and says so in an error
    elif missing == "order":
        release = release.iloc[::-1].reset_index(drop=True)
    else:
        options.pop(missing)
    found = verdict(frame, release, **options)
    assert found.status != "pass"
    assert "not examined" in {test.status for test in found.tests}


@pytest.mark.slow
def test_an_audit_of_something_else_is_not_examined(frame, released, audit):
    assert verdict(frame, released, audit=audit)["audit"].status == "pass"
    for data, *facts in (
        (survey(seed=2), ROLES, CLEAN),
        (frame, ROLES, pf.IPSO("C")),
        (frame, pf.Roles(X[:2], Y), CLEAN),
    ):
        foreign = dataclasses.replace(audit, digest=audit_digest(open_data("audit", data), *facts))
        assert verdict(frame, released, audit=foreign)["audit"].status == "not examined"


@pytest.mark.slow
def test_a_small_file_cannot_pass():
    small = survey(80)
    of_small = pf.audit(small, CLEAN, ROLES, repeats=1, shadows=0)
    found = verdict(small, pf.protect(small, CLEAN, ROLES), audit=of_small)
    assert found["audit"].status == "not examined"
    assert not found.ok


def _unprotected(z, y):
    z.loc[:19, Y] = y.loc[:19, Y]


def _copied(z, y):
    z["wage"] = y["wage"]


def _negative(z, y):
    z.loc[5, "rent"] = -1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "key"),
    [(_unprotected, "unprotected"), (_copied, "unprotected"), (_negative, "edits")],
)
def test_a_fault_holds_the_release(frame, released, audit, fault, key):
    release = released.frame.copy()
    fault(release, frame)
    found = verdict(frame, release, roles=ROLES, method=CLEAN, audit=audit)
    assert found[key].status == "hold"
    assert found.status == "hold"


@pytest.mark.slow
def test_a_column_released_unchanged_counts_whatever_its_role(frame, released, audit):
    """60 % of the records get a code of their own, without a role."""
    coded = frame.assign(code=np.arange(len(frame)))
    coded.loc[coded.index[180:], "code"] = 0
    release = released.frame.assign(code=coded["code"])
    found = verdict(coded, release, roles=ROLES, method=CLEAN)
    assert found["sample_uniques"].status == "hold"
    assert found["sample_uniques"].found[0] == pytest.approx(60.0, abs=12)
    unknown = pf.Roles(X, Y, unknown=["code"])
    assert verdict(coded, release, roles=unknown, method=CLEAN)["sample_uniques"].status == "pass"
    assert "Not known to intruders: code." in verdict(coded, release, roles=unknown, method=CLEAN).headline


@pytest.mark.slow
def test_which_cells_are_missing_is_a_key_variable(frame):
    gaps = frame.copy()
    gaps.loc[:59, "wage"] = np.nan
    released = pf.protect(gaps, CLEAN, ROLES, missing="protect")
    kept = pf.evaluate(gaps, released, measures="pil").kept
    assert kept is not None
    assert "missing cells" in kept.columns


@pytest.mark.slow
def test_key_risk_applies_where_a_weight_is_given(frame):
    """Oracle: pf.key_risk itself. With weights of 1 every sample unique is certain."""
    weighted = frame.assign(w=1.0)
    release = pf.protect(weighted, CLEAN, ROLES).frame
    found = verdict(weighted, release, roles=ROLES, method=CLEAN, weights="w")
    risk = pf.key_risk(release, X, "w").individual
    assert found["key_risk"].found == pytest.approx((100 * (risk > 0.1).mean(), 100 * risk.mean()))


@pytest.mark.slow
@pytest.mark.parametrize(("distinct", "warned"), [(300, True), (6, False)])
def test_a_nearly_unique_weight_is_a_warning(frame, distinct, warned):
    weighted = frame.assign(w=1.0 + np.arange(len(frame)) % distinct)
    notes = pf.evaluate(weighted, pf.protect(weighted, CLEAN, ROLES, weights="w"), measures="pil").notes
    assert [note.severity for note in notes if "`w` is nearly unique" in note] == ["warning"] * warned


def test_an_unsafe_total_holds(frame):
    flagged = frame.assign(flag=0)
    flagged.loc[7, "flag"] = 1
    roles = pf.Roles([*X, "flag"], Y)
    assert verdict(flagged, pf.protect(flagged, pf.IPSO("C"), roles), audit=None)["totals"].status == "hold"


@pytest.mark.parametrize(
    ("seed", "status"),
    [(1, "hold"), (None, "pass"), (pf.RStream.from_r_state(pf.RStream(3).to_r_state()), "hold")],
)
def test_a_seed_that_can_be_guessed_holds_where_it_undoes_the_method(frame, seed, status):
    released = pf.protect(frame, pf.Noise("uncorrelated", 150), ROLES, seed)
    assert verdict(frame, released)["seed"].status == status


@pytest.mark.slow
def test_an_unknown_seed_is_tried(frame):
    method = pf.Noise("uncorrelated", 150)
    found = verdict(frame, pf.protect(frame, method, ROLES, 77).frame, roles=ROLES, method=method)
    assert found["seed"].status == "hold"


@pytest.mark.parametrize("method", [pf.RankSwapping(2), pf.Noise("uncorrelated", 5), pf.Microaggregation(3)], ids=str)
def test_weak_perturbation_holds(frame, method):
    found = verdict(frame, pf.protect(frame, method, ROLES))
    assert {found["risk"].status, found["linkage"].status} == {"hold"}
    assert found["audit"].status == "not applicable"


def test_methods_that_coarsen_key_variables_are_judged_by_their_keys(frame):
    recoded = pf.protect(frame, pf.Recoding({"age": 40}), pf.Roles([], ["age"]))
    found = verdict(frame, recoded)
    assert {found[key].status for key in ("unprotected", "linkage", "audit")} == {"not applicable"}
    assert found["risk"].status == "pass"  # by groups of equal keys
    kept = pf.evaluate(frame, recoded, measures="pil", columns=["size"]).kept
    assert kept is not None
    assert "age" in kept.columns


def test_a_method_that_coarsens_needs_no_audit(frame):
    """Classes are no numbers, which an audit attacks: `audit=True` is no error, and the test does not apply."""
    released = pf.protect(frame, pf.Recoding(breaks=3), pf.Roles(dependent="wage"))
    report = pf.evaluate(frame, released, audit=True)
    assert report.verdict["audit"].status == "not applicable"


@pytest.mark.slow
def test_of_several_copies_the_worst_counts(frame, audit):
    released = pf.protect(frame, CLEAN, ROLES, copies=2)
    bad = released.frames[1].copy()
    bad.loc[:19, Y] = frame.loc[:19, Y]
    found = verdict(frame, [released.frames[0], bad], roles=ROLES, method=CLEAN, audit=audit)
    assert found["unprotected"].status == "hold"


@pytest.mark.slow
def test_limits_are_changed_added_and_named(frame, released, tmp_path):
    found = verdict(frame, released, limits={"dr": 0, "sample_uniques": 7})
    assert found["dr"].status == "hold"
    assert "dr 0" in found.headline
    assert "sample_uniques 7" in found.headline
    path = tmp_path / "limits.toml"
    path.write_text("[limits]\ndr = 0\nsample_uniques = 7\n")
    assert verdict(frame, released, limits=path).changed == found.changed
    assert not verdict(frame, released).changed


def test_research_is_the_default_and_public_is_stricter():
    """Oracle: the table of docs/limits.md. The file of research limits has the figures of the default."""
    for key, values in product_limits("research").items():
        assert LIMITS[key].values == values
        assert all(public <= own for public, own in zip(product_limits("public")[key], values, strict=True))
    assert read_limits("test", None) == read_limits("test", None, "research") == {}
    assert read_limits("test", "research") == product_limits("research")
    public = read_limits("test", "public")
    assert (public["sample_uniques"], public["key_risk"], public["risk"]) == ((1,), (1, 0.2), (2,))


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        ("research", ""),
        ("public", " Limits changed: product public."),
        ({"product": "public", "dr": 15}, " Limits changed: product public, dr 15."),
        ({"risk": 3}, " Limits changed: risk 3."),
    ],
    ids=str,
)
def test_a_product_stands_in_the_first_line(limits, named):
    assert verdict_of([], read_limits("test", limits)).headline == f"Verdict: NOT EXAMINED.{named}"


def test_a_plan_names_a_product(frame, tmp_path):
    """Its text has the figures, so that those of a later version do not apply."""
    frame.to_csv(tmp_path / "in.csv", index=False)
    text = '[input]\nfile = "in.csv"\n[roles]\nindependent = ["age"]\ndependent = ["wage"]\n[method]\nname = "gadp"\n'
    text += '[limits]\nproduct = "public"\ndr = 15\n[output]\nrelease = "out.csv"\n'
    (tmp_path / "plan.toml").write_text(text)
    plan = pf.read_plan(tmp_path / "plan.toml")
    assert plan.limits == read_limits("test", {"product": "public", "dr": 15})
    (tmp_path / "again.toml").write_text(plan.text())
    assert pf.read_plan(tmp_path / "again.toml").limits == plan.limits


@pytest.mark.parametrize("limits", ["publc", {"product": "internal"}])
def test_an_unknown_product_is_refused(limits):
    with pytest.raises((InvalidInput, InvalidParameter), match=r"limits"):
        read_limits("test", limits)


@pytest.mark.parametrize(
    "limits", [{"nothing": 1}, {"dr": "x"}, {"dr": float("nan")}, {"risk": [1, 2]}, {"risk": -1}, 5]
)
def test_limits_that_break_a_rule_are_refused(frame, released, limits):
    with pytest.raises((InvalidInput, InvalidParameter), match=r"limit"):
        verdict(frame, released, limits=limits)


def test_every_limit_has_a_reason_and_a_source():
    for key, limit in LIMITS.items():
        assert key in KEYS
        assert limit.reason
        assert limit.source
        assert len(limit.values) == len(limit.unit)


TOP_CODED = Remedy(
    "top-code `wage` at 20,000", PlanChange(before=((pf.TopBottomCoding(top=20_000), pf.Roles(dependent="wage")),))
)


@pytest.mark.parametrize("key", KEYS)
def test_every_hold_names_a_next_step(key):
    """An outcome without a remedy has that of its test; one that passes has none."""
    held = release_tests.test_from(key, Decided(holds=True, reason="found"), {})
    assert len(held.remedies) == 1
    assert f"    next step: {held.remedy}" in verdict_of([held], {}).lines()
    own = release_tests.test_from(key, Decided(holds=True, reason="found", remedies=(TOP_CODED, Remedy("drop it"))), {})
    assert own.row()["remedy"] == "top-code `wage` at 20,000; or drop it"
    passed = release_tests.test_from(key, Decided(holds=False, reason="found", remedies=(TOP_CODED,)), {})
    assert passed.row()["remedy"] == passed.row()["plan"] == ""


def test_tables_of_a_remedy_are_those_of_a_plan(frame, tmp_path):
    """Oracle: read_plan of the text that the verdict has. The release's own method follows, without what is dropped."""
    method, roles = pf.IPSO("C"), pf.Roles(["sex", "age"], ["wage", "rent"], ["size"])
    change = dataclasses.replace(TOP_CODED.change, dropped=("age",), keep={"structure": "find"})
    remedies = (Remedy("top-code `wage` at 20,000", change).planned(method, roles), Remedy("drop it"))
    test = release_tests.test_from("totals", Decided(holds=True, reason="", remedies=remedies), {})
    assert test.plan.startswith("# top-code `wage` at 20,000\n")
    assert "add the identifiers" not in test.plan
    frame.to_csv(tmp_path / "in.csv", index=False)
    tables = '[input]\nfile = "in.csv"\n[output]\nrelease = "out.csv"\nmanifest = "private.json"\n'
    (tmp_path / "plan.toml").write_text(tables + test.row()["plan"])
    plan = pf.read_plan(tmp_path / "plan.toml")
    assert plan.keep.structure == "find"
    assert plan.method.steps == (
        (pf.TopBottomCoding(top=20_000), pf.Roles(dependent="wage")),
        (method, pf.Roles("sex", ["wage", "rent"], ["size", "age"])),
    )


def test_every_method_declares_how_it_masks():
    for name, method in EXAMPLES.items():
        assert method.facts(pf.Roles()).masks in ("values", "perturb", "keys"), name
    assert pf.FCRM(2).facts(pf.Roles()).masks == "perturb"
    for method in (pf.FCRM(2, release="model"), pf.Calibrated(pf.IPSO("C"))):
        assert method.facts(pf.Roles()).masks == "values"
    assert pf.Calibrated(pf.RankSwapping(5)).facts(pf.Roles()).masks == "perturb"
    assert pf.Sampling(0.5).facts(pf.Roles()).masks == "keys"


def test_a_count_beyond_chance_by_hand():
    """Oracle: the 99 % quantile of a Poisson distribution of mean 11 is 19."""
    assert beyond_chance(19, 10) == 0
    assert beyond_chance(20, 10) == 1
    assert beyond_chance(1, 0) == 1


QUANTITIES = [
    pytest.param(key, j, unit, id=f"{key}, {unit}")
    for key, limit in LIMITS.items()
    for j, unit in enumerate(limit.unit)
]


@pytest.mark.parametrize(("key", "j", "unit"), QUANTITIES)
def test_a_quantity_passes_at_its_limit_and_holds_just_above(key, j, unit):
    """By the rule "at most the limit"; a p-value must exceed its limit. Identical: the next number of floating point."""
    values = [1.0 if unit == P_VALUE else 0.0 for unit in LIMITS[key].unit]
    limit = LIMITS[key].values[j]
    statuses = []
    for value in (np.nextafter(limit, -np.inf), limit, np.nextafter(limit, np.inf)):
        values[j] = value
        statuses.append(decision.test_of(key, values, {}, "").status)
    assert statuses == (["hold", "hold", "pass"] if unit == P_VALUE else ["pass", "pass", "hold"])


@pytest.mark.parametrize(
    ("key", "statuses"), [("dr", ["pass", "pass", "hold"]), ("k_anonymity", ["hold", "pass", "pass"])]
)
def test_a_measure_at_its_limit(key, statuses):
    """Disclosure risk at most 3 per cent; groups of at least 3 records. A measure that was not computed is not examined."""
    assert [decision.test_of(key, (value,), {key: (3.0,)}, "").status for value in (2, 3, 4)] == statuses
    assert decision.test_of(key, (float("nan"),), {key: (3.0,)}, "").status == "not examined"


def test_a_quantity_that_is_no_number_holds():
    assert decision.test_of("risk", (float("nan"),), {}, "").status == "hold"


def test_the_status_of_each_outcome():
    outcomes = [
        (Measured((5.0,), "counted"), Test("risk", "pass", "counted", found=(5.0,), limit=(5,), unit=("points",))),
        (
            Decided(holds=True, reason="found", remedies=(Remedy("drop it"),)),
            Test("risk", "hold", "found", remedies=(Remedy("drop it"),)),
        ),
        (Decided(holds=False, reason="none found"), Test("risk", "pass", "none found")),
        (NotExamined("no input"), Test("risk", "not examined", "no input")),
        (NotApplicable(), Test("risk", "not applicable")),
    ]
    for outcome, test in outcomes:
        assert release_tests.test_from("risk", outcome, {}) == test


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (["pass", "not applicable"], "pass"),
        (["pass", "not examined"], "not examined"),
        (["not examined", "hold", "pass"], "hold"),
        (["not applicable"], "not examined"),
        ([], "not examined"),
    ],
)
def test_the_verdict_is_that_of_the_worst_test(statuses, status):
    """Oracle: the rule in docs/verdict.md: pass only if every applicable test was examined and passed."""
    found = verdict_of([Test(f"test {k}", each) for k, each in enumerate(statuses)], {})
    assert found.status == status
    assert found.ok == (status == "pass")


@pytest.mark.parametrize(("uniques", "status"), [(0, "pass"), (5, "pass"), (6, "hold")])
def test_a_whole_verdict_on_recoded_ages(uniques, status):
    """A file of 100 records, of which some have a code that no other has; by hand: at most 5 per cent may."""
    codes = np.zeros(100, dtype=int)
    codes[:uniques] = np.arange(1, uniques + 1)
    frame = pd.DataFrame({"age": np.repeat([21.0, 24.0, 41.0, 44.0], 25), "code": codes})
    frame = frame.sample(frac=1, random_state=1).reset_index(drop=True)  # sorted it would be released in random order
    released = pf.protect(frame, pf.Recoding({"age": 40}), pf.Roles([], ["age"]))
    report = pf.evaluate(frame, released, measures=["pil"])
    assert report.verdict["sample_uniques"].found == (uniques,)
    assert report.verdict.status == status, str(report.verdict)
    assert report.verdict["audit"].status == report.verdict["unprotected"].status == "not applicable"


def edits_test(original, released, **request):
    """The test `edits` of two frames, whose column x is confidential."""
    before, after = (open_data("evaluate", pd.DataFrame(frame)) for frame in (original, released))
    roles = request.setdefault("roles", pf.Roles([], ["x"]))
    request = EvaluateRequest(**request, independent=roles.independent)
    release = ExaminedRelease(request=request, original=before, protected=after)
    return run_test("edits", release)


DEBTS, AMOUNTS = [-9.5, -4.0, 0.0] * 5, [9.5, 4.0, 0.0] * 5


@pytest.mark.parametrize(
    ("original", "released", "count"),
    [
        (DEBTS, DEBTS, 0),
        (DEBTS, [3.0, 1e-9, -1.0] * 5, 10),
        (AMOUNTS, [-1e-9, 4.0, 0.0] * 5, 5),
        (AMOUNTS, [900.0, 4.0, 0.0] * 5, 0),  # outside the range of the original, which is no fault
        ([9.5, 4.0, -1.5] * 5, [9.5, 4.0, -30.0] * 5, 0),  # both signs occur
        ([9.5] * 1990 + [-1.5] * 10, [9.5] * 1988 + [-2.5] * 12, 2),  # 10 of 2,000 may be negative, as in the original
        ([9.5, 4.0, 0.0], [-9.5, 4.0, 0.0], 0),  # nothing is inferred from fewer than 10 records
    ],
)
def test_signs_by_hand(original, released, count):
    """Values of a sign that nearly all originals have not, beyond as many as in the original."""
    found = edits_test({"x": original}, {"x": released})
    assert found.found == (count,)
    assert found.status == ("hold" if count else "pass")
    assert found.reason.startswith(f"{count} values that the variables may not have")


@pytest.mark.parametrize(("level", "count"), [("b", 0), ("c", 1), (None, 0)])
def test_levels_that_no_original_has_are_counted(level, count):
    original = {"x": ["a", "b"] * 10}
    found = edits_test(original, {"x": [*original["x"][:19], level]})
    assert found.found == (count,)


def questionnaire():
    """Items on scales, months and days as numbers, and counts."""
    rng = np.random.default_rng(2)
    moments = pd.Timestamp("1995-01-01") + pd.to_timedelta(rng.integers(0, 9000, 400), unit="D")
    return pd.DataFrame(
        {
            "item": rng.integers(1, 7, 400),
            "month": moments.strftime("%Y%m").astype(int),
            "day": moments.strftime("%Y%m%d").astype(int),
            "rooms": rng.poisson(40, 400),
            "pay": rng.lognormal(7, 0.5, 400).round(2),
        }
    )


@pytest.mark.parametrize(
    ("name", "value", "count"),
    [("item", 7, 3), ("item", 3, 0), ("month", 201373, 3), ("month", 201312, 0), ("day", 20230631, 3), ("day", 20300601, 0),
     ("rooms", 40.5, 3), ("rooms", -1, 3), ("rooms", 5000, 0), ("pay", -1.25, 3), ("pay", 1e6, 0), ("pay", 7.125, 3)],
)  # fmt: skip
def test_values_that_a_variable_may_not_have_are_counted(name, value, count):
    """Three records get the value. Later dates and larger amounts than the original has are possible."""
    frame = questionnaire()
    changed = frame.astype(float)
    changed.loc[[3, 50, 200], name] = value
    found = edits_test(frame, changed, roles=pf.Roles([], list(frame)))
    assert found.found == (count,)
    assert (f"{count} of `{name}`" in found.reason) == (count > 0)


def test_a_rare_code_of_the_original_is_no_fault():
    """Nine of 900 records have a 9; it may be released, an 8 may not."""
    frame = pd.DataFrame({"x": [1, 2, 3] * 300})
    frame.loc[:8, "x"] = 9
    assert edits_test(frame, frame[::-1].reset_index(drop=True)).found == (0,)
    assert edits_test(frame, frame.replace(9, 8)).found == (9,)


def accounts():
    """A total with its parts, hours that are zero where the wage is, and a duplicate of the wage."""
    rng = np.random.default_rng(0)
    wage = rng.lognormal(7, 0.5, 200).round(2)
    wage[:60] = 0.0
    rent = rng.lognormal(6, 0.5, 200).round(2)
    hours = np.where(wage > 0, rng.integers(5, 50, 200), 0)
    return pd.DataFrame({"wage": wage, "rent": rent, "total": (wage + rent).round(2), "hours": hours})


def test_found_rules_are_counted():
    """Oracle: three records of which the total is changed, five without hours that get a wage, with their total; by hand."""
    frame = accounts()
    roles = pf.Roles(["hours"], ["wage", "rent", "total"])
    whole = edits_test(frame, frame, roles=roles)
    assert (whole.found, whole.status) == ((0,), "pass")
    assert whole.reason == "0 values that the variables may not have; 2 rules hold"
    changed = frame.copy()
    changed.loc[100:102, "total"] += 1.0
    changed.loc[:4, ["wage", "total"]] += 10.0
    found = edits_test(frame, changed, roles=roles)
    assert (found.found, found.status) == ((8,), "hold")
    assert "2 of 2 rules are broken: hours and wage are zero together in 5 records" in found.reason
    assert "total == wage + rent in 3 records" in found.reason


def test_a_rule_that_nearly_all_records_keep_is_counted_beyond_the_original():
    """Two of 400 records break the sum, in the original as in the release; a third one in the release. Its parts are at most it."""
    frame = pd.concat([accounts(), accounts()], ignore_index=True)[["wage", "rent", "total"]]
    frame.loc[[200, 201], "total"] += 3.0
    roles = pf.Roles([], ["wage", "rent", "total"])
    assert edits_test(frame, frame, roles=roles).reason.endswith("; 3 rules hold")
    changed = frame.copy()
    changed.loc[7, "total"] += 1.0
    assert edits_test(frame, changed, roles=roles).found == (1,)


def test_zeros_where_another_column_is_zero_and_nested_codes_are_counted():
    """Of 60 records without hours, four get a wage; of the records with a town, three get another region; by hand."""
    frame = accounts()[["wage", "hours"]]
    frame.loc[60:119, "wage"] = 0.0  # some work without a wage
    town = np.arange(200) % 8
    frame["town"] = [f"town {code}" for code in town]
    frame["region"] = np.where(town < 4, "east", "west")
    changed = frame.copy()
    changed.loc[:3, "wage"] = 500.0
    changed.loc[100:102, "region"] = ["west", "east", "nowhere"]
    changed.loc[100:102, "town"] = ["town 1", "town 6", "town 2"]
    roles = pf.Roles(["hours"], ["wage", "town", "region"])
    found = edits_test(frame, changed, roles=roles)
    assert "wage is zero where hours is in 4 records" in found.reason
    assert "town lies within region in 3 records" in found.reason
    assert found.found == (8,)  # `nowhere` is a new level too
    assert edits_test(frame, frame, roles=roles).found == (0,)


@pytest.mark.parametrize("records", [20, 200, 600])
def test_a_release_of_other_records_may_break_a_rule_in_proportion(records):
    """10 of 1,000 originals break x >= 0. Fewer records may all be these; three times as many may have 30 of them."""
    original = pd.DataFrame({"x": [-1.0] * 2 + [1.5] * 198})
    released = pd.DataFrame({"x": np.where(np.arange(records) < 7, -1.0, 1.5)})
    found = edits_test(original, released, options=Options(constraints=["x >= 0"]))
    by_sign_and_rule = 2 * (7 - max(records // 100, 2))
    assert found.found == (by_sign_and_rule,)


def test_plain_ipso_is_held_for_negative_amounts_and_a_calibrated_release_is_not():
    """Oracle: counts of negative amounts; `survey` has zeros, which normal draws do not."""
    frame = pf.datasets.survey(400)
    roles = pf.Roles(["age", "hours"], ["tax"], ["name"])
    for method in (pf.IPSO("C"), pf.GADP()):
        release = pf.protect(frame, method, roles, seed=1)
        found = verdict(frame, release)["edits"]
        assert found.status == "hold"
        assert found.reason.startswith(f"{(release.frame['tax'] < 0).sum()} values that the variables may not have")
    assert verdict(frame, pf.protect(frame, CLEAN, roles, seed=1))["edits"].status == "pass"


def test_new_levels_of_a_recoded_category_are_no_fault():
    frame = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "size": [1.5, 2.5] * 20})
    recoded = pf.protect(frame, pf.Recoding({"x": {"new": ["a", "b"]}}), pf.Roles([], ["x"]))
    assert verdict(frame, recoded, columns=["size"])["edits"].status == "not applicable"


@pytest.mark.parametrize(
    ("key", "values", "total"),
    [
        ("dbrl", [4.0, 7.0, 5.0], 7.0),  # a risk, lower is better
        ("k_anonymity", [4.0, 2.0, 5.0], 2.0),  # the smallest group, higher is better
        ("dbrl", [4.0, float("nan"), 5.0], 5.0),  # not computed of one copy
        ("pil", [4.0, 7.0, 4.0], 5.0),  # a loss: the mean
        ("um", [0.5, 0.75, 1.0], 0.75),
    ],
)
def test_of_several_copies_the_worst_risk_and_the_mean_loss_count(key, values, total):
    """By hand, whatever the order of the copies."""
    for turn in range(3):
        reports = [Report({key: Parts(value)}, ("x",), 10) for value in np.roll(values, turn).tolist()]
        assert merged(reports, None)[key] == pytest.approx(total, rel=1e-15)


@pytest.mark.parametrize(("records", "status"), [(99, "not examined"), (100, "pass")])
def test_an_audit_of_100_records_has_power(records, status):
    """At the edge by hand."""
    outcome = alarms_of(Audit((), CLEAN, records, records // 2, 1))
    assert release_tests.test_from("audit", outcome, {}).status == status


@pytest.mark.parametrize(("size", "found"), [(10, (0.0, 10.0)), (9, (100.0, 100 / 9))])
def test_an_individual_risk_of_a_tenth_is_not_high(size, found):
    """Groups of ten that are the population have a risk of exactly 1/10, those of nine of 1/9; by hand."""
    frame = pd.DataFrame({"age": np.repeat([1, 2, 3], size), "w": 1.0, "y": np.arange(3.0 * size)})
    roles = pf.Roles(["age"], ["y"], weight="w")
    before, after = (open_data("evaluate", one) for one in (frame, frame.assign(y=frame["y"][::-1].to_numpy())))
    request = EvaluateRequest(roles=roles, weights="w")
    release = ExaminedRelease(request=request, original=before, protected=after)
    assert run_test("key_risk", release).found == pytest.approx(found)


@pytest.mark.parametrize(("released", "broken"), [([-1.0, -2, 3, 4], 0), ([-1.0, 2, 3, 4], 0), ([-1.0, -2, -3, 4], 1)])
def test_broken_rules_count_beyond_those_of_the_original(released, broken):
    """The original breaks x >= 0 in two records; by hand."""
    options = Options(constraints=["x >= 0"])
    roles = pf.Roles([], ["x"])
    before, after = (open_data("evaluate", pd.DataFrame({"x": x})) for x in ([-1.0, -3, 3, 4], released))
    release = ExaminedRelease(request=EvaluateRequest(roles=roles, options=options), original=before, protected=after)
    assert run_test("edits", release).found[0] == broken


def test_of_numbers_and_categories_the_attack_that_links_most_counts(monkeypatch):
    """20 points above the baseline for categories, 5 for numbers, whose certain links are more; by hand, in either order."""
    numbers = {"linked": 15.0, "baseline": 10.0, "certain": 40.0}
    categories = {"linked": 30.0, "baseline": 10.0, "certain": 7.0}
    for first, second in ((numbers, categories), (categories, numbers)):
        values = {"linkage_informed": first["linked"], "certain": first["certain"]}
        inference = {"linkage_informed": first["baseline"], "certain": 0.0}
        risk = SimpleNamespace(values=values, inference=inference, records=100)
        other = Links(
            linked=second["linked"], baseline=second["baseline"], certain=second["certain"], certain_by_chance=0
        )
        none = Links(linked=10.0, baseline=10.0, certain=0.0, certain_by_chance=0.0)
        monkeypatch.setattr(disclosure_tests, "links", lambda sample, places, other=other: other)
        monkeypatch.setattr(disclosure_tests, "_links_by_ranks", lambda release, none=none: none)
        release = SimpleNamespace(compared=["x", "c"], masks_of=lambda name: "perturb", numbers=["x"], risk=risk,
                                  categories=["c"], sample=object())  # fmt: skip
        assert disclosure_tests.linkage(release).values == (20.0, 40.0)


def test_rules_of_a_file_that_is_read_by_blocks_are_those_of_memory(tmp_path):
    frame = accounts()
    frame.to_parquet(tmp_path / "in.parquet")
    roles = pf.Roles(["hours"], ["wage", "rent", "total"])
    changed = frame.assign(total=frame["total"] + 1.0)
    before = open_data("evaluate", tmp_path / "in.parquet", whole=False)
    assert before.source is not None
    request = EvaluateRequest(roles=roles, independent=roles.independent)
    release = ExaminedRelease(request=request, original=before, protected=open_data("evaluate", changed))
    assert run_test("edits", release) == edits_test(frame, changed, roles=roles)
