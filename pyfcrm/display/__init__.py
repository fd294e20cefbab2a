"""How results show themselves: as a few lines in a console, as a table with a small picture in a notebook."""

from . import pictures
from .view import Noted, Shown, View

__all__ = ["Noted", "Shown", "View", "pictures"]
