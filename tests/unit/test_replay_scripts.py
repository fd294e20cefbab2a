"""The script in Python that replays a release, and the literals of both languages.

Oracles: the bytes that the studio's own download has; Python's own reading of what was written; literals written out by
hand, and R's documented escapes. Grade: identical. R itself runs the other script in tests/parity/test_replay_r.py.
"""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.replays import METHODS, download, replay, replays
from support.trials import ODD, ROLES, file_source, odd_file, trial

import pyfcrm as pf
from pyfcrm.app.scripts import Replay, python_script, r_script, release_name
from pyfcrm.app.scripts import python as in_python
from pyfcrm.app.scripts import r as in_r
from pyfcrm.errors import InvalidInput

HARD = 'x"); system("touch /tmp/pwned"); ("'
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return replays(tmp_path_factory.mktemp("originals"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*METHODS, "gaps", "answers", "accounts", "example", "census_like", "no seed", "no seed, accounts"]
)
def test_the_script_gives_the_studios_file(
    name: str, made: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = made[name]
    script = tmp_path / "replay.py"
    script.write_text(python_script(replay(one)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script), *([str(one.source.path)] if one.source.path else [])])
    runpy.run_path(str(script))
    assert (tmp_path / release_name(one.source.name)).read_bytes() == download(one)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["replay.py", release_name(one.source.name)])


def test_it_runs_by_itself_and_finds_the_file_beside_it(tmp_path: Path) -> None:
    one = trial(file_source(odd_file(tmp_path)), pf.IPSO("B"), ROLES, judged=())
    (tmp_path / "replay.py").write_text(python_script(replay(one)), encoding="utf-8")
    done = subprocess.run([sys.executable, "replay.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "in-protected.csv\n"), done.stderr
    assert (tmp_path / "in-protected.csv").read_bytes() == download(one)


@pytest.mark.slow
@given(TEXTS)
def test_a_text_is_one_string_in_python(text: str) -> None:
    assert ast.literal_eval(in_python.text(text)) == text


@pytest.mark.slow
@given(TEXTS)
def test_a_text_is_one_string_in_r(text: str) -> None:
    """By R's rules: no bare quote, every backslash starts a known escape, and undoing these gives the text."""
    code = in_r.text(text)
    assert code.isascii()
    assert code.isprintable()
    undone, at, inside = [], 0, code[1:-1]
    while at < len(inside):
        assert inside[at] != '"'
        if inside[at] != "\\":
            undone.append(inside[at])
            at += 1
            continue
        kind, long = inside[at + 1], {"u": 4, "U": 8}.get(inside[at + 1], 0)
        known = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
        undone.append(chr(int(inside[at + 2 : at + 2 + long], 16)) if long else known[kind])
        at += 2 + long
    assert "".join(undone) == text


@pytest.mark.slow
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_itself(value: float) -> None:
    assert ast.literal_eval(in_python.literal(value)) == value
    code = in_r.number(value)
    assert (float.fromhex(code) if "0x" in code else float(code)) == value


def test_literals_by_hand() -> None:
    calibrated = pf.Calibrated(pf.IPSO("B"), margins=None)
    assert in_python.literal(calibrated) == 'pf.Calibrated(method=pf.IPSO(kind="B"), margins=None)'
    assert in_r.literal(calibrated) == 'calibrated(method = ipso(kind = "B"), margins = NULL)'
    assert in_r.literal(pf.FCRM(c=8, joint=True)) == "fcrm(c = 8, joint = TRUE)"
    assert in_r.literal(pf.Sampling(1 / 3)) in (
        f"sampling(fraction = {1 / 3!r})",
        f"sampling(fraction = {(1 / 3).hex()})",
    )
    assert in_r.literal(pf.Recoding([1000.5])) == "recoding(breaks = list(1000.5))"
    assert in_r.literal(pf.Recoding([1, 2])) == "recoding(breaks = c(1, 2))"
    assert in_r.literal({"é": 4}) == 'setNames(list(4), c("\\u00e9"))'
    assert in_python.literal({"é": (4.0,)}) == '{"é": [4.0]}'
    assert in_r.number(0.05) == "0.05"
    assert in_r.number(5e-324) == "0x0.0000000000001p-1022"


def test_a_text_of_a_users_is_a_string_and_nothing_else() -> None:
    """Every name and text, hard ones, in both scripts: in Python's own tree there is one call of the package's."""
    roles = pf.Roles([HARD, "'''"], ['"""', "$call", "{name}\n# x"], ["\\"])
    asked = Replay(
        HARD + ".csv",
        None,
        pf.LocalSuppression(2, keys=[HARD]),
        roles,
        1,
        constraints=HARD + "\nimport os",
        missing="protect",
    )
    tree = ast.parse(python_script(asked))
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert sorted(calls) == sorted(["Path", "len", "pf.protect_file", "pf.LocalSuppression", "pf.Roles", "print"])
    said = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert {HARD, "'''", '"""', "$call", "{name}\n# x", "\\", HARD + ".csv", HARD + "\nimport os"} <= set(said)
    outside = _outside_strings(r_script(asked))
    assert "system" not in outside
    assert "$" not in outside
    assert r_script(asked).isascii()


def _outside_strings(code: str) -> str:
    """R code without its comments and strings, by R's rules."""
    kept, at, inside = [], 0, False
    while at < len(code):
        if inside and code[at] == "\\":
            at += 1
        elif code[at] == '"':
            inside = not inside
        elif not inside and code[at] == "#":
            at = code.index("\n", at)
            continue
        elif not inside:
            kept.append(code[at])
        at += 1
    assert not inside
    return "".join(kept)


def test_what_no_script_can_say() -> None:
    roles = pf.Roles("a", "b")
    with pytest.raises(InvalidInput, match="whole number"):
        Replay("x.csv", None, pf.GADP(), roles, 1.5)  # type: ignore[arg-type]
    for name in ("a\0b", "\ud800"):
        with pytest.raises(InvalidInput, match="names and texts"):
            r_script(Replay("x.csv", None, pf.GADP(), pf.Roles(name, "b"), 1))


def test_a_state_is_in_the_script_where_there_was_no_seed() -> None:
    """The 626 numbers of R's .Random.seed, those of the stream, in short lines; and no seed."""
    stream = pf.RStream()
    asked = Replay("x.csv", None, pf.GADP(), pf.Roles("a", "b"), stream)
    state = stream.to_r_state().tolist()
    stream.runif(3)  # the script's is its own
    code = python_script(asked)
    tree = ast.parse(code)
    (listed,) = (ast.literal_eval(node.value) for node in tree.body if ast.unparse(node).startswith("state = "))
    assert listed == state
    assert "seed=pf.RStream.from_r_state(state)" in code
    in_r_too = r_script(asked)
    assert ", ".join(map(str, state)) in " ".join(in_r_too.split())
    assert "seed = state" in in_r_too
    assert max(map(len, [*code.splitlines(), *in_r_too.splitlines()])) <= 120


def test_the_names_of_releases() -> None:
    names = {
        "people.csv": "people-protected.csv",
        "a.b.tsv": "a.b-protected.tsv",
        "x.sas7bdat": "x-protected.xpt",
        "x.XLSX": "x-protected.csv",
    }
    assert {name: release_name(name) for name in names} == names
    assert Replay("a.b.tsv", None, pf.GADP(), pf.Roles("a", "b"), 1).added == "-protected.tsv"


def test_long_lists_are_filled_and_not_cut() -> None:
    names = [f"a rather long column name, number {k}" for k in range(12)]
    text = python_script(Replay("x.csv", None, pf.GADP(), pf.Roles(names, ODD[0]), 1))
    assert max(map(len, text.splitlines())) <= 120
    assert all(f'"{name}"' in text for name in names)
