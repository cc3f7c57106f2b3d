"""Figures from runs that are worked out by hand."""

from fuzzypairs.reproduction.entries import Entry
from fuzzypairs.reproduction.figures import (
    alpha_rows,
    draw_alpha,
    draw_kernel,
    draw_lia,
    lia_rows,
)
from fuzzypairs.reproduction.methods import METHODS
from fuzzypairs.reproduction.runs import Run
from fuzzypairs.reproduction.targets import make_plan


def test_the_best_beta_of_each_alpha():
    plan = make_plan("fig-alpha", datasets=["zoo"], groups=["i"], n_starts=2)
    results = {}
    for point in METHODS["fdc"].grid:
        nmi = [0.9, 0.9] if dict(point) == {"alpha": 0.02, "beta": 2.0} else [0.8, 0.6]
        scores = {"nmi": nmi, "nari": [0.9, 0.9], "clusters": [7, 6]}
        results[Run("zoo", "i", 0, "fdc", point, last=2)] = scores
    rows = alpha_rows(plan, results)
    assert rows[0] == ("zoo", "i", 0.0, 2.0**-8, 70.0, 6.5)
    assert rows[1] == ("zoo", "i", 0.02, 2.0, 90.0, 6.5)
    axes = draw_alpha(plan, rows).axes
    assert axes[0].get_title() == "(b) Zoo, group (i)"
    assert axes[0].lines[0].get_ydata()[:2].tolist() == [70.0, 90.0]


def test_a_bar_for_each_method_and_dataset():
    plan = make_plan("fig-kernel", datasets=["wine"], methods=["fdc"])
    entry = Entry("wine", "iv", "fdc", "oracle", "ari", ours=96.5)
    (bar,) = draw_kernel(plan, [entry]).axes[0].patches
    assert bar.get_height() == 96.5


def test_ranks_are_averaged_over_starts_that_have_them():
    plan = make_plan("fig-lia", groups=["v"], methods=["fcm"], tunings=["fair"],
                     n_starts=2)  # fmt: skip
    scores = {"nari": [0.5, 0.5], "lia": [[0.7, 0.6], [0.5]]}
    rows = lia_rows(plan, {Run(plan.datasets[0], "", 0, "fcm", last=2): scores})
    assert rows == [("v", "fcm", "fair", 1, 60.0, 2), ("v", "fcm", "fair", 2, 60.0, 1)]
    assert len(draw_lia(plan, rows).axes[0].patches) == 2
