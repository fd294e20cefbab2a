"""What R's package fcrm repeats of each method, from the method's declarations: constructor, export, usage, arguments."""

from collections.abc import Iterable, Mapping

from pyfcrm.methods import METHODS, Method
from pyfcrm.methods.parameter import Parameter
from r_bridge.from_r.words import constructor, constructors, literal_in_r

from .r_text import CODE_WIDTH, USAGE_WIDTH, filled_call, filled_template, rd_item, rd_text

# A line of a constructor before all others. The functions are in R/methods.R.
GUARDS = {"microaggregation": "refuse_data_as_k(k)", "pram": "refuse_data_as_matrix(matrix)"}
# R's external() and steps() are by hand, in R/external.R and R/methods.R; the template has their usage and arguments.
EXPORTS = ("# Protection methods.", "# End of the protection methods.")


def code() -> str:
    """The constructors of all methods, and their names by Python's class."""
    named = [f'{kind} = "{name}"' for kind, name in constructors().items()]
    table = filled_call("CONSTRUCTORS <- c(", named, ")", CODE_WIDTH)
    comment = "# The constructor of each method, by the name of its class in Python."
    return "\n\n".join([f"{comment}\n{table}", *(_constructor(kind) for kind in METHODS.values())])


def _constructor(kind: type[Method]) -> str:
    name = constructor(kind.__name__)
    lines = [f"  {GUARDS[name]}"] if name in GUARDS else []
    lines += [f"  {one.name} <- unname({one.name})" for one in kind.declared() if one.kind == "columns"]
    lines += [f'  new_method("{kind.__name__}", environment())']
    head = filled_call(f"{name} <- function(", map(_formal, kind.declared()), ") {", CODE_WIDTH)
    return "\n".join([head, *lines, "}"])


def _formal(parameter: Parameter) -> str:
    """A parameter with its default, as a formal argument."""
    return parameter.name if parameter.required else f"{parameter.name} = {literal_in_r(parameter.default)}"


def exports(namespace: str) -> str:
    """The NAMESPACE with the exports of all methods between the two lines of EXPORTS."""
    first, last = EXPORTS
    before, rest = namespace.split(first + "\n")
    _, after = rest.split(last + "\n")
    lines = [f"export({name})" for name in sorted(constructors().values())]
    return "\n".join([before + first, *lines, last]) + "\n" + after


def help_page(template: str) -> str:
    """The page protection-methods.Rd."""
    parts = {
        "aliases": "\n".join(f"\\alias{{{name}}}" for name in constructors().values()),
        "usage": "\n".join(_usage(kind) for kind in METHODS.values()),
        "arguments": "\n".join(_arguments()),
    }
    return filled_template(template, parts)


def _usage(kind: type[Method]) -> str:
    return filled_call(f"{constructor(kind.__name__)}(", map(_formal, kind.declared()), ")", USAGE_WIDTH)


def _arguments() -> Iterable[str]:
    """An item for each name of a parameter, with a sentence for each method that has it, or for several with one text."""
    meanings = dict[str, dict[str, list[str]]]()
    for kind in METHODS.values():
        for parameter in kind.declared():
            methods = meanings.setdefault(parameter.name, {}).setdefault(_meaning(parameter), [])
            methods.append(f"\\code{{{constructor(kind.__name__)}}}")
    return [rd_item([name], _joined(by_text)) for name, by_text in meanings.items()]


def _joined(by_text: Mapping[str, list[str]]) -> str:
    if len(by_text) == 1:
        return "".join(by_text)
    return " ".join(f"For {' and '.join(methods)}: {text}" for text, methods in by_text.items())


def _meaning(parameter: Parameter) -> str:
    """What a parameter does, what it may be, and with which words of another parameter it has an effect."""
    sentences = [parameter.help + "."]
    if parameter.kind in ("whole", "number", "choice") and len(parameter.words) != 1:
        accepted = parameter.accepts + (f"; {parameter.unit}" if parameter.kind == "number" and parameter.unit else "")
        sentences.append(accepted[:1].upper() + accepted[1:] + ".")
    if parameter.condition:
        sentences.append(f"Only with {parameter.condition}.")
    return rd_text(" ".join(sentences))
