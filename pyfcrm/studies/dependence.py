"""The calibration and the power of dependence_test: 16 laws from which both files are drawn, and planted dependence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Roles
from ..evaluation.dependence_test import dependence_test
from ..rstream import RStream
from ..types import Array, Integers
from .study import Row, Setting, Study, printed

if TYPE_CHECKING:
    import pandas as pd

LIMIT = 0.01  # p-value at which the verdict holds a release
RECORDS = (300, 400, 600)  # of the files of a law, by seed
POWER_RECORDS = 1000
RELEASES = 100
MOST_HELD, MOST_HELD_ALL, LEAST_FOUND = 5.0, 1.5, 90.0  # per cent: of a law, over all laws; of a planted dependence
PER_CLUSTER = 15  # records of a cluster, or of a code
SLOPES = np.array([[1.0, 0.5, -0.5], [0.3, -1.0, 0.8]])  # of three values on two predictors
CORRELATIONS = np.array([[1.0, 0.5, 0.3], [0.5, 1.0, 0.4], [0.3, 0.4, 1.0]])

Draw = Callable[[], Array]
"""A draw of confidential values (n, t) from the law given the predictors."""
Law = Callable[[RStream, int], "tuple[pd.DataFrame, Draw]"]
"""n predictors, and draws of the values given these."""


def predictor_frame(X: Array) -> pd.DataFrame:
    """Predictors X (n, s) with their names."""
    import pandas as pd

    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])], index=range(len(X)))


def heavy_tails(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Student's t with 1.5 degrees of freedom, Pareto of index 1.3, lognormal of sd 2."""
    from scipy.stats import pareto, t

    X = stream.rnorm_matrix(n, 2)
    linear = X @ SLOPES

    def draw() -> Array:
        U = stream.runif_matrix(n, 2)
        student = linear[:, 0] + t.ppf(U[:, 0], 1.5)
        tail = np.exp(linear[:, 1] / 2) * pareto.ppf(U[:, 1], 1.3)
        lognormal = np.exp(linear[:, 2] + 2 * stream.rnorm(n))
        return np.column_stack([student, tail, lognormal])

    return predictor_frame(X), draw


def zero_inflated(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Whole amounts, or 0 with a probability that depends on the predictors."""
    X = stream.rnorm_matrix(n, 2)
    linear = X @ SLOPES

    def draw() -> Array:
        positive = stream.runif_matrix(n, 3) < 1 / (1 + np.exp(-linear))
        return np.where(positive, np.round(np.exp(5 + linear + stream.rnorm_matrix(n, 3))), 0.0)

    return predictor_frame(X), draw


def counts(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Two Poisson counts and a negative binomial one."""
    from scipy.stats import nbinom, poisson

    X = stream.rnorm_matrix(n, 2)
    mean = np.exp(0.5 + X @ SLOPES / 2)

    def draw() -> Array:
        U = stream.runif_matrix(n, 3)
        last = nbinom.ppf(U[:, 2], 2, 2 / (2 + mean[:, 2]))
        return np.column_stack([poisson.ppf(U[:, :2], mean[:, :2]), last])

    return predictor_frame(X), draw


def one_binary_predictor(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Normal values that depend on one 0/1 predictor."""
    X = (stream.runif_matrix(n, 1) < 0.4).astype(float)
    return predictor_frame(X), lambda: X * [1.0, -1.0, 0.5] + stream.rnorm_matrix(n, 3)


def no_predictor(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Correlated lognormal values."""
    factor = np.linalg.cholesky(CORRELATIONS).T
    return predictor_frame(np.empty((n, 0))), lambda: np.exp(stream.rnorm_matrix(n, 3) @ factor)


def twelve_columns(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Twelve correlated normal values on two predictors."""
    X = stream.rnorm_matrix(n, 2)
    slopes = RStream(5).rnorm_matrix(2, 12)
    mixing = np.eye(12) + RStream(6).rnorm_matrix(12, 12) / 3
    return predictor_frame(X), lambda: X @ slopes + stream.rnorm_matrix(n, 12) @ mixing


def rounded_to_100(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Lognormal amounts in whole hundreds."""
    X = stream.rnorm_matrix(n, 2)
    return predictor_frame(X), lambda: np.round(np.exp(8 + X @ SLOPES / 2 + stream.rnorm_matrix(n, 3) / 2), -2)


def lognormal_predictors(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Values proportional to sums of lognormal predictors."""
    X = np.exp(stream.rnorm_matrix(n, 2))
    return predictor_frame(X), lambda: X @ np.abs(SLOPES) * np.exp(stream.rnorm_matrix(n, 3) / 2)


def constant_in_clusters(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Predictors that are equal within clusters, which have no other effect."""
    cluster = clusters(stream, n)
    X = stream.rnorm_matrix(n // PER_CLUSTER, 2)[cluster]
    return predictor_frame(X), lambda: X @ SLOPES + stream.rnorm_matrix(n, 3)


def waves(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Values with 2 sin(2x)."""
    X = stream.rnorm_matrix(n, 2)
    W = 2 * np.sin(2 * X)
    mean = np.column_stack([W, W[:, 0] + X[:, 1]])
    return predictor_frame(X), lambda: mean + stream.rnorm_matrix(n, 3)


def cubes(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Values |x|^3 (1 + .3 e)."""
    X = stream.rnorm_matrix(n, 2)
    mean = np.abs(X[:, [0, 1, 0]]) ** 3
    return predictor_frame(X), lambda: mean * (1 + 0.3 * stream.rnorm_matrix(n, 3))


def jump(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Values that jump by 3 at |x| < .5, with noise that depends on x."""
    X = stream.rnorm_matrix(n, 2)
    mean = 3.0 * (np.abs(X[:, [0, 1, 0]]) < 0.5)
    spread = 0.5 + 0.5 * np.abs(X[:, [0]])
    return predictor_frame(X), lambda: mean + spread * stream.rnorm_matrix(n, 3)


def wave_cube_and_jump(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Values with sin(12x), |x|^3 (1 + .3 e), and a jump of 3."""
    X = stream.rnorm_matrix(n, 2)
    cube = np.abs(X[:, 1]) ** 3
    step = 3.0 * (np.abs(X[:, 0]) < 0.5)

    def draw() -> Array:
        E = stream.rnorm_matrix(n, 3)
        return np.column_stack([np.sin(12 * X[:, 0]) + 0.3 * E[:, 0], cube * (1 + 0.3 * E[:, 1]), step + E[:, 2]])

    return predictor_frame(X), draw


def clusters(stream: RStream, n: int) -> Integers:
    """Cluster numbers (n,) from 0, of about PER_CLUSTER records each."""
    return stream.sample_int(n // PER_CLUSTER, n, replace=True) - 1


def code(effect: float, text: bool) -> Law:
    """A law of a code, such as a municipality's, with effects of sd `effect`, beside a linear predictor; as text or as a number."""

    def law(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
        cluster = clusters(stream, n)
        effects = effect * stream.rnorm_matrix(n // PER_CLUSTER, 3)
        x = stream.rnorm_matrix(n, 1)
        frame = predictor_frame(x)
        numbers = 1001 + 10 * cluster
        frame["code"] = [f"m{number}" for number in numbers] if text else numbers
        return frame, lambda: effects[cluster] + x + stream.rnorm_matrix(n, 3)

    return law


LAWS: dict[str, Law] = {
    "heavy tails": heavy_tails,
    "zero inflated": zero_inflated,
    "counts": counts,
    "one binary predictor": one_binary_predictor,
    "no predictor": no_predictor,
    "12 columns": twelve_columns,
    "rounded to 100": rounded_to_100,
    "lognormal predictors": lognormal_predictors,
    "predictors constant in clusters": constant_in_clusters,
    "sin(2x)": waves,
    "|x|^3 (1 + .3 e)": cubes,
    "jump at |x| < .5": jump,
    "code as text, 3 sd": code(3.0, text=True),
    "code as number, 3 sd": code(3.0, text=False),
    "code as number, .5 sd": code(0.5, text=False),
    "sin(12x), |x|^3 and jump": wave_cube_and_jump,
}


def household_file(stream: RStream, n: int) -> tuple[pd.DataFrame, Draw]:
    """Region and size; rounded lognormal wages, debts and rents."""
    region = stream.sample_int(4, n, replace=True) - 1
    size = stream.sample_int(5, n, replace=True)
    effect = 0.2 * size + 0.3 * (region == 0)
    location = np.column_stack([7 + effect, 8 + effect, 6 + effect / 2])
    factor = np.linalg.cholesky(CORRELATIONS).T * [0.5, 0.9, 0.4]
    frame = predictor_frame(np.empty((n, 0)))
    frame["region"] = np.array(list("ABCD"))[region]
    frame["size"] = size
    return frame, lambda: np.round(np.exp(location + stream.rnorm_matrix(n, 3) @ factor))


Plant = Callable[[Array, Array, RStream], Array]
"""Released values (n, 3) that depend on originals Y (n, 3), from values Z (n, 3) that do not."""


def donors(Y: Array, Z: Array, stream: RStream) -> Array:
    """The values of one of the five records nearest in their ranks."""
    from scipy.spatial import cKDTree

    ranks = Y.argsort(axis=0).argsort(axis=0)
    near = np.asarray(cKDTree(ranks).query(ranks, k=6)[1])[:, 1:]
    chosen = stream.sample_int(5, len(Y), replace=True) - 1
    return Y[near[np.arange(len(Y)), chosen]]


def noise(Y: Array, Z: Array, stream: RStream) -> Array:
    """The originals with noise of 1 per cent."""
    return np.round(Y * (1 + 0.01 * stream.rnorm_matrix(*Y.shape)))


def rank_elsewhere(Y: Array, Z: Array, stream: RStream) -> Array:
    """Rents in the order of the records' own wages."""
    rents = np.empty(len(Y))
    rents[np.argsort(Y[:, 0], kind="stable")] = np.sort(Z[:, 2])
    return np.column_stack([Z[:, :2], rents])


def parity(Y: Array, Z: Array, stream: RStream) -> Array:
    """Odd rents where the record's own wage is above the median."""
    return np.column_stack([Z[:, :2], 2 * np.round(Z[:, 2] / 2) + (Y[:, 0] > np.median(Y[:, 0]))])


def last_digits(Y: Array, Z: Array, stream: RStream) -> Array:
    """Rents with the last two digits of the record's own wage."""
    return np.column_stack([Z[:, :2], 100 * np.floor(Z[:, 2] / 100) + Y[:, 0] % 100])


def decimals(Y: Array, Z: Array, stream: RStream) -> Array:
    """Rents with the record's own wage in their decimals."""
    return np.column_stack([Z[:, :2], Z[:, 2] + Y[:, 0] / 1e5])


def largest_units(columns: int) -> Plant:
    """Copies of some values of the largest hundredth of the records."""

    def plant(Y: Array, Z: Array, stream: RStream) -> Array:
        size = np.abs((Y - np.median(Y, axis=0)) / Y.std(axis=0)).max(axis=1)
        rows = np.argsort(-size, kind="stable")[: len(Y) // 100]
        released = Z.copy()
        released[rows, :columns] = Y[rows, :columns]
        return released

    return plant


PLANTS: dict[str, Plant] = {
    "donor near in the values": donors,
    "noise of 1 per cent": noise,
    "rank of the wage in the rent": rank_elsewhere,
    "parity of the rent": parity,
    "last digits of the wage in the rent": last_digits,
    "wage in the decimals of the rent": decimals,
    "largest 1 %: 1 of 3 values exact": largest_units(1),
    "largest 1 %: 2 of 3 values exact": largest_units(2),
}


def p_value(label: str, seed: int) -> float:
    """The p-value of two draws from a law, or of a planted dependence."""
    import pandas as pd

    stream = RStream(seed)
    if label in LAWS:
        frame, draw = LAWS[label](stream, RECORDS[seed % len(RECORDS)])
        Y = draw()
        Z = draw()
    else:
        frame, draw = household_file(stream, POWER_RECORDS)
        Y = draw()
        Z = PLANTS[label](Y, draw(), stream)
    names = [f"y{j}" for j in range(Y.shape[1])]
    before, after = (frame.join(pd.DataFrame(values, columns=names)) for values in (Y, Z))
    return dependence_test(before, after, Roles(list(frame.columns), names), seed=stream).p_value


def measure(setting: Setting, data: Any, seed: int) -> list[dict[str, float]]:
    """Whether one pair of files is held at LIMIT, in per cent, and its p-value."""
    p = p_value(setting.label, seed)
    return [{"held": 100.0 * (p <= LIMIT), "p": p}]


class CalibrationStudy(Study):
    """A study whose goal is few held laws, and found plants."""

    def holds(self, rows: Iterable[Row]) -> bool:
        """Whether few pairs of each law and of all laws are held, and most planted dependence is found."""
        held = {row["setting"]: row["held"] for row in rows}
        laws = [held[label] for label in LAWS if label in held]
        plants = [held[label] for label in PLANTS if label in held]
        return max(laws) <= MOST_HELD and float(np.mean(laws)) <= MOST_HELD_ALL and min(plants) >= LEAST_FOUND


SETTINGS = tuple(Setting(label, None, printed=printed("dependence").get(label, {})) for label in (*LAWS, *PLANTS))
STUDY = CalibrationStudy(
    key="dependence",
    title="Dependence test: two draws from one law, and planted dependence, per cent held at p <= .01",
    data=None,
    settings=SETTINGS,
    measure=measure,
    columns={"setting": "setting", "held_printed": "stored", "held": "held, per cent", "p": "mean p"},
    seeds=tuple(range(1, RELEASES + 1)),
    remarks=(
        f"Goal: at most {MOST_HELD:g} per cent of the pairs of each law, at most {MOST_HELD_ALL:g} over all laws, and at least "
        f"{LEAST_FOUND:g} of each planted dependence. Files of a law have 300, 400 and 600 records, the others 1,000.",
        "stored is the run of 1 December 2026 of 100 files each.",
    ),
)
