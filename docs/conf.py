"""Settings of the documentation site; ``make docs`` builds and checks it."""

import re
import sys
from pathlib import Path

from sphinx_gallery.sorting import FileNameSortKey

import fuzzypairs

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "fuzzypairs"
author = "The fuzzypairs developers"
copyright = f"2026, {author}"
release = version = fuzzypairs.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "command_pages",
    "repository_pages",
    "source_lines",
]
exclude_patterns = ["_build", "_templates", "examples"]
templates_path = ["_templates"]
# Every warning is an error; these two say nothing about the site itself.
suppress_warnings = [
    "config.cache",  # the order of examples is given by a class
    "myst.header",  # tables written by `fuzzypairs reproduce` start at any level
]

myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# Reference: one page for each public name, with its members.
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc writes types with the parameters
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "within_subsection_order": FileNameSortKey,
    "abort_on_example_error": True,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("fuzzypairs",),
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "plot_gallery": True,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"fuzzypairs {version}"
# Pages without pages below them need no list of these.
html_sidebars = {"faq": [], "source/**": []}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
# Summaries of search results are fetched from other pages, which browsers do not allow
# for pages opened from disk.
html_show_search_summary = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_theme_options = {
    "logo": {"text": "fuzzypairs"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def skip_members_of_others(app, what, name, obj, skip, options):
    """Leave out what scikit-learn documents: get_params, set_output and others."""
    if (getattr(obj, "__module__", None) or "").startswith("sklearn."):
        return True
    # Metadata routing is made by scikit-learn's metaclass, without a module.
    return skip or name.endswith("_request") or name == "get_metadata_routing"


CODE = re.compile(r"(`+[^`]*`+)")
NAME_ = re.compile(r"(?<![\w\\])(\w+_)(?!\w)")


def escape_names(app, what, name, obj, options, lines):
    """Escape what docstrings write as plain text and reStructuredText would not.

    That is names of fitted attributes, which end like links, and absolute values.
    """
    is_code = False
    for number, line in enumerate(lines):
        is_code = line.lstrip().startswith(">>>") or (is_code and bool(line.strip()))
        if not is_code:
            parts = CODE.split(line)
            parts[::2] = [
                NAME_.sub(r"``\1``", part).replace("|", r"\|") for part in parts[::2]
            ]
            lines[number] = "".join(parts)


def setup(app):
    """Connect what is too small for a file in ``_ext``."""
    app.connect("autodoc-skip-member", skip_members_of_others)
    # Before numpydoc, which makes reStructuredText of docstrings.
    app.connect("autodoc-process-docstring", escape_names, priority=400)
