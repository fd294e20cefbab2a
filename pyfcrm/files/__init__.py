"""The only module that opens paths: tables in and out as CSV and Parquet, and files that appear whole or not at all."""

from .atomic import write_bytes, write_text
from .formats import open_table, write_table
from .paths import check_output
from .table import Table

__all__ = ["Table", "check_output", "open_table", "write_bytes", "write_table", "write_text"]
