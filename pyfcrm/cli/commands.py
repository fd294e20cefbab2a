"""The commands in the groups of the help, each with its function, its options and two examples."""

from collections.abc import Callable
from typing import Any

import click

from .. import __version__
from ..evaluation.options import AuditOptions, EvaluateOptions
from . import catalogue, crosscheck, demo, doctor, evaluate, pages, protect, reproduce, search, tables, trust
from .options import (
    MARKS,
    OPTION_GROUPS,
    RELEASE,
    Request,
    Word,
    evaluate_option,
    file_words,
    group_of,
    of_verb,
    parameter,
)

PAIR = ["original", "protected", "--manifest", *MARKS]
COLUMNS = evaluate_option("columns")
WEIGHTS = evaluate_option("weights")
LIMITS = evaluate_option("limits")
KEYS = evaluate_option("keys", required=True)
SHOWN = ("columns", "measures", "limits")  # options of evaluate() that RELEASE has
OF_EVALUATE = [option for option in of_verb(EvaluateOptions, "evaluate") if option.name not in SHOWN]
GROUPS: dict[str, dict[str, tuple[Callable[[Request], Any], list[Word], str, str]]] = {
    "Release": {
        "protect": (protect.run, [*file_words("protect_file"), "--output!", "--method!", "--set", "--seed", "--ledger",
             "--manifest", "--by-blocks", "--overwrite", "--disarm", "--json"],
            "in.csv -o out.csv --method ipso --dependent wage,tax --independent age,sex",
            "in.csv -o out.csv --method fcrm --set c=8 --dependent wage --independent age --manifest private.json"),
        "run": (trust.run, ["plan", "--overwrite", "--despite-hold", "--by", "--json"],
            "plan.toml", 'plan.toml --despite-hold "a contract" --by "A. Name"'),
        "verify": (trust.verify, ["manifest", "--release!", "--original", "--json"],
            "private.json --release out.csv", "private.json --release out.csv --original in.csv"),
        "describe": (tables.describe, ["source", "--toml", *MARKS, "--json"],
            "in.csv", "in.sav --toml"),
        "roles": (tables.roles, ["source", *MARKS, "--json"],
            "in.csv", "in.sav --json"),
        "structure": (tables.structure, ["source", "--independent", "--dependent", "--roles", "--accept", *MARKS, "--json"],
            "in.csv", "in.csv --accept 1,3 --json"),
    },
    "Judge": {
        "evaluate": (evaluate.run, [*RELEASE, *OF_EVALUATE, "--threads", "--by-blocks", "--json"],
            "in.csv out.csv --manifest private.json --audit run --check", "in.csv out.csv --columns wage,tax --json"),
        "report": (evaluate.page, [*RELEASE, "--output!", "--form=internal", "--json"],
            "in.csv out.csv -o inside.html --manifest private.json --audit run",
            "in.csv out.csv -o outside.html --form external --manifest private.json"),
        "audit": (tables.audit, [*file_words("audit"), "--method!", "--set", "--seed=1", *of_verb(AuditOptions, "audit"),
             "--json"],
            "in.csv --method ipso --dependent wage --independent age",
            "in.csv --method gadp --dependent wage --repeats 5 --json"),
        "key-risk": (tables.key_risk, ["source", KEYS, "--weight", "--household", "--form=approx", *MARKS, "--json"],
            "in.csv --keys age,sex,region", "in.csv --keys age,sex --weight w --household hh"),
        "dependence": (tables.dependence, [*PAIR, "--dependent", "--independent", "--unit", "--household", "--roles",
             "--seed=1", "--json"],
            "in.csv out.csv --independent age,sex --dependent wage,tax", "in.csv out.csv --manifest private.json"),
        "records-at-risk": (tables.at_risk, [*PAIR, COLUMNS, "--json"],
            "in.csv out.csv --manifest private.json", "in.csv out.csv --columns wage,tax --json"),
        "changes": (tables.changes, [*PAIR, COLUMNS, "--json"],
            "in.csv out.csv --manifest private.json", "in.csv out.csv --columns wage,tax --json"),
        "analyse": (tables.analyse, [*PAIR, "formula", WEIGHTS, "--json"],
            'in.csv out.csv "wage ~ age + sex"', 'in.csv out.csv "log(wage) ~ sex * age" --weights w --json'),
    },
    "Search": {
        "recommend": (search.recommend, [*file_words("recommend"), "--seed", "--limit", LIMITS, "--max-dr", "--candidates",
             "--output", "--plan", "--json"],
            "in.csv --dependent wage,tax --independent age,sex",
            "in.csv --dependent wage --independent age --limit dr=15 --plan plan.toml"),
        "sweep": (search.sweep, [*file_words("sweep"), "--output!", "--candidates!", "--seed", "--by-blocks", "--json"],
            'in.csv -o maps --dependent wage --independent age --candidates "fcrm:c=2..15,ipso:kind=A|B|C"',
            'in.csv -o maps --dependent wage --candidates "rankswapping:p=5|15"'),
    },
    "Learn": {
        "demo": (demo.run, ["--output=pyfcrm-demo", "--seed=1", "--threads"],
            "", "-o folder --seed 2"),
        "studio": (pages.studio, ["--port", "--ledger", "--no-browser"],
            "", "--port 9000 --no-browser"),
        "methods": (catalogue.methods, ["name?", "--json"],
            "", "fcrm"),
        "measures": (catalogue.measures, ["key?", "--json"],
            "", "dbrl"),
        "docs": (pages.docs, ["--no-browser"],
            "", "--no-browser"),
        "doctor": (doctor.run, ["--json"],
            "", "--json"),
    },
    "Check the software": {
        "reproduce": (reproduce.run, ["study", "--census", "--output", "--seeds", "--json"],
            "example", "s1 -o tables"),
        "crosscheck": (crosscheck.run, ["--sdcmicro", "--ipso-r", "--input", "--independent", "--dependent", "--seed=1",
             "--allow-undecided", "--html", "--json"],
            "", "--input in.csv --independent age --dependent wage"),
        "qualify": (trust.qualify, ["--html", "--json"],
            "", "--html record.html"),
    },
}  # fmt: skip
COMMANDS = {name: row for commands in GROUPS.values() for name, row in commands.items()}


class GroupedCommand(click.Command):
    """A command whose help lists the options in groups."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        for title in OPTION_GROUPS:
            options = [option for option in self.get_params(context) if group_of(option) == title]
            records = [record for option in options if (record := option.get_help_record(context))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def command(name: str) -> click.Command:
    """One command of COMMANDS."""
    run, words, *examples = COMMANDS[name]
    lines = "\n".join(f"  pyfcrm {name} {example}" for example in examples)
    return GroupedCommand(
        name,
        params=[parameter(word) for word in words],
        callback=lambda **values: run(Request(**values)),
        help=run.__doc__,
        epilog=f"\b\nExamples:\n{lines}",
    )


class Commands(click.Group):
    """All commands, listed in groups."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands."""
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].help or "") for name in names])


app = click.version_option(__version__, message="%(prog)s %(version)s")(
    Commands(
        "pyfcrm",
        commands=[command(name) for name in COMMANDS],
        help="Protect numerical microdata and evaluate the release: information loss against disclosure risk.",
    )
)
