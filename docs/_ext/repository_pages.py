"""Files of the repository as pages, and links between both.

Pages link to each other so that they can be read in a checkout as well:
``../CHANGELOG.md`` from a page, ``docs/paper.md`` from the top. A page of PAGES is only
such a link; the site replaces it by the file. All other links to files of the
repository are turned into links between pages here.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# The page that shows a file, by the file at the top of the repository.
PAGES = {
    "CHANGELOG.md": "changes",
    "CONTRIBUTING.md": "contributing",
    "SECURITY.md": "security",
}
# Tables that commands write; pages link to them, and no list of pages does.
TABLES = ("judgements/", "reproduction/")
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")


def rewrite(text, is_top):
    """Turn links to files of the repository into links between pages."""

    def target(match):
        path = match[2]
        name = path if is_top else path.removeprefix("../")
        if name in PAGES and (is_top or path.startswith("../")):
            path = f"{PAGES[name]}.md"
        elif name == "README.md" and (is_top or path.startswith("../")):
            path = "index.md"
        elif is_top and path.startswith("docs/"):
            path = path.removeprefix("docs/")
        elif is_top and "://" not in path:
            path = f"../{path}"
        return match[1] + path + match[3]

    return LINK.sub(target, text)


def read_source(app, name, source):
    """Give Sphinx the text of a page."""
    files = {page: file for file, page in PAGES.items()}
    is_top = name in files
    if is_top:
        path = ROOT / files[name]
        app.env.note_dependency(str(path), docname=name)
        source[0] = path.read_text(encoding="utf-8")
    if is_top or app.env.doc2path(name).suffix == ".md":
        source[0] = rewrite(source[0], is_top)
    if name.startswith(TABLES):
        title = "" if source[0].startswith("# ") else f"# {name.split('/')[1]}\n\n"
        source[0] = f"---\norphan: true\n---\n{title}{source[0]}"


def setup(app):
    """Register with Sphinx."""
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
