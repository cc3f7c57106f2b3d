"""The page of the experiment on judgements: tables from lines, and nothing else."""

import pytest

from experiments.pages import write_pages


def test_results_go_between_the_marks(lines, page):
    written = write_pages(lines, page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Title")
    assert text.endswith("End.\n")
    assert "old" not in text
    assert [path.name for path in written] == ["sets.md", "judgements.md"]
    assert "| 100 | 2 | 3 | 81.0 ± 0.4 | 81.0 ± 0.6 | 81.0 ± 0.6 |" in text
    assert "| PCK-means | 2 | 3 | 65.9 ± 0.4 | 60.9 ± 0.5 |" in text
    assert "| +15.1 ± 5.0 | 0.2 | 2 / 0 |" in text
    assert "| 100 | 2 | 0.050 ± 0.000 |" in text


def test_each_set_has_a_line(lines, page):
    sets, _ = write_pages(lines, page)
    assert "| zoo | reported on | 71.0 ± 0.6 | 81.0 ± 0.6 |" in sets.read_text()


def test_lines_without_our_method_are_an_error(lines, page):
    others = [line for line in lines if line["method"] != "GuidedFDC"]
    with pytest.raises(ValueError, match="no trial of GuidedFDC has a score"):
        write_pages(others, page)
