"""Files, frames, parameters, constraints and commands at random: refused in one sentence, or done with every promise kept.

Oracle: the promises themselves. Identical. A small dose here, cases 0, 1, 2, ...; `make fuzz` goes on to $PYFCRM_FUZZ_CASES of
each kind. A failure names the case: its generator is random.Random(case).
"""

import io
import os
import random
import warnings

import numpy as np
import pandas as pd
from support.cli import people, pyfcrm, state

import pyfcrm as pf
from pyfcrm.constraints import parsed
from pyfcrm.errors import PyfcrmError
from pyfcrm.methods import METHODS

CASES = int(os.environ.get("PYFCRM_FUZZ_CASES", "25"))
LONGEST = 2000  # characters of a message
ODD = (
    None, True, 0, -1, 1, 3, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", "C", "x" * 5000, b"a", [], ["c"],
    {}, {"c": 3.0}, (1, 2), object(), pf.IPSO("A"), np.float64(2), np.array([1, 2]), complex(1, 2), pd.NaT, "\udcff", "a\nb",
)  # fmt: skip
RELEASING = (
    pf.IPSO("C"), pf.Noise("correlated", 10), pf.RankSwapping(15), pf.Microaggregation(3), pf.Permutation(5), pf.Shuffling(),
    pf.Hybrid("linear", 0.5), pf.TopBottomCoding(top=1.0), pf.Recoding(2), pf.Dummy(), pf.GADP(),
)  # fmt: skip
WORDS = """a b c A `q r` " == >= <= + - * / ( ) ; 0 1e9 3. ^ é __import__('os')""".split()  # noqa: SIM905


def error_text(error):
    """One sentence, on one line, of a length that can be read."""
    text = str(error)
    assert text.strip()
    assert len(text.splitlines()) == 1
    assert len(text) <= LONGEST


def refused_or(work, case):
    try:
        return work()
    except PyfcrmError as error:
        error_text(error)
    except Exception as error:
        raise AssertionError(f"case {case}: {type(error).__name__}: {error}") from error
    return None


def test_odd_parameters():
    for case in range(CASES):
        draw = random.Random(case)
        kind = draw.choice(list(METHODS.values()))
        options = {one.name: draw.choice(ODD) for one in kind.declared() if one.required or draw.random() < 0.3}
        result = refused_or(lambda kind=kind, options=options: kind(**options), case)
        assert result is None or type(result)(**result.parameters()) == result or "nan" in str(result).lower(), case


def test_odd_constraints():
    for case in range(5 * CASES):
        draw = random.Random(case)
        text = draw.choice(["", " "]).join(draw.choices(WORDS, k=draw.randrange(12)))
        refused_or(lambda text=text: parsed("fuzz", text), case)


def odd_frame(draw):
    """Few records or some; ties, zeros, constants, infinities, gaps, whole numbers at their edges, odd labels and indexes."""
    n = draw.choice([0, 1, 2, 3, 7, 30])
    values = np.random.default_rng(draw.randrange(2**31))
    columns = [
        lambda: values.normal(size=n), lambda: np.round(values.gamma(1, size=n)), lambda: np.full(n, 7.0),
        lambda: values.integers(-5, 5, n), lambda: values.choice([2**63 - 1, -(2**63), 0], n),
        lambda: pd.array(values.integers(0, 9, n), dtype="Int64"), lambda: values.normal(size=n).astype("float32"),
        lambda: values.choice([0.0, np.nan, np.inf, 1e308, 5e-324], n), lambda: values.integers(0, 2, n).astype(bool),
        lambda: values.choice(["x", "y", ""], n),
    ]  # fmt: skip
    plain = columns[:4]
    names = draw.sample(["a", "b", "c", "d", "a b", "=x", "é", "line\nbreak", "1"], 4)
    frame = pd.DataFrame({name: draw.choice(plain if draw.random() < 0.7 else columns)() for name in names})
    return frame.set_index(pd.Index(draw.sample(range(100), n))) if draw.random() < 0.3 else frame


def test_odd_frames():
    """The input is as it was; what is not protected leaves as it came; the same seed gives the same release."""
    for case in range(CASES):
        draw = random.Random(case)
        frame, method = odd_frame(draw), draw.choice(RELEASING)
        a, b, c, d = frame.columns
        roles, before = pf.Roles([a], [b, c]), frame.copy(deep=True)
        options = {"missing": draw.choice(["refuse", "protect", "drop"]), "strata": draw.choice([None, None, [d]])}

        def result(frame=frame, method=method, roles=roles, options=options):
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                return pf.protect(frame, method, roles, seed=1, **options).frame

        released = refused_or(result, case)
        pd.testing.assert_frame_equal(frame, before, obj=f"case {case}")
        if released is not None:
            assert released.index.equals(pd.RangeIndex(len(frame))), case
            assert list(released.columns) == list(frame.columns), case
            untouched = frame[[a, d]].reset_index(drop=True)
            pd.testing.assert_frame_equal(released[[a, d]], untouched, obj=f"case {case}")
            pd.testing.assert_frame_equal(result(), released, obj=f"case {case}")


def odd_file(draw, folder):
    """A file that is not all what its name says: cut, with bits turned, of another kind, empty, or good."""
    kind = draw.choice(["csv", "csv", "parquet"])
    if kind == "csv":
        data = people().to_csv(index=False).encode()
    else:
        out = io.BytesIO()
        people().to_parquet(out)
        data = out.getvalue()
    damaged = bytearray(data)
    for _ in range(draw.choice([0, 1, 3, 50])):
        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
    cut = draw.choice([len(damaged), len(damaged), draw.randrange(len(damaged)), 0])
    name = f"in.{draw.choice([kind, kind, kind, 'csv', 'parquet', 'sav', 'txt'])}"
    (folder / name).write_bytes(bytes(damaged[:cut]))
    return name


def test_odd_files_and_commands(tmp_path, monkeypatch):
    """Status 0; or 2 with one line on standard error, nothing on standard output and every file as it was."""
    for case in range(CASES):
        draw, folder = random.Random(case), tmp_path / str(case)
        folder.mkdir()
        monkeypatch.chdir(folder)
        name = odd_file(draw, folder)
        before = state(folder)
        roles = [
            "--independent",
            draw.choice(["a", "a,b", "", "zz"]),
            "--dependent",
            draw.choice(["c", "c,d", "note", "c,c"]),
        ]
        values = [
            "protect",
            name,
            "-o",
            draw.choice(["out.csv", "out.parquet", "out.xyz", name]),
            "--method",
            "ipso",
            *roles,
        ]
        commands = [values, ["structure", name], ["evaluate", name, name], ["key-risk", name, "--keys", "note"]]
        ran = pyfcrm(*draw.choice(commands))
        assert ran.status in (0, 2), (case, ran)
        if ran.status == 2:
            assert len(ran.err.splitlines()) == 1, (case, ran)
            assert ran.err.startswith("pyfcrm: "), (case, ran)
            assert not ran.out, (case, ran)
            assert state(folder) == before, case
