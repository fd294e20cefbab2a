"""IPSO with epsilon: accounting, sensitivity, noise, and that nothing else of a release depends on Y.

Oracles: sums and integrals over densities (close); brute force over neighbours (close); the exact distribution (statistical).
"""

from dataclasses import replace
from itertools import product

import guarantee
import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import chisquare, norm

import pyfcrm as pf
from pyfcrm.errors import InvalidParameter
from pyfcrm.methods import noisy_sums
from pyfcrm.methods.noisy_sums import PublicDesign, discrete_delta, gaussian_delta, noise_multiplier
from pyfcrm.plans.plan import read_plan
from pyfcrm.report.page import report_page
from pyfcrm.rstream.system import discrete_gaussian, fresh_normals

RANGES = {"wage": (0, 5000), "tax": (-100, 900)}
METHOD = pf.IPSO("C", epsilon=1, delta=1e-6, clip=RANGES)
ROLES = pf.Roles(["age", "town"], ["wage", "tax"])


def survey(n=400):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(18, 70, n), "town": rng.choice(list("abcd"), n)})
    frame["wage"] = (40 * frame.age + rng.normal(0, 400, n)).clip(0, 6000).round().astype(int)
    frame["tax"] = (frame.wage / 8 + rng.normal(0, 50, n)).round(2)
    return frame


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 6.0])
@pytest.mark.parametrize("multiplier", [0.5, 4.0, 20.0])
def test_delta_is_the_integral_of_the_excess_density(epsilon, multiplier):
    """Close: rtol 1e-6 of quad."""
    shift = 1 / multiplier
    edge = epsilon / shift + shift / 2  # from where on the ratio of densities exceeds exp(epsilon)
    excess = quad(lambda x: norm.pdf(x - shift) - np.exp(epsilon) * norm.pdf(x), edge, edge + 40)[0]
    assert gaussian_delta(epsilon, multiplier) == pytest.approx(excess, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("shift", [(8, 0), (5, 6), (7, -4)])
def test_delta_of_discrete_noise_is_bounded(monkeypatch, shift):
    """The exact delta of a coarse grid, a sum over all integers, is at most the bound, and near the continuous one."""
    epsilon, scale = 1.0, 12.0
    x = np.arange(-200, 201)
    p = np.exp(-(x**2) / (2 * scale**2))
    P = np.multiply.outer(p, p) / p.sum() ** 2
    exact = np.maximum(P - np.exp(epsilon) * np.roll(P, shift, axis=(0, 1)), 0).sum()
    size = np.hypot(*shift)
    monkeypatch.setattr(noisy_sums, "GRID", size)
    monkeypatch.setattr(noisy_sums, "MAX_SUMS", 2)
    assert exact <= discrete_delta(epsilon, scale / size)
    assert exact == pytest.approx(gaussian_delta(epsilon, scale / size), rel=0.03)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1, 1e-6), (1, 1e-9), (10, 1e-5), (20, 1e-6)])
def test_noise_is_the_least_for_the_budget(epsilon, delta):
    """Less noise breaks delta; the zCDP conversion of Bun and Steinke (2016), an upper bound, holds."""
    multiplier = noise_multiplier(epsilon, delta)
    assert discrete_delta(epsilon, multiplier) <= delta < gaussian_delta(epsilon, multiplier * (1 - 1e-6))
    rho = pf.IPSO("C", epsilon=epsilon, delta=delta, clip={"y": (0, 1)}).facts(pf.Roles()).privacy.rho
    assert rho == pytest.approx(1 / (2 * multiplier**2))
    assert rho + 2 * np.sqrt(rho * np.log(1 / delta)) >= epsilon


@pytest.mark.parametrize("t", [1, 2, 3])
@pytest.mark.parametrize("max_leverage", [None, 0.1])
def test_no_neighbour_is_farther_than_the_sensitivity(t, max_leverage):
    """Brute force: a grid of both values of each record, the corners among them; opposite corners attain it."""
    rng = np.random.default_rng(t)
    design = PublicDesign.of(rng.standard_t(3, (20, 2)), max_leverage)
    y = rng.uniform(-1, 1, (20, t))
    values = [np.array(point) for point in product((-1, -0.4, 0, 0.7, 1), repeat=t)]
    largest = 0.0
    for k in range(20):
        sums = []
        for value in values:
            y[k] = value
            sums.append(design.sums(y))
        largest = max(largest, *(np.linalg.norm(np.array(sums) - one, axis=1).max() for one in sums))
    assert largest <= design.sensitivity(t) * (1 + 1e-9) + design.rounding(t)
    assert largest == pytest.approx(design.sensitivity(t), rel=1e-9)


def test_draws_have_the_exact_distribution():
    """Statistical: 5 sigma."""
    draws, x = np.array([discrete_gaussian(3) for _ in range(6000)]), np.arange(-7, 8)
    p = np.exp(-(x**2) / 18)
    inside = draws[np.abs(draws) <= 7]
    assert chisquare([(inside == k).sum() for k in x], p / p.sum() * len(inside)).pvalue > 1e-6
    wide = np.array([discrete_gaussian(2**45) for _ in range(3000)]) / 2.0**45
    assert abs(wide.mean()) < 5 / np.sqrt(3000)
    assert abs(wide.std() - 1) < 5 / np.sqrt(6000)
    normals = fresh_normals(2000, 2)
    assert abs(normals.std() - 1) < 5 / np.sqrt(8000)
    assert (fresh_normals(2000, 2) != normals).all()


def test_the_auditor_finds_a_third_of_the_noise_and_nothing_else():
    """Statistical: the bound is at level 1e-3; a small run of `make studies`."""
    assert guarantee.audited_epsilon(600, 1.0, 1e-6) <= 1.0
    assert guarantee.audited_epsilon(600, 1.0, 1e-6, guarantee.third_of_the_noise) > 1.0


@pytest.mark.parametrize("kind", ["B", "C"])
def test_a_release_has_the_noisy_regression(monkeypatch, kind):
    """Without noise and with ranges that hold all values, coefficients are the original's (close: 1e-9); C has its covariance."""
    monkeypatch.setattr(noisy_sums, "discrete_gaussian", lambda scale: 0)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    Y = np.column_stack([X @ [1, 2], X @ [3, -1]]) + rng.normal(size=(200, 2))
    Z = pf.IPSO(kind, epsilon=1, delta=1e-6, clip={"a": (-20, 30), "b": (-40, 40)}).protect(X, Y, None)
    A = np.column_stack([np.ones(200), X])
    assert np.linalg.lstsq(A, Z, rcond=None)[0] == pytest.approx(np.linalg.lstsq(A, Y, rcond=None)[0], abs=1e-9)
    assert np.cov(Z.T) == pytest.approx(np.cov(Y.T), abs=1e-9 if kind == "C" else 2.5)


def test_max_leverage_keeps_a_linear_relation(monkeypatch):
    """Weights change no coefficient of an exact relation, and lower the sensitivity."""
    monkeypatch.setattr(noisy_sums, "discrete_gaussian", lambda scale: 0)
    X = np.append(np.arange(50.0), 400.0)[:, None]
    Y = 3 + 2 * X
    method = pf.IPSO("C", epsilon=1, delta=1e-6, clip={"y": (0, 1000)}, max_leverage=0.1)
    assert method.protect(X, Y, None) == pytest.approx(Y, abs=1e-4)
    assert PublicDesign.of(X, 0.1).sensitivity(1) < PublicDesign.of(X).sensitivity(1) / 2


@pytest.mark.parametrize(
    "option",
    [
        {"seed": 1},
        {"seed": pf.RStream()},
        {"strata": "town"},
        {"structure": "find"},
        {"weights": "age"},
        {"preserve": "town"},
        {"copies": 2},
        {"strict_totals": True},
        {"missing": "protect"},
    ],
    ids=lambda option: next(iter(option)),
)
def test_what_reads_y_outside_of_the_budget_is_refused(option):
    with pytest.raises(InvalidParameter, match="epsilon"):
        pf.protect(survey(60), METHOD, ROLES, **option)


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ({"kind": "A"}, "epsilon"),
        ({"variant": "thesis"}, "epsilon"),
        ({"delta": None}, "delta"),
        ({"clip": None}, "not taken from the data"),
        ({"clip": "observed"}, "not taken from the data"),
        ({"epsilon": None}, "delta"),
        ({"clip": {"wage": (-1e308, 1e308)}}, "finite"),
    ],
)
def test_parameters_are_stated(parameters, names):
    with pytest.raises(InvalidParameter, match=names):
        pf.IPSO(**{**METHOD.parameters(), **parameters})
    with pytest.raises(InvalidParameter, match="without epsilon"):
        pf.Calibrated(METHOD)


def test_the_rest_of_protect_sees_no_confidential_value(monkeypatch, tmp_path):
    """Files with nothing in common but X, and the same noise and sums, have the same bytes and notes: types, digits, levels, rules,
    one value only, households that share one."""
    monkeypatch.setattr(noisy_sums, "discrete_gaussian", lambda scale: 0)
    monkeypatch.setattr(PublicDesign, "sums", lambda self, y: np.ones(self.columns.shape[1] * 2 + 3))
    monkeypatch.setattr(noisy_sums, "fresh_normals", lambda n, t: np.random.default_rng(1).normal(size=(n, t)))
    frame, found = survey().assign(home=np.arange(400) // 2), []
    frame.loc[:9, "town"] = "few"
    other = frame.assign(wage=np.where(frame.town == "few", 0, 7.25), tax=np.arange(400) % 3 * 1000)
    other.loc[0, "wage"] = 1e6
    for k, one in enumerate((frame, other, frame.assign(wage=2**40 + frame.home, tax=0))):
        source, output = str(tmp_path / f"in{k}.csv"), tmp_path / f"out{k}.csv"
        one.to_csv(source, index=False)
        options = {"constraints": "tax <= wage", "variables": {"wage": pf.Variable(bounds=(0, None), decimals=0)}}
        roles = replace(ROLES, household="home")
        released = pf.protect(source, METHOD, roles, output=str(output), shuffle=False, **options)
        lines = [line.split(",") for line in output.read_text().splitlines()]
        found.append(([cells[:4] for cells in lines], released.notes, pf.codebook(released).to_json()))
    assert found[0] == found[1] == found[2]


def test_manifest_verify_and_plan(tmp_path):
    source, output, manifest = (str(tmp_path / name) for name in ("in.csv", "out.csv", "m.json"))
    survey().to_csv(source, index=False)
    released = pf.protect_file(
        source, output, METHOD, ROLES, variables={"wage": pf.Variable(decimals=0)}, manifest=manifest
    )
    assert released.seed is None
    assert released.privacy == METHOD.facts(pf.Roles()).privacy
    assert "Not protected" in next(note for note in released.notes if note.kind == "guarantee")
    text = (tmp_path / "m.json").read_text()
    assert '"rho"' in text
    assert "state" not in text
    verified = pf.verify(manifest, release=output, original=source)
    assert verified.ok
    assert "by design" in str(verified)
    plan = f"""[input]\nfile = "{source}"\n[roles]\nindependent = ["age"]\ndependent = ["wage"]\n[method]\nname = "ipso"
epsilon = 1\ndelta = 1e-6\nclip = {{ wage = [0, 5000] }}\n[variables.wage]\nbounds = [0, 5000]\ndecimals = 0
[output]\nrelease = "{tmp_path}/plan.csv"\n"""
    (tmp_path / "plan.toml").write_text(plan)
    plan = read_plan(str(tmp_path / "plan.toml"))
    pf.protect_file(source, plan.output.release, plan.method, plan.roles, plan.random.start, **plan.options())
    assert pd.read_csv(tmp_path / "plan.csv").wage.between(0, 5000).all()


@pytest.mark.slow
def test_the_external_report_has_nothing_of_the_original_values():
    """Two originals with the same release and X: the pages are equal."""
    frame = survey()
    released = pf.protect(frame, METHOD, ROLES)
    pages = []
    for original in (frame, frame.assign(wage=frame.wage[::-1].to_numpy(), tax=-frame.tax)):
        report = pf.evaluate(original, released)
        pages.append(report_page(original, released, report, "external"))
    assert pages[0] == pages[1]
    assert "epsilon 1" in pages[0]
