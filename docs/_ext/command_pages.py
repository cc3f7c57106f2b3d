"""The directive ``fuzzypairs-commands``: every command with its options.

Texts are read from the command itself, as ``--help`` prints them.
"""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command


def option_rows(command):
    """Yield names, default and help of each parameter."""
    for parameter in command.params:
        names = ", ".join([*parameter.opts, *parameter.secondary_opts])
        if parameter.param_type_name == "argument":
            names = parameter.name.upper()
        default = parameter.default
        if isinstance(default, bool) or default is None or callable(default):
            default = ""
        yield names, default, " ".join((getattr(parameter, "help", "") or "").split())


def as_lines(name, command):
    """Yield a section of Markdown on one command."""
    text = (command.help or "").strip().split("\f")[0]
    yield f"## fuzzypairs {name}"
    yield ""
    yield from text.splitlines()
    yield ""
    yield "| option | default | meaning |"
    yield "|---|---|---|"
    for names, default, meaning in option_rows(command):
        shown = f"`{default}`" if default not in ("", ()) else ""
        meaning = meaning.replace("|", "\\|").replace("<", "&lt;")
        yield f"| `{names}` | {shown} | {meaning} |"
    yield ""


class Commands(SphinxDirective):
    """All commands, a section each."""

    def run(self):
        """Write and parse the sections."""
        from fuzzypairs.cli import app

        group = get_command(app)
        lines = StringList()
        for name, command in group.commands.items():
            for line in as_lines(name, command):
                lines.append(line, f"fuzzypairs {name} --help", 0)
        node = nodes.section()
        node.document = self.state.document
        self.state.nested_parse(lines, 0, node, match_titles=True)
        return node.children


def setup(app):
    """Register with Sphinx."""
    app.add_directive("fuzzypairs-commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
