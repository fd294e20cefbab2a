"""The only door between data frames (pandas, polars, arrow) and float64 arrays.

Inside the package numbers are arrays; a frame is opened here, and what comes back is the caller's own kind
of frame, with its columns, order, index and types.
"""

from .door import Opened, complete_records, is_numeric, numeric_names, open_frame, require_columns
from .keys import key_codes
from .magnitude import checked, refuse_constant
from .pairing import paired_rows
from .roles import Roles, as_roles
from .rounding import cut_at_limits, outside_type, rounded, within_types

__all__ = [
    "Opened",
    "Roles",
    "as_roles",
    "checked",
    "complete_records",
    "cut_at_limits",
    "is_numeric",
    "key_codes",
    "numeric_names",
    "open_frame",
    "outside_type",
    "paired_rows",
    "refuse_constant",
    "require_columns",
    "rounded",
    "within_types",
]
