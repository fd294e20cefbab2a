"""Trees of scikit-learn on one thread. Oracle: threadpoolctl's own list of the libraries."""

import pytest
import sklearn.ensemble  # noqa: F401 # loads its library of threads
from threadpoolctl import threadpool_info, threadpool_limits

from pyfcrm.numerics.one_thread import one_thread


def threads():
    return [one["num_threads"] for one in threadpool_info()]


@pytest.mark.parametrize("before", [1, 2])
def test_every_library_has_one_thread_and_then_what_it_had(before):
    with threadpool_limits(limits=before):
        with one_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {before}
