"""`fuzzypairs label` as a user starts and ends it."""

import http.cookiejar
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from commands import DATA, answers, put, run
from fuzzypairs import PairSet
from fuzzypairs.cli.label import read_labelling
from fuzzypairs.cli.options import ReadingOptions
from fuzzypairs.labelling.fitting import FitTask, fit_once
from fuzzypairs.labelling.stored_judgements import StoredJudgements


@pytest.fixture
def start():
    """Start the command, and return its process and the address it prints."""
    running = []

    def start(*arguments):
        command = [sys.executable, "-m", "fuzzypairs", "label", "--no-browser"]
        process = subprocess.Popen(
            [*command, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        running.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in running:
        process.kill()
        process.communicate()


def browser():
    jar = http.cookiejar.CookieJar()
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))


def test_from_a_table_to_a_stored_judgement(start, tmp_path):
    data = tmp_path / "data.csv"
    put(data, DATA)
    process, address = start(data, "--id", "id", "--annotator", "Ann")
    match = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/\?token=[\w-]{43}", address)
    site, client = match[1], browser()

    page = client.open(address)
    assert page.url == f"{site}/"
    assert "fuzzypairs" in page.read().decode()
    pair = json.load(client.open(f"{site}/api/next?annotator=Ann"))["next"][0]
    body = {"annotator": "Ann", "grade": 0.5}
    body |= {side: pair[side]["row"] for side in ("left", "right")}

    def send(**others):
        request = urllib.request.Request(
            f"{site}/api/answer",
            json.dumps(body | others).encode(),
            {"content-type": "application/json", "origin": site},
        )
        return json.load(client.open(request, timeout=60))

    # An answer that cannot be stored stops neither the next one nor Ctrl-C.
    with pytest.raises(urllib.error.HTTPError, match="400"):
        send(seconds=2**63)
    assert send()["event"] == 1
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    output, errors = process.communicate(timeout=60)

    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert "All judgements are in" in errors
    assert "token" not in output + errors
    pairs = PairSet.from_store(tmp_path / "data.db", ids=list("abcdef"))
    assert pairs.grade.tolist() == [0.5]


def test_idle_connections_lock_nobody_out(start, tmp_path):
    put(tmp_path / "data.csv", DATA)
    _, address = start(tmp_path / "data.csv", "--id", "id")
    peer = urllib.parse.urlsplit(address)
    with ExitStack() as stack:
        idle = [
            stack.enter_context(socket.create_connection((peer.hostname, peer.port)))
            for _ in range(520)
        ]
        client = browser()
        assert client.open(address, timeout=60).status == 200
        for _ in range(600):
            closed = select.select(idle, [], [], 0)[0]
            if len(closed) >= 500:
                break
            time.sleep(0.1)
        assert len(closed) >= 500


def make_german(path):
    rows = [f"Straße {n};{n / 7:.2f}".replace(".", ",") for n in range(30)]
    path.write_text("\n".join(["Name;Preis", *rows]), encoding="cp1252")


def make_gaps(path):
    acid = ["" if n % 4 == 0 else f"{n / 7:.1f}" for n in range(30)]
    soil = [("clay", "n/a", "sand")[n % 3] for n in range(30)]
    rows = [f"A{n},{acid[n]},{soil[n]}" for n in range(30)]
    path.write_text("\n".join(["name,acid,soil", *rows]), encoding="utf-8")


def make_book(path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"name": list("abcdef"), "acid": range(6)})
    frame.to_excel(path, index=False)


@pytest.mark.parametrize(
    ("name", "make"),
    [("german.csv", make_german), ("gaps.csv", make_gaps), ("book.xlsx", make_book)],
)
def test_a_file_alone_is_enough_for_the_first_pair(start, tmp_path, name, make):
    make(tmp_path / name)
    process, address = start(tmp_path / name)
    client = browser()
    client.open(address)
    site = address.partition("/?")[0]
    pair = json.load(client.open(f"{site}/api/next?annotator=Ann"))["next"][0]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert len(pair["cells"]) >= 2
    assert "Warning" not in errors  # what was guessed is said in a sentence
    if name == "german.csv":
        assert "decimal commas" in errors


def test_mistakes_are_answered_by_a_sentence(tmp_path):
    put(tmp_path / "data.csv", DATA)
    assert answers(run("label"), "name a DATA file, or try --demo")
    assert answers(run("label", tmp_path / "data.csv", "--demo"), "or try --demo")
    assert answers(run("label", tmp_path / "none.csv"), "does not exist")
    assert answers(
        run("label", tmp_path / "data.csv", "--image", "photo"), "no column 'photo'"
    )
    assert answers(
        run("label", tmp_path / "data.csv", "--id", "id", "--image", "kind"),
        "none of 6 pictures is in",
    )  # fmt: skip


def test_help_says_what_another_host_means():
    words = run("label", "--help").output.replace("│", " ").split()

    assert "everyone who can reach this machine" in " ".join(words)


KIND = np.arange(60) % 2


def make_table(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)) + 2 * KIND[:, None], columns=[*"xyz"])
    frame.insert(0, "id", [f"r{row}" for row in range(60)])
    frame.to_csv(folder / "data.csv", index=False)
    return folder / "data.csv", {"id_column": "id"}


def make_texts(folder):
    texts = [f"{('late train', 'cold soup')[k]} no. {n}" for n, k in enumerate(KIND)]
    pd.DataFrame({"text": texts, "z": range(60)}).to_csv(folder / "data.csv")
    return folder / "data.csv", {"text": "text", "features": "tfidf"}


def make_pictures(folder):
    rng = np.random.default_rng(0)
    (folder / "data").mkdir()
    for row, kind in enumerate(KIND):
        grey = rng.integers(0, 99, (24, 24), dtype=np.uint8) + 120 * np.uint8(kind)
        Image.fromarray(grey).save(folder / "data" / f"{row:02}.png")
    return folder / "data", {}


def make_text_alone(folder):
    path, told = make_texts(folder)
    pd.read_csv(path)[["text"]].to_csv(path, index=False)
    return path, told


def make_array(folder):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 6)) + 3 * np.array(KIND)[:, None]
    np.save(folder / "data.npy", values)
    return folder / "data.npy", {}


@pytest.mark.parametrize(
    "make", [make_table, make_texts, make_text_alone, make_pictures, make_array]
)
def test_the_report_is_of_the_live_model_and_that_of_fit(tmp_path, make):
    data, told = make(tmp_path)
    reading = ReadingOptions(**told)
    labelling = read_labelling(data, reading, n_clusters=2, database=None)
    with ExitStack() as stack:
        service = labelling.open(stack, None, "Ann", list, fits=False)
        for _ in range(40):
            asked = service.next("Ann", 1)[0]
            grade = 0.9 if KIND[asked.left] == KIND[asked.right] else -0.9
            service.answer("Ann", asked.left, asked.right, grade=grade)
        catalogue = service.catalogue
        service.store.name_cluster(catalogue.ids[7], "sevens", [])
        service.model.write_report()
        live = fit_once(
            FitTask(labelling.rows.X.to_numpy(), pd.DataFrame(index=range(60)), (), 2),
            StoredJudgements(labelling.database, list(catalogue.ids))(),
            None,
        )
    command = ["fit", data, "--clusters", 2, "--pairs", tmp_path / "data.db"]
    for name, value in told.items():
        command += ["--" + name.removesuffix("_column"), value]
    run(*command, "--out", tmp_path / "fit")
    written = [
        pd.read_csv(tmp_path / folder / "memberships.csv")
        for folder in ("data-report", "fit")
    ]

    assert written[0].equals(written[1])
    assert written[0]["cluster"][7] == "sevens"
    assert written[0]["cluster"].nunique() == 2
    shares = written[0].filter(like="cluster_")
    np.testing.assert_allclose(shares, live.memberships, atol=1e-6)
    summary = json.loads((tmp_path / "data-report" / "summary.json").read_text())
    assert summary["judgements"]["given"] == 40
    assert summary["verdict"]["sentences"] == list(live.verdict.sentences)
    new = tmp_path / "new.csv"
    model = tmp_path / "data-report" / "model.skops"
    result = run("predict", model, data, "--out", new)
    assert result.exit_code == 0, result.output
    assert pd.read_csv(new)["label"].isin([0, 1]).all()
