"""The local engine, with parts of strings and whole numbers: what is added, in which order, by whom. Identical."""

import os
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pyfcrm.engine import Local, one_blas_thread


class Spelling:
    """Parts are words, whose sum depends on the order: it shows it. Late blocks are quick, early ones slow."""

    def __init__(self):
        self.seen = set()

    def part(self, block):
        self.seen.add(threading.get_ident())
        time.sleep(0.001 * (block % 3 == 0))
        return f"{block}"

    def add(self, a, b):
        return f"({a} {b})"


def left_fold(count):
    word = "0"
    for k in range(1, count):
        word = f"({word} {k})"
    return word


@pytest.mark.parametrize("threads", [None, 1, 2, 3, 8, 3.0])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_parts_are_added_in_the_order_of_the_blocks(threads, count):
    assert Local(threads).total(Spelling().part, range(count), Spelling().add) == left_fold(count)


def test_threads_share_the_blocks():
    """Each of two blocks waits until the other has begun: one thread would wait in vain."""
    both = threading.Barrier(2, timeout=60)
    assert Local(2).total(lambda block: both.wait(), range(2)) == 0 + 1


class Failing(Spelling):
    done = 0

    def part(self, block):
        self.done += 1
        if block == 5:
            raise ValueError("block 5")
        return super().part(block)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_failure_is_raised_and_ends_the_work(threads):
    kernel = Failing()
    with pytest.raises(ValueError, match=r"^block 5$"):
        Local(threads).total(kernel.part, range(10_000))
    assert kernel.done < 1000


def test_blas_is_held_to_one_thread_and_let_go():
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads():
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(limits=2, user_api="blas"):
        assert threads() == {2}
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {2}


def deep(depth):
    """A function whose parts are totals of their own, `depth` times over."""
    return lambda block: Local(2).total(deep(depth - 1), [1, 2, 3, 4]) if depth else block


def test_totals_within_totals_and_side_by_side_do_not_wait_for_each_other():
    """By hand: 10 for [1, 2, 3, 4], four times that at each depth."""
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: Local(2).total(deep(3), [1, 2, 3]), range(8)))
    assert found == [3 * 4 * 4 * 10] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_its_own_threads():
    """The child does not wait for threads of this process."""
    Local(2).total(deep(0), [1, 2, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of forks beside threads, which is the point here
        child = os.fork()
    if child == 0:
        os._exit(0 if Local(2).total(deep(1), [1, 2, 3]) == 30 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
