"""
Can clusters be rings?
======================

Prototypes suit groups around a point. Two rings have the same centre, so Euclidean
prototypes cut them in half, with or without judgements. A Gaussian kernel compares near
neighbours only.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import FDC
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.plots import plot_memberships

X, ring = make_circles(200, factor=0.36, noise=0.08, random_state=0)
pairs = simulate_pairs(X, ring, "iv", random_state=0)
kernel = {"metric": "rbf", "metric_params": {"gamma": 2.0}, "beta": 2.0}

# %%
# Here the kernel alone is not enough, and neither are 20 judgements alone. Lines are judgements:
# solid for alike, dashed for unlike, red where the clusters violate them.

cases = {
    "euclidean, 20 judgements": ({}, pairs),
    "kernel, no judgements": (kernel, None),
    "kernel, 20 judgements": (kernel, pairs),
}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.7), layout="constrained")
for ax, (name, (options, judged)) in zip(panels, cases.items(), strict=True):
    model = FDC(2, random_state=0, **options).fit(X, pairs=judged)
    plot_memberships(X, model.memberships_, judged, ax, legend=False)
    score = abs(adjusted_rand_score(ring, model.labels_))
    ax.set_title(f"{name}\nagreement with the rings: {score:.2f}", fontsize="medium")
    ax.set(aspect="equal", xlabel="", ylabel="", xticks=[], yticks=[])
