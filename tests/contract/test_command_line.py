"""The command line's declarations: each option once, handed on by name. Identical."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import get_type_hints

import pytest
import typer
from support.data import REPOSITORY
from typer.models import ArgumentInfo, OptionInfo

from pyfcrm.cli import options, release
from pyfcrm.cli.commands import COMMANDS, app, by_name

# Of what protects a file's columns, after what must be given.
OF_FILE = "independent identifiers unknown constraints missing strata weights preserve structure threads separator decimal external"
PLANNED = f"{OF_FILE} seed plan"
# As they stand in each command's help.
OPTIONS = {
    "demo": "output seed threads",
    "protect": f"source dependent output method {PLANNED} settings manifest by_blocks overwrite disarm strict_totals "
    "allow_unprotected copies",
    "evaluate": "original protected columns measures separator decimal copies manifest dependent independent "
    "identifiers unknown method settings external limit limits audit check keys targets domains "
    "as_json strata threads by_blocks weights",
    "sweep": f"source dependent output candidates {OF_FILE} max_dr by_blocks seed",
    "report": "original protected output columns measures separator decimal copies manifest dependent "
    "independent identifiers unknown method settings external limit limits audit check form",
    "reproduce": "study census output seeds as_json",
    "studio": "port host browser upload_mb most_cells external",
    "docs": "browser",
    "doctor": "as_json",
    "crosscheck": "sdcmicro ipso_r as_json html source independent dependent seed",
    "recommend": f"source dependent {PLANNED} limit limits max_dr candidates folder as_json",
    "audit": f"source dependent method {OF_FILE} settings seed share repeats shadows copies as_json",
    "methods": "name as_json",
    "measures": "key as_json",
    "key-risk": "source keys weights household form scoring fraction separator decimal as_json",
    "structure": "source independent dependent accept separator decimal as_json",
    "verify": "manifest release original as_json",
    "qualify": "html wheel with_r as_json",
    "run": "plan overwrite despite_hold by as_json",
}


def test_commands_and_their_options_in_order():
    commands = typer.main.get_command(app).commands
    found = {name: " ".join(p.name for p in one.params) for name, one in commands.items()}
    assert found == OPTIONS


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.__name__.rpartition(".")[2])
def test_nothing_is_handed_on_by_its_place(command):
    """Two strings can only be swapped by name."""
    parameters = inspect.signature(by_name(command.run)).parameters.values()
    assert {one.kind for one in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    if hasattr(command, "Request"):
        with pytest.raises(TypeError, match="positional"):
            command.Request("in.csv")


def test_a_request_holds_what_was_typed(monkeypatch):
    """Every option of protect with a value of its own, in another order than declared."""
    from pyfcrm.cli import protect

    given = {
        "dependent": "c,d", "method": "ipso", "output": "out.csv", "source": "in.csv", "unknown": "u",
        "strata": "e", "decimal": ",", "separator": ";", "manifest": "m.json", "missing": "protect", "constraints": "c>=0",
        "identifiers": "id", "independent": "a,b", "settings": ["kind=A"], "seed": 7, "threads": 2, "by_blocks": True,
        "overwrite": True, "disarm": True, "strict_totals": True, "allow_unprotected": True, "structure": "find", "plan": "p.toml",
        "weights": "w", "preserve": "e,c ~ a", "copies": 2, "external": ["x=y"],
    }  # fmt: skip
    asked = []

    def run(request: protect.Request) -> None:
        asked.append(request)

    monkeypatch.setitem(run.__annotations__, "request", protect.Request)
    by_name(run)(**given)
    assert vars(asked[0]) == given


def test_shared_options_are_said_once():
    """No two declarations of one help text; what differs between commands says so in its help."""
    commands = typer.main.get_command(app).commands
    requests = (options.PlannedRequest, release.ReleaseRequest)  # what commands share
    hints = [kind for one in requests for kind in get_type_hints(one, include_extras=True).values()]
    kinds = (*vars(options).values(), *hints)
    declared = [*kinds, *(one.__metadata__[0] for one in kinds if hasattr(one, "__metadata__"))]
    shared = {one.help for one in declared if isinstance(one, OptionInfo | ArgumentInfo)}
    said = [p.help for one in commands.values() for p in one.params if getattr(p, "help", None)]
    twice = {text for text in said if said.count(text) > 1} - {"Show this message and exit."}
    assert twice <= shared


def test_help_loads_no_more_than_it_needs():
    """Oracle: sys.modules of a fresh interpreter, after `pyfcrm --help`."""
    late = (
        "pyarrow",
        "matplotlib",
        "sklearn",
        "shiny",
        "numba",
        "jinja2",
        "r_bridge",
        "pyfcrm.report",
        "pyfcrm.studies",
        "pyfcrm.app",
    )
    code = (
        "import sys\nfrom pyfcrm.cli.run import run\nrun(['--help'])\n"
        f"print([name for name in {late!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stderr.strip() == "[]"
