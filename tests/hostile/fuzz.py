"""Fuzzing of readers and the page: ``python -m hostile.fuzz TARGET SECONDS``.

Run it in `tests`. With the extra `fuzz`, atheris chooses inputs by the code that they
reach; where it is not installed, seeds are mutated at random.
"""

import asyncio
import io
import json
import os
import random
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

atheris: Any = None
if __name__ == "__main__":  # tests import the targets alone
    with suppress(ImportError):
        import atheris
if atheris:
    # Atheris cannot follow modules that the finder of an editable install loads: the
    # sources are found by their path.
    sys.meta_path[:] = [x for x in sys.meta_path if "ScikitBuild" not in str(type(x))]
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
# This package alone is followed: all libraries would take minutes to prepare.
with atheris.instrument_imports(include=["fuzzypairs"]) if atheris else nullcontext():
    from fuzzypairs import FDC, load, save
    from fuzzypairs.exceptions import ModelFileError
    from fuzzypairs.labelling.catalogue import Catalogue
    from fuzzypairs.labelling.guard import Limits, Secrets, host_names
    from fuzzypairs.labelling.service import Service
    from fuzzypairs.labelling.store import Store
    from fuzzypairs.labelling.web import build_app
    from fuzzypairs.tables.pair_files import open_pairs
    from fuzzypairs.tables.table_files import prepare, read_items
    from hostile import commands, values

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))
# Errors by which a reader may refuse a file.
REFUSALS = (ValueError, TypeError, OSError, ImportError)


ENDINGS = (".csv", ".jsonl", ".tsv")
# A column takes milliseconds to prepare.
MOST_COLUMNS = 8


def table(data: bytes) -> None:
    """The reader of tables, and the preparation of their columns.

    The first byte stands for the ending of the file's name.
    """
    path = FOLDER / f"data{ENDINGS[(data[:1] or b'0')[0] % len(ENDINGS)]}"
    path.write_bytes(data[1:])
    items = read_items(path)
    if items.features.shape[1] <= MOST_COLUMNS:
        prepare(items)


def tables() -> list[bytes]:
    """Tables with fewer rows than those of the command, which are read faster."""
    texts = [_bytes(content)[:150] for content in commands.TABLES.values() if content]
    texts += [b'{"x": 1, "y": "a"}\n{"x": null, "y": "2026-01-01"}\n{"x": 2.5}\n']
    return [b"%d" % number + text for number in range(3) for text in texts]


def pairs(data: bytes) -> None:
    path = FOLDER / "pairs.csv"
    path.write_bytes(data)
    found = open_pairs(path).resolve(24)
    assert abs(found.grade).max(initial=0.0) <= 1


def model(data: bytes) -> None:
    path = FOLDER / "model.skops"
    path.write_bytes(data)
    loaded = load(path)
    U = loaded.predict_proba(values.POINTS)
    assert abs(U.sum(axis=1) - 1).max() < 1e-9


def part(data: bytes) -> None:
    """A model file of which one member is other bytes, with a digest that fits."""
    from fuzzypairs.tables import model_files

    members = dict(model_members())
    name = sorted(members)[len(data) % len(members)]
    members[name] = data
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
        stamp = {"version": "0.1.0", "digest": model_files._digest(archive)}
        archive.writestr(model_files.STAMP, json.dumps(stamp))
    model(file.getvalue())


@cache
def model_members() -> tuple[tuple[str, bytes], ...]:
    path = FOLDER / "good.skops"
    save(FDC(2, random_state=0).fit(values.POINTS), path)
    with zipfile.ZipFile(path) as archive:
        names = [n for n in archive.namelist() if n != "fuzzypairs.json"]
        return tuple((name, archive.read(name)) for name in names)


def good_model() -> bytes:
    model_members()
    return (FOLDER / "good.skops").read_bytes()


# Lines of a request: method and path, headers, an empty line, the body.
REQUESTS = [
    *(
        f"GET {path} HTTP/1.1\n\n"
        for path in (
            *("/", "/static/page.js", "/picture/0", "/report/report.html", "/nothing"),
            *("/api/about", "/api/next?annotator=Ann&n=2", "/api/state?annotator=Ann"),
            *("/api/history?annotator=Ann", "/api/agreement?annotator=%C3%84"),
            *("/api/export", "/?token=" + "t" * 43),
        )
    ),
    *(
        f"POST /api/{name} HTTP/1.1\ncontent-type: application/json\n\n{body}"
        for name, body in (
            ("answer", '{"annotator":"Ann","left":0,"right":1,"grade":0.5,"key":"k"}'),
            ("answer", '{"annotator":"Ann","left":2,"right":3,"kind":"unsure"}'),
            ("undo", '{"annotator":"Ann"}'),
            ("edit", '{"annotator":"Ann","event":1,"grade":-1}'),
            ("sort", '{"annotator":"Ann","piles":[[0,1],[2]],"key":"k"}'),
            ("clusters", '{"annotator":"Ann","n":3}'),
            ("name", '{"row":0,"name":"red"}'),
            ("sort-clusters", '{"annotator":"Ann","rows":[0,1]}'),
            ("again", '{"annotator":"Ann","left":0,"right":1}'),
            ("report", "{}"),
        )
    ),
]


@cache
def page() -> tuple[Any, Any]:
    """The application of the page without a network, and an event loop for it."""
    (FOLDER / "data.csv").write_text(commands.DATA)
    items = read_items(FOLDER / "data.csv", id_column="id")
    catalogue = Catalogue(items, items.features)
    service = Service(catalogue, Store(FOLDER / "page.db"))
    secrets, limits = Secrets("t" * 43, "c" * 43), Limits(rate=1e9, burst=10**9)
    app = build_app(service, host_names(8000), secrets, limits=limits)
    return app, asyncio.new_event_loop()


def request(data: bytes) -> None:
    """A request to the page; every answer but those for failures is right."""
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, address, *_ = [*first.split(b" "), b"", b""]
    path, _, query = address.partition(b"?")
    plain = [(b"host", b"127.0.0.1:8000"), (b"cookie", b"fuzzypairs=" + b"c" * 43)]
    plain += [(b"origin", b"http://127.0.0.1:8000")]
    if path.startswith(b"/api/changes"):
        return  # it never ends
    scope = {
        "type": "http",
        "method": method.decode("latin-1"),
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path,
        "query_string": query,
        "headers": plain + [tuple(x.split(b": ", 1)) for x in lines if b": " in x],
    }
    told = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: dict[str, Any]) -> None:
        told.append(message)

    app, loop = page()
    try:
        loop.run_until_complete(app(scope, receive, send))
    except Exception as error:  # those of readers are refusals, not so here
        raise AssertionError("the page failed") from error
    assert told[0]["status"] < 500, told


TARGETS: dict[str, tuple[Callable[[bytes], None], Callable[[], list[bytes]]]] = {
    "table": (table, tables),
    "pairs": (
        pairs,
        lambda: (
            [b"i,j,grade\n0,1,0.5\n3,4,-1\n", _bytes(commands.PAIRS)]
            + [_bytes(t) for t in commands.JUDGED.values()]
        ),
    ),
    "model": (model, lambda: [good_model()]),
    "part": (part, lambda: [content for _, content in model_members()]),
    "request": (request, lambda: [text.encode() for text in REQUESTS]),
}


def seeds(name: str) -> list[bytes]:
    """Return inputs to begin with: those written here, and short ones of long runs."""
    kept = Path(__file__).parent / "corpus" / f"{name}.jsonl"
    lines = kept.read_text().splitlines() if kept.exists() else []
    return [*TARGETS[name][1](), *(json.loads(x).encode("latin-1") for x in lines)]


def _bytes(content: str | bytes) -> bytes:
    return (content.encode() if isinstance(content, str) else content)[:4000]


def try_one(read: Callable[[bytes], None], data: bytes) -> None:
    """Read an input; what is no refusal goes up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(data)
        except ModelFileError:
            pass
        except REFUSALS as error:
            # An error without words tells users nothing.
            if not str(error):
                raise AssertionError(f"{type(error).__name__} without words") from error


def mutate(data: bytes, rng: random.Random) -> bytes:
    found = bytearray(data[:20_000])
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(found) + 1)
        kind = rng.randrange(5)
        if kind == 0 and found:
            found[min(at, len(found) - 1)] = rng.randrange(256)
        elif kind == 1:
            found[at:at] = rng.randbytes(rng.randint(1, 8))
        elif kind == 2:
            del found[at : at + rng.randint(1, 30)]
        elif kind == 3:
            found[at:at] = found[at : at + 20]
        else:
            odd = (b",", b"\n", b'"', b"\x00", b"nan", b"1e999", b"-1", b"\xff", b"[]")
            found[at:at] = rng.choice(odd)
    return bytes(found)


def run(name: str, seconds: float) -> int:
    """Return how many inputs were tried."""
    read, corpus = TARGETS[name][0], seeds(name)
    rng = random.Random(int(os.environ.get("FUZZ_SEED", "0")))
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = mutate(rng.choice(corpus), rng)
        try:
            try_one(read, data)
        except BaseException:
            found = FOLDER / "finding"
            found.write_bytes(data)
            print(f"{name}: input {count} is kept in {found}", file=sys.stderr)
            raise
        count += 1
    return count


def main() -> None:
    name, seconds = sys.argv[1], float(sys.argv[2])
    if atheris is None:
        print(
            f"{name}: {run(name, seconds)} mutated inputs in {seconds:g} s, no finding"
        )
        return
    read = TARGETS[name][0]
    corpus = Path(tempfile.mkdtemp(prefix="corpus-"))
    for number, data in enumerate(seeds(name)):
        (corpus / str(number)).write_bytes(data)
    if "__ATHERIS_INSTRUMENTED__" not in open_pairs.__code__.co_consts:
        sys.exit("atheris does not follow the code: all inputs would be random")
    options = [sys.argv[0], str(corpus), f"-max_total_time={seconds:g}"]
    options += [f"-artifact_prefix={FOLDER}/"]
    atheris.Setup(options, lambda data: try_one(read, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
