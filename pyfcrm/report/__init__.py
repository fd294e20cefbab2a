"""An evaluation as one self-contained HTML page, in an internal and an external form."""

from .html import Section
from .page import FORMS, Making, report_page

__all__ = ["FORMS", "Making", "Section", "report_page"]
