"""The page in a browser, as a person uses it."""

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="browser: no playwright")
axe = pytest.importorskip("axe_playwright_python", reason="browser: no axe")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: no Chromium")
GRADES = dict(zip("123456789", np.arange(-1, 1.25, 0.25).tolist(), strict=True))
VIEWS = ("grade", "clusters", "history", "graders", "finish")
# Milliseconds after which a pair counts as seen, and keys as meant for it.
UNSEEN = 160
AXE = Path(axe.__file__).with_name("axe.min.js")


@pytest.fixture(scope="module")
def chromium():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


def write_table(path, rows, head="name,acid,soil"):
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def make_table(folder):
    rng = np.random.default_rng(0)
    rows = [f"W{n:02},{rng.normal(8 * (n % 2)):.2f},clay" for n in range(60)]
    write_table(folder / "wines.csv", rows)
    return folder / "wines.csv"


class Program:
    """A running `fuzzypairs label`."""

    def __init__(self, table, *options):
        self.database = table.with_suffix(".db")
        command = [sys.executable, "-m", "fuzzypairs", "label", "--no-browser", table]
        command += ["--id", "name", "--clusters", "2", "--annotator", "Ann", *options]
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, text=True
        )
        self.address = self.process.stdout.readline().strip()

    def stored(self, who="Ann", columns="grade, input", view="answers"):
        query = f"SELECT {columns} FROM {view} WHERE annotator = ? ORDER BY id"
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query, (who,)).fetchall()

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.process.communicate(timeout=60)


@pytest.fixture(scope="module")
def start():
    """Start programs, and end them after all tests."""
    running = []

    def start(*arguments):
        running.append(Program(*arguments))
        return running[-1]

    yield start
    for program in running:
        if program.process.poll() is None:
            program.end()


@pytest.fixture(scope="module")
def program(start, tmp_path_factory):
    """One program for the tests of single graders, each under a name of its own."""
    return start(make_table(tmp_path_factory.mktemp("page")))


def open_page(chromium, program, who="Ann", **options):
    context = chromium.new_context(**options)
    context.add_init_script(
        f"localStorage.annotator = localStorage.annotator || {who!r}"
    )
    page = context.new_page()
    page.set_default_timeout(120_000)  # a loaded machine is slow, not wrong
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda m: m.type == "error" and page.problems.append(m.text))
    page.goto(program.address)
    page.wait_for_selector("#page[data-ready]")
    return page


def names(page):
    return page.locator("#pair thead th").all_inner_texts()


def press(page, keys):
    """Press keys, each after the next pair is shown; return the pairs."""
    pairs = []
    for key in keys:
        page.wait_for_timeout(UNSEEN)
        before = names(page)
        pairs.append(tuple(before))
        page.keyboard.press(key)
        page.wait_for_function(
            """before => {
                const names = document.querySelector("#pair thead")?.innerText;
                return names && names.trim().split(/\\s+/).join() !== before;
            }""",
            arg=",".join(before),
        )
    return pairs


def settle(page, n):
    page.wait_for_function(
        "n => document.getElementById('progress').textContent.startsWith(n)",
        arg=f"{n} judged",
    )


def go(page, view):
    page.click(f"#views [data-view={view}]")
    page.wait_for_selector(f"main > section[data-view={view}]:not([hidden])")


def test_thirty_pairs_by_keys(chromium, program):
    page = open_page(chromium, program)
    keys = "123467891928" + "146798231478" + "962371"
    pairs = press(page, keys)
    settle(page, 30)

    assert program.stored() == [(GRADES[key], "key") for key in keys]
    assert program.stored(columns="left_id, right_id") == pairs
    press(page, ["5", "Space", "s"])
    page.wait_for_function(
        "() => document.getElementById('progress').textContent.includes('1 skipped')"
    )
    kinds = program.stored(columns="kind")[-3:]
    assert kinds == [("unsure",), ("unsure",), ("skipped",)]
    assert page.url.endswith("/")  # no token in the address
    assert page.problems == []
    page.context.close()


def test_a_pair_that_nobody_saw_is_not_answered(chromium, program):
    page = open_page(chromium, program, "Dot")
    page.wait_for_timeout(UNSEEN)
    page.evaluate(
        """() => {
            for (const key of ["9", "1", "s"]) {
                document.body.dispatchEvent(
                    new KeyboardEvent("keydown", { key, bubbles: true }));
            }
        }"""
    )
    settle(page, 1)
    press(page, "2")
    settle(page, 2)

    assert program.stored("Dot", "kind, grade") == [("graded", 1.0), ("graded", -0.75)]
    page.context.close()


def test_the_slider_has_no_handle_until_it_is_touched(chromium, program):
    page = open_page(chromium, program, "Sly")
    handle, slider = page.locator(".handle"), page.locator("#slider")

    assert not handle.is_visible()
    page.keyboard.press("Enter")  # not touched: no answer
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    assert handle.is_visible()
    assert slider.get_attribute("aria-valuetext") == "perhaps together, 0.35"
    press(page, ["Enter"])
    assert not handle.is_visible()
    page.keyboard.press("Home")
    press(page, ["Enter"])
    box = slider.bounding_box()
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    page.wait_for_timeout(UNSEEN)
    page.click("#slider-send")
    settle(page, 3)
    (first, by), (second, _), (third, _) = program.stored("Sly")

    assert (first, by, second) == (0.35, "slider", -1.0)
    assert third == pytest.approx(0.5, abs=0.06)
    page.context.close()


def test_undo_edit_and_reload(chromium, program):
    page = open_page(chromium, program, "Una")
    first = names(page)
    press(page, "9")
    settle(page, 1)
    second = names(page)
    press(page, ["Backspace"])
    assert names(page) == first
    settle(page, 0)
    press(page, "9")
    assert names(page) == second
    settle(page, 1)
    go(page, "history")
    page.locator("#history select").first.select_option("-0.5")
    page.wait_for_selector("#history >> text=edited")
    assert program.stored("Una") == [(-0.5, "key")]
    page.reload()
    page.wait_for_selector("#page[data-ready]")

    assert names(page) == second
    assert page.problems == []
    page.context.close()


def test_bad_items_and_reasons(chromium, program):
    page = open_page(chromium, program, "Bo")
    left, right = names(page)
    page.click("[data-do=why]")
    assert "Asked because" in page.inner_text("#why")
    page.keyboard.press("x")
    page.wait_for_timeout(UNSEEN)
    page.click("#bad-right")
    page.wait_for_selector(f"#last >> text={left}")

    assert program.stored("Bo", "left_id, kind") == [(right, "bad item")]
    page.context.close()


def test_items_are_sorted_into_piles(chromium, program):
    page = open_page(chromium, program, "Pat")
    page.keyboard.press("p")
    page.wait_for_selector("#unsorted .item")
    items = page.locator("#unsorted .item .item-name").all_inner_texts()
    assert len(items) == 8
    assert page.inner_text("#question") == "Which of these belong together?"
    page.wait_for_timeout(UNSEEN)
    for key in ("1", "1", "2", "2", "Backspace", "9", "ArrowRight", "0"):
        page.keyboard.press(key)  # a pile beyond the next one is the next one
    zones = page.locator("#piles .zone")
    page.locator("#unsorted .item").first.drag_to(zones.nth(1))
    page.locator("#unsorted .item").first.click()
    zones.nth(3).locator(".zone-name").click()
    assert page.inner_text("#piles-state") == "6 sorted, 2 left"
    page.keyboard.press("Enter")
    settle(page, 15)
    rows = program.stored("Pat", "grade, input, answer")
    assert {(abs(grade), by) for grade, by, _ in rows} == {(0.75, "piles")}
    assert len({answer for *_, answer in rows}) == 1
    assert sum(grade > 0 for grade, *_ in rows) == 2
    page.wait_for_selector("#unsorted .item")
    page.keyboard.press("Backspace")
    settle(page, 0)
    again = page.locator("#unsorted .item .item-name").all_inner_texts()
    assert set(again) < set(items)
    page.keyboard.press("p")
    press(page, "9")
    settle(page, 1)

    assert program.stored("Pat") == [(1.0, "key")]
    assert page.problems == []
    page.context.close()


def test_the_live_model_and_the_report(chromium, program):
    page = open_page(chromium, program, "Liv")
    for _ in range(24):
        one, other = (int(name[1:]) for name in names(page))
        press(page, "9" if one % 2 == other % 2 else "1")
    settle(page, 24)
    go(page, "clusters")
    page.wait_for_selector("#cards .card", timeout=120_000)
    assert page.locator("#cards .card").count() == 2
    assert "Map of 60 items" in page.get_attribute("#large-map", "aria-label")
    page.locator("#cards input:not([type])").first.fill("light wines")
    page.keyboard.press("Enter")
    page.wait_for_selector("#large-legend >> text=light wines")
    for mark in page.locator("#cards input[type=checkbox]").all():
        mark.check()
    page.click("#merge")
    page.wait_for_selector("#unsorted .item")
    assert page.locator("#unsorted .item").count() == 8
    page.keyboard.press("p")
    go(page, "finish")
    page.click("#write-report")
    page.wait_for_selector("#report-state a", timeout=120_000)
    with page.expect_popup() as popup:
        page.click("#report-state a")
    report = popup.value
    report.wait_for_load_state()

    assert "60 rows in 2 clusters" in report.content()
    assert "light wines" in report.content()
    assert (program.database.parent / "wines-report" / "memberships.csv").exists()
    page.context.close()


def test_two_graders_do_not_see_each_other(chromium, start, tmp_path):
    program = start(make_table(tmp_path))
    ann = open_page(chromium, program)
    press(ann, "999999")
    settle(ann, 6)
    bob = open_page(chromium, program)
    bob.click("#who")
    bob.fill("#name-text", "Bob")
    bob.click("#name-dialog [value=save]")
    bob.wait_for_function("() => document.getElementById('who').textContent === 'Bob'")
    settle(bob, 0)
    go(bob, "history")
    bob.wait_for_selector("#history >> text=not answered yet")
    go(bob, "graders")
    bob.wait_for_selector("#graders >> text=No pair has been graded by two people")
    go(bob, "grade")
    press(bob, "111111")
    settle(bob, 6)
    go(bob, "graders")
    bob.wait_for_selector("#graders >> text=95 % interval")

    disputes = bob.locator("#graders .scroll").nth(1).inner_text()
    said = "Ann clearly together (1.00), you clearly apart (-1.00)"
    assert disputes.count(said) == 2
    ann.context.close()
    bob.context.close()


def test_a_killed_server_loses_nothing(chromium, start, tmp_path):
    table = make_table(tmp_path)
    program = start(table)
    page = open_page(chromium, program)
    press(page, "19283746")
    settle(page, 8)
    program.end(signal.SIGKILL)
    page.wait_for_timeout(UNSEEN)
    page.keyboard.press("9")
    page.wait_for_selector("#banner:not([hidden])")
    assert "not stored yet" in page.inner_text("#banner")
    with table.open("a") as file:
        file.write("W60,0.5,clay\n")
    again = start(table)
    fresh = open_page(chromium, again)
    assert fresh.inner_text("#changes") == (
        "The data are not those that were judged: it had 60 rows and has now 61."
    )
    settle(fresh, 8)
    press(fresh, "9")
    settle(fresh, 9)

    assert [GRADES[key] for key in "192837469"] == [g for g, _ in again.stored()]
    page.context.close()
    fresh.context.close()


def test_a_locked_store_is_said_and_the_answer_kept(chromium, start, tmp_path):
    program = start(make_table(tmp_path))
    page, reader = (open_page(chromium, program, who) for who in ("Ann", "Bob"))
    with closing(sqlite3.connect(program.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        reader.click("#views [data-view=history]")
        page.wait_for_timeout(UNSEEN)
        page.keyboard.press("9")
        page.wait_for_selector("#banner >> text=not stored yet")
        blank = chromium.new_page()
        blank.goto(program.address)
        for waiting in (blank, reader):
            waiting.wait_for_selector("#banner >> text=is locked by another program")
        other.execute("ROLLBACK")
    settle(page, 1)
    blank.wait_for_selector("#page[data-ready]")
    assert program.stored() == [(1.0, "key")]
    for each in (page, reader):
        each.wait_for_selector("#banner", state="hidden")
        each.context.close()
    blank.close()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"color_scheme": "dark"},
        {"viewport": {"width": 390, "height": 844}, "has_touch": True},
        {"viewport": {"width": 640, "height": 400}},  # 1280 x 800 at 200 %
        {"reduced_motion": "reduce", "forced_colors": "active"},
    ],
    ids=["light", "dark", "phone", "zoomed", "reduced"],
)
def test_everyone_can_use_it(chromium, program, options):
    who = f"Eve {sorted(options)}"
    page = open_page(chromium, program, who, bypass_csp=True, **options)
    press(page, "198")
    settle(page, 3)
    page.add_script_tag(path=AXE)
    for view in VIEWS:
        go(page, view)
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, view
        found = page.evaluate("axe.run()")["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in found] == [], view
    go(page, "grade")
    page.keyboard.press("p")
    page.wait_for_selector("#unsorted .item")
    page.keyboard.press("1")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate("axe.run()")["violations"] == []
    page.keyboard.press("?")
    assert page.evaluate("axe.run()")["violations"] == []
    page.context.close()


def test_keys_alone_reach_everything(chromium, program):
    page = open_page(chromium, program, "Kay")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(
            "document.activeElement.id || document.activeElement.dataset.view"
            " || document.activeElement.dataset.do || document.activeElement.className"
        ))  # fmt: skip
    assert {*VIEWS, "slider", "skip", "bad", "undo", "zoom", "who"} <= reached
    page.focus("[data-view=history]")
    page.keyboard.press("Enter")
    page.wait_for_selector("main > section[data-view=history]:not([hidden])")
    page.keyboard.press("?")
    page.wait_for_selector("#help-dialog[open]")
    page.keyboard.press("Escape")

    assert not page.locator("#help-dialog").is_visible()
    page.context.close()


def payloads():
    """Texts that run as scripts where a page does not escape them."""
    tags = [
        "<script>{0}</script>",
        "<img src=x onerror={0}>",
        "<svg onload={0}>",
        "<svg><script>{0}</script></svg>",
        "<body onload={0}>",
        "<iframe src=javascript:{0}>",
        "<a href=javascript:{0}>x</a>",
        "<details open ontoggle={0}>",
        "<video><source onerror={0}>",
        "<input autofocus onfocus={0}>",
        "<math><mtext><img src=x onerror={0}>",
        "<style>@import'x'</style><img src=x onerror={0}>",
        "<object data=javascript:{0}>",
        "<marquee onstart={0}>",
        "<form><button formaction=javascript:{0}>x",
        "</td></tr></table><script>{0}</script>",
        "</textarea><script>{0}</script>",
        "--><script>{0}</script>",
        "{{{{constructor.constructor('{0}')()}}}}",
        "${{{0}}}",
    ]
    around = ["{}", "x{}", '">{}', "'>{}", "]]>{}", "</title>{}", "</script>{}"]
    around += ["\\u003c{}", "&lt;{}", "javascript:{}"]
    return [w.format(tag.format("window.hit=1")) for tag in tags for w in around]


def test_no_text_of_the_data_is_run(chromium, start, tmp_path):
    texts = payloads()
    assert len(texts) >= 200

    def quoted(text):
        return '"' + text.replace('"', '""') + '"'

    path = tmp_path / "hostile.csv"
    rows = [
        f"{quoted(f'{n} {text}')},{n % 7},{quoted(text)},{quoted(text)}"
        for n, text in enumerate(texts)
    ]
    write_table(path, rows, f"name,acid,{quoted(texts[0])},notes")
    program = start(path, "--text", "notes")
    page = open_page(chromium, program)
    dialogs = []
    page.on("dialog", lambda dialog: dialogs.append(dialog) or dialog.dismiss())
    page.evaluate(
        """async (texts) => {
            const { show } = await import("/static/pair.js");
            const headers = { "content-type": "application/json" };
            const send = async (path, given) => {
                const body = JSON.stringify({ annotator: "Ann", ...given });
                return (await fetch(path, { method: "POST", headers, body })).json();
            };
            for (let n = 0; n < texts.length; n += 2) {
                const ends = { left: n, right: n + 1 };
                const { next } = await send("/api/again", ends);
                show(next[0]);
                await send("/api/answer", { ...ends, grade: n % 4 ? 1 : -1 });
            }
            for (const annotator of texts.map(text => text.slice(0, 60))) {
                await send("/api/answer", { annotator, left: 0, right: 1, grade: 0.5 });
            }
        }""",
        texts,
    )
    page.keyboard.press("p")
    page.wait_for_selector("#unsorted .item")
    page.keyboard.press("1")
    go(page, "clusters")
    page.wait_for_selector("#cards .card", timeout=120_000)
    page.locator("#cards input:not([type])").first.fill(texts[1])
    page.keyboard.press("Enter")
    page.wait_for_selector("#large-legend >> text=window.hit")
    for view in VIEWS:
        go(page, view)
        page.wait_for_timeout(300)
    page.click("#write-report")
    page.wait_for_selector("#report-state a", timeout=120_000)
    # The report without the policy that the page sends with it.
    report = chromium.new_page()
    report.on("dialog", lambda dialog: dialogs.append(dialog) or dialog.dismiss())
    report.goto((tmp_path / "hostile-report" / "report.html").as_uri())
    report.wait_for_timeout(500)

    for seen in (page, report):
        assert seen.evaluate("window.hit") is None
        assert seen.locator("[onerror], [onload], iframe, object, marquee").count() == 0
    assert dialogs == []
    assert not [p for p in page.problems if re.search("Content Security", p)]
    page.context.close()
    report.context.close()
