"""How results show themselves: as a few lines in a console, as a table in a notebook."""

from .view import Result, Shown, View

__all__ = ["Result", "Shown", "View"]
