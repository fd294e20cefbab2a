"""Tables of arrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..files.arrow_bare import bare_table
from ..types import Array
from .codes import distinct
from .frame import FromFile, beyond_floats, decimal_limits, type_limits


class ArrowFrame(FromFile):
    """See data.frame.Frame. Records are paired by position."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.names = list(frame.column_names)
        self.records = frame.num_rows

    def kind(self, name: str) -> str:
        dtype = self.frame.schema.field(name).type
        tests = {
            "integer": pa.types.is_integer,
            "boolean": pa.types.is_boolean,
            "float": lambda t: pa.types.is_floating(t) or pa.types.is_decimal(t),
            "text": lambda t: pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t),
            "date": pa.types.is_temporal,
            "category": pa.types.is_dictionary,
        }
        return next((kind for kind, holds in tests.items() if holds(dtype)), "other")

    def limits(self, name: str) -> tuple[float, float]:
        dtype = self.frame.schema.field(name).type
        if pa.types.is_decimal(dtype):
            return decimal_limits(dtype.precision, dtype.scale)
        return type_limits(self.frame.schema.field(name).type.to_pandas_dtype())

    def places(self, name: str) -> int | None:
        dtype = self.frame.schema.field(name).type
        return int(dtype.scale) if pa.types.is_decimal(dtype) else None

    def values(self, name: str) -> Array:
        column = pc.fill_null(pc.cast(self.frame.column(name), pa.float64(), safe=False), float("nan"))
        return np.array(column.to_numpy(), dtype=np.float64)

    def beyond_floats(self, name: str) -> NDArray[np.bool_]:
        if not pa.types.is_integer(self.frame.schema.field(name).type):
            return np.zeros(self.records, dtype=bool)
        return beyond_floats(np.asarray(pc.fill_null(self.frame.column(name), 0).to_numpy()))

    def replaced(self, columns: Mapping[str, Array], rows: NDArray[np.bool_], drop: Iterable[str], floats: bool) -> Any:
        table = self.frame
        for name, values in columns.items():
            dtype = table.schema.field(name).type
            column = table.column(name).combine_chunks()
            put = rows & ~np.isnan(values) & ~(self.beyond_floats(name) & (values == self.values(name)))
            if floats and pa.types.is_integer(dtype):
                dtype = pa.float64()
                column = pc.cast(column, dtype, safe=False)
            filled = pc.cast(pa.array(np.where(put, values, 0.0)), dtype, safe=False)
            place = table.column_names.index(name)
            table = table.set_column(place, pa.field(name, dtype), pc.if_else(pa.array(put), filled, column))
        return bare_table(table.drop_columns(list(drop)))

    def cells(self, name: str) -> NDArray[np.object_]:
        cells = np.empty(self.records, dtype=object)
        cells[:] = self.frame.column(name).to_pylist()
        return cells

    def codes(self, name: str) -> NDArray[np.int64]:
        column = self.frame.column(name).combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_floating(column.type):  # 0 is -0, NaN is missing
            column = pa.array(self.values(name) + 0.0, from_pandas=True)
        try:
            coded = column.dictionary_encode()
        except pa.ArrowNotImplementedError:  # cells that are lists and the like
            cells = [None if cell is None else repr(cell) for cell in column.to_pylist()]
            coded = pa.array(cells, pa.string()).dictionary_encode()
        return np.array(coded.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)

    def distinct(self, name: str) -> tuple[NDArray[np.int64], list[Any]]:
        column = self.frame.column(name)
        if self.kind(name) not in ("integer", "boolean", "float", "text"):
            return distinct(column.to_pylist())
        coded = pa.concat_arrays(column.dictionary_encode().unify_dictionaries().chunks)
        places = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False)
        return places.astype(np.int64), coded.dictionary.to_pylist()

    def reshaped(self, categories: Any, gaps: Mapping[str, NDArray[np.bool_]], rows: NDArray[np.intp] | None) -> Any:
        table = self.frame
        for name, (labels, order) in categories.items():
            codes = pa.array([None if label is None else order.index(label) for label in labels], pa.int32())
            cut = pa.DictionaryArray.from_arrays(codes, pa.array(order), ordered=True)
            table = table.set_column(table.column_names.index(name), name, cut)
        for name, gap in gaps.items():
            # Taken by places of which some are missing: of every type, extension types too.
            emptied = table.column(name).combine_chunks().take(pa.array(np.arange(self.records), mask=gap))
            table = table.set_column(table.column_names.index(name), name, emptied)
        table = table if rows is None else table.take(pa.array(rows))
        return bare_table(table)

    def index(self) -> Any:
        return None
