"""The commands in the order of the help, each with its function and its options."""

from collections.abc import Callable
from typing import Any

import click

from ..errors import unknown_name
from . import catalogue, crosscheck, demo, doctor, evaluate, pages, protect, reproduce, search, tables, trust
from .options import FILE, OPTION_GROUPS, RELEASE, Request, parameter, request_of

MARKS = ["--separator", "--decimal"]
PAIR = ["original", "protected", "--manifest", *MARKS]
COMMANDS: dict[str, tuple[Callable[[Request], Any], list[str]]] = {
    "demo": (demo.run, ["--output", "--seed", "--threads"]),
    "protect": (protect.run, [*FILE, "--output!", "--method!", "--set", "--seed", "--ledger", "--manifest", "--by-blocks",
                              "--overwrite", "--disarm", "--strict-totals", "--allow-unprotected", "--copies", "--plan", "--json"]),
    "evaluate": (evaluate.run, [*RELEASE, "--keys", "--targets", "--domains", "--strata", "--weights", "--threads", "--by-blocks",
                                "--json"]),
    "sweep": (search.sweep, [*FILE, "--output!", "--candidates!", "--seed", "--max-dr", "--by-blocks", "--json"]),
    "report": (evaluate.page, [*RELEASE, "--output!", "--form", "--json"]),
    "reproduce": (reproduce.run, ["study", "--census", "--output", "--seeds", "--json"]),
    "studio": (pages.studio, ["--port", "--host", "--ledger", "--no-browser"]),
    "docs": (pages.docs, ["--no-browser"]),
    "doctor": (doctor.run, ["--json"]),
    "crosscheck": (crosscheck.run, ["--sdcmicro", "--ipso-r", "--input", "--independent", "--dependent", "--seed", "--html", "--json"]),
    "recommend": (search.recommend, [*FILE, "--seed", "--limit", "--limits", "--max-dr", "--candidates", "--output", "--plan", "--json"]),
    "audit": (tables.audit, [*FILE, "--method!", "--set", "--seed", "--share", "--repeats", "--shadows", "--copies", "--json"]),
    "dependence": (tables.dependence, [*PAIR, "--dependent", "--independent", "--unit", "--household", "--seed", "--json"]),
    "records-at-risk": (tables.at_risk, [*PAIR, "--columns", "--json"]),
    "changes": (tables.changes, [*PAIR, "--columns", "--json"]),
    "analyse": (tables.analyse, [*PAIR, "formula", "--weights", "--json"]),
    "methods": (catalogue.methods, ["name?", "--json"]),
    "measures": (catalogue.measures, ["key?", "--json"]),
    "key-risk": (tables.key_risk, ["source", "--keys!", "--weights", "--household", "--form", *MARKS, "--json"]),
    "roles": (tables.roles, ["source", *MARKS, "--json"]),
    "structure": (tables.structure, ["source", "--independent", "--dependent", "--accept", *MARKS, "--json"]),
    "verify": (trust.verify, ["manifest", "--release!", "--original", "--json"]),
    "qualify": (trust.qualify, ["--html", "--json"]),
    "run": (trust.run, ["plan", "--overwrite", "--despite-hold", "--by", "--json"]),
}  # fmt: skip


GROUPS = {
    "Release": ("protect", "run", "verify", "roles", "structure"),
    "Judge": ("evaluate", "report", "audit", "key-risk", "dependence", "records-at-risk", "changes", "analyse"),
    "Search": ("recommend", "sweep"),
    "Learn": ("demo", "studio", "methods", "measures", "docs", "doctor"),
    "Check the software": ("reproduce", "crosscheck", "qualify"),
}
EXAMPLES = {
    "protect": ("in.csv -o out.csv --method ipso --dependent wage,tax --independent age,sex",
                "in.csv -o out.csv --method fcrm --set c=8 --dependent wage --independent age --manifest private.json"),
    "evaluate": ("in.csv out.csv --manifest private.json --audit run --check", "in.csv out.csv --columns wage,tax --json"),
    "sweep": ('in.csv -o maps --dependent wage --independent age --candidates "fcrm:c=2..15,ipso:kind=A|B|C"',
              'in.csv -o maps --dependent wage --candidates "rankswapping:p=5|15" --max-dr 20'),
    "report": ("in.csv out.csv -o inside.html --manifest private.json --audit run",
               "in.csv out.csv -o outside.html --form external --manifest private.json"),
    "recommend": ("in.csv --dependent wage,tax --independent age,sex",
                  "in.csv --dependent wage --independent age --limit dr=15 --plan plan.toml"),
    "audit": ("in.csv --method ipso --dependent wage --independent age", "in.csv --method gadp --dependent wage --repeats 5 --json"),
    "run": ("plan.toml", 'plan.toml --despite-hold "a contract" --by "A. Name"'),
    "key-risk": ("in.csv --keys age,sex,region", "in.csv --keys age,sex --weights w --household hh"),
    "roles": ("in.csv", "in.sav --json"),
    "structure": ("in.csv", "in.csv --accept 1,3 --json"),
    "verify": ("private.json --release out.csv", "private.json --release out.csv --original in.csv"),
    "methods": ("", "fcrm"),
    "measures": ("", "dbrl"),
    "studio": ("", "--port 9000 --no-browser"),
    "demo": ("", "-o folder --seed 2"),
    "docs": ("", "--no-browser"),
    "doctor": ("", "--json"),
    "records-at-risk": ("in.csv out.csv --manifest private.json", "in.csv out.csv --columns wage,tax --json"),
    "changes": ("in.csv out.csv --manifest private.json", "in.csv out.csv --columns wage,tax --json"),
    "analyse": ('in.csv out.csv "wage ~ age + sex"', 'in.csv out.csv "log(wage) ~ sex * age" --weights w --json'),
    "dependence": ("in.csv out.csv --independent age,sex --dependent wage,tax", "in.csv out.csv --manifest private.json"),
    "crosscheck": ("", "--input in.csv --independent age --dependent wage"),
    "reproduce": ("example", "s1 -o tables"),
    "qualify": ("", "--html record.html"),
}  # fmt: skip
OTHERS = "Files and output"  # options in no group


class GroupedCommand(click.Command):
    """A command whose help lists the options in groups, and ends with examples."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        group_of = {name: title for title, names in OPTION_GROUPS.items() for name in names}
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in (*OPTION_GROUPS, OTHERS)}
        for option in self.get_params(context):
            record = option.get_help_record(context)
            if record is not None and isinstance(option, click.Option):
                groups[group_of.get(option.opts[0], OTHERS)].append(record)
        for title, rows in groups.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        with formatter.section("Examples"):
            for words in EXAMPLES[self.name or ""]:
                formatter.write(f"  pyfcrm {self.name} {words}".rstrip() + "\n")


def command(name: str) -> click.Command:
    """One command of COMMANDS."""
    run, words = COMMANDS[name]
    parameters = [parameter(word) for word in words]
    return GroupedCommand(name, params=parameters, callback=lambda **values: run(request_of(values)), help=run.__doc__)


class Commands(click.Group):
    """The commands, each built when it is used."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All names."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of this name; None where a word is only being completed."""
        if name not in COMMANDS and not context.resilient_parsing:
            raise unknown_name("commands", "command", name, COMMANDS)
        return command(name) if name in COMMANDS else None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups."""
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, command(name).help or "") for name in names])


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
