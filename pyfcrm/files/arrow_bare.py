"""Arrow tables without nested columns and without the metadata of their author."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ..errors import InvalidInput

# Extension types that a release keeps; any other is released as the type it is stored as.
_KNOWN = ("arrow.", "pandas.")
_FREE_TEXT = ("arrow.opaque",)  # its parameters are words of the file's author


def require_flat(owner: str, schema: Any) -> None:
    """Raises InvalidInput for a column of lists, structures and the like: their fields have metadata of their own."""
    for field in schema:
        dtype = field.type
        while isinstance(dtype, pa.BaseExtensionType) or pa.types.is_dictionary(dtype):
            dtype = dtype.value_type if pa.types.is_dictionary(dtype) else dtype.storage_type
        if dtype.num_fields:
            raise InvalidInput(
                owner, f"column `{field.name}` must not be nested, such as lists or structures", str(dtype)
            )


def bare_table(table: Any) -> Any:
    """The table without metadata of its schema and of its fields; values are shared."""
    require_flat("release", table.schema)
    columns = [_stored(column) for column in table.columns]
    fields = [pa.field(f.name, c.type, f.nullable) for f, c in zip(table.schema, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _stored(column: Any) -> Any:
    dtype = column.type
    if not isinstance(dtype, pa.BaseExtensionType):
        return column
    if dtype.extension_name.startswith(_KNOWN) and dtype.extension_name not in _FREE_TEXT:
        return column
    return pa.chunked_array([chunk.storage for chunk in column.chunks], dtype.storage_type)
