"""Writes the files that repeat what Python declares: python tests/support/generate.py

Templates of R's help pages are in r_scripts/rd, that of pyfcrm/interface.py is beside this file.
tests/contract/test_generated.py compares the committed files with what this script would write.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

# The tree of this file, not another one that is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support import python_interface, r_methods, r_options

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = "python tests/support/generate.py"
PACKAGE = "r_scripts/fcrm"
TEMPLATES = "r_scripts/rd"
# Each part is the code of some functions, in the order of the file.
R_CODE: tuple[Callable[[], str], ...] = (r_methods.code, r_options.code)
# The function that fills the template of each help page.
PAGES: Mapping[str, Callable[[str], str]] = {
    "protection-methods": r_methods.help_page,
    "protect": r_options.protect_page,
    "protect_file": r_options.protect_file_page,
    "evaluate": r_options.evaluate_page,
    **{name: r_options.search_page(name) for name in r_options.SEARCHES},
}


def generated() -> Iterator[tuple[str, str]]:
    """The path below the repository, and the text, of each generated file."""
    yield "pyfcrm/interface.py", python_interface.code(read(python_interface.TEMPLATE))
    yield f"{PACKAGE}/R/generated.R", _r_code()
    yield f"{PACKAGE}/NAMESPACE", r_methods.exports(read(f"{PACKAGE}/NAMESPACE"))
    for name, fill in PAGES.items():
        yield f"{PACKAGE}/man/{name}.Rd", _page(name, fill)


def read(path: str) -> str:
    """A file of the repository."""
    return (REPOSITORY / path).read_text(encoding="utf-8")


def _r_code() -> str:
    head = f"# Generated from what Python declares: {COMMAND}. Not to be edited."
    return "\n\n".join([head, *(part() for part in R_CODE)]) + "\n"


def _page(name: str, fill: Callable[[str], str]) -> str:
    template = f"{TEMPLATES}/{name}.Rd"
    return f"% Generated from what Python declares and {template}: {COMMAND}. Not to be edited.\n{fill(read(template))}"


def main() -> None:
    for path, text in generated():
        target = REPOSITORY / path
        if not target.exists() or read(path) != text:
            target.write_text(text, encoding="utf-8")
            print(f"written: {target}")


if __name__ == "__main__":
    main()
