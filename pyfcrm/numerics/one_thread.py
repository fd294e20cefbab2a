"""Trees of scikit-learn on one thread: their sums come in one order on any machine, and small files are faster so."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """A context in which the libraries that scikit-learn computes with have one thread."""
    return _controller().limit(limits=1)


@cache  # finding the libraries takes as long as a small fit
def _controller() -> Any:
    import sklearn.ensemble  # noqa: F401 # only libraries that are loaded are found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
