"""The measures, by key: those of DEFAULT, then what else the files of this folder declare. A new measure is a new file."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from .measure import AnyMeasure

DEFAULT = ("pil", "dbrl", "prl", "id", "dr", "score")


def _declared() -> Iterator[AnyMeasure]:
    for name in (file.name for file in iter_modules(__path__) if not file.name.endswith("_kernels")):
        for one in vars(import_module(f".{name}", __name__)).values():
            if isinstance(one, AnyMeasure):
                yield one


_BY_KEY = {one.facts.key: one for one in _declared()}
MEASURES: dict[str, AnyMeasure] = {key: _BY_KEY[key] for key in (*DEFAULT, *_BY_KEY)}
INFORMED = tuple(key for key, measure in MEASURES.items() if measure.facts.informed)
"""Beside the others wherever the method is known."""
