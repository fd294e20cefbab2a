"""Trees of scikit-learn on one thread. Oracle: threadpoolctl's own list of the libraries, in a process of its own.

Other tests load further libraries (R's, say), and the process that runs them has those in the list, too.
"""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import sklearn.ensemble
from threadpoolctl import threadpool_info, threadpool_limits
from pyfcrm.numerics.one_thread import one_thread

def threads():
    return sorted({one["num_threads"] for one in threadpool_info()})

with threadpool_limits(limits=int(sys.argv[1])):
    with one_thread():
        inside = threads()
    print(inside, threads())
"""


@pytest.mark.parametrize("before", [1, 2])
def test_every_library_has_one_thread_and_then_what_it_had(before):
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(before)], capture_output=True, text=True, check=True)
    assert done.stdout == f"[1] [{before}]\n"
