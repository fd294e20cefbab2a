"""Sphinx settings. The build uses no network, and the same sources give the same bytes."""

from pathlib import Path

import pyfcrm

project = "pyfcrm"
author = "The pyfcrm team"
copyright = "The pyfcrm team"
release = version = pyfcrm.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
master_doc = "index"
default_role = "code"
nitpicky = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say the types
autoclass_content = "class"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_attributes_as_param_list = True

html_theme = "furo"
html_title = f"pyfcrm {release}"
html_static_path = ["static"]
html_css_files = ["own.css"]
html_js_files = ["languages.js"]
html_search_scorer = str(Path(__file__).parent / "static" / "scorer.js")
templates_path = ["templates"]
html_theme_options = {"top_of_page_buttons": [], "navigation_with_keys": True}
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_show_search_summary = False  # a summary is fetched, which a browser refuses of a page opened from disk
html_domain_indices = False
html_use_index = True
pygments_style = "a11y-high-contrast-light"
