"""From data to a result, and to new rows."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from fuzzypairs import FDC, GuidedFDC, PairSet, analyse, load
from fuzzypairs.analysis.new_rows import read_new_rows
from fuzzypairs.criteria import pairs_held


@pytest.fixture(scope="module")
def wine():
    """Wines by name with classes, judgements by name, and their result."""
    bunch = load_wine(as_frame=True)
    names = [f"W{row:03}" for row in range(len(bunch.data))]
    frame = bunch.data.set_axis(names).assign(cultivar=bunch.target.to_numpy())
    pairs = PairSet.from_labels(bunch.target, n_pairs=40, random_state=0)
    grade = pairs.grade * np.where(np.arange(40) == 3, -1, 1)  # one is wrong
    judged = pd.DataFrame(
        {"a": np.array(names)[pairs.i], "b": np.array(names)[pairs.j], "grade": grade}
    )
    return frame, judged, analyse(frame, judged, n_clusters=3, truth="cultivar")


def test_the_result_is_the_fit(wine):
    frame, judged, result = wine
    X = frame.drop(columns="cultivar")
    X = (X - X.mean()) / X.std(ddof=0)
    model = GuidedFDC(3, random_state=0).fit(X, pairs=judged)

    np.testing.assert_allclose(result.membership_matrix, model.memberships_, atol=1e-9)
    assert result.memberships.index.tolist() == frame.index.tolist()
    assert result.memberships["label"].tolist() == model.labels_.tolist()
    assert result.verdict.sentences == model.verdict_.sentences
    assert result.summary["scores"]["normalized_ari"] > 0.8
    assert result.summary["judgements"]["given"] == 40
    broken = (~pairs_held(result.rows.pairs, result.labels)).sum()
    assert len(result.violated) == broken
    assert list(result.violated)[:3] == ["a", "b", "grade"]


def test_a_result_shows_itself(wine):
    _, _, result = wine
    sizes = ", ".join(map(str, result.summary["clusters"]["sizes"]))
    assert repr(result) == (
        "<Result: <Rows: 178 rows of table, 13 features, 40 judgements>; clusters of "
        f"{sizes}>"
    )
    text = result._repr_html_()
    assert "W000" in text
    assert result.verdict.sentences[0].split(":")[0] in text
    page = result.report()
    assert page.startswith("<!doctype html>")
    assert "178 rows in 3 clusters" in page
    assert page._repr_html_().startswith("<iframe srcdoc=")


def test_a_result_is_saved_as_the_command_does(wine, tmp_path):
    frame, _, result = wine
    seen = []
    result.save(tmp_path / "out", progress=lambda *told: seen.append(told))

    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "memberships.csv", "model.skops", "report.html", "summary.json"
    }  # fmt: skip
    written = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert written == json.loads(json.dumps(result.summary))
    assert [doing for doing, *_ in seen][1] == "writing model.skops"
    pipeline = load(tmp_path / "out" / "model.skops")
    np.testing.assert_allclose(
        pipeline.predict_proba(frame), result.model.predict_proba(result.rows.X)
    )


def test_the_model_of_the_user_is_not_changed(wine):
    frame, _, _ = wine
    model = FDC(random_state=1, n_init=2)
    result = analyse(frame, n_clusters=2, model=model)

    assert vars(model) == vars(FDC(random_state=1, n_init=2))
    assert result.model.n_clusters_ == 2
    assert result.unguided is None
    assert result.summary["converged"] is True


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(ValueError, match="n_clusters is 5 but the number of rows"):
        analyse(pd.DataFrame({"x": [1.0, 2.0, 9.0]}), n_clusters=5)


TEXTS = [
    "a late train", "the train was late", "trains are late", "late train again",
    "cold soup", "the soup was cold", "soups are cold", "cold soup again",
]  # fmt: skip


def test_texts_to_a_result_to_new_texts(tmp_path):
    table = tmp_path / "texts.csv"
    pd.DataFrame({"said": TEXTS, "nr": range(8)}).to_csv(table, index=False)
    pairs = [(0, 1, 0.9), (4, 5, 0.9), (0, 4, -0.9), (1, 5, -0.9), (2, 6, -0.9)]
    result = analyse(table, pairs, text="said", n_clusters=2, features="tfidf")
    result.save(tmp_path / "out")

    labels = result.labels
    assert (labels[:4] == labels[0]).all()
    assert (labels[4:] == 1 - labels[0]).all()
    assert "8 texts in 2 clusters" in (tmp_path / "out" / "report.html").read_text()
    pipeline = load(tmp_path / "out" / "model.skops")
    rows = read_new_rows(pipeline[0], table)
    np.testing.assert_allclose(
        pipeline[-1].predict_proba(rows.X), result.model.predict_proba(result.rows.X)
    )
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text("the train is late")
    rows = read_new_rows(pipeline[0], folder)
    assert rows.ids.tolist() == ["one.txt"]
    assert pipeline[-1].predict(rows.X)[0] == labels[0]
    np.save(tmp_path / "x.npy", np.eye(3))
    with pytest.raises(ValueError, match="holds embeddings, but the model was fitted"):
        read_new_rows(pipeline[0], tmp_path / "x.npy")
    other = tmp_path / "other.csv"
    other.write_text("words,nr\nhello there,1\n")
    with pytest.raises(ValueError, match="no column 'said'"):
        read_new_rows(pipeline[0], other)
