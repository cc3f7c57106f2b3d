"""A grader in a notebook: without a front end, and in JupyterLab."""

import asyncio
import importlib.util
import json
import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest

from browsers import find_chromium
from fuzzypairs import Grader
from fuzzypairs.labelling.notebook import read_files, request


@pytest.fixture
def data(table):
    return table


def test_judgements_and_clusters_of_a_grader(data, tmp_path):
    options = {"id": "name", "text": "notes", "n_clusters": 2, "question": "One soil?"}
    with Grader(data, store=tmp_path / "a.db", **options) as grader:
        for _ in range(12):
            asked = grader.service.next("me")[0]
            grade = 0.75 if asked.left % 2 == asked.right % 2 else -0.75
            grader.service.answer("me", asked.left, asked.right, grade=grade)
        assert len(grader.pairs) == 12
        assert grader.service.question == "One soil?"
        result = grader.result
        assert repr(grader).endswith("; 12 judgements>")
    with Grader(data, store=tmp_path / "a.db", **options) as again:
        assert again.pairs == result.rows.pairs

    labels = result.memberships["label"].to_numpy()
    assert len(set(labels[::2])) == len(set(labels[1::2])) == 1


def test_judgements_without_a_file_are_kept_until_the_end():
    grader = Grader(np.eye(4))
    database = grader.service.store.path
    grader.service.answer("me", 0, 1, grade=1.0)
    assert len(grader.pairs) == 1
    grader.close()
    assert not database.exists()


def test_what_cannot_be_read_leaves_nothing_open(tmp_path):
    with pytest.raises(ValueError, match="question"):
        Grader(np.eye(4), question=" ", store=tmp_path / "a.db")
    os.rename(tmp_path / "a.db", tmp_path / "b.db")


def test_requests_are_answered_without_a_server(data):
    anywidget = pytest.importorskip("anywidget", reason="notebook: no anywidget")
    with Grader(data, id="name") as grader:
        widget, sent = grader.widget, []
        widget.send = lambda head, buffers=(): sent.append((head, buffers))
        assert isinstance(widget, anywidget.AnyWidget)
        assert widget is grader.widget
        body = {"annotator": "me", "left": 0, "right": 2, "grade": 0.5, "key": "k"}
        asked = [("/api/about", None), ("/api/answer", body), ("/picture/99", None)]
        for number, (path, given) in enumerate(asked):
            message = {"id": number, "path": path, "body": given}
            widget._handle_custom_msg(message, [])
        until = time.monotonic() + 30
        while {0, 1, 2} - {h.get("id") for h, _ in sent} and time.monotonic() < until:
            time.sleep(0.01)
        replies = {head["id"]: (head, data) for head, data in sent if "id" in head}

        assert [replies[n][0]["status"] for n in range(3)] == [200, 200, 404]
        assert json.loads(replies[0][1][0])["n_rows"] == 40
        assert replies[0][0]["type"] == "application/json"
        assert grader.pairs.grade.tolist() == [0.5]


def test_a_request_is_one_of_http():
    async def app(scope, receive, send):
        told = [scope["method"], scope["path"], scope["query_string"].decode()]
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": 207, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(told).encode()})
        await send({"type": "http.response.body", "body": body})

    reply = asyncio.run(request(app, "/a/b?c=d%20e", {"n": 1}))
    assert reply == (207, "", b'["POST", "/a/b", "c=d%20e"]{"n": 1}')


def test_the_files_of_the_page_come_along():
    texts = read_files()
    imported = {
        name
        for text in texts.values()
        for name in re.findall(r'from "\./(\w+\.js)"', text)
    }

    assert imported <= texts.keys()
    assert "<script" not in texts["page.html"]
    assert texts["page.html"].count('id="page"') == 1


CELLS = (
    "from fuzzypairs import Grader\n"
    "grader = Grader('wines.csv', id='name', n_clusters=2)\ngrader",
    "grader.pairs",
    "grader.close()",
)


@pytest.fixture
def jupyter(data, tmp_path):
    """The address of a JupyterLab with a notebook about the table."""
    if importlib.util.find_spec("jupyterlab") is None:
        pytest.skip("notebook: no JupyterLab")
    pytest.importorskip("anywidget", reason="notebook: no anywidget")
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "outputs": [],
         "execution_count": None, "source": text}
        for n, text in enumerate(CELLS)
    ]  # fmt: skip
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    book = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "book.ipynb").write_text(json.dumps(book), encoding="utf-8")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0"]
    command += ["--allow-root", "--ServerApp.ip=127.0.0.1"]
    environment = {name: str(tmp_path / name) for name in (
        "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"
    )}  # fmt: skip
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    try:
        for line in process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:\d+/lab\?token=\w+", line):
                break
        base, _, token = found.group().partition("/lab?")
        yield f"{base}/lab/tree/book.ipynb?{token}"
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_grading_in_jupyterlab(jupyter):
    api, path = find_chromium()
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(120_000)
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(jupyter)
        cell = page.locator(".jp-CodeCell")
        cell.first.locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_selector("#page[data-ready]")
        page.locator("#pair thead").click()
        for number, key in enumerate("9182", start=1):
            page.wait_for_timeout(200)
            page.keyboard.press(key)
            page.wait_for_selector(f"#progress >> text={number} judged")
        page.keyboard.press("p")
        page.wait_for_selector("#unsorted .item")
        page.keyboard.press("p")
        page.click("#views [data-view=clusters]")
        page.wait_for_selector("#cards .card")
        assert page.locator("#views button").count() == 3
        assert cell.count() == 3  # no key was for the notebook
        cell.nth(1).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_selector(".jp-OutputArea-output >> text=PairSet(4 pairs")
        assert problems == []
        browser.close()
