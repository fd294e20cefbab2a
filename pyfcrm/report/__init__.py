"""An evaluation as one self-contained HTML page, in an internal and an external form."""

from .page import FORMS, Filing, render, report_page

__all__ = ["FORMS", "Filing", "render", "report_page"]
