"""Linear constraints between columns: declared as text, parsed, and kept in a release by the nearest feasible values.

Nearest is Euclidean, record by record, in units of each dependent column's standard deviation; all other columns are as
they are. Whole numbers and decimals keep every constraint exactly: the nearest point is rounded, and corrected by the least
moves. Floats of more than six decimals keep bounds on one column exactly, and sums to 1e-9 of the size of their terms. A record that
has no such values is an InvalidInput that names the constraints. What the original breaks is noted, and kept in the
release. A file larger than memory is moved block by block, by the standard deviations of the whole: the same release.
"""

from .enforce import ConstraintEnforcer, constrained_columns
from .language import Constraint, parsed

__all__ = ["Constraint", "ConstraintEnforcer", "constrained_columns", "parsed"]
