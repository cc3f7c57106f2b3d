"""Links from names in the page on the paper to lines of the source.

The page says where an equation is implemented as `cluster.fdc.FDC.predict`,
``core/groups.hpp`` (``objective``), or as a test file with or without a test. Each is
looked up when the site is built, and linked to that line of a page with the file. A
name that is not found is an error.
"""

import ast
import re
from pathlib import Path

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer, PythonLexer
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[2]
PAGE = "paper"
PLACE = "source"
DOTTED = re.compile(r"[a-z]\w*(\.\w+)+")
CORE = re.compile(r"core/\w+\.[ch]pp")
PIECE = re.compile(r"(?P<before>[^`]{0,2})`(?P<piece>[^`\n]+)`")
TEST = re.compile(r"(tests/[\w/]+\.py)(?:::(\w+))?")


def python_line(path, names):
    """Return the line on which a definition begins, by the names that lead to it."""
    node = ast.parse(path.read_text(encoding="utf-8"))
    for name in names:
        node = next(
            (part for part in ast.iter_child_nodes(node) if defines(part, name)), None
        )
        if node is None:
            return None
    return getattr(node, "lineno", 1)


def defines(node, name):
    """Whether a statement binds a name."""
    if isinstance(node, ast.Assign):
        return any(getattr(target, "id", None) == name for target in node.targets)
    return getattr(node, "name", None) == name


def core_line(path, name):
    """Return the line of a definition in C++: its name before a bracket, no call."""
    definition = re.compile(rf"^[\w:<>,*& ]*\b{name}\(")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if definition.match(line) and not line.rstrip().endswith(";"):
            return number
    return None


def imported_from(path, name):
    """Return the file from which a module imports a name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and name in {alias.asname or alias.name for alias in node.names}
        ):
            return module_file(node.module.split(".")[1:])
    return None


def module_file(parts):
    """Return the file of a module of the package, or None."""
    place = ROOT / "src" / "fuzzypairs" / Path(*parts)
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.exists():
            return path
    return None


def inherited(path, cls, name):
    """Where a base class of a class defines a member."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = next(node for node in tree.body if defines(node, cls))
    for base in getattr(found, "bases", []):
        if not isinstance(base, ast.Name):
            continue
        place = imported_from(path, base.id) or path
        if line := python_line(place, [base.id, name]):
            return place, line
        if python_line(place, [base.id]) and (more := inherited(place, base.id, name)):
            return more
    return None


def find(name):
    """File and line of a dotted name: naive.mem, or one of the package."""
    parts = name.split(".")
    if parts[0] == "naive":
        path = ROOT / "tests" / "naive.py"
        line = python_line(path, parts[1:])
        return (path, line) if line else None
    for cut in range(len(parts) - 1, 0, -1):
        path, rest = module_file(parts[:cut]), parts[cut:]
        if path is None:
            continue
        if line := python_line(path, rest):
            return path, line
        if origin := imported_from(path, rest[0]):
            path = origin
            if line := python_line(path, rest):
                return path, line
        if len(rest) == 2 and python_line(path, rest[:1]):
            return inherited(path, *rest)
    return None


def places(text):
    """Yield pieces of code in a text of Markdown, with file and line of each.

    Pieces that name no place in the source are left out.
    """
    core = None
    for match in PIECE.finditer(text):
        piece, is_within = match["piece"], match["before"] in (" (", ", ")
        core = core if is_within else None
        if CORE.fullmatch(piece):
            core = ROOT / piece
            found = (core, 1) if core.exists() else None
        elif core is not None and piece.isidentifier():
            line = core_line(core, piece)
            found = (core, line) if line else None
        elif test := TEST.fullmatch(piece):
            path = ROOT / test[1]
            line = path.exists() and python_line(path, [test[2]] if test[2] else [])
            found = (path, line) if line else None
        elif DOTTED.fullmatch(piece) and not piece.endswith((".py", ".md")):
            found = find(piece)
        else:
            continue
        if found is None:
            raise ExtensionError(f"docs/paper.md names {piece}, which was not found")
        yield piece, found


def page_text(app):
    """Return the page, without its blocks of code."""
    text = (Path(app.srcdir) / f"{PAGE}.md").read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def breakable(name):
    """Return a name as code, which may break after dots, slashes and underscores."""
    node = nodes.literal(name, "")
    for part in re.findall(r"[^._/:]*[._/:]*", name):
        node += [nodes.Text(part), nodes.raw("", "<wbr>", format="html")]
    return node


def link_names(app, doctree, name):
    """Turn names on the page into links."""
    if name != PAGE or app.builder.format != "html":
        return
    ahead = iter(places(page_text(app)))
    following = next(ahead, None)
    for node in list(doctree.findall(nodes.literal)):
        if following is None or node.astext() != following[0]:
            continue
        path, line = following[1]
        page = f"{PLACE}/{path.relative_to(ROOT).as_posix()}"
        address = f"{app.builder.get_relative_uri(PAGE, page)}#line-{line}"
        link = nodes.reference("", "", refuri=address, internal=True)
        link["classes"].append("source-line")
        node.parent.replace(node, link)
        link += breakable(node.astext())
        following = next(ahead, None)
    if following is not None:
        raise ExtensionError(f"docs/paper.md: {following[0]} was not met in order")


def source_pages(app):
    """Pages with the files that the page on the paper names."""
    if app.builder.format != "html":
        return
    for path in sorted({place[0] for _, place in places(page_text(app))}):
        name = path.relative_to(ROOT).as_posix()
        lexer = PythonLexer() if path.suffix == ".py" else CppLexer()
        formatter = HtmlFormatter(
            linenos="inline", lineanchors="line", anchorlinenos=True
        )
        body = highlight(path.read_text(encoding="utf-8"), lexer, formatter)
        context = {"title": name, "body": f"<h1>{name}</h1>{body}"}
        yield f"{PLACE}/{name}", context, "page.html"


def setup(app):
    """Register with Sphinx."""
    app.connect("doctree-resolved", link_names)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
