"""Nothing from data becomes markup, and pages are usable with and without scripts."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

from browsers import find_axe, find_chromium
from fit_pages import fitted, random_memberships, report
from fuzzypairs import PairSet
from fuzzypairs.cluster.guided import Evidence
from fuzzypairs.cluster.verdict import HeldOut, assess

# What breaks out of text, attributes, styles, scripts, comments and SVG, and what would
# run if it did.
OUT = [
    "", '"', "'", "`", ">", '">', "'>", "-->", "]]>", "</title>", "</style>",
    "</script>", "</svg>", "</td></tr></table>", "</textarea>", "*/", "\\", "&quot;>",
    "</text></g>", "{{7*7}}",
]  # fmt: skip
RUN = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<iframe srcdoc='<b>'></iframe>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "<style>*{display:none}</style>",
    "<base href=//x.example>",
    "<title>x</title><object data=x>",
]
PAYLOADS = ["".join(parts) for parts in itertools.product(OUT, RUN)]


def page_of(path, words):
    """A report in which all text that users give is one of `words`."""
    n_rows, rng = len(words), np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 10)), columns=words[:10])
    for start in range(10, 20):
        values = [words[start], words[-start]]
        frame[words[start]] = rng.choice(values, n_rows)
    ends = rng.permutation(n_rows).reshape(-1, 2)
    grades = rng.uniform(-1, 1, len(ends))
    triples = [(i, j, s) for (i, j), s in zip(ends.tolist(), grades, strict=True)]
    pairs = PairSet.from_triples(triples, n_rows)
    held_out = HeldOut(pairs, rng.random(len(pairs)), rng.random(len(pairs)))
    weights = rng.random(30)
    model = fitted(
        random_memberships(n_rows, 2), verdict_=assess(held_out),
        evidence_=Evidence(0.0, {}, 1.0, False, {}, held_out),
        feature_weights_=weights, pair_reliability_=rng.random(len(pairs)),
    )  # fmt: skip
    return report(
        path,
        model,
        frame,
        triples,
        ids=words,
        truth=np.array(words, dtype=object)[rng.integers(0, 5, n_rows)],
        source=words[3],
        notes=words[:50],
        options=dict(zip(words, reversed(words), strict=True)),
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    plain = [f"word {number}" for number in range(len(PAYLOADS))]
    harmless = page_of(folder / "plain.html", plain)
    return folder / "report.html", page_of(folder / "report.html", PAYLOADS), harmless


def test_two_hundred_payloads_stay_text(pages):
    _, page, harmless = pages
    assert len(set(PAYLOADS)) == 200

    def kinds(read):
        return {(tag, *sorted(attrs)) for tag, attrs in read.tags}

    assert kinds(page) == kinds(harmless)
    assert len(page.named("script")) == len(page.named("style")) == 1
    values = {
        (name, value)
        for tag, attrs in page.tags
        for name, value in attrs.items()
        if name in ("href", "xlink:href", "src", "id", "class", "style", "role")
    }
    assert not [value for _, value in values if "alert" in value or "example" in value]
    assert all(v.startswith("#") for name, v in values if name.endswith("href"))
    # Every id can be read in the table of all rows, cut to its length.
    rows = next(rows[1:] for rows in page.tables if "flags" in rows[0])
    cut = [p if len(p) <= 40 else p[:39] + "…" for p in PAYLOADS]
    assert [row[0] for row in rows] == [text.strip() for text in cut]


def test_only_the_script_of_the_page_may_run(pages):
    _, page, _ = pages

    (policy,) = (
        attrs["content"] for attrs in page.named("meta") if "http-equiv" in attrs
    )
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'", policy)


def test_a_browser_runs_the_script_and_nothing_else(pages):
    api, chromium = find_chromium()
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium)
        view = browser.new_page()
        said = []
        view.on("dialog", lambda dialog: (said.append("dialog"), dialog.dismiss()))
        view.on("pageerror", lambda error: said.append(str(error)))
        view.on("console", lambda message: said.append(message.text))
        view.on("request", lambda request: said.append(request.url))
        view.goto(pages[0].as_uri())
        assert view.locator("details.rows tbody tr").count() == 50
        view.fill("input[type=search]", "onfocus")
        assert "of 20 rows" in view.text_content(".controls output")
        view.fill("input[type=search]", "")
        view.locator("th button", has_text="certainty").click()
        shown = view.locator("details.rows tbody td:nth-child(3)").all_text_contents()
        numbers = [float(text.split()[0]) for text in shown]
        assert numbers == sorted(numbers)
        view.locator("figure .row").first.dispatch_event("click")
        assert "certainty" in view.locator(".named").first.text_content()
        plain = browser.new_page(java_script_enabled=False)
        plain.goto(pages[0].as_uri())
        assert plain.locator("details.rows tbody tr").count() == 200
        assert plain.locator("input").count() == 0
        browser.close()
    assert said == [pages[0].as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_axe_finds_nothing(pages, scheme, width):
    axe = find_axe()
    api, chromium = find_chromium()
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium)
        size = {"width": width, "height": 900}
        view = browser.new_page(color_scheme=scheme, viewport=size)
        view.goto(pages[0].as_uri())
        view.evaluate(axe)
        found = view.evaluate("axe.run()")["violations"]
        browser.close()
    assert [rule["id"] for rule in found] == []


def test_a_phone_shows_whole_pictures_and_cards(pages):
    api, chromium = find_chromium()
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium)
        view = browser.new_page(viewport={"width": 390, "height": 900})
        view.goto(pages[0].with_name("plain.html").as_uri())
        wide = view.evaluate(
            "[...document.querySelectorAll('figure .scroll, .card .scroll')]"
            ".map(box => box.scrollWidth - box.clientWidth)"
        )
        page = view.evaluate("document.documentElement.scrollWidth")
        browser.close()
    assert len(wide) > 5
    assert max(wide) <= 0
    assert page <= 390


def test_paper_shows_whole_tables(pages):
    api, chromium = find_chromium()
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium)
        # The width of A4 without its margins, in pixels of CSS.
        view = browser.new_page(viewport={"width": 680, "height": 1000})
        view.goto(pages[0].with_name("plain.html").as_uri())
        view.emulate_media(media="print")
        right = view.evaluate(
            "[...document.querySelectorAll('table')]"
            ".map(table => table.getBoundingClientRect().right)"
        )
        browser.close()
    assert max(right) <= 680
