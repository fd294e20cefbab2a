"""An option is declared once, and Python, plans, the command line and R have it.

Oracle: the declarations. Grade: identical.
"""

import inspect
import re

import pytest
from support.data import REPOSITORY
from support.option_text import in_python, in_r

import pyfcrm as pf
from pyfcrm.cli.commands import command
from pyfcrm.evaluation.options import AuditOptions, EvaluateOptions
from pyfcrm.plans.plan import Keep, Output, Plan
from pyfcrm.protection.options import Options
from r_bridge.from_r.words import literal_in_r

CLASSES = (Options, EvaluateOptions, AuditOptions)
TAKEN = [(verb, option) for each in CLASSES for option in each.declared() for verb in option.verbs]
IDS = [f"{verb} {option.name}" for verb, option in TAKEN]
COMMANDS = {"protect_file": "protect"}  # by function, the command of another name; protect() takes a frame
# The files of R's functions, their names and their help pages, by the function in Python.
IN_R = {
    "protect": ("protect.R", "protect.data.frame", "protect"),
    "protect_file": ("protect_file.R", "protect_file", "protect_file"),
    "evaluate": ("evaluate.R", "evaluate.data.frame", "evaluate"),
    "audit": ("audit.R", "audit", "audit"),
    "sweep": ("sweep.R", "sweep_methods", "sweep_methods"),
    "recommend": ("recommend.R", "recommend", "recommend"),
}


@pytest.mark.parametrize(("verb", "option"), TAKEN, ids=IDS)
def test_python_has_the_option_with_its_default_and_its_text(verb, option):
    function = getattr(pf, verb)
    parameter = inspect.signature(function).parameters[option.name]
    assert parameter.default == option.default
    assert parameter.annotation.replace("'", '"') == option.type.replace("'", '"')
    text = " ".join(inspect.getdoc(function).split())
    assert f"{option.name} : " in text
    assert in_python(option.text) in text


@pytest.mark.parametrize(("verb", "option"), TAKEN, ids=IDS)
def test_the_command_line_has_the_option_with_its_help(verb, option):
    if verb == "protect":
        return  # a frame: the command is that of protect_file()
    [found] = [each for each in command(COMMANDS.get(verb, verb)).params if each.name == option.name]
    assert option.flag in found.opts
    if option.name != "independent":  # one of the roles there
        assert found.help == option.help


@pytest.mark.parametrize("option", Options.declared(), ids=lambda option: option.name)
def test_a_plan_has_the_option_in_the_table_that_is_declared(option):
    tables = {"keep": Keep, "output": Output}
    if option.table == "variables":  # a table of its own, empty where nothing is declared
        assert Plan.model_fields["variables"].default == {}
        return
    assert tables[option.table].model_fields[option.name].default == option.default


@pytest.mark.parametrize(
    ("option", "texts", "value"),
    [
        ("strict_totals", ["--strict-totals"], True),
        ("strata", ["--strata", "e,f"], ["e", "f"]),
        ("weights", ["--weights", "w"], "w"),
        ("copies", ["--copies", "3"], 3),
        ("variables", ["--variables", "numbers"], "numbers"),
        ("missing", ["--missing", "drop"], "drop"),
    ],
)
def test_a_text_of_the_command_line_is_read_by_the_kind_of_its_option(option, texts, value):
    words = ["in.csv", "-o", "out.csv", "--method", "ipso", "--dependent", "c"]
    context = command("protect").make_context("protect", [*words, *texts])
    assert context.params[option] == value


def formals(file: str, function: str) -> dict[str, str]:
    """The arguments of a function of R's package with their defaults as they are written."""
    for name in (file, "generated.R"):
        source = (REPOSITORY / "r_scripts/fcrm/R" / name).read_text(encoding="utf-8")
        found = re.search(rf"^{re.escape(function)} <- function\((.*?)\) \{{", source, re.MULTILINE | re.DOTALL)
        if found is not None:
            pairs = (part.strip().partition(" = ") for part in found[1].split(","))
            return {name: default for name, _, default in pairs}
    raise AssertionError(f"no function {function}")


@pytest.mark.parametrize(("verb", "option"), TAKEN, ids=IDS)
def test_r_has_the_option_with_its_default_and_an_item_of_its_help(verb, option):
    file, function, page = IN_R[verb]
    arguments = formals(file, function)
    assert arguments[option.name] == (option.r_default or literal_in_r(option.default))
    text = (REPOSITORY / f"r_scripts/fcrm/man/{page}.Rd").read_text(encoding="utf-8")
    items = {name.strip() for names in re.findall(r"\\item\{([^}]*)\}\{", text) for name in names.split(",")}
    assert option.name in items


def test_a_paragraph_is_written_in_the_language_of_its_reader():
    text = """{True} or {None}: {"find"}, as in {evaluate()};
        {wage=(0, 5000)}, {wage=2}, 5 % of `weights`"""
    assert (
        in_python(text) == 'True or None: "find", as in `evaluate`; {"wage": (0, 5000)}, {"wage": 2}, 5 % of `weights`'
    )
    assert in_r(text) == (
        r'\code{TRUE} or \code{NULL}: \code{"find"}, as in \code{evaluate}; \code{list(wage = c(0, 5000))}, '
        r"\code{list(wage = 2)}, 5 \% of \code{weights}"
    )
