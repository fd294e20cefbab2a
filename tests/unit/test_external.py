"""External: objects and commands that make whole files. Oracle: generators written here, whose output is known. Identical."""

import os
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter

FRAME = pf.datasets.survey(80, seed=1)
ROLES = pf.Roles(["age", "hours", "size"], ["wage", "rent", "tax"], ["name"])
COPY = "import sys, shutil; shutil.copy(sys.argv[1], sys.argv[2])"


class Shuffled:
    """Gives the records back in another order: the worst generator there is."""

    def fit(self, frame):
        self.saw = frame

    def sample(self, n):
        return self.saw.sample(n, random_state=1)


class Gives(Shuffled):
    def __init__(self, change):
        self.change = change

    def sample(self, n):
        return self.change(self.saw.copy())


def python(script, *words, **more):
    return pf.External([sys.executable, "-c", script, *words], **more)


def generated(generator, frame=FRAME, **more):
    return pf.protect(frame, generator if isinstance(generator, pf.External) else pf.External(generator), ROLES, **more)


def test_a_whole_new_file_of_the_same_columns_and_types():
    generator = Shuffled()
    released = generated(generator, seed=1)
    expected = FRAME.drop(columns="name").sample(80, random_state=1).reset_index(drop=True)
    pd.testing.assert_frame_equal(released.frame, expected)
    assert not hasattr(generator, "saw")  # a copy of it was fitted
    assert any("does not repeat" in note for note in released.notes)
    assert any(note.startswith("all columns are new") for note in released.notes)
    assert not any("untouched" in note for note in released.notes)


def test_the_generator_never_sees_identifiers():
    seen = []

    class Watches(Shuffled):
        def fit(self, frame):
            seen.extend(frame.columns)
            super().fit(frame)

        def __deepcopy__(self, memo):
            raise TypeError("no copy of a connection")

    generated(Watches())
    assert seen == [name for name in FRAME.columns if name != "name"]


@pytest.mark.parametrize("library", [pl.from_pandas, lambda frame: pl.from_pandas(frame).to_arrow()])
def test_other_libraries(library):
    frame = library(FRAME)
    released = generated(Shuffled(), frame).frame
    assert type(released) is type(frame)
    assert [str(one) for one in released.to_pandas()["wage"]] == [
        str(one) for one in generated(Shuffled()).frame["wage"]
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="wage"), "must return the columns of its training file"),
        (lambda f: f.head(3), "as many records as are requested; got 3"),
        (lambda f: f.assign(wage="much"), "`wage` must come back as numbers"),
        (lambda f: f.assign(wage=np.inf), "`wage` must come back finite"),
        (lambda f: np.zeros((80, 2)), "array with"),
        (lambda f: 3, "must return a data frame, or an array"),
        (lambda f: 1 / 0, "the generator failed; got ZeroDivisionError"),
        (lambda f: sys.exit(3), "the generator failed; got SystemExit"),
        (lambda f: f.assign(wage=10**400), "`wage` must come back as numbers"),  # OverflowError before
        (lambda f: f.assign(wage=1j), "`wage` must come back as numbers; got complex numbers"),
    ],
)
def test_what_does_not_fit_is_one_sentence(change, message):
    with pytest.raises(InvalidInput, match=message) as error:
        generated(Gives(change))
    assert "\n" not in str(error.value)


def test_whole_numbers_are_rounded_and_told():
    frame = FRAME.assign(tax=FRAME["tax"].round().astype("int64"))
    released = generated(Gives(lambda f: f.assign(tax=f["tax"] + 0.4)), frame)
    assert released.frame["tax"].equals(frame["tax"])
    assert any("rounded" in note and "tax" in note for note in released.notes)


@pytest.mark.parametrize("form", [bool, str, int, float, object])
def test_truth_values_come_back_as_they_were_written(form):
    frame = FRAME.assign(member=FRAME["size"] > 2)
    released = generated(Gives(lambda f: f.assign(member=f["member"].astype(form))), frame).frame
    assert released["member"].dtype == bool
    assert released["member"].equals(frame["member"])


@pytest.mark.parametrize("value", [0.5, None, "maybe"])
def test_what_is_no_truth_value_is_refused(value):
    frame = FRAME.assign(member=FRAME["size"] > 2)
    with pytest.raises(InvalidInput, match="`member` must come back with values that it can have; got 80 others"):
        generated(Gives(lambda f: f.assign(member=value)), frame)


@pytest.mark.parametrize("form", ["float64", "int64", object])
def test_numbers_are_no_dates(form):
    """Oracle: nobody can say of what unit they are; read as nanoseconds, days since 1970 would all be the same day."""
    frame = FRAME.assign(born=pd.Timestamp("1980-05-01"))
    with pytest.raises(InvalidInput, match="`born` must come back as dates; got numbers"):
        generated(Gives(lambda f: f.assign(born=np.full(len(f), 3773).astype(form))), frame)


@pytest.mark.parametrize("form", ["datetime64[s]", str, object])
def test_dates_come_back_as_dates(form):
    frame = FRAME.assign(born=pd.Timestamp("1980-05-01"))
    assert generated(Gives(lambda f: f.assign(born=f["born"].astype(form))), frame).frame["born"].equals(frame["born"])


@pytest.mark.parametrize("words", [[], ["{input}", "{output}"]])
def test_a_command_reads_and_writes(words):
    released = generated(python(COPY, *words))
    numbers = ["age", "wage", "tax"]
    np.testing.assert_allclose(released.frame[numbers], FRAME[numbers], rtol=1e-15)


def test_a_command_sees_no_shell_and_its_folder_goes(tmp_path):
    script = "import sys, os, pathlib, shutil; shutil.copy(sys.argv[1], sys.argv[2]); "
    script += f"pathlib.Path(r'{tmp_path}', 'told').write_text(os.getcwd() + '|' + sys.argv[3] + '|' + oct(os.stat('.').st_mode))"
    generated(python(script, "{input}", "{output}", "$HOME; echo"))
    folder, word, mode = (tmp_path / "told").read_text().split("|")
    assert word == "$HOME; echo"
    assert not os.path.exists(folder)
    assert mode.endswith("700")


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        (pf.External(["nonesuch-command"]), "could not be started; got FileNotFoundError"),
        (python("1/0"), "must end with status 0; got 1: ZeroDivisionError: division by zero"),
        (python("pass"), "output must be a CSV file"),
        (python("import sys; open(sys.argv[2], 'w').write('')"), "output must be a CSV file"),
        (python("import time; time.sleep(60)", seconds=0.3), "must end within 0.3 seconds"),
    ],
)
def test_a_command_that_fails_is_one_sentence(generator, message):
    with pytest.raises(InvalidInput, match=message) as error:
        generated(generator)
    assert "\n" not in str(error.value)


def test_what_a_command_says_last_of_very_much_is_told():
    loud = "import sys; sys.stderr.write('x' * 5_000_000 + chr(10) + 'no more'); sys.exit(3)"
    with pytest.raises(InvalidInput, match=r"got 3: no more$"):
        generated(python(loud))


def test_a_text_that_is_no_command_is_told_as_it_was_given():
    with pytest.raises(InvalidParameter, match="got 'str'"):
        pf.External("model 'half")


def test_files_are_written_as_they_came(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("in.csv", index=False)
    pf.protect("in.csv", pf.External(Shuffled()), ROLES, output="out.csv")
    assert pd.read_csv("out.csv").shape == (80, FRAME.shape[1] - 1)
    wrong = pf.External(Gives(lambda f: f.head(2)))
    with pytest.raises(InvalidInput):
        pf.protect("in.csv", wrong, ROLES, output="other.csv")
    assert sorted(os.listdir()) == ["in.csv", "out.csv"]


def test_incomplete_records_are_not_seen():
    frame = FRAME.assign(wage=FRAME["wage"].where(np.arange(80) > 3))
    released = generated(Shuffled(), frame, missing="drop")
    assert len(released.frame) == 76
    assert len(generated(Shuffled(), frame, missing="protect").frame) == 80
    assert not released.frame["wage"].isna().any()


@pytest.mark.filterwarnings("error")
def test_a_map_of_unpaired_releases_has_no_legend():
    figure = pf.sweep(FRAME, ROLES, [pf.External(Shuffled())], seed=1).plot()
    assert figure.axes[0].get_legend() is None


@pytest.mark.slow
def test_audit_finds_copies_of_the_original():
    audit = pf.audit(FRAME, pf.External(Shuffled()), ROLES, repeats=1)
    assert audit["exact_copies"] > 70  # of members whose values no other has; of the others none
    assert audit["exact_copies_control"] == 0
    assert any("exact copies" in alarm for alarm in audit.alarms)
    assert audit["membership"] > 90


class Bootstrap:
    """A generator that draws records of its training frame."""

    def fit(self, frame):
        self.frame = frame

    def sample(self, records):
        return self.frame.sample(records, replace=True, random_state=1)


@pytest.mark.parametrize("codes", [[99999], [99998, 99999]])
def test_codes_of_missing_values_are_gaps_for_the_generator_and_return(codes):
    """Oracle: the same draws of a frame with gaps in place of codes. Identical gaps; codes are those that are declared."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 400), "wage": rng.integers(900, 5000, 400)})
    frame.loc[::11, "wage"] = rng.choice(codes, 37)
    generator, variables = Bootstrap(), {"wage": pf.Variable(missing_codes=codes)}
    roles = pf.Roles(["age"], ["wage"])
    released = pf.protect(frame, pf.External(generator), roles, variables=variables, seed=1).frame
    gapped = frame.assign(wage=frame["wage"].where(~frame["wage"].isin(codes)))
    generator.fit(gapped)
    expected = generator.sample(400).reset_index(drop=True)["wage"]
    assert released["wage"].dtype == frame["wage"].dtype
    assert released["wage"].isin(codes).equals(expected.isna())
    assert released["wage"][expected.notna()].equals(expected.dropna().astype("int64"))
    assert {*released["wage"][expected.isna()]} == {*codes}
