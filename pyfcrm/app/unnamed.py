"""Newer versions of Shiny read the source of each reactive to name it for telemetry: most of what a visit takes to begin."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

READERS = ("shiny.reactive._reactives", "shiny.reactive._extended_task", "shiny.session._session")


def leave_unnamed() -> None:
    """Reactives of later visits have no names and places, unless somebody collects them.

    These are not Shiny's public names: where a version has others, it is left as it is.
    """
    with suppress(ImportError, AttributeError):
        if import_module("shiny.otel._core").is_otel_tracing_enabled():
            return
        modules: list[Any] = [import_module(name) for name in READERS]
        value = modules[0].Value
        if all(hasattr(module, "extract_source_ref") for module in modules) and hasattr(value, "_try_infer_name"):
            value._try_infer_name = _no_name
            for module in modules:
                module.extract_source_ref = _nowhere


def _no_name(self: Any) -> None:
    return None


def _nowhere(function: Any) -> dict[str, Any]:
    return {}
