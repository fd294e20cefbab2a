"""Names in text: lists of columns, constraints. Oracle: each reader as it stood by itself
(tests/support/plain_readers.py). Identical: the same names, or the same refusal in the same words."""

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import plain_readers

from pyfcrm.cli.options import predictors
from pyfcrm.constraints import language
from pyfcrm.errors import InvalidParameter

# What the readers treat in ways of their own, white space of several kinds, and some plain characters.
SPECIAL = ('"', '""', "`", "``", ",", "{", "}", "#", "~", "+", "-", "=", "==", "<=", ";", "(", ")", ".", "*", " ", "\t",
           "\n", "\u00a0", "a", "b", "é", "1", "23", "_", "e", "\\", "\0", "²")  # fmt: skip
TEXT = st.one_of(st.lists(st.sampled_from(SPECIAL), max_size=14).map("".join), st.text(max_size=12))


def outcome(read, *value):
    try:
        return "read", read(*value)
    except InvalidParameter as error:
        return "refused", str(error)
    except click.BadParameter as error:
        return "refused", error.message


@given(TEXT)
def test_lists_of_an_option(text):
    assert outcome(predictors, text) == outcome(plain_readers.column_list, text)


@given(TEXT)
def test_tokens_of_constraints(text):
    def ours(text):
        return [(one.kind, one.text) for one in language.tokens("protect", text.rstrip())]

    def plain(text):
        return list(plain_readers.constraint_tokens("protect", text))

    assert outcome(ours, text) == outcome(plain, text)


@pytest.mark.parametrize(
    "text", ['"a, b",c', ' a , "b""c" ', "", "  ", ",", "a,", '"', '"a"b', 'a"b"', "a\n", "a,\n", "\n,a"]
)
def test_lists_at_the_edge(text):
    assert outcome(predictors, text) == outcome(plain_readers.column_list, text)
