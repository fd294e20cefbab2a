"""A column's distribution as a very small picture."""

from __future__ import annotations

from html import escape

from .columns import Column

WIDTH, HEIGHT = 96, 24


def histogram(column: Column) -> str:
    """Inline SVG, with the range in words for those who do not see it; nothing for a column without numbers."""
    if not column.bars:
        return ""
    most, step = max(column.bars), WIDTH / len(column.bars)
    bars = "".join(
        f'<rect x="{k * step:.2f}" y="{HEIGHT * (1 - count / most):.2f}" width="{step * 0.86:.2f}" '
        f'height="{HEIGHT * count / most:.2f}"/>'
        for k, count in enumerate(column.bars)
    )
    words = escape(f"{column.name}: from {column.low:.6g} to {column.high:.6g}", quote=True)
    return (
        f'<svg class="histogram" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{words}"><title>{words}</title>{bars}</svg>'
    )
