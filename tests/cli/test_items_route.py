"""Pictures, texts and embeddings: from any kind of data to a result and to new rows."""

import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from commands import answers, read_csv, run

N = 24
WORDS = (["train", "station", "late", "rail"], ["soup", "waiter", "cold", "menu"])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """24 items of two kinds as pictures, texts and embeddings, and judgements."""
    folder = tmp_path_factory.mktemp("items")
    rng = np.random.default_rng(0)
    kind = np.arange(N) % 2
    (folder / "photos").mkdir()
    (folder / "notes").mkdir()
    names, said = [], []
    for n in range(N):
        pixels = rng.integers(0, 40, (24, 32, 3), dtype=np.uint8)
        left = 2 if kind[n] else 18
        pixels[6:18, left : left + 12, 2 * kind[n]] = 230
        names.append(f"p{n:02}.png")
        Image.fromarray(pixels).save(folder / "photos" / names[-1])
        text = " ".join([*rng.permutation(WORDS[kind[n]]), f"number {n}"])
        said.append(text)
        (folder / "notes" / f"p{n:02}.txt").write_text(text)
    vectors = rng.normal(size=(N, 5)) + 4 * kind[:, None]
    table = pd.DataFrame(
        {"name": names, "said": said, "year": 1990 + rng.integers(0, 9, N)}
    )
    table.to_csv(folder / "table.csv", index=False)
    table.assign(e=list(vectors)).to_parquet(folder / "table.parquet")
    np.save(folder / "v.npy", vectors)
    order = rng.permutation(N)
    ids = np.array(names)[order]
    np.savez(folder / "v.npz", embeddings=vectors[order], ids=ids)
    i, j = np.arange(0, 20, 2), (np.arange(0, 20, 2) + np.arange(1, 11)) % N
    grade = np.where(kind[i] == kind[j], 0.9, -0.9)
    pd.DataFrame({"i": i, "j": j, "grade": grade}).to_csv(
        folder / "pairs.csv", index=False
    )
    return folder, kind


WAYS = {
    "a folder of pictures": ("photos", []),
    "a folder of texts": ("notes", ["--features", "tfidf"]),
    "names of pictures": ("table.csv", ["--image", "name", "--images", "photos"]),
    "names that are ids": (
        "table.csv",
        ["--image", "name", "--id", "name", "--images", "photos"],
    ),
    "texts": ("table.csv", ["--text", "said", "--features", "tfidf", "--show", "year"]),
    "texts with a column": (
        "table.csv",
        ["--text", "said", "--features", "tfidf", "--with", "year"],
    ),
    "an array": ("v.npy", []),
    "an array with ids": ("v.npz", []),
    "a column of lists": ("table.parquet", ["--embedding", "e"]),
    "an array beside": ("table.csv", ["--embeddings", "v.npy"]),
    "an array with ids beside": (
        "table.csv",
        ["--embeddings", "v.npz", "--id", "name"],
    ),
}
# Options that a model does not keep: where other files are.
OF_FILES = {"--images", "--embeddings"}


@pytest.mark.parametrize("way", WAYS)
def test_from_data_to_new_rows(data, tmp_path, monkeypatch, way):
    folder, kind = data
    monkeypatch.chdir(folder)
    name, options = WAYS[way]
    out = tmp_path / "out"
    # Rows of the file with ids are in another order.
    pairs = [] if way == "an array with ids" else ["--pairs", "pairs.csv"]
    result = run("fit", name, *pairs, *options, "--clusters", 2, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    rows = read_csv(out / "memberships.csv")
    labels = np.array([int(row["label"]) for row in rows])
    if pairs:
        share = (labels == kind).mean()
        # A column of numbers that say nothing of the texts blurs their clusters.
        assert max(share, 1 - share) >= (0.75 if "--with" in options else 1.0)
    assert told["rows"] == N
    assert sum(told["clusters"]["sizes"]) == N

    kept = [
        word
        for flag, value in zip(options[::2], options[1::2], strict=True)
        if flag in OF_FILES
        for word in (flag, value)
    ]
    new = tmp_path / "new.csv"
    result = run("predict", out / "model.skops", name, *kept, "--out", new)
    assert result.exit_code == 0, result.output
    again = read_csv(new)
    for before, after in zip(rows, again, strict=True):
        assert before.get("id") == after.get("id")
        if "judged" not in before["flags"]:
            for k in ("cluster_0", "cluster_1"):
                assert float(before[k]) == pytest.approx(float(after[k]), abs=2e-6)


def test_all_commands_take_them(data, tmp_path, monkeypatch):
    folder, _ = data
    monkeypatch.chdir(folder)
    common = ["photos", "--pairs", "pairs.csv"]
    tuned = run("tune", *common, "--clusters", "2,3", "--out", tmp_path / "t")
    assert tuned.exit_code == 0, tuned.output
    assert "24 pictures" in tuned.stdout
    few = ["--clusters", 2, "--methods", "k-means,FDC", "--out", tmp_path / "c"]
    compared = run("compare", *common, *few)
    assert compared.exit_code == 0, compared.output
    assert read_csv(tmp_path / "c" / "labels.csv")[0]["id"] == "p00.png"


def test_features_are_kept_beside_the_data_if_asked(data, tmp_path, monkeypatch):
    folder, _ = data
    monkeypatch.chdir(folder)
    few = ["photos", "--clusters", 2, "--cache", "--out"]
    assert run("fit", *few, tmp_path / "a").exit_code == 0
    cache = folder / "photos.features.npz"
    stamp = cache.stat().st_mtime_ns
    assert run("fit", *few, tmp_path / "b").exit_code == 0
    assert cache.stat().st_mtime_ns == stamp
    cache.unlink()
    pages = [(tmp_path / out / "memberships.csv").read_bytes() for out in "ab"]
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["fit", "photos", "--text", "said"], "--text is about a table, but photos"),
        (["fit", "photos", "--id", "name"], "--id is about a table"),
        (["fit", "table.csv", "--text", "sad"], "no column 'sad', did you mean 'said'"),
        (
            ["fit", "table.csv", "--text", "said", "--image", "name"],
            "name one of --text, --image, --embedding and --embeddings",
        ),
        (["fit", "table.csv", "--with", "year"], "--with adds columns to texts"),
        (["fit", "v.npy", "--features", "tfidf"], "embeddings are used as they are"),
        (
            ["fit", "photos", "--feature-option", "size"],
            "--feature-option is 'size': expected such as size=224",
        ),
        (["compare", "tables", "--pairs", "pairs.csv"], "tables is a folder of tables"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_does_not_go_together(data, tmp_path, monkeypatch, command, sentence):
    folder, _ = data
    monkeypatch.chdir(folder)
    (folder / "tables").mkdir(exist_ok=True)
    (folder / "tables" / "a.csv").write_text("x\n1\n2\n")
    out = tmp_path / "out"
    assert answers(run(*command, "--clusters", 2, "--out", out), sentence)
    assert not out.exists()


@pytest.mark.parametrize(
    ("fitted", "new", "sentence"),
    [
        ("photos", "notes", "notes holds texts, but the model was fitted to pictures"),
        ("photos", "table.csv", "is a table, but the model was fitted to pictures in"),
        ("table.csv", "photos", "photos holds pictures, but the model was fitted to"),
    ],
)
def test_new_rows_of_another_kind(data, tmp_path, monkeypatch, fitted, new, sentence):
    folder, _ = data
    monkeypatch.chdir(folder)
    few = ["--drop", "said", "--drop", "name"] if fitted.endswith("csv") else []
    out = tmp_path / "out"
    result = run("fit", fitted, *few, "--clusters", 2, "--out", out)
    assert result.exit_code == 0, result.output
    result = run("predict", out / "model.skops", new, "--out", tmp_path / "new.csv")
    assert answers(result, sentence)
