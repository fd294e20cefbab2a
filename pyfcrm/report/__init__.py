"""An evaluation as one self-contained HTML page, in an internal and an external form."""

from .filing import Filing, Making
from .page import FORMS, render, report_page

__all__ = ["FORMS", "Filing", "Making", "render", "report_page"]
