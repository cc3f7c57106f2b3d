"""Questions that users of similar tools asked: each has its answer in two clicks."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)\s]*)?\)")

# The heading of the answer, a piece that the answer must hold, and the GitHub issues in
# which users of other tools asked.
QUESTIONS = [
    ("How many pairs do I need to judge?", "Begin with 30",
     "dedupe 599, dedupe-examples 137"),
    ("When can I stop?", "stop_hint", "dedupe 1166, 1222"),
    ("What if I am not sure?", "0 for", "dedupe 984"),
    ("I have labels of some rows. Can I use them?", "from_labels", "hdbscan 70"),
    ("Which pairs are drawn from labels?", "random pairs of labelled rows",
     "metric-learn 135, SDEC-Keras 1"),
    ("Can I save my judgements and go on later?", "--import", "dedupe 679, 672"),
    ("Can I use plain must-links and cannot-links?", "from_must_cannot",
     "metric-learn 63, 40"),
    ("What if judgements contradict each other?", "does not fail", "COP-Kmeans 9"),
    ("Can several people judge, and do they agree?", "Krippendorff",
     "label-studio 20, doccano 114, 1846"),
    ("Does anything leave my machine?", "without a network",
     "label-studio 4809, 3969"),
    ("Why are all memberships equal?", "fuzzifier",
     "scikit-fuzzy 94, fuzzy-c-means 31"),
    ("Why are there fewer clusters than I asked for?", "largest number",
     "COP-Kmeans 3, fuzzy-c-means 31"),
    ("How many clusters should I ask for?", "PairSearchCV", "scikit-fuzzy 101"),
    ("Can I use cosine or my own distance?", "cosine",
     "scikit-fuzzy 159, fuzzy-c-means 61, 78"),
    ("Can I cluster texts, word vectors or pictures?", "give a folder",
     "scikit-fuzzy 127"),
    ("How do I assign new rows?", "predict_proba",
     "COP-Kmeans 16, hdbscan 57, scikit-fuzzy 11"),
    ("How do I save a model, and will a later version read it?", "pickle",
     "dedupe 486, 1045"),
    ("What does a membership of 0.8 mean?", "probability", "hdbscan 35, 72"),
    ("Is there a cluster for outliers?", "HDBSCAN", "hdbscan 72"),
    ("Why does the result change from run to run?", "random_state",
     "scikit-learn 9646, 9138, kmodes 43"),
    ("How do I prepare missing values and categories?", "fuzzypairs fit",
     "stepmix 64, pytorch-metric-learning 119"),
    ("How much data can it handle?", "copy of the data", "hdbscan 498, cuml 6551"),
]  # fmt: skip


def answers():
    """Answers by question, on the page that the front page links to."""
    text = (DOCS / "faq.md").read_text(encoding="utf-8")
    parts = re.split(r"^### (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_there_are_twenty():
    assert len({question for question, _, _ in QUESTIONS}) >= 20


def test_the_page_of_questions_is_one_click_from_the_front_page():
    front = (DOCS / "index.md").read_text(encoding="utf-8")

    assert "faq.md" in LINK.findall(front)


@pytest.mark.parametrize(("question", "piece", "asked"), QUESTIONS)
def test_the_answer_is_there(question, piece, asked):
    answer = answers()[question]

    assert piece in answer
    # Short, and the second click leads to more.
    assert len(answer.split()) < 80
    assert LINK.search(answer)
