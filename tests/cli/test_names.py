"""Names of clusters go into memberships, report, summary, model and predictions."""

import json

from commands import DATA, PAIRS, answers, put, read_csv, run


def test_names_go_wherever_clusters_are(tmp_path):
    put(tmp_path / "data.csv", DATA)
    put(tmp_path / "pairs.csv", PAIRS)
    put(tmp_path / "names.txt", "0: tart\n1: sweet <wines>\n")
    given = ["--id", "id", "--pairs", tmp_path / "pairs.csv", "--clusters", 2]
    command = ["fit", tmp_path / "data.csv", *given, "--names", tmp_path / "names.txt"]
    result = run(*command, "--out", tmp_path / "out")

    assert result.exit_code == 0, result.output
    assert "sweet <wines>" in result.output
    names = ["tart", "sweet <wines>"]
    rows = read_csv(tmp_path / "out" / "memberships.csv")
    assert [row["cluster"] for row in rows] == [names[int(r["label"])] for r in rows]
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["clusters"]["names"] == names
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "sweet &lt;wines&gt;" in page
    assert "Cluster 0" not in page
    model, out = tmp_path / "out" / "model.skops", tmp_path / "new.csv"
    result = run("predict", model, tmp_path / "data.csv", "--out", out)
    assert "sweet <wines>" in result.output
    new = read_csv(tmp_path / "new.csv")
    assert [row["cluster"] for row in new] == [names[int(r["label"])] for r in new]


def test_clusters_without_a_name_keep_their_number(tmp_path):
    put(tmp_path / "data.csv", DATA)
    put(tmp_path / "names.txt", "1: sweet\n")
    command = ["fit", tmp_path / "data.csv", "--id", "id", "--clusters", 2]
    run(*command, "--names", tmp_path / "names.txt", "--out", tmp_path / "out")

    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Cluster 0" in page
    assert "cluster 0 (cluster 0)" not in page
    assert "sweet (cluster 1)" in page


def test_names_of_other_clusters_are_answered_by_a_sentence(tmp_path):
    put(tmp_path / "data.csv", DATA)
    put(tmp_path / "names.txt", "0: tart\n5: sweet\n")
    command = ["fit", tmp_path / "data.csv", "--id", "id", "--clusters", 2]
    result = run(*command, "--names", tmp_path / "names.txt", "--out", tmp_path / "out")

    assert answers(result, "names cluster 5, but there are 2")
