"""pyfcrm studio: the app in a browser."""

from __future__ import annotations

from .show import say


def run(port: int | None, host: str, browser: bool, upload_mb: int, most_cells: int) -> None:
    """Serve the studio until it is interrupted."""
    from ..app.serving import serve

    serve(say, port, host, browser, upload_mb, most_cells)
