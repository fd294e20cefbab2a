"""Common parts of all figures: colours for colour-blind readers, axes, and files without metadata."""

from functools import partial
from io import BytesIO
from typing import Any

from ..errors import one_line

# Okabe and Ito's palette, for colour-blind readers; in grey ordered by lightness.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY = "#777777"  # of lines that only join
MARKERS = ("o", "s", "D", "^", "v", "P", "X")

PAGE, SMALL = 7.1, 8  # inches of a page, and points of the smallest text on it
LONGEST = 26  # characters of a name next to a small picture


def as_png(figure: Any) -> bytes:
    """The figure as a PNG file's bytes, with no metadata on who or what made it."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=130, metadata={"Software": None})
    return buffer.getvalue()


def new_figure(size: tuple[float, float], rows: int = 1, columns: int = 1) -> tuple[Any, Any]:
    """A figure that shows itself, and its axes, one or an array of them.

    It is matplotlib's own, not pyplot's: no global state, no window, safe in a server; and a picture as a cell's last line.
    """
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=size, layout="constrained")
    figure._repr_png_ = partial(as_png, figure)  # what a notebook asks for
    return figure, figure.subplots(rows, columns)


def fitting(name: str, most: int = LONGEST) -> str:
    """A name as it can stand in a figure: one line, its start where it is long, no sign that begins a formula."""
    name = one_line(name)
    return (name if len(name) <= most else name[: most - 3] + "...").replace("$", r"\$")


def finish(axes: Any, title: str, horizontal: str, vertical: str) -> None:
    """Title, names of the axes, a light grid."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(horizontal, fontsize=SMALL + 1)
    axes.set_ylabel(vertical, fontsize=SMALL + 1)
    axes.tick_params(labelsize=SMALL)
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
