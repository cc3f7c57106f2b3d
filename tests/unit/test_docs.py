"""Links, examples, versions and names in the pages."""

import re
from pathlib import Path

import pytest

import fuzzypairs
from fuzzypairs import __version__

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("**/*.md")]
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def anchors(text):
    """The fragments that a page offers: its headings as they appear in addresses."""
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-")
        for head in heads
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_have_targets(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, fragment = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), f"{name_of(page)} links to {link}"
        if fragment:
            assert fragment in anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize(
    "page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=name_of
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


def test_the_readme_has_an_example():
    assert BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))


def test_one_version_everywhere():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")

    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == __version__
    assert re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1] == __version__
    assert fuzzypairs.__version__ == __version__


@pytest.mark.parametrize("name", [n for n in fuzzypairs.__all__ if n[0] != "_"])
def test_public_names_are_documented_with_an_example(name):
    thing = getattr(fuzzypairs, name)

    assert re.search(
        r"^\s*Examples\n\s*-+$.*>>>", thing.__doc__, re.DOTALL | re.MULTILINE
    )


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
