"""R code and R's help pages as text: calls that are filled to a width, and Python's sentences in the markup of Rd."""

import re
from collections.abc import Iterable, Sequence

from r_bridge.from_r.words import text_in_r

CODE_WIDTH = 120
USAGE_WIDTH = 90  # R CMD check notes longer lines of a usage
TEXT_WIDTH = 120
# In a sentence that is in R's words: `name = value`, a text in quotes, a call such as list(a = c(0, 1)), a constant, a name.
_CODE = re.compile(
    r"\w+ = (?:\"[^\"]*\"|[\d.]+|TRUE|FALSE|NULL)|\"[^\"]*\"|\b(?:c|list)\([^()]*(?:\([^()]*\)[^()]*)*\)"
    r"|\b(?:TRUE|FALSE|NULL)\b|`[^`]*`"
)


def filled_call(head: str, arguments: Iterable[str], tail: str, width: int) -> str:
    """A call with as many arguments in each line as fit; further lines begin below the first argument.

    head : up to the opening parenthesis; tail : from the closing one.
    """
    indent = " " * len(head)
    lines = [head]
    listed = list(arguments)
    for k, argument in enumerate(listed):
        text = argument + (tail if k == len(listed) - 1 else ",")
        begun = lines[-1] not in (head, indent)
        if begun and len(lines[-1]) + 1 + len(text) > width:
            lines.append(indent + text)
        else:
            lines[-1] += " " + text if begun else text
    if not listed:
        lines[-1] += tail
    return "\n".join(lines)


def rd_escaped(text: str) -> str:
    """Text in which Rd's special characters stand for themselves."""
    return re.sub(r"([\\%{}])", r"\\\1", text)


def rd_text(sentence: str) -> str:
    """A sentence of Python in R's words, with code in Rd's markup."""
    text = text_in_r(sentence)
    parts = []
    end = 0
    for found in _CODE.finditer(text):
        code = rd_escaped(found[0].strip("`"))
        parts += [rd_escaped(text[end : found.start()]), f"\\code{{{code}}}"]
        end = found.end()
    return "".join([*parts, rd_escaped(text[end:])])


def rd_item(names: Sequence[str], text: str) -> str:
    """An item of \\arguments, filled to TEXT_WIDTH. No line breaks within \\code{...}."""
    words = re.findall(r"(?:[^\s\\]|\\code\{(?:[^{}\\]|\\[%{}\\])*\}|\\.)+", f"\\item{{{', '.join(names)}}}{{{text}}}")
    lines = ["  " + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > TEXT_WIDTH:
            lines.append("    " + word)
        else:
            lines[-1] += " " + word
    return "\n".join(lines)


def filled_template(template: str, parts: dict[str, str]) -> str:
    """A template with a text for each line <<name>>. Raises KeyError for a name that has none."""
    return re.sub(r"^<<(\w+)>>$", lambda found: parts[found[1]], template, flags=re.MULTILINE)
