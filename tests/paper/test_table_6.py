"""Table 6 of the thesis (table II of the paper): FCRM on scenario S1 of the Census file, PIL for c = 2 .. 15.

Oracle: the printed table. Grade: statistical. The printed starts are unknown, so the mean over two seeds is taken;
single starts vary by about 1 in PIL. Root mean square difference over the 14 rows at most 1.2, in per cent.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.data import S1_DEPENDENT, S1_INDEPENDENT, census_columns, requires_census

from pyfcrm import FCRM, IPSO, Roles, RStream
from pyfcrm.data.pairs import Pair
from pyfcrm.datasets import CENSUS_COLUMNS
from pyfcrm.measures.dbrl import dbrl_subsets
from pyfcrm.measures.interval import PER_CENTS, disclosure_within
from pyfcrm.measures.pil import pil
from pyfcrm.studies import STUDIES, Setting
from pyfcrm.studies.study import printed

SEEDS = (1, 2, 3, 4, 5)
TABLE_6 = {c: printed("6")[f"FCRM c={c}"] for c in range(2, 16)}
census = pytest.mark.census


def measure(c):
    """PIL, mean over two seeds, and the halved DR of the first. PRL, 0.1 here, is left out: it takes longest."""
    X, Y = census_columns(*S1_INDEPENDENT), census_columns(*S1_DEPENDENT)
    first, second = (FCRM(c).protect(X, Y, RStream(seed)) for seed in SEEDS[:2])
    linked = dbrl_subsets(Y, first).total
    narrow = disclosure_within(Pair.of(Y, first), PER_CENTS / 200).total
    return (pil(Y, first).total + pil(Y, second).total) / 2, 0.5 * (linked / 4 + narrow / 2)


@pytest.mark.slow(15)
@census
@requires_census
def test_table_6_is_reproduced():
    """Prints the table, measured beside printed (run pytest -s to read it)."""
    measured = np.array([measure(c) for c in TABLE_6])
    stated = np.array([(row["pil"], row["dr"]) for row in TABLE_6.values()])
    print("\n c  PIL printed  measured  DR printed  halved")
    for c, (loss, risk), (loss_, risk_) in zip(TABLE_6, stated, measured, strict=True):
        print(f"{c:2d} {loss:12.3f} {loss_:9.3f} {risk:11.3f} {risk_:7.3f}")
    difference = np.sqrt(np.mean((measured - stated) ** 2, axis=0))
    print("root mean square difference: PIL {:.3f}, halved DR {:.3f}".format(*difference))
    assert difference[0] <= 1.2
    assert difference[1] <= 1.2
    # The dial works: more clusters, less loss. The printed table rises once, from 13 to 14.
    assert (np.diff(measured[:, 0]) < 0).all()


@census
@requires_census
@pytest.mark.slow
def test_disclosure_is_not_as_printed():
    """FCRM picks the cluster by the true y, so its release sits near the original: DBRL above 30 at c = 2, 90 at c = 8.

    At c = 8 DBRL's quarter of the stated DR is more than the whole printed DR. By formula the DR is 31 and 58 (here
    within 5, one start); half of it, with intervals of total width p % and DBRL averaged over the first 1 .. 7 attributes,
    is what was printed (RMSE 0.9 over the 14 rows of one start; here within 2).
    """
    settings = tuple(setting for setting in STUDIES["s1"].settings if setting.label in ("FCRM c=2", "FCRM c=8"))
    study = replace(STUDIES["s1"], settings=settings, seeds=(1,))
    few, many = study.run(pd.DataFrame(dict(zip(CENSUS_COLUMNS, census_columns(*range(1, 14)).T, strict=True))))
    assert few["dbrl"] > 30
    assert many["dbrl"] > 90
    assert many["dbrl"] / 4 > TABLE_6[8]["dr"]
    for result, stated in ((few, 31), (many, 58)):
        assert result["dr"] == pytest.approx(stated, abs=5)
        assert result["dr_half"] == pytest.approx(result["dr_printed"], abs=2)


@census
@requires_census
def test_ipso_a_of_s1():
    """PIL by its formula is 62.0 over the dependents; printed 49.163, which no reading gives. Close: one decimal is stated."""
    X, Y = census_columns(*S1_INDEPENDENT), census_columns(*S1_DEPENDENT)
    assert pil(Y, IPSO("A").protect(X, Y, RStream(1))).total == pytest.approx(62.0, abs=0.05)


def test_the_study_declares_this_table():
    """What `pyfcrm reproduce s1` runs is what is tested here. Identical."""
    study = STUDIES["s1"]
    rows = [setting for setting in study.settings if isinstance(setting.method, FCRM)]
    assert [setting.method for setting in rows] == [FCRM(c) for c in range(2, 16)]
    assert [setting.printed for setting in rows] == list(TABLE_6.values())
    assert (study.seeds, study.tolerance, study.data) == (SEEDS, 1.2, "census")
    (case,) = rows[0].cases
    assert case.independent == ("AGI", "POTHVAL", "PEARNVAL")
    assert case.dependent == (
        "AFNLWGT", "EMCONTRB", "FEDTAX", "STATETAX", "TAXINC", "INTVAL", "FICA", "WSALVAL", "ERNVAL",
    )  # fmt: skip


@pytest.mark.parametrize("table", "5678")
def test_printed_scores_are_the_means_of_printed_pil_and_dr(table):
    """A typing error in a row would break SCORE = (PIL + DR)/2. Close: table 5 has two decimals, so 0.0051."""
    for key, row in printed(table).items():
        assert row["score"] == pytest.approx((row["pil"] + row["dr"]) / 2, abs=0.0051), key


def test_a_study_runs_and_says_what_protect_and_evaluate_say():
    """Oracle: the method and the measures by hand, mean of two seeds and two cases. Close: a mean in another order."""
    rng = np.random.default_rng(1)
    columns = {name: rng.gamma(2.0, size=60) for name in ("x", "u", "v")}
    cases = (Roles(("x",), ("u", "v")), Roles(("u",), ("v",)))
    settings = (Setting("two", FCRM(2), cases, TABLE_6[2]), Setting("a", IPSO("A"), cases))
    steps = []
    study = replace(STUDIES["s1"], settings=settings, seeds=(1, 2))
    measured = study.run(columns, progress=lambda *step: steps.append(step))
    assert steps == [(0, 2, "two"), (1, 2, "a"), (2, 2, "done")]
    for setting, result in zip(settings, measured, strict=True):
        values = []
        for seed in (1, 2):
            for case in cases:
                X, Y = (np.column_stack([columns[n] for n in names]) for names in (case.independent, case.dependent))
                values.append(pil(Y, setting.method.protect(X, Y, RStream(seed))).total)
        assert result["pil"] == pytest.approx(np.mean(values), rel=1e-12)
        by_seed = [np.mean(values[:2]), np.mean(values[2:])]
        assert result["pil_spread"] == pytest.approx(np.std(by_seed, ddof=1), rel=1e-9, abs=1e-12)
        assert ({"fo", "em"} <= result.keys()) == (setting.label == "two")
        assert result["score"] == pytest.approx(0.5 * (result["pil"] + result["dr"]))
    assert study.deviation(measured) == pytest.approx(abs(measured[0]["pil"] - TABLE_6[2]["pil"]))
    assert study.deviation(measured[1:]) == 0
