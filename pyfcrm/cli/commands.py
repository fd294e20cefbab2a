"""The commands in the groups of the help, each with its function, its options and two examples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from .. import __version__
from ..evaluation.options import AuditOptions, EvaluateOptions
from . import catalogue, crosscheck, demo, doctor, evaluate, pages, pilot, protect, reproduce, search, tables, trust
from .options import (
    COPIES,
    DOSSIER_FILE,
    MARKS,
    MISSING,
    OF_DESIGN,
    OF_ROLES,
    OF_VARIABLES,
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

PAIR = ["original", "protected", "--manifest", *OF_VARIABLES, *MARKS]
COLUMNS = evaluate_option("columns")
WEIGHTS = evaluate_option("weights")
LIMITS = evaluate_option("limits")
KEYS = evaluate_option("keys", required=True)
SHOWN = ("columns", "measures", "limits", "paired", "variables")  # options of evaluate() that RELEASE has
OF_EVALUATE = [option for option in of_verb(EvaluateOptions, "evaluate") if option.name not in SHOWN]


@dataclass(frozen=True)
class Row:
    """A command of the shell."""

    run: Callable[[Request], Any]
    """Its function, whose docstring is the help."""
    words: Sequence[Word]
    """Its arguments and options, in order; see `parameter` for "!", "?" and "=" behind a name."""
    examples: tuple[str, str]
    """Two ways to call it, without the name."""


GROUPS: dict[str, dict[str, Row]] = {
    "Release": {
        "protect": Row(
            run=protect.run,
            words=[
                *file_words("protect_file"),
                "--product",
                "--output!",
                "--method!",
                "--set",
                "--seed",
                "--ledger",
                "--manifest",
                "--by-blocks",
                "--overwrite",
                "--disarm",
                "--yes",
                "--json",
            ],
            examples=(
                "in.csv -o out.csv --method ipso --dependent wage,tax --independent age,sex",
                "in.csv -o out.csv --method fcrm --set c=8 --dependent wage --independent age --manifest private.json",
            ),
        ),
        "run": Row(
            run=trust.run,
            words=["plan", "--overwrite", "--despite-hold", "--by", "--json"],
            examples=("plan.toml", 'plan.toml --despite-hold "a contract" --by "A. Name"'),
        ),
        "verify": Row(
            run=trust.verify,
            words=["manifest", "--release!", "--original", DOSSIER_FILE, "--prov", "--json"],
            examples=(
                "private.json --release out.csv --original in.csv",
                "private.json --release out.csv --dossier board.html --prov record.json",
            ),
        ),
        "codebook": Row(
            run=tables.codebook,
            words=["protected", "--manifest!", COPIES, "--format", "--json"],
            examples=("out.csv --manifest private.json", "out.csv --manifest private.json --format ddi"),
        ),
        "describe": Row(
            run=tables.describe,
            words=["source", "--toml", *OF_VARIABLES, *MARKS, "--json"],
            examples=("in.csv", "in.sav --toml"),
        ),
        "roles": Row(
            run=tables.roles,
            words=["source", "--product", *OF_VARIABLES, *MARKS, "--json"],
            examples=("in.csv", "in.sav --product public --json"),
        ),
        "structure": Row(
            run=tables.structure,
            words=["source", "--independent", "--dependent", "--roles", "--accept", *OF_VARIABLES, *MARKS, "--json"],
            examples=("in.csv", "in.csv --accept 1,3 --json"),
        ),
    },
    "Judge": {
        "evaluate": Row(
            run=evaluate.run,
            words=[*RELEASE, *OF_EVALUATE, "--threads", "--by-blocks", "--json"],
            examples=(
                "in.csv out.csv --manifest private.json --audit run --check",
                "in.csv out.csv --columns wage,tax --json",
            ),
        ),
        "report": Row(
            run=evaluate.page,
            words=[*RELEASE, "--output!", "--form=internal", "--dossier", "--purpose", "--recipients", "--json"],
            examples=(
                "in.csv out.csv -o board.html --dossier --manifest private.json --audit run",
                "in.csv out.csv -o outside.html --form external --manifest private.json",
            ),
        ),
        "audit": Row(
            run=tables.audit,
            words=[*file_words("audit"), "--method!", "--set", "--seed=1", *of_verb(AuditOptions, "audit"), "--json"],
            examples=(
                "in.csv --method ipso --dependent wage --independent age",
                "in.csv --method gadp --dependent wage --repeats 5 --json",
            ),
        ),
        "key-risk": Row(
            run=tables.key_risk,
            words=["source", KEYS, "--weight", "--household", "--form=approx", *OF_VARIABLES, *MARKS, "--json"],
            examples=("in.csv --keys age,sex,region", "in.csv --keys age,sex --weight w --household hh"),
        ),
        "dependence": Row(
            run=tables.dependence,
            words=[*PAIR, "--dependent", "--independent", "--unit", "--household", "--roles", "--seed=1", "--json"],
            examples=(
                "in.csv out.csv --independent age,sex --dependent wage,tax",
                "in.csv out.csv --manifest private.json",
            ),
        ),
        "records-at-risk": Row(
            run=tables.at_risk,
            words=[*PAIR, COLUMNS, "--json"],
            examples=("in.csv out.csv --manifest private.json", "in.csv out.csv --columns wage,tax --json"),
        ),
        "changes": Row(
            run=tables.changes,
            words=[*PAIR, COLUMNS, "--json"],
            examples=("in.csv out.csv --manifest private.json", "in.csv out.csv --columns wage,tax --json"),
        ),
        "combine": Row(
            run=tables.combine,
            words=[
                "protected",
                "formula",
                COPIES,
                "--rule",
                "--manifest",
                "--weight",
                *OF_DESIGN,
                *OF_VARIABLES,
                *MARKS,
                "--json",
            ],
            examples=(
                'out.csv "wage ~ age + sex" --copies 5 --manifest private.json',
                'out.csv "wage ~ 1" --copies 5 --weight w --psu village --sampling-stratum region --json',
            ),
        ),
        "analyse": Row(
            run=tables.analyse,
            words=[*PAIR, "formula", WEIGHTS, "--weight", *OF_DESIGN, "--family=gaussian", "--quantile", "--json"],
            examples=(
                'in.csv out.csv "employed ~ sex * poly(age, 2)" --family binomial',
                'in.csv out.csv "wage ~ region * sex" --quantile 0.5 --weight w --psu village --json',
            ),
        ),
    },
    "Search": {
        "pilot": Row(
            run=pilot.run,
            words=[
                "source",
                *OF_ROLES,
                "--product",
                LIMITS,
                MISSING,
                "--purpose",
                "--recipients",
                "--output=pyfcrm-pilot",
                *OF_VARIABLES,
                *MARKS,
                "--yes",
                "--json",
            ],
            examples=("in.csv", 'in.csv --yes -o folder --purpose "a course"'),
        ),
        "recommend": Row(
            run=search.recommend,
            words=[
                *file_words("recommend"),
                "--seed",
                "--limit",
                LIMITS,
                "--max-dr",
                "--candidates",
                "--output",
                "--plan",
                "--json",
            ],
            examples=(
                "in.csv --dependent wage,tax --independent age,sex",
                "in.csv --dependent wage --independent age --limit dr=15 --plan plan.toml",
            ),
        ),
        "recode-search": Row(
            run=search.recode_search,
            words=[
                "source",
                KEYS,
                "--hierarchies!",
                "--k!",
                "--l",
                "--t",
                evaluate_option("targets"),
                "--loss=entropy",
                "--max-suppressed",
                "--identifiers",
                "--unknown",
                "--weight",
                "--household",
                "--plan",
                *OF_VARIABLES,
                *MARKS,
                "--json",
            ],
            examples=(
                'in.csv --keys age,region --k 5 --hierarchies "age=cuts:20,40,60;40" --hierarchies region=region.csv',
                "in.csv --keys job,age --k 3 --hierarchies job=digits:3,2,1 --l 2 --targets illness --plan plan.toml",
            ),
        ),
        "sweep": Row(
            run=search.sweep,
            words=[*file_words("sweep"), "--output!", "--candidates!", "--seed", "--by-blocks", "--json"],
            examples=(
                'in.csv -o maps --dependent wage --independent age --candidates "fcrm:c=2..15,ipso:kind=A|B|C"',
                'in.csv -o maps --dependent wage --candidates "rankswapping:p=5|15"',
            ),
        ),
    },
    "Learn": {
        "demo": Row(
            run=demo.run,
            words=["--output=pyfcrm-demo", "--seed=1", "--threads"],
            examples=("", "-o folder --seed 2"),
        ),
        "studio": Row(
            run=pages.studio,
            words=["--port", "--ledger", "--no-browser"],
            examples=("", "--port 9000 --no-browser"),
        ),
        "methods": Row(
            run=catalogue.methods,
            words=["name?", "--json"],
            examples=("", "fcrm"),
        ),
        "measures": Row(
            run=catalogue.measures,
            words=["key?", "--json"],
            examples=("", "dbrl"),
        ),
        "docs": Row(
            run=pages.docs,
            words=["--no-browser"],
            examples=("", "--no-browser"),
        ),
        "doctor": Row(
            run=doctor.run,
            words=["--json"],
            examples=("", "--json"),
        ),
    },
    "Check the software": {
        "reproduce": Row(
            run=reproduce.run,
            words=["study", "--census", "--output", "--seeds", "--json"],
            examples=("example", "s1 -o tables"),
        ),
        "crosscheck": Row(
            run=crosscheck.run,
            words=[
                "--sdcmicro",
                "--ipso-r",
                "--input",
                "--independent",
                "--dependent",
                "--seed=1",
                "--allow-undecided",
                "--html",
                "--json",
            ],
            examples=("", "--input in.csv --independent age --dependent wage"),
        ),
        "qualify": Row(
            run=trust.qualify,
            words=["--html", "--json"],
            examples=("", "--html record.html"),
        ),
    },
}
COMMANDS = {name: row for commands in GROUPS.values() for name, row in commands.items()}


class GroupedCommand(click.Command):
    """A command whose help lists the options in groups."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        for title in OPTION_GROUPS:
            options = [option for option in self.get_params(context) if group_of(option) == title]
            records = list[tuple[str, str]]()
            for option in options:
                record = option.get_help_record(context)
                if record:  # arguments have none
                    records.append(record)
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def command(name: str) -> click.Command:
    """One command of COMMANDS."""
    row = COMMANDS[name]
    lines = "\n".join(f"  pyfcrm {name} {example}" for example in row.examples)
    return GroupedCommand(
        name,
        params=[parameter(word) for word in row.words],
        callback=lambda **values: row.run(Request(**values)),
        help=row.run.__doc__,
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
