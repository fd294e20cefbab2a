"""Messages of the package in the words of the shell: `--overwrite` where Python has `overwrite=True`, and commands for functions."""

import re

from .options import DECLARED, OPTIONS, SHELL_METHODS

WORDS = {"True": "yes", "False": "no"}
OWN_WORDS = {"--audit": {"True": "run"}}
PHRASES = {  # results, and arguments that are named without a value
    "all_notes has them": "--json prints them",
    "what protect() returned, its manifest": "--manifest",
    "what protect() returned": "--manifest",
    "in `unknown`": "in --unknown",
    "in `variables`": "in --variables",
    "in `preserve`": "in --preserve",
    "of `preserve`": "of --preserve",
}
COMMANDS = ("protect", "evaluate", "audit", "sweep", "recommend")  # functions that are commands
QUOTES = "\"'"
_ARGUMENT = re.compile(r"""\b(?P<name>[a-z_]+)=(?P<value>True|False|"[^"]*"|'[^']*'|(?![\w"'\[({]))""")
_CALL = re.compile(r"\b([a-z_]+)\(\.\.\., (--[^)]*)\)")
_COMMAND = re.compile(rf"\b({'|'.join(COMMANDS)})\(\)")
_METHOD = re.compile(rf"\b({'|'.join(method.__name__ for method in SHELL_METHODS.values())})\(\)")


def in_shell(text: str) -> str:
    """The text with arguments, `name=value`, as the options of a command, and with commands and methods for functions and classes."""
    for phrase, words in PHRASES.items():
        text = text.replace(phrase, words)
    text = _COMMAND.sub(r"`pyfcrm \1`", text)
    text = _METHOD.sub(lambda method: f"--method {method[1].lower()}", text)
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
