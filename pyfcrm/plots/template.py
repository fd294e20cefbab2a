"""Markup is made by templates: this module has their common environment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(*folders: Path, **filters: Any) -> Environment:
    """The templates of folders; every text is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    result = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    result.filters |= filters
    return result
