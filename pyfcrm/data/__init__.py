"""Data frames of pandas, polars and arrow as float64 arrays, and results as frames of the caller's library."""

from .check import checked, complete_records, is_numeric, numeric_names, require_columns
from .column_facts import ColumnFacts, column_facts
from .describe import describe
from .frame import Frame, is_path, open_data, open_frame
from .pairs import paired_rows
from .roles import Roles, as_roles, plain_roles
from .suggest_roles import SuggestedRoles, roles_from, suggest_roles
from .unmodified import SampleUniques
from .variable import Variable
from .variables import VariableDescription, Variables

__all__ = [
    "ColumnFacts",
    "Frame",
    "Roles",
    "SampleUniques",
    "SuggestedRoles",
    "Variable",
    "VariableDescription",
    "Variables",
    "as_roles",
    "checked",
    "column_facts",
    "complete_records",
    "describe",
    "is_numeric",
    "is_path",
    "numeric_names",
    "open_data",
    "open_frame",
    "paired_rows",
    "plain_roles",
    "require_columns",
    "roles_from",
    "suggest_roles",
]
