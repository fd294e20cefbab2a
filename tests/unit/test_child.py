"""Readers of binary files in a process of their own. Oracles: files made to crash a reader or to take all memory. Identical."""

import operator
from functools import partial

import pyreadstat
import pytest
from support.cli import people

from pyfcrm.errors import InvalidInput
from pyfcrm.files import open_table
from pyfcrm.files.child import in_child


@pytest.mark.slow
def test_a_damaged_file_cannot_end_the_process(tmp_path):
    """The first variable announces a text of 127 bytes: pyreadstat crashes, which ended the caller's process before."""
    path = tmp_path / "bad.sav"
    pyreadstat.write_sav(people(), str(path))
    whole = len(open_table(path).frame)
    data = bytearray(path.read_bytes())
    data[180] = 0x7F
    path.write_bytes(data)
    assert whole == 40
    with pytest.raises(InvalidInput, match=r"bad\.sav: the file must be readable as \.sav"):
        open_table(path)


def test_memory_of_readers_is_limited():
    with pytest.raises(InvalidInput, match=r"^x: must be small; got MemoryError"):
        in_child("x", "must be small", partial(operator.mul, 2**50))
