"""The commands in the order of the help, each with its function and its options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from . import (
    audit,
    catalogue,
    crosscheck,
    demo,
    dependence,
    doctor,
    evaluate,
    key_risk,
    pages,
    protect,
    qualify,
    recommend,
    report,
    reproduce,
    structure,
    sweep,
    trust,
)
from .options import FILE, RELEASE, Request, parameter, request_of

MARKS = ["--separator", "--decimal"]
COMMANDS: dict[str, tuple[Callable[[Request], Any], list[str]]] = {
    "demo": (demo.run, ["--output", "--seed", "--threads"]),
    "protect": (protect.run, [*FILE, "--output!", "--method!", "--set", "--seed", "--manifest", "--by-blocks", "--overwrite", "--disarm",
                              "--strict-totals", "--allow-unprotected", "--copies", "--plan"]),
    "evaluate": (evaluate.run, [*RELEASE, "--keys", "--targets", "--domains", "--strata", "--weights", "--threads", "--by-blocks",
                                "--json"]),
    "sweep": (sweep.run, [*FILE, "--output!", "--candidates!", "--seed", "--max-dr", "--by-blocks"]),
    "report": (report.run, [*RELEASE, "--output!", "--form"]),
    "reproduce": (reproduce.run, ["study", "--census", "--output", "--seeds", "--json"]),
    "studio": (pages.studio, ["--port", "--host", "--no-browser"]),
    "docs": (pages.docs, ["--no-browser"]),
    "doctor": (doctor.run, ["--json"]),
    "crosscheck": (crosscheck.run, ["--sdcmicro", "--ipso-r", "--input", "--independent", "--dependent", "--seed", "--html", "--json"]),
    "recommend": (recommend.run, [*FILE, "--seed", "--limit", "--limits", "--max-dr", "--candidates", "--output", "--plan", "--json"]),
    "audit": (audit.run, [*FILE, "--method!", "--set", "--seed", "--share", "--repeats", "--shadows", "--copies", "--json"]),
    "dependence": (dependence.run, ["original", "protected", "--dependent!", "--independent", "--unit", "--household", *MARKS, "--seed",
                                    "--json"]),
    "methods": (catalogue.methods, ["name?", "--json"]),
    "measures": (catalogue.measures, ["key?", "--json"]),
    "key-risk": (key_risk.run, ["source", "--keys!", "--weights", "--household", "--form", "--scoring", "--fraction", *MARKS, "--json"]),
    "structure": (structure.run, ["source", "--independent", "--dependent", "--accept", *MARKS, "--json"]),
    "verify": (trust.verify, ["manifest", "--release!", "--original", "--json"]),
    "qualify": (qualify.run, ["--html", "--json"]),
    "run": (trust.run, ["plan", "--overwrite", "--despite-hold", "--by", "--json"]),
}  # fmt: skip


def command(name: str) -> click.Command:
    """One command of COMMANDS."""
    run, words = COMMANDS[name]
    parameters = [parameter(word) for word in words]
    return click.Command(name, params=parameters, callback=lambda **values: run(request_of(values)), help=run.__doc__)


class Commands(click.Group):
    """The commands, each built when it is used."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All names."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of this name."""
        return command(name) if name in COMMANDS else None


def _show_version(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value:
        from .. import __version__

        click.echo(f"pyfcrm {__version__}")
        context.exit()


app = Commands(
    name="pyfcrm",
    help="Protect numerical microdata and evaluate the release: information loss against disclosure risk.",
    params=[
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="the version"
        )
    ],
)
