"""Python's texts in the words of the shell. Oracle: by hand. Grade: identical."""

import pytest

from pyfcrm.cli.wording import in_shell

TEXTS = {
    "run evaluate(..., audit=True)": "run evaluate ... --audit run",
    "an output must be a new file (overwrite=True replaces one)": "an output must be a new file (--overwrite replaces one)",
    "the roles are not known: give roles=": "the roles are not known: give --roles",
    "values are missing (missing='protect' protects them)": "values are missing (--missing protect protects them)",
    "protect the file again with shuffle=True": "protect the file again with --shuffle yes",
    'or protect with structure="find", which keeps the rules': "or protect with --structure find, which keeps the rules",
    "give what protect() returned, its manifest, or paired=True": "give --manifest, or --paired",
    "replaces every value, such as Calibrated(), or perturb more": "replaces every value, such as --method calibrated, or perturb more",
    "compare methods with sweep() or recommend()": "compare methods with `pyfcrm sweep` or `pyfcrm recommend`",
    "declare the rules in protect(), or": "declare the rules in `pyfcrm protect`, or",
    "larger groups in `preserve`, or name in `unknown`": "larger groups in --preserve, or name in --unknown",
    "4 further notes, 0 of them warnings: all_notes has them": "4 further notes, 0 of them warnings: --json prints them",
}
UNCHANGED = [
    "IPSO(kind=C)",
    "net == wage - tax, a=b, weight=w",
    'declare variables={"wage": Variable(missing_codes=[9])}',
    "/data/year=2020/weights=3.csv",
]


@pytest.mark.parametrize("text", TEXTS)
def test_an_argument_is_an_option(text):
    assert in_shell(text) == TEXTS[text]


@pytest.mark.parametrize("text", UNCHANGED)
def test_other_text_stays(text):
    assert in_shell(text) == text
