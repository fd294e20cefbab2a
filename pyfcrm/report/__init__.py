"""An evaluation as one self-contained HTML page, in an internal and an external form."""

from .filing import Filing
from .html import Section
from .page import FORMS, Making, report_page

__all__ = ["FORMS", "Filing", "Making", "Section", "report_page"]
