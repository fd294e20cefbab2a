"""An evaluation as one self-contained HTML page, in an internal and an external form."""

from .filing import Filing, limits_of
from .html import Section
from .page import FORMS, Making, report_page

__all__ = ["FORMS", "Filing", "Making", "Section", "limits_of", "report_page"]
