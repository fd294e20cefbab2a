"""Arrow tables without the metadata of whoever made them: of the schema, and of fields at any depth."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

# Types of their own that a release keeps: Arrow's, and pandas' periods and intervals. Any other is what it is stored as.
_KNOWN = ("arrow.", "pandas.")
_FREE_TEXT = ("arrow.opaque",)  # its parameters are words of whoever made the file


class _Relabelled:
    """A record batch handed over with another schema of the same layout; no value is copied."""

    def __init__(self, batch: Any, schema: Any) -> None:
        self.batch, self.schema = batch, schema

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self.schema.__arrow_c_schema__(), self.batch.__arrow_c_array__()[1]


def bare_table(table: Any) -> Any:
    """The table without metadata of its schema and of its fields, those of nested types too; values are shared."""
    schema = pa.schema([bare_field(field) for field in table.schema])
    if table.schema.serialize().equals(schema.serialize()):  # Schema.equals does not look into dictionaries
        return table
    batches = [pa.record_batch(_Relabelled(batch, schema)) for batch in table.to_batches()]
    return pa.Table.from_batches(batches, schema=schema)


def bare_field(field: Any, plain: bool = False) -> Any:
    """The field with its name, bare type and whether a value may be missing."""
    return pa.field(field.name, bare_type(field.type, plain), field.nullable)


def bare_type(dtype: Any, plain: bool = False) -> Any:
    """The type, its inner fields bare. plain : with values in place of dictionaries, at any depth."""
    if isinstance(dtype, pa.BaseExtensionType):
        name = dtype.extension_name
        known = name.startswith(_KNOWN) and name not in _FREE_TEXT
        return dtype if known else bare_type(dtype.storage_type, plain)
    if pa.types.is_dictionary(dtype):
        values = bare_type(dtype.value_type, plain)
        return values if plain else pa.dictionary(dtype.index_type, values, dtype.ordered)
    if pa.types.is_run_end_encoded(dtype):
        return pa.run_end_encoded(dtype.run_end_type, bare_type(dtype.value_type, plain))
    if pa.types.is_map(dtype):
        return pa.map_(bare_field(dtype.key_field, plain), bare_field(dtype.item_field, plain), dtype.keys_sorted)
    if pa.types.is_fixed_size_list(dtype):
        return pa.list_(bare_field(dtype.value_field, plain), dtype.list_size)
    if pa.types.is_union(dtype) or pa.types.is_struct(dtype):
        fields = [bare_field(dtype.field(k), plain) for k in range(dtype.num_fields)]
        return pa.struct(fields) if pa.types.is_struct(dtype) else pa.union(fields, dtype.mode, dtype.type_codes)
    return _bare_list(dtype, plain)


def _bare_list(dtype: Any, plain: bool) -> Any:
    makers = {
        "list": "list_",
        "large_list": "large_list",
        "list_view": "list_view",
        "large_list_view": "large_list_view",
    }
    for kind, maker in makers.items():
        is_kind = getattr(pa.types, f"is_{kind}", None)  # views came with pyarrow 16
        if is_kind is not None and is_kind(dtype):
            return getattr(pa, maker)(bare_field(dtype.value_field, plain))
    return dtype
