"""A matplotlib figure that shows itself in a notebook. In a file of its own, since it loads matplotlib."""

from __future__ import annotations

from matplotlib.figure import Figure

from .style import as_png


class ShownFigure(Figure):
    """A Figure of its own, not pyplot's: no global state, no window, safe in a server; and a picture as a cell's last line."""

    def _repr_png_(self) -> bytes:
        return as_png(self)
