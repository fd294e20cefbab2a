"""pyfcrm studio: the app in a browser."""

from __future__ import annotations

from ..errors import MissingExtra
from .show import say


def run(port: int | None, host: str, browser: bool, upload_mb: int) -> None:
    """Serve the studio until it is interrupted."""
    try:
        import shiny  # noqa: F401
    except ImportError as error:
        raise MissingExtra("the studio", "app", "shiny") from error
    from ..app.serving import serve

    serve(say, port, host, browser, upload_mb)
