"""Routes, and who may call them."""

import asyncio
import itertools
import json
import sqlite3
from contextlib import closing
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from fuzzypairs.labelling.guard import HEADERS, Limits, Secrets, host_names
from fuzzypairs.labelling.service import Service
from fuzzypairs.labelling.serving import Unknown
from fuzzypairs.labelling.store import Store
from fuzzypairs.labelling.web import build_app, build_routes, changes_of

HOST = "127.0.0.1:8000"
SECRETS = Secrets("t" * 43, "c" * 43)
COOKIE = f"fuzzypairs={SECRETS.cookie}"
WRITE = {"origin": f"http://{HOST}", "content-type": "application/json"}


@pytest.fixture
def service(catalogue, tmp_path):
    def finish(judged, numbers):
        folder = tmp_path / "report"
        folder.mkdir(exist_ok=True)
        (folder / "report.html").write_text(f"<p>{len(judged.pairs)} judgements</p>")
        (folder / "secret.txt").write_text("secret")
        return folder

    with Store(tmp_path / "wines.db") as store:
        yield Service(catalogue, store, finish=finish)


def connect(service, *, cookie=COOKIE, host=HOST, **options):
    app = build_app(service, host_names(8000), SECRETS, **options)
    client = TestClient(app, base_url=f"http://{host}", follow_redirects=False)
    if cookie:
        client.headers["cookie"] = cookie
    return client


@pytest.fixture
def client(service):
    return connect(service)


def post(client, path, headers=WRITE, **body):
    return client.post(path, json=body, headers=headers)


def grade(client, pair, value=0.75, **others):
    ends = {"left": pair["left"]["row"], "right": pair["right"]["row"]}
    return post(client, "/api/answer", annotator="Ann", grade=value, **ends, **others)


def upcoming(client):
    return client.get("/api/next", params={"annotator": "Ann"}).json()["next"]


def test_a_session_over_http(client, service):
    first, second, _ = upcoming(client)
    receipt = grade(client, first, input="key", seconds=1.5, key="k1")
    again = grade(client, first, input="key", seconds=1.5, key="k1")

    assert receipt.status_code == 200
    assert receipt.json()["event"] == again.json()["event"] == 1
    assert receipt.json()["next"][0]["left"] == second["left"]
    (answer,) = service.store.answers()
    assert (answer.grade, answer.seconds, answer.input) == (0.75, 1.5, "key")
    undone = post(client, "/api/undo", annotator="Ann").json()
    assert undone["pair"]["left"] == first["left"]
    assert undone["next"][0]["left"] == first["left"]
    number = grade(client, first).json()["event"]
    edit = {"annotator": "Ann", "event": number, "grade": -1}
    assert post(client, "/api/edit", **edit).json() == {}
    (entry,) = client.get("/api/history?annotator=Ann").json()
    assert (entry["grade"], entry["edited"]) == (-1, True)
    ends = {"left": 0, "right": 1}
    asked = post(client, "/api/again", annotator="Ann", **ends).json()["next"][0]
    assert {asked["left"]["row"], asked["right"]["row"]} == {0, 1}
    assert client.get("/api/agreement?annotator=Ann").json()["alpha"] is None
    assert client.get("/api/state?annotator=Ann").json()["progress"]["graded"] == 1
    assert client.get("/api/about").json()["n_rows"] == 40
    exported = client.get("/api/export")
    assert exported.text.splitlines()[0].startswith("a,b,grade,annotator")
    assert "attachment" in exported.headers["content-disposition"]


def test_a_locked_store_is_said_and_the_answer_kept(client, service, monkeypatch):
    monkeypatch.setattr("fuzzypairs.labelling.web.STORED_WITHIN", 1.0)
    first, _, _ = upcoming(client)
    service.store.read("PRAGMA busy_timeout = 100")
    with closing(sqlite3.connect(service.store.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        refused = grade(client, first, key="k")
        unread = client.get("/api/next", params={"annotator": "Bob"})
        other.execute("ROLLBACK")
    stored = grade(client, first, key="k")

    for answer in (refused, unread):
        assert answer.status_code == 500
        assert "wines.db is locked by another program" in answer.json()["error"]
    assert stored.json()["event"] == 1
    assert len(service.store.answers()) == 1
    assert service.store.problem == ""
    assert client.get("/api/next", params={"annotator": "Bob"}).is_success


def test_the_report_is_served_by_name(client):
    assert client.get("/report/report.html").status_code == 404
    assert post(client, "/api/report").is_success
    page = client.get("/report/report.html")

    assert page.text == "<p>0 judgements</p>"
    assert "sandbox" in page.headers["content-security-policy"]
    assert client.get("/report/secret.txt").status_code == 404
    assert client.get("/report/summary.json").status_code == 404


def test_the_token_becomes_a_cookie_and_leaves_the_address(service):
    client = connect(service, cookie="")
    answer = client.get(f"/?token={SECRETS.token}")

    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert SECRETS.token not in cookie
    assert client.get("/").status_code == 200  # the client keeps cookies
    other = connect(service, cookie="")
    for token in (
        "",
        "x",
        SECRETS.cookie,
        SECRETS.token[:-1],
        SECRETS.token + "t",
        "é",
    ):
        assert other.get("/", params={"token": token}).status_code == 403
    assert other.get(f"/?token={SECRETS.token}&token=x").status_code == 403
    assert other.get(f"/api/about?token={SECRETS.token}").status_code == 403


def test_secrets_are_long_and_new():
    one, other = Secrets(), Secrets()

    assert len({one.token, one.cookie, other.token, other.cookie}) == 4
    assert len(one.token) == 43  # 256 bits in base 64


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "fuzzypairs=",
        "fuzzypairs=x",
        f"other={SECRETS.cookie}",
        f"fuzzypairs={SECRETS.token}",
        f"{COOKIE}; {COOKIE}",
        f"FUZZYPAIRS={SECRETS.cookie}",
        SECRETS.cookie,
    ],
)
def test_no_route_answers_without_the_cookie(service, cookie):
    client = connect(service, cookie=cookie)
    routes = build_routes(service)
    assert len(routes) >= 17
    for route in routes:
        path = route.path.replace("{name}", "page.js").replace("{row:int}", "0")
        for method in {*route.methods, "GET", "POST", "PUT", "DELETE", "OPTIONS"}:
            answer = client.request(method, path, headers=WRITE, content="{}")
            assert answer.status_code in (401, 403), (method, path)
    assert client.get("/nowhere").status_code == 403
    assert service.store.answers() == []


def test_every_answer_has_the_headers(client):
    for path in ("/", "/static/page.js", "/nowhere", "/api/next", "/picture/0"):
        headers = client.get(path).headers
        for name in HEADERS:
            assert name in headers, (path, name)
    policy = client.get("/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")


HOSTS = [
    "evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8001",
    "localhost", "localhost:80", "127.0.0.1:8000.evil.example", "127.0.0.1.nip.io:8000",
    "127.0.0.2:8000", "0.0.0.0:8000", "0:8000", "2130706433:8000", "0x7f000001:8000",
    "localhost.:8000", "localhost:8000:8000", "localhost:8000/", "a@127.0.0.1:8000",
    "[::1]", "[::ffff:127.0.0.1]:8000", "127.1:8000", "", " ", "127.0.0.1:8000, x",
]  # fmt: skip
ORIGINS = [
    None, "null", "", "http://evil.example", "https://127.0.0.1:8000",
    "http://127.0.0.1", "http://127.0.0.1:8001", "http://localhost:8000",
    "http://127.0.0.1:8000.evil.example", "http://127.0.0.1:8000/", "file://",
    "http://[::1]:8000", "http://user@127.0.0.1:8000", "127.0.0.1:8000",
    "http://127.0.0.1:8000 ", "http://evil.example/http://127.0.0.1:8000",
]  # fmt: skip


def test_foreign_hosts_get_nothing(service):
    client = connect(service)
    for host in HOSTS:
        assert client.get("/", headers={"host": host}).status_code == 403, host
        assert (
            client.get(f"/?token={SECRETS.token}", headers={"host": host}).status_code
            == 403
        )
    for host in ("localhost:8000", "LOCALHOST:8000", "[::1]:8000", HOST):
        assert client.get("/", headers={"host": host}).status_code == 200, host
    twice = [("host", HOST), ("host", "evil.example")]
    assert client.get("/", headers=twice).status_code == 403


def test_foreign_origins_cannot_write(client, service):
    assert len(HOSTS) + len(ORIGINS) >= 40
    body = {"annotator": "Ann", "left": 0, "right": 1, "grade": 1}
    for origin in ORIGINS:
        headers = {
            k: v for k, v in (WRITE | {"origin": origin}).items() if v is not None
        }
        # A client strips blanks around a value; the raw application would not see them.
        if origin is not None and origin != origin.strip():
            continue
        answer = client.post("/api/answer", json=body, headers=headers)
        assert answer.status_code == 403, origin
    for site in ("cross-site", "same-site", "none", "x"):
        headers = WRITE | {"sec-fetch-site": site}
        assert client.post("/api/answer", json=body, headers=headers).status_code == 403
    for site in ("cross-site", "same-site", "x"):
        assert client.get("/", headers={"sec-fetch-site": site}).status_code == 403
    form = "application/x-www-form-urlencoded"
    for kind in ("text/plain", form, "application/json; charset=utf-8", ""):
        headers = WRITE | {"content-type": kind}
        answer = client.post("/api/answer", content=json.dumps(body), headers=headers)
        assert answer.status_code == 415, kind
    assert service.store.answers() == []


def raw_get(app, path):
    """Ask for a path as it is: clients would tidy it up."""
    scope = {
        "type": "http", "method": "GET", "path": unquote(path, errors="replace"),
        "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "headers": [(b"host", HOST.encode()), (b"cookie", COOKIE.encode())],
    }  # fmt: skip
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(m.get("body", b"") for m in sent)


def test_no_path_leads_out(client, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    steps = ["..", "%2e%2e", "..%2f", "%2e%2e%2f", "....", ".%2e", "%252e%252e", "..;",
             "..\\", "..%5c", "%c0%ae%c0%ae", "\0", "%00", "~", "//", "C:"]  # fmt: skip
    ends = ["secret.txt", "etc/passwd", "page.js", "web.py", "wines.db", ".", ""]
    ends += ["index.html%00", "%2fetc%2fpasswd", "..%2f..%2fsecret.txt"]
    roots = ["/static/", "/report/", "/picture/"]
    paths = [r + s + "/" + e for r, s, e in itertools.product(roots, steps, ends)]
    assert len(paths) >= 300
    for path in paths:
        status, body = raw_get(client.app, path)
        assert status in (400, 404), path
        assert b"secret" not in body
    assert raw_get(client.app, "/static/page.css")[0] == 200
    for row in ("-1", "40", "999999999999999999999", "0x0", "1e1", "a"):
        assert client.get(f"/picture/{row}").status_code == 404


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/answer", {}),
        ("/api/answer", {"annotator": "Ann", "left": 0}),
        ("/api/answer", {"annotator": 5, "left": 0, "right": 1, "grade": 1}),
        ("/api/answer", {"annotator": "Ann", "left": 0, "right": 1, "grade": [1]}),
        ("/api/answer", {"annotator": "Ann", "left": "0", "right": 1, "grade": 1}),
        ("/api/answer", {"annotator": "\ud800", "left": 0, "right": 1, "grade": 1}),
        ("/api/answer", {"annotator": "A", "left": 0, "right": 1, "kind": ["graded"]}),
        *(
            (
                "/api/answer",
                {"annotator": "A", "left": 0, "right": 1, "grade": 1, **odd},
            )
            for odd in (
                {"seconds": 2**63},
                {"seconds": float("nan")},
                {"seconds": float("-inf")},
                {"seconds": -1},
                {"seconds": "1"},
                {"input": None},
                {"key": "\ud800"},
            )
        ),
        ("/api/edit", {"annotator": "Ann", "event": 7, "grade": 1}),
        ("/api/edit", {"annotator": "Ann", "event": 10**30, "grade": 1}),
        ("/api/edit", {"annotator": "Ann", "event": "1", "grade": 1}),
        ("/api/undo", {}),
    ],
)
def test_senseless_requests_are_answered_by_a_sentence(client, service, path, body):
    answer = client.post(path, content=json.dumps(body), headers=WRITE)

    assert answer.status_code == 400
    assert answer.json()["error"]
    assert service.store.answers() == []


@pytest.mark.parametrize("content", ["", "no", "[]", "[" * 9000, b"\xff\xfe", "NaN"])
def test_bodies_that_are_no_objects(client, content):
    assert client.post("/api/undo", content=content, headers=WRITE).status_code == 400


def test_limits(service):
    client = connect(service, limits=Limits(body=200, address=100, rate=0.001, burst=5))
    pair = {"left": {"row": 0}, "right": {"row": 1}}
    large = json.dumps({"annotator": "A" * 500})

    assert client.get("/api/next?annotator=" + "a" * 99).status_code == 414
    assert client.post("/api/undo", content=large, headers=WRITE).status_code == 413

    def chunks():
        yield from (b" " * 50 for _ in range(20))

    assert client.post("/api/undo", content=chunks(), headers=WRITE).status_code == 413
    codes = [grade(client, pair).status_code for _ in range(6)]
    assert codes.count(200) == 4  # the chunks counted as one
    assert codes[-1] == 429


def test_connections_without_the_cookie_are_closed(monkeypatch):
    monkeypatch.setattr("fuzzypairs.labelling.serving.UNKNOWN_SECONDS", 0.05)
    monkeypatch.setattr("fuzzypairs.labelling.serving.MOST_UNKNOWN", 2)
    closed = []

    class Transport(asyncio.Transport):
        def abort(self):
            closed.append(self)

    ours, theirs = [Transport() for _ in range(2)], [Transport() for _ in range(3)]

    async def connect():
        unknown = Unknown()
        for place, transport in enumerate(ours):
            unknown.add(("::1", place), transport)
        for place, transport in enumerate(theirs):
            unknown.add(("10.0.0.5", place), transport)
        assert closed == theirs[:1]  # the oldest of that address
        unknown.remove(("::1", 0))  # it showed the cookie
        await asyncio.sleep(0.5)

    asyncio.run(connect())
    assert closed == [theirs[0], ours[1], *theirs[1:]]


def test_changes_are_sent(service):
    async def listen():
        changes = changes_of(service)
        first = await anext(changes)
        service.model.tell()
        second = await anext(changes)
        await changes.aclose()
        return first, second

    first, second = asyncio.run(listen())
    assert first == "event: change\ndata: 0\n\n"
    assert second == "event: change\ndata: 1\n\n"


def test_another_grader_is_given_the_address(client, service):
    token = client.get("/api/agreement?annotator=Ann").json()["token"]
    other = connect(service, cookie="")

    assert other.get("/api/about").status_code == 403
    assert other.get(f"/?token={token}").status_code == 303
    assert other.get("/api/about").status_code == 200


def test_what_a_program_said_instead_of_a_grade_is_shown(client, service):
    service.answer("gpt", 0, 1, kind="skipped", input="program", note="no number: hm")
    (note,) = client.get("/api/agreement?annotator=Ann").json()["notes"]

    assert (note["annotator"], note["note"]) == ("gpt", "no number: hm")
    assert note["left"]["row"] == 0


def test_piles_over_http(client, service):
    asked = client.get("/api/set?annotator=Ann").json()
    rows = [item["row"] for item in asked["items"]]
    body = {"annotator": "Ann", "piles": [rows[:2], rows[2:3]], "key": "k"}
    following = post(client, "/api/sort", **body).json()

    assert len(rows) == 8
    assert asked["items"][0]["cells"][0][0] == "acid"
    assert not {item["row"] for item in following["items"]} & set(rows[:3])
    assert [grade for *_, grade in service.pairs()].count(0.75) == 1
    assert post(client, "/api/sort", annotator="Ann", piles=[]).status_code == 200
    assert post(client, "/api/sort", annotator="Ann", piles=[[1]]).status_code == 400
    undone = post(client, "/api/undo", annotator="Ann").json()
    assert undone["pair"] is None
    assert {item["row"] for item in undone["set"]["items"]} == set(rows[:3])


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("clusters", {"annotator": "Ann", "n": 3}, "nothing is fitted"),
        ("clusters", {"annotator": "Ann", "n": 2.5e9}, "n_clusters is"),
        ("name", {"row": 0, "name": "red"}, "still being fitted"),
        ("sort-clusters", {"annotator": "Ann", "rows": [0]}, "still being fitted"),
        ("sort", {"annotator": "Ann", "piles": {"0": [1]}}, "piles is"),
        ("sort", {"annotator": "Ann", "piles": [[0, [1]]]}, "row is"),
    ],
)
def test_what_makes_no_sense_is_said(client, path, body, said):
    answer = post(client, f"/api/{path}", **body)

    assert answer.status_code == 400
    assert said in answer.json()["error"]
