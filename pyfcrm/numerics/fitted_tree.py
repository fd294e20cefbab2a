"""Trees of scikit-learn, fitted to categories of any number of levels."""

import warnings
from typing import Any

from ..types import Array

MANY_LEVELS = "The number of unique classes is greater than 50% of the number of samples"


def fitted_tree(tree: Any, X: Array, y: Array) -> Any:
    """A tree fitted to records X (n, p) and numbers or levels y (n,), without scikit-learn's warning about many levels.

    A category may have as many levels, where a user declares it.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", MANY_LEVELS, UserWarning)
        return tree.fit(X, y)
