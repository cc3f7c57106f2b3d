"""Pages as a test reads them."""

from html.parser import HTMLParser

VOID = {"meta", "img"}


class Page(HTMLParser):
    """The tags of a page in order; fails where they do not nest."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.words, self.tables = [], [], [], []
        self.feed(text)
        assert self.open == []

    @classmethod
    def read(cls, path):
        return cls(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data.strip())
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data.strip()

    def named(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]

    def table(self, *heads):
        """The rows of the first table with these heads."""
        return next(rows[1:] for rows in self.tables if rows[0] == list(heads))

    def drawn(self):
        """What pictures are said to show."""
        divs = self.named("div")
        return [attrs["aria-label"] for attrs in divs if attrs.get("role") == "img"]
