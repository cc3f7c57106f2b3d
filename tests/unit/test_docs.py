"""Links, examples, versions and names in the pages."""

import importlib
import re
from pathlib import Path

import pytest

import fuzzypairs
from fuzzypairs import __version__

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TOP = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")]
# The pages that `make docs` generates are its own concern.
PAGES = sorted(
    [*TOP, ROOT / "SECURITY.md"]
    + [
        page
        for page in DOCS.glob("**/*.md")
        if not {"_build", "gallery", "generated"} & set(page.relative_to(DOCS).parts)
    ]
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Modules whose names are public.
PUBLIC = (
    "fuzzypairs",
    "fuzzypairs.active",
    "fuzzypairs.criteria",
    "fuzzypairs.datasets",
    "fuzzypairs.distributed",
    "fuzzypairs.exceptions",
    "fuzzypairs.items",
    "fuzzypairs.plots",
    "fuzzypairs.report",
)


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def anchors(text):
    """The fragments that a page offers: its headings as they appear in addresses."""
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-")
        for head in heads
    }


def source_of(target):
    """The file behind an address of the site: examples and reference are generated."""
    if target.parent == DOCS / "gallery":
        name = "GALLERY_HEADER.rst" if target.name == "index" else f"{target.name}.py"
        return DOCS / "examples" / name
    if target.parent == DOCS / "reference" / "generated":
        module, name = target.name.rsplit(".", 1)
        getattr(importlib.import_module(module), name)
        return DOCS / "reference" / "index.md"
    return target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_have_targets(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, fragment = link.partition("#")
        target = source_of(page.parent / file) if file else page
        assert target.exists(), f"{name_of(page)} links to {link}"
        if fragment:
            assert fragment in anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))],
    ids=name_of,
)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    namespace = {}
    for block in BLOCK.finditer(text):
        line = text[: block.start(1)].count("\n")
        # Padded, so that a traceback names the line of the page.
        code = compile("\n" * line + block[1], name_of(page), "exec")
        exec(code, namespace)


def test_the_example_of_the_readme_prints_what_it_says(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = BLOCK.search(text)
    shown = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.MULTILINE)

    exec(code[1], {})

    assert capsys.readouterr().out == shown.search(text, code.end())[1]
    assert sum(bool(line) for line in code[1].splitlines()) <= 10


def test_one_version_everywhere():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")

    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == __version__
    assert re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1] == __version__
    assert fuzzypairs.__version__ == __version__


def listed_names():
    """Names in the reference, by module."""
    text = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    parts = re.split(r"^\.\. currentmodule:: (\S+)$", text, flags=re.MULTILINE)
    listed = {}
    for module, part in zip(parts[1::2], parts[2::2], strict=True):
        names = re.findall(r"^   (\w+)$", part, re.MULTILINE)
        listed.setdefault(module, []).extend(names)
    return listed


@pytest.mark.parametrize(("module", "names"), listed_names().items())
def test_names_in_the_reference_have_an_example(module, names):
    place = importlib.import_module(module)
    things = {name: getattr(place, name) for name in names}
    example = re.compile(r"^\s*Examples\n\s*-+$.*>>>", re.DOTALL | re.MULTILINE)

    missing = [
        name
        for name, thing in things.items()
        if callable(thing) and not example.search(thing.__doc__)
    ]
    assert missing == []


@pytest.mark.parametrize("module", PUBLIC)
def test_the_reference_lists_all_public_names(module):
    public = [
        name for name in importlib.import_module(module).__all__ if name[0] != "_"
    ]

    assert sorted(listed_names()[module]) == sorted(public)


def test_every_page_has_its_place_in_the_order():
    listed = {
        (page.parent / line.strip()).relative_to(DOCS).as_posix()
        for page in PAGES
        if DOCS in page.parents
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.M
        )
        for line in re.sub(r".*<(.*)>", r"\1", block).splitlines()
    }
    pages = {
        page.relative_to(DOCS).with_suffix("").as_posix()
        for page in PAGES
        if DOCS in page.parents
    }
    tables = {
        page for page in pages if page.startswith(("judgements/", "reproduction/"))
    }

    assert pages - tables - listed == {"index"}


@pytest.mark.parametrize("path", sorted((DOCS / "examples").glob("*.py")), ids=name_of)
def test_examples_ask_a_question_and_end_on_a_figure(path):
    # `make docs` runs them; here only what can be seen without.
    text = path.read_text(encoding="utf-8")
    title = text.splitlines()[1]

    assert path.name.startswith("plot_")
    assert title.endswith("?")
    assert "plt.subplots(" in text.rsplit("# %%", 1)[1]
    compile(text, path.name, "exec")


def test_there_are_enough_examples():
    assert len(list((DOCS / "examples").glob("plot_*.py"))) >= 12


def test_contributing_names_every_module():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    package = Path(fuzzypairs.__file__).parent
    here = [
        path.name + ("/" if path.is_dir() else "")
        for path in package.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    ]

    missing = [
        name for name in here if name != "__init__.py" and f"`{name}`" not in text
    ]
    assert missing == []


def test_contributing_names_files_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    package = Path(fuzzypairs.__file__).parent
    named = re.findall(r"`([\w/.]+/[\w.]+\.(?:py|cpp))`", text)

    assert len(named) > 40
    assert [
        name
        for name in named
        if not any((at / name).exists() for at in (package, ROOT))
    ] == []
