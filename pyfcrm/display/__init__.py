"""How results show themselves: as a few lines in a console, as a table with a small picture in a notebook."""

from . import pictures
from .view import Result, Shown, View

__all__ = ["Result", "Shown", "View", "pictures"]
