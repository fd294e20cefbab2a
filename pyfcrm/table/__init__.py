"""The only door between data frames (pandas, polars, arrow) and float64 arrays.

Inside the package numbers are arrays; a frame is opened here, and what comes back is the caller's own kind
of frame, with its columns, order, index and types.
"""

from .column_facts import ColumnFacts, column_facts
from .door import Opened, complete_records, is_numeric, numeric_names, open_frame, require_columns
from .kept import Kept, count_kept, kept_before, kept_between, kept_by_roles, kept_of, leaving_columns
from .keys import key_codes
from .magnitude import checked, refuse_constant
from .pairing import paired_rows
from .roles import Roles, as_roles, plain_roles
from .rounding import rounded, within_types
from .suggestion import SuggestedRoles, require_few_numeric, roles_from, suggest_roles

__all__ = [
    "ColumnFacts",
    "Kept",
    "Opened",
    "Roles",
    "SuggestedRoles",
    "as_roles",
    "checked",
    "column_facts",
    "complete_records",
    "count_kept",
    "is_numeric",
    "kept_before",
    "kept_between",
    "kept_by_roles",
    "kept_of",
    "key_codes",
    "leaving_columns",
    "numeric_names",
    "open_frame",
    "paired_rows",
    "plain_roles",
    "refuse_constant",
    "require_columns",
    "require_few_numeric",
    "roles_from",
    "rounded",
    "suggest_roles",
    "within_types",
]
