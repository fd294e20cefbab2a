"""The risk of sample uniques by a model of the population.

Oracle: simulated populations, in which the number of people with each combination of keys is known. Grade: statistical, the
expected re-identifications among sample uniques within 20 per cent; and by hand, where shares are known. Identical.
"""

import numpy as np
import pandas as pd
import pytest

from pyfcrm.measures.population_uniques import by_fifths, expected_frequencies, risk_of_uniques

PEOPLE, SAMPLE = 200_000, 2_000


def population(seed, related):
    """Age, region, sex, education, occupation and household size; the last three depend on each other if `related` is 1."""
    rng = np.random.default_rng(seed)
    trait = related * rng.normal(size=PEOPLE)
    regions = np.array([0.19, 0.18, 0.15, 0.14, 0.12, 0.08, 0.06, 0.05, 0.03])
    return pd.DataFrame(
        {
            "age": np.clip(np.round(45 + 18 * rng.normal(size=PEOPLE) + 8 * trait), 16, 90),
            "region": rng.choice(9, PEOPLE, p=regions),
            "sex": rng.integers(0, 2, PEOPLE),
            "education": np.clip(np.round(3 + 1.2 * trait + rng.normal(size=PEOPLE)), 1, 6),
            "occupation": np.clip(np.round(20 + 6 * trait + 5 * rng.normal(size=PEOPLE)), 1, 45),
            "size": 1 + rng.poisson(1.3 + 0.3 * (trait > 0), PEOPLE),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("related", [0, 1])
@pytest.mark.parametrize("left_out", [["occupation", "education"], ["size"], []])
def test_expected_reidentifications_are_those_of_the_population(related, left_out):
    people = population(1, related).drop(columns=left_out)
    keys = list(people.columns)
    in_population = people.groupby(keys)["age"].transform("size")
    chosen = np.random.default_rng(2).choice(PEOPLE, SAMPLE, replace=False)
    sample = people.iloc[chosen]
    unique = ~sample.duplicated(keep=False).to_numpy()
    truth = (1 / in_population.iloc[chosen].to_numpy()[unique]).sum()
    codes = [pd.factorize(sample[name])[0] for name in keys]
    smoothed = [by_fifths(sample[name].to_numpy(float)) for name in keys]
    risk = risk_of_uniques(codes, np.full(SAMPLE, PEOPLE / SAMPLE), [np.arange(SAMPLE)], smoothed)
    assert (risk > 0).tolist() == unique.tolist()
    assert risk.sum() == pytest.approx(truth, rel=0.2)


def test_frequencies_of_two_keys_are_products_of_weighted_shares():
    K = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    shares = np.array([0.3 * 0.4, 0.3 * 0.6, 0.7 * 0.4, 0.7 * 0.6])
    assert expected_frequencies(K, K, weights) == pytest.approx(10 * shares, rel=1e-14)


def test_a_file_that_is_the_population_has_certain_uniques():
    codes = np.array([0, 0, 1, 2])
    assert risk_of_uniques([codes], np.ones(4), [np.arange(4)], [codes]).tolist() == [0, 0, 1, 1]


def test_fifths_are_of_numbers_with_many_values_only():
    few = np.array([3.0, 1.0, np.nan, 2.0])
    assert by_fifths(few).tolist() == [2, 0, -1, 1]
    assert np.bincount(by_fifths(np.arange(100.0))).tolist() == [20] * 5
