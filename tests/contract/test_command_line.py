"""The command line's declarations: each option once, each command with the options it had. Identical."""

import shlex
import subprocess
import sys

import click
import pytest
from support.data import REPOSITORY

from pyfcrm.cli.commands import COMMANDS, EXAMPLES, app, command
from pyfcrm.cli.options import OPTIONS, request_of

# Of what protects a file's columns, after what must be given.
OF_FILE = (
    "independent identifiers unknown constraints missing strata weights household unit time bounds decimals preserve structure "
    "threads separator decimal external"
)
OF_RELEASE = (
    "original protected columns measures separator decimal copies manifest dependent independent identifiers unknown method set "
    "external limit limits audit check"
)
OF_PAIR = "original protected manifest separator decimal"
COMMAND_OPTIONS = {
    "demo": "output seed threads",
    "protect": f"source dependent {OF_FILE} output method set seed ledger manifest by_blocks overwrite disarm strict_totals "
    "allow_unprotected copies plan json",
    "evaluate": f"{OF_RELEASE} keys targets domains strata weights threads by_blocks json",
    "sweep": f"source dependent {OF_FILE} output candidates seed max_dr by_blocks json",
    "report": f"{OF_RELEASE} output form json",
    "reproduce": "study census output seeds json",
    "studio": "port host ledger no_browser",
    "docs": "no_browser",
    "doctor": "json",
    "crosscheck": "sdcmicro ipso_r input independent dependent seed html json",
    "recommend": f"source dependent {OF_FILE} seed limit limits max_dr candidates output plan json",
    "dependence": f"{OF_PAIR} dependent independent unit household seed json",
    "records-at-risk": f"{OF_PAIR} columns json",
    "changes": f"{OF_PAIR} columns json",
    "analyse": f"{OF_PAIR} formula weights json",
    "audit": f"source dependent {OF_FILE} method set seed share repeats shadows copies json",
    "methods": "name json",
    "measures": "key json",
    "key-risk": "source keys weights household form separator decimal json",
    "roles": "source separator decimal json",
    "structure": "source independent dependent accept separator decimal json",
    "verify": "manifest release original json",
    "qualify": "html json",
    "run": "plan overwrite despite_hold by json",
}


def test_every_command_is_in_the_help_with_two_examples_that_it_understands():
    """Each example parses: its options exist, and what the command requires is there."""
    context = click.Context(app, info_name="pyfcrm")
    listed = app.get_help(context)
    for name in COMMANDS:
        assert f"\n  {name} " in listed
        assert len(EXAMPLES[name]) == 2
        assert "Examples:" in command(name).get_help(context)
        for words in EXAMPLES[name]:
            command(name).make_context(name, shlex.split(words))


def test_commands_and_their_options_in_order():
    found = {name: " ".join(str(one.name) for one in command(name).params) for name in COMMANDS}
    assert found == {name: options.replace("\n", " ") for name, options in COMMAND_OPTIONS.items()}


def test_every_declared_option_is_used_and_has_a_help_of_its_own():
    used = {word.rstrip("!") for _, words in COMMANDS.values() for word in words if word.startswith("--")}
    assert used == OPTIONS.keys()
    helps = [text for _, text, *_ in OPTIONS.values()]
    assert len(set(helps)) == len(helps)


def test_texts_become_values():
    values = {
        "independent": "", "dependent": 'c,"d, e"', "seed": "7", "share": None, "separator": "tab", "copies": None, "set": ("c=8",),
        "overwrite": True, "source": "in.csv", "constraints": "A >= 0",
    }  # fmt: skip
    assert vars(request_of(values)) == {
        **values, "independent": [], "dependent": ["c", "d, e"], "seed": 7, "share": 0.5, "separator": "\t", "copies": 1,
    }  # fmt: skip
    with pytest.raises(click.BadParameter, match=r"must be a whole number; got '1\.5'"):
        request_of({"seed": "1.5"})
    with pytest.raises(ValueError, match="`names` must name at least one"):
        request_of({"strata": " "})


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
