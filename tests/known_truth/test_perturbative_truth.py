"""What the methods promise on average: simulated files with known moments, and how far a release is from them.

Statistical: seeds are fixed, bounds are four standard errors of the estimate unless said.
"""

import numpy as np
import pytest

from pyfcrm import GADP, Noise, Permutation, RStream, Shuffling

N = 20_000
S = np.array([[4.0, 3.0], [3.0, 9.0]])
NOTHING = np.empty((N, 0))


def normal_file(n=N, seed=0):
    return np.random.default_rng(seed).multivariate_normal([10, -5], S, size=n)


def spearman(A):
    return np.corrcoef(np.argsort(np.argsort(A, axis=0), axis=0), rowvar=False)


def four_errors_of_covariance(T, n=N):
    """4 sqrt((T_ii T_jj + T_ij^2)/n), the standard error of a normal sample's covariance T_ij."""
    return 4 * np.sqrt((np.outer(np.diag(T), np.diag(T)) + T**2) / n)


@pytest.mark.parametrize("kind", ["uncorrelated", "correlated", "laplace", "correlated2"])
def test_added_noise_has_the_covariance_it_says(kind):
    """a^2 S, or its diagonal; a = 0.3. Laplace's fourth moment is 6 sd^4, so its error is sqrt(5/2) larger."""
    Y = normal_file()
    S = np.cov(Y, rowvar=False)
    shrunk = Y if kind != "correlated2" else Y.mean(axis=0) + np.sqrt(1 - 0.09) * (Y - Y.mean(axis=0))
    e = Noise(kind, 30).protect(NOTHING, Y, RStream(1)) - shrunk
    expected = 0.09 * (S if kind == "correlated" else np.diag(np.diag(S)))
    factor = np.sqrt(2.5) if kind == "laplace" else 1
    assert (np.abs(np.cov(e, rowvar=False) - expected) < factor * four_errors_of_covariance(expected)).all()
    assert (np.abs(e.mean(axis=0)) < 4 * np.sqrt(np.diag(expected) / N)).all()


def test_laplace_has_its_tails():
    """Kurtosis 6; four standard errors of it at n = 40000 are near 1.5 (the eighth moment of Laplace is large)."""
    Y = normal_file()
    e = (Noise("laplace", 30).protect(NOTHING, Y, RStream(1)) - Y) / Y.std(axis=0) / 0.3
    assert (e**4).mean() == pytest.approx(6, abs=1.5)
    assert np.abs(e).mean() == pytest.approx(1 / np.sqrt(2), abs=4 * np.sqrt(0.5 / e.size))


def test_multiplicative_factors_have_mean_1_and_the_sd_they_say():
    Y = np.abs(normal_file()) + 1
    factors = Noise("multiplicative", 30).protect(NOTHING, Y, RStream(1)) / Y
    assert factors.mean() == pytest.approx(1, abs=4 * 0.3 / np.sqrt(factors.size))
    assert factors.std() == pytest.approx(0.3, rel=0.03)  # lognormal of kurtosis 4.6: sd's error is 0.7 per cent


def test_nonlinear_noise_leaves_the_share_of_the_ranks_that_its_amount_says():
    """Scores correlate with their noisy selves by 1/sqrt(1 + a^2); Spearman's is (6/pi) asin(r/2) of it."""
    Y = np.exp(normal_file() / 3)
    Z = Noise("nonlinear", 50).protect(NOTHING, Y, RStream(1))
    expected = 6 / np.pi * np.arcsin(1 / np.sqrt(1.25) / 2)
    for j in range(2):
        assert spearman(np.column_stack([Y[:, j], Z[:, j]]))[0, 1] == pytest.approx(expected, abs=4 / np.sqrt(N))


def test_gadp_keeps_moments_on_average():
    """300 releases of one file of 60: the mean of their moments is the file's.

    Its covariance is the predictions' plus S = R'R/n, of which the release's own mean takes S/n.
    """
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 1))
    Y = X @ [[1.0, 2.0]] + rng.normal(size=(60, 2)) @ [[1, 0.5], [0, 1]]
    release = [GADP().protect(X, Y, RStream(seed)) for seed in range(300)]
    D = np.column_stack([np.ones(60), X])
    R = Y - D @ np.linalg.lstsq(D, Y, rcond=None)[0]
    means = np.array([Z.mean(axis=0) for Z in release])
    covariances = np.array([np.cov(Z, rowvar=False, ddof=0) for Z in release])
    assert (np.abs(means.mean(axis=0) - Y.mean(axis=0)) < 4 * means.std(axis=0) / np.sqrt(300)).all()
    expected = np.cov(Y, rowvar=False, ddof=0) - R.T @ R / 60 / 60
    assert (np.abs(covariances.mean(axis=0) - expected) < 4 * covariances.std(axis=0) / np.sqrt(300)).all()
    assert covariances.std(axis=0).min() > 0.05  # each release is off: that is what EGADP mends


def test_shuffling_recovers_the_rank_correlations_of_a_normal_copula():
    """Two dependent attributes and one independent, all marginally far from normal; errors of Spearman near 1/sqrt(n)."""
    C = np.array([[1, 0.6, 0.5], [0.6, 1, 0.3], [0.5, 0.3, 1]])
    z = np.random.default_rng(2).multivariate_normal(np.zeros(3), C, size=N)
    Y, X = np.exp(z[:, :2]), z[:, 2:] ** 3
    Z = Shuffling().protect(X, Y, RStream(1))
    before, after = spearman(np.column_stack([Y, X])), spearman(np.column_stack([Z, X]))
    np.testing.assert_allclose(after, before, atol=4 * np.sqrt(2 / N))


def test_shuffling_tells_no_more_of_a_record_than_x_does():
    """Given X's scores, released and original scores do not correlate."""
    z = np.random.default_rng(3).multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], size=N)
    Y, X = z[:, :1], z[:, 1:]
    Z = Shuffling().protect(X, Y, RStream(1))
    left = [A[:, 0] - 0.7 * X[:, 0] for A in (Y, Z)]
    assert abs(np.corrcoef(*left)[0, 1]) < 4 / np.sqrt(N)


def test_permutation_s_margins_have_the_original_s_mean_and_variance_on_average():
    """200 releases of one skewed file of 80."""
    Y = np.random.default_rng(8).gamma(1, 100, size=(80, 1))
    release = np.array([Permutation(1).protect(Y[:, :0], Y, RStream(seed))[:, 0] for seed in range(200)])
    means, variances = release.mean(axis=1), ((release - Y.mean()) ** 2).mean(axis=1)
    assert means.mean() == pytest.approx(Y.mean(), abs=4 * means.std() / np.sqrt(200))
    assert variances.mean() == pytest.approx(Y.var(), abs=4 * variances.std() / np.sqrt(200))
