"""The command line's declarations: each option once, each command with the options it had. Identical."""

import shlex
import subprocess
import sys

import click
import pytest
from support.cli import pyfcrm
from support.data import REPOSITORY

import pyfcrm as pf
from pyfcrm.cli.commands import COMMANDS, app, command
from pyfcrm.cli.options import OPTIONS
from pyfcrm.errors import InvalidParameter
from pyfcrm.methods.text import make_method
from pyfcrm.protection.options import Options

MARKS = "separator decimal thousands encoding missing_marks sheet"
OF_DESIGN = "psu sampling_stratum replicate_weights replicate_type replicate_scale replicate_rscales"
OF_ROLES = f"dependent independent identifiers unknown weight household unit time {OF_DESIGN} roles"


def of_file(verb: str) -> str:
    """Of what protects a file's columns: the options of the function stand between the roles and the marks of the file."""
    options = " ".join(each.name for each in Options.of_verb(verb))
    return f"source {OF_ROLES} {options} missing_codes threads {MARKS}"


OF_RELEASE = (
    f"original protected columns measures {MARKS} copies manifest {OF_ROLES} method set limit limits "
    "variables missing_codes audit check paired"
)
OF_PAIR = f"original protected manifest variables missing_codes {MARKS}"
COMMAND_OPTIONS = {
    "demo": "output seed threads",
    "protect": f"{of_file('protect_file')} product output method set seed ledger manifest by_blocks overwrite disarm yes json",
    "evaluate": f"{OF_RELEASE} keys strata targets target_groups key_groups domains guesses weights threads by_blocks json",
    "sweep": f"{of_file('sweep')} output candidates seed by_blocks json",
    "report": f"{OF_RELEASE} output form dossier purpose recipients json",
    "reproduce": "study census output seeds json",
    "studio": "port ledger no_browser",
    "docs": "no_browser",
    "doctor": "json",
    "crosscheck": "sdcmicro ipso_r input independent dependent seed allow_undecided html json",
    "recommend": f"{of_file('recommend')} seed limit limits max_dr candidates output plan json",
    "recode-search": "source keys hierarchies k l t targets loss max_suppressed identifiers unknown weight household plan "
    f"variables missing_codes {MARKS} json",
    "dependence": f"{OF_PAIR} dependent independent unit household roles seed json",
    "records-at-risk": f"{OF_PAIR} columns json",
    "changes": f"{OF_PAIR} columns json",
    "combine": f"protected formula copies rule manifest weight {OF_DESIGN} variables missing_codes {MARKS} json",
    "analyse": f"{OF_PAIR} formula weights weight {OF_DESIGN} family quantile json",
    "audit": f"{of_file('audit')} method set seed share repeats shadows json",
    "methods": "name json",
    "measures": "key json",
    "key-risk": f"source keys weight household form variables missing_codes {MARKS} json",
    "codebook": "protected manifest copies format json",
    "describe": f"source toml variables missing_codes {MARKS} json",
    "roles": f"source product variables missing_codes {MARKS} json",
    "structure": f"source independent dependent roles accept variables missing_codes {MARKS} json",
    "pilot": f"source {OF_ROLES} product limits missing purpose recipients output variables missing_codes {MARKS} yes json",
    "verify": "manifest release original dossier prov json",
    "qualify": "html json",
    "run": "plan overwrite despite_hold by json",
}


def test_every_command_is_in_the_help_with_two_examples_that_it_understands():
    """Each example parses: its options exist, and what the command requires is there."""
    context = click.Context(app, info_name="pyfcrm")
    listed = app.get_help(context)
    for name, row in COMMANDS.items():
        assert f"\n  {name} " in listed
        assert len(row.examples) == 2
        assert "Examples:" in command(name).get_help(context)
        for words in row.examples:
            command(name).make_context(name, shlex.split(words))


def test_commands_and_their_options_in_order():
    found = {name: " ".join(str(one.name) for one in command(name).params) for name in COMMANDS}
    assert found == COMMAND_OPTIONS


def test_every_declared_option_is_used_and_has_a_help_of_its_own():
    lists = [row.words for row in COMMANDS.values()]
    used = {
        word.rstrip("!").split("=")[0]
        for words in lists
        for word in words
        if isinstance(word, str) and word.startswith("--")
    }
    assert used == OPTIONS.keys()
    helps = [*(text for _, text, *_ in OPTIONS.values()), *(each.help for each in Options.declared())]
    assert len(set(helps)) == len(helps)


def values(name, *words):
    """What a command receives."""
    return command(name).make_context(name, ["in.csv", *words]).params


def test_texts_become_values():
    found = values("audit", "--method", "ipso", "--dependent", 'c,"d, e"', "--independent", "", "--seed", "7", "--separator", "tab",
                   "--set", "c=8", "--variables", "numbers")  # fmt: skip
    expected = {"dependent": ["c", "d, e"], "independent": [], "seed": 7, "separator": "\t", "set": ("c=8",), "json": False,
                "variables": "numbers", "share": 0.5, "strata": None}  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    with pytest.raises(click.BadParameter, match="must name at least one"):
        values("audit", "--method", "ipso", "--dependent", "c", "--strata", " ")


@pytest.mark.parametrize(("option", "text"), [("--seed", "1.5"), ("--seed", "1_000"), ("--seed", "x"), ("--copies", "٣"),
                                              ("--copies", "1.5")])  # fmt: skip
def test_a_value_that_is_no_number_is_refused_where_it_is_used(tmp_path, option, text):
    (tmp_path / "in.csv").write_text("c\n" + "\n".join(map(str, range(20))))
    ran = pyfcrm(
        "protect",
        tmp_path / "in.csv",
        "-o",
        tmp_path / "out.csv",
        "--method",
        "noise",
        "--dependent",
        "c",
        option,
        text,
    )
    assert (ran.status, ran.out) == (2, "")
    assert f"`{option[2:]}` must be" in ran.err


@pytest.mark.process
def test_help_loads_no_more_than_it_needs():
    """Oracle: sys.modules of a fresh interpreter, after `pyfcrm --help`."""
    late = (
        "pyarrow",
        "matplotlib",
        "sklearn",
        "starlette",
        "numba",
        "jinja2",
        "r_bridge",
        "pyfcrm.report",
        "pyfcrm.studies",
    )
    code = (
        "import sys\nfrom pyfcrm.cli.run import run\nrun(['--help'])\n"
        f"print([name for name in {(*late, 'pyfcrm.app')!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stderr.strip() == "[]"


def test_a_setting_is_a_list_where_it_names_several():
    """Oracle: the method built in Python."""
    expected = pf.LocalSuppression(3, keys=["sex", "town"])
    for texts in (
        ["k=3", "keys=sex,town"],
        ["keys=sex,town,k=3"],
        ["k=3,keys=[sex, town]"],
        ["k=3", "keys= sex , town"],
    ):
        assert make_method("localsuppression", texts) == expected
    for text in ("sex,town", "keys="):
        with pytest.raises(InvalidParameter, match="name=value"):
            make_method("localsuppression", [text])
