"""One file, one method, one seed: the same release from R, from Python and from the command line.

Oracle: each for the others. Grade: identical, to the last bit; the arithmetic is the same code on all three ways.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm
from support.interfaces import (
    as_numbers,
    files,
    quoted,
    r_script,
    rows_of,
    same_bits,
    seeds,
    settings,
    write_for_r,
)
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf
from pyfcrm.files import open_table
from pyfcrm.files.reading import Reading
from pyfcrm.methods import METHODS
from pyfcrm.methods.text import value_text

pytestmark = [pytest.mark.r, pytest.mark.slow, requires_r_package, pytest.mark.xdist_group("same_file")]

FILES = files()
TRIED = {name: settings(name) for name in METHODS}
Key = tuple[str, str, int, int]  # file, method, number of the setting, seed


@pytest.fixture(scope="module")
def from_r(tmp_path_factory):
    """Every release by R, in one session."""
    folder = tmp_path_factory.mktemp("for-r")
    for name, file in FILES.items():
        write_for_r(file, folder / name)
    r_with_fcrm(r_script(FILES, TRIED), folder)
    releases = {}
    for name in FILES:
        stored, at = np.fromfile(folder / f"{name}.released", dtype="<f8"), 0
        for method, listed in TRIED.items():
            for k in range(len(listed)):
                for seed in seeds(k):
                    length = int(stored[at])
                    releases[name, method, k, seed] = stored[at + 1 : at + 1 + length]
                    at += 1 + length
        assert at == stored.size
    return releases


@cache
def from_python(name, method, k, seed):
    """Python's release, which both tests compare with: of setting number k."""
    file = FILES[name]
    options = {"missing": file.missing, "allow_unprotected": True}  # small whole numbers
    released = pf.protect(file.frame, METHODS[method](**TRIED[method][k]), file.roles, seed=seed, **options)
    return as_numbers(released.frame, file.roles.dependent, rows_of(released))


def from_shell(file, source, target, method, values, seed):
    """The release of the command line, read back; a column of intervals as their numbers."""
    roles = file.roles
    options = [f"--independent={quoted(roles.independent)}", f"--dependent={quoted(roles.dependent)}"]
    options += [f"--identifiers={quoted(roles.identifiers)}"] if roles.identifiers else []
    options += [f"--set={key}={value_text(value)}" for key, value in values.items()]
    command = ["protect", source, "-o", target, "--method", method, f"--seed={seed}"]
    ran = pyfcrm(*command, f"--missing={file.missing}", "--overwrite", "--allow-unprotected", *options)
    assert ran.status == 0, ran
    frame = open_table(target, Reading(separator=",")).frame
    order = open_table(source, Reading(separator=",")).frame["row"].tolist()
    rows = frame["row"].map(order.index).to_numpy()
    for name in roles.dependent:
        if frame[name].isna().all():  # every cell was emptied, and CSV cannot say of what type
            kind = "Int64" if file.frame[name].dtype.kind == "i" else "Float64"
            frame[name] = pd.array([None] * len(frame), dtype=kind)
    return as_numbers(frame, roles.dependent, rows)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FILES)
def test_r_gives_what_python_gives(name, method, from_r):
    for k, value in enumerate(TRIED[method]):
        for seed in seeds(k):
            ours = from_python(name, method, k, seed)
            assert same_bits(ours, from_r[name, method, k, seed]), (value, seed)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FILES)
def test_the_command_line_gives_what_python_gives(name, method, tmp_path):
    file = FILES[name]
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    file.frame.assign(row=[f"r{k}" for k in range(len(file.frame))]).to_csv(source, index=False)
    for k, value in enumerate(TRIED[method] if name == "mixed" else TRIED[method][:1]):
        seed = seeds(k)[-1]
        if method == "recoding" and value.get("labels", True):
            assert same_intervals(file, source, target, value, seed), value
            continue
        ours = from_python(name, method, k, seed)
        assert same_bits(ours, from_shell(file, source, target, method, value, seed)), value


def same_intervals(file, source, target, value, seed):
    """Intervals are text in a CSV file: compared as such."""
    with pytest.raises(ValueError, match="could not convert"):
        from_shell(file, source, target, "recoding", value, seed)
    ours = pf.protect(file.frame, METHODS["recoding"](**value), file.roles, seed=seed, missing=file.missing).frame
    theirs = open_table(target, Reading(separator=",")).frame
    return all(
        ours[n].astype(object).fillna("").tolist() == theirs[n].fillna("").tolist() for n in file.roles.dependent
    )


def test_a_difference_in_the_last_bit_is_seen():
    """The comparison itself: one value moved to its neighbour, one gap filled, one record fewer."""
    ours = as_numbers(pf.protect(FILES["example"].frame, pf.IPSO("C"), FILES["example"].roles, seed=1).frame, ["y"])
    assert same_bits(ours, ours.copy())
    near = ours.copy()
    near[-1] = np.nextafter(near[-1], np.inf)
    assert not same_bits(ours, near)
    assert not same_bits(ours, ours[:-1])
    near[-1] = np.nan
    assert not same_bits(ours, near)
