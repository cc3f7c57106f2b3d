"""Check a built site: every internal link and anchor, and that it needs no network.

Run as ``python docs/check_site.py FOLDER``; the exit code is 1 if something is
wrong.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a page loads by itself, by tag; a link (a) is only followed by the reader.
LOADED = {"script": "src", "img": "src", "link": "href", "source": "src"}


class Page(HTMLParser):
    """The anchors, links and loaded files of a page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = {"", "top"}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note what a tag refers to."""
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href") is not None:
            self.links.append(found["href"])
        if tag in LOADED and found.get(LOADED[tag]):
            self.loaded.append(found[LOADED[tag]])


@cache
def read(path):
    """Return a page, parsed once."""
    return Page(path.read_text(encoding="utf-8"))


def problems(folder):
    """Yield a sentence for each thing that is wrong; print the number of links."""
    n_links = 0
    # The theme keeps a template among its files.
    paths = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    for path in sorted(paths):
        page, name = read(path), path.relative_to(folder)
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{name} loads {address} from the network"
        for address in page.links + page.loaded:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            n_links += 1
            target = path
            if parts.path:
                target = (path.parent / unquote(parts.path)).resolve()
            anchor = unquote(parts.fragment)
            if not target.exists():
                yield f"{name} links to {address}, which does not exist"
            elif target.suffix == ".html" and anchor not in read(target).anchors:
                yield f"{name} links to {address}, which has no such anchor"
    print(f"{n_links} internal links of {len(paths)} pages")


def main(folder):
    """Print what is wrong."""
    found = list(problems(folder))
    if not (folder / "searchindex.js").exists():
        found.append("there is no index to search")
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
