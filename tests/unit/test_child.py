"""Readers in a process of their own. Oracles: files made to crash a reader or to take all memory; the system's processes. Identical."""

import operator
import subprocess
import sys
import time
from functools import partial

import pyreadstat
import pytest
from support import readers
from support.cli import people

from pyfcrm.errors import Cancelled, InvalidInput
from pyfcrm.files import open_table
from pyfcrm.files.child import in_child
from pyfcrm.files.labelled import read_labelled


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reader", "words"),
    [
        (partial(operator.mul, 2**50), r"^x: its reader needs more than the [\d,]+ MB of memory that it may use here$"),
        (readers.killed, "^x: its reader was ended from outside"),
        (readers.without_disk, "^x: the file could not be read; got No space left on device$"),
        (readers.crashing, "^x: must be small; got a reader that ends with SIGSEGV$"),
    ],
    ids=["memory", "killed", "disk", "crash"],
)
def test_the_rule_of_the_file_stands_only_where_the_file_is_the_cause(reader, words):
    with pytest.raises(InvalidInput, match=words):
        in_child("x", "must be small", reader)


@pytest.mark.slow
def test_a_cancelled_reader_is_gone(tmp_path):
    """The call returns at once, and its process, which would read for a minute, has ended."""
    path = tmp_path / "x"

    def progress(done: int, total: int, label: str) -> None:
        if (tmp_path / "x.pid").exists():
            raise Cancelled

    with pytest.raises(Cancelled):
        in_child(str(path), "must be small", readers.slow, progress=progress)
    assert not readers.is_there(readers.written_pid(path))


@pytest.mark.process
@pytest.mark.slow(3)
def test_files_are_read_under_a_hard_limit(tmp_path):
    """As batch systems set one with ulimit -v, below half of the machine's memory."""
    path = tmp_path / "bad.sav"
    pyreadstat.write_sav(people(), str(path))
    program = f"""
import resource
from pyfcrm.files import open_table
resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000))
print(len(open_table({str(path)!r}).frame))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "40\n"


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [100, 196, 200])
def test_too_little_memory_is_not_the_fault_of_the_file(tmp_path, megabytes):
    """The defect: libraries were loaded under the limit, and with 196 MB numpy's waited without end."""
    path = tmp_path / "in.sav"
    pyreadstat.write_sav(people(), str(path))
    end = time.monotonic() + 100

    def wait(done, total, step):
        assert time.monotonic() < end

    with pytest.raises(InvalidInput, match=rf"in\.sav: its reader needs more than the {megabytes} MB"):
        in_child(str(path), "must be good", read_labelled, most=megabytes * 10**6, progress=wait)
