"""Messages of the package in the words of the shell: `--overwrite` where Python has `overwrite=True`."""

import re

from .options import DECLARED, OPTIONS

WORDS = {"True": "yes", "False": "no"}
OWN_WORDS = {"--audit": {"True": "run"}}
FIELDS = {"all_notes has them": "--json prints them"}  # fields of a result
QUOTES = "\"'"
_ARGUMENT = re.compile(r"""\b(?P<name>[a-z_]+)=(?P<value>True|False|"[^"]*"|'[^']*'|(?![\w"'\[({]))""")
_CALL = re.compile(r"\b([a-z_]+)\(\.\.\., (--[^)]*)\)")


def in_shell(text: str) -> str:
    """The text with each argument of Python that a command has as an option, `name=value`, in the option's form."""
    for field, option in FIELDS.items():
        text = text.replace(field, option)
    return _CALL.sub(r"\1 ... \2", _ARGUMENT.sub(_as_option, text))


def _as_option(argument: re.Match[str]) -> str:
    name, value = argument["name"], argument["value"]
    flag = "--" + name.replace("_", "-")
    if flag in OPTIONS:
        is_flag = OPTIONS[flag][0] is bool
    elif flag in DECLARED:
        is_flag = DECLARED[flag].kind == "flag" and not DECLARED[flag].default
    else:
        return argument[0]
    if not value or (is_flag and value == "True"):
        return flag
    word = (WORDS | OWN_WORDS.get(flag, {})).get(value)
    return f"{flag} {word or value.strip(QUOTES)}"
