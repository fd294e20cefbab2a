"""The commands, in the order of the help; each is one file, with its options and its work."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

from . import (
    audit,
    crosscheck,
    demo,
    docs,
    doctor,
    evaluate,
    key_risk,
    measures,
    methods,
    protect,
    qualify,
    recommend,
    report,
    reproduce,
    run_plan,
    structure,
    studio,
    sweep,
    verify,
)

app = typer.Typer(
    name="pyfcrm",
    help="Protect numerical microdata, and judge the release: information loss against disclosure risk.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS = (
    demo,
    protect,
    evaluate,
    sweep,
    report,
    reproduce,
    studio,
    docs,
    doctor,
    crosscheck,
    recommend,
    audit,
    methods,
    measures,
    key_risk,
    structure,
    verify,
    qualify,
    run_plan,
)
CALLED = {run_plan: "run"}  # where a module of that name is another


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from .. import __version__

        typer.echo(f"pyfcrm {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Protect numerical microdata, and judge the release: information loss against disclosure risk."""


def by_name(run: Callable[..., None]) -> Callable[..., None]:
    """A command's `run`, called with its options by name: its own keyword-only parameters, or the fields of its Request."""
    asked = get_type_hints(run, include_extras=True).get("request")
    if asked is None:
        return run

    def requested(**options: Any) -> None:
        run(asked(**options))

    hints = get_type_hints(asked, include_extras=True)
    # What must be given comes first.
    fields = sorted(inspect.signature(asked).parameters.values(), key=lambda one: one.default is not one.empty)
    parameters = [field.replace(annotation=hints[field.name]) for field in fields]
    requested.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    requested.__doc__ = run.__doc__
    return requested


for _command in COMMANDS:
    _name = CALLED.get(_command, _command.__name__.rpartition(".")[2].replace("_", "-"))
    app.command(_name)(by_name(_command.run))
